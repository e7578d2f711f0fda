"""Owns orders whose parts follow one another: each part is looked for once, however often the others come."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple


class Link(NamedTuple):
    """A part of an order, how far behind it the next part may begin, and what may not stand between them."""

    pattern: str
    gap_max: int = 0
    stop: str = ""


def follow(plain: str, links: Sequence[Link]) -> bool:
    """Whether the parts follow one another. Looked for from the last to the first: linear in the text.

    One pattern for all of them would try every part with every other one.
    """
    starts: list[int] = []
    for place, link in enumerate(reversed(links)):
        spans = _spans(link.pattern, plain)
        starts = [start for start, end in spans if not place or _leads(plain, end, starts, link)]
        if not starts:
            return False
    return True


@lru_cache(maxsize=16)
def _spans(pattern: str, plain: str) -> list[tuple[int, int]]:
    """Where a part stands. Several orders have the same one, as an address is."""
    return [one.span() for one in re.finditer(pattern, plain)]


def _leads(plain: str, end: int, starts: Sequence[int], link: Link) -> bool:
    place = bisect_left(starts, end)
    if place == len(starts) or starts[place] - end > link.gap_max:
        return False
    return not link.stop or link.stop not in plain[end : starts[place]]
