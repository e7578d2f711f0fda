"""Owns `hansard memory`: what agents learned."""

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from hansard.domain import addresses, rendering
from hansard.domain.errors import Invalid
from hansard.domain.memories import Memory, normalised, note_from
from hansard.domain.paging import Page
from hansard.domain.ranking import UNRATED, USEFULNESS_MAX, usefulness
from hansard.domain.vocabulary import FactKind, Importance, MemoryType, Origin, Scope, Source
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import (
    Call,
    Column,
    author_option,
    command,
    content_of,
    counted,
    details,
    emit,
    file_option,
    moment,
    note,
    paged,
    say,
    shortened,
    table,
    when,
    words,
)
from hansard.interfaces.cli.edge import EXIT_FAILED
from hansard.interfaces.cli.marking import marked, outside, quotation, reasons, remarked, standing, vouched, worded
from hansard.services import guide

LATER = {
    **dict.fromkeys(("search", "get", "share", "inject", "rate", "usage", "purge", "reembed", "reindex"), "recall"),
    "index": "notes",
    "verify": "claims",
}
"""Commands by the module that has them; it is imported when the command runs."""
KEPT_CHARACTERS = 400
"""How much is shown of a known memory. What is known by nearness alone is shorter."""
force_option = click.option("--force", is_flag=True, help="Record it also if it is known already.")


