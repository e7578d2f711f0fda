"""Owns whole tables as rows, for copying a project from one store to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hansard.domain.errors import UnreadableRow
from hansard.store.sql.rows import Row

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

TABLES: dict[str, str] = {
    "projects": "id",
    "project_roots": "project_id",
    "actors": "project_id",
    "runs": "project_id",
    "decisions": "project_id",
    "inbox": "project_id",
    "memories": "project_id",
    "memory_tags": "project_id",
    "sessions": "project_id",
    "revisions": "project_id",
    "events": "project_id",
    "models": "project_id",
    "units": "project_id",
    "vectors": "project_id",
    "retrievals": "project_id",
    "ratings": "project_id",
    "jobs": "project_id",
    "receipts": "project_id",
    "allowances": "project_id",
    "write_counts": "project_id",
    "tokens": "project_id",
    "heads": "project_id",
}
"""Every table and its column of the project, in an order in which rows may be inserted."""
_COLUMNS = {**TABLES, "idempotency_keys": "project_id"}
"""The same, with what is no part of the record: which requests were answered. No backup has it."""
_ORDER = {
    "memories": "seq", "events": "seq", "units": "memory_seq, chunk", "vectors": "model_id, memory_seq, chunk",
}  # fmt: skip


class SqlTables:
    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def names(self) -> tuple[str, ...]:
        """Every table that holds something of a project, in an order in which rows may be inserted."""
        return tuple(TABLES)

    def columns(self, table: str) -> tuple[str, ...]:
        return self._connection.columns(table)

    def count(self, table: str) -> int:
        found = self._connection.execute(
            f"SELECT count(*) FROM {table} WHERE {_COLUMNS[table]} = ?", (self._project_id,)
        )
        return int(found.get)

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[Row]:
        """The project's rows; those of an index in the order of their numbers."""
        order = f" ORDER BY {_ORDER[table]}" if table in _ORDER else ""
        return self._connection.stream(
            f"SELECT {', '.join(columns)} FROM {table} WHERE {_COLUMNS[table]} = ?{order}", (self._project_id,)
        )

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Raises UnreadableRow at a row that the table does not take."""
        self._write(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", table, rows)

    def _write(self, sql: str, table: str, rows: Iterable[Row]) -> None:
        try:
            self._connection.executemany(sql, rows)
        except self._connection.refusals as error:
            raise UnreadableRow(f"A row of {table} cannot be stored ({type(error).__name__}).") from error

    def update(self, table: str, keys: Sequence[str], columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Changes the rows with these keys. A row has the values of the columns, and then those of its keys."""
        told = ", ".join(f"{column} = ?" for column in columns)
        test = " AND ".join(f"{column} = ?" for column in (*keys, _COLUMNS[table]))
        self._write(f"UPDATE {table} SET {told} WHERE {test}", table, ((*row, self._project_id) for row in rows))

    def clear(self, table: str) -> None:
        """Deletes the project's rows, of a table whose rows come and go."""
        self._connection.execute(f"DELETE FROM {table} WHERE {_COLUMNS[table]} = ?", (self._project_id,))

    def last_number(self) -> int:
        """The highest number that a memory may not have, because another project's memory has it or may have it."""
        return self._connection.taken_numbers(self._project_id)

    def defer_checks(self) -> None:
        """Has rows checked against each other when the transaction ends, and not one by one."""
        self._connection.execute(self._connection.defer_checks)
