"""Owns the tools about the current session: start, update."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansard.domain import rendering
from hansard.domain.errors import Invalid
from hansard.interfaces.mcp import showing
from hansard.interfaces.mcp.arguments import Argument, Kind
from hansard.interfaces.mcp.calling import Answer, Calling, Tool
from hansard.interfaces.mcp.inbox import RUN


def start_session(calling: Calling, given: Mapping[str, Any]) -> Answer:
    fields = {"id" if name == "session_id" else name: value for name, value in given.items()}
    before = calling.project.current_session()
    one = calling.project.start_session(**fields)
    ended = (
        f"; {rendering.inline(before.id)}, which was open, has ended"
        if before is not None and before.id != one.id
        else ""
    )
    return Answer(f"The session {rendering.inline(one.id)} is open{ended}.\n", showing.session(one))


def update_session(calling: Calling, given: Mapping[str, Any]) -> Answer:
    fields = dict(given)
    ends = fields.pop("end", False)
    session_id = fields.pop("session_id", None)
    project = calling.project
    changes = fields.keys() - {"replace"}
    if not ends and not changes:
        raise Invalid("Say what changes: summary, focus, issues, state or end.")
    one = project.update_session(**fields, id=session_id) if changes else None
    if ends or one is None:
        one = project.end_session(session_id)
        return Answer(f"The session {rendering.inline(one.id)} has ended.\n", showing.session(one))
    return Answer(f"The session {rendering.inline(one.id)} is up to date.\n", showing.session(one))


_SHARED = (
    Argument("issues", "What is being worked on now, one text each.", Kind.TEXTS, also=("active_issues",)),
    Argument("state", "Anything that the next one needs to go on, serialized.", also=("serialized_state",)),
    Argument("session_id", "Its id.", also=("id",)),
)

TOOLS: tuple[Tool, ...] = (
    Tool(
        "start_session", "Start a session",
        "Opens the session that says what the team works on now. The one that was open ends.",
        (
            Argument("focus", "What it is about, in one line.", required=True, also=("focus_area",)),
            Argument("summary", "What is known at the start."),
            *_SHARED, RUN,
        ),
        showing.SESSION, start_session, destroys=True,
    ),
    Tool(
        "update_session", "Update the session",
        "Adds a line to the open session's summary: what was done, what is open. It replaces the summary or ends the"
        " session for good only if you ask for that.",
        (
            Argument("summary", "One line to add."),
            Argument("replace", "Replace the summary instead of adding to it.", Kind.SWITCH),
            Argument("focus", "A new focus.", also=("focus_area",)),
            *_SHARED,
            Argument("end", "End the session.", Kind.SWITCH),
        ),
        showing.SESSION, update_session, destroys=True,
    ),
)  # fmt: skip
