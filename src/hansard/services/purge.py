"""Removes what has expired, on request. Until then an expired memory is found by its id and never by search."""

from __future__ import annotations

from hansard.domain.errors import ClockDoubtful
from hansard.domain.memories import MICROSECONDS_PER_DAY
from hansard.domain.policy import Act
from hansard.services.remember import erase
from hansard.services.seat import CLOCK_BEHIND_US_MAX, Seat, lived_until

PURGE_BATCH = 500
RESTED_DAYS_MAX = 60
"""Twice as long as anything lives that expires. Whoever purges now and then never lets a project rest for longer with
something to purge in it."""
TRUST = "If it is right, purge with --trust-clock."


def purge(seat: Seat, *, dry_run: bool = False, trust_clock: bool = False) -> int:
    """Forgets every expired memory for good and returns how many there were.

    Raises ClockDoubtful if there are any, and this clock is ahead of the server's or, where there is no server, far
    ahead of the last change: what is purged is gone for everybody, and by a wrong clock everything has expired.
    """
    seat.require(Act.PURGE)
    with seat.reading() as tx:
        now = lived_until(tx)
        expired = tx.memories.count_expired(now=now)
        newest = tx.ledger.get(tx.ledger.head()[0])
    if dry_run or not expired:
        return expired
    if not trust_clock:
        _doubt(seat, now, now if newest is None else newest.at)
    count = 0
    while True:
        with seat.writing() as tx:
            batch = tx.memories.expired(now=lived_until(tx), limit=PURGE_BATCH)
            for memory in batch:
                erase(tx, seat, memory)
        count += len(batch)
        if len(batch) < PURGE_BATCH:
            break
    if count:
        seat.store.erase_traces(seat.project.id)
    return count


def _doubt(seat: Seat, now: int, last: int) -> None:
    servers = seat.store.own_clock()
    if servers is not None:
        if now - servers > CLOCK_BEHIND_US_MAX:
            minutes = (now - servers) // 60_000_000
            raise ClockDoubtful(
                f"Nothing was purged: this clock is {minutes:,} minutes ahead of the database server's. {TRUST}"
            )
    elif now - last > RESTED_DAYS_MAX * MICROSECONDS_PER_DAY:
        days = (now - last) // MICROSECONDS_PER_DAY
        raise ClockDoubtful(
            f"Nothing was purged: by this clock the last change of the project {seat.project.key!r} was {days:,} days"
            f" ago. {TRUST}"
        )
