"""Owns whether a text says what another one says with a few words more, or a few less."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from hansard.domain.trust import AGAIN_SHARE, AGAIN_WORDS_MIN, Said, less_trusted, said
from hansard.domain.vocabulary import Origin

AROUND_WORDS_MAX = 8
"""A text with so many words more, and up to twice as many, may have those of another by saying it in another order. In
a longer one they have to stand in a row, or every long text would say all short ones."""
CUT_WORDS_MAX = 2
"""A quotation may begin and end within a word."""


class Quotable(NamedTuple):
    """A text that somebody brought from somewhere."""

    text: str
    origin: Origin


class Quotations:
    """Texts that are looked for in others. What changes one of their words says something else, and quotes nothing."""

    def __init__(self, known: Iterable[Quotable]) -> None:
        self._known: list[tuple[Quotable, Said]] = []
        self._places: dict[str, list[int]] = {}
        for one in known:
            for shape in said(one.text):
                if len(shape.words) >= AGAIN_WORDS_MIN:
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
                if _says(shape, known, count):
                    found[quotable] = None
        return list(found)


def _says(shape: Said, known: Said, shared: int) -> bool:
    size, count = len(known.words), len(shape.words)
    if shared == size and count <= 2 * size + AROUND_WORDS_MAX:
        return True
    if shared == count and shared >= AGAIN_SHARE * size:
        return True
    return shared >= size - CUT_WORDS_MAX and known.text in shape.text


def least_trusted(found: Iterable[Quotable]) -> Origin | None:
    origin: Origin | None = None
    for one in found:
        origin = one.origin if origin is None else less_trusted(origin, one.origin)
    return origin
