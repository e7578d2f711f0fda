"""Owns how many places one author may take in an answer: one before the answers of others, and no more.

Whoever writes often would else fill an answer alone. The words are not judged, so no wording gets round it: a further
memory of an author stands behind what others had answered before it came, and behind the best answer of each of them.
Many answers of one author in a row stand behind weaker ones of others too. What has one author only stays as it is.
docs/adr/0029 has the proof and what it costs.
"""

from bisect import insort
from collections.abc import Hashable, Sequence
from heapq import heappop, heappush
from itertools import groupby
from typing import NamedTuple

ANSWER_SHARE = 0.55
"""What holds so much of the question's telling words itself is an answer. Less is mostly chance, and has no claim."""
GUARDED_MAX = 10
"""So many of the others, best first, are stood behind: the first places are what is read."""
FLOOD_ANSWERS_MIN = 4
FLOOD_LOOKED_AT_MAX = 15
FLOOD_SHARE_MIN = 0.5
"""What one author wrote in a row is a flood if so many of the best answer, and such a share of those looked at."""


class Contender(NamedTuple):
    """A hit as far as its place goes: whose words it is, whether it answers by itself, and when it came."""

    voice: Hashable
    answers: bool
    since: tuple[int, int]
    matters: bool = False
    """Whether it is relevant enough to be more than chance. Every answer is."""
    author: Hashable | None = None
    """The voice of whoever recorded words from outside. They count for the place they came from, and for this one."""

    @property
    def speaker(self) -> Hashable:
        return self.voice if self.author is None else self.author


class Arrangement(NamedTuple):
    """The places of the contenders in the new order, and which of them stand behind a lesser one of somebody else."""

    order: list[int]
    yielding: frozenset[int]


def arranged(contenders: Sequence[Contender]) -> Arrangement:
    """The order that gives each voice one place before the answers of others; given best first."""
    best, second = _best(contenders) if any(one.answers for one in contenders) else ({}, {})
    firsts = frozenset(best.values())
    # Mostly nobody has anything to stand behind, and a search should not pay for that.
    several = len(best) + len(second) > 1 and len(best) < len(contenders)
    guards = _guards(contenders, firsts, frozenset(second.values())) if several else {}
    if not guards:
        return Arrangement(list(range(len(contenders))), frozenset())
    order = _ordered(len(contenders), guards, firsts)
    return Arrangement(order, frozenset(place for place, several in guards.items() if several[-1] > place))


def _best(contenders: Sequence[Contender]) -> tuple[dict[Hashable, int], dict[Hashable, int]]:
    """The best of each voice that has a place of its own; and of each place outside, if its author has one already.

    Whoever says something and records pages, files and output of tools beside it is one author, and not four.
    """
    best: dict[Hashable, int] = {}
    second: dict[Hashable, int] = {}
    placed = {one.voice for one in contenders if one.author is None}
    for place, one in enumerate(contenders):
        if one.voice in best or one.voice in second:
            continue
        if one.author is not None and one.author in placed:
            second[one.voice] = place
        else:
            best[one.voice] = place
            placed.add(one.speaker)
    return best, second


def _guards(contenders: Sequence[Contender], firsts: frozenset[int], second: frozenset[int]) -> dict[int, list[int]]:
    """What each further memory of a voice stands behind, ascending: answers of others, and more if it is of a flood.

    What comes from outside stands also behind what its author says: a page must not bury what its reader knows. The
    best of it stands before that, if nobody else has an answer.
    """
    further = [place for place in range(len(contenders)) if place not in firsts]
    kinds = {(one.voice, one.author): one for one in (contenders[place] for place in further)}
    best = sorted(firsts)
    others = {
        kind: [place for place in best if _is_other(one, contenders[place])][:GUARDED_MAX]
        for kind, one in kinds.items()
    }  # fmt: skip
    own = {
        kind: [place for place in best if contenders[place].voice == one.author]
        for kind, one in kinds.items() if one.author is not None
    }  # fmt: skip
    guards: dict[int, list[int]] = {}
    floods = _floods(contenders)
    # In the order they came, so that each finds those that were there before it.
    for place in sorted(further, key=lambda one: contenders[one].since):
        mine = contenders[place]
        kind = (mine.voice, mine.author)
        behind = {other for other in others[kind] if contenders[other].answers}
        behind.update(floods.get(place, ()))
        # Behind both or neither: those that are fetched to before it would else go before its author's as well.
        if place not in second or any(contenders[other].voice != mine.author for other in behind):
            behind.update(other for other in own.get(kind, ()) if contenders[other].answers)
            if behind:
                guards[place] = sorted(behind)
        for one, several in ((kinds[kind], several) for kind, several in others.items()):
            if _is_other(one, mine):
                insort(several, place)
                del several[GUARDED_MAX:]
        for (_, author), several in own.items():
            if author == mine.voice:
                insort(several, place)
                del several[GUARDED_MAX:]
    return guards


def _is_other(one: Contender, other: Contender) -> bool:
    return one.voice != other.voice and one.speaker != other.speaker


def _floods(contenders: Sequence[Contender]) -> dict[int, list[int]]:
    """What each memory of a flood stands behind: the best that others had before it began, if that is not chance."""
    if sum(one.answers for one in contenders) < FLOOD_ANSWERS_MIN:
        return {}
    came = sorted(range(len(contenders)), key=lambda place: contenders[place].since)
    floods: dict[int, list[int]] = {}
    begin = 0
    for voice, several in groupby(came, key=lambda place: contenders[place].voice):
        row = list(several)
        best = sorted(row)[:FLOOD_LOOKED_AT_MAX]
        if sum(contenders[place].answers for place in best) >= max(FLOOD_ANSWERS_MIN, FLOOD_SHARE_MIN * len(best)):
            # The author's own earlier ones count among the ten: what stood behind them was not read before either.
            earlier = sorted(came[:begin])[:GUARDED_MAX]
            behind = [one for one in earlier if contenders[one].matters and contenders[one].voice != voice]
            floods.update((place, behind) for place in row)
        begin += len(row)
    return floods


def _ordered(count: int, guards: dict[int, list[int]], firsts: frozenset[int]) -> list[int]:
    """Best first, each behind its guards. A voice's best is fetched when it is needed; for the others one waits."""
    waits = {place: sum(one not in firsts for one in several) for place, several in guards.items()}
    frees: dict[int, list[int]] = {}
    for place, several in guards.items():
        for one in several:
            if one not in firsts:
                frees.setdefault(one, []).append(place)
    ready = [place for place in range(count) if not waits.get(place)]
    order: list[int] = []
    taken: set[int] = set()
    while ready:
        place = heappop(ready)
        if place in taken:
            continue
        # Fetched and not waited for: to wait for a weak one would put what waits behind everything in between.
        fetched = [one for one in guards.get(place, ()) if one in firsts and one not in taken]
        order += [*fetched, place]
        taken.update((*fetched, place))
        for freed in frees.get(place, ()):
            waits[freed] -= 1
            if not waits[freed]:
                heappush(ready, freed)
    return order
