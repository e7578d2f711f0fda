"""Takes ratings of memories and reports what gets used."""

from __future__ import annotations

from hansard.domain import text
from hansard.domain.actors import key_of
from hansard.domain.errors import AlreadyRated, Forgotten, Invalid, shown
from hansard.domain.limits import REASON_BYTES_MAX, SEARCH_TEXT_BYTES_MAX
from hansard.domain.memories import MICROSECONDS_PER_DAY, Memory
from hansard.domain.numbers import whole
from hansard.domain.paging import Listing, Window
from hansard.domain.policy import Act, Matter, may
from hansard.domain.usage import RATING_WEIGHT, Rating, Sighting, UsageSummary, posterior_step
from hansard.domain.vocabulary import Subject
from hansard.services import chronicle
from hansard.services.admission import screen_text
from hansard.services.remember import find_memory
from hansard.services.seat import Seat, find_own_run

REPORT_DAYS_MAX = 3_650


def rate(seat: Seat, memory_id: str, *, useful: bool, note: str | None = None, run_id: str | None = None) -> Memory:
    """Says whether a memory helped.

    In a run an agent rates a memory once, and more is a conflict. Without a run one rating a day counts, the last one.
    What an agent says of its own memory is kept and counts for nothing.
    """
    if not isinstance(useful, bool):
        raise Invalid(f"useful must be true or false; {shown(useful)} is not.")
    cleaned = text.optional_prose(note, field="note", bytes_max=REASON_BYTES_MAX)
    cleaned = None if cleaned is None else screen_text(seat, cleaned, field="note")
    with seat.writing() as tx:
        memory = find_memory(tx, seat, memory_id)
        if memory.is_forgotten:
            raise Forgotten(f"The memory {memory.id} was forgotten; there is nothing left to rate.")
        run = find_own_run(tx, seat, run_id, seat.actor.name)
        today = tx.now - tx.now % MICROSECONDS_PER_DAY
        earlier = tx.usage.rating(memory.id, agent_key=seat.actor.key, run_id=run.id if run else None, since=today)
        if run is not None and earlier is not None:
            raise AlreadyRated(f"{seat.actor.name} has rated this memory in this run already.")
        weight = 0.0 if key_of(memory.agent) == seat.actor.key else RATING_WEIGHT
        given = Rating(
            earlier.id if earlier else tx.new_id(), memory.id, seat.actor.key, run.id if run else None,
            1.0 if useful else -1.0, weight, cleaned, tx.now,
        )  # fmt: skip
        alpha, beta = posterior_step(given.signal, given.weight)
        if earlier is None:
            tx.usage.rate(given)
        else:
            undone = posterior_step(earlier.signal, earlier.weight)
            alpha, beta = alpha - undone[0], beta - undone[1]
            tx.usage.rate_again(given)
        tx.memories.move_posterior(memory.id, alpha=alpha, beta=beta)
        told = {"useful": "yes" if useful else "no"} | ({"run": run.id} if run else {})
        chronicle.remarked(tx, seat.actor, "memory.rated", Subject.MEMORY, memory, told)
        return memory._replace(alpha=memory.alpha + alpha, beta=memory.beta + beta)


def usage(seat: Seat, *, days: int = 30) -> UsageSummary:
    """What was surfaced, shown, read and rated in the last days. Whoever may not see all is told of its own calls."""
    seat.require(Act.READ)
    span = _microseconds(days)
    seat.shelf.flush(seat.project.id)
    with seat.reading() as tx:
        return tx.usage.summary(since=tx.now - span, reader_key=_reader_key(seat))


def retrievals(seat: Seat, *, memory_id: str | None, task: str | None, days: int, page: Window) -> Listing[Sighting]:
    """The retrieval log of the last days, newest first: of a memory, or of tasks with this text.

    Others' calls are for people only.
    """
    seat.require(Act.READ)
    span = _microseconds(days)
    wanted = text.optional_line(task, field="task", bytes_max=SEARCH_TEXT_BYTES_MAX)
    seat.shelf.flush(seat.project.id)
    with seat.reading() as tx:
        memory = None if memory_id is None else find_memory(tx, seat, memory_id)
        return tx.usage.retrievals(
            since=tx.now - span,
            reader_key=_reader_key(seat),
            memory_id=memory.id if memory else None,
            task=wanted,
            window=page,
        )


def _microseconds(days: int) -> int:
    return whole(days, "days", 1, REPORT_DAYS_MAX) * MICROSECONDS_PER_DAY


def _reader_key(seat: Seat) -> str | None:
    """Whose calls are told. Nobody's in particular if the caller sees all, also what waits for review."""
    sees_all = may(seat.actor, Act.READ_PRIVATE, Matter(owner=None)) and may(seat.actor, Act.REVIEW_GUARD)
    return None if sees_all else seat.actor.key
