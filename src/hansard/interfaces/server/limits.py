"""Owns what a request may be: to which name, from which page, how often and how large."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio
from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.types import Message, Receive

BODY_SECONDS_MAX = 30.0
"""The longest pause between two pieces of a body."""
BUCKETS_MAX = 10_000
FAILURES_PER_SECOND = 1.0
FAILURES_AT_ONCE = 30.0
"""How many wrong tokens one address may try at once, and how many a second after that."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class Rates:
    """How often each name may come: at once as much as a bucket holds, and then as fast as it fills."""

    def __init__(self, per_second: float, at_once: float) -> None:
        self._per_second, self._at_once = per_second, at_once
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, name: str) -> int:
        """Takes one, or says in how many whole seconds there is one again; 0 means that it was taken."""
        now = time.monotonic()
        with self._lock:
            left, at = self._buckets.pop(name, (self._at_once, now))
            left = min(self._at_once, left + (now - at) * self._per_second)
            enough = left >= 1.0
            self._buckets[name] = (left - 1.0 if enough else left, now)
            while len(self._buckets) > BUCKETS_MAX:
                self._buckets.popitem(last=False)
        return 0 if enough else max(1, math.ceil((1.0 - left) / self._per_second))


class BodyRefused(HTTPException):
    """A body that is too large, or comes too slowly."""


def host_of(header: str) -> str:
    """The name in a Host header or the address of an Origin, without its port."""
    try:
        return (urlsplit(f"//{header}").hostname or "").lower().rstrip(".")
    except ValueError:
        return ""


def is_foreign(headers: Mapping[str, str]) -> bool:
    """Whether a page of another site sent the request, as far as a browser says so."""
    origin = headers.get("origin")
    if origin is not None:
        return _place(origin) != (headers.get("host") or "").lower()
    return headers.get("sec-fetch-site", "none").lower() not in {"none", "same-origin"}


def is_own_page(headers: Mapping[str, str]) -> bool:
    """Whether a browser says that a page of this server sent the request."""
    told = "origin" in headers or headers.get("sec-fetch-site", "").lower() == "same-origin"
    return told and not is_foreign(headers)


def _place(origin: str) -> str:
    """Host and port of an Origin. What is no address of the web belongs to nobody."""
    scheme, separator, place = origin.lower().partition("://")
    return place if separator and scheme in {"http", "https"} else "?"


def bounded(receive: Receive, bytes_max: int) -> Receive:
    """The same body, which ends with BodyRefused if it is too large or stops half way."""
    seen = 0
    whole = False

    async def received() -> Message:
        nonlocal seen, whole
        if whole:
            # Only the end of the connection is left to come, whenever that is.
            return await receive()
        with anyio.move_on_after(BODY_SECONDS_MAX) as waiting:
            message = await receive()
        if waiting.cancelled_caught:
            raise BodyRefused(408, "The body did not arrive in time.")
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if seen > bytes_max:
                raise BodyRefused(413, f"The body is larger than {bytes_max:,} bytes.")
        else:
            whole = True
        return message

    return received
