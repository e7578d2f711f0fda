"""Owns the SQL of what was surfaced and how it was rated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hansard.domain.paging import Listing, Window
from hansard.domain.trust import default_origin
from hansard.domain.usage import (
    EXCERPT_CHARACTERS,
    MemoryUsage,
    Provenance,
    Rating,
    Retrieval,
    Sighting,
    SourceUsage,
    Surfacing,
    UsageSummary,
    excerpt,
)
from hansard.domain.vocabulary import Clearance, Origin, Source
from hansard.store.sql.rows import ONE_LOOK, Row, Where, decoding, id_cursor, number_cursor, unpacked

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

TOP_MEMORIES = 10

# In the report ?1 is the project, ?2 the time it begins at and ?3 the reader; no reader means that all is seen.
# Whoever does not see all is told of its own calls and ratings only, and only of memories it may read; what waits for
# review is as if it were not there.
_OWN_CALL = "(CAST(?3 AS TEXT) IS NULL OR r.agent_key = ?3)"
_OWN_RATING = "(CAST(?3 AS TEXT) IS NULL OR t.agent_key = ?3)"
_READABLE = "(CAST(?3 AS TEXT) IS NULL OR (m.agent_key = ?3 OR m.scope = 'team') AND m.quarantined_at IS NULL)"
_TEXT = f"substr(m.content, 1, {4 * EXCERPT_CHARACTERS})"
"""Enough for an excerpt, also of a text with many blanks."""
_COMES_FROM = "m.source, m.origin, m.source_ref, m.position, m.cleared, m.signs"
_KNOWN = 6
"""So many columns of a row say where the words come from; the rest stands behind them."""

_SHOWN = "count(*) FILTER (WHERE r.kind <> 'get' AND r.shown = 1) AS shown"
_READ = "count(*) FILTER (WHERE r.kind = 'get') AS read"
_RATED = "count(*) FILTER (WHERE t.signal * t.weight > 0), count(*) FILTER (WHERE t.signal * t.weight < 0)"
_SURFACED = f"""
FROM retrievals r JOIN {{memory}}
WHERE r.project_id = ?1 AND r.at >= ?2 AND {_OWN_CALL} AND {_READABLE}"""

_CALLS = f"SELECT count(DISTINCT r.id) FROM retrievals r WHERE r.project_id = ?1 AND r.at >= ?2 AND {_OWN_CALL}"
_NEVER_SURFACED = f"""
SELECT count(*) FROM memories m WHERE m.project_id = ?1 AND m.forgotten_at IS NULL AND {_READABLE} AND NOT EXISTS (
    SELECT 1 FROM retrievals r
    WHERE r.project_id = ?1 AND r.memory_id = m.id AND r.at >= ?2 AND {_OWN_CALL} {ONE_LOOK})"""
_BY_SOURCE = f"""
SELECT m.source, count(*), count(DISTINCT r.memory_id), {_SHOWN}, {_READ} {_SURFACED} GROUP BY m.source"""
_RATED_BY_SOURCE = f"""
SELECT m.source, {_RATED}
FROM ratings t JOIN {{memory}}
WHERE t.project_id = ?1 AND t.at >= ?2 AND {_OWN_RATING} AND {_READABLE} GROUP BY m.source"""
_TOP = f"""
SELECT {_COMES_FROM}, m.id, {_TEXT}, u.surfaced, u.shown, u.read, {_RATED}
FROM (
    SELECT r.memory_id, count(*) AS surfaced, {_SHOWN}, {_READ} {_SURFACED} AND m.forgotten_at IS NULL
    GROUP BY r.memory_id ORDER BY count(*) DESC, r.memory_id LIMIT {TOP_MEMORIES}) u
JOIN {{top}}
LEFT JOIN ratings t ON t.project_id = ?1 AND t.memory_id = m.id AND t.at >= ?2 AND {_OWN_RATING}
GROUP BY {_COMES_FROM}, m.id, m.content, u.surfaced, u.shown, u.read ORDER BY u.surfaced DESC, m.id"""
_LOG = f"""
SELECT {_COMES_FROM}, r.at, coalesce(a.name, r.agent_key), r.memory_id, {_TEXT}, r.kind, r.rank + 1, r.shown, r.task,
       r.run_id, r.relevance, r.score, r.id
