"""Owns the files that compaction writes: what it spills below a project's folder, and how often it failed in a row."""

import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hansard.domain.errors import Invalid
from hansard.domain.ladder import SPILL_FOLDER, Spill, spill_folder
from hansard.workspace.files import Enclosure

ATTEMPTS = "compaction.json"
ATTEMPTS_BYTES_MAX = 1024 * 1024
_LOCK = "compaction.lock"
_IGNORE = f"{SPILL_FOLDER}/.gitignore"
_NAME = re.compile(r"[0-9a-f]{16}\.md")


def write(root: Path, spill: Spill) -> None:
    """Writes a spilled file below the root, where git does not see it. Raises Invalid if a link leads out."""
    with Enclosure(root) as files:
        files.write(spill.path, spill.text.encode())
        if files.read(_IGNORE, bytes_max=1) is None:
            # Tool output may hold anything, and is nobody's to commit.
            files.write(_IGNORE, b"*\n")


def purge(root: Path, task: str) -> list[str]:
    """Removes what was spilled for a task, and nothing else. Returns the paths."""
    folder = spill_folder(task)
    with Enclosure(root) as files:
        gone = [f"{folder}/{name}" for name in files.names(folder) if _NAME.fullmatch(name)]
        for path in gone:
            files.remove(path)
    return gone


class Attempts:
    """How often the compaction of each task of a project failed in a row."""

    def __init__(self, files: Enclosure) -> None:
        self._files = files
        self._counts = self._load()

    def failures(self, task: str) -> int:
        return self._counts.get(task, 0)

    def keep(self, task: str, failures: int) -> None:
        """Keeps the number; none is not kept at all, so that the file stays small."""
        if failures == self.failures(task):
            return
        self._counts = {**self._counts, task: failures}
        counts = {name: count for name, count in sorted(self._counts.items()) if count}
        self._files.write(ATTEMPTS, (json.dumps({"failures": counts}, indent=1) + "\n").encode())

    def _load(self) -> dict[str, int]:
        data = self._files.read(ATTEMPTS, bytes_max=ATTEMPTS_BYTES_MAX)
        if data is None:
            return {}
        try:
            said: Any = json.loads(data)
            counts = said["failures"]
            return {str(name): int(count) for name, count in counts.items()}
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            raise Invalid(
                f"{self._files.root / ATTEMPTS} is damaged, so nobody knows how often compaction failed. Remove it."
            ) from None


@contextmanager
def attempts(folder: Path) -> Iterator[Attempts]:
    """The attempts of a project, which no other process changes meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    with Enclosure(folder) as files:
        handle = files.open(_LOCK, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield Attempts(files)
        finally:
            os.close(handle)
