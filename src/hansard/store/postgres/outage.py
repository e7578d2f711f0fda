"""Owns what is known of a server that is away: what is told of it, and who asks whether it is back."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hansard.domain.errors import StoreUnreachable

AGAIN_SECONDS = 1.0
"""How long a server that did not answer is not asked again: each question would wait as long as the first."""
_log = logging.getLogger("hansard")


class Outage:
    """The times when one server is away. Safe to use from many threads."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._since: float | None = None
        self._heard: tuple[float, type[StoreUnreachable], str] | None = None

    def begin(self) -> None:
        with self._lock:
            if self._since is None:
                self._since = time.monotonic()
                _log.warning("%s does not answer; trying again.", self._place)

    def end(self) -> None:
        if self._since is not None:
            with self._lock:
                since, self._since = self._since, None
            if since is not None:
                _log.warning("%s answers again after %.1f s.", self._place, time.monotonic() - since)

    def look(self) -> None:
        """For whoever waits for something else. Raises what was heard of the server a moment ago, StoreUnreachable."""
        heard = self._heard
        if heard is not None and time.monotonic() < heard[0]:
            raise heard[1](heard[2])

    @contextmanager
    def shared(self, reach_seconds: float) -> Iterator[None]:
        """Around reaching the server: while it is away one asks now and then, and the others hear what that one heard.

        Raises StoreUnreachable.
        """
        self._repeat(reach_seconds)
        heard = None
        try:
            yield
        except StoreUnreachable as error:
            heard = time.monotonic() + AGAIN_SECONDS, type(error), error.message
            raise
        finally:
            with self._lock:
                self._heard = heard

    def _repeat(self, reach_seconds: float) -> None:
        with self._lock:
            if self._heard is not None:
                until, kind, message = self._heard
                if time.monotonic() < until:
                    raise kind(message)
                # This one asks; the others hear the old answer until there is a new one.
                self._heard = time.monotonic() + reach_seconds + AGAIN_SECONDS, kind, message
