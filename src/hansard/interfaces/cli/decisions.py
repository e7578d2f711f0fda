"""Owns `hansard decisions`: the rules in force and how they came to be."""

from collections.abc import Iterable
from typing import Any

import click

from hansard.domain.decisions import Decision
from hansard.domain.paging import Page
from hansard.domain.vocabulary import ALL, DecisionStatus, DecisionType
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import (
    Call,
    Column,
    author_option,
    check_status,
    command,
    content_of,
    details,
    file_option,
    moment,
    paged,
    say,
    table,
    when,
    words,
)


@click.group()
def decisions() -> None:
    """What the team decided.

    \b
    Example:
      hansard decisions create --type scope --title "No billing" \\
        --content "Billing is out of scope."
      hansard decisions list
      hansard decisions supersede D-1 D-4
    """


@decisions.command()
@click.option(
    "--type", "type_", required=True, shell_complete=words(DecisionType),
    help="architectural, scope, process, technical, learning, pattern, update.",
)  # fmt: skip
@click.option("--title", required=True, help="Short title.")
@click.option("--content", help="What is decided; '-' reads standard input.")
@file_option("Read what is decided from this file.")
@click.option("--rationale", help="Why.")
@click.option("--tag", "tags", multiple=True, help="A tag; repeat for more.")
@click.option("--applies-to", multiple=True, metavar="GLOB", help="Paths it applies to; repeat for more.")
@click.option("--run", "run_id", help="The run it was made in.")
@command()
def create(call: Call, type_: str, content: str | None, file: str | None, **more: Any) -> None:
    """Make a decision directly.

    \b
    Example:
      hansard decisions create --type architectural --title "Use PostgreSQL" \\
        --content "All data lives in PostgreSQL."
    """
    with call.project() as project:
        decision = project.decide(type=type_, content=content_of(content, file), **more)
    call.answer(shapes.record(decision), lambda: say(f"{decision.ref} decided: {decision.title}"))


@decisions.command("list")
@click.option(
    "--status", default="active", show_default=True, shell_complete=words(DecisionStatus, [ALL]),
    help="active, superseded, archived or all.",
)  # fmt: skip
@click.option("--type", "type_", shell_complete=words(DecisionType), help="Only this type.")
@click.option("--text", help="Only decisions with this text in title or content.")
@click.option("--as-of", metavar="TIME", help="As they stood at this time, such as 2026-03-01 or 2026-03-01T14:30:00Z.")
@author_option()
@paged
@command()
def list_(call: Call, type_: str | None, author: str | None, **filters: Any) -> None:
    """List decisions, newest first.

    \b
    Example:
      hansard decisions list --type architectural --as-of 2026-03-01
    """
    check_status(DecisionStatus, filters["status"])
    with call.project() as project:
        found = project.list_decisions(type=type_, agent=author, **filters)
    call.answer(shapes.page(found), lambda: _table(found, filters["status"], filters["as_of"]))


@decisions.command()
@click.argument("decision")
@click.option("--version", type=int, help="As it stood in this version.")
@command()
def show(call: Call, decision: str, version: int | None) -> None:
    """Show one decision by number, id, or its address in a block.

    \b
    Example:
      hansard decisions show D-3
      hansard decisions show memory://decisions/3
      hansard decisions show D-3 --version 1
    """
    from hansard.interfaces.cli.versions import pick

    with call.project() as project:
        whole = project.decision_history(decision)
        found = pick(whole.decision, whole.revisions, version, ref=whole.decision.ref)
        refs = _refs(project, found.entry_id, [found.superseded_by])
    call.answer(shapes.record(found), lambda: _details(found, refs))


@decisions.command()
@click.argument("decision")
@command()
def history(call: Call, decision: str) -> None:
    """Show what a decision said before and everything done to it.

    \b
    Example:
      hansard decisions history D-3
    """
    from hansard.interfaces.cli.versions import tell

    with call.project() as project:
        found = project.decision_history(decision)
        successors = [found.decision.superseded_by, *(str(one.body["superseded_by"] or "") for one in found.revisions)]
        refs = _refs(project, found.decision.entry_id, successors)
    document = {
        "decision": shapes.record(found.decision),
        "revisions": [shapes.revision(one) for one in found.revisions],
        "events": [shapes.event(one) for one in found.events],
    }
    # Every event made a version; the oldest events of a long history may be missing here.
    deeds = {
        found.decision.version - back: event.action.partition(".")[2] for back, event in enumerate(found.events[::-1])
    }

    def shown() -> None:
        say(f"{found.decision.ref} {found.decision.title}")
        tell(found.decision, found.revisions, made_by=found.decision.decided_by, deeds=deeds, refs=refs)

    call.answer(document, shown)