class MemoryGroup(click.Group):
    """A group that loads what is heavy one command at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *LATER])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in LATER:
            return super().get_command(ctx, cmd_name)
        module = import_module(f"hansard.interfaces.cli.{LATER[cmd_name]}")
        found = getattr(module, cmd_name)
        assert isinstance(found, click.Command)
        return found


@click.group(cls=MemoryGroup)
def memory() -> None:
    """What agents learned.

    \b
    Example:
      hansard memory record "The API needs a Bearer prefix." --agent tank
      hansard memory list --tag cross-team
    """


@memory.command()
@click.argument("content", required=False)
@file_option("Read the content from this file.")
@click.option(
    "--type", "type_", default="learning", show_default=True, shell_complete=words(MemoryType),
    help="core_context, learning, pattern, update.",
)  # fmt: skip
@click.option(
    "--importance", default="medium", show_default=True, shell_complete=words(Importance), help="high, medium or low."
)
@click.option(
    "--scope", shell_complete=words(Scope),
    help="agent (private) or team; default: agent, or team with the tag cross-team.",
)  # fmt: skip
@click.option(
    "--source", default="manual", show_default=True, shell_complete=words(Source),
    help="Where it came from: manual, file_index, session_summary, task_completion, extraction.",
)  # fmt: skip
@click.option(
    "--origin", shell_complete=words(Origin),
    help="Whose words these are: human, agent, tool_output, imported_file, extraction, external; default: yours.",
)  # fmt: skip
@click.option("--name", help="A short name.")
@click.option("--tag", "tags", multiple=True, help="A tag; repeat for more.")
@click.option("--category", help="A category.")
@click.option("--cite", "citations", multiple=True, help="A file, line or address it rests on; repeat for more.")
@click.option("--kind", shell_complete=words(FactKind), help="For facts: user, feedback, project or reference.")
@click.option("--subject", help="For facts: what it is about.")
@click.option("--reason", help="For facts: why it is worth keeping.")
@click.option("--source-ref", help="The conversation or document it is part of.")
@click.option("--position", type=int, help="Its place in that conversation or document.")
@click.option("--run", "run_id", help="The run it was learned in.")
@click.option("--session", "session_id", help="The session it was learned in.")
@force_option
@command()
def record(call: Call, content: str | None, file: str | None, type_: str, **fields: Any) -> None:
    """Record a memory of the acting agent.

    The content '-' reads it from standard input. What is known already is not written again: the answer shows what
    was kept.

    \b
    Example:
      hansard memory record "Uploads over 5 MB time out." --agent tank \\
        --importance high --tag cross-team
    """
    with call.project() as project:
        made = project.remember(content_of(content, file), type=type_, **fields)
    what = f"{made.id} ({made.type}, {made.importance}, {made.scope})"
    told = f"Known already as {what}: {_kept(made)}" if made.duplicate else f"Recorded {what}."
    if made.is_quarantined:
        told = f"Kept {what}, but it waits for review: {reasons(made.signs)}."
    else:
        told += remarked(made)
    call.answer(shapes.record(made), lambda: say(told), waits_told=True)


@memory.command()
@click.argument("file", type=click.Path(allow_dash=True))
@force_option
@command()
def load(call: Call, file: str, *, force: bool) -> None:
    """Record many memories from a file, all or none.

    The file has one JSON object a line; '-' reads standard input.

    \b
    Example:
      hansard memory load notes.jsonl --agent tank
    """
    # Not splitlines(): inside a JSON string some of what it breaks at is ordinary text.
    lines = [(number, line) for number, line in enumerate(content_of(None, file).split("\n"), 1) if line.strip()]
    items = [(number, _item(number, line)) for number, line in lines]
    with call.project() as project:
        agent = project.seat().actor.name
        for number, item in items:
            _check(number, item, agent)
        made = project.remember_many([item for _, item in items], force=force)
    call.answer({"items": [shapes.record(one) for one in made]}, lambda: say(_loaded(items, made)))


@memory.command("list")
@click.option("--type", "type_", shell_complete=words(MemoryType), help="Only this type.")
@click.option("--importance", shell_complete=words(Importance), help="Only this importance.")
@click.option("--scope", shell_complete=words(Scope), help="Only agent or team scope.")
@click.option("--source", shell_complete=words(Source), help="Only from this source.")
@click.option("--tag", "tags", multiple=True, help="Only with one of these tags.")
@click.option("--text", help="Only memories with this text in name or content.")
@click.option("--expired", is_flag=True, help="Show expired ones too.")
@author_option("Only memories of this agent.")
@paged
@command()
def list_(call: Call, type_: str | None, author: str | None, **filters: Any) -> None:
    """List memories you may see, newest first.

    \b
    Example:
      hansard memory list --author tank --type learning --importance high
    """
    with call.project() as project:
        found = project.list_memories(type=type_, agent=author, **filters)
    call.answer(shapes.page(found), lambda: _table(found))


@memory.command()
@click.argument("memory_id")
@click.option("--version", type=int, help="As it stood in this version.")
@command()
def show(call: Call, memory_id: str, version: int | None) -> None:
    """Show one memory, expired or not.

    An address that a block names will do as well as an id. `memory://root` is the consolidated memory.

    \b
    Example:
      hansard memory show 019b7b1c-8f3e-7000-8000-000000000001
      hansard memory show memory://memories/019b7b1c-8f3e-7000-8000-000000000001
      hansard memory show memory://root
    """
    from hansard.interfaces.cli.versions import pick

    if memory_id.strip().lower() == addresses.GUIDANCE:
        _show_guidance(call)
        return
    with call.project() as project:
        current, earlier = project.memory_versions(memory_id)
        found = pick(current, earlier, version, ref=f"The memory {current.id}")
        decision = project.get_decision(found.decision_id).ref if found.decision_id else None
    call.answer(shapes.record(found), lambda: _details(found, decision))


@memory.command()
@click.argument("memory_id")
@command()
def versions(call: Call, memory_id: str) -> None:
    """Show every version a memory had, oldest first.

    \b
    Example:
      hansard memory versions 019b7b1c-8f3e-7000-8000-000000000001
    """
    from hansard.interfaces.cli.versions import tell

    with call.project() as project:
        current, earlier = project.memory_versions(memory_id)
        refs = {}
        if current.entry_id:
            refs[current.entry_id] = project.get_entry(current.entry_id).ref
        if current.decision_id:
            refs[current.decision_id] = project.get_decision(current.decision_id).ref
    document = {"current": shapes.record(current), "earlier": [shapes.revision(one) for one in earlier]}
    deeds = {1: "recorded"} | ({current.version: "forgotten"} if current.is_forgotten else {})

    def shown() -> None:
        say(f"Memory {current.id}")
        tell(current, earlier, made_by=current.agent, deeds=deeds, refs=refs)

    call.answer(document, shown)


@memory.command()
@click.argument("memory_id")
@click.option("--content", help="New content; '-' reads standard input.")
@click.option("--name", help="New name; an empty one removes it.")
@click.option("--type", "type_", shell_complete=words(MemoryType), help="New type.")
@click.option("--importance", shell_complete=words(Importance), help="New importance.")
@click.option("--tag", "tags", multiple=True, help="New tags, replacing the old ones.")
@click.option("--cite", "citations", multiple=True, help="New citations, replacing the old ones.")
@click.option("--expected-version", type=int, help="Change it only if it is still at this version.")
@command()
def edit(call: Call, memory_id: str, content: str | None, type_: str | None, **changes: Any) -> None:
    """Change a memory; earlier versions stay readable.

    \b
    Example:
      hansard memory edit 019b7b1c-8f3e-7000-8000-000000000001 \\
        --importance high --expected-version 1
    """
    changes |= {"type": type_, "content": None if content is None else content_of(content, None)}
    for name in ("tags", "citations"):
        changes[name] = changes[name] or None
    with call.project() as project:
        changed = project.edit_memory(memory_id, **changes)
    told = f"{changed.id} is now at version {changed.version}"
    told += f" and waits for review: {reasons(changed.signs)}." if changed.is_quarantined else "."
    if not changed.is_quarantined:
        told += vouched(changed) or remarked(changed)
    call.answer(shapes.record(changed), lambda: say(told))


@memory.command()
@click.argument("memory_id")
@click.option("--yes", is_flag=True, help="Do not ask. Needed with --json and where nobody can answer.")
@command()
def forget(call: Call, memory_id: str, *, yes: bool) -> int:
    """Remove a memory's content for good.

    A tombstone stays. This cannot be undone.

    \b
    Example:
      hansard memory forget 019b7b1c-8f3e-7000-8000-000000000001

    \b
    The same:
      hansard memory delete 019b7b1c-8f3e-7000-8000-000000000001
    """
    asks = sys.stdin is not None and sys.stdin.isatty() and not call.as_json
    if not yes and not asks:
        raise click.UsageError("Forgetting cannot be undone, and nobody can be asked here: confirm it with --yes.")
    with call.project() as project:
        found = project.get_memory(memory_id)
        if not yes and not click.confirm(f"Forget “{marked(shortened(found.content), found)}” for good?", err=True):
            note("Nothing was forgotten.")
            return EXIT_FAILED
        gone = project.forget(memory_id)
    still_in = found.source_ref if found.source is Source.FILE_INDEX else None
    where = "" if still_in is None else rendering.ticked(still_in)
    aside = f" A file still holds it ({where}): delete it there too. The index leaves it out." if where else ""
    call.answer(shapes.record(gone) | {"still_in": still_in}, lambda: say(f"{gone.id} is forgotten.{aside}"))
    return 0


memory.add_command(forget, "delete")


def _item(number: int, line: str) -> dict[str, Any]:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"line {number} is not JSON: {error}.") from None
    if not isinstance(item, dict):
        raise Invalid(f"line {number} must be a JSON object.")
    return item


def _check(number: int, item: dict[str, Any], agent: str) -> None:
    """Refuses a record that cannot be a memory by the line it stands in."""
    try:
        note_from(item, agent=agent)
    except Invalid as error:
        raise type(error)(f"line {number}: {error.message}") from None


def _loaded(items: Sequence[tuple[int, dict[str, Any]]], made: Sequence[Memory]) -> str:
    """How many were recorded, and each one of which other words were kept."""
    known = sum(one.duplicate for one in made)
    told = f"Recorded {counted(len(made) - known, 'memory', 'memories')}"
    lines = [f"{told}; {counted(known, 'was', 'were')} known already." if known else f"{told}."]
    lines += [
        f"Line {number} is known already as {one.id}: {_kept(one)}"
        for (number, item), one in zip(items, made, strict=True)
        if one.duplicate and normalised(one.content) != normalised(item["content"])
    ]
    return "\n".join(lines)


def _kept(one: Memory) -> str:
    return marked(shortened(one.content, KEPT_CHARACTERS), one)


def _table(found: Page[Memory]) -> None:
    rows = [
        [one.agent, f"{one.type}{origin and ', '}{origin}", one.importance, one.scope, marked(one.content, one),
         when(one.created_at), one.id]
        for one, origin in ((one, outside(one)) for one in found.items)
    ]  # fmt: skip
    columns: list[Column | str] = [
        "agent", Column("type", rank=1), Column("importance", rank=2), Column("scope", rank=4),
        Column("content", text=True), Column("recorded (UTC)", rank=3), "id",
    ]  # fmt: skip
    table(columns, rows, empty="No memories. Record one with `hansard memory record`.", more=found.next_cursor)


def _details(one: Memory, decision: str | None) -> None:
    if one.is_forgotten:
        say(f"{one.id} was forgotten on {moment(one.forgotten_at)}; its content is gone.")
        return
    details([
        ("memory", one.id), ("name", worded(one.name, one)), ("agent", one.agent), *standing(one), ("type", one.type),
        ("importance", one.importance), ("scope", one.scope), ("source", one.source),
        ("tags", worded(", ".join(one.tags), one)), ("category", worded(one.category, one)), ("kind", one.kind),
        ("subject", worded(one.subject, one)),
        ("reason", worded(one.reason, one)), ("cites", worded(", ".join(one.citations), one)),
        ("part of", worded(one.source_ref, one)), ("position", one.position), ("run", one.run_id),
        ("decision", decision),
        ("recorded", moment(one.created_at)), ("changed", moment(one.updated_at)),
        ("expires", "ended" if one.is_ended else moment(one.expires_at)), ("version", one.version),
        ("read", _readings(one)), ("usefulness", _usefulness(one)), ("content", quotation(one.content, one)),
    ])  # fmt: skip


def _readings(one: Memory) -> str:
    if not one.access_count:
        return "never"
    return f"{counted(one.access_count, 'time')}, last on {moment(one.accessed_at)}"


def _usefulness(one: Memory) -> str:
    """As ratings have it: from 0 to 2, and 1 if they disagree."""
    rated = one.alpha + one.beta > UNRATED
    return f"{usefulness(one.alpha, one.beta, floor=0.0):.2f} of {USEFULNESS_MAX:.0f}" if rated else "not rated"


def _show_guidance(call: Call) -> None:
    with call.project() as project:
        said = guide.read_guidance(project.seat())
    call.answer({"address": addresses.GUIDANCE, "text": said}, lambda: emit(said))
