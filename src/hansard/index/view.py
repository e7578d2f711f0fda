"""Owns what one search works on: arrays that no later change touches, and which rows its reader may see."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hansard.domain.dates import NamedDate
from hansard.index.columns import Columns
from hansard.index.postings import Snapshot

Floats: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

GATHER_SHARE_MAX = 0.15
"""Below this visible share the vectors are gathered first; above it all are multiplied and the rest dropped."""
SAMPLED_SCORES_MIN = 8_192
"""More scores than this are cut with the help of a sample before they are compared."""
SAMPLE_SCORES = 4_096
SAMPLE_SLACK = 1.5
SAMPLE_RANKS_MIN = 8


class Sight(NamedTuple):
    """What a reader may find: None for `agent` sees everybody's."""

    agent: str | None
    now: int
    own: bool = True
    team: bool = True
    source: str | None = None


class View(NamedTuple):
    """Everything a search reads. Whatever looks beyond `places` must ask `visible` first."""

    columns: Columns
    rows: int
    visible: Bools
    places: Ints
    postings: Snapshot
    dates: dict[int, tuple[NamedDate, ...]]

    def holding(self, term: int) -> NDArray[np.int32]:
        """The visible units that hold the term."""
        units = self.postings.units_with(term)
        return units[self.visible[units]]

    def average_length(self) -> float:
        return max(float(self.columns.token_count.take(self.places).sum()) / max(len(self.places), 1), 1.0)

    def cosines(self, vector: Floats) -> Floats:
        """The cosine of every visible unit; those of the others are never to be looked at."""
        if len(self.places) >= GATHER_SHARE_MAX * self.rows:
            return self.columns.cosines(self.rows, vector)
        out = np.zeros(self.rows, np.float32)
        out[self.places] = self.columns.cosines_at(self.places, vector)
        return out

    def step(self, links: NDArray[np.int32], units: Ints) -> Ints:
        """The neighbour of each unit, -1 where there is none, or it is not visible, or came after this view."""
        reached = links[units].astype(np.int64)
        reached[reached >= self.rows] = -1
        return np.where((reached >= 0) & self.visible[reached], reached, -1)

    def following_among(self, units: Ints, steps: int) -> tuple[Ints, NDArray[np.int32]]:
        """The part of the links that can be walked from units in so many steps, in small numbers.

        Returns the place of each unit among the units reached, in order, and the place of each one's follower.
        """
        reached = [units]
        for _ in range(steps):
            further = self.step(self.columns.following, reached[-1])
            reached.append(further[further >= 0])
        known = merged(*reached)
        following = self.step(self.columns.following, known)
        place = np.searchsorted(known, following).clip(max=len(known) - 1)
        local = np.where((following >= 0) & (known[place] == following), place, -1)
        return np.searchsorted(known, units), local.astype(np.int32)


def merged(*several: Ints) -> Ints:
    """All different numbers in ascending order. Not np.unique: that loads a package which a cold search has not."""
    joined = np.concatenate(several)
    joined.sort()
    return joined[np.concatenate(([True], joined[1:] != joined[:-1]))] if len(joined) else joined


def top(scores: Floats, limit: int) -> Ints:
    """The places of the largest scores, in no order."""
    count = len(scores)
    if count <= limit:
        return np.arange(count)
    if count > SAMPLED_SCORES_MIN:
        # A sample tells a bound that few scores reach; if enough do, only those are compared with each other.
        sample = scores[:: count // SAMPLE_SCORES]
        rank = min(int(SAMPLE_SLACK * limit * len(sample) / count) + SAMPLE_RANKS_MIN, len(sample))
        reaching = np.flatnonzero(scores >= np.partition(sample, len(sample) - rank)[len(sample) - rank])
        if len(reaching) >= limit:
            return reaching[np.argpartition(scores[reaching], len(reaching) - limit)[-limit:]]
    return np.argpartition(scores, count - limit)[-limit:]
