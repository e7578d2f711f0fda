"""Finds secrets that another one hid by standing beside them: what is left once that is taken out is scanned again."""

import re
from collections.abc import Callable, Iterator, Sequence

from hansard.guard.leaks import Leak, mark

ROUNDS_MAX = 3
REACH_CHARACTERS = 200
"""How much on each side of a secret is scanned again, cut at a blank: what is farther away was judged without it."""
_BLANK = re.compile(r"\s")
_BETWEEN = "\n\x00\n"
Scan = Callable[[str], Sequence[Leak]]


def with_hidden(text: str, leaks: Sequence[Leak], scan: Scan) -> tuple[Leak, ...]:
    """The leaks of a text, and those that are found when these are taken out, so that a second scan finds nothing."""
    known = tuple(leaks)
    places = list(range(len(known)))
    for _ in range(ROUNDS_MAX):
        more = sorted(_hidden(text, known, places, scan))
        if not more:
            break
        known = tuple(sorted((*known, *more)))
        places = _beside(more, known)
    return known


def _beside(more: Sequence[Leak], known: Sequence[Leak]) -> list[int]:
    """The places of those that were found last, and of the ones next to each: what stands around the others was scanned
    without finding anything, and is as it was."""
    last = set(more)
    places = {place + step for place, leak in enumerate(known) if leak in last for step in (-1, 0, 1)}
    return sorted(place for place in places if 0 <= place < len(known))


def _hidden(text: str, leaks: Sequence[Leak], chosen: Sequence[int], scan: Scan) -> Iterator[Leak]:
    """What is found around the chosen leaks, where it stands in the text."""
    parts: list[str] = []
    places: list[tuple[int, int, int]] = []
    """Of each part that is kept: where it begins in what is scanned, and where it stands in the text."""
    size = done = 0
    last = -1
    for place in chosen:
        leak = leaks[place]
        after = leaks[place + 1].start if place + 1 < len(leaks) else len(text)
        apart = place > last + 1
        done = leaks[place - 1].end if apart else done
        for begin, end, tail in (
            (_forward(text, leak.start - REACH_CHARACTERS, leak.start, done), leak.start, mark(leak)),
            (leak.end, _backward(text, leak.end, min(after, leak.end + REACH_CHARACTERS), after), ""),
        ):
            head = _BETWEEN if tail and (apart or begin > done) else ""
            places.append((size + len(head), begin, end))
            parts += (head, text[begin:end], tail)
            size += len(head) + end - begin + len(tail)
            done = end if not tail else leak.end
        last = place
    for one in scan("".join(parts)):
        for at, begin, end in places:
            start, stop = max(begin, begin + one.start - at), min(end, begin + one.end - at)
            if start < stop and text[start:stop].strip():
                yield one._replace(start=start, end=stop)


def _forward(text: str, start: int, end: int, done: int) -> int:
    """The first blank from there on, unless the part goes on from the one before it."""
    if start <= done:
        return done
    blank = _BLANK.search(text, start, end)
    return blank.start() if blank is not None else end


def _backward(text: str, start: int, end: int, after: int) -> int:
    """The last blank before there, unless the next leak follows."""
    if end >= after:
        return after
    last = max(text.rfind(" ", start, end), text.rfind("\n", start, end), text.rfind("\t", start, end))
    return max(last, start)
