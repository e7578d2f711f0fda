"""Finds the memory that says the same as another one, so that no write makes two equal ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.errors import MemoryKnown
from hansard.domain.memories import Memory, digest, normalised
from hansard.services.seat import lived_until

if TYPE_CHECKING:
    from hansard.store.ports import Transaction


def find_equal(tx: Transaction, said: Memory) -> Memory | None:
    """The oldest other live memory of the same agent, scope and place with the same words; case and blanks apart.

    One that ends sooner is left out: it cannot take the place of one that stays.
    """
    alike, now = tx.memories.with_digests([digest(said.content)]).values(), lived_until(tx)
    return next((one for group in alike for one in group if _stands_for(said, one, now)), None)


def refuse_equal(tx: Transaction, said: Memory) -> None:
    """Raises MemoryKnown if another memory says what this one is about to say."""
    known = find_equal(tx, said)
    if known is not None:
        raise MemoryKnown(f"Nothing was changed: the memory {known.id} says the same already.")


def _stands_for(said: Memory, one: Memory, now: int) -> bool:
    lasts = one.expires_at is None or (said.expires_at is not None and one.expires_at >= said.expires_at)
    return (
        one.id != said.id
        and not one.is_quarantined
        and lasts
        and not one.is_expired(now)
        and key_of(one.agent) == key_of(said.agent)
        and one.scope is said.scope
        and (one.source_ref, one.position) == (said.source_ref, said.position)
        and normalised(one.content) == normalised(said.content)
    )
