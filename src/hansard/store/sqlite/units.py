"""Owns the SQL of units and vectors, and of the stamp that tells an index what has changed."""

from collections.abc import Sequence

import apsw

from hansard.domain.units import GONE_CHUNK, IndexRow, ModelIdentity, PackedUnit

_CHANGES = """
SELECT u.memory_seq, u.chunk, u.flags, u.terms, u.dates, v.vector, m.agent_key, m.scope = 'team', m.source,
       m.expires_at, m.source_ref, m.position, coalesce(m.occurred_at, m.created_at)
FROM units u
JOIN memories m ON m.seq = u.memory_seq
LEFT JOIN vectors v ON v.project_id = u.project_id AND v.model_id = ?2 AND v.memory_seq = u.memory_seq
    AND v.chunk = u.chunk
WHERE u.project_id = ?1 AND u.stamp > ?3
ORDER BY u.memory_seq, u.chunk"""

_INSERT_UNIT = """
INSERT INTO units (project_id, memory_seq, chunk, stamp, flags, terms, dates) VALUES (?, ?, ?, ?, ?, ?, ?)"""


class SqliteUnits:
    def __init__(self, connection: apsw.Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def put(self, first_seq: int, packed: Sequence[Sequence[PackedUnit]], model_id: int | None) -> None:
        """Stores the units of consecutive memories, replacing what they had."""
        stamp = self._next_stamp()
        project = self._project_id
        units, vectors = [], []
        for seq, several in enumerate(packed, first_seq):
            for chunk, unit in enumerate(several):
                units.append((project, seq, chunk, stamp, unit.flags, unit.terms, unit.dates))
                if unit.vector is not None and model_id is not None:
                    vectors.append((project, model_id, seq, chunk, unit.vector))
        self._connection.executemany(_INSERT_UNIT, units)
        self._connection.executemany(
            "INSERT INTO vectors (project_id, model_id, memory_seq, chunk, vector) VALUES (?, ?, ?, ?, ?)", vectors
        )

    def drop(self, memory_seq: int) -> None:
        """Takes a memory's words and vectors out of every index; the row that stays says only that."""
        self._delete(memory_seq)
        self._connection.execute(
            _INSERT_UNIT, (self._project_id, memory_seq, GONE_CHUNK, self._next_stamp(), 0, b"", b"")
        )

    def replace(self, memory_seq: int, packed: Sequence[PackedUnit], model_id: int | None) -> None:
        self._delete(memory_seq)
        self.put(memory_seq, [packed], model_id)

    def touch(self, memory_seq: int) -> None:
        """Has every index read the memory again: its scope or its time to live changed."""
        self._connection.execute(
            "UPDATE units SET stamp = ? WHERE project_id = ? AND memory_seq = ?",
            (self._next_stamp(), self._project_id, memory_seq),
        )

    def stamp(self) -> int:
        stamp = self._connection.execute("SELECT stamp FROM heads WHERE project_id = ?", (self._project_id,)).get
        return stamp if isinstance(stamp, int) else 0

    def changes(self, since: int, model_id: int | None) -> list[IndexRow]:
        rows = self._connection.execute(_CHANGES, (self._project_id, model_id, since)).fetchall()
        return list(map(IndexRow._make, rows))

    def register(self, identity: ModelIdentity) -> int:
        """The number of a model in this project; the first one registered serves until another is asked to."""
        known = self._connection.execute(
            "SELECT id FROM models WHERE project_id = ? AND name = ? AND revision = ? AND dimensions = ?",
            (self._project_id, *identity),
        ).get
        if isinstance(known, int):
            return known
        made = self._connection.execute(
            "INSERT INTO models (project_id, id, name, revision, dimensions)"
            " SELECT ?1, coalesce(max(id), 0) + 1, ?2, ?3, ?4 FROM models WHERE project_id = ?1 RETURNING id",
            (self._project_id, *identity),
        ).get
        assert isinstance(made, int)
        self._connection.execute(
            "UPDATE heads SET model_id = ? WHERE project_id = ? AND model_id IS NULL", (made, self._project_id)
        )
        return made

    def serving(self) -> tuple[int, ModelIdentity] | None:
        """The model whose vectors searches compare."""
        row = self._connection.execute(
            "SELECT m.id, m.name, m.revision, m.dimensions FROM heads h"
            " JOIN models m ON m.project_id = h.project_id AND m.id = h.model_id WHERE h.project_id = ?",
            (self._project_id,),
        ).fetchone()
        return (row[0], ModelIdentity(*row[1:])) if row else None

    def serve(self, model_id: int) -> None:
        """Makes searches use another model; every index reads all vectors again."""
        self._connection.execute("UPDATE heads SET model_id = ? WHERE project_id = ?", (model_id, self._project_id))
        self._connection.execute(
            "UPDATE units SET stamp = ? WHERE project_id = ?", (self._next_stamp(), self._project_id)
        )

    def without_vectors(self, model_id: int, limit: int) -> list[tuple[int, int, str]]:
        """Units that the model has not embedded yet: memory, chunk, and the memory's text."""
        rows = self._connection.execute(
            "SELECT u.memory_seq, u.chunk, m.content FROM units u JOIN memories m ON m.seq = u.memory_seq"
            " WHERE u.project_id = ?1 AND u.chunk >= 0 AND NOT EXISTS (SELECT 1 FROM vectors v"
            " WHERE v.project_id = ?1 AND v.model_id = ?2 AND v.memory_seq = u.memory_seq AND v.chunk = u.chunk)"
            " ORDER BY u.memory_seq, u.chunk LIMIT ?3",
            (self._project_id, model_id, limit),
        )
        return [(seq, chunk, content) for seq, chunk, content in rows]

    def put_vectors(self, model_id: int, vectors: Sequence[tuple[int, int, bytes]]) -> None:
        """Fills in vectors of units that still stand as they were read."""
        stamp = self._next_stamp()
        for seq, chunk, vector in vectors:
            self._connection.execute(
                "INSERT INTO vectors (project_id, model_id, memory_seq, chunk, vector)"
                " SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS"
                " (SELECT 1 FROM units WHERE project_id = ?1 AND memory_seq = ?3 AND chunk = ?4)"
                " ON CONFLICT DO NOTHING",
                (self._project_id, model_id, seq, chunk, vector),
            )
        self._connection.executemany(
            "UPDATE units SET stamp = ? WHERE project_id = ? AND memory_seq = ?",
            [(stamp, self._project_id, seq) for seq in {seq for seq, _, _ in vectors}],
        )

    def vectors_of(self, model_id: int, memory_seqs: Sequence[int]) -> list[tuple[int, bytes]]:
        found: list[tuple[int, bytes]] = []
        for seq in memory_seqs:
            rows = self._connection.execute(
                "SELECT memory_seq, vector FROM vectors WHERE project_id = ? AND model_id = ? AND memory_seq = ?",
                (self._project_id, model_id, seq),
            )
            found += [(row[0], row[1]) for row in rows]
        return found

    def counts(self, model_id: int) -> tuple[int, int]:
        """How many units there are, and how many of them the model has embedded."""
        units = self._connection.execute(
            "SELECT count(*) FROM units WHERE project_id = ? AND chunk >= 0", (self._project_id,)
        ).get
        done = self._connection.execute(
            "SELECT count(*) FROM vectors WHERE project_id = ? AND model_id = ?", (self._project_id, model_id)
        ).get
        assert isinstance(units, int)
        assert isinstance(done, int)
        return units, done

    def drop_other_models(self, model_id: int) -> None:
        self._connection.execute(
            "DELETE FROM vectors WHERE project_id = ? AND model_id <> ?", (self._project_id, model_id)
        )
        self._connection.execute("DELETE FROM models WHERE project_id = ? AND id <> ?", (self._project_id, model_id))

    def _delete(self, memory_seq: int) -> None:
        for table in ("units", "vectors"):
            self._connection.execute(
                f"DELETE FROM {table} WHERE project_id = ? AND memory_seq = ?", (self._project_id, memory_seq)
            )

    def _next_stamp(self) -> int:
        stamp = self._connection.execute(
            "UPDATE heads SET stamp = stamp + 1 WHERE project_id = ? RETURNING stamp", (self._project_id,)
        ).get
        assert isinstance(stamp, int)
        return stamp
