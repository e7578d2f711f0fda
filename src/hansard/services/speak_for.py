"""Refuses words in the name of somebody who would not have said them: a person's, or an agent's core context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.policy import Act, Matter
from hansard.domain.trust import trust_of
from hansard.domain.vocabulary import MemoryType, Role, Trust

if TYPE_CHECKING:
    from hansard.domain.memories import Note
    from hansard.domain.vocabulary import Origin, Source
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction


def require_name(seat: Seat, act: Act, *names: str) -> None:
    """Raises Denied if the actor may not act for one of these, Impersonation if that is a person and the actor is none.

    Asked before any transaction is open: who acted here is looked for in the whole history.
    """
    for name in names:
        seat.require(act, Matter(owner=name))
    others = [] if Role.HUMAN in seat.actor.roles else [one for one in names if key_of(one) != seat.actor.key]
    if not others:
        return
    with seat.reading() as tx:
        persons = _persons(tx)
    for name in others:
        seat.require(act, Matter(owner=name, person=key_of(name) in persons))


def _persons(tx: Transaction) -> set[str]:
    # The role that an import puts down for a name is a guess; what somebody did here is none.
    acted = tx.ledger.roles()
    guessed = {one.key for one in tx.actors.all() if one.role == Role.HUMAN and one.key not in acted}
    return guessed | {key for key, roles in acted.items() if Role.HUMAN in roles}


def refuse_core(seat: Seat, notes: Sequence[Note], origins: Mapping[tuple[Origin | None, Source], Origin]) -> None:
    """Raises Denied if a note is core context of somebody whose the actor may not write.

    What says of itself that it is from outside is left alone: it waits for a person.
    """
    core = (one for one in notes if one.type is MemoryType.CORE_CONTEXT)
    for owner in {one.agent for one in core if trust_of(origins[one.origin, one.source]) is not Trust.OUTSIDE}:
        seat.require(Act.RECORD, Matter(owner=owner, core=True))
