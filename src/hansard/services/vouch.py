"""Vouches for nothing that somebody else put in the place of what a reviewer has read."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.errors import StaleVersion
from hansard.domain.inbox import Entry
from hansard.domain.vocabulary import Subject

if TYPE_CHECKING:
    from hansard.domain.memories import Memory
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction

READ = (
    "content", "title", "rationale", "name", "subject", "reason", "type", "importance", "scope", "category", "tags",
    "citations",
)  # fmt: skip
"""What a reviewer reads: the words, what is written beside them, and how far they are to go."""


def refuse_unseen(tx: Transaction, seat: Seat, record: Memory | Entry, act: str, given: Collection[str] = ()) -> None:
    """Raises StaleVersion if somebody else changed what there is to read since it was recorded.

    For whoever names no version: nothing tells which one they have read. What they gave anew themselves they know.
    """
    kind = Subject.ENTRY if isinstance(record, Entry) else Subject.MEMORY
    earlier = tx.revisions.of(kind, record.id) if record.version > 1 else ()
    states = [*(one.body for one in earlier), record.body()]
    changed = {
        field
        for one, (was, now) in zip(earlier, pairwise(states), strict=True)
        if key_of(one.changed_by) != seat.actor.key
        for field in READ
        if field not in given and field in was and _as_kept(was[field]) != _as_kept(now.get(field))
    }
    if not changed:
        return
    named, reference = f"The memory {record.id}", record.id
    if isinstance(record, Entry):
        named, reference = f"{record.ref} ({record.slug})", record.ref
    raise StaleVersion(
        f"{named} was changed since it was recorded ({', '.join(sorted(changed))}). Read it with `hansard guard show"
        f" {reference}`, and {act} the version you read: {reference}@{record.version}."
    )


def _as_kept(value: object) -> object:
    """A field as an earlier version has it: several words are a list there."""
    return list(value) if isinstance(value, tuple) else value
