"""Owns how many requests compute at once. More threads than that would only take the interpreter from each other."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeVar

from anyio import CapacityLimiter, WouldBlock, move_on_after
from anyio.to_thread import run_sync

from hansard.domain.errors import StoreBusy

READERS, WRITERS, LONG = 3, 4, 4
"""Of a file. Readers compute; of the writers one computes, and the others wait for the disk."""
ASKING_A_SERVER = 16
"""Who asks a database server mostly waits for it, and does not compute meanwhile."""
TURN_SECONDS_MAX = 15.0
"""How long a request waits for its turn. While another process holds the file, all who write stand in line."""

Result = TypeVar("Result")


class Lane(Enum):
    """What a request does: a short read, a short write, or something long that must not hold up either."""

    READ = "read"
    WRITE = "write"
    LONG = "long"


class Lanes:
    """A queue for each kind of request, in the order of their coming."""

    def __init__(self, *, store_is_remote: bool) -> None:
        readers, writers = (ASKING_A_SERVER, ASKING_A_SERVER) if store_is_remote else (READERS, WRITERS)
        sizes = {Lane.READ: readers, Lane.WRITE: writers, Lane.LONG: LONG}
        self._limiters = {lane: CapacityLimiter(size) for lane, size in sizes.items()}
        # Whoever has its turn has its thread, whatever else the process does.
        self._threads = CapacityLimiter(sum(sizes.values()))

    async def run(self, lane: Lane, work: Callable[[], Result]) -> Result:
        """Does the work in a thread, in turn. Raises StoreBusy if its turn does not come."""
        limiter = self._limiters[lane]
        me = object()
        try:
            limiter.acquire_on_behalf_of_nowait(me)
        except WouldBlock:
            await _turn(limiter, me)
        try:
            return await run_sync(work, limiter=self._threads)
        finally:
            limiter.release_on_behalf_of(me)


async def _turn(limiter: CapacityLimiter, me: object) -> None:
    with move_on_after(TURN_SECONDS_MAX):
        await limiter.acquire_on_behalf_of(me)
        return
    raise StoreBusy("The server has more to do than it can; try again in a moment.")
