"""Owns the SQL of what the guard keeps beside the record: allowances, and how much agents write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.guard import Allowance
from hansard.domain.memories import LESSON_NAME
from hansard.store.sql.rows import ONE_LOOK, Row, decoding

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
    writes = CASE WHEN write_counts.minute - excluded.minute IN (0, 1) THEN write_counts.writes + 1 ELSE 1 END,
    minute = CASE WHEN write_counts.minute - excluded.minute = 1 THEN write_counts.minute ELSE excluded.minute END
RETURNING writes"""
"""Two processes may be a moment apart: one that is still in the minute before counts in the new one."""
_MADE = f"""EXISTS (
    SELECT 1 FROM events e
    WHERE {{unindexed}}e.project_id = ?1 AND e.subject_id = {{id}} AND e.action = '{{action}}' AND e.actor_key {{by}} ?2
    {ONE_LOOK})"""
_LESSON = (
    f"m.source = 'manual' AND m.decision_id IS NULL AND substr(coalesce(m.name, ''), 1, {len(LESSON_NAME)}) ="
    f" '{LESSON_NAME}'"
)
# A lesson counts for who gave it: a lead must not use up what its agents may write, nor write without a limit.
_MEMORIES = f"""
SELECT count(*) FROM memories m
WHERE m.project_id = ?1 AND m.forgotten_at IS NULL AND CASE WHEN m.agent_key = ?2
    THEN NOT ({_LESSON} AND {{by_others}}) ELSE {_LESSON} AND {{by_it}} END"""
# What came by a file counts for who brought it, whatever it says of its author or its origin.
_PENDING = """
SELECT count(*) FROM inbox i
WHERE i.project_id = ?1 AND i.status = 'pending'
    AND CASE WHEN i.origin = 'imported_file' THEN {by_it} ELSE i.author_key = ?2 END"""


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
        """How many memories the agent has, with lessons that it gave and without those it got. All are looked at."""
        by_others, by_it = (self._made("m.id", "memory.recorded", by) for by in ("<>", "="))
        asked = _MEMORIES.format(by_others=by_others, by_it=by_it)
        return int(self._connection.execute(asked, (self._project_id, agent_key)).get)

    def count_pending(self, author_key: str) -> int:
        """How many proposals of the author wait for review. All that do so are looked at."""
        asked = _PENDING.format(by_it=self._made("i.id", "entry.proposed", "="))
        return int(self._connection.execute(asked, (self._project_id, author_key)).get)

    def held_since(self, at: int) -> dict[str, int]:
        """The memories and proposals that came into quarantine then or later and are there now, and when they did."""
        return {
            id: since
            for table in ("memories", "inbox")
            for id, since in self._connection.execute(
                f"SELECT id, quarantined_at FROM {table}"
                " WHERE project_id = ? AND quarantined_at IS NOT NULL AND quarantined_at >= ?",
                (self._project_id, at),
            )
        }

    def _made(self, column: str, action: str, by: str) -> str:
        return _MADE.format(unindexed=self._connection.unindexed, id=column, action=action, by=by)

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
