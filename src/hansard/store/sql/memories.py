"""Owns the SQL of memories and their tags."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.memories import Memory, digest
from hansard.domain.paging import Page, Window
from hansard.domain.vocabulary import Clearance, FactKind, Importance, MemoryType, Origin, Scope, Source
from hansard.store.filters import MemoryFilter
from hansard.store.sql.rows import Row, Where, decoding, id_cursor, packed, page, unpacked

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

SELECT = """
SELECT m.id, a.name, m.type, m.importance, m.scope, m.source, m.content, m.name, m.tags, m.category, m.citations,
       m.kind, m.subject, m.reason, m.source_ref, m.position, m.run_id, m.session_id, m.entry_id, m.decision_id,
       m.occurred_at, m.expires_at, m.forgotten_at, m.access_count, m.accessed_at, m.version, m.created_at,
       m.updated_at, m.salt, m.alpha, m.beta, m.origin, m.quarantined_at, m.signs, m.cleared
FROM memories m
JOIN actors a ON a.project_id = m.project_id AND a.key = m.agent_key
WHERE """
_INSERT = """
INSERT INTO memories (project_id, id, agent_key, type, importance, scope, source, content, name, tags, category,
    citations, kind, subject, reason, source_ref, position, run_id, session_id, entry_id, decision_id, occurred_at,
    expires_at, forgotten_at, access_count, accessed_at, version, created_at, updated_at, salt, seq, digest,
    origin, quarantined_at, signs, cleared)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_UPDATE = """
UPDATE memories SET type = ?, importance = ?, scope = ?, content = ?, name = ?, tags = ?, category = ?, citations = ?,
    kind = ?, subject = ?, reason = ?, source_ref = ?, position = ?, session_id = ?, entry_id = ?, decision_id = ?,
    occurred_at = ?, expires_at = ?, forgotten_at = ?, agent_key = ?, source = ?, version = ?, created_at = ?,
    updated_at = ?, salt = ?, digest = ?, origin = ?, quarantined_at = ?, signs = ?, cleared = ?
WHERE project_id = ? AND id = ?"""
OWN_WORDS = """NOT (m.origin IN ('tool_output', 'imported_file', 'extraction', 'external')
    AND coalesce(m.cleared, '') <> 'confirmed')"""
"""What may be told beside others without a mark: nothing from outside that no person confirmed."""
_INSERT_TAG = "INSERT INTO memory_tags (project_id, tag, memory_id) VALUES (?, ?, ?)"
_DELETE_TAGS = "DELETE FROM memory_tags WHERE project_id = ? AND memory_id = ?"


