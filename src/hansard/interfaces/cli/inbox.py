"""Owns `hansard inbox`: proposing and reviewing."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from hansard.domain.inbox import Entry, from_origin, proposal
from hansard.domain.paging import Page
from hansard.domain.vocabulary import ALL, DecisionType, EntryStatus, Importance, Origin
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import (
    Call,
    Column,
    author_option,
    check_status,
    command,
    content_of,
    counted,
    details,
    file_option,
    moment,
    paged,
    say,
    table,
    when,
    words,
)
from hansard.interfaces.cli.marking import acts_told, marked, outside, quotation, reasons, standing, whose, worded
from hansard.interfaces.cli.several import answer_many
from hansard.services import propose as propose_service
from hansard.services import review

if TYPE_CHECKING:
    from hansard.project import Project

PROPOSED = ("type", "title", "content", "rationale", "importance", "tags")
"""What an author says of a proposal."""


@click.group()
def inbox() -> None:
    """Proposals on their way to becoming decisions.

    \b
    Example:
      hansard inbox propose use-postgres --type architectural \\
        --content "All data lives in PostgreSQL." --agent tank
      hansard inbox list
      hansard inbox merge P-1 --note "agreed in the review"
    """


@inbox.command()
@click.argument("slug")
@click.option(
    "--type", "type_", required=True, shell_complete=words(DecisionType),
    help="architectural, scope, process, technical, learning, pattern, update.",
)  # fmt: skip
@click.option("--content", help="What is proposed; '-' reads standard input.")
@file_option("Read what is proposed from this file.")
@click.option("--title", help="Short title; default: the slug.")
@click.option("--rationale", help="Why.")
@click.option(
    "--importance", shell_complete=words(Importance),
    help="high, medium or low; for the memory a learning, pattern or update becomes.",
)  # fmt: skip
@click.option("--tag", "tags", multiple=True, help="A tag; repeat for more.")
@click.option("--run", "run_id", help="The run this was found in.")
@click.option(
    "--origin", shell_complete=words(Origin),
    help="Whose words these are: human, agent, tool_output, imported_file, extraction, external; default: yours.",
)  # fmt: skip
@command()
def propose(call: Call, slug: str, type_: str, content: str | None, file: str | None, **more: Any) -> None:
    """Put a proposal into the inbox, or update your own pending one.

    \b
    Example:
      hansard inbox propose retry-with-jitter --type pattern --agent tank \\
        --content "Retry calls to the payment API with jitter."
    """
    with call.project() as project:
        seat = project.seat()
        checked = proposal(
            author=seat.actor.name, slug=slug, type=type_, content=content_of(content, file), title=more["title"],
            rationale=more["rationale"], importance=more["importance"], tag_values=more["tags"], run_id=more["run_id"],
        )  # fmt: skip
        done = propose_service.propose(seat, from_origin(checked, more["origin"]))
    entry = done.entry
    document = {"outcome": done.outcome.value, "entry": shapes.record(entry)}
    told = f"{entry.ref} {done.outcome} as {entry.slug} ({entry.type}, {entry.status})."
    if entry.is_quarantined:
        told += f" It waits for review first: {reasons(entry.signs)}."
    elif outside(entry):
        told += " It comes from outside: only a person can accept it."
    call.answer(document, lambda: say(told), waits_told=True)


@inbox.command("list")
@click.option(
    "--status", default="pending", show_default=True, shell_complete=words(EntryStatus, [ALL]),
    help="pending, merged, rejected or all.",
)  # fmt: skip
@click.option("--type", "type_", shell_complete=words(DecisionType), help="Only this type.")
@click.option("--text", help="Only entries with this text in slug, title or content.")
@author_option()
@paged
@command()
def list_(call: Call, type_: str | None, author: str | None, **filters: Any) -> None:
    """List proposals, newest first.

    \b
    Example:
      hansard inbox list --status all --type learning
    """
    check_status(EntryStatus, filters["status"])
    with call.project() as project:
        found = project.list_inbox(type=type_, agent=author, **filters)
        pending = filters["status"].strip().lower() in {EntryStatus.PENDING, ALL} and filters["cursor"] is None
        waits = propose_service.tell_waiting(project.seat()) if pending else None
    call.answer(shapes.page(found) | {"waits": waits}, lambda: _table(found, filters["status"], waits))


@inbox.command()
@click.argument("entry")
@click.option("--version", type=int, help="As it stood in this version.")
@command()
def show(call: Call, entry: str, version: int | None) -> None:
    """Show one proposal by number, slug or id.

    \b
    Example:
      hansard inbox show P-7
      hansard inbox show P-7 --version 1
    """
    from hansard.interfaces.cli.versions import pick

    with call.project() as project:
        current, earlier = project.entry_versions(entry)
        found = pick(current, earlier, version, ref=current.ref)
        decision = project.get_decision(found.decision_id).ref if found.decision_id else None
        acts = [] if call.as_json else acts_told(project, current)
    call.answer(shapes.record(found), lambda: _details(found, decision, acts))


@inbox.command()
@click.argument("entry")
@command()
def versions(call: Call, entry: str) -> None:
    """Show every version a proposal had, oldest first.

    \b
    Example:
      hansard inbox versions use-postgres
    """
    from hansard.interfaces.cli.versions import tell

    with call.project() as project:
        current, earlier = project.entry_versions(entry)
        decision = project.get_decision(current.decision_id) if current.decision_id else None
    document = {"current": shapes.record(current), "earlier": [shapes.revision(one) for one in earlier]}
    refs = {decision.id: decision.ref} if decision else {}
    deeds = {1: "proposed"} | ({} if current.status is EntryStatus.PENDING else {current.version: current.status.value})

    def shown() -> None:
        say(f"{current.ref} {current.slug}")
        tell(current, earlier, made_by=current.author, deeds=deeds, refs=refs)

    call.answer(document, shown)


@inbox.command()
@click.argument("entries", nargs=-1, required=True)
@click.option("--title", help="Accept with this title.")
@click.option("--content", help="Accept with this content; '-' reads standard input.")
@click.option("--rationale", help="Accept with this rationale.")
@click.option("--note", "--reason", "note", help="A note of the reviewer for the record.")
@click.option("--expected-version", type=int, help="Accept it only if it is still at this version.")
@command()
def merge(
    call: Call, entries: tuple[str, ...], note: str | None, expected_version: int | None, **edits: str | None
) -> int:
    """Accept proposals: each becomes a decision.

    P-7@2 accepts version 2 of P-7 and nothing else. An entry that became architectural or scope after it was
    proposed is accepted only so, or with --expected-version.

    \b
    Example:
      hansard inbox merge P-7 --note "agreed"
      hansard inbox merge P-8@1 P-9@3 P-10
    """
    if len(entries) > 1 and (any(edits.values()) or expected_version is not None):
        raise click.UsageError("Edits and --expected-version go with one proposal at a time.")
    with call.project() as project:
        seat = project.seat()
        if len(entries) == 1:
            wording = content_of(edits["content"], None) if edits["content"] is not None else None
            changes = review.Edits(edits["title"], wording, edits["rationale"])
            one = review.merge(seat, entries[0], edits=changes, note=note, expected_version=expected_version)
            call.answer(shapes.promotion(one), lambda: say(_merged(project, one)))
            return 0
        done = review.merge_many(seat, entries, note=note)
        return answer_many(call, done, shape=shapes.promotion, told=lambda one: _merged(project, one))


@inbox.command()
@click.argument("entries", nargs=-1, required=True)
@click.option("--reason", "--note", "reason", help="Why it is declined; kept in the record.")
@click.option("--expected-version", type=int, help="Decline it only if it is still at this version.")
@command()
def reject(call: Call, entries: tuple[str, ...], reason: str | None, expected_version: int | None) -> int:
    """Decline proposals, which stay in the record.

    \b
    Example:
      hansard inbox reject P-7 --reason "We stay with SQLite this year."
      hansard inbox reject P-8@1 P-9@3
    """
    if len(entries) > 1 and expected_version is not None:
        raise click.UsageError("--expected-version goes with one proposal at a time.")
    with call.project() as project:
        seat = project.seat()
        if len(entries) == 1:
            one = review.reject(seat, entries[0], reason=reason, expected_version=expected_version)
            call.answer(shapes.record(one), lambda: say(_rejected(one)))
            return 0
        done = review.reject_many(seat, entries, reason=reason)
    return answer_many(call, done, shape=shapes.record, told=_rejected)


def _merged(project: Project, done: review.Promotion) -> str:
    """What was accepted as what, so that whoever merges sees type, title and version of it."""
    decision = done.decision
    memory = f" and memory {done.memory.id}" if done.memory else ""
    told = (
        f"{done.entry.ref} ({done.entry.slug}) merged as {decision.ref}{memory}: {decision.type}, {decision.title!r}."
    )
    revised = _times_revised(project, done) if done.version > 1 else 0
    if not revised:
        return told
    return f"{told}\nIt was revised {counted(revised, 'time')}; you merged version {done.version}."


def _times_revised(project: Project, done: review.Promotion) -> int:
    """How often something else was proposed under the same slug: a hold and a release make versions too."""
    _, earlier = project.entry_versions(done.entry.id)
    said = [[one.body[field] for field in PROPOSED] for one in earlier]
    return sum(before != after for before, after in pairwise(said))


def _rejected(entry: Entry) -> str:
    return f"{entry.ref} ({entry.slug}) rejected."


def _table(found: Page[Entry], status: str, waits: str | None) -> None:
    rows = [
        [entry.ref, entry.status, entry.type, entry.slug, marked(_title(entry), entry), _author(entry),
         str(entry.version),
         when(entry.created_at)]
        for entry in found.items
    ]  # fmt: skip
    every = status.strip().lower() == ALL
    columns: list[Column | str] = [
        "ref", Column("status", rank=0 if every else 4), "type", Column("slug", rank=3), Column("title", text=True),
        Column("by", rank=1), "version", Column("proposed (UTC)", rank=2),
    ]  # fmt: skip
    what = "proposals" if every else f"{status} proposals"
    table(columns, rows, empty=f"No {what}. Agents add them with `hansard inbox propose`.", more=found.next_cursor)
    if waits:
        say(waits)


def _author(entry: Entry) -> str:
    origin = "file" if entry.is_from_file else outside(entry)
    return f"{entry.author} ({origin})" if origin else entry.author


def _title(entry: Entry) -> str:
    return "(its words were taken out)" if entry.is_blank else entry.title


def _details(entry: Entry, decision: str | None, acts: list[tuple[str, str]]) -> None:
    origin = whose(entry) if entry.is_from_file else None
    details([
        ("proposal", f"{entry.ref} {entry.slug}"), ("title", marked(_title(entry), entry)), ("type", entry.type),
        ("status", entry.status), ("by", entry.author), ("from", origin), *standing(entry),
        *acts,
        ("proposed", moment(entry.created_at)),
        ("version", entry.version), ("run", entry.run_id), ("importance", entry.importance),
        ("tags", worded(", ".join(entry.tags), entry)),
        ("reviewed by", entry.reviewer), ("reviewed", moment(entry.reviewed_at)), ("note", entry.note),
        ("decision", decision), ("memory", entry.memory_id),
        ("content", None if entry.is_blank else quotation(entry.content, entry)),
        ("rationale", entry.rationale and quotation(entry.rationale, entry)),
    ])  # fmt: skip
