"""Owns how an error becomes an answer: one table from kinds of errors to statuses, and problem+json for each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from hansard.domain.errors import (
    Conflict,
    Denied,
    HansardError,
    Invalid,
    KeyInFlight,
    NotFound,
    StaleVersion,
    TooManyWrites,
    Unauthenticated,
    Unavailable,
    UnknownValue,
    VersionNeeded,
)
from hansard.services.screen import safe

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
    415: ("request.media_type", "The body must be JSON."),
}
"""The codes of what fails before any part of Hansard is asked."""
UNEXPECTED = "hansard.unexpected"
NAME_CHARACTERS_MAX = 80
"""How much of the name of a field is told."""


OWN_CODES: tuple[tuple[str, int, str], ...] = (
    *((code, status, about) for status, (code, about) in HTTP_CODES.items()),
    ("request.timeout", 408, "The body did not arrive in time."),
    ("request.host", 421, "The request names another host. Start the server with --allowed-host to add one."),
    ("request.origin", 403, "The request comes from a page of another site."),
    ("request.rate", 429, "Requests come too often. Retry-After says when to try again."),
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
    return problem(status, error.code, _title(type(error)), error.message, headers=headers)


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
    # The name of an unknown field or parameter is the caller's own word.
    faults = [
        {"field": _shortened(safe(".".join(map(str, one["loc"])))), "message": safe(str(one["msg"]))}
        for one in error.errors()
    ]
    first = f"{faults[0]['field']}: {faults[0]['message']}." if faults else "The request is not of the documented form."
    # A word outside a closed vocabulary is one error for all interfaces, whoever finds it.
    kind = UnknownValue if error.errors() and error.errors()[0]["type"] == "enum" else Invalid
    return problem(422, kind.code, _title(kind), first, errors=faults)


def _shortened(name: str) -> str:
    return name if len(name) <= NAME_CHARACTERS_MAX else f"{name[:NAME_CHARACTERS_MAX]}…"


def rejected(request: Request, error: HTTPException) -> Response:  # noqa: ARG001
    """The answer to what no route takes."""
    code, about = HTTP_CODES.get(error.status_code, HTTP_CODES[400])
    return problem(error.status_code, code, about, str(error.detail), headers=error.headers)


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
