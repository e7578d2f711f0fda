"""Owns plain keyword search as SQLite has it: what recall is measured against."""

from collections.abc import Callable, Sequence

import apsw


def keyword_search(texts: Sequence[str]) -> Callable[[Sequence[str], int], list[int]]:
    """A search of these texts: given words and how many to find, the places of the best, by BM25 of stems."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5 (content, tokenize = 'porter unicode61')")
    connection.executemany("INSERT INTO texts (content) VALUES (?)", [(one,) for one in texts])

    def found(words: Sequence[str], limit: int) -> list[int]:
        if not words:
            return []
        wanted = " OR ".join(f'"{word}"' for word in words)
        rows = connection.execute("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (wanted, limit))
        return [row[0] - 1 for row in rows]

    return found
