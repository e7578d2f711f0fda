"""Owns what is known while one text is judged: the ways to read it that were looked at, and what was found in them.

Many ways to read a text come to the same words. Nothing is looked for twice in the same words, nor once it was found.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache


class Asked:
    """The words that were looked at, by which tests, and the signs that were found."""

    def __init__(self) -> None:
        self.signs: set[str] = set()
        self._seen: set[tuple[str, str]] = set()

    def is_new(self, tests: str, words: str) -> bool:
        """Whether these tests have not looked at these words. From now on they have."""
        key = (tests, words)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def noted(self, found: Iterable[str]) -> Iterator[str]:
        """Those of the signs that are new."""
        for sign in found:
            if sign not in self.signs:
                self.signs.add(sign)
                yield sign


class Words:
    """A text with single blanks, and its different words: hundreds of others are looked for in it.

    A long text repeats its words, so they are looked for in each of them once.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._different = " ".join(dict.fromkeys(text.split(" ")))

    def has_any(self, wanted: tuple[str, ...]) -> bool:
        different, text = self._different, self.text
        for part, word in _parted(wanted):  # noqa: SIM110 - a generator takes twice as long
            if part in different and (word is None or word in text):
                return True
        return False


@lru_cache(maxsize=512)
def _parted(wanted: tuple[str, ...]) -> tuple[tuple[str, str | None], ...]:
    """Each word with the longest part of it that has no blank; None for itself if it is that part."""
    parts = ((max(one.split(" "), key=len), one) for one in wanted)
    return tuple((part, None if part == one else one) for part, one in parts)
