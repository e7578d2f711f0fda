"""Owns the commands that find and use memories: search, get, share, inject, rate, usage, purge, reembed, reindex."""

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from hansard.domain import rendering
from hansard.domain.actors import key_of
from hansard.domain.layout import NOTES_NOTE
from hansard.domain.paging import Listing
from hansard.domain.usage import MemoryUsage, Sighting, UsageSummary
from hansard.domain.vocabulary import Category, Reach, Source
from hansard.interfaces import shapes
from hansard.interfaces.cli import detached
from hansard.interfaces.cli.calling import (
    Call,
    Column,
    command,
    content_of,
    counted,
    note,
    paged,
    say,
    shortened,
    table,
    when,
    words,
)
from hansard.interfaces.cli.marking import is_quoted, marked, outside, reasons, vouched
from hansard.services.recall import Hits
from hansard.services.reembed import Embedding
from hansard.settings import default_database


@click.command()
@click.argument("query")
@click.option("--limit", type=int, default=5, show_default=True, help="How many memories at most.")
@click.option("--scope", default="all", show_default=True, shell_complete=words(Reach), help="all, agent or team.")
@click.option("--source", shell_complete=words(Source), help="Only from this source.")
@click.option("--run", "run_id", help="The run this is asked in; it is kept in the retrieval log.")
@click.option("--task", help="The task this is asked for; it is kept in the retrieval log.")
@click.option("--explain", is_flag=True, help="Show every factor of every score.")
@command()
def search(call: Call, query: str, *, explain: bool, **wanted: Any) -> None:
    """Find the memories that answer a question, best first.

    \b
    Example:
      hansard memory search "why do I get 403?" --agent tank --explain
    """
    with call.project() as project:
        found = project.recall(content_of(query, None, field="query"), **wanted)
        document = {"items": [shapes.hit(one) for one in found], "notes": list(found.notes)}
        # Before closing, which waits for vectors that are being made.
        call.answer(document, lambda: _hits(found, explain=explain))
        sys.stdout.flush()


@click.command()
@click.argument("memory_id")
@click.option("--run", "run_id", help="The run it is read in.")
@click.option("--task", help="The task it is read for.")
@command()
def get(call: Call, memory_id: str, **where: str | None) -> None:
    """Read a memory and count the access.

    \b
    Example:
      hansard memory get 019b7b1c-8f3e-7000-8000-000000000001 --agent tank
    """
    with call.project() as project:
        found, reader = project.use_memory(memory_id, **where), project.seat().actor.key
    own = key_of(found.agent) == reader and not is_quoted(found)
    told = found.content if own else f"{NOTES_NOTE}\n{rendering.knowledge_line(found, reader_key=reader)}".rstrip("\n")
    call.answer(shapes.record(found), lambda: say(told))


@click.command()
@click.argument("memory_id")
@command()
def share(call: Call, memory_id: str) -> None:
    """Make a memory one of the team's. Its own agent may, or a lead.

    A person who shares what came from outside vouches for it. ID@2 shares
    version 2 and no other.

    \b
    Example:
      hansard memory share 019b7b1c-8f3e-7000-8000-000000000001 --agent tank
    """
    with call.project() as project:
        shared = project.share_memory(memory_id)
    told = f"{shared.id} is shared with the team.{vouched(shared)}"
    if shared.duplicate:
        told = f"The team knows it already as {shared.id}; nothing was changed."
    call.answer(shapes.record(shared), lambda: say(told))


@click.command()
@click.argument("learning", required=False)
@click.option("--memory", "memory_id", metavar="ID", help="A memory that is the lesson; it keeps its origin.")
@click.option("--to", "target", required=True, metavar="AGENT", help="The agent that is to learn it.")
@click.option("--category", required=True, shell_complete=words(Category), help=", ".join(Category))
@command()
def inject(call: Call, learning: str | None, memory_id: str | None, target: str, category: str) -> None:
    """Hand a lesson to an agent; a lead or a person may.

    The lesson is a text, or with --memory what a memory says. A person who
    hands on what came from outside vouches for it.

    \b
    Example:
      hansard memory inject "Run the migrations first." --to tank \\
        --category best-practice
      hansard memory inject --to tank --category preference \\
        --memory 019b7b1c-8f3e-7000-8000-000000000001
    """
    with call.project() as project:
        lesson = None if learning is None else content_of(learning, None, field="learning")
        made = project.inject_learning(lesson, agent=target, category=category, memory_id=memory_id)
    told = f"Handed to {made.agent} as {made.id} ({made.category}).{vouched(made)}"
    if made.is_quarantined:
        told = f"Kept for {made.agent} as {made.id}, but it waits for review: {reasons(made.signs)}."
    call.answer(shapes.record(made), lambda: say(told), waits_told=True)


