"""Owns commands that go on in a process of their own, and what became of them."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hansard import settings

MARK = "HANSARD_IN_BACKGROUND"
"""Set for the process that does a task in the background."""


class State(NamedTuple):
    """The process that is at work on a task, or how the last one ended if it ended badly."""

    process: int | None
    error: str | None


def start(task: str, arguments: Sequence[str], flags: Mapping[str, str | None]) -> int:
    """Runs the command in a session of its own, so that it outlives this one and its terminal."""
    given = [word for name, value in flags.items() if value is not None for word in (f"--{name}", value)]
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{task}.out").open("wb") as out:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "hansard", *arguments, *given],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, MARK: "1"},
        )
    (folder / f"{task}.pid").write_text(str(process.pid), encoding="ascii")
    process.returncode = 0  # Nobody waits for it, and Python need not warn that nobody did.
    return process.pid


def state(task: str) -> State:
    """What became of the last process that was started for the task on this machine."""
    folder = _folder()
    try:
        process = int((folder / f"{task}.pid").read_text(encoding="ascii"))
        said = (folder / f"{task}.out").read_bytes()
    except (OSError, ValueError):
        return State(None, None)
    if not said and _is_running(process):
        return State(process, None)
    try:
        document = json.loads(said)
    except ValueError:
        return State(None, "it was ended before it was done.")
    error = document.get("error") if isinstance(document, dict) else None
    return State(None, str(error.get("message")) if isinstance(error, dict) else None)


def clear(task: str) -> None:
    """Forgets what became of the last process; somebody has done the task since."""
    for kind in ("pid", "out"):
        (_folder() / f"{task}.{kind}").unlink(missing_ok=True)


def name_of(task: str, database: str, project_key: str) -> str:
    """A name for the task that no other database or project has."""
    from hashlib import blake2b

    return f"{task}-{project_key}-{blake2b(database.encode('utf-8', 'surrogateescape'), digest_size=6).hexdigest()}"


def _is_running(process: int) -> bool:
    # Where there is /proc it tells a process that ended, or another one of this number, from ours.
    if Path("/proc/self").exists():
        try:
            return b"hansard" in Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _folder() -> Path:
    return settings.data_folder() / "background"
