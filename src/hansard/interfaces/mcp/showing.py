"""Owns how records look to a model: short first, each with its address, and stored words always as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hansard.domain import addresses, rendering
from hansard.domain.tricks.signs import is_doubtful, signs_of
from hansard.domain.trust import Trust, tier_of
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
    "version": NUMBER, "created_at": TEXT, "line": TEXT, "address": TEXT, "trust": TEXT, "data": SWITCH,
}, origin=MAYBE, decision_id=MAYBE, memory_id=MAYBE, quarantined_at=MAYBE, reviewer=MAYBE, reviewed_at=MAYBE,
    note=MAYBE)  # fmt: skip
DECISION = object_of({
    "ref": TEXT, "id": TEXT, "type": TEXT, "title": TEXT, "status": TEXT, "author": TEXT, "decided_by": TEXT,
    "version": NUMBER, "created_at": TEXT, "line": TEXT, "address": TEXT, "data": SWITCH,
}, superseded_by=MAYBE, amended_by=MAYBE)  # fmt: skip
MEMORY = object_of({
    "id": TEXT, "agent": TEXT, "type": TEXT, "importance": TEXT, "scope": TEXT, "source": TEXT, "version": NUMBER,
    "created_at": TEXT, "line": TEXT, "address": TEXT, "trust": TEXT, "data": SWITCH,
}, name=MAYBE, origin=MAYBE, quarantined_at=MAYBE)  # fmt: skip
SESSION = object_of({
    "id": TEXT, "focus": TEXT, "issues": {"type": "array", "items": TEXT}, "opened_by": TEXT, "version": NUMBER,
    "started_at": TEXT, "data": SWITCH,
}, summary=MAYBE, ended_at=MAYBE)  # fmt: skip


def entry(one: Entry) -> dict[str, Any]:
    """An entry in short. Its words were reviewed by nobody yet, and the note is the reviewer's own."""
    short = _picked(one, ENTRY) | {LINE: data(rendering.first_line(one.content), one), "address": INBOX + one.slug}
    short["note"] = None if one.note is None else beginning(one.note)
    return short | {"title": data(one.title, one)} | _standing(one, one.title)


def decision(one: Decision) -> dict[str, Any]:
    """A decision in short. What no person vouched for and reads like an order is data, as everywhere."""
    said = {LINE: _ruled(rendering.first_line(one.content), one), "title": _ruled(one.title, one)}
    return _picked(one, DECISION) | said | {"address": f"{addresses.DECISIONS}{one.number}", "data": _is_data(one)}


def memory(one: Memory) -> dict[str, Any]:
    short = _picked(one, MEMORY)
    if one.name is not None:
        short["name"] = data(one.name, one)
    said = {LINE: data(rendering.first_line(one.content), one), "address": f"{addresses.MEMORIES}{one.id}"}
    return short | said | _standing(one, one.name)


def session(one: Session) -> dict[str, Any]:
    short = _picked(one, SESSION)
    told = _split if rendering.is_split(one) else data
    said = {"focus": told(one.focus), "issues": [told(issue) for issue in one.issues]}
    return short | said | {"id": data(one.id)} | {"summary": None if one.summary is None else told(one.summary)}


def whole_memory(one: Memory) -> dict[str, Any]:
    """All of a memory, as the other interfaces show it."""
    shape = shapes.record(one) | {"address": f"{addresses.MEMORIES}{one.id}"} | _standing(one, one.name)
    told = {name: data(shape[name], one) for name in _WORDS if shape[name] is not None}
    if one.session_id is not None:
        told["session_id"] = data(one.session_id)
    return shape | told | {name: [_labelled(said, one) for said in shape[name]] for name in ("citations", "tags")}


def data(text: str, record: Entry | Memory | None = None) -> str:
    """Stored words as they are; those that would like to be obeyed say that they are none."""
    return f"{rendering.DATA_MARK} {text}" if is_doubted(text, record) else text


def _split(text: str) -> str:
    """A piece of what is data together with others."""
    return f"{rendering.DATA_MARK} {text}"


def beginning(text: str) -> str:
    """The beginning of stored words on one line, marked if any of them would like to be obeyed."""
    return f"{rendering.DATA_MARK} {rendering.first_line(text)}" if is_doubted(text) else rendering.first_line(text)


