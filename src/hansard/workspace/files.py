"""Owns writing a file so that a reader sees the old bytes or the new ones, and reading none but plain files."""

import os
import stat
from pathlib import Path

from hansard.domain.errors import Invalid


def confined(root: Path, inside: Path) -> Path:
    """The path below the root. Raises Invalid if a link on the way leads anywhere else."""
    path = root / inside
    if path.resolve() != root.resolve() / inside:
        raise Invalid(f"{path} leads out of {root} through a link; nothing is written there.")
    return path


def write_atomically(path: Path, data: bytes) -> None:
    """Writes beside the target, flushes, and renames. The folder is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        with temporary.open("xb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_plain(path: Path, *, bytes_max: int) -> bytes | None:
    """The beginning of a file; None if it is no plain one. A link is not followed, and a pipe not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    with os.fdopen(handle, "rb") as file:
        return file.read(bytes_max) if stat.S_ISREG(os.fstat(handle).st_mode) else None
