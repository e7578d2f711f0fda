"""Owns how stored words stand in a terminal: behind the mark of data if they need one, as an agent may sit there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.decisions import Decision
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.memories import Memory
from hansard.domain.rendering import DATA_MARK, foreign, is_doubted, is_split
from hansard.domain.rendering import is_data as is_unvouched
from hansard.domain.sessions import Session
from hansard.domain.tricks.signs import is_doubtful, remembered_signs
from hansard.domain.trust import SECRET_SIGN, Trust, tier_of
from hansard.domain.usage import MemoryUsage, Sighting
from hansard.domain.vocabulary import Clearance
from hansard.interfaces.cli.calling import moment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from hansard.domain.inbox import Entry

    Record: TypeAlias = Memory | Entry | Decision | Session | Sighting | MemoryUsage | None

SPOKEN = {SECRET_SIGN: "a secret was taken out of it, and guard.secrets says to ask a person"}
"""How a reason is told that is kept as a mere word."""
ACTS = (".quarantined", ".released", ".confirmed", ".redacted")
"""How the events end of what people do to what waits."""


def is_data(text: str, record: Record = None) -> bool:
    """Whether a reader is told that the text is data: by the record it is of, or by what it says itself.

    Sessions and runs, and what stands beside the words of a record, are judged by what they say alone.
    """
    if isinstance(record, Decision):
        return is_unvouched(text, record)
    if isinstance(record, Session):
        return is_split(record) or is_doubtful(text)
    if isinstance(record, Sighting | MemoryUsage):
        return bool(record.origin or record.signs) or is_doubtful(text)
    return (record is not None and is_doubted(record)) or is_doubtful(text)


def marked(text: str, record: Record = None) -> str:
    """A text on one line."""
    return f"{DATA_MARK} {text}" if text and is_data(text, record) else text


def quotation(text: str, record: Record = None) -> str:
    """A text of any length; what is only data is quoted line by line."""
    return f"{DATA_MARK}\n{quoted(text)}" if is_data(text, record) else text


def worded(text: str | None, record: Record = None) -> str | None:
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
    """Why something waits or is data, for a person to read."""
    return "; ".join(SPOKEN.get(one, one) for one in signs)


def shown_as_data(memory: Memory) -> str:
    """What whoever wrote a memory is told if its readers are shown it as data for what it says; else nothing."""
    signs = memory.signs if is_doubted(memory) else ()
    signs = signs or remembered_signs(memory.content)
    return f"\nReaders are shown it as data, not as an instruction: {reasons(signs)}." if signs else ""


def vouched(memory: Memory) -> str:
    """What a person is told whose change confirmed words from outside; else nothing."""
    if memory.cleared is not Clearance.CONFIRMED or tier_of(memory) is not Trust.OUTSIDE:
        return ""
    return (
        f"\nIts words are from outside ({memory.origin}). They are confirmed by this and no longer shown as data;"
        f" `hansard guard hold {memory.id}` takes that back."
    )


def acts_told(project: Any, record: Memory | Entry) -> list[tuple[str, str]]:
    """What people did to a record that waits or waited, and why, the last first."""
    if record.version == 1:
        return []
    found = project.list_events(subject_id=record.id, limit=PAGE_ITEMS_MAX).items
    return [
        (one.action.rpartition(".")[2], f"by {one.actor}, {moment(one.at)}: {marked(str(one.details['reason']))}")
        for one in found
        if one.action.endswith(ACTS) and "reason" in one.details
    ]
