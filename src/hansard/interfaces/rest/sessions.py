"""Owns the addresses of sessions. `current` stands for the open one."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from hansard.domain.errors import NoOpenSession
from hansard.interfaces import shapes
from hansard.interfaces.rest import bodies, examples, filters, models
from hansard.interfaces.rest.answers import answer, place
from hansard.interfaces.rest.calls import Key, opened
from hansard.interfaces.rest.etags import IfMatch, expected
from hansard.interfaces.rest.operations import Example, in_project, operation

sessions = in_project("sessions")
CURRENT = "current"
_THE_SESSION = Example("The session.", models.Session, examples.SESSION)
_ENDED = Example("The session as it ended.", models.Session, examples.ENDED_SESSION)


@operation(sessions, "POST", "/sessions", Example("It is open.", models.Session, examples.SESSION), status=201)
def start(request: Request, project: Key, body: bodies.NewSession) -> Response:
    """Open a session; the one that was open ends. 409 says that the id was used before."""
    at = opened(request, project)
    made = at.start_session(**body.given())
    return answer(shapes.record(made), status=201, location=place(at.key, "sessions", made.id), version=made.version)


@operation(
    sessions, "GET", "/sessions", Example("A page of sessions, newest first.", models.Sessions, examples.SESSIONS)
)
def list_(request: Request, project: Key, wanted: Annotated[filters.Paged, Query()]) -> Response:
    """List sessions, newest first."""
    return answer(shapes.page(opened(request, project).list_sessions(**wanted.given())))


@operation(sessions, "GET", "/sessions/{session_id}", _THE_SESSION)
def get(request: Request, project: Key, session_id: str) -> Response:
    """Show a session, or the open one as `current`."""
    at = opened(request, project)
    found = at.current_session() if session_id == CURRENT else at.get_session(session_id)
    if found is None:
        raise NoOpenSession("No session is open; start one first.")
    return answer(shapes.record(found), version=found.version)


@operation(sessions, "PATCH", "/sessions/{session_id}", _THE_SESSION, problems=(409, 412))
def update(
    request: Request, project: Key, session_id: str, body: bodies.SessionUpdate, if_match: IfMatch = None
) -> Response:
    """Add a line to a session's summary, or change what else is given, while it is open."""
    changed = opened(request, project).update_session(
        body.summary, replace=body.replace, focus=body.focus, issues=body.issues, state=body.state,
        id=_named(session_id), agent=body.agent, expected_version=expected(if_match),
    )  # fmt: skip
    return answer(shapes.record(changed), version=changed.version)


@operation(sessions, "POST", "/sessions/{session_id}/end", _ENDED, problems=(412,))
def end(
    request: Request,
    project: Key,
    session_id: str,
    body: bodies.SessionEnd | None = None,
    if_match: IfMatch = None,
) -> Response:
    """End a session."""
    agent, version = body.agent if body else None, expected(if_match)
    done = opened(request, project).end_session(_named(session_id), agent=agent, expected_version=version)
    return answer(shapes.record(done), version=done.version)


def _named(session_id: str) -> str | None:
    return None if session_id == CURRENT else session_id