@click.command()
@click.argument("memory_id")
@click.option("--useful/--useless", required=True, help="Whether it helped.")
@click.option("--note", "remark", help="Why.")
@click.option("--run", "run_id", help="The run it was used in; once a run.")
@command()
def rate(call: Call, memory_id: str, remark: str | None, *, useful: bool, run_id: str | None) -> None:
    """Say whether a memory helped.

    In a run an agent rates a memory once; without a run, its last rating of the day counts.

    \b
    Example:
      hansard memory rate 019b7b1c-8f3e-7000-8000-000000000001 --useful
    """
    with call.project() as project:
        rated = project.rate_memory(memory_id, useful=useful, note=remark, run_id=run_id)
        own = key_of(rated.agent) == project.seat().actor.key
    word = "useful" if useful else "useless"
    aside = " It is your own memory, so this is kept and counts for nothing." if own else ""
    call.answer(shapes.record(rated) | {"counts": not own}, lambda: say(f"{rated.id} rated {word}.{aside}"))


@click.command()
@click.option("--days", type=int, default=30, show_default=True, help="How far back the report looks.")
@click.option("--memory", "memory_id", metavar="ID", help="Show the retrieval log of this memory instead.")
@click.option("--task", help="Show the retrieval log of tasks with this text instead.")
@paged
@command()
def usage(call: Call, days: int, memory_id: str | None, task: str | None, limit: int, cursor: str | None) -> None:
    """Report what gets surfaced, read and rated.

    An agent is told of its own calls, a person of all.

    \b
    Example:
      hansard memory usage --days 7
      hansard memory usage --memory 019b7b1c-8f3e-7000-8000-000000000001
    """
    with call.project() as project:
        if memory_id is None and task is None:
            report = project.memory_usage(days=days)
            call.answer(shapes.usage(report), lambda: _usage(report, days))
            return
        log = project.retrievals(memory_id=memory_id, task=task, days=days, limit=limit, cursor=cursor)
    call.answer(shapes.page(log, shapes.sighting), lambda: _log(log))


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say how many there are.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--trust-clock", is_flag=True, help="Purge although this clock seems to be far ahead.")
@command()
def purge(call: Call, *, dry_run: bool, yes: bool, trust_clock: bool) -> None:
    """Forget what has expired, for good. Until then it is found by its id.

    By a clock that is wrong everything has expired. So nothing is purged if this clock is ahead of the database
    server's or, with a file, if by it something expired more than 3 days ago and after the last change of the project,
    until --trust-clock says it is right. Whoever purges every night is not asked, however long the project rests.

    \b
    Example:
      hansard memory purge --dry-run

    \b
    The same:
      hansard purge --dry-run
    """
    with call.project() as project:
        count = project.purge(dry_run=True)
        if not dry_run and count:
            if not yes and (call.as_json or not sys.stdin.isatty()):
                raise click.UsageError("Purging cannot be undone; add --yes.")
            if not yes:
                click.confirm(f"Forget {counted(count, 'expired memory', 'expired memories')} for good?", abort=True)
            count = project.purge(trust_clock=trust_clock)
    told = f"{counted(count, 'expired memory', 'expired memories')} {'found' if dry_run else 'forgotten'}."
    call.answer({"expired": count, "purged": not dry_run}, lambda: say(told))


@click.command()
@command()
def reindex(call: Call) -> None:
    """Make the search index of every memory anew from its text.

    A damaged part of the index is made anew by the next search as well. This is for what a search cannot see: parts
    that are missing altogether. `hansard doctor` says when it is needed.

    \b
    Example:
      hansard memory reindex
    """
    with call.project() as project:
        count = project.reindex()
    told = f"The index of {counted(count, 'memory', 'memories')} was made anew."
    call.answer({"memories": count}, lambda: say(told))


@click.command()
@click.option("--status", is_flag=True, help="Only say which model searches use and how far the configured one is.")
@click.option("--background", is_flag=True, help="Return at once and go on in a process of its own.")
@click.option("--again", is_flag=True, help="Make even those anew that the configured model has made already.")
@command()
def reembed(call: Call, *, status: bool, background: bool, again: bool) -> None:
    """Make vectors with the configured model, where it has none yet.

    Searches go on meanwhile with the old ones. Interrupted, it goes on where it stopped when it is called again.

    \b
    Example:
      hansard memory reembed --background
      hansard memory reembed --status
    """
    if status and (background or again):
        raise click.UsageError("Give --status alone: it only looks.")
    with call.project() as project:
        if status:
            _answer_embedding(call, project.embedding(), detached.state(_task(call, project.key)))
            return
        if background:
            # What would be refused is refused here, where somebody reads it.
            project.may_reembed()
            arguments = ["memory", "reembed", "--json", *(["--again"] if again else [])]
            work = _task(call, project.key)
            running = detached.state(work).process
            if running is not None:
                told = f"Process {running} is at work already; `hansard memory reembed --status` says how far it is."
                call.answer({"process": running}, lambda: say(told))
                return
            process = detached.start(work, arguments, {**call.flags, "project": project.key})
            told = f"Embedding goes on as process {process}; `hansard memory reembed --status` says how far it is."
            call.answer({"process": process}, lambda: say(told))
            return
        if call.as_json or not sys.stderr.isatty():
            done = project.reembed(again=again)
        else:
            from rich.console import Console
            from rich.progress import Progress

            with Progress(console=Console(stderr=True)) as bar:
                task = bar.add_task("Embedding", total=None)
                done = project.reembed(
                    again=again, progress=lambda made, total: bar.update(task, completed=made, total=total)
                )
        if os.environ.get(detached.MARK) is None:
            detached.clear(_task(call, project.key))
    document = {"model": done.model._asdict(), "units": done.units, "refused": done.refused}
    if done.refused:
        note(f"{done.model.name} refused {counted(done.refused, 'text')}; only words find them.")
    call.answer(document, lambda: say(f"{counted(done.units, 'unit')} embedded; searches use {done.model.name}."))


