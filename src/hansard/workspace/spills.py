"""Owns the files that compaction writes: what it spills below a project's folder, and how often it failed in a row."""

import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hansard.domain.compaction.ladder import SPILL_FOLDER, Spill, spill_folder
from hansard.domain.errors import Invalid
from hansard.workspace.files import Enclosure

ATTEMPTS = "compaction.json"
ATTEMPTS_BYTES_MAX = 1024 * 1024
AGENT_TASKS_MAX = 64
"""Of so many tasks of one agent the failures are known. With more, it could make the file too large for everybody."""
FAILURES_MAX = 1_000_000_000
"""Nobody fails more often; a larger number is damage."""
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


def count_name(task: str, agent: str) -> str:
    """Under which name the failures of an agent's task are counted. No task has a slash in it."""
    return f"{task}/{agent}"


class Attempts:
    """How often the compaction of each task of a project failed in a row.

    A count that is damaged is told and passes for no number, unless it is to be mended: then it is forgotten.
    """

    def __init__(self, files: Enclosure, *, mending: bool = False) -> None:
        self._files = files
        self._counts, self._damaged = self._load()
        if self._damaged and not mending:
            raise Invalid(
                f"{files.root / ATTEMPTS} is damaged, so nobody knows how often compaction failed. Let a person"
                " run `hansard compact --task TASK --reset`."
            )

    def failures(self, task: str) -> int:
        return self._counts.get(task, 0)

    def keep(self, task: str, failures: int) -> None:
        """Keeps the number; none is not kept at all, so that the file stays small."""
        if failures == self.failures(task) and not self._damaged:
            return
        self._counts.pop(task, None)
        self._counts[task] = failures
        _, slash, agent = task.partition("/")
        if slash:
            own = [name for name, count in self._counts.items() if count and name.partition("/")[2] == agent]
            for name in own[:-AGENT_TASKS_MAX]:
                del self._counts[name]
        self._write()

    def forget(self, task: str) -> int:
        """Forgets the failures of a task, whoever had them, and says how many there were."""
        gone = [name for name in self._counts if name.partition("/")[0] == task]
        failures = sum(self._counts.pop(name) for name in gone)
        if gone or self._damaged:
            self._write()
        return failures

    def _write(self) -> None:
        """In the order in which they were counted, so that the oldest is known."""
        self._damaged = False
        self._counts = {name: count for name, count in self._counts.items() if count}
        self._files.write(ATTEMPTS, (json.dumps({"failures": self._counts}, indent=1) + "\n").encode())

    def _load(self) -> tuple[dict[str, int], bool]:
        """The counts that can be read, and whether there is anything that cannot."""
        data = self._files.read(ATTEMPTS, bytes_max=ATTEMPTS_BYTES_MAX)
        if data is None:
            return {}, False
        try:
            said: Any = json.loads(data)
        except (ValueError, RecursionError):
            return {}, True
        counts = said.get("failures") if isinstance(said, dict) else None
        if not isinstance(counts, dict):
            return {}, True
        known = {name: count for name, count in counts.items() if _is_count(count)}
        return known, len(known) < len(counts)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= FAILURES_MAX


@contextmanager
def attempts(folder: Path, *, mending: bool = False) -> Iterator[Attempts]:
    """The attempts of a project, which no other process changes meanwhile. Raises Invalid if they are damaged."""
    folder.mkdir(parents=True, exist_ok=True)
    with Enclosure(folder) as files:
        handle = files.open(_LOCK, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield Attempts(files, mending=mending)
        finally:
            os.close(handle)
