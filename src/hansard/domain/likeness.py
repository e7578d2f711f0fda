"""Owns how alike two texts are: by the words that they share, and whether what is nearly alike can say the same."""

import re
from collections import Counter
from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from hansard.domain.questions import STOP_WORDS

LOOKED_UP_WORDS_MAX = 32
SHARING_TEXTS_MAX = 16
CANDIDATES_MAX = 8
"""Bounds of a look for the nearest text: a note of a megabyte is compared in a second, not in an hour."""

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)

NEGATIONS = frozenset(
    "not no never none nothing nobody neither nor without cannot"
    " nicht nichts nie niemals kein keine keinem keinen keiner keines ohne weder".split()
)
NUMBERS = {
    word: number
    for words in (
        "zero two three four five six seven eight nine ten eleven twelve",
        "null zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for word, number in zip(words.split(), (0, *range(2, 13)), strict=True)
}
"""One is left out: mostly it stands for a thing and not for a number."""
SMALL_WORDS = frozenset(
    "a an the this that these those it its is are was were be been being am do does did has have had will would shall"
    " should can could may might must to of in on at by for from with as and or but so if then than there here please"
    " just also very really always now we you they i he she our your their my me us them"
    " der die das den dem des ein eine einen einem einer ist sind war waren wird werden und oder".split()
)
ENDINGS = ("ing", "ed", "es", "s")
STEM_LETTERS_MIN = 3
_SPOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_DIGITS = re.compile(r"\d+")


class Said(NamedTuple):
    """What a text is compared by: its words, and what they are worth together."""

    words: frozenset[str]
    worth: float


class Likeness:
    """Some known texts, and how alike others are to them. What all of them say tells none of them from another.

    Only the first few, as many as `wanted`, are found; the rest tell what all of them say.
    """

    def __init__(self, known: Sequence[str], *, wanted: int) -> None:
        sets = [words_of(text) for text in known]
        self._counts = Counter(word for one in sets for word in one)
        self._known = [self._valued(one) for one in sets[:wanted]]
        self._places: dict[str, list[int]] = {}
        for place, one in enumerate(sets[:wanted]):
            for word in one:
                if self._counts[word] <= SHARING_TEXTS_MAX:
                    self._places.setdefault(word, []).append(place)

    def said(self, text: str) -> Said:
        return self._valued(words_of(text))

    def share(self, place: int, said: Said) -> float:
        """How much of both texts is in both, from 0 to 1."""
        known = self._known[place]
        both = self._worth(known.words & said.words)
        return 2 * both / (known.worth + said.worth) if both else 0.0

    def nearest(self, said: Said) -> list[int]:
        """The few known texts that share most of the rarest words."""
        rare = sorted((self._counts[word], word) for word in said.words if word in self._places)
        votes: Counter[int] = Counter()
        for count, word in rare[:LOOKED_UP_WORDS_MAX]:
            for place in self._places[word]:
                votes[place] += SHARING_TEXTS_MAX // count
        return sorted(votes, key=lambda place: (-votes[place], place))[:CANDIDATES_MAX]

    def _valued(self, words: frozenset[str]) -> Said:
        return Said(words, self._worth(words))

    def _worth(self, words: frozenset[str]) -> float:
        # Exact whatever the order: that of a set differs between two processes.
        return fsum(1 / max(1, self._counts[word]) for word in words)


def words_of(text: str) -> frozenset[str]:
    """The words of a text, without those that every text has. Scripts without blanks give pairs of characters."""
    words = _WORD.findall(text.casefold())
    found = set(words) if text.isascii() else {part for word in words for part in _parts(word)}
    return frozenset(found - STOP_WORDS or found)


def _parts(word: str) -> list[str]:
    if len(word) < 3 or not _UNSPACED.search(word):
        return [word]
    return [word[start : start + 2] for start in range(len(word) - 1)]


def may_say_the_same(left: str, right: str) -> bool:
    """Whether texts near each other can be one: not if a word that tells something is another.

    An update is near what it corrects: another number, name, weekday or order, a "not", a "false" for a "true" hardly
    move a vector. What may differ are small words and endings.
    """
    one, other = ([word.replace("’", "'") for word in _SPOKEN.findall(text.casefold())] for text in (left, right))
    if _numbers(one) != _numbers(other) or _negations(one) != _negations(other):
        return False
    if [_stem(word) for word in one if _tells(word)] != [_stem(word) for word in other if _tells(word)]:
        return False
    return one == other or sorted(one) != sorted(other)


def _tells(word: str) -> bool:
    return word not in SMALL_WORDS and word not in NUMBERS and not word.isdigit() and not _is_negation(word)


def _stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= STEM_LETTERS_MIN:
            return word.removesuffix(ending)
    return word


def _numbers(words: Sequence[str]) -> list[str]:
    digits = [run for word in words for run in _DIGITS.findall(word)]
    return sorted(digits + [str(NUMBERS[word]) for word in words if word in NUMBERS])


def _negations(words: Sequence[str]) -> int:
    return sum(map(_is_negation, words))


def _is_negation(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't")
