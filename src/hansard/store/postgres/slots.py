"""Owns who may have a connection: so many at once, and never all of them for those who write."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from hansard.domain.errors import StoreBusy

READERS_SHARE = 4
"""One connection of so many is for readers alone: writers that wait for a project must not keep them waiting too."""
LOOK_SECONDS = 0.25


class Slots:
    """The places of a pool. Safe to use from many threads."""

    def __init__(self, count: int, place: str) -> None:
        self._told = f"All {count} connections to {place} are in use; try again."
        self._every = threading.Semaphore(count)
        self._writers = threading.Semaphore(max(1, count - max(1, count // READERS_SHARE)))

    @contextmanager
    def held(self, wait_seconds: float, look: Callable[[], None], *, writes: bool) -> Iterator[None]:
        """A place. Raises StoreBusy if none is free in time, or what `look` raises, which is asked meanwhile."""
        until = time.monotonic() + wait_seconds
        with ExitStack() as held:
            for places in (self._writers, self._every) if writes else (self._every,):
                while not places.acquire(timeout=max(0.0, min(LOOK_SECONDS, until - time.monotonic()))):
                    look()
                    if time.monotonic() >= until:
                        raise StoreBusy(self._told)
                held.callback(places.release)
            yield
