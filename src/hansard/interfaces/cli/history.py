"""Owns `hansard history`: every change, and the proof that none was altered."""

import json
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any

import click

from hansard.domain.errors import NotFound, StoreBusy, StoreStarting, StoreUnreachable
from hansard.domain.ledger import Event
from hansard.domain.paging import Page
from hansard.domain.vocabulary import Subject
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import (
    Call,
    Column,
    command,
    counted,
    details,
    moment,
    note,
    paged,
    say,
    table,
    when,
)
from hansard.interfaces.cli.edge import EXIT_FAILED
from hansard.interfaces.cli.stopping import stoppable
from hansard.services.audit import HIDDEN_ID, Verification

_POINTERS = {"entry": Subject.ENTRY, "decision": Subject.DECISION, "by": Subject.DECISION}
"""What the details of an event point to by id."""
HIDDEN = "hidden"
AWAY_SECONDS = 1.0
"""How long a follower rests between two tries for a database that is away."""


@click.group()
def history() -> None:
    """Every change, and the proof that none was altered.

    \b
    Example:
      hansard history list --limit 20
      hansard history verify
    """


@history.command("list")
@click.option("--subject", metavar="REF", help="Only events about this record: D-3, P-7, a slug or an id.")
@paged
@command()
def list_(call: Call, subject: str | None, limit: int, cursor: str | None) -> None:
    """List events, newest first.

    What an event is about is hidden if it is a private memory of another agent.

    \b
    Example:
      hansard history list --limit 20
      hansard history list --subject D-3
    """
    with call.project() as project:
        found = project.list_events(subject_id=subject, limit=limit, cursor=cursor)
        refs = {} if call.as_json else _refs(project, found)
    call.answer(shapes.page(found, shapes.event), lambda: _table(found, refs))


@history.command()
@click.argument("seq", type=int)
@command()
def show(call: Call, seq: int) -> None:
    """Show one event by its number.

    \b
    Example:
      hansard history show 12
    """
    with call.project() as project:
        found = project.get_event(seq)
        about = _spoken(project, found.subject, found.subject_id)
        more = [
            (name, _spoken(project, _POINTERS[name], value) if name in _POINTERS else value)
            for name, value in found.details.items()
        ]
    call.answer(shapes.event(found), lambda: _details(found, about, more))


@history.command()
@click.option("--since", type=int, metavar="SEQ", help="Begin after this event; 0 begins with the first. Default: now.")
@click.option("--idle", "idle_seconds", type=float, metavar="SECONDS", help="End when nothing happened for so long.")
@command()
def follow(call: Call, since: int | None, idle_seconds: float | None) -> None:
    """Print events as they happen, in any process.

    It goes on until it is interrupted, also while the database is away; it then
    says so, and goes on with the first event that it has not printed. With --json
    every line is one event.

    \b
    Example:
      hansard history follow --since 120 --json
    """
    with ExitStack() as held:
        project = _opened(call, held)

        def told(one: Event) -> None:
            if call.as_json:
                print(json.dumps(shapes.event(one), ensure_ascii=False))
            else:
                about = _spoken(project, one.subject, one.subject_id)
                say(f"{one.seq:>6}  {when(one.at)}  {one.actor} ({one.role})  {one.action}  {about}")
            sys.stdout.flush()

        with stoppable():
            _followed(project, since, idle_seconds, told)


@history.command()
@command()
def verify(call: Call) -> int:
    """Check the chain of events and every record against it.

    Ends with exit code 1 and names the first broken event if anything was altered.

    \b
    Example:
      hansard history verify
    """
    with call.project() as project:
        result = project.verify()
    call.answer(shapes.verification(result), lambda: say(_verdict(result)))
    return 0 if result.ok else EXIT_FAILED


def _opened(call: Call, held: ExitStack) -> Any:
    """The project, however long its server takes to start."""
    is_told = False
    while True:
        try:
            return held.enter_context(call.project())
        except StoreStarting as error:
            if not is_told:
                note(f"{error.message} Trying again until stopped.")
            is_told = True
            time.sleep(AWAY_SECONDS)


def _followed(project: Any, since: int | None, idle_seconds: float | None, told: Callable[[Event], None]) -> None:
    """Hands on every event once, however often the database goes away meanwhile."""
    # Fixed before the first wait: whoever began anew at the newest event would miss those of the time it was away.
    seen = _newest(project) if since is None else since
    is_busy = False
    while True:
        try:
            for one in project.follow(since=seen, idle_seconds=idle_seconds):
                told(one)
                seen, is_busy = one.seq, False
        except StoreUnreachable:
            # The store itself says, once each, that the server does not answer and that it answers again.
            time.sleep(AWAY_SECONDS)
        except StoreBusy as error:
            if not is_busy:
                note(f"{error.message} Trying again until stopped.")
            is_busy = True
            time.sleep(AWAY_SECONDS)
        else:
            return


def _newest(project: Any) -> int:
    """The number of the last event; the first one founded the project."""
    return next((int(one.seq) for one in project.list_events(limit=1).items), 0)


def _refs(project: Any, found: Page[Event]) -> dict[str, str]:
    """How each record on the page is spoken of."""
    subjects = {one.subject_id: one.subject for one in found.items}
    return {record_id: _spoken(project, subject, record_id) for record_id, subject in subjects.items()}


def _spoken(project: Any, subject: Subject, record_id: str) -> str:
    """The number of a decision or a proposal, the key of the project, else the id if the caller may know it."""
    if record_id == HIDDEN_ID:
        return HIDDEN
    # A record that cannot be found any more is still a line of the history.
    with suppress(NotFound):
        if subject is Subject.DECISION:
            return str(project.get_decision(record_id).ref)
        if subject is Subject.ENTRY:
            return str(project.get_entry(record_id).ref)
    return str(project.key) if subject is Subject.PROJECT and record_id == project.id else record_id


def _verdict(result: Verification) -> str:
    if result.broken is None:
        return f"The history is whole: {counted(result.events, 'event')}, {counted(result.records, 'record')}."
    return f"The history is broken at event {result.broken.seq}: {result.broken.problem}."


def _table(found: Page[Event], refs: dict[str, str]) -> None:
    rows = [[str(one.seq), when(one.at), one.actor, one.role, one.action, refs[one.subject_id]] for one in found.items]
    about = Column("about", text=True, cut_front=True)
    columns: list[Column | str] = [
        "seq", "at (UTC)", Column("who", text=True), Column("role", rank=1), "what", about,
    ]  # fmt: skip
    table(columns, rows, empty="No events.", more=found.next_cursor)


def _details(one: Event, about: str, more: list[tuple[str, str]]) -> None:
    same = about in (one.subject_id, HIDDEN)
    details([
        ("event", one.seq), ("at", moment(one.at)), ("by", f"{one.actor} ({one.role})"), ("what", one.action),
        ("about", f"{one.subject} {about}" + ("" if same else f" ({one.subject_id})")), *more,
        ("state before", one.before.hex() if one.before else None),
        ("state after", one.after.hex() if one.after else None),
        ("event before", one.previous.hex()), ("hash", one.hash.hex()),
    ])  # fmt: skip
