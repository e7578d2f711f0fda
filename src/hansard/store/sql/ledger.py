"""Owns the SQL of the chain of events. Nothing else may assign a sequence number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hansard.domain.chain import ERASING, REDACTING, canonical, seal
from hansard.domain.ledger import Draft, Erasure, Event
from hansard.domain.limits import NUMBER_COUNTED_MAX
from hansard.domain.paging import Page, Window
from hansard.domain.vocabulary import Subject
from hansard.store.sql.rows import Row, Where, decoding, lost_head, number_cursor, page

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

_SELECT = """
SELECT e.seq, e.at, coalesce(a.name, e.actor_key), e.actor_key, e.role, e.action, e.subject, e.subject_id,
       e.before_hash, e.after_hash, e.details, e.previous_hash, e.hash
FROM events e
LEFT JOIN actors a ON a.project_id = e.project_id AND a.key = e.actor_key
WHERE """
_INSERT = """
INSERT INTO events (project_id, seq, at, actor_key, role, action, subject, subject_id, before_hash, after_hash,
    details, previous_hash, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_TEXT_AFTER_FORGETTING = """
SELECT 1 FROM memories WHERE project_id = ?1 AND forgotten_at IS NOT NULL
    AND (content <> '' OR tags <> '[]' OR citations <> '[]' OR (digest IS NOT NULL AND source <> 'file_index')
         OR coalesce(name, category, subject, reason, source_ref, session_id) IS NOT NULL) LIMIT 1"""
_TAGS_NOT_INDEXED = """
SELECT 1 FROM (
    SELECT m.id, t.value FROM memories m, {elements} WHERE m.project_id = ?1
    EXCEPT SELECT memory_id, tag FROM memory_tags WHERE project_id = ?1) x LIMIT 1"""
_TAGS_WITHOUT_MEMORY = """
SELECT 1 FROM (
    SELECT memory_id, tag FROM memory_tags WHERE project_id = ?1
    EXCEPT SELECT m.id, t.value FROM memories m, {elements} WHERE m.project_id = ?1) x LIMIT 1"""
_NUMBERS_BEHIND = f"""
SELECT 1 FROM heads h WHERE h.project_id = ?1 AND (
    h.entries < (SELECT coalesce(max(number), 0) FROM inbox
                 WHERE project_id = ?1 AND number <= {NUMBER_COUNTED_MAX})
    OR h.decisions < (SELECT coalesce(max(number), 0) FROM decisions
                      WHERE project_id = ?1 AND number <= {NUMBER_COUNTED_MAX}))"""
_CHECKS = (
    ("a forgotten memory holds text again", _TEXT_AFTER_FORGETTING),
    ("the tag index lacks tags of memories", _TAGS_NOT_INDEXED),
    ("the tag index names tags that no memory has", _TAGS_WITHOUT_MEMORY),
    ("the numbers given out are behind the records", _NUMBERS_BEHIND),
)


class SqlLedger:
    def __init__(self, connection: Connection, project_id: str, now: int, clock_behind: int) -> None:
        self._connection = connection
        self._project_id = project_id
        self._now = now
        self.clock_behind = clock_behind
        self.has_grown = False
        self.emptied: set[tuple[str, str]] = set()
        """Caller and key of the requests whose words this transaction has taken out."""

    def append(self, drafts: Iterable[Draft]) -> None:
        seq, previous = self.head()
        begun = seq

        def sealed() -> Iterator[Row]:
            # One at a time: ten thousand rows held at once cost more in garbage collection than in hashing.
            nonlocal seq, previous
            project_id, now = self._project_id, self._now
            for draft in drafts:
                seq += 1
                hash = seal(project_id, seq, now, draft, previous)
                action, subject, subject_id, actor_key, role, before, after, details = draft
                yield (
                    project_id, seq, now, actor_key, role, action, subject, subject_id, before, after,
                    canonical(details), previous, hash,
                )  # fmt: skip
                previous = hash

        self._connection.executemany(_INSERT, sealed())
        self._connection.execute(
            "UPDATE heads SET seq = ?, hash = ?, at = ? WHERE project_id = ?",
            (seq, previous, self._now, self._project_id),
        )
        self._connection.announce(self._project_id)
        self.has_grown |= seq > begun

    def head(self) -> tuple[int, bytes]:
        row = self._connection.execute(
            "SELECT seq, hash FROM heads WHERE project_id = ?", (self._project_id,)
        ).fetchone()
        if row is None:
            raise lost_head()
        return row[0], row[1]

    def holds(self, seq: int, hash: bytes) -> bool:
        """Whether the chain still has this event: one that went back and on again has others in its place."""
        found = self._connection.execute(
            "SELECT hash FROM events WHERE project_id = ? AND seq = ?", (self._project_id, seq)
        ).get
        return isinstance(found, bytes) and found == hash

    def roles(self) -> dict[str, frozenset[str]]:
        """The roles in which each name has acted here, by its key."""
        rows = self._connection.execute(
            "SELECT DISTINCT actor_key, role FROM events WHERE project_id = ?", (self._project_id,)
        )
        found: dict[str, frozenset[str]] = {}
        for key, role in rows:
            found[key] = found.get(key, frozenset()) | set(role.split("+"))
        return found

    def mark_erasure(self) -> None:
        """Notes, with the change itself, that bytes of it must be cleaned out of the file.

        Answers that are kept for repeated requests repeat what was recorded, so their words go with it. That a request
        was done stays known, or somebody else's forgetting would have it done twice. A request that is still being
        worked on loses its digest, by which whoever keeps its answer knows that the words may be gone.
        """
        nothing = self._connection.no_bytes
        rows = self._connection.execute(
            f"UPDATE idempotency_keys SET digest = {nothing}, headers = NULL, body = NULL"
            f" WHERE project_id = ? AND (body IS NOT NULL OR digest <> {nothing}) RETURNING caller, key",
            (self._project_id,),
        )
        self.emptied.update((caller, key) for caller, key in rows)
        self._connection.execute("UPDATE heads SET erasing = 1 WHERE project_id = ?", (self._project_id,))

    def is_erasing(self) -> bool:
        """Whether bytes of something forgotten are still to be cleaned out."""
        marked = "SELECT 1 FROM heads WHERE project_id = ? AND erasing <> 0"
        return self._connection.execute(marked, (self._project_id,)).get is not None

    def erasures(self, after: int) -> tuple[Erasure, ...]:
        """The events since this one that took words out of the record, oldest first."""
        rows = self._connection.execute(
            "SELECT seq, action, subject_id FROM events WHERE project_id = ? AND seq > ?"
            " AND (action LIKE ? OR action LIKE ?) ORDER BY seq",
            (self._project_id, after, f"%{ERASING}", f"%{REDACTING}"),
        )
        return tuple(map(Erasure._make, rows))

    def inconsistencies(self) -> Iterator[str]:
        """What no event tells of and yet cannot be right: each is one sentence."""
        for sentence, query in _CHECKS:
            sql = query.format(elements=self._connection.elements("m.tags", "t"))
            if self._connection.execute(sql, (self._project_id,)).get is not None:
                yield sentence
        yield from self._connection.schema_problems()

    def get(self, seq: int) -> Event | None:
        row = self._connection.execute(f"{_SELECT}e.project_id = ? AND e.seq = ?", (self._project_id, seq)).fetchone()
        return _event(row) if row else None

    def after(self, seq: int, limit: int) -> tuple[Event, ...]:
        """The events that follow this one, oldest first."""
        rows = self._connection.execute(
            f"{_SELECT}e.project_id = ? AND e.seq > ? ORDER BY e.seq LIMIT ?", (self._project_id, seq, limit)
        )
        return tuple(_event(row) for row in rows)

    def page(self, window: Window, *, subject_id: str | None) -> Page[Event]:
        """Events newest first, of one record or of all."""
        # By record: otherwise SQLite walks all events of the project instead of these few.
        walked = self._connection.unindexed if subject_id is not None else ""
        where = Where(f"{walked}e.project_id = ?", self._project_id)
        where.equals("e.subject_id", subject_id)
        if window.cursor:
            where.add("e.seq < ?", number_cursor(window.cursor))
        rows = self._connection.execute(
            f"{_SELECT}{where} ORDER BY e.seq DESC LIMIT ?", (*where.values, window.limit + 1)
        )
        return page(rows, window, _event, lambda event: str(event.seq))

    def tells_of(self, *subject_ids: str) -> bool:
        """Whether there is an event of any of these."""
        marks = ", ".join("?" * len(subject_ids))
        row = self._connection.execute(
            f"SELECT 1 FROM events e WHERE {self._connection.unindexed}e.project_id = ? AND e.subject_id IN ({marks})"
            " LIMIT 1",
            (self._project_id, *subject_ids),
        ).fetchone()
        return row is not None

    def walk(self) -> Iterator[Event]:
        """Every event, oldest first, without holding them all."""
        rows = self._connection.stream(f"{_SELECT}e.project_id = ? ORDER BY e.seq", (self._project_id,))
        return map(_event, rows)


@decoding
def _event(row: Row) -> Event:
    (seq, at, actor, actor_key, role, action, subject, subject_id, before, after, details, previous, hash) = row
    return Event(
        seq, at, actor, actor_key, role, action, Subject(subject), subject_id, before, after, json.loads(details),
        previous, hash,
    )  # fmt: skip
