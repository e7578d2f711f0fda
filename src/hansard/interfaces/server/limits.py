"""Owns what a request may be: to which name, from which page, how often and how large."""

from __future__ import annotations

import asyncio
import math
import re
import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import Message, Receive

BODY_SECONDS_MAX = 30.0
"""The longest pause between two pieces of a body, and what a body has before it must keep up the pace."""
BODY_BYTES_PER_SECOND_MIN = 16 * 1024
"""The pace: without one, a piece now and then would hold a connection for hours."""
HELD_BYTES_MAX = 64 * 1024 * 1024
ALL_HELD_BYTES_MAX = 256 * 1024 * 1024
"""How much of bodies one caller, and all together, may have the server hold at once."""
BUCKETS_MAX = 10_000
FAILURES_PER_SECOND = 1.0
FAILURES_AT_ONCE = 30.0
"""How many wrong tokens one address may try at once, and how many a second after that."""
STRANGERS_PER_SECOND = 20.0
STRANGERS_AT_ONCE = 200.0
"""How many requests without any token one address may send where one is needed."""
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]{1,5})?")


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
    """The name in a Host header, without its port; nothing if it is more or less than a name and a port."""
    found = _HOST.fullmatch(header)
    return (found[1] or found[2]).lower().rstrip(".") if found else ""


def is_foreign(headers: Headers) -> bool:
    """Whether a page of another site sent the request, as far as a browser says so. Two origins are one too many."""
    origins = headers.getlist("origin")
    if origins:
        return len(origins) > 1 or _place(origins[0]) != (headers.get("host") or "").lower()
    return headers.get("sec-fetch-site", "none").lower() not in {"none", "same-origin"}


def is_own_page(headers: Headers) -> bool:
    """Whether a browser says that a page of this server sent the request."""
    told = "origin" in headers or headers.get("sec-fetch-site", "").lower() == "same-origin"
    return told and not is_foreign(headers)


def _place(origin: str) -> str:
    """Host and port of an Origin. What is no address of the web belongs to nobody."""
    scheme, separator, place = origin.lower().partition("://")
    return place if separator and scheme in {"http", "https"} else "?"


class Held:
    """How many bytes of bodies that are still coming in the server holds, for each caller and in all."""

    def __init__(self) -> None:
        self._of: dict[str, int] = {}
        self._all = 0

    def take(self, name: str, size: int) -> bool:
        """Takes so many more. False if that is more than one caller, or all of them, may have at once."""
        mine = self._of.get(name, 0) + size
        if mine > HELD_BYTES_MAX or self._all + size > ALL_HELD_BYTES_MAX:
            return False
        self._of[name] = mine
        self._all += size
        return True

    def give_back(self, name: str, size: int) -> None:
        self._all -= size
        left = self._of.get(name, 0) - size
        if left > 0:
            self._of[name] = left
        else:
            self._of.pop(name, None)


class Taken:
    """What of a request's body was taken of what may be held."""

    def __init__(self, held: Held, name: str) -> None:
        self._held, self._name = held, name
        self.bytes = 0

    def more(self, size: int) -> None:
        """Raises BodyRefused if that is more than may be held."""
        if size and not self._held.take(self._name, size):
            raise BodyRefused(429, "Too many large bodies are coming in at once. Send it again when others are done.")
        self.bytes += size

    def end(self) -> None:
        if self.bytes:
            self._held.give_back(self._name, self.bytes)
            self.bytes = 0


def bounded(receive: Receive, bytes_max: int, taken: Taken) -> Receive:
    """The same body, which ends with BodyRefused if it is too large, stops half way or comes too slowly."""
    whole = False
    # Each byte gives a little more time, and none gives more than a pause may last: a fast start is not saved up.
    ends = time.monotonic() + BODY_SECONDS_MAX

    async def received() -> Message:
        nonlocal whole, ends
        if whole:
            # Only the end of the connection is left to come, whenever that is.
            return await receive()
        try:
            async with asyncio.timeout(ends - time.monotonic()):
                message = await receive()
        except TimeoutError:
            raise BodyRefused(408, "The body did not arrive in time.") from None
        if message["type"] == "http.request":
            size = len(message.get("body", b""))
            taken.more(size)
            ends = min(ends + size / BODY_BYTES_PER_SECOND_MIN, time.monotonic() + BODY_SECONDS_MAX)
            whole = not message.get("more_body", False)
            if taken.bytes > bytes_max:
                raise BodyRefused(413, f"The body is larger than {bytes_max:,} bytes.")
        else:
            whole = True
        return message

    return received


async def gathered(receive: Receive) -> tuple[bytes, Receive]:
    """The whole body, and the same body once more for whoever reads it next.

    Raises ClientDisconnect if it does not come to an end.
    """
    pieces: list[bytes] = []
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        pieces.append(message.get("body", b""))
        more = message.get("more_body", False)
    body = b"".join(pieces)
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return body, again
