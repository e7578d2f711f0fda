"""Owns what a word is, the same for a question and for a stored text, in every script and however it is encoded.

Words of Latin script are left whole, for the vocabulary of the model to cut. Of other words the model knows nothing:
they are matched by the letters that follow each other in them, so that an ending, or a phrase of a script without
blanks, does not hide them.
"""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

_ASCII_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_SYLLABIC = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Chinese, Japanese and Korean: two characters say about as much as a word."""
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1b00-\u1b7f\ua980-\ua9ff\uaa60-\uaa7f"
"""Thai, Lao, Burmese, Khmer and their like: letters, but no blanks between words."""
_SPACED = (
    "\u0370-\u0dff\u0f00-\u0fff\u10a0-\u10ff\u1200-\u177f\u1800-\u194f\u19e0-\u1aff\u1b80-\u1d2f\u1f00-\u1fff"
    "\u2c00-\u2c5f\u2c80-\u2dff\ua4d0-\ua71f\ua800-\ua97f\uaa00-\uaa5f\uaa80-\uab2f\uab70-\uabff\ufb13-\ufdff"
    "\ufe70-\ufeff\U00010280-\U0001efff"
)
"""Cyrillic, Greek, Arabic, Hebrew, Devanagari and every other script that has letters and blanks."""

SYLLABIC_LETTERS, UNSPACED_LETTERS, SPACED_LETTERS = 2, 3, 4
"""How many letters in a row are matched together: enough to tell something, few enough to survive an ending."""
_TATWEEL = 0x640


class _Patterns(NamedTuple):
    other: re.Pattern[str]
    run: re.Pattern[str]
    syllabic: re.Pattern[str]
    unspaced: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    """Made when the first text needs them: that takes as long as a whole search."""
    every = _SYLLABIC + _UNSPACED + _SPACED
    return _Patterns(
        re.compile(f"[{every}]"),
        re.compile(rf"[{_SYLLABIC}]+|[{_UNSPACED}]+|[{_SPACED}]+|[^\s{every}]+"),
        re.compile(f"[{_SYLLABIC}]"),
        re.compile(f"[{_UNSPACED}]"),
    )


class Grams(NamedTuple):
    """What a word outside the Latin script is matched by: asked for in a question, held by a text.

    A text holds shorter ones too, so that a short word is found in a longer one. `is_word` tells whether all of them
    are of one word: without blanks they can be of a whole sentence.
    """

    asked: tuple[str, ...]
    held: tuple[str, ...]
    is_word: bool


class _Characters(dict[int, str]):
    """What becomes of a character before words are split at blanks; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character.isspace() or category == "Zs":
            replacement = " "
        elif category in {"Cc", "Cf", "Co", "Cs"} or code == _TATWEEL or (category == "Mn" and _is_accent(code)):
            replacement = ""
        elif category[0] == "P" or category == "So" or character in "$+<=>^`|~":
            replacement = f" {character} "
        else:
            replacement = character
        self[code] = replacement
        return replacement


def _is_accent(code: int) -> bool:
    """Whether the mark can be left out. From Devanagari on marks are vowels, and of kana they are other letters."""
    return code < 0x0900 or 0x1AB0 <= code <= 0x1AFF or 0x1DC0 <= code <= 0x20FF or code >= 0xFE00


_CHARACTERS = _Characters()


def words_of(text: str) -> list[str]:
    """The normalised words and punctuation marks of a text; a word is of one kind of script."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    bare = unicodedata.normalize("NFD", text).translate(_CHARACTERS).lower()
    if not _patterns().other.search(bare):
        return bare.split()
    # Together again what is one letter: the syllables of Korean, the voiced sounds of Japanese.
    return _patterns().run.findall(unicodedata.normalize("NFC", bare))


def grams_of(word: str) -> Grams | None:
    """What a normalised word is matched by; None if it is of Latin script."""
    if word.isascii() or not _patterns().other.match(word):
        return None
    if _patterns().syllabic.match(word):
        asked = _in_a_row(word, SYLLABIC_LETTERS)
        return Grams(asked, (*asked, *word) if len(word) > 1 else asked, is_word=False)
    if _patterns().unspaced.match(word):
        asked = _in_a_row(word, UNSPACED_LETTERS)
        return Grams(asked, (*asked, *_in_a_row(word, UNSPACED_LETTERS - 1)), is_word=False)
    asked = _in_a_row(word, SPACED_LETTERS)
    return Grams(asked, (*asked, word[: SPACED_LETTERS - 1]), is_word=True)


def _in_a_row(word: str, letters: int) -> tuple[str, ...]:
    return tuple(word[start : start + letters] for start in range(max(1, len(word) - letters + 1)))
