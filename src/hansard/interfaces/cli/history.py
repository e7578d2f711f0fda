"""Owns `hansard history`: every change, and the proof that none was altered."""

import click

from hansard.domain.ledger import Event
from hansard.domain.paging import Page
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import Call, command, details, paged, say, table, when
from hansard.interfaces.cli.edge import EXIT_FAILED
from hansard.services.audit import Verification


@click.group()
def history() -> None:
    """Every change, and the proof that none was altered.

    \b
    Example:
      hansard history list --limit 20
      hansard history verify
    """


@history.command("list")
@click.option("--subject", "subject_id", help="Only events about the record with this id.")
@paged
@command()
def list_(call: Call, subject_id: str | None, limit: int, cursor: str | None) -> None:
    """List events, newest first.

    \b
    Example:
      hansard history list --limit 20
    """
    with call.project() as project:
        found = project.list_events(subject_id=subject_id, limit=limit, cursor=cursor)
    call.answer(shapes.page(found, shapes.event), lambda: _table(found))


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
    call.answer(shapes.event(found), lambda: details(list(shapes.event(found).items())))


@history.command()
@command()
def verify(call: Call) -> int:
    """Check the chain of events from the first to the last, and every record against it.

    Ends with exit code 1 and names the first broken event if anything was altered.

    \b
    Example:
      hansard history verify
    """
    with call.project() as project:
        result = project.verify()
    call.answer(shapes.verification(result), lambda: say(_verdict(result)))
    return 0 if result.ok else EXIT_FAILED


def _verdict(result: Verification) -> str:
    if result.broken is None:
        return f"The history is whole: {result.events} events, {result.records} records."
    return f"The history is broken at event {result.broken.seq}: {result.broken.problem}."


def _table(found: Page[Event]) -> None:
    rows = [
        [str(one.seq), when(one.at), f"{one.actor} ({one.role})", one.action, one.subject_id] for one in found.items
    ]
    table(["seq", "at", "who", "what", "id"], rows, empty="No events.", more=found.next_cursor)
