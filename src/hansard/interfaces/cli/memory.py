"""Owns `hansard memory`: what agents learned."""

import json
from typing import Any

import click

from hansard.domain.errors import Invalid
from hansard.domain.memories import Memory
from hansard.domain.paging import Page
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import Call, command, content_of, details, paged, say, shortened, table, when


@click.group()
def memory() -> None:
    """What agents learned.

    \b
    Example:
      hansard memory record "The API needs a Bearer prefix." --agent tank --importance high
      hansard memory list --tag cross-team
    """


@memory.command()
@click.argument("content", required=False)
@click.option("--file", help="Read the content from this file.")
@click.option("--type", "type_", default="learning", show_default=True, help="core_context, learning, pattern, update.")
@click.option("--importance", default="medium", show_default=True, help="high, medium or low.")
@click.option("--scope", help="agent (private) or team; default: agent, or team with the tag cross-team.")
@click.option("--source", default="manual", show_default=True, help="Where it came from.")
@click.option("--name", help="A short name.")
@click.option("--tag", "tags", multiple=True, help="A tag; repeat for more.")
@click.option("--category", help="A category.")
@click.option("--cite", "citations", multiple=True, help="A file, line or address it rests on; repeat for more.")
@click.option("--kind", help="For facts: user, feedback, project or reference.")
@click.option("--subject", help="For facts: what it is about.")
@click.option("--reason", help="For facts: why it is worth keeping.")
@click.option("--source-ref", help="The conversation or document it is part of.")
@click.option("--position", type=int, help="Its place in that conversation or document.")
@click.option("--run", "run_id", help="The run it was learned in.")
@click.option("--session", "session_id", help="The session it was learned in.")
@command()
def record(call: Call, content: str | None, file: str | None, type_: str, **fields: Any) -> None:
    """Record a memory of the acting agent; '-' reads it from standard input.

    \b
    Example:
      hansard memory record "Uploads over 5 MB time out." --agent tank --importance high --tag cross-team
    """
    with call.project() as project:
        made = project.remember(content_of(content, file), type=type_, **fields)
    call.answer(shapes.record(made), lambda: say(f"Recorded {made.id} ({made.type}, {made.importance}, {made.scope})."))


@memory.command()
@click.argument("file")
@command()
def load(call: Call, file: str) -> None:
    """Record many memories from a file with one JSON object a line, all or none; '-' reads standard input.

    \b
    Example:
      hansard memory load notes.jsonl --agent tank
    """
    items = [_item(number, line) for number, line in enumerate(content_of(None, file).splitlines(), 1) if line.strip()]
    with call.project() as project:
        made = project.remember_many(items)
    call.answer({"items": [shapes.record(one) for one in made]}, lambda: say(f"Recorded {len(made)} memories."))


@memory.command("list")
@click.option("--type", "type_", help="Only this type.")
@click.option("--importance", help="Only this importance.")
@click.option("--scope", help="Only agent or team scope.")
@click.option("--source", help="Only from this source.")
@click.option("--tag", "tags", multiple=True, help="Only with one of these tags.")
@click.option("--text", help="Only memories with this text in name or content.")
@click.option("--expired", is_flag=True, help="Show expired ones too.")
@paged
@command(filters_agent=True)
def list_(call: Call, type_: str | None, **filters: Any) -> None:
    """List memories you may see, newest first.

    \b
    Example:
      hansard memory list --agent tank --type learning --importance high
    """
    with call.project() as project:
        found = project.list_memories(type=type_, **filters)
    call.answer(shapes.page(found), lambda: _table(found))


@memory.command()
@click.argument("memory_id")
@command()
def show(call: Call, memory_id: str) -> None:
    """Show one memory, expired or not.

    \b
    Example:
      hansard memory show 019b7b1c-8f3e-7000-8000-000000000001
    """
    with call.project() as project:
        found = project.get_memory(memory_id)
    call.answer(shapes.record(found), lambda: _details(found))


