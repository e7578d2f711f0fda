"""Owns how the demands of words from outside are found in other languages: by words that stand in one sentence."""

import re
from functools import cache
from typing import NamedTuple

from hansard.domain.text import has_any
from hansard.domain.tricks.tongues import bared
from hansard.domain.tricks.wishes import WISHES, Wish

CHARACTERS_APART_MAX = 90
_END = "[.!?;] |。"


def demanded_abroad(bare: str) -> tuple[str, ...]:
    """What a text from outside, as `bared` gives it, is held for in one of the languages."""
    bare = bare.replace("’", "'")
    if not has_any(bare, beginnings(ascii_only=bare.isascii())):
        return ()
    return tuple(dict.fromkeys(sign for sign, looked_for in _patterns() if _wishes(bare, looked_for)))


@cache
def beginnings(*, ascii_only: bool = False) -> tuple[str, ...]:
    """What a text must have of at least one wish: the letters before the first one that may differ."""
    told = {
        begun for wish in WISHES for one in _parts(wish.first) for begun in _begun(one)
        if begun.isascii() or not ascii_only
    }  # fmt: skip
    return tuple(sorted(one for one in told if not any(other in one for other in told if other != one)))


def _begun(one: str) -> list[str]:
    if one.startswith("(?:"):
        return one[3 : one.index(")")].split("|")
    return [re.split(r"[\[(.\\]", one)[0]]


def _parts(stems: str) -> list[str]:
    """The alternatives of a pattern, without marks on their letters."""
    parts, depth, start = [], 0, 0
    for place, one in enumerate(stems):
        depth += (one == "(") - (one == ")")
        if one == "|" and not depth:
            parts.append(stems[start:place])
            start = place + 1
    return [one if one.isascii() else bared(one) for one in (*parts, stems[start:])]


class _LookedFor(NamedTuple):
    """The patterns of a wish, and what the first of them begins with."""

    begun: tuple[str, ...]
    first: re.Pattern[str]
    others: tuple[re.Pattern[str], ...]
    excuse: re.Pattern[str] | None


def _wishes(bare: str, wish: _LookedFor) -> bool:
    # So that a long text is not taken apart at every place where it repeats one word.
    if not has_any(bare, wish.begun) or not all(one.search(bare) for one in wish.others):
        return False
    for found in wish.first.finditer(bare):
        said = _sentence(bare, found.start(), found.end())
        if all(one.search(said) for one in wish.others) and not (wish.excuse and wish.excuse.search(said)):
            return True
    return False


def _sentence(bare: str, start: int, end: int) -> str:
    """What stands around a word in its sentence, as far as it is looked at."""
    before = re.split(_END, bare[max(0, start - CHARACTERS_APART_MAX) : start])[-1]
    behind = re.split(_END, bare[end : end + CHARACTERS_APART_MAX], maxsplit=1)[0]
    return f"{before}{bare[start:end]}{behind}"


@cache
def _patterns() -> tuple[tuple[str, _LookedFor], ...]:
    """Compiled when a text first needs them."""

    def compiled(stems: str, *, begins: bool = False) -> re.Pattern[str]:
        # A stem in Latin letters begins a word; scripts without blanks have no such place.
        return re.compile("|".join(rf"\b{one}" if begins and one.isascii() else one for one in _parts(stems)))

    def looked_for(wish: Wish) -> _LookedFor:
        excuse = compiled(wish.excuse) if wish.excuse else None
        begun = tuple(word for one in _parts(wish.first) for word in _begun(one))
        return _LookedFor(begun, compiled(wish.first, begins=True), tuple(map(compiled, wish.others)), excuse)

    return tuple((one.sign, looked_for(one)) for one in WISHES)
