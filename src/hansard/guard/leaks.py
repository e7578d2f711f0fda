"""Owns what a leak is: where a secret stands in a text, of which findings it is made, and how it is taken out."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from hansard.guard.rules import Rule
from hansard.guard.values import MARK_OPEN

Found = tuple[int, int, int, Rule | None, str]
"""Priority, start, end, rule, kind: of two that overlap, the one of the lower priority gives its kind."""


class Leak(NamedTuple):
    """One secret in a text: characters `start` to `end`, and by which rule it was found."""

    start: int
    end: int
    rule: str
    kind: str


def mark(leak: Leak) -> str:
    """What stands where a secret stood."""
    return f"{MARK_OPEN}{leak.kind}]"


def redacted(text: str, leaks: Sequence[Leak]) -> str:
    """The text with each leak replaced by `[REDACTED:kind]`. Scanning the result finds nothing."""
    parts: list[str] = []
    end = 0
    for leak in leaks:
        parts += (text[end : leak.start], mark(leak))
        end = leak.end
    return "".join((*parts, text[end:]))


def merged(found: list[Found], size: int) -> tuple[Leak, ...]:
    """One leak for everything that overlaps, with the kind of the finding that knows most about it."""
    found.sort(key=itemgetter(1, 0))
    leaks: list[Leak] = []
    group: list[Found] = []
    reach = -1
    for one in (*found, (9, size + 1, size + 1, None, "")):
        if group and one[1] >= reach:
            best = min(group, key=itemgetter(0))
            rule = best[3].id if best[3] is not None else best[4]
            leaks.append(Leak(group[0][1], reach, rule, best[4]))
            group = []
        if one[1] < one[2]:
            group.append(one)
            reach = max(reach, one[2])
    return tuple(leaks)


def with_others(leaks: Sequence[Leak], found: Iterable[Found], size: int) -> tuple[Leak, ...]:
    """The leaks, and of what else was found whatever lies beside them all."""
    starts = [leak.start for leak in leaks]
    others: list[Found] = []
    for one in found:
        before = bisect_left(starts, one[2]) - 1
        if before < 0 or leaks[before].end <= one[1]:
            others.append(one)
    return tuple(sorted((*leaks, *merged(others, size)))) if others else tuple(leaks)
