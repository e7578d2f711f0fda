"""Lets out what waited for review: because a person says so, or because a second source bears it out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from hansard.domain import trust
from hansard.domain.actors import key_of
from hansard.domain.inbox import Entry
from hansard.domain.memories import Memory, digests
from hansard.domain.paging import Window
from hansard.domain.vocabulary import Clearance, Role, Subject
from hansard.services import chronicle, doubt
from hansard.services.hold import is_doubtful_beside
from hansard.services.reindex import reindex
from hansard.store.filters import MemoryFilter

if TYPE_CHECKING:
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction

Held = TypeVar("Held", Memory, Entry)
BORNE_OUT = "memory.borne_out"
"""The event that a second, independent source said what waits for review."""


def bear_out(tx: Transaction, seat: Seat, recorded: Iterable[Memory]) -> list[Memory]:
    """Releases what waits for review and was just said again by an independent source. It stays marked as data.

    The other one was known here before, because a new name costs nothing. What it did not say is not borne out, nor
    that something with a secret in it may be read. A service passes on what it was given, in whatever name, so it is
    nobody's second source.
    """
    if Role.SERVICE in seat.actor.roles and Role.HUMAN not in seat.actor.roles:
        return []
    if not tx.memories.page(MemoryFilter(quarantined=True), Window(1)).items:
        return []
    second = [one for one in recorded if not one.is_quarantined]
    alike = tx.memories.with_digests(digests(one.content for one in second)) if second else {}
    released: list[Memory] = []
    known = {one.key: one.created_at for one in tx.actors.all()} if alike else {}
    held = {one.id: one for group in alike.values() for one in group if one.is_quarantined}
    for waiting in held.values():
        if trust.is_for_person(waiting):
            continue
        witness = next(
            (
                one
                for one in second
                if known.get(key_of(one.agent), tx.now) < waiting.created_at
                and trust.is_independent(waiting, one)
                and doubt.doubt_of(tx, one.agent, [one.content]).origin is None
            ),
            None,
        )
        if witness is not None and not is_doubtful_beside(waiting):
            after = cleared_memory(tx, seat, waiting, Clearance.RELEASED)
            chronicle.changed(tx, seat.actor, BORNE_OUT, Subject.MEMORY, waiting, after, {"by": witness.id})
            released.append(after)
    return released


def cleared(before: Held, how: Clearance, now: int) -> Held:
    """The next version of a memory or an entry: out of quarantine, without the signs that only said why it waited."""
    signs = trust.lasting(before.signs)
    return before._replace(quarantined_at=None, cleared=how, signs=signs, version=before.version + 1, updated_at=now)


def cleared_memory(tx: Transaction, seat: Seat, before: Memory, how: Clearance) -> Memory:
    """Takes the memory out of quarantine and into the index. The caller writes the event."""
    after = cleared(before, how, tx.now)
    tx.memories.update(after)
    reindex(tx, seat, before, after)
    return after
