"""Owns how many places one author may take in an answer: one before the answers of others, and no more.

Whoever writes often would else fill an answer alone. The words are not judged, so no wording gets round it: a further
memory of an author stands behind what others had answered before it came, and behind the best answer of each of them.
Many answers of one author in a row stand behind weaker ones of others too. What has one author only stays as it is.
docs/adr/0029 has the proof and what it costs.
"""

from bisect import insort
from collections.abc import Hashable, Mapping, Sequence
from enum import Enum
from heapq import heappop, heappush
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

ANSWER_SHARE = 0.55
"""What holds so much of the question's telling words itself is an answer. Less is mostly chance, and has no claim."""
ABOUT_THE_SAME = 0.15
"""Of two answers whose relevance differs by more, the lesser one is mostly about something else."""
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

    relevance: float = 0.0

    @property
    def speaker(self) -> Hashable:
        return self.voice if self.author is None else self.author


class Cause(Enum):
    """Why a memory stands behind lesser ones."""

    BETTER = "its author has a better one, which has the place"
    OWN_WORDS = "an answer in its author's own words has the place"
    SAME_PLACE = "a better one from the same kind of place outside has the place"
    READER = "it is from outside, and only what its author says itself goes before it"
    UNREAD = "readings and ratings lift it no higher"


class Arrangement(NamedTuple):
    """The places of the contenders in the new order, and which of them stand behind a lesser one of somebody else."""

    order: list[int]
    yielding: frozenset[int]
    guards: Mapping[int, Sequence[int]] = MappingProxyType({})
    """What each further memory of an author stands behind, also if its score alone puts it there."""


def arranged(contenders: Sequence[Contender]) -> Arrangement:
    """The order that gives each voice one place before the answers of others; given best first."""
    firsts, second = _best(contenders) if any(one.answers for one in contenders) else (frozenset[int](),) * 2
    # Mostly nobody has anything to stand behind, and a search should not pay for that.
    several = 0 < len(firsts) < len(contenders) and len({one.voice for one in contenders}) > 1
    guards = _guards(contenders, firsts, second) if several else {}
    if not guards:
        return Arrangement(list(range(len(contenders))), frozenset())
    order = _ordered(len(contenders), guards, firsts)
    yielding = frozenset(place for place, several in guards.items() if several[-1] > place)
    return Arrangement(order, yielding, guards)


def causes(contenders: Sequence[Contender], arrangement: Arrangement) -> dict[int, Cause]:
    """Why each that yields does: what has the place of its author, and whose words go before it."""
    if not arrangement.yielding:
        return {}
    placed = {contenders[place].speaker: place for place in _best(contenders)[0]}
    found: dict[int, Cause] = {}
    lowest: dict[Hashable, int] = {}
    for place in arrangement.order:
        speaker = contenders[place].speaker
        if place in arrangement.yielding:
            alone = all(low < place for other, low in lowest.items() if other != speaker)
            found[place] = Cause.READER if alone else _cause(contenders, place, placed.get(speaker))
        lowest[speaker] = max(place, lowest.get(speaker, place))
    return found


def cause_of(contenders: Sequence[Contender], place: int) -> Cause:
    """Why this one may not go before answers of others: what has the place of its author."""
    speaker = contenders[place].speaker
    placed = (one for one in _best(contenders)[0] if contenders[one].speaker == speaker)
    return _cause(contenders, place, next(placed, None))


def _cause(contenders: Sequence[Contender], place: int, placed: int | None) -> Cause:
    mine = contenders[place]
    if placed is None:
        return Cause.SAME_PLACE
    rival = contenders[placed]
    is_near = rival.relevance >= mine.relevance - ABOUT_THE_SAME
    if mine.author is None or rival.relevance >= mine.relevance or (placed < place and is_near):
        return Cause.BETTER
    return Cause.OWN_WORDS if rival.author is None else Cause.SAME_PLACE


def _best(contenders: Sequence[Contender]) -> tuple[frozenset[int], frozenset[int]]:
    """The one memory of each author that has a place of its own; and the best of each place outside that has none.

    Whoever says something and records pages, files and output of tools beside it is one author, and not four.
    """
    spoken: dict[Hashable, list[int]] = {}
    outside: dict[Hashable, list[int]] = {}
    for place, one in enumerate(contenders):
        (spoken if one.author is None else outside).setdefault(one.voice, []).append(place)
    heads = {voice: _chosen(contenders, several) for voice, several in outside.items()}
    firsts = {speaker: _chosen(contenders, several) for speaker, several in spoken.items()}
    brought: dict[Hashable, list[int]] = {}
    for head in heads.values():
        brought.setdefault(contenders[head].author, []).append(head)
    for author, several in brought.items():
        every = (place for head in several for place in outside[contenders[head].voice])
        rivals = [place for place in every if contenders[place].author == author]
        if author not in firsts or not _keeps(contenders, spoken[author], rivals):
            firsts[author] = _chosen(contenders, sorted([*spoken.get(author, ()), *several]))
    placed = frozenset(firsts.values())
    return placed, frozenset(heads.values()) - placed


def _chosen(contenders: Sequence[Contender], places: list[int]) -> int:
    """The first one, or the first answer that is about as relevant as the best answer, if the first one is not.

    So what is less relevant takes the place of no answer, however new it is.
    """
    answers = [place for place in places if contenders[place].answers]
    if not answers:
        return places[0]
    least = max(contenders[place].relevance for place in answers) - ABOUT_THE_SAME
    return next(place for place in (places[0], *answers) if contenders[place].relevance >= least)


def _keeps(contenders: Sequence[Contender], spoken: list[int], brought: list[int]) -> bool:
    """Whether an author's own words have its place, and not the words from outside that it brought.

    An answer of its own keeps it against all that came later, else a page could bury what its reader knows. Against
    what was there before it has to be about as relevant, else any note would bury what its author found out.
    """
    own = (contenders[place] for place in spoken if contenders[place].answers)
    rivals = [contenders[place] for place in brought]
    return any(
        all(one.since < rival.since or one.relevance >= rival.relevance - ABOUT_THE_SAME for rival in rivals)
        for one in own
    )


def _guards(contenders: Sequence[Contender], firsts: frozenset[int], second: frozenset[int]) -> dict[int, list[int]]:
    """What each further memory of a voice stands behind, ascending: answers of others, and more if it is of a flood.

    What comes from outside stands also behind what its author says: a page must not bury what its reader knows. The
    best of it stands before that, if nobody else has an answer.
    """
    further = [place for place in range(len(contenders)) if place not in firsts]
    kinds = {(one.voice, one.author): one for one in (contenders[place] for place in further)}
    best = sorted(firsts)
    placed = {contenders[place].speaker: place for place in best}
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
                # Those that are fetched to before it must not go before the one that has its author's place either.
                if place < (first := placed.get(mine.speaker, -1)) < max(behind):
                    behind.add(first)
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
