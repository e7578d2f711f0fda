"""Owns whether a text says what another one says with a few words more, a few less, or one misspelt."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hansard.domain.likeness import NEGATIONS
from hansard.domain.trust import AGAIN_SHARE, Said, less_trusted, said
from hansard.domain.vocabulary import Origin

QUOTED_WORDS_MIN = 6
"""A shorter text is a command or a heading: whoever speaks of it has its words, and says something of their own."""
TELLING_WORDS_MIN = 8
"""From so many words on a text is known again among as many others as half of its own, or in any longer text."""
AROUND_WORDS_MAX = 2
"""So many others may stand around fewer words."""
CUT_WORDS_MAX = 2
"""A quotation may begin and end within a word."""
SAME_LETTERS_MIN = 4
"""A word of which so many letters are the first of another one, and that has nearly as many, is that one misspelt."""
LETTERS_APART_MAX = 2
_SENTENCE = re.compile(r"[.!?;:]+(?=\s)|\n")


class Quotable(NamedTuple):
    """A text that somebody brought from somewhere."""

    text: str
    origin: Origin


class Quotations:
    """Texts, and each of their sentences, that are looked for in others."""

    def __init__(self, known: Iterable[Quotable]) -> None:
        self._known: list[tuple[Quotable, Said]] = []
        self._places: dict[str, list[int]] = {}
        for one in known:
            for shape in _shapes(one.text):
                if len(shape.words) >= QUOTED_WORDS_MIN:
                    for word in shape.words:
                        self._places.setdefault(word, []).append(len(self._known))
                    self._known.append((one, shape))

    def in_text(self, text: str) -> list[Quotable]:
        """Those of the texts that this one says."""
        if not self._known:
            return []
        found: dict[Quotable, None] = {}
        for shape in said(text):
            shared = Counter(place for word in shape.words for place in self._places.get(word, ()))
            for place, count in shared.items():
                quotable, known = self._known[place]
                if count >= AGAIN_SHARE * len(known.words) - CUT_WORDS_MAX and _says(shape, known):
                    found[quotable] = None
        return list(found)


def _shapes(text: str) -> Iterator[Said]:
    yield from said(text)
    sentences = _SENTENCE.split(text)
    if len(sentences) > 1:
        yield from (shape for sentence in sentences for shape in said(sentence))


def _says(shape: Said, known: Said) -> bool:
    """Whether all of it is there, or but a little of it and nothing else. Another number says something else."""
    missing, added = known.words - shape.words, shape.words - known.words
    if len(missing) <= CUT_WORDS_MAX and len(known.words) >= TELLING_WORDS_MIN and known.text in shape.text:
        return True
    if added & NEGATIONS and len(known.words) < TELLING_WORDS_MIN:
        return False
    misspelt = {one for one in added if any(_is_misspelt(one, other) for other in missing)}
    lost = max(0, len(missing) - len(misspelt))
    if misspelt and lost == 0 and len(missing) > len(known.words) * (1 - AGAIN_SHARE):
        # So many words that look alike are others.
        return False
    if lost == 0:
        return len(added) - len(misspelt) <= _around(known)
    return added == misspelt and lost <= len(known.words) * (1 - AGAIN_SHARE)


def _around(known: Said) -> int:
    size = len(known.words)
    return AROUND_WORDS_MAX if size < TELLING_WORDS_MIN else size // 2


def _is_misspelt(one: str, other: str) -> bool:
    """Whether a word is another one with a letter or an ending changed. A number is never another one misspelt."""
    if not (one.isalpha() and other.isalpha()) or abs(len(one) - len(other)) > LETTERS_APART_MAX:
        return False
    return len(other) > SAME_LETTERS_MIN and one[:SAME_LETTERS_MIN] == other[:SAME_LETTERS_MIN]


def least_trusted(found: Iterable[Quotable]) -> Origin | None:
    origin: Origin | None = None
    for one in found:
        origin = one.origin if origin is None else less_trusted(origin, one.origin)
    return origin
