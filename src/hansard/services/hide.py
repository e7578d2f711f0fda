"""Hides what waits for review from whoever does not review it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hansard.domain.errors import HiddenMemory, UnknownEntry, quoted
from hansard.domain.paging import Window
from hansard.domain.policy import Act, may
from hansard.store.filters import MemoryFilter

if TYPE_CHECKING:
    from hansard.domain.inbox import Entry
    from hansard.domain.memories import Memory
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction


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
