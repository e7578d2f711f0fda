"""The database behind Hansard's back: what a vandal, another program or a curious test does to it."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import apsw
import psycopg

from hansard.store.postgres.line import SCHEMA
from hansard.store.postgres.rows import PostgresRows, numbered
from hansard.store.sql.connection import Rows
from support import postgres

TABLES = (
    "projects", "project_roots", "heads", "actors", "runs", "decisions", "inbox", "memories", "memory_tags",
    "sessions", "revisions", "events",
)  # fmt: skip
REFUSED = (apsw.ConstraintError, psycopg.IntegrityError)
"""What an engine raises that refuses a change of the record."""
_SABOTAGE = re.compile(
    r"CREATE TRIGGER (\w+) (BEFORE \w+(?: OF \w+)? ON \w+)(?: WHEN (.+))? BEGIN SELECT RAISE \(ABORT, ('\w+')\); END"
)


class Raw(Protocol):
    """A connection that knows nothing of Hansard's rules."""

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Rows: ...


class RawServer:
    """A connection to a server, by somebody who owns the database."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> PostgresRows:
        trigger = _SABOTAGE.fullmatch(sql)
        if trigger:
            name, event, condition, message = trigger.groups()
            when = f"WHEN ({condition}) " if condition else ""
            sql = f"CREATE TRIGGER {name} {event} FOR EACH ROW {when}EXECUTE FUNCTION refuse({message})"
        # Without values, several statements may be run at once.
        return PostgresRows(self._connection.execute(numbered(sql), values or None))


def is_server(target: str | Path) -> bool:
    return str(target).startswith("postgresql:")


@contextmanager
def raw(target: str | Path) -> Iterator[Raw]:
    """A connection that may do anything; no other test gets this database."""
    if is_server(target):
        postgres.spoil(str(target))
    with _connected(target) as connection:
        yield connection


@contextmanager
def _connected(target: str | Path) -> Iterator[Raw]:
    if is_server(target):
        with psycopg.connect(str(target), autocommit=True, cursor_factory=psycopg.RawCursor) as server:
            server.execute(f"SET search_path = {SCHEMA}")
            yield RawServer(server)
        return
    connection = apsw.Connection(str(target))
    try:
        connection.set_busy_timeout(10_000)
        yield connection
    finally:
        connection.close()


def everything(target: str | Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, to compare a database before and after."""
    with _connected(target) as connection:
        # A server gives them in any order.
        return {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr) for table in TABLES}


def unguard(connection: Raw) -> None:
    """Removes the triggers and the references, as somebody would who wants to rewrite history."""
    for table, name in triggers(connection):
        drop_trigger(connection, table, name)
    if isinstance(connection, RawServer):
        connection.execute("SET session_replication_role = replica")
    else:
        connection.execute("PRAGMA foreign_keys = OFF")


def sabotage(target: str, event: str) -> None:
    """The engine fails at exactly this point from now on."""
    with raw(target) as connection:
        connection.execute(f"CREATE TRIGGER sabotage BEFORE {event} BEGIN SELECT RAISE (ABORT, 'sabotage'); END")


def mend(target: str) -> None:
    with raw(target) as connection:
        for table, name in triggers(connection):
            if name == "sabotage":
                drop_trigger(connection, table, name)


def triggers(connection: Raw) -> list[tuple[str, str]]:
    """Table and name of every trigger."""
    rows: Rows
    if isinstance(connection, RawServer):
        rows = connection.execute(
            "SELECT t.tgrelid::regclass::text, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
            " WHERE c.relnamespace = ?::regnamespace AND NOT t.tgisinternal",
            (SCHEMA,),
        )
    else:
        rows = connection.execute("SELECT tbl_name, name FROM sqlite_schema WHERE type = 'trigger'")
    return [(str(table), str(name)) for table, name in rows]


def drop_trigger(connection: Raw, table: str, name: str) -> None:
    connection.execute(f"DROP TRIGGER {name}" + (f" ON {table}" if isinstance(connection, RawServer) else ""))


def bytes_on_disk(target: str | Path) -> bytes:
    """What the file and its write-ahead log hold right now; of a server, all that any statement can read."""
    if is_server(target):
        with _connected(target) as connection:
            names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = ?", (SCHEMA,)).fetchall()
            return b"\n".join(repr(row).encode() for (name,) in names for row in connection.execute(f"TABLE {name}"))
    files = [Path(target), Path(f"{target}-wal"), Path(f"{target}-journal")]
    return b"".join(file.read_bytes() for file in files if file.exists())