def is_doubted(text: str, record: Entry | Memory | None = None) -> bool:
    """The one rule of every interface: by where the record comes from, by what was seen in it, by what it says."""
    return (record is not None and rendering.is_doubted(record)) or is_doubtful(text)


def is_doubted_label(text: str, record: Entry | Memory | None) -> bool:
    """The same of a citation or a tag by itself: one that is harmless is used as it is, wherever it comes from."""
    outside = record is not None and tier_of(record) is Trust.OUTSIDE
    return is_doubtful(text) or (outside and bool(signs_of(text, outside=True)))


def quotation(text: str, record: Entry | Memory | None = None) -> str:
    """Stored words of any length as a part of a text: no line of them can pass for layout."""
    if is_doubted(text, record):
        return f"{rendering.DATA_MARK}\n> {rendering.quoted(text)}"
    return rendering.content(text)


def entry_line(one: Entry) -> str:
    waits = ", waits for review by a person" if one.is_quarantined else ""
    outside = f", {one.origin}" if tier_of(one) is Trust.OUTSIDE else ""
    state = f"{one.status}{waits}, version {one.version}"
    about = f"{one.type}{outside}, {state}, by {rendering.name(one.author)}, {INBOX}{one.slug}"
    said = data(rendering.inline(f"{one.title}: {rendering.first_line(one.content)}"), one)
    return f"- {one.ref} [{about}] {said}\n"


def listed_entry(one: Entry) -> str:
    """An entry in a list: of a rejected one its author learns why, on a line that no title can forge."""
    if one.status is not EntryStatus.REJECTED or not one.reviewer:
        return entry_line(one)
    why = f" {beginning(one.note)}" if one.note else ""
    return f"{entry_line(one)}  - [rejected by {rendering.name(one.reviewer)}]{why}\n"


def decision_line(one: Decision, *, successor: Decision | None = None) -> str:
    status, by = decision_status(one, successor), rendering.deciders(one)
    about = f"{one.type}, {status}, decided by {by}, {addresses.DECISIONS}{one.number}"
    said = rendering.inline(f"{one.title}: {rendering.first_line(one.content)}")
    return f"- {one.ref} [{about}] {_ruled(said, one)}\n"


def decision_status(one: Decision, successor: Decision | None) -> str:
    """How a decision stands, with what replaced it if that is known."""
    by = "" if successor is None else f" by {successor.ref} ({addresses.DECISIONS}{successor.number})"
    return f"{one.status}{by}"


def memory_line(one: Memory, *, reader_key: str, relevance: float | None = None) -> str:
    label = rendering.memory_label(one, reader_key=reader_key)
    worth = "" if relevance is None else f", relevance {relevance:.2f}"
    about = f"{label}{worth}, {rendering.day(one.created_at)}, {addresses.MEMORIES}{one.id}"
    return f"- [{about}] {data(rendering.first_line(one.content), one)}\n"


def listed(lines: Iterable[str], *, empty: str, more: str | None) -> str:
    """A list for a model, and how it goes on."""
    text = "".join(lines) or f"{empty}\n"
    return text + (f"More with cursor {more}.\n" if more else "")


def _ruled(text: str, one: Decision) -> str:
    """Words of a decision. The beginning of a text says less than all of it, so that all of it is asked."""
    return f"{rendering.DATA_MARK} {text}" if _is_data(one) else text


def _is_data(one: Decision) -> bool:
    return any(rendering.is_data(text, one) for text in one.words if text)


def _labelled(text: str, one: Memory) -> str:
    return f"{rendering.DATA_MARK} {text}" if is_doubted_label(text, one) else text


def _standing(one: Entry | Memory, name: str | None) -> dict[str, Any]:
    """How far the words are trusted, and whether they are only data: for a program that reads no marks."""
    return {"trust": tier_of(one).value, "data": is_doubted(one.content, one) or is_doubtful(name or "")}


def _picked(one: Entry | Decision | Memory | Session, schema: dict[str, Any]) -> dict[str, Any]:
    shape = shapes.record(one)
    return {name: shape[name] for name in schema["properties"] if name in shape}
