"""Owns how the rows of a table are read: each as a line with the label that its first cell or its column is."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from hansard.domain.compaction.topics import ENDS, PROPOSED_WORDS, Part, Topic, names_part, topic_of

_RULE = re.compile(r"^\s*+\|?+[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+(?::?-++:?[ \t]*+)?)*+$")
_COLUMNS = frozenset({
    "status", "state", "owner", "who", "description", "details", "detail", "date", "impact", "note", "notes", "value",
    "since", "severity", "priority", "id", "no", "#", "reason", "rationale", "why", "eta", "due", "link", "type",
    "wer", "grund", "datum", "beschreibung", "besitzer",
})  # fmt: skip
"""What a second column is named after. By it the first row of a table is known for the names of its columns."""
_DONE = frozenset[str]().union(*ENDS.values())


class _Column(NamedTuple):
    """The column of a table that announces something, its place, and that of the one that says how it stands."""

    title: str
    place: int
    status: int | None


def as_labels(lines: Sequence[str], hidden: Sequence[int]) -> list[str]:
    """The lines, with each row of a table that announces something as a line with a label."""
    found = list(lines)
    column: _Column | None = None
    for number, line in enumerate(lines):
        if hidden[number] or not line.lstrip().startswith("|"):
            column = None
            continue
        cells = [one.strip() for one in line.strip().strip("|").split("|")]
        if number + 1 < len(lines) and _RULE.match(lines[number + 1]) and _are_columns(cells):
            column = _column(cells)
            continue
        if column is not None:
            found[number] = line if _RULE.match(line) else _row(cells, *column) or line
        elif _topic(cells[0]) is not None and any(cells[1:]):
            found[number] = f"- {cells[0]}: {', '.join(filter(None, cells[1:]))}"
    return found


def _are_columns(cells: Sequence[str]) -> bool:
    return len(cells) == 1 or not _COLUMNS.isdisjoint(map(_name, cells))


def _column(cells: Sequence[str]) -> _Column | None:
    """What a table lists by the names of its columns."""
    status = next((place for place, one in enumerate(cells) if _name(one) in {"status", "state"}), None)
    for place, one in enumerate(cells):
        topic = _topic(one)
        if topic is not None and topic.part is not Part.PHASE:
            # A table of phases is a plan, and says of none that it is the active one.
            return _Column(one, place, status)
    return None


def _name(cell: str) -> str:
    return cell.strip(" *_").lower()


def _row(cells: Sequence[str], title: str, place: int, status: int | None) -> str:
    """A row as a bullet with a label. How it stands is said where a reader of labels looks for it."""
    said = cells[place] if place < len(cells) else ""
    stands = cells[status].lower() if status is not None and status < len(cells) else ""
    if not said:
        return ""
    if stands in PROPOSED_WORDS:
        return f"- {title} ({stands}): {said}"
    return f"- {title}: {said} ({stands})" if stands in _DONE else f"- {title}: {said}"


def _topic(cell: str) -> Topic | None:
    return topic_of(cell) if names_part(cell) else None
