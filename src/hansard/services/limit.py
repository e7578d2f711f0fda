"""Limits how much agents write: so many writes a minute, so many memories and open proposals. People are exempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from hansard.clock import iso
from hansard.domain.errors import QuotaReached, TooManyWrites
from hansard.domain.vocabulary import Role

if TYPE_CHECKING:
    from hansard.services.seat import Seat
    from hansard.store.ports import Guard, Store, Transaction

MICROSECONDS_PER_MINUTE = 60_000_000
WRITES_BETWEEN_COUNTS = 100
COUNTED_MAX = 20_000
"""Counting an agent's memories looks at all of a project. Up to this size that costs about as much as a write; in a
larger one a process that knows nothing yet counts at the agent's first write in a minute and at every hundredth."""
BATCH_COUNTED_MIN = 20
"""A write that adds more than this is counted whichever it is."""
AGENTS_REMEMBERED_MAX = 1_024
EXEMPT = frozenset({Role.HUMAN, Role.SERVICE})


class _Counted(NamedTuple):
    """How many memories an agent had, and the number of the newest memory then. Later ones have higher numbers."""

    memories: int
    newest: int


_counted: WeakKeyDictionary[Store, dict[tuple[str, str], _Counted]] = WeakKeyDictionary()
"""What this process counted last, by project and agent. Whoever added since, the numbers tell how many at most."""


def count_write(tx: Transaction, seat: Seat, *, ends: bool = False) -> None:
    """Counts the write that is about to be committed. Raises TooManyWrites or QuotaReached, and then it is undone.

    One that ends something is never one too many: nothing ends twice, so it takes no more of them than began.
    """
    actor, settings = seat.actor, seat.settings
    if actor.roles & EXEMPT:
        return
    minute = minute_of(tx, seat)
    guard = seat.store.guard(tx)
    writes = guard.count_write(actor.key, minute)
    if not ends and settings.guard_writes_per_minute and writes > settings.guard_writes_per_minute:
        again = iso((minute + 1) * MICROSECONDS_PER_MINUTE)
        raise TooManyWrites(
            f"{actor.name} has written {_counted_as(settings.guard_writes_per_minute, 'time', 'times')} in this minute,"
            " which is the limit"
            f" (guard.writes_per_minute); nothing was written. Try again at {again}."
        )
    # Only what adds is refused: whoever is over a limit can still forget, end and withdraw.
    if tx.memories.added and settings.guard_memories_max:
        _count_memories(tx, seat, guard, writes)
    proposed, pending_max = tx.inbox.added, settings.guard_pending_max
    # Nobody has more proposals than the newest one has for its number.
    if proposed and pending_max and tx.inbox.newest > pending_max:
        pending = guard.count_pending(actor.key)
        if pending > pending_max:
            waits = pending - proposed
            raise QuotaReached(
                f"{_counted_as(waits, 'proposal', 'proposals')} of {actor.name} {'waits' if waits == 1 else 'wait'} for"
                f" review, and the limit is {pending_max:,} (guard.pending_max); nothing was written. Have"
                f" {'it' if waits == 1 else 'some of them'} reviewed first, or have a person raise the limit."
            )


def minute_of(tx: Transaction, seat: Seat) -> int:
    """The minute that the record says, unless a clock was wrong: then the one of the clock that all machines share.

    Where the record lies ahead no minute would pass, or each machine would count in one of its own.
    """
    shared = seat.store.clock(tx)
    is_right = abs(tx.now - shared) <= MICROSECONDS_PER_MINUTE
    return (tx.now if is_right else shared) // MICROSECONDS_PER_MINUTE


def _counted_as(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def count_file(seat: Seat) -> None:
    """Counts a file that is about to be written beside the record. Raises TooManyWrites, and then it is not written."""
    if seat.actor.roles & EXEMPT:
        return
    # Imported here because `repeat` counts answers that it keeps.
    from hansard.services.repeat import note_work

    with seat.writing() as tx:
        count_write(tx, seat)
        note_work(seat.store, tx)


def _count_memories(tx: Transaction, seat: Seat, guard: Guard, writes: int) -> None:
    actor, limit, newest = seat.actor, seat.settings.guard_memories_max, tx.memories.newest
    here, place = _counted.setdefault(seat.store, {}), (tx.project_id, actor.key)
    known = here.get(place, _Counted(0, 0))
    if known.memories + newest - known.newest <= limit:
        return
    due = writes % WRITES_BETWEEN_COUNTS == 1 or tx.memories.added > BATCH_COUNTED_MIN
    if place not in here and newest > COUNTED_MAX and not due:
        return
    found = guard.count_memories(actor.key)
    if found > limit:
        added = tx.memories.added
        had = found - added
        # Of a batch its size is the news, and to forget helps only if there is something.
        adding = "" if added == 1 else f", this would add {added:,}"
        fewer = "" if added == 1 else "write fewer at once, "
        forget = "forget what is no longer needed, " if had else ""
        advice = f"{fewer}{forget}or have a person raise the limit."
        raise QuotaReached(
            f"{actor.name} has {_counted_as(had, 'memory', 'memories')} in this project{adding}, and the limit is"
            f" {limit:,} (guard.memories_max); nothing was written. {advice[0].upper()}{advice[1:]}"
        )
    if len(here) >= AGENTS_REMEMBERED_MAX:
        here.clear()
    here[place] = _Counted(found, newest)
