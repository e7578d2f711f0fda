"""Owns how lists and filters look in a row: JSON arrays, paging clauses, escaped search text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from hansard.domain.errors import Invalid, StoreCorrupt, UnreadableRow, quoted
from hansard.domain.identifiers import is_uuid
from hansard.domain.paging import Page, Window

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

Value: TypeAlias = str | int | bytes | None
Row: TypeAlias = tuple[Any, ...]
Item = TypeVar("Item")

EMPTY_LIST = "[]"
ONE_LOOK = "LIMIT 1 OFFSET 0"
"""Ends what EXISTS asks, so that PostgreSQL looks by key for each row; else see `Connection.row_of`."""
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def packed(values: Sequence[str]) -> str:
    return _encode(list(values)) if values else EMPTY_LIST


def unpacked(value: str) -> tuple[str, ...]:
    return () if value == EMPTY_LIST else tuple(json.loads(value))


class Where:
    """Collects the conditions of a query and the values bound to them."""

    def __init__(self, condition: str, *values: Value) -> None:
        self._conditions = [condition]
        self.values: list[Value] = list(values)

    def add(self, condition: str, *values: Value) -> None:
        self._conditions.append(condition)
        self.values.extend(values)

    def equals(self, column: str, value: Value) -> None:
        if isinstance(value, StrEnum):
            # A word of ours is spelled out: an index of such rows alone is used for no value that comes later.
            self.add(f"{column} = '{value}'")
        elif value is not None:
            self.add(f"{column} = ?", value)

    def any_of(self, column: str, values: Iterable[str]) -> None:
        wanted = sorted(values)
        if wanted:
            self.add(f"{column} IN ({', '.join('?' * len(wanted))})", *wanted)

    def mentions(self, columns: Sequence[str], text: str | None) -> None:
        if text:
            pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
            # Both sides by the engine: no two agree on the case of every letter.
            tests = " OR ".join(f"fold({column}) LIKE fold(?) ESCAPE '\\'" for column in columns)
            self.add(f"({tests})", *[pattern] * len(columns))

    def held(self, table: str, after: tuple[int, str] | None) -> str:
        """Narrows the query to what waits since after a moment; returns the order of the rows."""
        if after is None:
            return f"{table}.id DESC"
        at, id = after
        self.add(f"({table}.quarantined_at > ? OR ({table}.quarantined_at = ? AND {table}.id > ?))", at, at, id)
        return f"{table}.quarantined_at, {table}.id"

    def __str__(self) -> str:
        return " AND ".join(self._conditions)


def decoding(make: Callable[[Row], Item]) -> Callable[[Row], Item]:
    """Has a row that cannot be read say so as a damaged database, whatever the reason."""

    @wraps(make)
    def decoded(row: Row) -> Item:
        try:
            return make(row)
        except (ValueError, TypeError, RecursionError, KeyError) as error:
            raise UnreadableRow(f"A record cannot be read ({type(error).__name__}); restore a backup.") from error

    return decoded


def page(
    rows: Iterable[Row], window: Window, make: Callable[[Row], Item], cursor_of: Callable[[Item], str]
) -> Page[Item]:
    """The page made of rows that were fetched one past the window's limit."""
    items = tuple(make(row) for row in rows)
    if len(items) <= window.limit:
        return Page(items)
    items = items[: window.limit]
    return Page(items, cursor_of(items[-1]))


def never_given(cursor: str) -> Invalid:
    return Invalid(f"cursor {quoted(cursor, 40)} was not given out by a list call.")


def id_cursor(cursor: str) -> str:
    if not is_uuid(cursor):
        raise never_given(cursor)
    return cursor


def text_cursor(cursor: str) -> str:
    """A cursor that may be any text of a record. What no record holds one engine would not even look for."""
    if _NO_TEXT.search(cursor):
        raise never_given(cursor)
    return cursor


def number_cursor(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 18):
        raise never_given(cursor)
    return int(cursor)


def next_stamp(connection: Connection, project_id: str) -> int:
    """The number of a change of the project's index; whoever has seen a smaller one reads again."""
    stamp = connection.execute(
        "UPDATE heads SET stamp = stamp + 1 WHERE project_id = ? RETURNING stamp", (project_id,)
    ).get
    if not isinstance(stamp, int):
        raise lost_head()
    return stamp


def lost_head() -> StoreCorrupt:
    """What to raise when a project has no row in `heads`; it got one when it was founded."""
    return StoreCorrupt("The project has lost the end of its history; the database is damaged. Restore a backup.")
