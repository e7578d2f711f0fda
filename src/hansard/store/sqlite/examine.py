"""Examines the file: whether its pages, indexes, references and schema are what they should be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import apsw

from hansard.domain.findings import Examined
from hansard.store.sqlite.connection import MEMORY_PATH
from hansard.store.sqlite.migrate import SCHEMA_VERSION

if TYPE_CHECKING:
    from hansard.store.sqlite.connection import Database, SqliteConnection

FAULTS_TOLD_MAX = 10


def examine(database: Database, *, full: bool) -> Examined:
    """The pages of the file; with `full` also whether every index agrees with its table, and every reference."""
    with database.reading() as connection:
        version = connection.execute("PRAGMA user_version").get
        assert isinstance(version, int)
        problems = tuple(_faults(connection, version, full=full))
    file = None if database.path == MEMORY_PATH else database.path
    return Examined(f"SQLite {apsw.sqlite_lib_version()}", version, SCHEMA_VERSION, file, problems, ())


def _faults(connection: SqliteConnection, version: int, *, full: bool) -> Iterator[str]:
    pragma = f"PRAGMA {'integrity_check' if full else 'quick_check'}({FAULTS_TOLD_MAX})"
    try:
        told = [str(row[0]) for row in connection.execute(pragma)]
        yield from (" ".join(one.split()) for one in told if one != "ok")
        # An older schema is whole if it is what the migrations of its time made.
        yield from connection.schema_problems_of(min(version, SCHEMA_VERSION))
        if full:
            yield from _dangling(connection)
    except apsw.CorruptError as error:
        yield f"the file cannot be read to its end: {error}"


def _dangling(connection: SqliteConnection) -> Iterator[str]:
    lost: dict[tuple[str, str], int] = {}
    for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        lost[table, parent] = lost.get((table, parent), 0) + 1
    yield from (f"{count:,} rows of {table} point to {parent} that are gone" for (table, parent), count in lost.items())
