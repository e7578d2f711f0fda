"""Owns which units hold a term: sorted runs for what is old, an unsorted tail for what is new."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TAIL_PAIRS_MAX = 4_096
"""A search looks at every pair of a tail up to this long; a longer one becomes a run first."""
RUN_PAIRS_MIN = 131_072
"""While a project is loaded the tail grows to this before it becomes a run: larger ones leave holes in memory."""
RUN_GROWTH = 4
"""A run is joined with the one before it unless that is this many times larger, so there are only a few."""


class Run(NamedTuple):
    """Pairs of a term and a unit that holds it, sorted by term and then by unit. Never changed."""

    terms: NDArray[np.uint16]
    units: NDArray[np.int32]


class Snapshot(NamedTuple):
    """The pairs at one moment. Later changes do not touch it."""

    runs: tuple[Run, ...]
    tail: Run

    def units_with(self, term: int) -> NDArray[np.int32]:
        """The units that hold the term, live or not, in ascending order."""
        # Of the same kind as the terms, or all of them would be converted first.
        wanted = np.uint16(term)
        parts = []
        for run in self.runs:
            begin, end = run.terms.searchsorted(wanted), run.terms.searchsorted(wanted, "right")
            if begin < end:
                parts.append(run.units[begin:end])
        fresh = self.tail.units[self.tail.terms == term]
        if len(fresh) or not parts:
            parts.append(fresh)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


class Postings:
    """Term to units. A unit holds each of its terms once; units are added in ascending order."""

    def __init__(self) -> None:
        self._runs: tuple[Run, ...] = ()
        self._tail: list[Run] = []
        self._tail_pairs = 0

    def add(self, terms: NDArray[np.uint16], units: NDArray[np.int32]) -> None:
        """Adds pairs of a term and the unit that holds it."""
        self._tail.append(Run(terms, units))
        self._tail_pairs += len(terms)
        if self._tail_pairs > RUN_PAIRS_MIN:
            self._settle()

    def snapshot(self) -> Snapshot:
        if self._tail_pairs > TAIL_PAIRS_MAX:
            self._settle()
        if len(self._tail) != 1:
            self._tail = [_joined(self._tail)]
        return Snapshot(self._runs, self._tail[0])

    def _settle(self) -> None:
        """Turns the tail into a run."""
        runs = [*self._runs, _sorted(_joined(self._tail))]
        while len(runs) > 1 and len(runs[-2].terms) < RUN_GROWTH * len(runs[-1].terms):
            runs[-2:] = [_merged(*runs[-2:])]
        self._runs, self._tail, self._tail_pairs = tuple(runs), [], 0


def _joined(runs: list[Run]) -> Run:
    if not runs:
        return Run(np.empty(0, np.uint16), np.empty(0, np.int32))
    return Run(np.concatenate([run.terms for run in runs]), np.concatenate([run.units for run in runs]))


def _sorted(run: Run) -> Run:
    # Stable: the units of a term stay in ascending order. Sixteen bits are sorted by counting, in linear time.
    order = np.argsort(run.terms, kind="stable")
    return Run(run.terms[order], run.units[order])


def _merged(old: Run, new: Run) -> Run:
    """Both in one run. Not sorted anew: the numbers for that take several times the room of the pairs."""
    places = old.terms.searchsorted(new.terms, "right")
    places += np.arange(len(places))
    kept = np.ones(len(old.terms) + len(new.terms), np.bool_)
    kept[places] = False
    terms, units = np.empty(len(kept), np.uint16), np.empty(len(kept), np.int32)
    terms[places], terms[kept] = new.terms, old.terms
    units[places], units[kept] = new.units, old.units
    return Run(terms, units)
