"""Owns the addresses of the guard: what waits for review, and what was allowed."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from hansard.interfaces import shapes
from hansard.interfaces.rest import bodies, examples, filters, models
from hansard.interfaces.rest.answers import answer, place
from hansard.interfaces.rest.calls import Key, opened
from hansard.interfaces.rest.etags import IfMatch, expected
from hansard.interfaces.rest.operations import Example, in_project, operation
from hansard.interfaces.server.lanes import Lane

guard = in_project("guard")
_HELD = Example("It, as it is now.", models.Reviewed, examples.REVIEWED)


@operation(guard, "GET", "/guard/quarantine", Example("What waits.", models.Quarantine, examples.QUARANTINE))
def list_quarantined(request: Request, project: Key, wanted: Annotated[filters.Paged, Query()]) -> Response:
    """List what waits for review, the longest waiting first. People only."""
    found = opened(request, project).list_quarantined(**wanted.given())
    return answer(shapes.page(found, shapes.held))


@operation(guard, "GET", "/guard/quarantine/{reference}", _HELD)
def get_quarantined(request: Request, project: Key, reference: str) -> Response:
    """Show one of them with its words: data, whatever they say."""
    found = opened(request, project).get_quarantined(reference)
    return answer(shapes.reviewed(found), version=found.version)


@operation(guard, "POST", "/guard/quarantine/{reference}/release", _HELD, problems=(412,))
def release(request: Request, project: Key, reference: str, body: bodies.Reason, if_match: IfMatch = None) -> Response:
    """Let it out as what it is."""
    at, version = opened(request, project), expected(if_match)
    done = at.release(reference, reason=body.reason, expected_version=version)
    return answer(shapes.reviewed(done), version=done.version)


@operation(guard, "POST", "/guard/quarantine/{reference}/confirm", _HELD, problems=(412,))
def confirm(request: Request, project: Key, reference: str, body: bodies.Reason, if_match: IfMatch = None) -> Response:
    """Vouch for it; from now on it is as good as what a person says."""
    at, version = opened(request, project), expected(if_match)
    done = at.confirm(reference, reason=body.reason, expected_version=version)
    return answer(shapes.reviewed(done), version=done.version)


@operation(guard, "POST", "/guard/quarantine/{reference}/hold", _HELD, problems=(412,))
def hold(request: Request, project: Key, reference: str, body: bodies.Reason, if_match: IfMatch = None) -> Response:
    """Put a memory or a pending proposal into quarantine, or back into it."""
    at, version = opened(request, project), expected(if_match)
    done = at.hold(reference, reason=body.reason, expected_version=version)
    return answer(shapes.reviewed(done), version=done.version)


@operation(guard, "POST", "/guard/quarantine/{reference}/redact", _HELD, problems=(412,))
def redact(request: Request, project: Key, reference: str, body: bodies.Reason, if_match: IfMatch = None) -> Response:
    """Take the words of what waits out of every version, for good. Hold anything else first."""
    at, version = opened(request, project), expected(if_match)
    done = at.redact(reference, reason=body.reason, expected_version=version)
    return answer(shapes.reviewed(done), version=done.version)


@operation(guard, "GET", "/guard/allowances", Example("All.", models.Allowances, examples.ALLOWANCES))
def list_allowances(request: Request, project: Key) -> Response:
    """List what was allowed, by whom and why; never the values."""
    found = opened(request, project).list_allowed_secrets()
    return answer({"items": [shapes.allowance(one) for one in found]})


@operation(
    guard,
    "POST",
    "/guard/allowances",
    Example("It is allowed.", models.Allowance, examples.ALLOWANCE),
    status=201,
)
def allow(request: Request, project: Key, body: bodies.NewAllowance) -> Response:
    """Let through a value that looks like a secret and is none. Only a digest is kept."""
    at = opened(request, project)
    made = at.allow_secret(body.value, reason=body.reason)
    return answer(shapes.allowance(made), status=201, location=place(at.key, "guard", "allowances"))


@operation(
    guard,
    "DELETE",
    "/guard/allowances/{allowance_id}",
    Example("It is allowed no more.", models.Allowance, examples.ALLOWANCE),
)
def disallow(request: Request, project: Key, allowance_id: str, wanted: Annotated[bodies.Reason, Query()]) -> Response:
    """Take an allowance back, and say why."""
    return answer(shapes.allowance(opened(request, project).disallow_secret(allowance_id, reason=wanted.reason)))


@operation(guard, "POST", "/guard/scan", Example("What was found.", models.Scan, examples.SCAN), lane=Lane.LONG)
def scan(request: Request, project: Key, body: bodies.SecretScan | None = None) -> Response:
    """Look for secrets in everything that the project holds, and take them out on request."""
    redact_them = body is not None and body.redact
    return answer(shapes.scanned(opened(request, project).scan(redact=redact_them)))
