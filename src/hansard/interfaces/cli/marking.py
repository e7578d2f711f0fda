"""Owns how stored words stand in a terminal: those from outside behind a mark, as an agent may sit there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.inbox import Entry
from hansard.domain.layout import OUTSIDE_MARK
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.memories import Memory
from hansard.domain.rendering import foreign
from hansard.domain.trust import SECRET_SIGN, is_from_outside, tier_of
from hansard.domain.usage import MemoryUsage, Sighting
from hansard.domain.vocabulary import Clearance, Trust
from hansard.interfaces.cli.calling import moment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from hansard.domain.decisions import Decision

    Record: TypeAlias = Memory | Entry | Decision | Sighting | MemoryUsage

SPOKEN = {SECRET_SIGN: "a secret was taken out of it, and guard.secrets says to ask a person"}
"""How a reason is told that is kept as a mere word."""
ACTS = (".quarantined", ".released", ".confirmed", ".redacted")
"""How the events end of what people do to what waits."""


def is_quoted(record: Record) -> bool:
    """Whether the words of a record are quoted, because they came from outside."""
    if isinstance(record, Sighting | MemoryUsage):
        return record.origin is not None
    return isinstance(record, Memory | Entry) and is_from_outside(record)


def marked(text: str, record: Record) -> str:
    """A text on one line."""
    return f"{OUTSIDE_MARK} {text}" if text and is_quoted(record) else text


def quotation(text: str, record: Record) -> str:
    """A text of any length; what came from outside is quoted line by line."""
    return f"{OUTSIDE_MARK}\n{quoted(text)}" if is_quoted(record) else text


def worded(text: str | None, record: Record) -> str | None:
    """A field of a record: on its line if it has one line, else quoted."""
    if text is None:
        return None
    return quotation(text, record) if "\n" in text else marked(text, record)


def quoted(text: str) -> str:
    """A text none of whose lines can be taken for one of ours."""
    return "\n".join(f"> {line}" for line in text.split("\n"))


def outside(record: Memory | Entry) -> str:
    """The origin, if the words are nobody's here; else nothing."""
    if isinstance(record, Memory):
        return foreign(record).removeprefix(", ")
    return str(record.origin) if tier_of(record) is Trust.OUTSIDE else ""


def whose(record: Memory | Entry) -> str:
    """Who a record is from. A file says a name, and anybody may have written it."""
    if isinstance(record, Memory):
        return record.agent
    return f"a file that names {record.author}; whoever wrote it" if record.is_from_file else record.author


def standing(record: Memory | Entry) -> list[tuple[str, str | None]]:
    """Where the words come from, how far they are trusted, and whether they wait, as lines of a record."""
    since = moment(record.quarantined_at)
    waits = f"for review since {since}; `hansard guard show` has why" if since else None
    return [
        ("origin", str(record.origin) if record.origin else None), ("trust", tier_of(record).value),
        ("waits", waits), ("cleared", str(record.cleared) if record.cleared else None),
        ("signs", reasons(record.signs)),
    ]  # fmt: skip


def reasons(signs: Iterable[str]) -> str:
    """Why something waits, and what was remarked, for a person to read."""
    return "; ".join(SPOKEN.get(one, one) for one in signs)


def remarked(memory: Memory) -> str:
    """What whoever wrote a memory is told of the remarks that its readers and reviewers see; else nothing."""
    return f"\nRemarked: {reasons(memory.signs)}." if memory.signs else ""


def vouched(memory: Memory) -> str:
    """What a person is told whose change confirmed words from outside; else nothing."""
    if memory.cleared is not Clearance.CONFIRMED or tier_of(memory) is not Trust.OUTSIDE:
        return ""
    return (
        f"\nIts words are from outside ({memory.origin}). They are confirmed by this and no longer quoted;"
        f" `hansard guard hold {memory.id}` takes that back."
    )


def acts_told(project: Any, record: Memory | Entry) -> list[tuple[str, str]]:
    """What people did to a record that waits or waited, and why, the last first."""
    if record.version == 1:
        return []
    found = project.list_events(subject_id=record.id, limit=PAGE_ITEMS_MAX).items
    return [
        (one.action.rpartition(".")[2], f"by {one.actor}, {moment(one.at)}: {one.details['reason']}")
        for one in found
        if one.action.endswith(ACTS) and "reason" in one.details
    ]