class SqlMemories:
    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id
        self.added = 0
        self.newest = 0
        self.held: dict[str, int] = {}

    def insert(self, memories: Sequence[Memory], digests: Sequence[int]) -> int:
        """Stores the memories and returns the first of their consecutive numbers in this store."""
        # Numbers are never reused: an index elsewhere may still know the memory that had one.
        self.added += len(memories)
        first = self._connection.take_numbers(self._project_id, len(memories))
        self.newest = first + len(memories) - 1
        self.held.update((one.id, one.quarantined_at) for one in memories if one.quarantined_at is not None)
        self._connection.executemany(_INSERT, map(self._row, memories, count(first), digests))
        tagged = [(self._project_id, tag, memory.id) for memory in memories for tag in memory.tags]
        if tagged:
            self._connection.executemany(_INSERT_TAG, tagged)
        return first

    def update(self, memory: Memory, mark: int | None = None) -> None:
        """Stores the memory as it is now. With a mark, what was forgotten can be known again by it."""
        self.held.pop(memory.id, None)
        if memory.quarantined_at is not None:
            self.held[memory.id] = memory.quarantined_at
        self._connection.execute(
            _UPDATE,
            (
                memory.type, memory.importance, memory.scope, memory.content, memory.name, packed(memory.tags),
                memory.category, packed(memory.citations), memory.kind, memory.subject, memory.reason,
                memory.source_ref, memory.position, memory.session_id, memory.entry_id, memory.decision_id,
                memory.occurred_at, memory.expires_at, memory.forgotten_at, key_of(memory.agent), memory.source,
                memory.version, memory.created_at, memory.updated_at, memory.salt,
                mark if memory.is_forgotten else digest(memory.content), *_guarded(memory), self._project_id,
                memory.id,
            ),
        )  # fmt: skip
        self._connection.execute(_DELETE_TAGS, (self._project_id, memory.id))
        self._connection.executemany(_INSERT_TAG, [(self._project_id, tag, memory.id) for tag in memory.tags])

    def get(self, memory_id: str) -> Memory | None:
        row = self._connection.execute(
            f"{SELECT}m.project_id = ? AND m.id = ?", (self._project_id, memory_id)
        ).fetchone()
        return memory_of(row) if row else None

    def seq_of(self, memory_id: str) -> int:
        seq = self._connection.execute(
            "SELECT seq FROM memories WHERE project_id = ? AND id = ?", (self._project_id, memory_id)
        ).get
        assert isinstance(seq, int)
        return seq

    def by_seqs(self, seqs: Sequence[int]) -> dict[int, Memory]:
        """The live memories with these numbers, whole; one forgotten or quarantined meanwhile is left out."""
        source, test, bound = self._connection.numbered_memories(seqs)
        rows = self._connection.execute(
            SELECT.replace("SELECT ", "SELECT m.seq, ", 1).replace("memories m", source, 1)
            + f"{test} AND m.forgotten_at IS NULL AND m.quarantined_at IS NULL",
            (bound, self._project_id),
        )
        return {row[0]: memory_of(row[1:]) for row in rows}

    def with_digests(self, digests: Sequence[int], *, forgotten: bool = False) -> dict[int, list[Memory]]:
        """Live memories that may say the same as something new, by the digest of their text; or tombstones by mark."""
        state = "IS NOT NULL" if forgotten else "IS NULL"
        test, bound = self._connection.among("m.digest", digests)
        rows = self._connection.execute(
            SELECT.replace("SELECT ", "SELECT m.digest, ", 1)
            + f"{test} AND {self._connection.unindexed}m.project_id = ? AND m.forgotten_at {state} ORDER BY m.seq",
            (bound, self._project_id),
        )
        found: dict[int, list[Memory]] = {}
        for row in rows:
            found.setdefault(row[0], []).append(memory_of(row[1:]))
        return found

    def count_access(self, memory_id: str, *, now: int) -> None:
        self._connection.execute(
            "UPDATE memories SET access_count = access_count + 1, accessed_at = ? WHERE project_id = ? AND id = ?",
            (now, self._project_id, memory_id),
        )

    def move_posterior(self, memory_id: str, *, alpha: float, beta: float) -> None:
        """Adds to what ratings say of a memory."""
        self._connection.execute(
            "UPDATE memories SET alpha = alpha + ?, beta = beta + ? WHERE project_id = ? AND id = ?",
            (alpha, beta, self._project_id, memory_id),
        )

    def expired(self, *, now: int, limit: int) -> tuple[Memory, ...]:
        rows = self._connection.execute(
            f"{SELECT}m.project_id = ? AND m.forgotten_at IS NULL AND m.expires_at <= ? ORDER BY m.seq LIMIT ?",
            (self._project_id, now, limit),
        )
        return tuple(memory_of(row) for row in rows)

    def count_expired(self, *, now: int) -> int:
        found = self._connection.execute(
            "SELECT count(*) FROM memories m WHERE m.project_id = ? AND m.forgotten_at IS NULL AND m.expires_at <= ?",
            (self._project_id, now),
        ).get
        assert isinstance(found, int)
        return found

    def of_file(self, source_ref: str) -> tuple[Memory, ...]:
        """Everything indexed of this file, expired or not, in the order of its text."""
        rows = self._connection.execute(
            f"{SELECT}m.project_id = ? AND m.source_ref = ? AND m.forgotten_at IS NULL AND m.source = 'file_index'"
            " ORDER BY m.position, m.seq",
            (self._project_id, source_ref),
        )
        return tuple(memory_of(row) for row in rows)

    def files_under(self, prefix: str, *, now: int) -> tuple[str, ...]:
        """The files whose path begins like this and of which something indexed is live."""
        # No text is greater than one that begins with the last code point.
        rows = self._connection.execute(
            "SELECT DISTINCT source_ref FROM memories WHERE project_id = ? AND source_ref >= ? AND source_ref < ?"
            " AND forgotten_at IS NULL AND source = 'file_index' AND expires_at > ? ORDER BY source_ref",
            (self._project_id, prefix, prefix + "\U0010ffff", now),
        )
        return tuple(str(row[0]) for row in rows)

    def page(self, wanted: MemoryFilter, window: Window) -> Page[Memory]:
        where = Where("m.project_id = ?", self._project_id)
        if not wanted.forgotten:
            where.add("m.forgotten_at IS NULL")
        if wanted.quarantined is not None:
            where.add(f"m.quarantined_at IS {'NOT ' if wanted.quarantined else ''}NULL")
        if wanted.reader_key is not None:
            where.add("(m.agent_key = ? OR m.scope = 'team')", wanted.reader_key)
        where.equals("m.agent_key", wanted.agent_key)
        where.any_of("m.type", wanted.types)
        where.equals("m.importance", wanted.importance)
        where.equals("m.scope", wanted.scope)
        where.equals("m.source", wanted.source)
        where.equals("m.run_id", wanted.run_id)
        if wanted.tags:
            marks = ", ".join("?" * len(wanted.tags))
            where.add(
                f"m.id IN (SELECT memory_id FROM memory_tags WHERE project_id = m.project_id AND tag IN ({marks}))",
                *wanted.tags,
            )
        if wanted.citing:
            marks = ", ".join("?" * len(wanted.citing))
            where.add(
                "m.citations <> '[]' AND EXISTS"
                f" (SELECT 1 FROM {self._connection.elements('m.citations', 'c')} WHERE c.value IN ({marks}))",
                *wanted.citing,
            )
        where.mentions(("m.name", "m.content"), wanted.text)
        if wanted.live_at is not None:
            where.add("(m.expires_at IS NULL OR m.expires_at > ?)", wanted.live_at)
        order = where.held("m", wanted.held_after)
        if window.cursor:
            where.add("m.id < ?", id_cursor(window.cursor))
        rows = self._connection.execute(f"{SELECT}{where} ORDER BY {order} LIMIT ?", (*where.values, window.limit + 1))
        return page(rows, window, memory_of, lambda memory: memory.id)

    def core(self, agent_key: str, *, now: int, limit: int) -> tuple[tuple[Memory, ...], int]:
        """Of the agent's live core context the most important and newest, and how much more of it there is."""
        wanted = (
            "m.project_id = ? AND m.forgotten_at IS NULL AND m.quarantined_at IS NULL AND m.type = 'core_context'"
            " AND m.agent_key = ? AND (m.expires_at IS NULL OR m.expires_at > ?)"
        )
        bound = (self._project_id, agent_key, now)
        # Chosen by id first: texts are not to be carried through the sorting.
        rows = self._connection.execute(
            f"{SELECT}m.project_id = ? AND m.id IN (SELECT m.id FROM memories m WHERE {wanted}"
            " ORDER BY CASE m.importance WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END,"
            " m.created_at DESC, m.id DESC LIMIT ?) ORDER BY m.id",
            (self._project_id, *bound, limit),
        )
        found = tuple(memory_of(row) for row in rows)
        if len(found) < limit:
            return found, 0
        every = self._connection.execute(f"SELECT count(*) FROM memories m WHERE {wanted}", bound).get
        return found, every - len(found)

    def top_learnings(self, agent_key: str, *, now: int, limit: int) -> tuple[Memory, ...]:
        """The newest live high-importance learnings and patterns that the agent may see."""
        rows = self._connection.execute(
            f"{SELECT}m.project_id = ? AND m.forgotten_at IS NULL AND m.importance = 'high'"
            " AND m.quarantined_at IS NULL AND m.type IN ('learning', 'pattern')"
            " AND (m.agent_key = ? OR m.scope = 'team') AND (m.expires_at IS NULL OR m.expires_at > ?)"
            " ORDER BY m.id DESC LIMIT ?",
            (self._project_id, agent_key, now, limit),
        )
        return tuple(memory_of(row) for row in rows)

    def _row(self, memory: Memory, seq: int, key: int) -> Row:
        # Taken apart at once: by name, each of ten thousand costs three times as much.
        (id, agent, type, importance, scope, source, content, name, tags, category, citations, kind, subject, reason,
         source_ref, position, run_id, session_id, entry_id, decision_id, occurred_at, expires_at, forgotten_at,
         access_count, accessed_at, version, created_at, updated_at, salt, _, _, origin, quarantined_at, signs,
         cleared, _) = memory  # fmt: skip
        return (
            self._project_id, id, key_of(agent), type, importance, scope, source, content, name, packed(tags), category,
            packed(citations), kind, subject, reason, source_ref, position, run_id, session_id, entry_id, decision_id,
            occurred_at, expires_at, forgotten_at, access_count, accessed_at, version, created_at, updated_at, salt,
            seq, key if forgotten_at is None else None, origin, quarantined_at, packed(signs) if signs else None,
            cleared,
        )  # fmt: skip


def _guarded(memory: Memory) -> Row:
    signs = packed(memory.signs) if memory.signs else None
    return memory.origin, memory.quarantined_at, signs, memory.cleared


@decoding
def memory_of(row: Row) -> Memory:
    (id, agent, type, importance, scope, source, content, name, tags, category, citations, kind, subject, reason,
     source_ref, position, run_id, session_id, entry_id, decision_id, occurred_at, expires_at,
     forgotten_at, access_count, accessed_at, version, created_at, updated_at, salt, alpha, beta, origin,
     quarantined_at, signs, cleared) = row  # fmt: skip
    return Memory(
        id, agent, MemoryType(type), Importance(importance), Scope(scope), Source(source), content, name,
        unpacked(tags), category, unpacked(citations),
        FactKind(kind) if kind else None, subject, reason, source_ref, position, run_id, session_id, entry_id,
        decision_id, occurred_at, expires_at, forgotten_at, access_count, accessed_at, version, created_at, updated_at,
        salt, alpha, beta, Origin(origin) if origin else None, quarantined_at, unpacked(signs) if signs else (),
        Clearance(cleared) if cleared else None,
    )  # fmt: skip
