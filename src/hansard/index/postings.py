"""Owns which units hold a term: a sorted body for what is old, an unsorted tail for what is new."""

import numpy as np
from numpy.typing import NDArray

from hansard.embedding.wordpiece import TERMS

TAIL_PAIRS_MAX = 65_536


class Postings:
    """Term to units. A unit holds each of its terms once; units are added in ascending order."""

    def __init__(self) -> None:
        self._terms = np.empty(0, np.uint16)
        self._units = np.empty(0, np.int32)
        self._begins = np.zeros(TERMS + 1, np.int64)
        self._tail_terms: list[NDArray[np.uint16]] = []
        self._tail_units: list[NDArray[np.int32]] = []
        self._tail_pairs = 0

    def add(self, terms: NDArray[np.uint16], units: NDArray[np.int32]) -> None:
        """Adds pairs of a term and the unit that holds it."""
        self._tail_terms.append(terms)
        self._tail_units.append(units)
        self._tail_pairs += len(terms)
        if self._tail_pairs > TAIL_PAIRS_MAX:
            self._merge()

    def units_with(self, term: int) -> NDArray[np.int32]:
        """The units that hold the term, live or not."""
        body = self._units[self._begins[term] : self._begins[term + 1]]
        if not self._tail_pairs:
            return body
        self._join_tail()
        fresh = self._tail_units[0][self._tail_terms[0] == term]
        return np.concatenate((body, fresh)) if len(fresh) else body

    def _join_tail(self) -> None:
        if len(self._tail_terms) > 1:
            self._tail_terms = [np.concatenate(self._tail_terms)]
            self._tail_units = [np.concatenate(self._tail_units)]

    def _merge(self) -> None:
        terms = np.concatenate((self._terms, *self._tail_terms))
        units = np.concatenate((self._units, *self._tail_units))
        order = np.argsort(terms, kind="stable")
        self._terms, self._units = terms[order], units[order]
        self._begins = np.concatenate(([0], np.cumsum(np.bincount(terms, minlength=TERMS))))
        self._tail_terms, self._tail_units, self._tail_pairs = [], [], 0