@memory.command()
@click.argument("memory_id")
@command()
def versions(call: Call, memory_id: str) -> None:
    """Show every version a memory had, oldest first.

    \b
    Example:
      hansard memory versions 019b7b1c-8f3e-7000-8000-000000000001
    """
    with call.project() as project:
        current, earlier = project.memory_versions(memory_id)
    document = {"current": shapes.record(current), "earlier": [shapes.revision(one) for one in earlier]}
    rows = [[str(one.version), when(one.valid_from), shortened(str(one.body["content"]))] for one in earlier]
    rows.append([str(current.version), when(current.updated_at), shortened(current.content)])
    call.answer(document, lambda: table(["version", "since", "content"], rows, empty=""))


@memory.command()
@click.argument("memory_id")
@click.option("--content", help="New content; '-' reads standard input.")
@click.option("--name", help="New name; an empty one removes it.")
@click.option("--type", "type_", help="New type.")
@click.option("--importance", help="New importance.")
@click.option("--tag", "tags", multiple=True, help="New tags, replacing the old ones.")
@click.option("--cite", "citations", multiple=True, help="New citations, replacing the old ones.")
@click.option("--expected-version", type=int, help="Change it only if it is still at this version.")
@command()
def edit(call: Call, memory_id: str, content: str | None, type_: str | None, **changes: Any) -> None:
    """Change a memory; earlier versions stay readable.

    \b
    Example:
      hansard memory edit 019b7b1c-8f3e-7000-8000-000000000001 --importance high --expected-version 1
    """
    changes |= {"type": type_, "content": None if content is None else content_of(content, None)}
    for name in ("tags", "citations"):
        changes[name] = changes[name] or None
    with call.project() as project:
        changed = project.edit_memory(memory_id, **changes)
    call.answer(shapes.record(changed), lambda: say(f"{changed.id} is now at version {changed.version}."))


@memory.command()
@click.argument("memory_id")
@click.option("--yes", is_flag=True, help="Do not ask.")
@command()
def forget(call: Call, memory_id: str, *, yes: bool) -> None:
    """Remove a memory's content for good; a tombstone stays. This cannot be undone.

    \b
    Example:
      hansard memory forget 019b7b1c-8f3e-7000-8000-000000000001
    """
    with call.project() as project:
        found = project.get_memory(memory_id)
        if not yes and not call.as_json:
            click.confirm(f"Forget “{shortened(found.content)}” for good?", abort=True, err=True)
        gone = project.forget(memory_id)
    call.answer(shapes.record(gone), lambda: say(f"{gone.id} is forgotten."))


def _item(number: int, line: str) -> dict[str, Any]:
    try:
        item = json.loads(line)
    except ValueError as error:
        raise Invalid(f"line {number} is not JSON: {error}.") from None
    if not isinstance(item, dict):
        raise Invalid(f"line {number} must be a JSON object.")
    return item


def _table(found: Page[Memory]) -> None:
    rows = [
        [one.id, one.agent, one.type, one.importance, one.scope, shortened(one.content, 56), when(one.created_at)]
        for one in found.items
    ]
    columns = ["id", "agent", "type", "importance", "scope", "content", "recorded"]
    table(columns, rows, empty="No memories. Record one with `hansard memory record`.", more=found.next_cursor)


def _details(one: Memory) -> None:
    if one.is_forgotten:
        say(f"{one.id} was forgotten on {when(one.forgotten_at)}; its content is gone.")
        return
    details([
        ("memory", one.id), ("name", one.name), ("agent", one.agent), ("type", one.type),
        ("importance", one.importance), ("scope", one.scope), ("source", one.source), ("tags", one.tags),
        ("category", one.category), ("kind", one.kind), ("subject", one.subject), ("reason", one.reason),
        ("cites", one.citations), ("part of", one.source_ref), ("position", one.position), ("run", one.run_id),
        ("decision", one.decision_id), ("recorded", when(one.created_at)), ("changed", when(one.updated_at)),
        ("expires", when(one.expires_at)), ("version", one.version), ("content", one.content),
    ])  # fmt: skip
