"""Owns tokens: WordPiece in plain Python, lower case and without accents, fast enough to need no compiled package."""

import re
import zlib
from collections.abc import Iterable
from pathlib import Path

from hansard.domain.words import grams_of, words_of

WORD_CHARACTERS_MAX = 100
WORDS_CACHED_MAX = 100_000
TERMS = 1 << 16
"""How many terms there are: the tokens of the vocabulary, then numbers that unknown words are hashed to."""
_DIGIT = re.compile(r"[0-9]")


class WordPiece:
    """Maps text to tokens by the longest match. What the vocabulary cannot spell becomes hashed terms."""

    def __init__(self, vocabulary: Path) -> None:
        self.tokens = vocabulary.read_text(encoding="utf-8").split("\n")
        self.ids = dict(zip(self.tokens, range(len(self.tokens)), strict=True))
        self._cut_before: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str) -> list[int]:
        """The terms that the meaning of a text is made of, in order: an identifier by its pieces alone."""
        words = words_of(text)
        if not _DIGIT.search(text):
            return self.terms(words)
        return [term for word in words for term in (self._cut(word) if _DIGIT.search(word) else self.terms([word]))]

    def terms(self, words: list[str]) -> list[int]:
        """The terms that a text with these words holds, in order."""
        known = self._cut_before
        if len(known) > WORDS_CACHED_MAX:
            known.clear()
        found: list[int] = []
        for word in words:
            pieces = known.get(word)
            if pieces is None:
                pieces = self._held(word)
                if len(word) <= WORD_CHARACTERS_MAX:
                    known[word] = pieces
            found += pieces
        return found

    def asked(self, words: Iterable[str]) -> tuple[list[int], list[list[int]]]:
        """The terms that stand for themselves in a question, and those that together stand for one of its words."""
        alone: list[int] = []
        together: list[list[int]] = []
        for word in words:
            grams = grams_of(word)
            if grams is None:
                alone += self._named(word)
            elif grams.is_word:
                together.append(self._hashed_all(grams.asked))
            else:
                alone += self._hashed_all(grams.asked)
        return alone, together

    def _held(self, word: str) -> tuple[int, ...]:
        grams = grams_of(word)
        return self._named(word) if grams is None else tuple(self._hashed_all(grams.held))

    def _named(self, word: str) -> tuple[int, ...]:
        """The pieces of a word, and itself as a whole if it has digits and several pieces: of `E1077`, `E7710` has all
        pieces as well, and whoever asks for the one does not mean the other."""
        pieces = self._cut(word)
        return (*pieces, self._hashed(word)) if len(pieces) > 1 and _DIGIT.search(word) else pieces

    def _hashed_all(self, grams: Iterable[str]) -> list[int]:
        return list(dict.fromkeys(map(self._hashed, grams)))

    def _cut(self, word: str) -> tuple[int, ...]:
        if len(word) > WORD_CHARACTERS_MAX:
            return (self._hashed(word),)
        found: list[int] = []
        begin = 0
        while begin < len(word):
            prefix = "##" if begin else ""
            for end in range(len(word), begin, -1):
                token = self.ids.get(prefix + word[begin:end])
                if token is not None:
                    found.append(token)
                    begin = end
                    break
            else:
                return (self._hashed(word),)
        return tuple(found)

    def _hashed(self, word: str) -> int:
        known = len(self.tokens)
        return known + zlib.crc32(word.encode("utf-8", "surrogatepass")) % (TERMS - known)
