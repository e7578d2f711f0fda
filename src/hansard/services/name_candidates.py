"""Names the candidates of a receipt for a person: a decision by number and title, a memory by its first words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.policy import Act, Matter, may
from hansard.domain.receipts import Kind
from hansard.domain.rendering import first_line, foreign

if TYPE_CHECKING:
    from hansard.domain.receipts import Receipt, ReceiptLine
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction


def name_candidates(seat: Seat, receipt: Receipt) -> dict[str, str]:
    """What each candidate is called today, by its id. What is gone has no name, and a receipt keeps none.

    The words of what waits for review are told to reviewers only.
    """
    seat.require(Act.READ_PRIVATE, Matter(owner=receipt.agent))
    reviews = may(seat.actor, Act.REVIEW_GUARD)
    with seat.reading() as tx:
        found = {line.id: _name(tx, line, reviews=reviews) for line in receipt.lines}
    return {id: name for id, name in found.items() if name}


def _name(tx: Transaction, line: ReceiptLine, *, reviews: bool) -> str:
    match line.kind:
        case Kind.DECISION:
            decision = tx.decisions.get(line.id)
            return "" if decision is None else f"{decision.ref} {decision.title}"
        case Kind.MEMORY:
            memory = tx.memories.get(line.id)
            if memory is None or (memory.is_quarantined and not reviews):
                return ""
            label = foreign(memory).removeprefix(", ")
            said = first_line(memory.content)
            return f"{label and f'[{label}] '}{said}"
        case Kind.RUN:
            run = tx.runs.get(line.id)
            return "" if run is None else f"{run.agent}: {first_line(run.task or '')}".rstrip(": ")
        case Kind.SESSION:
            session = tx.sessions.get(line.id)
            return "" if session is None else first_line(session.focus)
        case Kind.GUIDANCE:
            return ""
