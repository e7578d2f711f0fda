"""Owns how hits are ordered: relevance times recency times access, and the later refinements as a profile.

Pure numbers. Relevance says how well a memory answers; the score says where it stands. They are never mixed up.
"""

import math
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from hansard.domain.vocabulary import Profile, Source

MICROSECONDS_PER_DAY = 86_400_000_000
MICROSECONDS_PER_HOUR = 3_600_000_000
ACCESSES_PER_FULL_STEP = 10
STALE_ACCESS_SHARE = 0.5
USEFULNESS_MAX = 2.0
UNRATED = 2.0
"""What alpha and beta add up to before anybody has rated."""
LIFTED_GAP_MAX = 0.1
"""By how much relevance a memory may be the better answer and still be passed by one that others think more of."""

ADAPTIVE_HALF_LIFE_DAYS = {
    Source.MANUAL: math.inf,
    Source.EXTRACTION: math.inf,
    Source.FILE_INDEX: 180.0,
    Source.TASK_COMPLETION: 14.0,
    Source.SESSION_SUMMARY: 7.0,
}
ADAPTIVE_QUALITY = {
    Source.MANUAL: 1.5,
    Source.EXTRACTION: 1.0,
    Source.FILE_INDEX: 1.0,
    Source.TASK_COMPLETION: 0.7,
    Source.SESSION_SUMMARY: 0.5,
}


class Ranking(NamedTuple):
    """The parameters of the order. `half_life_days` None means the profile's own."""

    profile: Profile = Profile.STANDARD
    half_life_days: float | None = None
    access_boost_max: float = 1.5
    access_recency_hours: float = 48.0
    demotion_floor: float = 1.0

    def half_life_of(self, source: Source) -> float:
        if self.half_life_days is not None:
            return self.half_life_days
        return ADAPTIVE_HALF_LIFE_DAYS[source] if self.profile is Profile.ADAPTIVE else STANDARD_HALF_LIFE_DAYS


STANDARD_HALF_LIFE_DAYS = 14.0


class Factors(NamedTuple):
    """What a score is made of; their product is the score."""

    relevance: float
    recency: float
    access: float
    quality: float = 1.0
    usefulness: float = 1.0

    @property
    def score(self) -> float:
        return self.relevance * self.recency * self.access * self.quality * self.usefulness


class Standing(NamedTuple):
    """What is known of a memory besides its text, at the time of the question."""

    source: Source
    age_microseconds: int
    access_count: int
    access_age_microseconds: int
    alpha: float = 1.0
    beta: float = 1.0
    memory_id: str = ""
    voice: tuple[str, str] = ("", "")
    since: int = 0
    """When its words came to the reader. A tag, another importance or a confirmation makes no old words new."""
    agent_key: str = ""
    readers: int = 0
    """How many others have read it; its owner counts for nothing, and nobody twice."""
    readers_age_microseconds: int = 0
    votes: tuple[float, float] = (0.0, 0.0)
    """How many others find it useful and useless. Each has one vote however often it rated, split if it said both."""
    readings: tuple[tuple[str, int], ...] = ()
    """Who those readers are, and how long ago each has read it last."""
    ratings: tuple[tuple[str, float], ...] = ()
    """Whose those votes are, and which share of each says that it is useful."""

    @property
    def heard_by(self) -> frozenset[str]:
        """Who has read or rated it, beside its owner."""
        return frozenset(agent for agent, _ in (*self.readings, *self.ratings))

    def read_by(self, readings: Sequence[tuple[str, int]]) -> "Standing":
        last = min((age for _, age in readings), default=0)
        return self._replace(readings=tuple(readings), readers=len(readings), readers_age_microseconds=last)

    def rated_by(self, ratings: Sequence[tuple[str, float]]) -> "Standing":
        useful = math.fsum(share for _, share in ratings)
        return self._replace(ratings=tuple(ratings), votes=(useful, len(ratings) - useful))

    def without(self, agents: Collection[str]) -> "Standing":
        """The same as if these had neither read nor rated it."""
        read = self.read_by([one for one in self.readings if one[0] not in agents])
        return read.rated_by([one for one in self.ratings if one[0] not in agents])


