"""Owns how an operation is declared: its summary, its answers with examples, and every status it can end with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, wraps
from inspect import cleandoc, iscoroutinefunction, signature
from typing import Any, NamedTuple, TypeVar

from fastapi import APIRouter, Depends

from hansard.interfaces.rest.answers import ROOT
from hansard.interfaces.rest.etags import refusing_if_match
from hansard.interfaces.rest.filters import refuse_unknown
from hansard.interfaces.rest.idempotency import done_once, idempotency_key, read_again, telling
from hansard.interfaces.rest.media import JsonRoute
from hansard.interfaces.rest.problems import MEDIA_TYPE, TYPE
from hansard.interfaces.server.lanes import READING, Lane, Lanes

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])

PROBLEMS: Mapping[int, tuple[str, str, str]] = {
    400: ("Not a request that HTTP allows.", "request.bad", "Invalid host header."),
    401: ("No token, or none that is good.", "auth.needed", "Send a token that is good."),
    403: ("The caller's role does not allow this.", "policy.denied", "tank (agent) may not do this."),
    404: (
        "There is no such thing, or it is not the caller's to see.",
        "project.unknown",
        "There is no project 'shop'.",
    ),
    408: ("The body took too long.", "request.timeout", "The body did not arrive in time."),
    409: (
        "The state of the record forbids this.",
        "idempotency.in_flight",
        "A request with this key is being answered.",
    ),
    412: ("The record is at another version than If-Match says.", "version.stale", "D-3 is at version 4, not 3."),
    413: ("The body is too large.", "request.too_large", "The body is larger than the server takes."),
    415: ("The body is no JSON, or does not say so.", "request.media_type", "Send it as application/json."),
    421: ("The request names another host.", "request.host", "The server is not known by this name."),
    422: ("Something that was given cannot be used.", "input.invalid", "body.slug: Field required."),
    428: ("The entry became binding; name the version.", "inbox.version_needed", "Accept the version: P-7@2."),
    429: ("Too much at once; Retry-After says when to try again.", "guard.rate", "Try again in a minute."),
    500: ("A fault of Hansard itself; the server's log says which.", "hansard.unexpected", "The server failed."),
    503: ("The store cannot serve just now; try again.", "store.busy", "Another process holds the database."),
}
SPECIAL: Mapping[tuple[str, int], tuple[str, str]] = {
    ("care", 404): ("request.unknown_path", "There is nothing at /api/v1/backups."),
    ("inbox", 404): ("inbox.unknown", "There is no inbox entry 'P-99' in this project."),
    ("inbox", 409): ("inbox.already_reviewed", "P-7 (use-postgres) was merged already; nothing was changed."),
    ("decisions", 404): ("decision.unknown", "There is no decision 'D-99' in this project."),
    ("decisions", 409): ("decision.not_active", "D-3 is archived already."),
    ("memories", 404): ("memory.unknown", "There is no memory 'no-such-id' in this project."),
    ("memories", 409): ("memory.forgotten", "The memory was forgotten; its content is gone."),
    ("sessions", 404): ("session.none_open", "No session is open; start one first."),
    ("sessions", 409): ("session.ended", "The session 'auth-1' has ended and cannot change."),
    ("runs", 404): ("run.unknown", "There is no run 'no-such-id' in this project."),
    ("runs", 409): ("run.ended", "The run ended as completed already."),
    ("context", 404): ("receipt.unknown", "No such receipt is kept in this project."),
    ("history", 404): ("history.unknown", "The history has no event 99."),
    ("events", 409): ("history.ahead", "The history ends with event 12, and you begin after 99."),
    ("events", 429): ("request.streams", "This token has 32 streams open, as many as one may."),
    ("guard", 404): ("guard.unknown_allowance", "There is no such allowance in this project."),
    ("guard", 409): ("guard.not_quarantined", "P-7 (use-postgres) is not in quarantine; nothing was changed."),
    ("projects", 409): ("project.exists", "There is a project 'shop' already."),
    ("folder", 409): ("git.failed", "A merge is under way; finish or abort it, then sync again."),
}
"""What the examples of one noun's problems say, where there is something more telling than for all of them."""
ALWAYS = (400, 401, 403, 404, 408, 413, 421, 422, 429, 500, 503)
"""What any request can meet, whatever it asks for."""


