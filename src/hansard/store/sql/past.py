"""Owns the SQL of records as they stood after an earlier event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hansard.domain.decisions import Decision
from hansard.domain.memories import Memory
from hansard.domain.runs import Run
from hansard.domain.sessions import Session
from hansard.domain.vocabulary import Subject
from hansard.store.sql import decisions, memories, runs, sessions
from hansard.store.sql.rows import ONE_LOOK, Row

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

_WHOLE = frozenset({
    "number", "position", "occurred_at", "expires_at", "created_at", "updated_at", "started_at", "ended_at",
    "quarantined_at",
})  # fmt: skip
_LISTS = frozenset({"tags", "applies_to", "citations", "issues"})
_OTHER = {
    "project_id": "r.project_id", "id": "r.subject_id", "version": "CAST(r.body ->> 'version' AS BIGINT)",
    "salt": "{no_bytes}", "forgotten_at": "CAST(NULL AS BIGINT)", "access_count": "0",
    "accessed_at": "CAST(NULL AS BIGINT)", "alpha": "1.0", "beta": "1.0",
}  # fmt: skip
"""What the body of a version does not say, or not under the name of its column."""
# Of the versions that ended later, the one that ended first; of several from one transaction, the one that began first.
_IN_FORCE = """
r.project_id = ?1 AND r.subject = '{subject}' AND r.valid_until > ?2 AND NOT EXISTS (
    SELECT 1 FROM revisions e WHERE e.project_id = r.project_id AND e.subject = r.subject
        AND e.subject_id = r.subject_id AND e.valid_until > ?2
        AND (e.valid_until < r.valid_until OR (e.valid_until = r.valid_until AND e.valid_from < r.valid_from)))"""


def _expression(column: str) -> str:
    if column in _OTHER:
        return _OTHER[column]
    name = column.removesuffix("_key")
    if column in _WHOLE:
        return f"CAST(r.body ->> '{name}' AS BIGINT)"
    if column in _LISTS:
        return f"CAST(r.body -> '{name}' AS TEXT)"
    return f"r.body ->> '{name}'"


def _past(select: str, table: str, subject: Subject, columns: str) -> str:
    """The statement that reads a table, with the table as it stood at ?2 in its place.

    What was forgotten has no earlier versions left; its tombstone stands for them.
    """
    names = [name.strip() for name in columns.split(",")]
    alias = select.partition(f"FROM {table} ")[2].split()[0]
    source = f"""(
    SELECT {", ".join(names)} FROM {table} c WHERE project_id = ?1 AND NOT EXISTS (
        SELECT 1 FROM revisions r WHERE r.project_id = c.project_id AND r.subject = '{subject}'
            AND r.subject_id = c.id AND r.valid_until > ?2)
    UNION ALL
    SELECT {", ".join(map(_expression, names))} FROM revisions r WHERE {_IN_FORCE.format(subject=subject)}
)"""
    return (
        select.replace(f"FROM {table} ", f"FROM {source} ", 1)
        # A record from another clone is older than its arrival here, and only the history knows when that was.
        + f"EXISTS (SELECT 1 FROM events v WHERE v.project_id = {alias}.project_id"
        f" AND v.subject_id = {alias}.id AND v.at <= ?2 {ONE_LOOK}) AND "
    )


_DECISIONS = _past(
    decisions.CURRENT, "decisions", Subject.DECISION,
    "project_id, id, number, type, title, content, rationale, tags, applies_to, author_key, decided_by_key, status,"
    " superseded_by, entry_id, run_id, version, created_at, updated_at, salt, amended_by_key, cleared",
)  # fmt: skip
_MEMORIES = _past(
    memories.SELECT, "memories", Subject.MEMORY,
    "project_id, id, agent_key, type, importance, scope, source, content, name, tags, category, citations, kind,"
    " subject, reason, source_ref, position, run_id, session_id, entry_id, decision_id, occurred_at, expires_at,"
    " forgotten_at, access_count, accessed_at, version, created_at, updated_at, salt, alpha, beta, origin,"
    " quarantined_at, signs, cleared",
)  # fmt: skip
_SESSIONS = _past(
    sessions.SELECT, "sessions", Subject.SESSION,
    "project_id, id, focus, issues, summary, state, opened_by_key, run_id, version, started_at, ended_at, updated_at,"
    " salt, origin",
)  # fmt: skip
_RUNS = _past(
    runs.SELECT, "runs", Subject.RUN,
    "project_id, id, agent_key, parent_id, task, task_type, tags, outcome, reason, version, started_at, ended_at,"
    " updated_at, salt",
)  # fmt: skip
# What was forgotten or ended later still stood then, and its earlier versions may be gone.
_KNOWN = (
    "(m.forgotten_at IS NULL OR m.forgotten_at > ?2) AND (m.expires_at IS NULL OR m.expires_at > ?3)"
    " AND m.quarantined_at IS NULL"
)


# What a reviewer holds now is not told of the past either.
_FREE_NOW = (
    "NOT EXISTS (SELECT 1 FROM memories q WHERE q.project_id = m.project_id AND q.id = m.id"
    f" AND q.quarantined_at IS NOT NULL {ONE_LOOK})"
)


class SqlPast:
    """What the tables would have answered right after the last event of an instant."""

    def __init__(self, connection: Connection, project_id: str, at: int, now: int) -> None:
        self._connection = connection
        self._bound = (project_id, at)
        self._now = now

    def boundaries(self) -> tuple[Decision, ...]:
        rows = self._rows(
            f"{_DECISIONS}d.status = 'active' AND d.type IN ('architectural', 'scope') AND d.project_id = ?1"
            " ORDER BY d.id"
        )
        return decisions.oldest_first(map(decisions.decision_of, rows))

    def superseded_boundaries(self) -> int:
        rows = self._rows(
            f"{_DECISIONS}d.status = 'superseded' AND d.type IN ('architectural', 'scope') AND d.project_id = ?1"
        )
        return len(rows)

    def core(self, agent_key: str) -> tuple[Memory, ...]:
        rows = self._rows(
            f"{_MEMORIES}{_KNOWN} AND m.type = 'core_context' AND m.agent_key = ?4 ORDER BY m.id", self._now, agent_key
        )
        return tuple(map(memories.memory_of, rows))

    def top_learnings(self, agent_key: str, *, limit: int) -> tuple[Memory, ...]:
        rows = self._rows(
            f"{_MEMORIES}{_KNOWN} AND m.importance = 'high' AND m.type IN ('learning', 'pattern')"
            " AND (m.agent_key = ?4 OR m.scope = 'team') ORDER BY m.id DESC LIMIT ?5",
            self._now, agent_key, limit,
        )  # fmt: skip
        return tuple(map(memories.memory_of, rows))

    def session(self) -> Session | None:
        found = self._rows(f"{_SESSIONS}(s.ended_at IS NULL OR s.ended_at > ?2) ORDER BY s.id LIMIT 1")
        return next(map(sessions.session_of, found), None)

    def open_runs(self, *, limit: int) -> tuple[Run, ...]:
        """The runs that had not ended, newest first."""
        rows = self._rows(f"{_RUNS}(r.ended_at IS NULL OR r.ended_at > ?2) ORDER BY r.id DESC LIMIT ?3", limit)
        return tuple(map(runs.run_of, rows))

    def citations(self, run_ids: Sequence[str], *, reader_key: str) -> dict[str, tuple[str, ...]]:
        """What memories that were made in these runs, and that the reader might see, cited; oldest memory first."""
        if not run_ids:
            return {}
        wanted = ", ".join(f"?{place}" for place in range(4, 4 + len(run_ids)))
        rows = self._rows(
            f"{_MEMORIES}m.forgotten_at IS NULL AND m.quarantined_at IS NULL AND (m.agent_key = ?3 OR m.scope = 'team')"
            f" AND m.run_id IN ({wanted}) AND {memories.OWN_WORDS} AND {_FREE_NOW} ORDER BY m.id",
            reader_key, *run_ids,
        )  # fmt: skip
        found: dict[str, tuple[str, ...]] = {}
        for one in map(memories.memory_of, rows):
            if one.run_id is not None and one.citations:
                found[one.run_id] = (*found.get(one.run_id, ()), *one.citations)
        return found

    def last_event(self) -> int:
        """The number of the last event of then; 0 if there was none."""
        seq = self._connection.execute(
            "SELECT seq FROM events WHERE project_id = ?1 AND at <= ?2 ORDER BY seq DESC LIMIT 1", self._bound
        ).get
        return seq if isinstance(seq, int) else 0

    def decision(self, decision_id: str) -> Decision | None:
        return next(map(decisions.decision_of, self._rows(f"{_DECISIONS}d.id = ?3", decision_id)), None)

    def memory(self, memory_id: str) -> Memory | None:
        return next(map(memories.memory_of, self._rows(f"{_MEMORIES}m.id = ?3", memory_id)), None)

    def session_by_id(self, session_id: str) -> Session | None:
        return next(map(sessions.session_of, self._rows(f"{_SESSIONS}s.id = ?3", session_id)), None)

    def run(self, run_id: str) -> Run | None:
        return next(map(runs.run_of, self._rows(f"{_RUNS}r.id = ?3", run_id)), None)

    def _rows(self, statement: str, *values: str | int) -> list[Row]:
        return self._connection.execute(
            statement.replace("{no_bytes}", self._connection.no_bytes), (*self._bound, *values)
        ).fetchall()
