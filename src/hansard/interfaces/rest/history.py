"""Owns the addresses of the history: every change, and the proof that none was altered."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Request, Response

from hansard.interfaces import shapes
from hansard.interfaces.rest import examples, filters, models
from hansard.interfaces.rest.answers import answer
from hansard.interfaces.rest.calls import Key, opened
from hansard.interfaces.rest.operations import Example, in_project, operation
from hansard.interfaces.server.lanes import Lane

history = in_project("history")


@operation(history, "GET", "/history", Example("A page of events, newest first.", models.Events, examples.EVENTS))
def list_(request: Request, project: Key, wanted: Annotated[filters.EventFilter, Query()]) -> Response:
    """List events, newest first. What is about another agent's private memory is hidden.

    With `subject` those of one record; 404 if the history never heard of it.
    """
    found = opened(request, project).list_events(subject_id=wanted.subject, limit=wanted.limit, cursor=wanted.cursor)
    return answer(shapes.page(found, shapes.event))


@operation(
    history,
    "GET",
    "/history/verify",
    Example("The verdict.", models.Verification, examples.VERIFICATION),
    lane=Lane.LONG,
)
def verify(request: Request, project: Key) -> Response:
    """Check the chain of events and every record against it."""
    return answer(shapes.verification(opened(request, project).verify()))


@operation(history, "GET", "/history/{seq}", Example("The event.", models.Event, examples.EVENT))
def get(request: Request, project: Key, seq: Annotated[int, Path(description="The event's number.")]) -> Response:
    """Show one event by its number."""
    return answer(shapes.event(opened(request, project).get_event(seq)))
