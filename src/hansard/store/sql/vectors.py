"""Owns the SQL of vectors: one set for each model, and which model serves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hansard.domain.units import ModelIdentity
from hansard.store.sql.rows import ONE_LOOK, next_stamp
from hansard.store.sql.units import memory_of_unit

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

_WHOLE = " AND length(v.vector) = (SELECT 2 * dimensions FROM models WHERE project_id = ?1 AND id = ?2)"
"""A vector of another length is damaged, and counts as missing."""
_FILL = """
INSERT INTO vectors (project_id, model_id, memory_seq, chunk, vector)
SELECT ?1, ?2, ?3, ?5, ?6 WHERE EXISTS (
    SELECT 1 FROM units u JOIN memories m ON m.seq = u.memory_seq AND m.version = ?4
    WHERE u.project_id = ?1 AND u.memory_seq = ?3 AND u.chunk = ?5 AND m.project_id = ?1)
ON CONFLICT (project_id, model_id, memory_seq, chunk) DO UPDATE SET vector = excluded.vector"""


class SqlVectors:
    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def find(self, identity: ModelIdentity) -> int | None:
        """The number of a model in this project, if anything was embedded with it or is about to be."""
        known = self._connection.execute(
            "SELECT id FROM models WHERE project_id = ? AND name = ? AND revision = ? AND dimensions = ?",
            (self._project_id, *identity),
        ).get
        return known if isinstance(known, int) else None

    def register(self, identity: ModelIdentity) -> int:
        """The number of a model in this project; the first one registered serves until another is asked to."""
        number = self.find(identity)
        if number is None:
            number = self._connection.execute(
                "INSERT INTO models (project_id, id, name, revision, dimensions)"
                " SELECT ?1, coalesce(max(id), 0) + 1, ?2, ?3, ?4 FROM models WHERE project_id = ?1 RETURNING id",
                (self._project_id, *identity),
            ).get
            assert isinstance(number, int)
        self._connection.execute(
            "UPDATE heads SET model_id = ?1 WHERE project_id = ?2 AND (model_id IS NULL OR NOT EXISTS"
            " (SELECT 1 FROM models m WHERE m.project_id = ?2 AND m.id = heads.model_id))",
            (number, self._project_id),
        )
        return number

    def serve(self, model_id: int) -> None:
        """Makes searches use another model; every index reads all vectors again."""
        self._connection.execute("UPDATE heads SET model_id = ? WHERE project_id = ?", (model_id, self._project_id))
        self._connection.execute(
            "UPDATE units SET stamp = ? WHERE project_id = ?",
            (next_stamp(self._connection, self._project_id), self._project_id),
        )

    def missing(self, model_id: int, limit: int) -> list[tuple[int, int, int, str]]:
        """Units that the model has no whole vector of: memory, its version, chunk, and the memory's text."""
        rows = self._connection.execute(
            "SELECT u.memory_seq, m.version, u.chunk, m.content FROM units u"
            f" JOIN {memory_of_unit(self._connection)}"
            " WHERE u.project_id = ?1 AND u.chunk >= 0 AND NOT EXISTS ("
            "SELECT 1 FROM vectors v WHERE v.project_id = ?1 AND v.model_id = ?2"
            f" AND v.memory_seq = u.memory_seq AND v.chunk = u.chunk{_WHOLE} {ONE_LOOK})"
            " ORDER BY u.memory_seq, u.chunk LIMIT ?3",
            (self._project_id, model_id, limit),
        )
        return [tuple(row) for row in rows]

    def following(self, after: tuple[int, int], limit: int) -> list[tuple[int, int, int, str]]:
        """The units after this one, whoever has embedded them, in the form of `missing`."""
        rows = self._connection.execute(
            "SELECT u.memory_seq, m.version, u.chunk, m.content FROM units u"
            f" JOIN {memory_of_unit(self._connection)}"
            " WHERE u.project_id = ?1 AND u.chunk >= 0 AND (u.memory_seq, u.chunk) > (?2, ?3)"
            " ORDER BY u.memory_seq, u.chunk LIMIT ?4",
            (self._project_id, *after, limit),
        )
        return [tuple(row) for row in rows]

    def fill(self, model_id: int, vectors: Sequence[tuple[int, int, int, bytes]]) -> None:
        """Fills in vectors of memories that still say what was read: same version, same unit."""
        stamp = next_stamp(self._connection, self._project_id)
        self._connection.executemany(_FILL, [(self._project_id, model_id, *one) for one in vectors])
        self._connection.executemany(
            "UPDATE units SET stamp = ? WHERE project_id = ? AND memory_seq = ?",
            [(stamp, self._project_id, seq) for seq in {seq for seq, *_ in vectors}],
        )

    def of(self, model_id: int, memory_seqs: Sequence[int]) -> list[tuple[int, bytes]]:
        found: list[tuple[int, bytes]] = []
        for seq in memory_seqs:
            rows = self._connection.execute(
                "SELECT v.memory_seq, v.vector FROM vectors v"
                f" WHERE v.project_id = ?1 AND v.model_id = ?2 AND v.memory_seq = ?3{_WHOLE}",
                (self._project_id, model_id, seq),
            )
            found += [(row[0], row[1]) for row in rows]
        return found

    def counts(self, model_id: int | None) -> tuple[int, int]:
        """How many units there are, and how many of them the model has embedded."""
        units = self._connection.execute(
            "SELECT count(*) FROM units WHERE project_id = ? AND chunk >= 0", (self._project_id,)
        ).get
        done = self._connection.execute(
            f"SELECT count(*) FROM vectors v WHERE v.project_id = ?1 AND v.model_id = ?2{_WHOLE}",
            (self._project_id, model_id),
        ).get
        assert isinstance(units, int)
        assert isinstance(done, int)
        return units, done

    def blank(self, model_id: int, dimensions: int) -> int:
        """How many vectors are all zeros: near nothing."""
        found = self._connection.execute(
            "SELECT count(*) FROM vectors v WHERE v.project_id = ? AND v.model_id = ? AND v.vector = ?",
            (self._project_id, model_id, bytes(2 * dimensions)),
        ).get
        assert isinstance(found, int)
        return found

    def drop_other_models(self, model_id: int) -> None:
        """Drops the vectors of every other model. The models stay known: a number once given is never another's."""
        self._connection.execute(
            "DELETE FROM vectors WHERE project_id = ? AND model_id <> ?", (self._project_id, model_id)
        )