@decisions.command()
@click.argument("decision")
@click.option("--title", help="New title.")
@click.option("--content", help="New content; '-' reads standard input.")
@click.option("--rationale", help="New rationale; an empty one removes it.")
@click.option("--tag", "tags", multiple=True, help="New tags, replacing the old ones.")
@click.option("--applies-to", multiple=True, metavar="GLOB", help="New paths, replacing the old ones.")
@click.option("--expected-version", type=int, help="Change it only if it is still at this version.")
@command()
def update(call: Call, decision: str, content: str | None, **changes: Any) -> None:
    """Change what an active decision says.

    The earlier version stays readable.

    \b
    Example:
      hansard decisions update D-3 --rationale "Measured: twice as fast."
    """
    if content is not None:
        changes["content"] = content_of(content, None)
    for name in ("tags", "applies_to"):
        changes[name] = changes[name] or None
    with call.project() as project:
        changed = project.update_decision(decision, **changes)
    call.answer(shapes.record(changed), lambda: say(f"{changed.ref} is now at version {changed.version}."))


@decisions.command()
@click.argument("old")
@click.argument("new")
@command()
def supersede(call: Call, old: str, new: str) -> None:
    """Replace OLD by NEW, both active decisions of this project.

    \b
    Example:
      hansard decisions supersede D-1 D-4
    """
    with call.project() as project:
        replaced = project.supersede(old, new)
        successor = project.get_decision(replaced.superseded_by)
    call.answer(shapes.record(replaced), lambda: say(f"{replaced.ref} is superseded by {successor.ref}."))


@decisions.command()
@click.argument("decision")
@command()
def archive(call: Call, decision: str) -> None:
    """Retire a decision without a successor.

    \b
    Example:
      hansard decisions archive D-5
    """
    with call.project() as project:
        done = project.archive(decision)
    call.answer(shapes.record(done), lambda: say(f"{done.ref} is archived. Undo: hansard decisions restore {done.ref}"))


@decisions.command()
@click.argument("decision")
@command()
def restore(call: Call, decision: str) -> None:
    """Make an archived or superseded decision active again.

    \b
    Example:
      hansard decisions restore D-5
    """
    with call.project() as project:
        done = project.restore(decision)
    call.answer(shapes.record(done), lambda: say(f"{done.ref} is active again."))


def _refs(project: Any, entry_id: str | None, successors: Iterable[str | None]) -> dict[str, str]:
    """How the records that a decision points to are spoken of."""
    refs = {one: project.get_decision(one).ref for one in successors if one}
    return refs | {entry_id: project.get_entry(entry_id).ref} if entry_id else refs


def _table(found: Page[Decision], status: str, as_of: str | None) -> None:
    rows = [[one.ref, one.status, one.type, one.title, one.decided_by, when(one.created_at)] for one in found.items]
    every = status.strip().lower() == ALL
    columns: list[Column | str] = [
        "ref", Column("status", rank=0 if every else 3), "type", Column("title", text=True),
        Column("decided by", rank=1), Column("made (UTC)", rank=2),
    ]  # fmt: skip
    what = "decisions" if every else f"{status} decisions"
    empty = f"No {what}. Accept a proposal with `hansard inbox merge`."
    table(columns, rows, empty=empty if as_of is None else f"No {what} as of {as_of}.", more=found.next_cursor)


def _details(one: Decision, refs: dict[str, str]) -> None:
    details([
        ("decision", one.ref), ("title", one.title), ("type", one.type), ("status", one.status),
        ("superseded by", refs.get(one.superseded_by or "")), ("by", one.author), ("decided by", one.decided_by),
        ("amended by", one.amended_by), ("made", moment(one.created_at)), ("changed", moment(one.updated_at)),
        ("version", one.version),
        ("applies to", one.applies_to), ("tags", one.tags), ("proposal", refs.get(one.entry_id or "")),
        ("run", one.run_id), ("content", one.content), ("rationale", one.rationale),
    ])  # fmt: skip
