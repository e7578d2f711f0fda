"""Owns the SQL of units and vectors, and of the stamp that tells an index what has changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hansard.domain.errors import StoreCorrupt
from hansard.domain.limits import DIMENSIONS_MAX
from hansard.domain.ranking import Standing
from hansard.domain.units import (
    FORMAT_SHIFT,
    GONE_CHUNK,
    TERMS_SHIFT,
    UNIT_FORMAT,
    IndexRow,
    Mark,
    ModelIdentity,
    PackedUnit,
)
from hansard.domain.vocabulary import Source
from hansard.store.sql.rows import ONE_LOOK, lost_head, next_stamp

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

_CHANGES = """
SELECT u.memory_seq, u.chunk, u.flags, u.terms, u.dates, v.vector, m.agent_key, m.scope = 'team', m.source,
       m.expires_at, m.source_ref, m.position, coalesce(m.occurred_at, m.created_at)
FROM units u
JOIN {memory}
LEFT JOIN {vector}
WHERE u.project_id = ?1 AND u.stamp > ?3
ORDER BY u.memory_seq, u.chunk"""
_VECTOR = """
v.project_id = u.project_id AND v.model_id = ?2 AND v.memory_seq = u.memory_seq AND v.chunk = u.chunk
    AND length(v.vector) = (SELECT 2 * dimensions FROM models WHERE project_id = ?1 AND id = ?2)"""
# By stamp: otherwise SQLite walks all units to have them in order.
_RECENT_CHANGES = _CHANGES.replace("ORDER BY u.memory_seq", "ORDER BY {unindexed}u.memory_seq")

_INSERT_UNIT = """
INSERT INTO units (project_id, memory_seq, chunk, stamp, flags, terms, dates) VALUES (?, ?, ?, ?, ?, ?, ?)"""


def _served_by(model: Sequence[Any]) -> tuple[int, ModelIdentity] | None:
    number, name, revision, dimensions = model
    if number is None:
        return None
    if not 1 <= dimensions <= DIMENSIONS_MAX:
        raise StoreCorrupt("The project's model of vectors is damaged. Restore a backup.")
    return number, ModelIdentity(name, revision, dimensions)


def memory_of_unit(connection: Connection) -> str:
    """What JOIN says to find the memory `m` that a unit `u` is a piece of."""
    # By number: otherwise SQLite walks all memories of the project.
    test = f"m.seq = u.memory_seq AND {connection.unindexed}m.project_id = u.project_id"
    return connection.row_of("memories", "m", test)


class SqlUnits:
    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def put(
        self, seqs: Sequence[int], packed: Sequence[Sequence[PackedUnit]], serving: tuple[int, ModelIdentity] | None
    ) -> None:
        """Stores the units of memories that have none, with those vectors that are of the serving model."""
        model_id, model = serving or (None, None)
        stamp = next_stamp(self._connection, self._project_id)
        project = self._project_id
        units, vectors = [], []
        for seq, several in zip(seqs, packed, strict=True):
            for chunk, unit in enumerate(several):
                units.append((project, seq, chunk, stamp, unit.flags, unit.terms, unit.dates))
                if unit.vector is not None and unit.model == model:
                    vectors.append((project, model_id, seq, chunk, unit.vector))
        self._connection.executemany(_INSERT_UNIT, units)
        self._connection.executemany(
            "INSERT INTO vectors (project_id, model_id, memory_seq, chunk, vector) VALUES (?, ?, ?, ?, ?)", vectors
        )

    def postpone(self, first_seq: int) -> None:
        """Notes that memories from this number on have no units yet; the next search makes them."""
        self._connection.execute(
            "UPDATE heads SET unindexed_from = ?1"
            " WHERE project_id = ?2 AND (unindexed_from IS NULL OR unindexed_from > ?1)",
            (first_seq, self._project_id),
        )

    def postponed(self, limit: int) -> list[tuple[int, str]]:
        """Number and text of memories without units, oldest first; nothing once all are made."""
        start = self._connection.execute(
            "SELECT unindexed_from FROM heads WHERE project_id = ?", (self._project_id,)
        ).get
        if start is None:
            return []
        rows = self._connection.execute(
            "SELECT m.seq, m.content FROM memories m WHERE m.seq >= ?2 AND m.project_id = ?1 AND m.forgotten_at IS NULL"
            " AND NOT EXISTS (SELECT 1 FROM units u WHERE u.project_id = ?1 AND u.memory_seq = m.seq"
            f" {ONE_LOOK})"
            " ORDER BY m.seq LIMIT ?3",
            (self._project_id, start, limit),
        )
        return [(seq, content) for seq, content in rows]

    def all_made(self) -> None:
        self._connection.execute("UPDATE heads SET unindexed_from = NULL WHERE project_id = ?", (self._project_id,))

    def texts(self, after_seq: int, limit: int) -> list[tuple[int, str]]:
        """Number and text of the memories that can be found, from the one after this number on."""
        rows = self._connection.execute(
            "SELECT m.seq, m.content FROM memories m WHERE m.seq > ?2 AND m.project_id = ?1 AND m.forgotten_at IS NULL"
            " AND m.quarantined_at IS NULL ORDER BY m.seq LIMIT ?3",
            (self._project_id, after_seq, limit),
        )
        return [(seq, content) for seq, content in rows]

    def damaged(self) -> int:
        """How many units are of an older format, or have not as many terms as they say."""
        return self._counted(
            "SELECT count(*) FROM units u WHERE u.project_id = ?1 AND u.chunk >= 0"
            f" AND (length(u.terms) <> 2 * (u.flags >> {TERMS_SHIFT})"
            f" OR (u.flags >> {FORMAT_SHIFT}) % {1 << TERMS_SHIFT - FORMAT_SHIFT} <> {UNIT_FORMAT})"
        )

    def lost(self) -> int:
        """How many memories have no unit, and are not waiting for the next search to make it."""
        return self._counted(
            "SELECT count(*) FROM memories m WHERE m.project_id = ?1 AND m.forgotten_at IS NULL AND NOT EXISTS"
            f" (SELECT 1 FROM units u WHERE u.project_id = ?1 AND u.memory_seq = m.seq {ONE_LOOK})"
            " AND NOT EXISTS (SELECT 1 FROM heads h WHERE h.project_id = ?1 AND h.unindexed_from <= m.seq)"
        )

    def _counted(self, sql: str) -> int:
        found = self._connection.execute(sql, (self._project_id,)).get
        assert isinstance(found, int)
        return found

    def drop(self, memory_seq: int) -> None:
        """Takes a memory's words and vectors out of every index; the row that stays says only that."""
        self._delete(memory_seq)
        stamp = next_stamp(self._connection, self._project_id)
        self._connection.execute(_INSERT_UNIT, (self._project_id, memory_seq, GONE_CHUNK, stamp, 0, b"", b""))

    def replace(self, memory_seq: int, packed: Sequence[PackedUnit], serving: tuple[int, ModelIdentity] | None) -> None:
        self._delete(memory_seq)
        self.put([memory_seq], [packed], serving)

    def renew(self, memory_seq: int, packed: Sequence[PackedUnit], serving: tuple[int, ModelIdentity] | None) -> None:
        """Stores the units of the same text anew. Vectors stay, but for those that come with the units."""
        mine = (self._project_id, memory_seq)
        self._connection.execute("DELETE FROM units WHERE project_id = ? AND memory_seq = ?", mine)
        if serving is not None and any(unit.vector is not None and unit.model == serving[1] for unit in packed):
            self._connection.execute(
                "DELETE FROM vectors WHERE project_id = ? AND memory_seq = ? AND model_id = ?", (*mine, serving[0])
            )
        self.put([memory_seq], [packed], serving)

    def touch(self, memory_seq: int) -> None:
        """Has every index read the memory again: its scope or its time to live changed."""
        self._connection.execute(
            "UPDATE units SET stamp = ? WHERE project_id = ? AND memory_seq = ?",
            (next_stamp(self._connection, self._project_id), self._project_id, memory_seq),
        )

    def mark(self) -> Mark:
        row = self._connection.execute(
            "SELECT h.stamp, h.seq, h.hash, h.unindexed_from IS NOT NULL, m.id, m.name, m.revision, m.dimensions"
            " FROM heads h LEFT JOIN models m ON m.project_id = h.project_id AND m.id = h.model_id"
            " WHERE h.project_id = ?",
            (self._project_id,),
        ).fetchone()
        if row is None or not isinstance(row[0], int):
            raise lost_head()
        stamp, seq, hash, is_behind, *model = row
        if stamp < 0:
            raise StoreCorrupt("The project's index has lost its place; the database is damaged. Restore a backup.")
        return Mark(stamp, seq, hash, bool(is_behind), _served_by(model))

    def changes(self, since: int, model_id: int | None) -> Iterator[IndexRow]:
        """Row by row: all units of a large project at once take more memory than their index."""
        unindexed = self._connection.unindexed
        sql = (_RECENT_CHANGES if since else _CHANGES).format(
            unindexed=unindexed,
            memory=memory_of_unit(self._connection),
            vector=self._connection.row_of("vectors", "v", _VECTOR),
        )
        return map(IndexRow._make, self._connection.stream(sql, (self._project_id, model_id, since)))

    def standings(self, seqs: Sequence[int], *, now: int) -> dict[int, Standing]:
        """What ranks the live memories with these numbers, as of now, without their text."""
        source, test, bound = self._connection.numbered_memories(seqs)
        rows = self._connection.execute(
            "SELECT m.seq, m.source, m.created_at, m.access_count, m.accessed_at, m.alpha, m.beta, m.id"
            f" FROM {source} WHERE {test} AND m.forgotten_at IS NULL AND m.quarantined_at IS NULL",
            (bound, self._project_id),
        )
        return {
            seq: Standing(
                Source(kind), now - created_at, accesses, now - (created_at if accessed_at is None else accessed_at),
                alpha, beta, memory_id,
            )
            for seq, kind, created_at, accesses, accessed_at, alpha, beta, memory_id in rows
        }  # fmt: skip

    def serving(self) -> tuple[int, ModelIdentity] | None:
        """The model whose vectors searches compare."""
        row = self._connection.execute(
            "SELECT m.id, m.name, m.revision, m.dimensions FROM heads h"
            " JOIN models m ON m.project_id = h.project_id AND m.id = h.model_id WHERE h.project_id = ?",
            (self._project_id,),
        ).fetchone()
        return _served_by(row) if row else None

    def _delete(self, memory_seq: int) -> None:
        mine = (self._project_id, memory_seq)
        self._connection.execute("DELETE FROM units WHERE project_id = ? AND memory_seq = ?", mine)
        self._connection.execute(
            "DELETE FROM vectors WHERE project_id = ?1 AND memory_seq = ?2"
            " AND model_id IN (SELECT id FROM models WHERE project_id = ?1)",
            mine,
        )
