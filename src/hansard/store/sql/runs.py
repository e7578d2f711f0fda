"""Owns the SQL of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.paging import Page, Window
from hansard.domain.runs import Run
from hansard.domain.vocabulary import RunOutcome
from hansard.store.sql.memories import OWN_WORDS
from hansard.store.sql.rows import Row, Where, decoding, id_cursor, packed, page, unpacked

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

SELECT = """
SELECT r.id, a.name, r.parent_id, r.task, r.task_type, r.tags, r.outcome, r.reason, r.version, r.started_at,
       r.ended_at, r.updated_at, r.salt
FROM runs r
JOIN actors a ON a.project_id = r.project_id AND a.key = r.agent_key
WHERE """
_INSERT = """
INSERT INTO runs (project_id, id, agent_key, parent_id, task, task_type, tags, outcome, reason, version, started_at,
    ended_at, updated_at, salt, tainted)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    coalesce((SELECT p.tainted FROM runs p WHERE p.project_id = ? AND p.id = ?), 0))"""
_UPDATE = """
UPDATE runs SET task = ?, task_type = ?, tags = ?, outcome = ?, reason = ?, version = ?, ended_at = ?, updated_at = ?,
    salt = ?
WHERE project_id = ? AND id = ?"""

# A child is always younger than its parent, so the walk needs no index of parents: it reads what came after.
_COMPLETED_BELOW = f"""
WITH RECURSIVE later AS MATERIALIZED (
    SELECT id, parent_id FROM runs WHERE project_id = ? AND id > ? AND outcome = 'completed' AND parent_id IS NOT NULL
), below (id) AS (
    SELECT id FROM later WHERE parent_id = ?
    UNION ALL SELECT later.id FROM below JOIN later ON later.parent_id = below.id
)
{SELECT}r.project_id = ? AND r.id IN (SELECT id FROM below) ORDER BY r.id"""

_OPEN = "SELECT id FROM runs WHERE project_id = ?1 AND agent_key = ?2 AND ended_at IS NULL"
# What a child read, its parent is told.
_TAINT = """
WITH RECURSIVE above (id) AS (
    {runs}
    UNION SELECT r.parent_id FROM above JOIN runs r ON r.project_id = ?1 AND r.id = above.id
        WHERE r.parent_id IS NOT NULL
)
UPDATE runs SET tainted = 1 WHERE project_id = ?1 AND tainted = 0 AND id IN (SELECT id FROM above)"""
_OPEN_AT = """
SELECT EXISTS (SELECT 1 FROM runs WHERE project_id = ?1 AND agent_key = ?2 AND tainted = 1 AND started_at <= ?3
    AND (ended_at IS NULL OR ended_at >= ?3))"""


class SqlRuns:
    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def insert(self, run: Run) -> None:
        self._connection.execute(
            _INSERT,
            (
                self._project_id, run.id, key_of(run.agent), run.parent_id, run.task, run.task_type,
                packed(run.tags), run.outcome, run.reason, run.version, run.started_at, run.ended_at, run.updated_at,
                run.salt, self._project_id, run.parent_id,
            ),
        )  # fmt: skip

    def update(self, run: Run) -> None:
        self._connection.execute(
            _UPDATE,
            (
                run.task, run.task_type, packed(run.tags), run.outcome, run.reason, run.version, run.ended_at,
                run.updated_at, run.salt, self._project_id, run.id,
            ),
        )  # fmt: skip

    def get(self, run_id: str) -> Run | None:
        row = self._connection.execute(f"{SELECT}r.project_id = ? AND r.id = ?", (self._project_id, run_id)).fetchone()
        return run_of(row) if row else None

    def taint(self, run_id: str | None, agent_key: str) -> None:
        """Notes that the run recorded words from outside: it, and those it is a child of. Without a run, those of the
        agent that are open."""
        if run_id is None:
            self._connection.execute(_TAINT.format(runs=_OPEN), (self._project_id, agent_key))
        else:
            self._connection.execute(
                _TAINT.format(runs="SELECT id FROM runs WHERE project_id = ?1 AND id = ?2"), (self._project_id, run_id)
            )

    def is_tainted(self, run_id: str) -> bool:
        """Whether words from outside were recorded in the run or in one below it, or in one above before it began."""
        asked = "SELECT tainted FROM runs WHERE project_id = ? AND id = ?"
        return bool(self._connection.execute(asked, (self._project_id, run_id)).get)

    def taints(self, agent_key: str, *, at: int | None = None) -> bool:
        """The same of any run of the agent that is open, or was open at an instant."""
        if at is None:
            asked = f"SELECT EXISTS ({_OPEN} AND tainted = 1)"
            return bool(self._connection.execute(asked, (self._project_id, agent_key)).get)
        return bool(self._connection.execute(_OPEN_AT, (self._project_id, agent_key, at)).get)

    def completed_below(self, run_id: str) -> tuple[Run, ...]:
        """The children of a run that completed, and theirs, oldest first."""
        rows = self._connection.execute(_COMPLETED_BELOW, (self._project_id, run_id, run_id, self._project_id))
        return tuple(run_of(row) for row in rows)

    def citations(self, run_ids: Sequence[str], *, reader_key: str) -> dict[str, tuple[str, ...]]:
        """What memories that were made in these runs, and that the reader may see, cite; oldest memory first. What is
        data cites nothing here: the files of a run are told without a mark."""
        if not run_ids:
            return {}
        marks = ", ".join("?" * len(run_ids))
        rows = self._connection.execute(
            "SELECT m.id, m.run_id, m.citations FROM memories m"
            f" WHERE m.project_id = ? AND m.run_id IS NOT NULL AND m.run_id IN ({marks}) AND m.citations <> '[]'"
            " AND m.forgotten_at IS NULL AND m.quarantined_at IS NULL AND (m.agent_key = ? OR m.scope = 'team')"
            f" AND {OWN_WORDS}",
            (self._project_id, *run_ids, reader_key),
        )
        found: dict[str, tuple[str, ...]] = {}
        # Sorted here: asked for an order, SQLite walks all memories in it instead of finding these few.
        for _, run_id, cited in sorted(rows):
            found[run_id] = (*found.get(run_id, ()), *unpacked(cited))
        return found

    def page(self, *, agent_key: str | None, open_only: bool, window: Window) -> Page[Run]:
        where = Where("r.project_id = ?", self._project_id)
        where.equals("r.agent_key", agent_key)
        if open_only:
            where.add("r.ended_at IS NULL")
        if window.cursor:
            where.add("r.id < ?", id_cursor(window.cursor))
        rows = self._connection.execute(
            f"{SELECT}{where} ORDER BY r.id DESC LIMIT ?", (*where.values, window.limit + 1)
        )
        return page(rows, window, run_of, lambda run: run.id)


@decoding
def run_of(row: Row) -> Run:
    id, agent, parent_id, task, task_type, tags, outcome, *rest = row
    return Run(
        id, agent, parent_id, task, task_type, unpacked(tags), RunOutcome(outcome) if outcome else None, *rest
    )  # fmt: skip
