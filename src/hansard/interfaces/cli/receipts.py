"""Owns `hansard receipts`: the receipts that were kept."""

import sys

import click

from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import (
    Call,
    Column,
    author_option,
    command,
    counted,
    moment,
    paged,
    say,
    table,
    when,
)
from hansard.services.name_candidates import name_candidates


@click.group()
def receipts() -> None:
    """List, show and delete receipts that were kept.

    `hansard context --keep` keeps one, and `hansard context --replay` shows again what it is about.

    \b
    Example:
      hansard receipts list
    """


@receipts.command("list")
@author_option("Only receipts of this agent's blocks.")
@paged
@command()
def list_(call: Call, author: str | None, limit: int, cursor: str | None) -> None:
    """List kept receipts, newest first. An agent sees its own.

    \b
    Example:
      hansard receipts list
      hansard receipts list --author tank --json
    """
    with call.project() as project:
        found = project.list_receipts(agent=author, limit=limit, cursor=cursor)

    def shown() -> None:
        table(
            ["id", Column("agent", rank=1), "mode", "kept (UTC)", Column("event", rank=2), Column("sha256", rank=3)],
            [
                (one.id, one.agent, one.mode, when(one.at), f"{one.ledger_seq:,}", one.sha256[:12])
                for one in found.items
            ],
            empty="No receipt is kept. `hansard context --keep` keeps one.",
            more=found.next_cursor,
        )

    call.answer(shapes.page(found, shapes.kept_receipt), shown)


@receipts.command()
@click.argument("receipt")
@command()
def show(call: Call, receipt: str) -> None:
    """Show what a block held, what was left out and why.

    \b
    Example:
      hansard receipts show 01a2b3c4-d5e6-7f80-9a1b-2c3d4e5f6a7b
    """
    with call.project() as project:
        found = project.get_receipt(receipt)
        names = name_candidates(project.seat(), found)

    def shown() -> None:
        from hansard.interfaces.cli.explaining import tell

        say(f"Receipt {found.id} of a block for {found.agent}, {moment(found.at)}")
        tell(found, names)
        for line in found.notes:
            say(line)

    call.answer(shapes.receipt(found), shown)


@receipts.command()
@click.option("--days", type=click.IntRange(min=0), help="Delete what is older than this; default: the setting.")
@click.option("--dry-run", is_flag=True, help="Only say how many there are.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@command()
def purge(call: Call, days: int | None, *, dry_run: bool, yes: bool) -> None:
    """Delete receipts older than `context.receipts_days`.

    \b
    Example:
      hansard receipts purge --dry-run
      hansard receipts purge --days 7 --yes
    """
    with call.project() as project:
        count = project.purge_receipts(days=days, dry_run=True)
        if not dry_run and count:
            if not yes and (call.as_json or not sys.stdin.isatty()):
                raise click.UsageError("Purging cannot be undone; add --yes.")
            if not yes:
                click.confirm(f"Delete {counted(count, 'receipt')} for good?", abort=True)
            count = project.purge_receipts(days=days)
    told = f"{counted(count, 'old receipt')} {'found' if dry_run else 'deleted'}."
    call.answer({"old": count, "purged": not dry_run}, lambda: say(told))
