"""Examines the database on the server: its version, its schema, and whether it is set to keep what it confirmed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hansard.domain.findings import Examined
from hansard.store.postgres import migrate
from hansard.store.postgres.line import SCHEMA

if TYPE_CHECKING:
    from hansard.store.postgres.connection import Database, PostgresConnection

KEEPING = ("fsync", "full_page_writes", "synchronous_commit")
_INVALID_INDEXES = """
SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = ?::regnamespace AND NOT (i.indisvalid AND i.indisready) ORDER BY 1"""
_UNCHECKED_RULES = """
SELECT conrelid::regclass::text, conname FROM pg_constraint
WHERE connamespace = ?::regnamespace AND NOT convalidated ORDER BY 1, 2"""
# A partition is read through its table, and needs no rights of its own.
_UNREADABLE = """
SELECT relname::text FROM pg_class
WHERE relnamespace = ?::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND NOT has_table_privilege(oid, 'SELECT') ORDER BY 1"""
_WRITES = "SELECT has_table_privilege(?, 'INSERT')"


def examine(database: Database) -> Examined:
    with database.reading() as connection:
        engine = f"PostgreSQL {connection.execute('SHOW server_version').get}"
        version = migrate.version(connection, database.place)
        problems, warnings = tuple(_faults(connection, database, version)), tuple(_risks(connection))
        unreadable = tuple(str(name) for (name,) in connection.execute(_UNREADABLE, (SCHEMA,)))
        writes = not version or bool(connection.execute(_WRITES, (f"{SCHEMA}.events",)).get)
    return Examined(engine, version, migrate.SCHEMA_VERSION, None, problems, warnings, unreadable, writes)


def _faults(connection: PostgresConnection, database: Database, version: int) -> Iterator[str]:
    # An older schema is whole if it is what the migrations of its time made.
    yield from migrate.problems(connection, database, min(version, migrate.SCHEMA_VERSION))
    for (name,) in connection.execute(_INVALID_INDEXES, (SCHEMA,)):
        yield f"the index {name} is not valid"
    for table, name in connection.execute(_UNCHECKED_RULES, (SCHEMA,)):
        yield f"the rule {name} of {table} was never checked"


def _risks(connection: PostgresConnection) -> Iterator[tuple[str, str]]:
    for name in KEEPING:
        if connection.execute("SELECT current_setting(?)", (name,)).get == "off":
            yield (
                f"{name} is off: what the server confirmed can be lost with the power",
                f"Set {name} = on in the server's configuration and reload it.",
            )