class Example(NamedTuple):
    """An answer with this status: what it means, how it looks, and its model; without one it is no JSON."""

    about: str
    model: type | None
    shown: Any
    media_type: str = "application/json"


SHOWN: dict[tuple[str, int], Example] = {}
"""The examples by operation and status. `routes.documented` lays them in: FastAPI leaves out what is null."""


def router(tag: str, prefix: str = "") -> APIRouter:
    """The operations of one noun, in a project unless it says otherwise."""
    return APIRouter(prefix=f"{ROOT}{prefix}", tags=[tag], route_class=JsonRoute)


def in_project(tag: str) -> APIRouter:
    return router(tag, "/projects/{project}")


def operation(
    into: APIRouter,
    method: str,
    path: str,
    answer: Example,
    *,
    status: int = 200,
    also: Mapping[int, Example] | None = None,
    problems: tuple[int, ...] = (),
    lane: Lane | None = None,
) -> Callable[[Endpoint], Endpoint]:
    """Declares what the decorated function does. Its docstring is the description; its name is the operation's id.

    Unless it says which lane it takes, a GET is a short read, and anything else a short write. A POST in a lane of
    reading is done again if it comes again: keeping its answers would let whoever may read fill the disk.
    """
    answers = {status: answer, **(also or {})}
    more = {"POST": (409, 415), "PATCH": (415,), "PUT": (415,)}.get(method, ())
    told: dict[int | str, dict[str, Any]] = {one: _answer(shown) for one, shown in answers.items()}
    told |= {one: _problem(one, str(into.tags[0])) for one in sorted({*ALWAYS, *problems, *more})}

    def declared(endpoint: Endpoint) -> Endpoint:
        about = cleandoc(endpoint.__doc__ or "")
        name = f"{into.tags[0]}_{endpoint.__name__.rstrip('_')}"
        SHOWN.update({(name, one): shown for one, shown in answers.items()})
        work: Callable[..., Any] = endpoint
        if not iscoroutinefunction(endpoint):
            work = telling(endpoint)
            if method != "GET" and "if_match" not in signature(endpoint).parameters:
                work = refusing_if_match(work)
            if method == "POST":
                work = read_again(work) if lane in READING else done_once(work)
            work = in_lane(work, lane or (Lane.READ if method == "GET" else Lane.WRITE))
        into.add_api_route(
            path,
            work,
            methods=[method],
            status_code=status,
            response_model=None,
            responses=told,
            operation_id=name,
            summary=about.partition("\n")[0].rstrip("."),
            description=about,
            dependencies=[Depends(refuse_unknown), *([Depends(idempotency_key)] if method == "POST" else ())],
        )
        return endpoint

    return declared


def in_lane(work: Callable[..., Any], lane: Lane) -> Callable[..., Any]:
    """The work, in a thread of the lane that it belongs to."""

    @wraps(work)
    async def done(**said: Any) -> Any:
        lanes: Lanes = said["request"].app.state.lanes
        return await lanes.run(lane, partial(work, **said))

    return done


def _answer(one: Example) -> dict[str, Any]:
    if one.model is None:
        # No schema: some readers take one for that of the whole, some for that of each event of a stream.
        return {"description": one.about, "content": {one.media_type: {}}}
    return {"description": one.about, "model": one.model}


def _problem(status: int, tag: str) -> dict[str, Any]:
    about, *general = PROBLEMS[status]
    code, detail = SPECIAL.get((tag, status), general)
    example = {"type": TYPE + code, "title": about, "status": status, "detail": detail, "code": code}
    return {
        "description": about,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}},
    }