def factors(relevance: float, standing: Standing, ranking: Ranking) -> Factors:
    """Every factor of a memory's score. Outside the adaptive profile quality and usefulness are 1."""
    recency = recency_decay(standing.age_microseconds, ranking.half_life_of(standing.source))
    access = access_boost(
        standing.access_count,
        standing.access_age_microseconds,
        boost_max=ranking.access_boost_max,
        recency_hours=ranking.access_recency_hours,
    )
    if ranking.profile is not Profile.ADAPTIVE:
        return Factors(relevance, recency, access)
    helpful = usefulness(standing.alpha, standing.beta, floor=ranking.demotion_floor)
    return Factors(relevance, recency, access, ADAPTIVE_QUALITY[standing.source], helpful)


class Lift(NamedTuple):
    """What orders a memory: its relevance, its score as if nobody had read or rated it, and its score by who has."""

    relevance: float
    alone: float
    heard: float

    @property
    def strength(self) -> float:
        """How much others make of it."""
        return self.heard / self.alone if self.alone > 0 else 1.0


def lift_of(parts: Factors, standing: Standing, ranking: Ranking) -> Lift:
    """How far readings and ratings may move a memory. The score itself counts all of them, as is documented."""
    alone = parts.relevance * parts.recency * parts.quality
    heard = alone
    if standing.readers:
        heard *= access_boost(
            standing.readers,
            standing.readers_age_microseconds,
            boost_max=ranking.access_boost_max,
            recency_hours=ranking.access_recency_hours,
        )
    if ranking.profile is Profile.ADAPTIVE:
        useful, useless = standing.votes
        heard *= usefulness(1.0 + useful, 1.0 + useless, floor=ranking.demotion_floor)
    return Lift(parts.relevance, alone, heard)


def lifted(
    lifts: Sequence[Lift], order: Sequence[int] | None = None, may_pass: Callable[[int, int], bool] | None = None
) -> list[int]:
    """The places of the lifts in the order that is shown: as they stand unread, and then some pass others.

    Without an order that is by what each is alone. None is passed twice, nor by one that is clearly less relevant. So
    readings and ratings, which cost nothing and are anybody's, move no memory down by more than one place. What others
    make most of goes first: else a single reader could let a weak one pass what many would have passed.
    """
    order = list(order) if order is not None else sorted(range(len(lifts)), key=lambda one: -lifts[one].alone)
    if all(one.heard == one.alone for one in lifts):
        return order
    at = {one: place for place, one in enumerate(order)}
    passed: set[int] = set()
    for one in sorted(order, key=lambda one: -lifts[one].strength):
        while at[one] and (before := order[at[one] - 1]) not in passed:
            if not passes(lifts[one], lifts[before]) or (may_pass is not None and not may_pass(one, before)):
                break
            order[at[before]], order[at[one]] = one, before
            at[before], at[one] = at[one], at[before]
            passed.add(before)
    return order


def passes(mine: Lift, other: Lift) -> bool:
    """Whether readings and ratings let one pass another that stands before it.

    They have to make the difference: what has the better score unread stands behind the other for another reason.
    """
    is_near = other.relevance - mine.relevance <= LIFTED_GAP_MAX
    return is_near and mine.heard > other.heard and mine.strength > other.strength


def recency_decay(age_microseconds: int, half_life_days: float) -> float:
    """One now or in the future, a half after each half-life."""
    if age_microseconds <= 0 or math.isinf(half_life_days):
        return 1.0
    return math.pow(2.0, -(age_microseconds / MICROSECONDS_PER_DAY) / half_life_days)


def access_boost(count: int, age_microseconds: int, *, boost_max: float, recency_hours: float) -> float:
    """More for what was read often; half of the bonus once the last reading is too long ago."""
    if count <= 0:
        return 1.0
    fresh = age_microseconds <= recency_hours * MICROSECONDS_PER_HOUR
    bonus = min(count / ACCESSES_PER_FULL_STEP, boost_max - 1.0)
    return 1.0 + bonus * (1.0 if fresh else STALE_ACCESS_SHARE)


def usefulness(alpha: float, beta: float, *, floor: float) -> float:
    """Twice the share of good ratings, between the floor and two; one while nothing was rated."""
    if alpha + beta <= 0:
        return 1.0
    return max(floor, min(USEFULNESS_MAX, 2.0 * alpha / (alpha + beta)))
