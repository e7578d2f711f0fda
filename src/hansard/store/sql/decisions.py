"""Owns the SQL of decisions, now and at an earlier time."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.decisions import Decision
from hansard.domain.limits import NUMBER_COUNTED_MAX
from hansard.domain.paging import Page, Window
from hansard.domain.vocabulary import Clearance, DecisionStatus, DecisionType, Subject
from hansard.store.filters import DecisionFilter
from hansard.store.sql.rows import Row, Value, Where, decoding, id_cursor, lost_head, packed, page, unpacked

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

SELECT = """
SELECT d.id, d.number, d.type, d.title, d.content, d.rationale, d.tags, d.applies_to, author.name, decider.name,
       d.status, d.superseded_by, d.entry_id, d.run_id, d.version, d.created_at, d.updated_at, d.salt,
       amender.name, d.cleared
FROM {source} d
JOIN actors author ON author.project_id = d.project_id AND author.key = d.author_key
JOIN actors decider ON decider.project_id = d.project_id AND decider.key = d.decided_by_key
LEFT JOIN actors amender ON amender.project_id = d.project_id AND amender.key = d.amended_by_key
WHERE """
CURRENT = SELECT.format(source="decisions")
_PAST = SELECT.format(
    source=f"""(
    SELECT project_id, id, number, type, title, content, rationale, tags, applies_to, author_key, decided_by_key,
           status, superseded_by, entry_id, run_id, version, created_at, updated_at, salt, amended_by_key, cleared
    -- What was forgotten has no earlier versions left; its tombstone stands for them.
    FROM decisions c WHERE project_id = ?1 AND NOT EXISTS (
        SELECT 1 FROM revisions r WHERE r.project_id = c.project_id AND r.subject = '{Subject.DECISION}'
            AND r.subject_id = c.id AND r.valid_until > ?2)
    UNION ALL
    SELECT r.project_id, r.subject_id, CAST(r.body ->> 'number' AS BIGINT), r.body ->> 'type', r.body ->> 'title',
           r.body ->> 'content', r.body ->> 'rationale', CAST(r.body -> 'tags' AS TEXT),
           CAST(r.body -> 'applies_to' AS TEXT), r.body ->> 'author', r.body ->> 'decided_by', r.body ->> 'status',
           r.body ->> 'superseded_by', r.body ->> 'entry_id', r.body ->> 'run_id', r.version,
           CAST(r.body ->> 'created_at' AS BIGINT), r.valid_from, {{no_bytes}},
           r.body ->> 'amended_by', r.body ->> 'cleared'
    FROM revisions r
    WHERE r.project_id = ?1 AND r.subject = '{Subject.DECISION}' AND r.valid_from <= ?2 AND r.valid_until > ?2
)"""
)
_INSERT = """
INSERT INTO decisions (project_id, id, number, type, title, content, rationale, tags, applies_to, author_key,
    decided_by_key, status, superseded_by, entry_id, run_id, version, created_at, updated_at, salt,
    amended_by_key, cleared)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_UPDATE = """
UPDATE decisions SET number = ?, type = ?, title = ?, content = ?, rationale = ?, tags = ?, applies_to = ?,
    status = ?, superseded_by = ?, entry_id = ?, author_key = ?, decided_by_key = ?, version = ?, created_at = ?,
    updated_at = ?, salt = ?, amended_by_key = ?, cleared = ?
WHERE project_id = ? AND id = ?"""


def oldest_first(by_id: Iterable[Decision]) -> tuple[Decision, ...]:
    """Decisions by time: an id from another clone may be of any. Sorted here, so that SQL sorts no texts."""
    return tuple(sorted(by_id, key=attrgetter("created_at")))


