"""Owns the SQL of proposals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.inbox import Entry
from hansard.domain.limits import NUMBER_COUNTED_MAX
from hansard.domain.memories import digest
from hansard.domain.paging import Page, Window
from hansard.domain.trust import is_from_outside
from hansard.domain.vocabulary import Clearance, DecisionType, EntryStatus, Importance, Origin
from hansard.store.filters import EntryFilter
from hansard.store.sql.rows import Row, Where, decoding, id_cursor, lost_head, packed, page, unpacked

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

_SELECT = """
SELECT e.id, e.number, e.slug, e.requested_slug, e.type, e.title, e.content, e.rationale, e.importance, e.tags,
       author.name, e.run_id, e.status, reviewer.name, e.note, e.reviewed_at, e.decision_id, e.memory_id,
       e.version, e.created_at, e.updated_at, e.salt, e.origin, e.quarantined_at, e.signs, e.cleared
FROM inbox e
JOIN actors author ON author.project_id = e.project_id AND author.key = e.author_key
LEFT JOIN actors reviewer ON reviewer.project_id = e.project_id AND reviewer.key = e.reviewer_key
WHERE """
_INSERT = """
INSERT INTO inbox (project_id, id, number, slug, requested_slug, type, title, content, rationale, importance, tags,
    author_key, run_id, status, reviewer_key, note, reviewed_at, decision_id, memory_id, version, created_at,
    updated_at, salt, origin, quarantined_at, signs, cleared, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_UPDATE = """
UPDATE inbox SET number = ?, slug = ?, requested_slug = ?, type = ?, title = ?, content = ?, rationale = ?,
    importance = ?, tags = ?, author_key = ?, run_id = ?, status = ?, created_at = ?, reviewer_key = ?, note = ?,
    reviewed_at = ?, decision_id = ?, memory_id = ?, version = ?, updated_at = ?, salt = ?, origin = ?,
    quarantined_at = ?, signs = ?, cleared = ?, digest = ?
WHERE project_id = ? AND id = ?"""


class SqlInbox:
    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id
        self.added = 0
        self.newest = 0
        self.held: dict[str, int] = {}

    def insert(self, entry: Entry) -> None:
        self.added += 1
        self.newest = max(self.newest, entry.number)
        self._note_held(entry)
        self._connection.execute(
            _INSERT,
            (
                self._project_id, entry.id, entry.number, entry.slug, entry.requested_slug, entry.type, entry.title,
                entry.content, entry.rationale, entry.importance, packed(entry.tags), key_of(entry.author),
                entry.run_id, entry.status, _key(entry.reviewer), entry.note, entry.reviewed_at, entry.decision_id,
                entry.memory_id, entry.version, entry.created_at, entry.updated_at, entry.salt, *_guarded(entry),
            ),
        )  # fmt: skip

    def _note_held(self, entry: Entry) -> None:
        self.held.pop(entry.id, None)
        if entry.quarantined_at is not None:
            self.held[entry.id] = entry.quarantined_at

    def update(self, entry: Entry) -> None:
        self._note_held(entry)
        self._connection.execute(
            _UPDATE,
            (
                entry.number, entry.slug, entry.requested_slug, entry.type, entry.title, entry.content,
                entry.rationale, entry.importance, packed(entry.tags), key_of(entry.author),
                entry.run_id, entry.status, entry.created_at, _key(entry.reviewer), entry.note,
                entry.reviewed_at, entry.decision_id, entry.memory_id, entry.version, entry.updated_at, entry.salt,
                *_guarded(entry), self._project_id, entry.id,
            ),
        )  # fmt: skip

    def get(self, entry_id: str) -> Entry | None:
        return self._one("e.id = ?", entry_id)

    def by_number(self, number: int) -> Entry | None:
        return self._one("e.number = ?", number)

    def by_slug(self, slug: str) -> Entry | None:
        return self._one("e.slug = ?", slug)

    def by_request(self, author_key: str, requested_slug: str) -> Entry | None:
        return self._one("e.author_key = ? AND e.requested_slug = ?", author_key, requested_slug)

    def doubted_with(self, digests: Sequence[int]) -> dict[int, list[Entry]]:
        """Entries from outside, or that wait for a person, which may say the same as something new, by digest."""
        test, bound = self._connection.among("e.digest", digests)
        rows = self._connection.execute(
            _SELECT.replace("SELECT ", "SELECT e.digest, ", 1)
            + f"{test} AND {self._connection.unindexed}e.project_id = ? ORDER BY e.id",
            (bound, self._project_id),
        )
        found: dict[int, list[Entry]] = {}
        for row in rows:
            found.setdefault(row[0], []).append(_entry(row[1:]))
        return found

    def page(self, wanted: EntryFilter, window: Window) -> Page[Entry]:
        where = Where("e.project_id = ?", self._project_id)
        where.equals("e.status", wanted.status)
        where.any_of("e.type", wanted.types)
        where.equals("e.author_key", wanted.author_key)
        where.equals("e.run_id", wanted.run_id)
        where.equals("e.memory_id", wanted.memory_id)
        if wanted.quarantined is not None:
            where.add(f"e.quarantined_at IS {'NOT ' if wanted.quarantined else ''}NULL")
        if wanted.slug_prefix is not None:
            # No slug has a character after `z`.
            where.add("e.slug >= ? AND e.slug < ?", wanted.slug_prefix, wanted.slug_prefix + "~")
        where.mentions(("e.slug", "e.title", "e.content"), wanted.text)
        order = where.held("e", wanted.held_after)
        if window.cursor:
            where.add("e.id < ?", id_cursor(window.cursor))
        rows = self._connection.execute(f"{_SELECT}{where} ORDER BY {order} LIMIT ?", (*where.values, window.limit + 1))
        return page(rows, window, _entry, lambda entry: entry.id)

    def next_number(self) -> int:
        while True:
            number = self._connection.execute(
                "UPDATE heads SET entries = entries + 1 WHERE project_id = ? RETURNING entries",
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
            "UPDATE heads SET entries = ? WHERE project_id = ? AND entries < ?", (number, self._project_id, number)
        )

    def _one(self, condition: str, *values: str | int) -> Entry | None:
        row = self._connection.execute(
            f"{_SELECT}e.project_id = ? AND {condition}", (self._project_id, *values)
        ).fetchone()
        return _entry(row) if row else None


def _key(name: str | None) -> str | None:
    return key_of(name) if name else None


def _guarded(entry: Entry) -> Row:
    signs = packed(entry.signs) if entry.signs else None
    return entry.origin, entry.quarantined_at, signs, entry.cleared, _doubted(entry)


def _doubted(entry: Entry) -> int | None:
    """By what its words are known again when their author says them once more; nobody asks for those of others."""
    doubted = entry.is_quarantined or (is_from_outside(entry) and entry.status is not EntryStatus.MERGED)
    return digest(entry.content) if doubted and not entry.is_blank else None


@decoding
def _entry(row: Row) -> Entry:
    (id, number, slug, requested, type, title, content, rationale, importance, tags, author, run_id, status,
     reviewer, note, reviewed_at, decision_id, memory_id, version, created_at, updated_at, salt, origin,
     quarantined_at, signs, cleared) = row  # fmt: skip
    return Entry(
        id, number, slug, requested, DecisionType(type), title, content, rationale,
        Importance(importance) if importance else None, unpacked(tags), author, run_id, EntryStatus(status),
        reviewer, note, reviewed_at, decision_id, memory_id, version, created_at, updated_at, salt,
        Origin(origin) if origin else None, quarantined_at, unpacked(signs) if signs else (),
        Clearance(cleared) if cleared else None,
    )  # fmt: skip
