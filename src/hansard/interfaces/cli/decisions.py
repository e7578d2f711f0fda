"""Owns `hansard decisions`: the rules in force and how they came to be."""

from typing import Any

import click

from hansard.domain.decisions import Decision
from hansard.domain.paging import Page
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import Call, command, content_of, details, paged, say, shortened, table, when


@click.group()
def decisions() -> None:
    """What the team decided.

    \b
    Example:
      hansard decisions create --type scope --title "No billing" --content "Billing is out of scope."
      hansard decisions list
      hansard decisions supersede D-1 D-4
    """


@decisions.command()
@click.option(
    "--type", "type_", required=True, help="architectural, scope, process, technical, learning, pattern, update."
)
@click.option("--title", required=True, help="Short title.")
@click.option("--content", help="What is decided; '-' reads standard input.")
@click.option("--file", help="Read what is decided from this file.")
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
        --content "All data lives in PostgreSQL." --rationale "One engine to operate."
    """
    with call.project() as project:
        decision = project.decide(type=type_, content=content_of(content, file), **more)
    call.answer(shapes.record(decision), lambda: say(f"{decision.ref} decided: {decision.title}"))


@decisions.command("list")
@click.option("--status", default="active", show_default=True, help="active, superseded, archived or all.")
@click.option("--type", "type_", help="Only this type.")
@click.option("--text", help="Only decisions with this text in title or content.")
@click.option("--as-of", metavar="TIME", help="As they stood at this time, such as 2026-03-01 or 2026-03-01T14:30:00Z.")
@paged
@command(filters_agent=True)
def list_(call: Call, type_: str | None, **filters: Any) -> None:
    """List decisions, newest first.

    \b
    Example:
      hansard decisions list --type architectural --as-of 2026-03-01
    """
    with call.project() as project:
        found = project.list_decisions(type=type_, **filters)
    call.answer(shapes.page(found), lambda: _table(found, filters["status"]))


@decisions.command()
@click.argument("decision")
@command()
def show(call: Call, decision: str) -> None:
    """Show one decision by number or id.

    \b
    Example:
      hansard decisions show D-3
    """
    with call.project() as project:
        found = project.get_decision(decision)
        successor = project.get_decision(found.superseded_by).ref if found.superseded_by else None
    call.answer(shapes.record(found), lambda: _details(found, successor))


@decisions.command()
@click.argument("decision")
@command()
def history(call: Call, decision: str) -> None:
    """Show what a decision said before and everything that was done to it.

    \b
    Example:
      hansard decisions history D-3
    """
    with call.project() as project:
        found = project.decision_history(decision)
    document = {
        "decision": shapes.record(found.decision),
        "revisions": [shapes.revision(one) for one in found.revisions],
        "events": [shapes.event(one) for one in found.events],
    }
    said = {one.version: str(one.body["content"]) for one in found.revisions}
    said[found.decision.version] = found.decision.content
    rows = [
        [str(version), when(event.at), event.actor, event.action, shortened(said.get(version, ""))]
        for version, event in enumerate(found.events, start=1)
    ]
    call.answer(document, lambda: table(["version", "at", "by", "what", "content"], rows, empty=""))


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
    """Change what an active decision says; the earlier version stays readable.

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


def _table(found: Page[Decision], status: str) -> None:
    rows = [
        [one.ref, one.status, one.type, shortened(one.title, 56), one.decided_by, when(one.created_at)]
        for one in found.items
    ]
    what = "decisions" if status == "all" else f"{status} decisions"
    columns = ["ref", "status", "type", "title", "decided by", "made"]
    table(columns, rows, empty=f"No {what}. Accept a proposal with `hansard inbox merge`.", more=found.next_cursor)


def _details(one: Decision, successor: str | None) -> None:
    details([
        ("decision", one.ref), ("title", one.title), ("type", one.type), ("status", one.status),
        ("superseded by", successor), ("by", one.author), ("decided by", one.decided_by),
        ("made", when(one.created_at)), ("changed", when(one.updated_at)), ("version", one.version),
        ("applies to", one.applies_to), ("tags", one.tags), ("proposal", one.entry_id), ("run", one.run_id),
        ("content", one.content), ("rationale", one.rationale),
    ])  # fmt: skip
