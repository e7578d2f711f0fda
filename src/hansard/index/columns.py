"""Owns the arrays of an index: columns that grow together and are never moved under a reader's feet."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hansard.index.scan import Piece

CAPACITY_ROWS_MIN = 256
BLOCK_BYTES = 8 * 1024 * 1024
"""Vectors stand in blocks of this size: growing never copies them, and untouched pages of a block cost nothing."""
WIDE_BLOCKS = 2
"""The vectors of so many blocks stand ready to be compared; the others, in a larger project, as they are stored, in 16
bits: half the memory, and a third more time of a scan."""
_GROWTH = 1.5
_COLUMNS: dict[str, DTypeLike] = {
    "memory": np.int64,
    "chunk": np.int32,
    "agent": np.int32,
    "source": np.int16,
    "team": np.bool_,
    "until": np.int64,
    "moment": np.int64,
    "day": np.int32,
    "group": np.int32,
    "position": np.int64,
    "asks": np.bool_,
    "names_time": np.bool_,
    "live": np.bool_,
    "embedded": np.bool_,
    "token_begin": np.int64,
    "token_count": np.int32,
}


class Columns:
    """One row per unit. Rows are only added; a unit that is gone is marked so."""

    memory: NDArray[np.int64]
    chunk: NDArray[np.int32]
    agent: NDArray[np.int32]
    source: NDArray[np.int16]
    team: NDArray[np.bool_]
    until: NDArray[np.int64]
    moment: NDArray[np.int64]
    day: NDArray[np.int32]
    group: NDArray[np.int32]
    position: NDArray[np.int64]
    asks: NDArray[np.bool_]
    names_time: NDArray[np.bool_]
    live: NDArray[np.bool_]
    embedded: NDArray[np.bool_]
    token_begin: NDArray[np.int64]
    token_count: NDArray[np.int32]
    tokens: NDArray[np.uint16]

    def __init__(self, dimensions: int) -> None:
        self.count = 0
        self.token_total = 0
        self.token_count_max = 0
        self.dimensions = dimensions
        for name, kind in _COLUMNS.items():
            setattr(self, name, np.zeros(0, kind))
        self.tokens = np.zeros(0, np.uint16)
        self._block_rows = max(BLOCK_BYTES // (4 * dimensions), CAPACITY_ROWS_MIN)
        self._blocks: tuple[NDArray[Any], ...] = ()

    def reserve(self, rows: int, tokens: int) -> None:
        """Makes room for so many more rows and tokens."""
        if self.count + rows > len(self.memory):
            capacity = max(self.count + rows, int(len(self.memory) * _GROWTH), CAPACITY_ROWS_MIN)
            for name in _COLUMNS:
                setattr(self, name, _grown(getattr(self, name), capacity))
        while self.count + rows > len(self._blocks) * self._block_rows:
            kind = np.float32 if len(self._blocks) < WIDE_BLOCKS else np.int16
            self._blocks += (np.zeros((self._block_rows, self.dimensions), kind),)
        if self.token_total + tokens > len(self.tokens):
            capacity = max(self.token_total + tokens, int(len(self.tokens) * _GROWTH))
            self.tokens = _grown(self.tokens, capacity).astype(np.uint16, copy=False)

    def frozen(self) -> "Columns":
        """The arrays as they are; what is added later goes behind the rows that a reader counts."""
        same = Columns.__new__(Columns)
        same.__dict__.update(self.__dict__)
        return same

    def put_vectors(self, first: int, vectors: NDArray[np.int16]) -> None:
        """Writes the packed vectors of consecutive rows."""
        size = self._block_rows
        for number in range(first // size, (first + len(vectors) - 1) // size + 1):
            begin, end = max(first, number * size), min(first + len(vectors), (number + 1) * size)
            self._blocks[number][begin - number * size : end - number * size] = vectors[begin - first : end - first]

    def every_vector(self, rows: int) -> Iterator[Piece]:
        """The vectors of the first rows."""
        for begin, block in zip(range(0, rows, self._block_rows), self._blocks, strict=False):
            end = min(begin + self._block_rows, rows)
            yield Piece(block, slice(end - begin), slice(begin, end))

    def vectors_at(self, places: NDArray[np.int64]) -> Iterator[Piece]:
        """The vectors of these rows, given in ascending order."""
        firsts = np.arange(len(self._blocks) + 1) * self._block_rows
        cuts = np.searchsorted(places, firsts).tolist()
        for block, first, (begin, end) in zip(self._blocks, firsts.tolist(), pairwise(cuts), strict=False):
            if begin < end:
                yield Piece(block, places[begin:end] - first, places[begin:end])

    def token_rows(self, units: NDArray[np.int64]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """The tokens of the units end to end, and where each unit's begin. A unit without tokens gets the padding."""
        counts = self.token_count[units]
        lengths = np.maximum(counts, 1).astype(np.int64)
        begins = np.cumsum(lengths) - lengths
        start = np.where(counts > 0, self.token_begin[units], 0)
        places = np.repeat(start - begins, lengths) + np.arange(lengths.sum())
        tokens = self.tokens[places] if len(self.tokens) else np.zeros(len(places), np.uint16)
        tokens[begins[counts == 0]] = 0
        return tokens, begins


def _grown(column: NDArray[np.generic], capacity: int) -> NDArray[np.generic]:
    larger = np.zeros((capacity, *column.shape[1:]), column.dtype)
    larger[: len(column)] = column
    return larger
