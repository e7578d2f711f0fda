"""Owns `hansard run`: executions of agents."""

from typing import Any

import click

from hansard.domain.inbox import Entry
from hansard.domain.paging import Page
from hansard.domain.runs import FinishedRun, Run
from hansard.domain.vocabulary import RunOutcome
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import (
    Call,
    Column,
    author_option,
    command,
    content_of,
    details,
    moment,
    paged,
    say,
    table,
    when,
    words,
)
from hansard.interfaces.cli.marking import is_quoted, reasons
from hansard.interfaces.cli.scribe import session_told


@click.group()
def run() -> None:
    """Executions of agents.

    \b
    Example:
      hansard run start --agent tank --task "Fix the login"
      hansard run finish RUN --outcome completed
    """


@run.command()
@click.option("--task", help="What the run is to do; '-' reads standard input.")
@click.option("--task-type", help="The kind of task.")
@click.option("--parent", help="The run that started this one.")
@click.option("--tag", "tags", multiple=True, help="A tag; repeat for more.")
@command()
def start(call: Call, task: str | None, **more: Any) -> None:
    """Open a run of the acting agent.

    What is new in the inbox folder of the mirror is imported.

    \b
    Example:
      hansard run start --agent tank --task "Fix the login"
    """
    from hansard.interfaces.cli.mirror import adopt_new

    text = None if task is None else content_of(task, None, field="task")
    with call.project() as project:
        adopt_new(project)
        opened = project.start_run(task=text, **more)
    call.answer(shapes.record(opened), lambda: say(f"Run {opened.id} of {opened.agent} started."))


@run.command()
@click.argument("run_id")
@click.option("--outcome", required=True, shell_complete=words(RunOutcome), help="completed, failed or declined.")
@click.option("--reason", help="Why it failed or was declined; the whole team sees it.")
@click.option("--output", help="What came of a completed task; it is remembered for a week.")
@click.option("--persist", is_flag=True, help="Remember it even if nobody asked for the task.")
@command()
def finish(call: Call, run_id: str, outcome: str, **more: Any) -> None:
    """Close a run with its outcome.

    What came of its task is remembered for its agent, and the answer says as what or why not. The run itself, with
    its task and its reason, is what goes on now: the whole team sees it, until the memory it left is forgotten.

    The Scribe follows: it merges what the run learned, and notes the outcome in the open session.

    \b
    Example:
      hansard run finish 019b7b1c-8f3e-7000-8000-000000000001 \\
        --outcome failed --reason "Tests are red."
    """
    with call.project() as project:
        ended = project.finish_run(run_id, outcome=outcome, **more)
    kept = f"remembered as {ended.memory_id}" if ended.memory_id else f"not remembered: {ended.not_remembered}"
    told = [f"Run {ended.id} of {ended.agent} {ended.outcome}; {kept}.", *_scribed(ended)]
    call.answer(shapes.finished(ended), lambda: say("\n".join(told)))


@run.command()
@click.argument("run_id")
@command()
def finalize(call: Call, run_id: str) -> None:
    """Accept the boundaries that a coordinator proposed in its run.

    These are its pending architectural and scope entries, made or updated in the
    run. Every other type awaits review, and so does all that an agent proposed which
    leads nothing. What was accepted before is not accepted twice.

    \b
    Example:
      hansard run finalize 019b7b1c-8f3e-7000-8000-000000000001 \\
        --agent morpheus --role coordinator

    \b
    The same:
      hansard finalize 019b7b1c-8f3e-7000-8000-000000000001 \\
        --agent morpheus --role coordinator
    """
    with call.project() as project:
        done = project.finalize_run(run_id)
    told = [f"{one.entry.ref} ({one.entry.slug}) merged as {one.decision.ref}." for one in done]
    empty = "Nothing to accept: the run left no pending architectural or scope entry of its agent."
    call.answer({"items": [shapes.promotion(one) for one in done]}, lambda: say("\n".join(told) or empty))


@run.command("list")
@click.option("--open", "open_only", is_flag=True, help="Only runs still open.")
@author_option("Only runs of this agent.")
@paged
@command()
def list_(call: Call, author: str | None, **filters: Any) -> None:
    """List runs, newest first.

    \b
    Example:
      hansard run list --open
    """
    with call.project() as project:
        found = project.list_runs(agent=author, **filters)
    call.answer(shapes.page(found), lambda: _table(found))


@run.command()
@click.argument("run_id")
@command()
def show(call: Call, run_id: str) -> None:
    """Show one run.

    \b
    Example:
      hansard run show 019b7b1c-8f3e-7000-8000-000000000001
    """
    with call.project() as project:
        found = project.get_run(run_id)
    call.answer(shapes.record(found), lambda: _details(found))


def _scribed(ended: FinishedRun) -> list[str]:
    """What the Scribe did, as far as there is anything to tell."""
    if ended.scribed is None:
        return [f"The Scribe could not write it down: {ended.not_scribed} Repeat: hansard scribe {ended.id}"]
    merged = [f"{one.entry.ref} ({one.entry.slug}) merged as {one.decision.ref}." for one in ended.scribed.merged]
    waiting = [f"{one.ref} ({one.slug}) awaits review: {_why(one)}." for one in ended.scribed.awaiting_review]
    return merged + waiting + session_told(ended.scribed)


def _why(entry: Entry) -> str:
    """Why the Scribe left an entry: for its words, or for what it would be."""
    if entry.signs:
        return reasons(entry.signs)
    return f"its words are from outside ({entry.origin})" if is_quoted(entry) else entry.type.value


def _table(found: Page[Run]) -> None:
    rows = [[one.agent, one.task or "", one.outcome or "open", when(one.started_at), one.id] for one in found.items]
    columns: list[Column | str] = ["agent", Column("task", text=True), "outcome", Column("started (UTC)", rank=1), "id"]
    table(columns, rows, empty="No runs. Start one with `hansard run start --agent NAME`.", more=found.next_cursor)


def _details(one: Run) -> None:
    details([
        ("run", one.id), ("agent", one.agent), ("parent", one.parent_id), ("task", one.task),
        ("task type", one.task_type), ("tags", one.tags), ("outcome", one.outcome or "open"),
        ("reason", one.reason),
        ("started", moment(one.started_at)), ("ended", moment(one.ended_at)),
    ])  # fmt: skip
