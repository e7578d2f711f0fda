"""Owns the SQL of what the guard keeps beside the record: allowances, and how much agents write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.guard import Allowance
from hansard.store.sql.rows import Row, decoding

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

_SELECT = """
SELECT g.id, g.kind, g.salt, g.digest, g.reason, a.name, g.at
FROM allowances g
JOIN actors a ON a.project_id = g.project_id AND a.key = g.allowed_by_key
WHERE g.project_id = ? ORDER BY g.id"""
_COUNT = """
INSERT INTO write_counts (project_id, agent_key, minute, writes) VALUES (?, ?, ?, 1)
ON CONFLICT (project_id, agent_key) DO UPDATE SET
    writes = CASE WHEN write_counts.minute = excluded.minute THEN write_counts.writes + 1 ELSE 1 END,
    minute = excluded.minute
RETURNING writes"""
_MEMORIES = "SELECT count(*) FROM memories WHERE project_id = ? AND agent_key = ? AND forgotten_at IS NULL"
_PENDING = """
SELECT count(*) FROM inbox
WHERE project_id = ? AND status = 'pending' AND author_key = ? AND coalesce(origin, '') <> 'imported_file'"""


LOOSE = {"ratings": "note", "retrievals": "task", "receipts": "body", "jobs": "error"}
"""The tables beside the record that hold text, and its column."""


class SqlGuard:
    def __init__(self, connection: Connection, project_id: str, now: int) -> None:
        self._connection = connection
        self._project_id = project_id
        self._now = now

    def allow(self, allowance: Allowance) -> None:
        self._connection.execute(
            "INSERT INTO allowances (project_id, id, kind, salt, digest, reason, allowed_by_key, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._project_id, allowance.id, allowance.kind, allowance.salt, allowance.digest, allowance.reason,
                key_of(allowance.allowed_by), self._now,
            ),
        )  # fmt: skip

    def allowances(self) -> tuple[Allowance, ...]:
        """Every allowance, oldest first."""
        return tuple(map(_allowance, self._connection.execute(_SELECT, (self._project_id,))))

    def disallow(self, allowance_id: str) -> None:
        self._connection.execute(
            "DELETE FROM allowances WHERE project_id = ? AND id = ?", (self._project_id, allowance_id)
        )

    def count_write(self, agent_key: str, minute: int) -> int:
        """Counts one more write of the agent in this minute, and says which one it is."""
        return int(self._connection.execute(_COUNT, (self._project_id, agent_key, minute)).get)

    def count_memories(self, agent_key: str) -> int:
        """How many memories the agent has. All of the project's are looked at."""
        return int(self._connection.execute(_MEMORIES, (self._project_id, agent_key)).get)

    def count_pending(self, author_key: str) -> int:
        """How many proposals of the author wait for review. All that do so are looked at."""
        return int(self._connection.execute(_PENDING, (self._project_id, author_key)).get)

    def loose_texts(self, table: str) -> Iterator[str]:
        """Every text of a table beside the record, each once."""
        column = LOOSE[table]
        rows = self._connection.stream(
            f"SELECT DISTINCT {column} FROM {table} WHERE project_id = ? AND {column} IS NOT NULL", (self._project_id,)
        )
        return (str(row[0]) for row in rows)

    def reword(self, table: str, before: str, after: str) -> None:
        """Puts one text of such a table in the place of another, wherever it stands."""
        column = LOOSE[table]
        self._connection.execute(
            f"UPDATE {table} SET {column} = ? WHERE project_id = ? AND {column} = ?", (after, self._project_id, before)
        )


@decoding
def _allowance(row: Row) -> Allowance:
    id, kind, salt, digest, reason, allowed_by, at = row
    return Allowance(id, kind, bytes(salt), bytes(digest), reason, allowed_by, at)
