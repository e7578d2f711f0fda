"""Owns the addresses of decisions."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from hansard.interfaces import shapes
from hansard.interfaces.rest import bodies, examples, filters, models
from hansard.interfaces.rest.answers import answer, place
from hansard.interfaces.rest.calls import Key, opened
from hansard.interfaces.rest.etags import IfMatch, expected
from hansard.interfaces.rest.operations import Example, in_project, operation

decisions = in_project("decisions")
_THE_DECISION = Example("The decision.", models.Decision, examples.DECISION)


@operation(
    decisions,
    "POST",
    "/decisions",
    Example("The decision was made.", models.Decision, examples.DECISION),
    status=201,
)
def create(request: Request, project: Key, body: bodies.NewDecision) -> Response:
    """Make a decision directly. People may, and coordinators where it binds nobody."""
    at = opened(request, project)
    made = at.decide(**body.given())
    return answer(shapes.record(made), status=201, location=place(at.key, "decisions", made.id), version=made.version)


@operation(
    decisions,
    "GET",
    "/decisions",
    Example("A page of decisions, newest first.", models.Decisions, examples.DECISIONS),
)
def list_(request: Request, project: Key, wanted: Annotated[filters.DecisionFilter, Query()]) -> Response:
    """List decisions, newest first; active ones unless `status` says otherwise."""
    return answer(shapes.page(opened(request, project).list_decisions(**wanted.given())))


@operation(decisions, "GET", "/decisions/{reference}", _THE_DECISION)
def get(request: Request, project: Key, reference: str) -> Response:
    """Show one decision by number (D-12) or id."""
    found = opened(request, project).get_decision(reference)
    return answer(shapes.record(found), version=found.version)


@operation(
    decisions,
    "GET",
    "/decisions/{reference}/history",
    Example("All of it.", models.DecisionHistory, examples.DECISION_HISTORY),
)
def history(request: Request, project: Key, reference: str) -> Response:
    """Show what a decision said before, and everything done to it."""
    return answer(shapes.decision_history(opened(request, project).decision_history(reference)))


@operation(decisions, "PATCH", "/decisions/{reference}", _THE_DECISION, problems=(409, 412))
def update(
    request: Request, project: Key, reference: str, body: bodies.Amendment, if_match: IfMatch = None
) -> Response:
    """Change what an active decision says. The earlier version stays readable."""
    version = expected(if_match)
    changed = opened(request, project).update_decision(reference, expected_version=version, **body.given())
    return answer(shapes.record(changed), version=changed.version)


@operation(
    decisions,
    "POST",
    "/decisions/{reference}/supersede",
    Example("The replaced decision.", models.Decision, examples.SUPERSEDED),
    problems=(412,),
)
def supersede(
    request: Request, project: Key, reference: str, body: bodies.Succession, if_match: IfMatch = None
) -> Response:
    """Replace an active decision by another active one. If-Match is about the one that is replaced."""
    replaced = opened(request, project).supersede(reference, body.by, expected_version=expected(if_match))
    return answer(shapes.record(replaced), version=replaced.version)


@operation(
    decisions,
    "POST",
    "/decisions/{reference}/archive",
    Example("The decision as it is now.", models.Decision, examples.ARCHIVED),
    problems=(412,),
)
def archive(request: Request, project: Key, reference: str, if_match: IfMatch = None) -> Response:
    """Retire a decision without a successor."""
    done = opened(request, project).archive(reference, expected_version=expected(if_match))
    return answer(shapes.record(done), version=done.version)


@operation(decisions, "POST", "/decisions/{reference}/restore", _THE_DECISION, problems=(412,))
def restore(request: Request, project: Key, reference: str, if_match: IfMatch = None) -> Response:
    """Make an archived or superseded decision active again."""
    done = opened(request, project).restore(reference, expected_version=expected(if_match))
    return answer(shapes.record(done), version=done.version)
