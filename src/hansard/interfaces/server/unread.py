"""Owns answers that wait for their reader: they are taken at a pace, and all of them together have a limit."""

from __future__ import annotations

import asyncio
from typing import Protocol

PACE_SECONDS = 15.0
PACE_BYTES = 256 * 1024
"""So much of an answer is taken in that time, or the connection ends: what nobody reads stays in memory."""
UNREAD_BYTES_MAX = 64 * 1024 * 1024
"""All of them together. Past it the one that has waited longest ends; a single one may be larger."""


class Reader(Protocol):
    """A connection, as far as it matters here."""

    def unread(self) -> int:
        """How many bytes wait to be sent."""
        ...

    def abort(self) -> None:
        """Ends it at once."""
        ...


class Unread:
    """The connections whose readers are behind. Only the server's loop uses it."""

    def __init__(self) -> None:
        self._left: dict[Reader, int] = {}
        self._timers: dict[Reader, asyncio.TimerHandle] = {}

    def begin(self, reader: Reader) -> None:
        """Its answer is more than it takes at once."""
        self._left[reader] = reader.unread()
        self._watch(reader)
        while len(self._left) > 1 and sum(one.unread() for one in self._left) > UNREAD_BYTES_MAX:
            self._end(next(iter(self._left)))

    def end(self, reader: Reader) -> None:
        """It has taken the answer, or is gone."""
        self._left.pop(reader, None)
        timer = self._timers.pop(reader, None)
        if timer is not None:
            timer.cancel()

    def __contains__(self, reader: Reader) -> bool:
        return reader in self._left

    def _watch(self, reader: Reader) -> None:
        self._timers[reader] = asyncio.get_running_loop().call_later(PACE_SECONDS, self._look, reader)

    def _look(self, reader: Reader) -> None:
        before, left = self._left[reader], reader.unread()
        if before - left < PACE_BYTES:
            self._end(reader)
            return
        self._left[reader] = left
        self._watch(reader)

    def _end(self, reader: Reader) -> None:
        self.end(reader)
        reader.abort()
