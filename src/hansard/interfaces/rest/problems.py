"""Owns how an error becomes an answer: one table from kinds of errors to statuses, and problem+json for each."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from hansard.domain.errors import (
    Conflict,
    Denied,
    GitFailed,
    HansardError,
    Invalid,
    KeyInFlight,
    NotFound,
    StaleVersion,
    StoreUnwritable,
    TooManyWrites,
    Unauthenticated,
    Unavailable,
    UnknownValue,
    VersionNeeded,
)
from hansard.services.admission import safe

if TYPE_CHECKING:
    from fastapi import FastAPI

MEDIA_TYPE = "application/problem+json"
TYPE = "urn:hansard:problem:"
"""What the `type` of a problem begins with; its code follows."""

STATUSES: tuple[tuple[type[HansardError], int], ...] = (
    (Unauthenticated, 401),
    (Denied, 403),
    (NotFound, 404),
    (StaleVersion, 412),
    (VersionNeeded, 428),
    (TooManyWrites, 429),
    (Conflict, 409),
    (GitFailed, 409),
    (Invalid, 422),
    (Unavailable, 503),
)
"""The status of each kind of error. The first that fits counts, so what is special stands before what is general."""
STATUS_FAILED = 500
WAIT_SECONDS: Mapping[int, int] = {429: 60, 503: 1}
"""When to try again: an agent's writes are counted by the minute, and a busy store is free again soon."""

HTTP_CODES: Mapping[int, tuple[str, str]] = {
    400: ("request.bad", "The request is not one that HTTP allows."),
    404: ("request.unknown_path", "There is nothing at this address."),
    405: ("request.method", "This address does not take this method."),
    413: ("request.too_large", "The body is larger than the server takes."),
    415: ("request.media_type", "The body must be JSON. Send it with Content-Type: application/json."),
}
"""The codes of what fails before any part of Hansard is asked."""
UNEXPECTED = "hansard.unexpected"
FAULTS_MAX = 20
"""How many faults of one request are told."""
FAULT_CHARACTERS_MAX = 200
log = logging.getLogger("hansard.server")


OWN_CODES: tuple[tuple[str, int, str], ...] = (
    *((code, status, about) for status, (code, about) in HTTP_CODES.items()),
    ("request.timeout", 408, "The body did not arrive in time."),
    ("request.host", 421, "The request names another host. Start the server with --allowed-host to add one."),
    ("request.origin", 403, "The request comes from a page of another site."),
    ("request.connections", 503, "Too many connections are open, from one address or in all."),
    ("request.stopped", 503, "The server stops. What was asked for may still be done."),
    ("request.rate", 429, "Requests come too often. Retry-After says when to try again."),
    ("request.streams", 429, "A token has too many streams of events open. End one of them."),
    (UNEXPECTED, STATUS_FAILED, "A fault of Hansard itself. The server's log says which, under the request's id."),
)
"""The codes that only REST has, each with its status and what it means."""


def status_of(error: HansardError) -> int:
    return next((status for kind, status in STATUSES if isinstance(error, kind)), STATUS_FAILED)


def refused(request: Request, error: HansardError) -> Response:  # noqa: ARG001
    """The answer to a request that Hansard refused or could not serve."""
    status = status_of(error)
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if isinstance(error, KeyInFlight):
        headers["Retry-After"] = "1"
    answer = problem(status, error.code, _title(type(error)), _told(error), headers=headers)
    if isinstance(error, StoreUnwritable):
        # Who tries again is refused again: somebody has to change where the store is or what the server may.
        del answer.headers["Retry-After"]
    return answer


def _told(error: HansardError) -> str:
    """What a caller hears of an error. Where the store is and what it says is for the log alone."""
    if not isinstance(error, Unavailable):
        # It names what was asked for, and answers are kept in logs that are not ours.
        return safe(error.told_abroad)
    if error.args:
        log.warning("%s: %s", error.code, error.message)
    return error.told_abroad


