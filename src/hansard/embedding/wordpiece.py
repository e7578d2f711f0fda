"""Owns tokens: WordPiece in plain Python, lower case and without accents, fast enough to need no compiled package."""

import re
import unicodedata
import zlib
from pathlib import Path

WORD_CHARACTERS_MAX = 100
WORDS_CACHED_MAX = 100_000
TERMS = 1 << 16
"""How many terms there are: the tokens of the vocabulary, then numbers that unknown words are hashed to."""

_ASCII_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_CJK = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F))


class _Characters(dict[int, str]):
    """What becomes of a character before words are split at blanks; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character.isspace() or category == "Zs":
            replacement = " "
        elif category in {"Mn", "Cc", "Cf", "Co", "Cs"}:
            replacement = ""
        elif category[0] == "P" or character in "$+<=>^`|~" or any(low <= code <= high for low, high in _CJK):
            replacement = f" {character} "
        else:
            replacement = character
        self[code] = replacement
        return replacement


class WordPiece:
    """Maps text to tokens by the longest match. A word the vocabulary cannot spell becomes one hashed term."""

    def __init__(self, vocabulary: Path) -> None:
        self.tokens = vocabulary.read_text(encoding="utf-8").split("\n")
        self.ids = dict(zip(self.tokens, range(len(self.tokens)), strict=True))
        self._characters = _Characters()
        self._cut_before: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str) -> list[int]:
        """The terms of a text, in order."""
        return self.terms(self.words(text))

    def terms(self, words: list[str]) -> list[int]:
        """The terms of words, in order."""
        known = self._cut_before
        if len(known) > WORDS_CACHED_MAX:
            known.clear()
        found: list[int] = []
        for word in words:
            pieces = known.get(word)
            if pieces is None:
                pieces = known[word] = self._cut(word)
            found += pieces
        return found

    def words(self, text: str) -> list[str]:
        """The normalised words and punctuation marks of a text."""
        if text.isascii():
            return _ASCII_WORD.findall(text.lower())
        return unicodedata.normalize("NFD", text).translate(self._characters).lower().split()

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
