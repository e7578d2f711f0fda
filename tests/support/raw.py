"""The SQLite file behind Hansard's back: what a vandal, another program or a curious test does to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

TABLES = (
    "projects", "project_roots", "heads", "actors", "runs", "decisions", "inbox", "memories", "memory_tags",
    "sessions", "revisions", "events",
)  # fmt: skip


@contextmanager
def raw(path: str | Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(10_000)
        yield connection
    finally:
        connection.close()


def everything(path: str | Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, to compare a database before and after."""
    with raw(path) as connection:
        return {table: list(connection.execute(f"SELECT * FROM {table}")) for table in TABLES}


def unguard(connection: apsw.Connection) -> None:
    """Removes the triggers, as somebody would who wants to rewrite history."""
    names = [str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")]
    for name in names:
        connection.execute(f"DROP TRIGGER {name}")


def bytes_on_disk(path: str | Path) -> bytes:
    """What the file and its write-ahead log hold right now."""
    files = [Path(path), Path(f"{path}-wal"), Path(f"{path}-journal")]
    return b"".join(file.read_bytes() for file in files if file.exists())
