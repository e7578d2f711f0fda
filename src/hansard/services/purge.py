"""Removes what has expired, on request. Until then an expired memory is found by its id and never by search."""

from __future__ import annotations

from hansard.domain.policy import Act
from hansard.services.remember import erase
from hansard.services.seat import Seat, lived_until

PURGE_BATCH = 500


def purge(seat: Seat, *, dry_run: bool = False) -> int:
    """Forgets every expired memory for good and returns how many there were."""
    seat.require(Act.PURGE)
    if dry_run:
        with seat.reading() as tx:
            return tx.memories.count_expired(now=lived_until(tx))
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
