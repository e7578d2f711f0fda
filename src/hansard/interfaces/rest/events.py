"""Owns the stream of events: the history as it grows, to be resumed by the number of the last event seen."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Annotated

import anyio
from fastapi import Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from hansard.domain.errors import Invalid, Unavailable, quoted
from hansard.interfaces import shapes
from hansard.interfaces.rest import examples
from hansard.interfaces.rest.calls import Key, caller, is_still_known, opened
from hansard.interfaces.rest.operations import Example, in_project, operation
from hansard.interfaces.rest.problems import problem
from hansard.services import audit

if TYPE_CHECKING:
    from hansard.domain.ledger import Event
    from hansard.project import Project

events = in_project("events")
BATCH_ITEMS_MAX = 500
LOOK_SECONDS = 0.15
"""How long a look at the history is good for, and how long a stream rests before it asks again."""
BEAT_SECONDS = 15.0
"""After how long without an event a line is sent all the same: a proxy closes what is silent."""
BELIEVED_SECONDS = 1.0
"""How long a stream takes its caller's token for good without asking again."""
RETRY_MILLISECONDS = 1_000
STREAMS_MAX = 32
"""How many streams a token may have open. A browser has one for each window, an agent's host one or two."""
RETRY_SECONDS = 5
TOO_MANY_STREAMS = "request.streams"
SEQ_MAX = 2**53
STREAM = "text/event-stream"


@operation(
    events,
    "GET",
    "/events",
    Example("A stream that goes on until either side ends it.", None, examples.STREAM, STREAM),
    problems=(409,),
)
async def follow(
    request: Request,
    project: Key,
    since: Annotated[
        int | None,
        Query(ge=0, le=SEQ_MAX, description="Begin after this event; 0 is all. Default: now."),
    ] = None,
    idle_seconds: Annotated[
        float | None, Query(ge=0, le=86_400, description="End when nothing happened for so long. Default: never.")
    ] = None,
    last_event_id: Annotated[
        str | None, Header(alias="Last-Event-ID", description="The id of the last event seen; it goes before `since`.")
    ] = None,
) -> Response:
    """Follow the history as server-sent events, whichever process causes them.

    The id of each is its number in the history, its name the action, its data the event. Whoever comes back with
    `Last-Event-ID`, as browsers do by themselves, misses nothing. A number that the history does not have yet is 409:
    the history is another one, such as that of a backup.
    """
    resumed = _number(last_event_id)
    at = await run_in_threadpool(opened, request, project)
    seen = await run_in_threadpool(audit.beginning, at.seat(), resumed if resumed is not None else since)
    streams = _streams(request)
    who = caller(request).token_id
    if streams.count(who) >= STREAMS_MAX:
        told = f"This token has {STREAMS_MAX} streams open, as many as one may. End one of them first."
        wait = {"Retry-After": str(RETRY_SECONDS)}
        return problem(429, TOO_MANY_STREAMS, "A token has too many streams open.", told, headers=wait)
    return Stream(streams, who, _lines(request, at, seen, idle_seconds))


class Streams:
    """How many streams each token has open, and the last look at each project, which its streams share."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._looks: dict[str, tuple[float, int]] = {}
        self._looking: dict[str, anyio.Lock] = {}

    def count(self, token_id: str) -> int:
        return self._open[token_id]

    @contextmanager
    def counted(self, token_id: str) -> Iterator[None]:
        self._open[token_id] += 1
        try:
            yield
        finally:
            self._open[token_id] -= 1
            if not self._open[token_id]:
                del self._open[token_id]

    async def head(self, at: Project) -> int:
        """The number of the project's last event, looked at by one stream for all that wait."""
        async with self._looking.setdefault(at.id, anyio.Lock()):
            looked_at, found = self._looks.get(at.id, (-inf, 0))
            if time.monotonic() - looked_at >= LOOK_SECONDS:
                try:
                    found = await run_in_threadpool(audit.head, at.seat())
                finally:
                    # Also if the store is away: those who wait must not each find that out for themselves.
                    self._looks[at.id] = time.monotonic(), found
            return found


class Stream(StreamingResponse):
    """An answer that goes on, and is counted for as long as it does."""

    def __init__(self, streams: Streams, token_id: str, lines: AsyncIterator[str]) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(lines, headers=headers, media_type=STREAM)
        self._streams, self._token_id = streams, token_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._streams.counted(self._token_id):
            await super().__call__(scope, receive, send)


def _streams(request: Request) -> Streams:
    state = request.app.state
    if not hasattr(state, "streams"):
        state.streams = Streams()
    found: Streams = state.streams
    return found


async def _lines(request: Request, at: Project, seen: int, idle_seconds: float | None) -> AsyncIterator[str]:
    yield f"retry: {RETRY_MILLISECONDS}\n: after {seen}\n\n"
    streams, looks_itself = _streams(request), True
    last = beat = asked = time.monotonic()
    while not _is_stopping(request):
        try:
            # The first look, and the one after something was found, is the stream's own: what others saw may be older.
            news = looks_itself or await streams.head(at) > seen
            found = await run_in_threadpool(_following, at, seen) if news else []
        except Unavailable:
            # The store is away; the stream stays, and goes on with the first event that it has not sent.
            found = []
        looks_itself, now = bool(found), time.monotonic()
        if (found or now - beat >= BEAT_SECONDS) and now - asked >= BELIEVED_SECONDS:
            if not await run_in_threadpool(_is_welcome, request):
                return
            asked = now
        if found:
            yield "".join(_told(one) for one in found)
            seen, last, beat = found[-1].seq, now, now
            continue
        if idle_seconds is not None and now - last >= idle_seconds:
            return
        if now - beat >= BEAT_SECONDS:
            yield ": still here\n\n"
            beat = now
        await anyio.sleep(LOOK_SECONDS)


def _is_stopping(request: Request) -> bool:
    stopping = getattr(request.app.state, "stopping", None)
    return stopping is not None and bool(stopping.is_set())


def _is_welcome(request: Request) -> bool:
    """Whether the caller may still look: a token that was revoked ends its streams."""
    try:
        return is_still_known(request)
    except Unavailable:
        return True


def _following(at: Project, seen: int) -> list[Event]:
    found: Iterator[Event] = at.follow(since=seen, idle_seconds=0)
    return list(islice(found, BATCH_ITEMS_MAX))


def _told(one: Event) -> str:
    data = json.dumps(shapes.event(one), ensure_ascii=False, separators=(",", ":"))
    return f"id: {one.seq}\nevent: {one.action}\ndata: {data}\n\n"


def _number(last_event_id: str | None) -> int | None:
    if not last_event_id:
        return None
    given = last_event_id.strip()
    if not given.isascii() or not given.isdecimal() or len(given) > 15:
        raise Invalid(f"Last-Event-ID must be the number of an event; {quoted(given)} is not.")
    return int(given)
