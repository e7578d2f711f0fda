"""Removes what has expired, on request. Until then an expired memory is found by its id and never by search."""

from __future__ import annotations

from hansard.domain.errors import ClockDoubtful
from hansard.domain.memories import MICROSECONDS_PER_DAY
from hansard.domain.policy import Act
from hansard.services.remember import erase
from hansard.services.seat import CLOCK_BEHIND_US_MAX, Seat, lived_until

PURGE_BATCH = 500
OVERDUE_DAYS_MAX = 3
"""Whoever purges every night leaves nothing for longer that has expired, even if some nights are missed."""
TRUST = "If it is right, say so when you purge: `hansard purge --trust-clock`, or trust_clock of the call."


def purge(seat: Seat, *, dry_run: bool = False, trust_clock: bool = False) -> int:
    """Forgets every expired memory for good and returns how many there were.

    Raises ClockDoubtful if there are any, and this clock is ahead of the server's or, where there is no server, by this
    clock alone something expired long ago: what is purged is gone for everybody, and by a wrong clock all has expired.
    """
    seat.require(Act.PURGE)
    with seat.reading() as tx:
        now = lived_until(tx)
        expired = tx.memories.count_expired(now=now)
    if dry_run or not expired:
        return expired
    if not trust_clock:
        _doubt(seat, now)
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


def _doubt(seat: Seat, now: int) -> None:
    servers = seat.store.own_clock()
    if servers is None:
        _doubt_rest(seat, now)
    elif now - servers > CLOCK_BEHIND_US_MAX:
        minutes = (now - servers) // 60_000_000
        raise ClockDoubtful(
            f"Nothing was purged: this clock is {minutes:,} minutes ahead of the database server's. {TRUST}"
        )


def _doubt_rest(seat: Seat, now: int) -> None:
    """What had expired when the project was last changed is certain. That the rest has, this clock alone says."""
    with seat.reading() as tx:
        newest = tx.ledger.get(tx.ledger.head()[0])
        last = now if newest is None else newest.at
        overdue = tx.memories.count_expired(now=now - OVERDUE_DAYS_MAX * MICROSECONDS_PER_DAY)
        if overdue <= tx.memories.count_expired(now=last):
            return
    days = (now - last) // MICROSECONDS_PER_DAY
    raise ClockDoubtful(
        f"Nothing was purged: by this clock the last change of the project {seat.project.key!r} was {days:,} days ago,"
        " and what has expired since may still live if the clock is ahead. If the project rested and the clock is"
        " right, say so when you purge: `hansard purge --trust-clock`, or trust_clock of the call."
    )
