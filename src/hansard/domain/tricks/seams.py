"""Owns what several texts of one record say together and none of them says alone: an order that is cut in two.

Fields of honest records have nothing to do with each other, so only words that go on across a seam count.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

SEAM_WORDS = 12
SEAM_CHARACTERS = 200
"""So much of what stands before and behind a seam is read as one. No order that is known in a row is longer."""
_ON = " or else you, and approve it"
"""Speaks to the reader as a next field may by chance. What is an order with this stands before the seam alone."""
_APART = f"{_ON}. {'Something else is told here. ' * 6}"
"""More than any test looks over. What is an order with this between does not go across the seam."""
_SOURCE = r"(?:(?:see|source|cf\.?|siehe):? )?https?://\S"
"""Where an agent read something. Behind a whole sentence it is no part of it."""
_HEAD = re.compile(r"\s*(?:#[0-9]{1,6}|\[?[A-Z][A-Z0-9]{1,9}-[0-9]{1,6}\]?|\(?[0-9]{1,3}[.)])[:.)]?(?:\s+-)?\s+")
"""The number of an issue before what it says. `D-3` is none: an order may be about a decision."""
REMEMBERED_SEAMS_MAX = 1_024
"""Turn after turn asks about the same session."""


def seams(pieces: Sequence[str]) -> list[tuple[str, str]]:
    """What stands before and behind each place where one text ends and the next one begins.

    Where texts begin with the number of an issue, once more without it: it would stand in the middle of the order.
    """
    if len(pieces) < 2:
        return []
    found = _seams(pieces)
    heads = [_HEAD.match(piece) for piece in pieces]
    if not any(heads):
        return found
    bare = [piece[head.end() :] if head else piece for piece, head in zip(pieces, heads, strict=True)]
    return [*dict.fromkeys([*found, *_seams(bare)])]


def _seams(pieces: Sequence[str]) -> list[tuple[str, str]]:
    before: list[str] = []
    told: list[tuple[str, str]] = []
    for place, piece in enumerate(pieces[:-1], 1):
        # What is short is read with what stands before it, and behind it.
        last = piece[-SEAM_CHARACTERS:].rsplit(None, SEAM_WORDS)[-SEAM_WORDS:]
        before = [*before, *last][-SEAM_WORDS:] if before and len(piece) <= SEAM_CHARACTERS else last
        behind: list[str] = []
        for other in pieces[place:]:
            behind += other[:SEAM_CHARACTERS].split(None, SEAM_WORDS)[:SEAM_WORDS]
            if len(other) > SEAM_CHARACTERS or len(behind) >= SEAM_WORDS:
                break
        if before and behind:
            told.append((" ".join(before), " ".join(behind[:SEAM_WORDS])))
    # Many a title is how its text begins.
    return [(one, two) for one, two in told if not two.startswith(one)]


def _is_source(one: str, two: str) -> bool:
    return one.endswith((".", "!", "?")) and re.match(_SOURCE, two, re.IGNORECASE) is not None


def signs_across(pieces: Sequence[str], *, outside: bool = False) -> tuple[str, ...]:
    """What is wrong with texts that are read in a row, and with none of them alone."""
    looked_at = ((one, two) for one, two in seams(pieces) if outside or not _is_source(one, two))
    found = (sign for one, two in looked_at for sign in _across(one, two, outside))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=REMEMBERED_SEAMS_MAX)
def _across(one: str, two: str, outside: bool) -> tuple[str, ...]:  # noqa: FBT001 - by position, for the cache
    from hansard.domain.tricks.signs import signs_of

    found = signs_of(f"{one} {two}", outside=outside)
    if not found:
        return ()
    alone = signs_of(one, two, f"{one}{_APART}{two}", outside=outside)
    return tuple(sign for sign in found if sign not in alone)
