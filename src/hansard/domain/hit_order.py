"""Owns in which order hits are shown: each author's one place first, and then what readings and ratings lift.

Who has an author's place is settled as if nobody had read or rated anything. Readings are anybody's: if they settled
it, one of a weaker memory would put its author's better one behind the answers of others. docs/adr/0029 says why.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from hansard.domain.precedence import ANSWER_SHARE, Cause, Contender, arranged, cause_of, causes
from hansard.domain.ranking import Factors, Lift, Ranking, Standing, lift_of, lifted, passes

CHANCE_RELEVANCE_MAX = 0.3
"""Less is chance. No answer is less relevant: what it holds of the question gives it that much."""
EXPLAINED_MAX = 200
"""So many of the first hits are told why they stand behind a lower score. Nobody is shown more."""


class Candidate(NamedTuple):
    """A hit as far as its place goes."""

    seq: int
    relevance: float
    held: float
    parts: Factors
    standing: Standing


class Place(NamedTuple):
    """Which candidate has the place, where it would stand if nobody had read or rated, and why behind lesser ones."""

    at: int
    unread: int
    cause: Cause | None = None


def placed(hits: Sequence[Candidate], ranking: Ranking, *, by_relevance: bool) -> list[Place]:
    """The order in which hits are shown: by relevance alone for a block; by score, and then lifted, for a search."""
    if by_relevance:
        # Two may be as relevant; then the newer one, because ids ascend.
        start = sorted(range(len(hits)), key=lambda at: hits[at].standing.memory_id, reverse=True)
        start.sort(key=lambda at: -hits[at].relevance)
        lifts: list[Lift] = []
    else:
        every = [lift_of(one.parts, one.standing, ranking) for one in hits]
        start = sorted(range(len(hits)), key=lambda at: -every[at].alone)
        lifts = [every[at] for at in start]
    ranked = [hits[at] for at in start]
    contenders = [_contender(one) for one in ranked]
    arrangement = arranged(contenders)
    found = causes(contenders, arrangement)
    order = arrangement.order
    if not by_relevance:
        # Mostly nobody has read or rated what was found, and a search should not pay for that.
        if any(one.heard != one.alone for one in lifts):
            order = lifted(lifts, order, _Passing(ranked, order, arrangement.guards, ranking).may_pass)
        for one, lesser in _held_up(ranked, arrangement.order, order).items():
            if one not in arrangement.yielding:
                # What would be lifted if its author had no better one says that.
                kept = lesser.intersection(arrangement.guards.get(one, ()))
                found[one] = cause_of(contenders, one) if kept else Cause.UNREAD
    unread = {one: place for place, one in enumerate(arrangement.order)}
    return [Place(start[one], unread[one], found.get(one)) for one in order]


def _contender(one: Candidate) -> Contender:
    voice = one.standing.voice
    return Contender(
        voice,
        one.held >= ANSWER_SHARE,
        (one.standing.since, one.seq),
        one.relevance >= CHANCE_RELEVANCE_MAX,
        None if voice[0] else (one.standing.agent_key, ""),
        one.relevance,
    )


class _Passing:
    """Who may pass whom, beside being read more. What stands behind an answer because of its author passes it never.

    Who has a memory before another has moved it by that. So what the same agent reads and rates moves it no farther.
    """

    def __init__(
        self, hits: Sequence[Candidate], order: Sequence[int], guards: Mapping[int, Collection[int]], ranking: Ranking
    ) -> None:
        self._hits, self._guards, self._ranking = hits, guards, ranking
        self._places = {one: place for place, one in enumerate(order)}
        self._firsts: dict[str, int] = {}
        for place, one in enumerate(order):
            self._firsts.setdefault(hits[one].standing.agent_key, place)

    def may_pass(self, one: int, other: int) -> bool:
        if other in self._guards.get(one, ()):
            return False
        mine, its = self._hits[one], self._hits[other]
        place = self._places[other]
        agents = mine.standing.heard_by | its.standing.heard_by
        moved = {agent for agent in agents if self._firsts.get(agent, place) < place}
        return not moved or passes(self._lift(mine, moved), self._lift(its, moved))

    def _lift(self, hit: Candidate, unheard: Collection[str]) -> Lift:
        return lift_of(hit.parts, hit.standing.without(unheard), self._ranking)


def _held_up(ranked: Sequence[Candidate], before: Sequence[int], order: Sequence[int]) -> dict[int, set[int]]:
    """What has a better score than some before it, and which: only readings and ratings make such a difference.

    What was fetched to before it, because another one had to stand behind that, is none of them.
    """
    unread = {one: place for place, one in enumerate(before)}
    found: dict[int, set[int]] = {}
    least = float("inf")
    for place, one in enumerate(islice(order, EXPLAINED_MAX)):
        score = ranked[one].parts.score
        if score > least:
            lesser = {other for other in order[:place] if ranked[other].parts.score < score}
            if of := {other for other in lesser if other < one or unread[other] > unread[one]}:
                found[one] = of
        least = min(least, score)
    return found