FROM retrievals r
JOIN {{memory}}
LEFT JOIN actors a ON a.project_id = r.project_id AND a.key = r.agent_key
WHERE """


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

    def trim(self, *, before: int, limit: int) -> None:
        """Deletes the oldest lines of the log from before then, a bounded number at a time."""
        self._connection.execute(
            "DELETE FROM retrievals WHERE project_id = ?1 AND (id, rank) IN ("
            "SELECT id, rank FROM retrievals WHERE project_id = ?1 AND at < ?2 ORDER BY at LIMIT ?3)",
            (self._project_id, before, limit),
        )

    def retrievals(
        self, *, since: int, reader_key: str | None, memory_id: str | None, task: str | None, window: Window
    ) -> Listing[Sighting]:
        """The log, newest first. A reader sees its own calls, of memories it may read; None sees all."""
        where = Where("r.project_id = ? AND r.at >= ?", self._project_id, since)
        if reader_key is not None:
            where.add(
                "r.agent_key = ? AND (m.agent_key = ? OR m.scope = 'team') AND m.quarantined_at IS NULL",
                reader_key,
                reader_key,
            )
        where.equals("r.memory_id", memory_id)
        where.mentions(("r.task",), task)
        if window.cursor:
            at, id, rank = _line(window.cursor)
            where.add("(r.at < ? OR r.at = ? AND (r.id < ? OR r.id = ? AND r.rank >= ?))", at, at, id, id, rank)
        rows = self._connection.execute(
            f"{self._with_memory(_LOG, 'r')}{where} ORDER BY r.at DESC, r.id DESC, r.rank LIMIT ?",
            (*where.values, window.limit + 1),
        ).fetchall()
        shown = rows[: window.limit]
        return Listing(map(_sighting, shown), _cursor_of(shown[-1]) if len(rows) > len(shown) else None)

    def rate(self, rating: Rating) -> None:
        self._connection.execute(
            "INSERT INTO ratings (project_id, id, memory_id, agent_key, run_id, signal, weight, note, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self._project_id, *rating),
        )

    def erase(self, memory_id: str) -> None:
        """Takes the words out that people wrote beside a memory. What was surfaced and rated, and when, stays."""
        mine = (self._project_id, memory_id)
        self._connection.execute("UPDATE ratings SET note = NULL WHERE project_id = ? AND memory_id = ?", mine)
        self._connection.execute("UPDATE retrievals SET task = NULL WHERE project_id = ? AND memory_id = ?", mine)

    def erase_task(self, run_id: str, task: str) -> None:
        """Takes a task out of the log: what was surfaced in this run, or for the same words."""
        self._connection.execute(
            "UPDATE retrievals SET task = NULL WHERE project_id = ? AND (run_id = ? OR task = ?)",
            (self._project_id, run_id, task),
        )

    def rating(self, memory_id: str, *, agent_key: str, run_id: str | None, since: int) -> Rating | None:
        """What the agent said of the memory in this run; without one, what it said outside of any run since then."""
        where = Where("project_id = ? AND memory_id = ? AND agent_key = ?", self._project_id, memory_id, agent_key)
        if run_id is None:
            where.add("run_id IS NULL AND at >= ?", since)
        else:
            where.add("run_id = ?", run_id)
        row = self._connection.execute(
            "SELECT id, memory_id, agent_key, run_id, signal, weight, note, at FROM ratings"
            f" WHERE {where} ORDER BY at DESC LIMIT 1",
            where.values,
        ).fetchone()
        return Rating(*row) if row else None

    def rate_again(self, rating: Rating) -> None:
        """Puts the rating in the place of the one that has its id."""
        self._connection.execute(
            "UPDATE ratings SET signal = ?, weight = ?, note = ?, at = ? WHERE project_id = ? AND id = ?",
            (rating.signal, rating.weight, rating.note, rating.at, self._project_id, rating.id),
        )

    def summary(self, *, since: int, reader_key: str | None) -> UsageSummary:
        """What gets used. A reader is told of its own calls, of memories it may read; None is told of all."""
        seen = (self._project_id, since, reader_key)
        calls = self._connection.execute(_CALLS, seen).get
        never = self._connection.execute(_NEVER_SURFACED, seen).get
        rated = {
            source: (good, bad)
            for source, good, bad in self._connection.execute(self._with_memory(_RATED_BY_SOURCE, "t"), seen)
        }
        by_source = {
            source: SourceUsage(surfaced, memories, shown, read, *rated.pop(source, (0, 0)))
            for source, surfaced, memories, shown, read in self._connection.execute(
                self._with_memory(_BY_SOURCE, "r"), seen
            )
        }
        by_source |= {source: SourceUsage(0, 0, 0, 0, good, bad) for source, (good, bad) in rated.items()}
        top = tuple(_usage(row) for row in self._connection.execute(self._with_memory(_TOP, "r"), seen))
        return UsageSummary(
            calls if isinstance(calls, int) else 0, by_source, never if isinstance(never, int) else 0, top
        )

    def _with_memory(self, sql: str, log: str) -> str:
        test = f"m.project_id = {log}.project_id AND m.id = {log}.memory_id"
        top = self._connection.row_of("memories", "m", "m.project_id = ?1 AND m.id = u.memory_id")
        return sql.format(memory=self._connection.row_of("memories", "m", test), top=top)


def _cursor_of(row: Row) -> str:
    """Where the page behind this line begins. Its rank is shown from one, so it is the next one's in the log."""
    at, rank = row[_KNOWN], row[_KNOWN + 5]
    return f"{at}.{row[-1]}.{rank}"


def _line(cursor: str) -> tuple[int, str, int]:
    at, id, rank = (*cursor.split("."), "", "")[:3]
    return number_cursor(at), id_cursor(id), number_cursor(rank)


@decoding
def _sighting(row: Row) -> Sighting:
    at, agent, memory_id, text, kind, rank, shown, *rest, _ = row[_KNOWN:]
    origin, signs = _told_of(row)
    told = Sighting(at, agent, memory_id, excerpt(text), Surfacing(kind), rank, bool(shown), *rest)
    return told._replace(origin=origin, signs=signs)


@decoding
def _usage(row: Row) -> MemoryUsage:
    memory_id, text, *counts = row[_KNOWN:]
    origin, signs = _told_of(row)
    return MemoryUsage(memory_id, excerpt(text), *counts)._replace(origin=origin, signs=signs)


def _told_of(row: Row) -> tuple[Origin | None, tuple[str, ...]]:
    """Where the words come from if they are nobody's here, and what the guard saw in them."""
    # Imported here because it brings the rules of the guard along, and hardly any process reads a report.
    from hansard.domain.trust import is_from_outside

    source, origin, source_ref, position, cleared, signs = row[:_KNOWN]
    known = Provenance(
        Source(source), Origin(origin) if origin else None, source_ref, position,
        Clearance(cleared) if cleared else None, unpacked(signs) if signs else (),
    )  # fmt: skip
    if known.cleared is Clearance.CONFIRMED:
        return None, ()
    return (known.origin or default_origin(known.source, None)) if is_from_outside(known) else None, known.signs
