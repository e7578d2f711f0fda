"""Owns whether a text says what another one says with a few words more, a few less, or one misspelt."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hansard.domain.likeness import negations
from hansard.domain.trust import AGAIN_SHARE, Said, less_trusted, said
from hansard.domain.vocabulary import Origin

QUOTED_WORDS_MIN = 6
"""A shorter text is a command or a heading: whoever speaks of it has its words, and says something of their own."""
TELLING_WORDS_MIN = 8
"""From so many words on a text is known again among as many others as half of its own, or in any longer text."""
AROUND_WORDS_MAX = 2
"""So many others may stand within fewer words, or beside them."""
CUT_WORDS_MAX = 2
"""A quotation may begin and end within a word."""
MISSPELT_LETTERS_MIN = 4
STEM_LETTERS, ENDING_LETTERS_MAX = 4, 2
"""Words that begin with the same letters, and end apart, are one in two forms."""
MISSPELT_WORDS_MAX = 16
"""Of more words that differ none is looked at for its letters: a text is compared while others wait to write."""
SENTENCES_CHARACTERS_MAX = 4_096
"""A longer text is compared as a whole, and with what it quotes word for word."""
CODE_SHARE_MIN = 0.2
_SENTENCE = re.compile(r"[.!?;:]+(?=\s)|\n")
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"`{1,3}[^`]{1,500}`{1,3}|\"[^\"\n]{1,500}\"")
_SIGNED = re.compile(r"[^\w'’,.;!?()\"`-]|^-|\w[._]\w|_")


class Quotable(NamedTuple):
    """A text that somebody brought from somewhere."""

    text: str
    origin: Origin


class _Shape(NamedTuple):
    """A text as it is compared: its words, the order they stand in, and how often it says no."""

    said: Said
    row: tuple[str, ...]
    negations: int


class Quotations:
    """Texts, and each of their sentences, that are looked for in others."""

    def __init__(self, known: Iterable[Quotable]) -> None:
        self._known: list[tuple[Quotable, _Shape]] = []
        self._places: dict[str, list[int]] = {}
        for one in known:
            for shape in _shapes(one.text):
                if len(shape.said.words) >= QUOTED_WORDS_MIN:
                    for word in shape.said.words:
                        self._places.setdefault(word, []).append(len(self._known))
                    self._known.append((one, shape))

    def in_text(self, text: str) -> list[Quotable]:
        """Those of the texts that this one says."""
        if not self._known:
            return []
        found: dict[Quotable, None] = {}
        for shape in _shapes(_without_code(text)):
            shared = Counter(place for word in shape.said.words for place in self._places.get(word, ()))
            for place, count in shared.items():
                quotable, known = self._known[place]
                if count >= AGAIN_SHARE * len(known.said.words) - CUT_WORDS_MAX and _says(shape, known):
                    found[quotable] = None
        return list(found)


def _shapes(text: str) -> Iterator[_Shape]:
    sentences = _SENTENCE.split(text) if len(text) <= SENTENCES_CHARACTERS_MAX else []
    for one in (text, *(sentences if len(sentences) > 1 else ())):
        for shape in said(one):
            row = tuple(word for word in _WORD.findall(shape.text) if word in shape.words)
            yield _Shape(shape, row, negations(shape.text))


def _without_code(text: str) -> str:
    """The text without the commands and messages that it quotes: a rule that names one is a rule of its author."""
    return (
        _QUOTED.sub(lambda found: " " if _is_code(found[0]) else found[0], text) if "`" in text or '"' in text else text
    )


def _is_code(quoted: str) -> bool:
    words = quoted.strip('`"').split()
    return sum(_SIGNED.search(one) is not None for one in words) >= CODE_SHARE_MIN * len(words)


def _says(shape: _Shape, known: _Shape) -> bool:
    """Whether all of it is there, or all but a little of it and nothing else between. Another number, a word in the
    place of another or a "not" says something else."""
    size = len(known.said.words)
    missing = known.said.words - shape.said.words
    if size >= TELLING_WORDS_MIN and len(missing) <= CUT_WORDS_MAX and known.said.text in shape.said.text:
        return True
    if shape.negations != known.negations:
        return False
    telling = size >= TELLING_WORDS_MIN
    added = (_within(shape, known) if telling else shape.said.words) - known.said.words
    around = size // 2 if telling else AROUND_WORDS_MAX
    if not missing:
        return len(added) <= around
    spare = (1 - AGAIN_SHARE) * size
    if len(missing) > spare or len(added) > around + len(missing):
        return False
    misspelt = _misspelt(added, missing)
    if len(misspelt) >= len(missing):
        return len(added) - len(misspelt) <= around
    return added == misspelt


def _within(shape: _Shape, known: _Shape) -> frozenset[str]:
    """The words of a text from the first to the last that it has of the other one. What stands around is no part of it;
    of a text without blanks between its words all are."""
    places = [place for place, word in enumerate(shape.row) if word in known.said.words]
    return frozenset(shape.row[places[0] : places[-1] + 1]) if places else shape.said.words


def _misspelt(added: frozenset[str], missing: frozenset[str]) -> frozenset[str]:
    if len(added) > MISSPELT_WORDS_MAX or len(missing) > MISSPELT_WORDS_MAX:
        return frozenset()
    return frozenset(one for one in added if any(_is_misspelt(one, other) for other in missing))


def _is_misspelt(one: str, other: str) -> bool:
    """Whether a word is another one with a letter or an ending changed. A number is never another one misspelt."""
    longer, apart = max(len(one), len(other)), abs(len(one) - len(other))
    if not (one.isalpha() and other.isalpha()) or longer < MISSPELT_LETTERS_MIN or apart > ENDING_LETTERS_MAX:
        return False
    before = _common(one, other)
    behind = _common(one[before:][::-1], other[before:][::-1])
    if before + behind >= longer - 1 or (apart == 0 and sorted(one) == sorted(other)):
        return True
    return before >= STEM_LETTERS


def _common(one: str, other: str) -> int:
    return next(
        (place for place, (left, right) in enumerate(zip(one, other, strict=False)) if left != right),
        min(len(one), len(other)),
    )


def least_trusted(found: Iterable[Quotable]) -> Origin | None:
    origin: Origin | None = None
    for one in found:
        origin = one.origin if origin is None else less_trusted(origin, one.origin)
    return origin
