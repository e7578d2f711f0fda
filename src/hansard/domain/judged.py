"""Owns which words of a record the guard judges, and in which of them it found what."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from hansard.domain.inbox import Entry
from hansard.domain.memories import Memory
from hansard.domain.rendering import inline
from hansard.domain.tags import CROSS_TEAM
from hansard.domain.tricks.seams import signs_across
from hansard.domain.tricks.signs import signs_of
from hansard.domain.trust import ASKS_CORE, ASKS_HIGH, ASKS_TEAM

WORDS_CHARACTERS_MAX = 200
"""How much is shown of what was found; the record itself has the rest."""
_ASKED_BY = {ASKS_CORE: "type", ASKS_TEAM: "scope", ASKS_HIGH: "importance"}


class Found(NamedTuple):
    """One thing the guard found: in which field, what it is, and the words that are it, on one line."""

    field: str
    sign: str
    words: str


def fields_of(record: Memory | Entry) -> tuple[tuple[str, str], ...]:
    """Every text of the record that is judged, by the name of its field. A list gives one pair for each of its own."""
    given: tuple[tuple[str, str | None], ...]
    if isinstance(record, Entry):
        given = (
            ("title", record.title), ("content", record.content), ("rationale", record.rationale),
            ("note", record.note),
        )  # fmt: skip
        return _set(given, record.tags)
    given = (
        ("content", record.content), ("name", record.name), ("subject", record.subject), ("reason", record.reason),
        ("category", record.category), ("source_ref", record.source_ref),
        *(("citations", one) for one in record.citations),
    )  # fmt: skip
    return _set(given, record.tags)


def found_in(record: Memory | Entry) -> tuple[Found, ...]:
    """What the guard finds in the record, field by field, and what it asks for beyond what it may."""
    found = [
        Found(field, sign, _shown(text, sign))
        for field, text in fields_of(record)
        for sign in _signs(text, record.signs)
    ]
    found += [
        Found(f"{one} and {two}", sign, _shown(f"{first} {second}", sign))
        for (one, first), (two, second) in pairwise(_in_order(record))
        for sign in signs_across((first, second), outside=True)
        if sign in record.signs
    ]
    asked = [
        Found(_ASKED_BY[sign], sign, getattr(record, _ASKED_BY[sign])) for sign in record.signs if sign in _ASKED_BY
    ]
    return (*found, *asked)


def _signs(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """What the text has by itself, and of what only words from outside are held for what the record was held for."""
    own = signs_of(text)
    return tuple(sign for sign in signs_of(text, outside=True) if sign in own or sign in known)


def _in_order(record: Memory | Entry) -> list[tuple[str, str]]:
    """The fields as somebody reads them: the name of a memory stands before what it says."""
    fields = list(fields_of(record))
    if isinstance(record, Memory) and record.name:
        fields[:2] = fields[1::-1]
    return [(field, text.replace("-", " ") if field in ("tags", "title") else text) for field, text in fields]


def _set(given: tuple[tuple[str, str | None], ...], tags: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    # Whoever shares with the team says so by this tag; it is none of their words.
    labelled = tuple(("tags", one) for one in tags if one != CROSS_TEAM)
    return (*((field, text) for field, text in given if text), *labelled)


def _shown(text: str, sign: str) -> str:
    words = inline(_narrowed(text, sign))
    return words if len(words) <= WORDS_CHARACTERS_MAX else words[: WORDS_CHARACTERS_MAX - 1] + "…"


def _narrowed(text: str, sign: str) -> str:
    """The shortest run of whole words that a few looks find and that still has the sign."""
    # A line at a time first: a long text would be judged again with every step.
    part = next((line for line in text.split("\n") if line and sign in signs_of(line, outside=True)), text)
    places = [one.span() for one in re.finditer(r"\S+", part)]
    if not places:
        return part
    last = _least(len(places), lambda count: sign in signs_of(part[: places[count - 1][1]], outside=True))
    end = places[last - 1][1]
    kept = _least(last, lambda count: sign in signs_of(part[places[last - count][0] : end], outside=True))
    return part[places[last - kept][0] : end]


def _least(most: int, holds: Callable[[int], bool]) -> int:
    """A small number for which it holds, looked for by halving; it holds for the largest one."""
    least = 1
    while least < most:
        middle = (least + most) // 2
        if holds(middle):
            most = middle
        else:
            least = middle + 1
    return most
