"""Owns the SQL of what was surfaced and how it was rated."""

from collections.abc import Sequence

from hansard.domain.usage import Rating, Retrieval, SourceUsage, UsageSummary
from hansard.store.sql.connection import Connection

TOP_MEMORIES = 10
_BY_SOURCE = """
SELECT m.source, count(*), count(DISTINCT r.memory_id), count(*) FILTER (WHERE r.kind = 'search' AND r.shown = 1),
       count(*) FILTER (WHERE r.kind = 'get')
FROM retrievals r JOIN memories m ON m.project_id = r.project_id AND m.id = r.memory_id
WHERE r.project_id = ?1 AND r.at >= ?2 AND (?3 IS NULL OR m.agent_key = ?3 OR m.scope = 'team') GROUP BY m.source"""
_RATED = """
SELECT m.source, count(*) FILTER (WHERE t.signal > 0), count(*) FILTER (WHERE t.signal < 0)
FROM ratings t JOIN memories m ON m.project_id = t.project_id AND m.id = t.memory_id
WHERE t.project_id = ?1 AND t.at >= ?2 AND (?3 IS NULL OR m.agent_key = ?3 OR m.scope = 'team') GROUP BY m.source"""


class SqlUsage:
    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def log(self, retrievals: Sequence[Retrieval]) -> None:
        self._connection.executemany(
            "INSERT INTO retrievals (project_id, id, rank, memory_id, agent_key, run_id, task, kind, relevance, score,"
            " shown, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    self._project_id, one.id, one.rank, one.memory_id, one.agent_key, one.run_id, one.task, one.kind,
                    one.relevance, one.score, int(one.shown), one.at,
                )
                for one in retrievals
            ],
        )  # fmt: skip

    def rate(self, rating: Rating) -> None:
        self._connection.execute(
            "INSERT INTO ratings (project_id, id, memory_id, agent_key, run_id, signal, weight, note, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self._project_id, *rating),
        )

    def rated(self, memory_id: str, *, agent_key: str, run_id: str) -> bool:
        found = self._connection.execute(
            "SELECT 1 FROM ratings WHERE project_id = ? AND run_id = ? AND memory_id = ? AND agent_key = ?",
            (self._project_id, run_id, memory_id, agent_key),
        ).get
        return found is not None

    def summary(self, *, since: int, reader_key: str | None) -> UsageSummary:
        """What gets used, of the memories a reader may see; None sees all."""
        scope = (self._project_id, since)
        seen = (*scope, reader_key)
        calls = self._connection.execute(
            "SELECT count(DISTINCT id) FROM retrievals WHERE project_id = ? AND at >= ?", scope
        ).get
        never = self._connection.execute(
            "SELECT count(*) FROM memories m WHERE m.project_id = ?1 AND m.forgotten_at IS NULL AND NOT EXISTS"
            " (SELECT 1 FROM retrievals r WHERE r.project_id = ?1 AND r.memory_id = m.id AND r.at >= ?2)"
            " AND (?3 IS NULL OR m.agent_key = ?3 OR m.scope = 'team')",
            seen,
        ).get
        rated = {source: (good, bad) for source, good, bad in self._connection.execute(_RATED, seen)}
        by_source = {
            source: SourceUsage(surfaced, memories, shown, read, *rated.pop(source, (0, 0)))
            for source, surfaced, memories, shown, read in self._connection.execute(_BY_SOURCE, seen)
        }
        by_source |= {source: SourceUsage(0, 0, 0, 0, good, bad) for source, (good, bad) in rated.items()}
        top = self._connection.execute(
            "SELECT memory_id, count(*) FROM retrievals WHERE project_id = ? AND at >= ?"
            " GROUP BY memory_id ORDER BY count(*) DESC, memory_id LIMIT ?",
            (*scope, TOP_MEMORIES),
        )
        return UsageSummary(
            calls if isinstance(calls, int) else 0,
            by_source,
            never if isinstance(never, int) else 0,
            tuple((memory_id, count) for memory_id, count in top),
        )
