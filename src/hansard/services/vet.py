"""Vets what a model would make law by itself: its words are judged like those of a proposal that a model accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.policy import Act, Matter, require
from hansard.domain.vocabulary import Clearance, Role

if TYPE_CHECKING:
    from hansard.domain.decisions import Decision
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction


def vet(tx: Transaction, seat: Seat, act: Act, decision: Decision) -> None:
    """Lets a decision come into force. Raises Denied if a person must review its words first.

    A person may decide anything, and what a person vouched for is in force by that person's word.
    """
    if Role.HUMAN not in seat.actor.roles and decision.cleared is not Clearance.CONFIRMED:
        _judge(tx, seat, act, decision, frozenset())


def vet_change(tx: Transaction, seat: Seat, before: Decision, said: Decision) -> None:
    """Lets a decision say something else. Raises Denied if a person must review that first."""
    if Role.HUMAN in seat.actor.roles:
        return
    if _is_a_persons(tx, before):
        require(seat.actor, Act.AMEND, Matter(type=before.type, outside=True, promoted=True))
    _judge(tx, seat, Act.AMEND, said, frozenset(_every_word(before)))


def _is_a_persons(tx: Transaction, decision: Decision) -> bool:
    """Whether it came from outside and a person accepted it. No model accepts such a thing, but what a file brought."""
    entry = tx.inbox.get(decision.entry_id) if decision.entry_id else None
    if entry is None:
        return False
    from hansard.services.review import is_doubted

    filed = entry.is_from_file and not entry.signs
    return is_doubted(entry) and not (filed and decision.cleared is None)


def _judge(tx: Transaction, seat: Seat, act: Act, decision: Decision, known: frozenset[str]) -> None:
    # Imported here because a list of decisions needs none of what judges words.
    from hansard.services.doubt import spelled, telling
    from hansard.services.hold import needs_review

    known = known.union(map(spelled, known))
    content, *beside = decision.words
    labels = [spelled(one) for one in (*decision.tags, *decision.applies_to)]
    new = [one for one in dict.fromkeys((*_every_word(decision), *labels)) if one not in known]
    prose = [one for one in telling(content, *beside) if one not in known]
    # A sentence that is a tag or a path is read in the block of everybody, as one in the rationale is.
    labelled = telling("", *labels, *decision.tags, *decision.applies_to)
    told = [*prose, " ".join(prose), *(one for one in labelled if one not in known)]
    authors = (seat.actor.name, decision.author)
    pieces = [one for one in (decision.title, content, decision.rationale, *labels) if one]
    if needs_review(tx, authors, new, [one for one in told if one], pieces):
        require(seat.actor, act, Matter(type=decision.type, outside=True))


def _every_word(decision: Decision) -> list[str]:
    return [one for one in (*decision.words, *decision.tags, *decision.applies_to) if one]
