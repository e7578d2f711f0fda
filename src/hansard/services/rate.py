"""Takes ratings of memories and reports what gets used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain import text
from hansard.domain.errors import AlreadyRated, Forgotten, Invalid, shown
from hansard.domain.limits import REASON_BYTES_MAX
from hansard.domain.memories import Memory
from hansard.domain.policy import Act, Matter, may
from hansard.domain.usage import RATING_WEIGHT, Rating, UsageSummary, posterior_step
from hansard.domain.vocabulary import Scope
from hansard.services.remember import find_memory
from hansard.services.seat import Seat, find_run

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

MICROSECONDS_PER_DAY = 86_400_000_000
REPORT_DAYS_MAX = 3_650


def rate(seat: Seat, memory_id: str, *, useful: bool, note: str | None = None, run_id: str | None = None) -> Memory:
    """Says whether a memory helped. In a run an agent rates a memory once; more is a conflict."""
    if not isinstance(useful, bool):
        raise Invalid(f"useful must be true or false; {shown(useful)} is not.")
    cleaned = text.optional_prose(note, field="note", bytes_max=REASON_BYTES_MAX)
    with seat.writing() as tx:
        memory = find_memory(tx, seat, memory_id)
        if memory.is_forgotten:
            raise Forgotten(f"The memory {memory.id} was forgotten; there is nothing left to rate.")
        run = find_run(tx, run_id)
        if run is not None and tx.usage.rated(memory.id, agent_key=seat.actor.key, run_id=run.id):
            raise AlreadyRated(f"{seat.actor.name} has rated this memory in this run already.")
        signal = 1.0 if useful else -1.0
        alpha, beta = posterior_step(signal, RATING_WEIGHT)
        tx.usage.rate(
            Rating(
                tx.new_id(), memory.id, seat.actor.key, run.id if run else None, signal, RATING_WEIGHT, cleaned, tx.now
            )
        )
        tx.memories.move_posterior(memory.id, alpha=alpha, beta=beta)
        return memory._replace(alpha=memory.alpha + alpha, beta=memory.beta + beta)


def usage(seat: Seat, *, days: int = 30) -> UsageSummary:
    """What was surfaced, shown, read and rated in the last days, by source."""
    seat.require(Act.READ)
    if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= REPORT_DAYS_MAX:
        raise Invalid(f"days must be a whole number from 1 to {REPORT_DAYS_MAX}; {shown(days)} is not.")
    seat.shelf.flush(seat.project.id)
    with seat.reading() as tx:
        reader = None if may(seat.actor, Act.READ_PRIVATE, Matter(owner=None)) else seat.actor.key
        report = tx.usage.summary(since=tx.now - days * MICROSECONDS_PER_DAY, reader_key=reader)
        visible = tuple(one for one in report.top if _may_see(tx, seat, one[0]))
    return report._replace(top=visible)


def _may_see(tx: Transaction, seat: Seat, memory_id: str) -> bool:
    memory = tx.memories.get(memory_id)
    if memory is None:
        return False
    return may(seat.actor, Act.READ_PRIVATE, Matter(owner=memory.agent, team=memory.scope is Scope.TEAM))
