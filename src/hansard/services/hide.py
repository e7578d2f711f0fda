"""Hides what waits for review from whoever does not review it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hansard.domain.errors import HiddenMemory, UnknownEntry, quoted
from hansard.domain.paging import Window
from hansard.domain.policy import Act, may
from hansard.store.filters import MemoryFilter

if TYPE_CHECKING:
    from hansard.domain.inbox import Entry
    from hansard.domain.ledger import Body, Revision
    from hansard.domain.memories import Memory
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction

WORDS = (
    "content", "name", "title", "slug", "rationale", "tags", "category", "citations", "subject", "reason", "source_ref",
    "session_id",
)  # fmt: skip
"""The fields of a version, of a memory or of an entry, that have words in them."""


def held_now(tx: Transaction, ids: Iterable[str]) -> set[str]:
    """Those of the memories that are in quarantine now."""
    if not tx.memories.page(MemoryFilter(quarantined=True), Window(1)).items:
        return set()
    return {id for id in ids if (one := tx.memories.get(id)) is not None and one.is_quarantined}


def hide_memory(seat: Seat, memory: Memory) -> None:
    """Raises HiddenMemory unless the caller reviews what is in quarantine."""
    if memory.is_quarantined and not may(seat.actor, Act.REVIEW_GUARD):
        raise HiddenMemory(f"There is no memory {memory.id!r} in this project.")


def hide_entry(seat: Seat, entry: Entry, reference: str) -> None:
    """Raises UnknownEntry unless the caller reviews what is in quarantine."""
    if entry.is_quarantined and not may(seat.actor, Act.REVIEW_GUARD):
        raise UnknownEntry(f"There is no inbox entry {quoted(reference, 80)} in this project.")


def hide_versions(seat: Seat, now: Memory | Entry, earlier: Sequence[Revision]) -> tuple[Revision, ...]:
    """The earlier versions, to whoever does not review without those whose words were in quarantine when last said.

    Words that a person holds have a version before that, in which nobody held them yet. So the words are asked, and not
    only the version: what was let out is shown in all of them, and what was held and then replaced in none.
    """
    if may(seat.actor, Act.REVIEW_GUARD):
        return tuple(earlier)
    held: dict[str, bool] = {}
    for body in (*(one.body for one in earlier), now.body()):
        held |= dict.fromkeys(_said(body), body.get("quarantined_at") is not None)
    return tuple(one for one in earlier if not any(held[said] for said in _said(one.body)))


def _said(body: Body) -> Iterator[str]:
    """The content of a version by itself, and all its words: either may be what it waits for."""
    from hansard.domain.chain import canonical

    yield canonical({"content": body.get("content")})
    yield canonical({name: body.get(name) or None for name in WORDS})