def _task(call: Call, project_key: str) -> str:
    database = call.settings().db or default_database()
    return detached.name_of("reembed", database, project_key)


def _answer_embedding(call: Call, found: Embedding, work: detached.State) -> None:
    def told() -> None:
        if work.process is not None:
            say(f"Process {work.process} is at work.")
        if work.error is not None:
            note(f"The last one in the background ended with an error: {work.error}")
        if found.serving is None:
            say("Nothing was embedded yet; searches use keywords.")
        else:
            say(f"Searches use {found.serving}.")
        if found.configured is None:
            say("embedding.provider is none: nothing new is embedded.")
        elif found.configured != found.serving:
            say(f"{found.configured} is configured: {found.embedded:,} of {counted(found.units, 'unit')} embedded.")
        else:
            say(f"{found.embedded:,} of {counted(found.units, 'unit')} embedded.")

    document = {
        "serving": found.serving._asdict() if found.serving else None,
        "configured": found.configured._asdict() if found.configured else None,
        "embedded": found.embedded,
        "units": found.units,
        "process": work.process,
        "error": work.error,
    }
    call.answer(document, told)


def _hits(found: Hits, *, explain: bool) -> None:
    for one in found.notes:
        note(one)
    if found:
        say(NOTES_NOTE)
    columns = [
        Column("relevance"),
        Column("score"),
        Column("content", text=True),
        Column("agent", rank=2),
        Column("id"),
    ]
    if explain:
        names = ("coverage", "cosine", "corrections", "recency", "access", "quality", "usefulness", "held")
        columns[2:2] = [Column(name) for name in names]
    rows = []
    for hit in found:
        row = [
            f"{hit.relevance:.3f}",
            f"{hit.score:.3f}",
            marked(shortened(hit.memory.content), hit.memory),
            hit.memory.agent,
            hit.memory.id,
        ]
        if explain:
            parts = hit.factors
            numbers = [f"{number:.3f}" for number in (hit.coverage, hit.cosine, *parts[1:], hit.held)]
            row[2:2] = [*numbers[:2], f"{hit.corrections:+.3f}", *numbers[2:]]
        rows.append(row)
    origins = [outside(hit.memory) for hit in found]
    if any(origins):
        columns.insert(-2, Column("origin"))
        rows = [[*row[:-2], origin, *row[-2:]] for row, origin in zip(rows, origins, strict=True)]
    table(columns, rows, empty="Nothing found.")


def _usage(report: UsageSummary, days: int) -> None:
    never = counted(report.never_surfaced, "memory", "memories")
    say(f"{counted(report.calls, 'call')} in {counted(days, 'day')}; {never} never surfaced.")
    columns = [Column(name) for name in ("source", "surfaced", "memories", "shown", "read", "useful", "useless")]
    rows = [[source, *(str(number) for number in one)] for source, one in sorted(report.by_source.items())]
    table(columns, rows, empty="Nothing was surfaced or rated.")
    if report.top:
        names = ("surfaced", "shown", "read", "useful", "useless")
        counts = [(one.surfaced, one.shown, one.read, one.rated_useful, one.rated_useless) for one in report.top]
        used = [
            [marked(one.text, one), *map(str, numbers), one.memory_id]
            for one, numbers in zip(report.top, counts, strict=True)
        ]
        heads = [Column("most used", text=True), *(Column(name) for name in names), Column("id")]
        table(*_with_origins(heads, used, report.top), empty="")


def _log(log: Listing[Sighting]) -> None:
    columns = [
        Column("at (UTC)"), Column("who"), Column("how"), Column("rank"), Column("shown", rank=1),
        Column("task", text=True), Column("content", text=True), Column("id"),
    ]  # fmt: skip
    rows = [
        [when(one.at), one.agent, one.kind, str(one.rank), "yes" if one.shown else "no", one.task or "",
         marked(one.text, one), one.memory_id]
        for one in log
    ]  # fmt: skip
    table(*_with_origins(columns, rows, log), empty="Nothing was surfaced.", more=log.next_cursor)


def _with_origins(
    columns: list[Column], rows: list[list[str]], told: Sequence[Sighting | MemoryUsage]
) -> tuple[list[Column], list[list[str]]]:
    """The table with a column, before the ids, that says where words from outside come from, if there are any."""
    if not any(one.origin for one in told):
        return columns, rows
    filled = [[*row[:-1], str(one.origin or ""), row[-1]] for row, one in zip(rows, told, strict=True)]
    return [*columns[:-1], Column("origin"), columns[-1]], filled
