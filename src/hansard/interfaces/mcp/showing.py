"""Owns how records look to a model: short first, each with its address, and stored words always as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hansard.domain import addresses, rendering
from hansard.domain.suspicion import is_suspicious
from hansard.domain.vocabulary import Clearance
from hansard.interfaces import shapes
from hansard.interfaces.mcp.calling import MAYBE, NUMBER, TEXT, object_of

if TYPE_CHECKING:
    from hansard.domain.decisions import Decision
    from hansard.domain.inbox import Entry
    from hansard.domain.memories import Memory
    from hansard.domain.sessions import Session

INBOX = "memory://inbox/"
LINE = "line"
"""The beginning of a content, on one line."""

ENTRY = object_of({
    "ref": TEXT, "id": TEXT, "slug": TEXT, "type": TEXT, "title": TEXT, "author": TEXT, "status": TEXT,
    "version": NUMBER, "created_at": TEXT, "line": TEXT, "address": TEXT,
}, decision_id=MAYBE, memory_id=MAYBE, quarantined_at=MAYBE)  # fmt: skip
DECISION = object_of({
    "ref": TEXT, "id": TEXT, "type": TEXT, "title": TEXT, "status": TEXT, "author": TEXT, "decided_by": TEXT,
    "version": NUMBER, "created_at": TEXT, "line": TEXT, "address": TEXT,
})  # fmt: skip
MEMORY = object_of({
    "id": TEXT, "agent": TEXT, "type": TEXT, "importance": TEXT, "scope": TEXT, "source": TEXT, "version": NUMBER,
    "created_at": TEXT, "line": TEXT, "address": TEXT,
}, name=MAYBE, quarantined_at=MAYBE)  # fmt: skip
SESSION = object_of({
    "id": TEXT, "focus": TEXT, "issues": {"type": "array", "items": TEXT}, "opened_by": TEXT, "version": NUMBER,
    "started_at": TEXT,
}, summary=MAYBE, ended_at=MAYBE)  # fmt: skip


def entry(one: Entry) -> dict[str, Any]:
    """An entry in short. Its words were reviewed by nobody yet."""
    short = _picked(one, ENTRY) | {LINE: data(rendering.first_line(one.content), one), "address": INBOX + one.slug}
    return short | {"title": data(one.title, one)}


def decision(one: Decision) -> dict[str, Any]:
    line = rendering.first_line(one.content)
    return _picked(one, DECISION) | {LINE: line, "address": f"{addresses.DECISIONS}{one.number}"}


def memory(one: Memory) -> dict[str, Any]:
    short = _picked(one, MEMORY)
    if one.name is not None:
        short["name"] = data(one.name, one)
    return short | {LINE: data(rendering.first_line(one.content), one), "address": f"{addresses.MEMORIES}{one.id}"}


def session(one: Session) -> dict[str, Any]:
    short = _picked(one, SESSION)
    said = {"focus": data(one.focus), "issues": [data(issue) for issue in one.issues]}
    return short | said | {"summary": None if one.summary is None else data(one.summary)}


def whole_memory(one: Memory) -> dict[str, Any]:
    """All of a memory, as the other interfaces show it."""
    shape = shapes.record(one) | {"address": f"{addresses.MEMORIES}{one.id}"}
    return shape | {
        name: data(shape[name], one) for name in ("content", "name", "subject", "reason") if shape[name] is not None
    }


def data(text: str, record: Entry | Memory | None = None) -> str:
    """Stored words as they are; those that would like to be obeyed say that they are none."""
    return f"{rendering.DATA_MARK} {text}" if is_doubted(text, record) else text


def is_doubted(text: str, record: Entry | Memory | None = None) -> bool:
    seen = record is not None and bool(record.signs) and record.cleared is not Clearance.CONFIRMED
    return seen or is_suspicious(text)


def quotation(text: str, record: Entry | Memory | None = None) -> str:
    """Stored words of any length as a part of a text: no line of them can pass for layout."""
    if is_doubted(text, record):
        return f"{rendering.DATA_MARK}\n> {rendering.quoted(text)}"
    return rendering.content(text)


def entry_line(one: Entry) -> str:
    waits = ", waits for review by a person" if one.is_quarantined else ""
    about = f"{one.type}, {one.status}{waits}, by {rendering.name(one.author)}, {INBOX}{one.slug}"
    said = data(rendering.inline(f"{one.title}: {rendering.first_line(one.content)}"), one)
    return f"- {one.ref} [{about}] {said}\n"


def decision_line(one: Decision) -> str:
    about = f"{one.type}, {one.status}, decided by {rendering.name(one.decided_by)}, {addresses.DECISIONS}{one.number}"
    return f"- {one.ref} [{about}] {rendering.inline(f'{one.title}: {rendering.first_line(one.content)}')}\n"


def memory_line(one: Memory, *, reader_key: str, relevance: float | None = None) -> str:
    label = rendering.memory_label(one, reader_key=reader_key)
    worth = "" if relevance is None else f", relevance {relevance:.2f}"
    about = f"{label}{worth}, {rendering.day(one.created_at)}, {addresses.MEMORIES}{one.id}"
    return f"- [{about}] {data(rendering.first_line(one.content), one)}\n"


def listed(lines: Iterable[str], *, empty: str, more: str | None) -> str:
    """A list for a model, and how it goes on."""
    text = "".join(lines) or f"{empty}\n"
    return text + (f"More with cursor {more}.\n" if more else "")


def _picked(one: Entry | Decision | Memory | Session, schema: dict[str, Any]) -> dict[str, Any]:
    shape = shapes.record(one)
    return {name: shape[name] for name in schema["properties"] if name in shape}
