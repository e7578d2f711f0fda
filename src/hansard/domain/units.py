"""Owns units: the pieces of a text that are indexed and scored, and the facts of a piece besides its words."""

import re
from typing import NamedTuple

from hansard.domain.dates import MONTHS, NamedDate, dates_in

UNIT_WORDS_MAX = 60
UNIT_CHARACTERS_MAX = 1_200
UNIT_SLACK = 1.3
"""A text this much longer than one unit still stays whole: a short rest says little on its own."""

_SENTENCE_END = re.compile(r"(?<=[.!?;:。！？；])\s+|(?<=[。！？；])|\n{2,}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
_CAMEL_HINT = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]|_")
_MONTH_WORDS = frozenset(MONTHS)
_YEARS = frozenset(str(year) for year in range(1900, 2100))
_TIME_WORDS = (
    frozenset(
        """
        yesterday today tonight tomorrow last next ago week weeks weekend month months year years monday tuesday
        wednesday thursday friday saturday sunday morning since recently
        """.split()
    )
    | (_MONTH_WORDS - {"may", "mar", "dec", "sep", "jan", "jun", "jul"})
    | _YEARS
    | frozenset(f"{day}{ending}" for day in range(1, 32) for ending in ("st", "nd", "rd", "th"))
)
_DATE_WORDS = _MONTH_WORDS | _YEARS

UNIT_FORMAT = 3
"""How words became terms. A unit of another format is made anew from its text; raise it when `words` or the vocabulary
change."""
FORMAT_SHIFT = 4
TERMS_SHIFT = 8
"""Where the flags of a unit hold its format, and how many terms it has: so a damaged one is known."""

GONE_CHUNK = -1
"""The chunk of a row that says: this memory has left the index."""


class ModelIdentity(NamedTuple):
    """What vectors are compared within, and never across."""

    name: str
    revision: str
    dimensions: int

    def __str__(self) -> str:
        return f"{self.name} ({self.revision[:80]}, {self.dimensions} dimensions)"


class Mark(NamedTuple):
    """How far a project is: its index's stamp and its last event. After a restore a stamp comes again, a hash never."""

    stamp: int
    seq: int
    hash: bytes
    is_behind: bool = False
    """Whether a large batch left units for the next search to make."""
    serving: tuple[int, ModelIdentity] | None = None
    """The model whose vectors searches compare."""


class PackedUnit(NamedTuple):
    """A unit as the store keeps it; the vector is missing while its provider has not answered.

    It knows the model of its vector: between making and storing it another model may have begun to serve.
    """

    flags: int
    terms: bytes
    dates: bytes
    vector: bytes | None
    model: ModelIdentity | None


class IndexRow(NamedTuple):
    """A unit with everything a search must know of its memory."""

    memory_seq: int
    chunk: int
    flags: int
    terms: bytes
    dates: bytes
    vector: bytes | None
    agent_key: str
    team: int
    source: str
    expires_at: int | None
    source_ref: str | None
    position: int | None
    moment: int


class Facts(NamedTuple):
    """What can be said of a piece of text without looking at what it means."""

    asks: bool
    names_time: bool
    dates: tuple[NamedDate, ...]


def facts_of(text: str, words: list[str]) -> Facts:
    """The facts of a piece, given also as its lower-case words: most pieces name no date and are told at once."""
    names_time = not _TIME_WORDS.isdisjoint(words)
    dates = () if _DATE_WORDS.isdisjoint(words) else tuple(dates_in(text))
    return Facts(text.endswith("?"), names_time, dates)


def pieces(text: str) -> list[str]:
    """Cuts a long text at sentence ends, and a long sentence between words, and a long word anywhere."""
    if len(text) <= UNIT_CHARACTERS_MAX and text.count(" ") + text.count("\n") < UNIT_WORDS_MAX * UNIT_SLACK:
        return [text]
    cut: list[str] = []
    words: list[str] = []
    size = 0
    for word in _words(text):
        if words and (len(words) >= UNIT_WORDS_MAX or size + len(word.text) > UNIT_CHARACTERS_MAX):
            cut.append(" ".join(words))
            words, size = [], 0
        words.append(word.text)
        size += len(word.text) + 1
        if word.ends_sentence and len(words) >= UNIT_WORDS_MAX // 2:
            cut.append(" ".join(words))
            words, size = [], 0
    if words:
        cut.append(" ".join(words))
    return cut


def split_identifiers(text: str) -> str:
    """Separates the words of camelCase and snake_case, so that `parseConfig` is found by `config`."""
    return _CAMEL.sub(" ", text) if _CAMEL_HINT.search(text) else text


class _Word(NamedTuple):
    text: str
    ends_sentence: bool


def _words(text: str) -> list[_Word]:
    found: list[_Word] = []
    for sentence in _SENTENCE_END.split(text):
        words = sentence.split()
        for number, word in enumerate(words, start=1):
            for start in range(0, len(word), UNIT_CHARACTERS_MAX):
                part = word[start : start + UNIT_CHARACTERS_MAX]
                last = number == len(words) and start + UNIT_CHARACTERS_MAX >= len(word)
                found.append(_Word(part, last))
    return found
