"""Limits how much agents write: so many writes a minute, so many memories and open proposals. People are exempt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.clock import iso
from hansard.domain.errors import QuotaReached, TooManyWrites
from hansard.domain.vocabulary import Role

if TYPE_CHECKING:
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction

MICROSECONDS_PER_MINUTE = 60_000_000
WRITES_BETWEEN_COUNTS = 100
"""Counting everything that an agent has costs more than a write, so it is done at its first write in a minute and then
at every hundredth."""
BATCH_COUNTED_MIN = 20
"""A write that adds more than this is counted whichever it is."""
EXEMPT = frozenset({Role.HUMAN, Role.SERVICE})


def count_write(tx: Transaction, seat: Seat) -> None:
    """Counts the write that is about to be committed. Raises TooManyWrites or QuotaReached, and then it is undone."""
    actor, settings = seat.actor, seat.settings
    if actor.roles & EXEMPT:
        return
    minute = tx.now // MICROSECONDS_PER_MINUTE
    guard = seat.store.guard(tx)
    writes = guard.count_write(actor.key, minute)
    if settings.guard_writes_per_minute and writes > settings.guard_writes_per_minute:
        again = iso((minute + 1) * MICROSECONDS_PER_MINUTE)
        raise TooManyWrites(
            f"{actor.name} has written {settings.guard_writes_per_minute:,} times in this minute, which is the limit"
            f" (guard.writes_per_minute); nothing was written. Try again at {again}."
        )
    added, proposed = tx.memories.added, tx.inbox.added
    if writes % WRITES_BETWEEN_COUNTS != 1 and added + proposed <= BATCH_COUNTED_MIN:
        return
    # Only what adds is refused: whoever is over a limit can still forget, end and withdraw.
    memories_max, pending_max = settings.guard_memories_max, settings.guard_pending_max
    if added and memories_max and guard.count_memories(actor.key, up_to=memories_max + 1) > memories_max:
        raise QuotaReached(
            f"{actor.name} has {memories_max:,} memories in this project, which is the limit (guard.memories_max);"
            " nothing was written. Forget what is no longer needed, or have a person raise the limit."
        )
    if proposed and pending_max and guard.count_pending(actor.key, up_to=pending_max + 1) > pending_max:
        raise QuotaReached(
            f"{pending_max:,} proposals of {actor.name} wait for review, which is the limit (guard.pending_max);"
            " nothing was written. Have some of them reviewed first, or have a person raise the limit."
        )
