"""Owns writing a file so that a reader sees the old bytes or the new ones, never a part."""

import os
from pathlib import Path


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
