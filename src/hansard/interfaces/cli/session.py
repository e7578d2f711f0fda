"""Owns `hansard session`: what the team is on right now."""

from typing import Any

import click

from hansard.domain.errors import NoOpenSession
from hansard.domain.paging import Page
from hansard.domain.sessions import Session
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import (
    Call,
    Column,
    command,
    content_of,
    details,
    moment,
    paged,
    say,
    table,
    when,
)


@click.group()
def session() -> None:
    """What the team is on right now. At most one session is open.

    \b
    Example:
      hansard session start "Auth rework" --issue "#42"
      hansard session update "Login works; refresh tokens are next."
      hansard session end
    """


@session.command()
@click.argument("focus")
@click.option("--id", "id_", help="An id of your own; ids are never reused.")
@click.option("--issue", "issues", multiple=True, help="An active issue; repeat for more.")
@click.option("--summary", help="The first line of the summary.")
@click.option("--state", help="Serialized state to keep with it.")
@click.option("--run", "run_id", help="The run that opens it.")
@command()
def start(call: Call, focus: str, id_: str | None, **more: Any) -> None:
    """Open a session; the one that was open ends.

    What is new in the inbox folder of the mirror is imported.

    \b
    Example:
      hansard session start "Auth rework" --issue "#42" --issue "#57"
    """
    from hansard.interfaces.cli.mirror import adopt_new

    with call.project() as project:
        adopt_new(project)
        opened = project.start_session(focus=focus, id=id_, **more)
    call.answer(shapes.record(opened), lambda: _opened(opened))


@session.command()
@command()
def current(call: Call) -> None:
    """Show the open session.

    \b
    Example:
      hansard session current
    """
    with call.project() as project:
        found = project.current_session()
    if found is None:
        raise NoOpenSession("No session is open. Start one with `hansard session start FOCUS`.")
    call.answer(shapes.record(found), lambda: _details(found))


@session.command()
@click.argument("summary", required=False)
@click.option("--replace", is_flag=True, help="Replace the summary instead of adding a line.")
@click.option("--focus", help="New focus.")
@click.option("--issue", "issues", multiple=True, help="New active issues, replacing the old ones.")
@click.option("--state", help="New serialized state.")
@click.option("--id", "id_", help="Only if this session is the open one.")
@command()
def update(call: Call, summary: str | None, id_: str | None, **changes: Any) -> None:
    """Add a line to the open session's summary.

    The summary '-' reads it from standard input.

    \b
    Example:
      hansard session update "Login works; refresh tokens are next."
    """
    changes["issues"] = changes["issues"] or None
    text = None if summary is None else content_of(summary, None, field="summary")
    with call.project() as project:
        changed = project.update_session(text, id=id_, **changes)
    call.answer(shapes.record(changed), lambda: say(f"Session {changed.id} updated."))


@session.command()
@click.option("--id", "id_", help="Only if this session is the open one.")
@command()
def end(call: Call, id_: str | None) -> None:
    """End the open session.

    \b
    Example:
      hansard session end
    """
    with call.project() as project:
        ended = project.end_session(id_)
    call.answer(shapes.record(ended), lambda: say(f"Session {ended.id} ended."))


@session.command("list")
@paged
@command()
def list_(call: Call, limit: int, cursor: str | None) -> None:
    """List sessions, newest first.

    \b
    Example:
      hansard session list --limit 10
    """
    with call.project() as project:
        found = project.list_sessions(limit=limit, cursor=cursor)
    call.answer(shapes.page(found), lambda: _table(found))


@session.command()
@click.argument("session_id")
@command()
def get(call: Call, session_id: str) -> None:
    """Show one session by its id; the same as show.

    \b
    Example:
      hansard session get auth-rework
    """
    with call.project() as project:
        found = project.get_session(session_id)
    call.answer(shapes.record(found), lambda: _details(found))


@session.command()
@click.argument("session_id")
@command()
def show(call: Call, session_id: str) -> None:
    """Show one session by its id.

    \b
    Example:
      hansard session show auth-rework
    """
    with call.project() as project:
        found = project.get_session(session_id)
    call.answer(shapes.record(found), lambda: _details(found))


def _opened(one: Session) -> None:
    say(f"Session {one.id} is open: {one.focus}")


def _table(found: Page[Session]) -> None:
    rows = [[one.focus, when(one.started_at), when(one.ended_at) or "open", one.id] for one in found.items]
    columns: list[Column | str] = [Column("focus", text=True), Column("started (UTC)", rank=1), "ended (UTC)", "id"]
    table(columns, rows, empty="No sessions. Start one with `hansard session start FOCUS`.", more=found.next_cursor)


def _details(one: Session) -> None:
    details([
        ("session", one.id), ("focus", one.focus), ("issues", one.issues),
        ("opened by", one.opened_by),
        ("run", one.run_id), ("started", moment(one.started_at)), ("ended", moment(one.ended_at) or "open"),
        ("summary", one.summary), ("state", one.state),
    ])  # fmt: skip
