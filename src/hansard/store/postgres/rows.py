"""Owns what a statement is to the server: its values by their numbers, and the rows that it answers with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Any

import psycopg

_MARK = re.compile(r"\?(\d*)")
_ROW = re.compile(r"\bVALUES (\((?:\?, )*\?\))\Z")
VALUES_MAX = 3_000
"""In one statement. The server takes 65,535; with more than this nothing is won."""


@lru_cache(maxsize=1024)
def numbered(sql: str) -> str:
    """The statement with its values numbered as the server wants them: `?` is the next one, `?2` the second."""
    highest = 0

    def number(mark: re.Match[str]) -> str:
        nonlocal highest
        place = int(mark.group(1)) if mark.group(1) else highest + 1
        highest = max(highest, place)
        return f"${place}"

    return _MARK.sub(number, sql)


def execute_all(cursor: psycopg.Cursor[Any], sql: str, rows: Iterable[Sequence[Any]]) -> None:
    """Runs the statement for each row. Inserts go many to a statement: as many statements take the server longer."""
    wide, count = _widened(sql)
    left, block = iter(rows), []
    if count > 1:
        with cursor.connection.pipeline():
            while len(block := list(islice(left, count))) == count:
                # Not prepared: a number beside none makes another statement, and the server would keep a hundred.
                cursor.execute(numbered(wide), list(chain.from_iterable(block)), prepare=False)
    cursor.executemany(numbered(sql), block or left)


@lru_cache(maxsize=64)
def _widened(sql: str) -> tuple[str, int]:
    """An insert of one row as one of as many as a statement may have, and how many these are; 1 if it is no insert."""
    row = _ROW.search(sql)
    count = VALUES_MAX // row[1].count("?") if row is not None else 1
    if row is None or count < 2:
        return sql, 1
    return sql[: row.start(1)] + ", ".join([row[1]] * count), count


class PostgresRows:
    """The rows of a statement that was run."""

    __slots__ = ("_cursor",)

    def __init__(self, cursor: psycopg.Cursor[tuple[Any, ...]]) -> None:
        self._cursor = cursor

    @property
    def get(self) -> Any:
        row = self._cursor.fetchone()
        return None if row is None else row[0]

    def fetchone(self) -> Any:
        return self._cursor.fetchone()

    def fetchall(self) -> list[Any]:
        return self._cursor.fetchall()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cursor)