def problem(
    status: int,
    code: str,
    title: str,
    detail: str,
    *,
    errors: list[dict[str, str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    body: dict[str, Any] = {"type": TYPE + code, "title": title, "status": status, "detail": detail, "code": code}
    if errors is not None:
        body["errors"] = errors
    waits = {"Retry-After": str(WAIT_SECONDS[status])} if status in WAIT_SECONDS else {}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Response(
        text.encode("utf-8", "backslashreplace"), status, {**waits, **(headers or {})}, media_type=MEDIA_TYPE
    )


def misunderstood(request: Request, error: RequestValidationError) -> Response:  # noqa: ARG001
    """The answer to a request that does not have the documented form. It never repeats what was given."""
    found = error.errors()
    shown = found[:FAULTS_MAX]
    # The name of an unknown field or parameter is the caller's own word.
    faults = [
        {"field": _cut(safe(".".join(map(str, one["loc"])))), "message": _cut(safe(str(one["msg"])))} for one in shown
    ]
    first = f"{faults[0]['field']}: {faults[0]['message']}." if faults else "The request is not of the documented form."
    if found and found[0]["type"] == "json_invalid":
        first = _torn(found[0])
    # A word outside a closed vocabulary is one error for all interfaces, whoever finds it.
    kind = UnknownValue if found and found[0]["type"] == "enum" else Invalid
    return problem(422, kind.code, _title(kind), first, errors=faults)


def _torn(fault: Mapping[str, Any]) -> str:
    """What is wrong with a body that is no JSON: where it ends being it, and nothing of what stands there."""
    why, where = str(fault.get("ctx", {}).get("error", "it cannot be read")), fault["loc"][-1]
    return _cut(f"The body is not valid JSON: {why} at character {where}.")


def _cut(text: str) -> str:
    return text if len(text) <= FAULT_CHARACTERS_MAX else text[: FAULT_CHARACTERS_MAX - 1] + "…"


def rejected(request: Request, error: HTTPException) -> Response:
    """The answer to what no route takes."""
    code, about = HTTP_CODES.get(error.status_code, HTTP_CODES[400])
    headers = dict(error.headers or {})
    if error.status_code == 405:
        # The framework names those of one route, and an address has one for each method.
        headers["Allow"] = _allowed(request) or headers.get("Allow", "")
    return problem(error.status_code, code, about, _why(request, error, headers), headers=headers)


def _allowed(request: Request) -> str:
    """The methods that the address takes."""
    matching = (one for one in request.app.routes if one.matches(request.scope)[0] is not Match.NONE)
    return ", ".join(sorted({method for one in matching for method in getattr(one, "methods", None) or ()}))


def _why(request: Request, error: HTTPException, headers: Mapping[str, str]) -> str:
    """What to do about it. The words of the framework are those of HTTP, which nobody can act on."""
    if error.status_code == 404:
        return _cut(f"There is nothing at {safe(request.url.path)}. /api/v1/openapi.json lists every address.")
    if error.status_code == 405:
        return f"{request.method} is no method of this address. It takes {headers['Allow']}."
    if error.status_code == 400 and error.detail == "There was an error parsing the body":
        return "The body is not JSON: it is no UTF-8 text, or is nested too deep."
    return str(error.detail)


def answered(request: Request, error: Exception) -> Response | None:
    """The answer to a failure that has one; None for a fault of Hansard itself."""
    if isinstance(error, HansardError):
        return refused(request, error)
    if isinstance(error, RequestValidationError):
        return misunderstood(request, error)
    return rejected(request, error) if isinstance(error, HTTPException) else None


def unexpected(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """The answer to a fault of Hansard itself. What it was is for the log alone: it may quote what is stored."""
    detail = "The server failed. Its log says why, under the id of this request."
    return problem(STATUS_FAILED, UNEXPECTED, "A fault of Hansard itself.", detail)


def install(app: FastAPI) -> None:
    """Has every error of the app answered as a problem."""
    app.add_exception_handler(HansardError, refused)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, misunderstood)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, rejected)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, unexpected)


def _title(kind: type[HansardError]) -> str:
    return " ".join((kind.__doc__ or kind.code).split()).partition(". ")[0].rstrip(".") + "."
