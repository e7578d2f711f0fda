"""Owns how records look to a model: short first, each with its address, and words from outside always quoted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hansard.domain import addresses, rendering
from hansard.domain.layout import OUTSIDE_MARK
from hansard.domain.trust import is_from_outside, tier_of
from hansard.domain.vocabulary import EntryStatus
from hansard.interfaces import shapes
from hansard.interfaces.mcp.calling import MAYBE, NUMBER, SWITCH, TEXT, object_of

if TYPE_CHECKING:
    from hansard.domain.decisions import Decision
    from hansard.domain.inbox import Entry
    from hansard.domain.memories import Memory
    from hansard.domain.sessions import Session

INBOX = "memory://inbox/"
LINE = "line"
"""The beginning of a content, on one line."""
_WORDS = ("content", "name", "subject", "reason", "category", "source_ref")

ENTRY = object_of({
    "ref": TEXT, "id": TEXT, "slug": TEXT, "type": TEXT, "title": TEXT, "author": TEXT, "status": TEXT,
    "version": NUMBER, "created_at": TEXT, "line": TEXT, "address": TEXT, "trust": TEXT, "outside": SWITCH,
}, origin=MAYBE, decision_id=MAYBE, memory_id=MAYBE, quarantined_at=MAYBE, reviewer=MAYBE, reviewed_at=MAYBE,
    note=MAYBE)  # fmt: skip
DECISION = object_of({
    "ref": TEXT, "id": TEXT, "type": TEXT, "title": TEXT, "status": TEXT, "author": TEXT, "decided_by": TEXT,
    "version": NUMBER, "created_at": TEXT, "line": TEXT, "address": TEXT,
}, superseded_by=MAYBE, amended_by=MAYBE)  # fmt: skip
MEMORY = object_of({
    "id": TEXT, "agent": TEXT, "type": TEXT, "importance": TEXT, "scope": TEXT, "source": TEXT, "version": NUMBER,
    "created_at": TEXT, "line": TEXT, "address": TEXT, "trust": TEXT, "outside": SWITCH,
}, name=MAYBE, origin=MAYBE, quarantined_at=MAYBE)  # fmt: skip
SESSION = object_of({
    "id": TEXT, "focus": TEXT, "issues": {"type": "array", "items": TEXT}, "opened_by": TEXT, "version": NUMBER,
    "started_at": TEXT,
}, summary=MAYBE, ended_at=MAYBE)  # fmt: skip


def entry(one: Entry) -> dict[str, Any]:
    """An entry in short. Its words were reviewed by nobody yet, and the note is the reviewer's own."""
    short = _picked(one, ENTRY) | {LINE: framed(rendering.first_line(one.content), one), "address": INBOX + one.slug}
    short["note"] = None if one.note is None else rendering.first_line(one.note)
    return short | {"title": framed(one.title, one)} | _standing(one)


def decision(one: Decision) -> dict[str, Any]:
    """A decision in short."""
    said = {LINE: rendering.first_line(one.content), "address": f"{addresses.DECISIONS}{one.number}"}
    return _picked(one, DECISION) | said


def memory(one: Memory) -> dict[str, Any]:
    short = _picked(one, MEMORY)
    if one.name is not None:
        short["name"] = framed(one.name, one)
    said = {LINE: framed(rendering.first_line(one.content), one), "address": f"{addresses.MEMORIES}{one.id}"}
    return short | said | _standing(one)


def session(one: Session) -> dict[str, Any]:
    return _picked(one, SESSION)


def whole_memory(one: Memory) -> dict[str, Any]:
    """All of a memory, as the other interfaces show it."""
    shape = shapes.record(one) | {"address": f"{addresses.MEMORIES}{one.id}"} | _standing(one)
    told = {name: framed(shape[name], one) for name in _WORDS if shape[name] is not None}
    return shape | told | {name: [framed(said, one) for said in shape[name]] for name in ("citations", "tags")}


def framed(text: str, record: Entry | Memory) -> str:
    """Stored words as they are; quoted line by line, behind the mark, if they came from outside."""
    if not is_from_outside(record):
        return text
    return (
        f"{OUTSIDE_MARK}\n> {rendering.quoted(text)}" if "\n" in text else f"{OUTSIDE_MARK} > {rendering.inline(text)}"
    )


def quotation(text: str, record: Entry | Memory | None = None) -> str:
    """Stored words of any length as a part of a text: no line of them can pass for layout."""
    return rendering.framed(text, record is not None and is_from_outside(record))


def entry_line(one: Entry) -> str:
    waits = ", waits for review by a person" if one.is_quarantined else ""
    outside = f", {one.origin}" if is_from_outside(one) else rendering.remark(one)
    state = f"{one.status}{waits}, version {one.version}"
    about = f"{one.type}{outside}, {state}, by {rendering.name(one.author)}, {INBOX}{one.slug}"
    said = rendering.inline(f"{one.title}: {rendering.first_line(one.content)}")
    return _item(f"{one.ref} [{about}]", said, outside=is_from_outside(one))


def listed_entry(one: Entry) -> str:
    """An entry in a list: of a rejected one its author learns why, on a line that no title can forge."""
    if one.status is not EntryStatus.REJECTED or not one.reviewer:
        return entry_line(one)
    why = f" {rendering.content(rendering.first_line(one.note))}" if one.note else ""
    return f"{entry_line(one)}  - [rejected by {rendering.name(one.reviewer)}]{why}\n"


def decision_line(one: Decision, *, successor: Decision | None = None) -> str:
    status, by = decision_status(one, successor), rendering.deciders(one)
    about = f"{one.type}, {status}, decided by {by}, {addresses.DECISIONS}{one.number}"
    said = rendering.inline(f"{one.title}: {rendering.first_line(one.content)}")
    return _item(f"{one.ref} [{about}]", said, outside=False)


def decision_status(one: Decision, successor: Decision | None) -> str:
    """How a decision stands, with what replaced it if that is known."""
    by = "" if successor is None else f" by {successor.ref} ({addresses.DECISIONS}{successor.number})"
    return f"{one.status}{by}"


def memory_line(one: Memory, *, reader_key: str, relevance: float | None = None) -> str:
    label = rendering.memory_label(one, reader_key=reader_key)
    worth = "" if relevance is None else f", relevance {relevance:.2f}"
    about = f"{label}{worth}, {rendering.day(one.created_at)}, {addresses.MEMORIES}{one.id}"
    return _item(f"[{about}]", rendering.first_line(one.content), outside=is_from_outside(one))


def _item(label: str, said: str, *, outside: bool) -> str:
    """A line of a list. Words from outside stand below it, quoted."""
    return f"- {label}{rendering.NEXT if outside else ' '}{rendering.framed(said, outside)}\n"


def listed(lines: Iterable[str], *, empty: str, more: str | None) -> str:
    """A list for a model, and how it goes on."""
    text = "".join(lines) or f"{empty}\n"
    return text + (f"More with cursor {more}.\n" if more else "")


def _standing(one: Entry | Memory) -> dict[str, Any]:
    """How far the words are trusted, and whether they came from outside: for a program that reads no marks."""
    return {"trust": tier_of(one).value, "outside": is_from_outside(one)}


def _picked(one: Entry | Decision | Memory | Session, schema: dict[str, Any]) -> dict[str, Any]:
    shape = shapes.record(one)
    return {name: shape[name] for name in schema["properties"] if name in shape}
