"""Owns what a machine remembers of a mirror: the bytes it exported last, and who is writing just now."""

import fcntl
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from hansard.domain.errors import Invalid, MirrorBusy
from hansard.domain.limits import EXPORT_WAIT_SECONDS_DEFAULT
from hansard.domain.mirror import (
    AGENTS_FOLDER,
    BOUNDARIES,
    DECISIONS,
    INBOX_FOLDER,
    LEDGER_FOLDER,
    NOW,
    is_kept_name,
    is_mirror_path,
)
from hansard.workspace.files import Enclosure

MANIFEST = ".hansard/mirror.json"
LOCK = ".hansard/mirror.lock"
HISTORY_NAME = "history.md"
MANIFEST_BYTES_MAX = 16 * 1024 * 1024
LOCK_WAIT_SECONDS = EXPORT_WAIT_SECONDS_DEFAULT
_LOOK_SECONDS = 0.02
_KEPT_IN = sorted({path.rpartition("/")[0] for path in (DECISIONS, NOW, BOUNDARIES)} | {INBOX_FOLDER, LEDGER_FOLDER})


class Manifest(NamedTuple):
    """The SHA-256 of each file as last exported, and the state that it was exported from."""

    project: str = ""
    state: str = ""
    files: Mapping[str, str] = {}
    head: str = ""
    """The event that the record ended with at that export, so that another or an older record is told from it."""
    intended: Mapping[str, tuple[str, ...]] = {}
    """What else we may have written: an export that is killed in the middle leaves old files and new ones."""

    @classmethod
    def load(cls, files: Enclosure) -> "Manifest":
        """What was kept. One that is missing or damaged knows nothing, and then nothing counts as our own."""
        try:
            data = files.read(MANIFEST, bytes_max=MANIFEST_BYTES_MAX)
            said = json.loads(data) if data else None
        except (OSError, ValueError, RecursionError, Invalid):
            said = None
        if not isinstance(said, dict) or not isinstance(said.get("files"), dict):
            return cls()
        known = {path: one for path, one in said["files"].items() if is_mirror_path(path) and isinstance(one, str)}
        meant = said.get("intended")
        intended = {
            path: tuple(one for one in several if isinstance(one, str))
            for path, several in (meant if isinstance(meant, dict) else {}).items()
            if is_mirror_path(path) and isinstance(several, list)
        }
        return cls(_text(said.get("project")), _text(said.get("state")), known, _text(said.get("head")), intended)

    def standing(self, files: Enclosure) -> dict[str, str]:
        """The digest of each file as we left it, old or new: what stands there tells which of the two it is."""
        found = dict(self.files)
        for path, several in self.intended.items():
            with suppress(OSError, Invalid):
                there = files.digest(path)
                if there is not None and there in several:
                    found[path] = there
        return found

    def all_of(self, path: str) -> frozenset[str]:
        """Every digest that we may have left the file with."""
        return frozenset((*self.intended.get(path, ()), *((self.files[path],) if path in self.files else ())))

    def save(self, files: Enclosure) -> None:
        files_ = dict(sorted(self.files.items()))
        said: dict[str, Any] = {"project": self.project, "state": self.state, "head": self.head, "files": files_}
        if self.intended:
            said["intended"] = {path: list(several) for path, several in sorted(self.intended.items())}
        files.write(MANIFEST, (json.dumps(said, indent=1) + "\n").encode())


def kept_copies(files: Enclosure) -> list[str]:
    """What exports set aside below the root and nobody took away yet. A folder that cannot be read has none to show."""
    found: list[str] = []
    for folder in (*_KEPT_IN, *agent_folders(files)):
        found += [f"{folder}/{name}" for name in _names(files, folder) if is_kept_name(name)]
    return sorted(found)


def histories(files: Enclosure) -> list[str]:
    """The files of agents' memories below the root, whoever wrote them. What is no plain file is none."""
    found: list[str] = []
    for folder in agent_folders(files):
        path = f"{folder}/{HISTORY_NAME}"
        if is_mirror_path(path) and HISTORY_NAME in _names(files, folder):
            with suppress(OSError, Invalid):
                files.read(path, bytes_max=1)
                found.append(path)
    return found


def agent_folders(files: Enclosure) -> list[str]:
    return [f"{AGENTS_FOLDER}/{name}" for name in _names(files, AGENTS_FOLDER)]


def _names(files: Enclosure, folder: str) -> list[str]:
    try:
        return files.names(folder)
    except (OSError, Invalid):
        return []


def lock(files: Enclosure, *, wait_seconds: float = LOCK_WAIT_SECONDS) -> int:
    """The handle of the lock, to be closed. Raises MirrorBusy if another process holds it for too long."""
    handle = files.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, make=True)
    end = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if time.monotonic() >= end:
                os.close(handle)
                raise MirrorBusy(f"Another process writes the files of {files.root} just now; try again.") from error
            time.sleep(_LOOK_SECONDS)
        else:
            return handle


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
