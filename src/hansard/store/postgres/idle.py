"""Gives connections back to the server that nobody has used for a while: others may be waiting for a place there."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hansard.store.postgres.line import Line

IDLE_SECONDS_MAX = 10.0
"""A process that is at work uses a connection more often than that; a new one costs it some milliseconds."""
KEPT = 1
"""Of those for calls, so that the next call need not connect first."""


class Idle:
    """Connections that nobody uses: those for calls, and those that listen. Whoever calls it holds the guard."""

    def __init__(self, guard: threading.Lock, calling: list[Line]) -> None:
        self._guard, self._calling = guard, calling
        self._listening: list[Line] = []
        self._timer: threading.Timer | None = None

    def add(self, raw: Line, *, listens: bool = False) -> None:
        raw.idle_since = time.monotonic()
        (self._listening if listens else self._calling).append(raw)
        self._look_later()

    def take_listener(self) -> Line | None:
        return self._listening.pop() if self._listening else None

    def clear(self) -> list[Line]:
        """Takes all of them; whoever took them closes them."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        taken = [*self._calling, *self._listening]
        self._calling.clear()
        self._listening.clear()
        return taken

    def _look_later(self) -> None:
        waiting = [*self._calling[:-KEPT], *self._listening]
        if self._timer is None and waiting:
            due = min(one.idle_since for one in waiting) + IDLE_SECONDS_MAX
            self._timer = threading.Timer(max(0.0, due - time.monotonic()), self._look)
            self._timer.daemon = True
            self._timer.start()

    def _look(self) -> None:
        with self._guard:
            self._timer = None
            since = time.monotonic() - IDLE_SECONDS_MAX
            # The one that came back last is used next, so those in front have been idle for longest.
            long = [one for one in (*self._calling[:-KEPT], *self._listening) if one.idle_since <= since]
            for kept in (self._calling, self._listening):
                kept[:] = [one for one in kept if one not in long]
            self._look_later()
        for raw in long:
            raw.close()
