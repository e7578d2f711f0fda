"""Owns what one search works on: arrays that no later change touches, and which rows its reader may see."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hansard.domain.dates import NamedDate
from hansard.index.columns import Columns
from hansard.index.postings import Snapshot
from hansard.index.scan import Scan

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


class Links(NamedTuple):
    """Each unit's visible neighbours in its conversation or text; -1 where there is none."""

    following: NDArray[np.int32]
    preceding: NDArray[np.int32]


class View(NamedTuple):
    """Everything a search reads. `places` are the visible rows; no other may be looked at."""

    columns: Columns
    rows: int
    visible: Bools
    places: Ints
    links: Links
    length_factors: Floats
    """What BM25 gives a match in a unit of so many terms."""
    postings: Snapshot
    dates: dict[int, tuple[NamedDate, ...]]
    made_at: int
    valid_until: int

    def holding(self, term: int) -> NDArray[np.int32]:
        """The visible units that hold the term."""
        units = self.postings.units_with(term)
        return units if self.is_whole else units[self.visible[units]]

    @property
    def is_whole(self) -> bool:
        """Whether the reader sees every row, so that nothing need be picked out."""
        return len(self.places) == self.rows

    def scan(self, vector: Floats) -> Scan:
        """Computes the cosine of every visible unit; those of the others are never to be looked at."""
        if len(self.places) >= GATHER_SHARE_MAX * self.rows:
            return Scan(self.columns.every_vector(self.rows), vector, np.empty(self.rows, np.float32))
        return Scan(self.columns.vectors_at(self.places), vector, np.zeros(self.rows, np.float32))


def linked(columns: Columns, order: NDArray[np.int32], visible: Bools) -> Links:
    """The neighbours among visible units only: what a reader may not see neither joins nor parts what it may.

    `order` has the units that belong together one after the other.
    """
    seen = order[visible[order]]
    group, position = columns.group[seen], columns.position[seen]
    near = (group[1:] == group[:-1]) & (position[1:] - position[:-1] <= 1)
    left, right = seen[:-1][near], seen[1:][near]
    following, preceding = np.full((2, len(visible)), -1, np.int32)
    following[left] = right
    preceding[right] = left
    return Links(following, preceding)


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
