"""Owns `hansard memory verify`: which memories name files or symbols that are gone."""

from typing import TYPE_CHECKING

import click

from hansard.domain.claims import ClaimStatus
from hansard.interfaces import shapes
from hansard.interfaces.cli.backup import bar
from hansard.interfaces.cli.calling import Call, author_option, command, counted, say, shortened
from hansard.interfaces.cli.edge import EXIT_FAILED
from hansard.interfaces.cli.marking import marked, outside

if TYPE_CHECKING:
    from hansard.domain.memories import Memory
    from hansard.services.check_claims import Checked, ClaimsReport


@click.command()
@click.argument("memory_ids", nargs=-1, metavar="[MEMORY_ID]...")
@click.option("--all", "show_all", is_flag=True, help="Show every memory that names something, also if it is there.")
@click.option("--root", metavar="PATH", type=click.Path(), help="The folder to check against; default: the project's.")
@author_option("Only memories of this agent.")
@command()
def verify(call: Call, memory_ids: tuple[str, ...], root: str | None, author: str | None, *, show_all: bool) -> int:
    """Find memories that name files or symbols that are gone.

    Checks what memories cite, what they name in back-ticks and what looks like a path, against the working tree you
    stand in: these memories, or all that you may see. Nothing is changed. Ends with exit code 1 if a claim is stale;
    one that cannot be checked is none.

    \b
    Example:
      hansard memory verify
      hansard memory verify --author tank --all --json
    """
    if memory_ids and author is not None:
        raise click.UsageError("Give the ids of memories, or --author, not both.")
    with call.project() as project, bar(call) as progress:
        report = project.verify_memories(memory_ids, agent=author, root=root, progress=progress)
    stale = report.stale
    shown = report.items if show_all else stale
    call.answer(shapes.claims(report, shown), lambda: _told(report, shown, show_all=show_all))
    return EXIT_FAILED if stale else 0


def _told(report: "ClaimsReport", shown: "tuple[Checked, ...]", *, show_all: bool) -> None:
    for one in shown:
        say(f"{one.memory.id}  {one.memory.agent}: {_told_of(one.memory)}")
        for claim, verdict in one.claims:
            if show_all or verdict.status is ClaimStatus.STALE:
                say(f"  {verdict.status:<9} {marked(verdict.note or f'`{claim.name}`', one.memory)}")
    counts = ", ".join(f"{report.count(status):,} {status.value}" for status in ClaimStatus)
    total = sum(report.count(status) for status in ClaimStatus)
    say(f"{counted(report.memories, 'memory', 'memories')}, {counted(total, 'claim')} in {report.root}: {counts}.")


def _told_of(memory: "Memory") -> str:
    origin = outside(memory)
    return f"{origin and f'[{origin}] '}{marked(shortened(memory.content), memory)}"
