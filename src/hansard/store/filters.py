"""Owns what a list asks a store for. Plain values, so that asking costs no import of the ports."""

from typing import NamedTuple

from hansard.domain.vocabulary import DecisionStatus, DecisionType, EntryStatus, Importance, MemoryType, Scope, Source

NO_PROJECT = ""
"""The project of a transaction that only looks projects up."""


class EntryFilter(NamedTuple):
    status: EntryStatus | None = None
    types: frozenset[DecisionType] = frozenset()
    author_key: str | None = None
    text: str | None = None
    run_id: str | None = None
    slug_prefix: str | None = None
    memory_id: str | None = None
    quarantined: bool | None = False
    """Whether to list what waits for review, or all else; None is both."""
    held_after: tuple[int, str] | None = None
    """Of what waits for review the oldest first, and only what waits since after this time and id."""


class DecisionFilter(NamedTuple):
    status: DecisionStatus | None = None
    types: frozenset[DecisionType] = frozenset()
    author_key: str | None = None
    text: str | None = None


class MemoryFilter(NamedTuple):
    """`reader_key` restricts to what that agent may see; None sees everything. `forgotten` lists tombstones as well."""

    reader_key: str | None = None
    agent_key: str | None = None
    types: frozenset[MemoryType] = frozenset()
    importance: Importance | None = None
    scope: Scope | None = None
    source: Source | None = None
    tags: tuple[str, ...] = ()
    text: str | None = None
    run_id: str | None = None
    live_at: int | None = None
    citing: tuple[str, ...] = ()
    forgotten: bool = False
    quarantined: bool | None = False
    """Whether to list what waits for review, or all else; None is both."""
    held_after: tuple[int, str] | None = None
    """Of what waits for review the oldest first, and only what waits since after this time and id."""
