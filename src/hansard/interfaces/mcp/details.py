"""Owns how one record looks to a model in full: its words, what stands around them, and what became of it.

What follows the words stands behind labels in brackets. No line of stored words can begin with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from hansard.clock import iso
from hansard.domain import addresses, rendering
from hansard.domain.errors import NotFound
from hansard.domain.layout import NOTES_NOTE
from hansard.domain.trust import is_from_outside
from hansard.interfaces.mcp import showing

if TYPE_CHECKING:
    from hansard.domain.decisions import Decision
    from hansard.domain.inbox import Entry
    from hansard.domain.memories import Memory
    from hansard.interfaces.mcp.calling import Calling


def entry(calling: Calling, one: Entry) -> str:
    """A proposal with its review, and what it became."""
    text = f"{showing.entry_line(one)}\n{showing.quotation(one.content, one)}\n"
    if one.rationale:
        text += f"> **Rationale:** {rendering.quoted(one.rationale)}\n"
    facts = [f"importance {one.importance}"] if one.importance else []
    return text + _facts(facts) + _listed("tags", one.tags, one) + _review(one) + "".join(_fruits(calling, one))


def decision(calling: Calling, one: Decision) -> str:
    """A decision with what replaced it, and the proposal it was."""
    line = showing.decision_line(one, successor=_decision(calling, one.superseded_by))
    facts = [f"version {one.version}", f"decided {iso(one.created_at)}"]
    if one.updated_at != one.created_at:
        facts.append(f"changed {iso(one.updated_at)}")
    text = f"{line}\n{rendering.boundary(one)}{_facts(facts)}{_listed('tags', one.tags)}"
    if one.entry_id is not None:
        # Of what another clone decided, the proposal need not have come along.
        with suppress(NotFound):
            proposal = calling.project.get_entry(one.entry_id)
            text += f"- [proposal] {proposal.ref}, {showing.INBOX}{proposal.slug}\n"
    return text


def memory(one: Memory, *, reader_key: str) -> str:
    """A memory with all that its author said about it. One that its line has all of is not told twice."""
    text = f"{NOTES_NOTE}\n{showing.memory_line(one, reader_key=reader_key)}"
    if rendering.first_line(one.content) != one.content.strip() or is_from_outside(one):
        text += f"\n{showing.quotation(one.content, one)}\n"
    facts = [f"importance {one.importance}", f"scope {one.scope}", f"version {one.version}"]
    if one.is_ended:
        facts.append("ended")
    elif one.expires_at is not None:
        facts.append(f"expires {iso(one.expires_at)}")
    said = {"name": one.name, "category": one.category, "subject": one.subject, "reason": one.reason,
            "from": one.source_ref}  # fmt: skip
    words = "".join(f"- [{label}] {_flat(value, one)}\n" for label, value in said.items() if value)
    return text + _facts(facts) + words + _listed("tags", one.tags, one) + _listed("citations", one.citations, one)


def _review(one: Entry) -> str:
    if one.reviewer is None:
        return ""
    at = "" if one.reviewed_at is None else f", {iso(one.reviewed_at)}"
    # A note may have many lines, and none of them may pass for a label of its own.
    note = f" {showing.quotation(one.note)}".replace("\n", "\n  ") if one.note else ""
    return f"- [{one.status} by {rendering.name(one.reviewer)}{at}]{note}\n"


def _fruits(calling: Calling, one: Entry) -> Iterator[str]:
    """The decision and the memory that a merged entry became."""
    made = _decision(calling, one.decision_id)
    if made is not None:
        status = showing.decision_status(made, _decision(calling, made.superseded_by))
        yield f"- [became] {made.ref}, {status}, {addresses.DECISIONS}{made.number}\n"
    if one.memory_id is not None:
        yield f"- [became] {addresses.MEMORIES}{one.memory_id}\n"


def _decision(calling: Calling, identity: str | None) -> Decision | None:
    return None if identity is None else calling.project.get_decision(identity)


def _facts(facts: Iterable[str]) -> str:
    told = ", ".join(facts)
    return f"- [{told}]\n" if told else ""


def _listed(label: str, values: Iterable[str], record: Entry | Memory | None = None) -> str:
    told = ", ".join(_flat(one, record) for one in values)
    return f"- [{label}] {told}\n" if told else ""


def _flat(text: str, record: Entry | Memory | None = None) -> str:
    line = rendering.inline(text)
    return f"> {line}" if record is not None and is_from_outside(record) else rendering.content(line)
