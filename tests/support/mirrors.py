"""What a test needs to know of exporters: which of them run, and when something has come true."""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hansard.project import Project
from hansard.services import keep_up
from hansard.services.dispatch import EXPORTER
from hansard.services.keep_up import MirrorState

WAIT_SECONDS = 60.0
LOOK_SECONDS = 0.02


def until(is_true: Callable[[], object], what: str) -> None:
    """Returns when it has come true; other processes make it so."""
    end = time.monotonic() + WAIT_SECONDS
    while not is_true():
        assert time.monotonic() < end, f"in vain: {what}"
        threading.Event().wait(LOOK_SECONDS)


def pass_by(seconds: float) -> None:
    """Lets time go by in which something must not happen."""
    threading.Event().wait(seconds)


def exporters(root: Path) -> list[int]:
    """The processes that export to this folder, or one below it."""
    return [number for number, command in _commands() if EXPORTER in command and str(root) in command]


def command_of(process: int) -> str:
    return dict(_commands())[process]


def environment_of(process: int) -> str:
    return Path(f"/proc/{process}/environ").read_bytes().decode("utf-8", "replace")


def _commands() -> list[tuple[int, str]]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                told = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            found.append((int(folder.name), told.decode("utf-8", "replace").replace("\0", " ")))
    return found


def state(project: Project) -> MirrorState:
    """How the only folder of the project stands."""
    (found,) = keep_up.states(project.seat())
    return found


def until_in_step(project: Project, root: Path) -> None:
    """Returns when the files say what the record says and no exporter is left."""
    until(lambda: state(project).is_in_step, "the files are in step")
    until(lambda: not exporters(root), "the exporter ends")
    assert state(project).is_in_step
    assert keep_up.drifted(project.seat(), str(root)) == ()


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Whoever exports waits, in the middle of its work, as long as the block lasts."""
    file = root / ".hansard" / "mirror.lock"
    file.parent.mkdir(exist_ok=True)
    handle = os.open(file, os.O_RDWR | os.O_CREAT)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(handle)