class SqlDecisions:
    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def insert(self, decision: Decision) -> None:
        self._connection.execute(
            _INSERT,
            (
                self._project_id, decision.id, decision.number, decision.type, decision.title, decision.content,
                decision.rationale, packed(decision.tags), packed(decision.applies_to), key_of(decision.author),
                key_of(decision.decided_by), decision.status, decision.superseded_by, decision.entry_id,
                decision.run_id, decision.version, decision.created_at, decision.updated_at, decision.salt,
                *_standing(decision),
            ),
        )  # fmt: skip

    def update(self, decision: Decision) -> None:
        self._connection.execute(
            _UPDATE,
            (
                decision.number, decision.type, decision.title, decision.content, decision.rationale,
                packed(decision.tags), packed(decision.applies_to), decision.status, decision.superseded_by,
                decision.entry_id, key_of(decision.author), key_of(decision.decided_by), decision.version,
                decision.created_at, decision.updated_at, decision.salt, *_standing(decision), self._project_id,
                decision.id,
            ),
        )  # fmt: skip

    def get(self, decision_id: str) -> Decision | None:
        return self._one("d.id = ?", decision_id)

    def by_number(self, number: int) -> Decision | None:
        return self._one("d.number = ?", number)

    def page(self, wanted: DecisionFilter, window: Window) -> Page[Decision]:
        return self._page(CURRENT, Where("d.project_id = ?", self._project_id), wanted, window)

    def as_of(self, wanted: DecisionFilter, window: Window, at: int) -> Page[Decision]:
        select = _PAST.format(no_bytes=self._connection.no_bytes)
        where = Where("d.project_id = ?1 AND d.created_at <= ?2", self._project_id, at)
        return self._page(select, where, wanted, window)

    def boundaries(self) -> tuple[Decision, ...]:
        """The active architectural and scope decisions, oldest first."""
        rows = self._connection.execute(
            f"{CURRENT}d.project_id = ? AND d.status = 'active' AND d.type IN ('architectural', 'scope') ORDER BY d.id",
            (self._project_id,),
        )
        return oldest_first(map(decision_of, rows))

    def superseded_boundaries(self) -> int:
        """How many architectural and scope decisions another one has replaced."""
        count = self._connection.execute(
            "SELECT count(*) FROM decisions d WHERE d.project_id = ? AND d.status = 'superseded'"
            " AND d.type IN ('architectural', 'scope')",
            (self._project_id,),
        ).get
        return count if isinstance(count, int) else 0

    def next_number(self) -> int:
        while True:
            number = self._connection.execute(
                "UPDATE heads SET decisions = decisions + 1 WHERE project_id = ? RETURNING decisions",
                (self._project_id,),
            ).get
            if not isinstance(number, int):
                raise lost_head()
            # Another clone's record may have one far ahead, which nothing was counted on from.
            if number <= NUMBER_COUNTED_MAX or self.by_number(number) is None:
                return number

    def reserve(self, number: int) -> None:
        """Sees to it that the numbers given out from now on are higher."""
        self._connection.execute(
            "UPDATE heads SET decisions = ? WHERE project_id = ? AND decisions < ?", (number, self._project_id, number)
        )

    def _page(self, select: str, where: Where, wanted: DecisionFilter, window: Window) -> Page[Decision]:
        where.equals("d.status", wanted.status)
        where.any_of("d.type", wanted.types)
        where.equals("d.author_key", wanted.author_key)
        where.mentions(("d.title", "d.content"), wanted.text)
        if window.cursor:
            where.add("d.id < ?", id_cursor(window.cursor))
        rows = self._connection.execute(
            f"{select}{where} ORDER BY d.id DESC LIMIT ?", (*where.values, window.limit + 1)
        )
        return page(rows, window, decision_of, lambda decision: decision.id)

    def _one(self, condition: str, value: Value) -> Decision | None:
        row = self._connection.execute(
            f"{CURRENT}d.project_id = ? AND {condition}", (self._project_id, value)
        ).fetchone()
        return decision_of(row) if row else None


@decoding
def decision_of(row: Row) -> Decision:
    (id, number, type, title, content, rationale, tags, applies_to, author, decided_by, status, superseded_by,
     entry_id, run_id, version, created_at, updated_at, salt, amended_by, cleared) = row  # fmt: skip
    return Decision(
        id, number, DecisionType(type), title, content, rationale, unpacked(tags), unpacked(applies_to), author,
        decided_by, DecisionStatus(status), superseded_by, entry_id, run_id, version, created_at, updated_at, salt,
        amended_by, Clearance(cleared) if cleared else None,
    )  # fmt: skip


def _standing(decision: Decision) -> tuple[Value, ...]:
    return key_of(decision.amended_by) if decision.amended_by else None, decision.cleared
