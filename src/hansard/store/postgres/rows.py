"""Owns what a statement is to the server: its values by their numbers, and the rows that it answers with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import psycopg

_MARK = re.compile(r"\?(\d*)")


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
