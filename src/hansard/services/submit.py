"""Submits a decision: whoever may decide has decided, everybody else has proposed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.errors import Denied
from hansard.domain.policy import Act, Matter, may
from hansard.domain.trust import trust_of
from hansard.domain.vocabulary import Role, Trust
from hansard.services.decide import decide
from hansard.services.propose import Submission, propose

if TYPE_CHECKING:
    from hansard.domain.decisions import Decision
    from hansard.domain.inbox import Proposal
    from hansard.services.seat import Seat


def submit_decision(seat: Seat, wanted: Proposal) -> Decision | Submission:
    """The decision, if the caller speaks for itself and may decide on this type; else the entry in the inbox."""
    own = key_of(wanted.author) == seat.actor.key
    # Words from outside are decided on by people, never by a model that passes them on.
    foreign = trust_of(wanted.origin) is Trust.OUTSIDE and Role.HUMAN not in seat.actor.roles
    if not own or foreign or not may(seat.actor, Act.DECIDE, Matter(type=wanted.type)):
        return propose(seat, wanted)
    try:
        return decide(
            seat,
            type=wanted.type,
            title=wanted.title or wanted.requested_slug,
            content=wanted.content,
            rationale=wanted.rationale,
            tag_values=wanted.tags,
            run_id=wanted.run_id,
        )
    except Denied:
        # The caller may decide on this type, so it is for where its words come from: they wait for a person.
        return propose(seat, wanted)
