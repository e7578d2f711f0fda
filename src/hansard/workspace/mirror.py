"""Owns what a machine remembers of a mirror: the bytes it exported last, and who is writing just now."""

import fcntl
import json
import os
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from hansard.domain.errors import Invalid, MirrorBusy
from hansard.domain.mirror import is_mirror_path
from hansard.workspace.files import Enclosure

MANIFEST = ".hansard/mirror.json"
LOCK = ".hansard/mirror.lock"
MANIFEST_BYTES_MAX = 16 * 1024 * 1024
LOCK_WAIT_SECONDS = 5.0
_LOOK_SECONDS = 0.02


class Manifest(NamedTuple):
    """The SHA-256 of each file as last exported, and the state that it was exported from."""

    project: str = ""
    state: str = ""
    files: Mapping[str, str] = {}

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
        return cls(_text(said.get("project")), _text(said.get("state")), known)

    def save(self, files: Enclosure) -> None:
        said = {"project": self.project, "state": self.state, "files": dict(sorted(self.files.items()))}
        files.write(MANIFEST, (json.dumps(said, indent=1) + "\n").encode())


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
