"""Owns processes of this machine: the name of one, whether it is still there, and starting one that outlives us."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_START_FIELD = 19
"""Where the kernel tells when a process began, among what follows the process's own name."""


def name() -> str:
    """A name for this process that no other one of this machine gets, before or after it."""
    return f"{os.getpid()} {_began(os.getpid())} {_namespace()}"


def is_gone(holder: str) -> bool:
    """Whether the process of this name has certainly ended. Of one that cannot be seen from here nothing is known."""
    number, _, rest = holder.partition(" ")
    began, _, namespace = rest.partition(" ")
    if not number.isdigit() or namespace != _namespace():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return _began(int(number)) != began


def can_start() -> bool:
    return hasattr(os, "posix_spawn")


def start(command: list[str], environment: Mapping[str, str]) -> int:
    """Starts a process in a session of its own, with no stream of ours, and does not wait for it. Raises OSError."""
    streams = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    return os.posix_spawn(command[0], command, environment, file_actions=streams, setsid=True)


def wait_for(process: int) -> int:
    """How the process ended. One that somebody else waited for counts as one that ended well."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    except ChildProcessError:
        return 0


def _began(process: int) -> str:
    """When the process began, in the kernel's own count; nothing where there is no /proc, and of what has ended."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123 - on the path of every command that writes
            state, *fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return ""
    return "ended" if state in (b"Z", b"X") else fields[_START_FIELD - 1].decode()


def _namespace() -> str:
    """Which processes we see: inside a container the same number means another one."""
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - on the path of every command that writes
    except OSError:
        return ""
