"""Owns how hits are ordered: relevance times recency times access, and the later refinements as a profile.

Pure numbers. Relevance says how well a memory answers; the score says where it stands. They are never mixed up.
"""

import math
from typing import NamedTuple

from hansard.domain.vocabulary import Profile, Source

MICROSECONDS_PER_DAY = 86_400_000_000
MICROSECONDS_PER_HOUR = 3_600_000_000
ACCESSES_PER_FULL_STEP = 10
STALE_ACCESS_SHARE = 0.5
USEFULNESS_MAX = 2.0
UNRATED = 2.0
"""What alpha and beta add up to before anybody has rated."""

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
