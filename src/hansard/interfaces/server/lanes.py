"""Owns how many requests compute at once. More threads than that would only take the interpreter from each other."""

from __future__ import annotations

from enum import Enum

import anyio

READERS, WRITERS = 3, 4
"""Of a file. Readers compute; of the writers one computes, and the others wait for the disk."""
ASKING_A_SERVER = 16
"""Who asks a database server mostly waits for it, and does not compute meanwhile."""


class Lane(Enum):
    """What a request does: a short read, a short write, or something long that must not hold up either."""

    READ = "read"
    WRITE = "write"
    LONG = "long"


class Lanes:
    """A queue for each kind of request, in the order of their coming."""

    def __init__(self, *, store_is_remote: bool) -> None:
        readers, writers = (ASKING_A_SERVER, ASKING_A_SERVER) if store_is_remote else (READERS, WRITERS)
        self._limiters = {Lane.READ: anyio.CapacityLimiter(readers), Lane.WRITE: anyio.CapacityLimiter(writers)}

    def limiter(self, lane: Lane) -> anyio.CapacityLimiter | None:
        """Who may go on. Long work has none of its own: it is bounded by the threads of the process."""
        return self._limiters.get(lane)
