"""Owns the stream of events: the history as it grows, to be resumed by the number of the last event seen."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import anyio
from fastapi import Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from hansard.domain.errors import Invalid, Unavailable, quoted
from hansard.interfaces import shapes
from hansard.interfaces.rest import examples
from hansard.interfaces.rest.calls import Key, is_still_known, opened
from hansard.interfaces.rest.operations import Example, in_project, operation

if TYPE_CHECKING:
    from hansard.domain.ledger import Event
    from hansard.project import Project

events = in_project("events")
BATCH_ITEMS_MAX = 500
LOOK_SECONDS = 0.2
"""How long a stream rests between two looks at the history."""
BEAT_SECONDS = 15.0
"""After how long without an event a line is sent all the same: a proxy closes what is silent."""
BELIEVED_SECONDS = 1.0
"""How long a stream takes its caller's token for good without asking again."""
RETRY_MILLISECONDS = 1_000
SEQ_MAX = 2**53
STREAM = "text/event-stream"


@operation(
    events,
    "GET",
    "/events",
    Example("A stream that goes on until either side ends it.", None, examples.STREAM, STREAM),
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
    `Last-Event-ID`, as browsers do by themselves, misses nothing.
    """
    resumed = _number(last_event_id)
    at = await run_in_threadpool(opened, request, project)
    seen = resumed if resumed is not None else since
    if seen is None:
        seen = await run_in_threadpool(_newest, at)
    stream = _lines(request, at, seen, idle_seconds)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(stream, headers=headers, media_type=STREAM)


async def _lines(request: Request, at: Project, seen: int, idle_seconds: float | None) -> AsyncIterator[str]:
    yield f"retry: {RETRY_MILLISECONDS}\n: after {seen}\n\n"
    last = beat = asked = time.monotonic()
    while not _is_stopping(request):
        try:
            found = await run_in_threadpool(_following, at, seen)
        except Unavailable:
            # The store is away; the stream stays, and goes on with the first event that it has not sent.
            found = []
        now = time.monotonic()
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


def _newest(at: Project) -> int:
    return next((one.seq for one in at.list_events(limit=1).items), 0)


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
