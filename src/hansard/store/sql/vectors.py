"""Owns the SQL of vectors: one set for each model, and which model serves."""

from collections.abc import Sequence

from hansard.domain.units import ModelIdentity
from hansard.store.sql.connection import Connection
from hansard.store.sql.rows import next_stamp


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
        known = self.find(identity)
        if known is not None:
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

    def serve(self, model_id: int) -> None:
        """Makes searches use another model; every index reads all vectors again."""
        self._connection.execute("UPDATE heads SET model_id = ? WHERE project_id = ?", (model_id, self._project_id))
        self._connection.execute(
            "UPDATE units SET stamp = ? WHERE project_id = ?",
            (next_stamp(self._connection, self._project_id), self._project_id),
        )

    def missing(self, model_id: int, limit: int) -> list[tuple[int, int, str]]:
        """Units that the model has not embedded yet: memory, chunk, and the memory's text."""
        rows = self._connection.execute(
            "SELECT u.memory_seq, u.chunk, m.content FROM units u"
            f" JOIN memories m ON m.seq = u.memory_seq AND {self._connection.unindexed}m.project_id = u.project_id"
            " WHERE u.project_id = ?1 AND u.chunk >= 0 AND NOT EXISTS (SELECT 1 FROM vectors v"
            " WHERE v.project_id = ?1 AND v.model_id = ?2 AND v.memory_seq = u.memory_seq AND v.chunk = u.chunk)"
            " ORDER BY u.memory_seq, u.chunk LIMIT ?3",
            (self._project_id, model_id, limit),
        )
        return [(seq, chunk, content) for seq, chunk, content in rows]

    def fill(self, model_id: int, vectors: Sequence[tuple[int, int, bytes]]) -> None:
        """Fills in vectors of units that still stand as they were read."""
        stamp = next_stamp(self._connection, self._project_id)
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

    def of(self, model_id: int, memory_seqs: Sequence[int]) -> list[tuple[int, bytes]]:
        found: list[tuple[int, bytes]] = []
        for seq in memory_seqs:
            rows = self._connection.execute(
                "SELECT memory_seq, vector FROM vectors WHERE project_id = ? AND model_id = ? AND memory_seq = ?",
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
