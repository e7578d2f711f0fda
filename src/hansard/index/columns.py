"""Owns the arrays of an index: columns that grow together and are never moved under a reader's feet."""

import numpy as np
from numpy.typing import DTypeLike, NDArray

CAPACITY_ROWS_MIN = 256
_GROWTH = 1.5
_COLUMNS: dict[str, DTypeLike] = {
    "memory": np.int64,
    "chunk": np.int32,
    "agent": np.int32,
    "source": np.int16,
    "team": np.bool_,
    "until": np.int64,
    "moment": np.int64,
    "group": np.int64,
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
    group: NDArray[np.int64]
    position: NDArray[np.int64]
    asks: NDArray[np.bool_]
    names_time: NDArray[np.bool_]
    live: NDArray[np.bool_]
    embedded: NDArray[np.bool_]
    token_begin: NDArray[np.int64]
    token_count: NDArray[np.int32]
    vectors: NDArray[np.float32]
    tokens: NDArray[np.uint16]

    def __init__(self, dimensions: int) -> None:
        self.count = 0
        self.token_total = 0
        self.dimensions = dimensions
        for name, kind in _COLUMNS.items():
            setattr(self, name, np.zeros(0, kind))
        self.vectors = np.zeros((0, dimensions), np.float32)
        self.tokens = np.zeros(0, np.uint16)

    def reserve(self, rows: int, tokens: int) -> None:
        """Makes room for so many more rows and tokens."""
        if self.count + rows > len(self.memory):
            capacity = max(self.count + rows, int(len(self.memory) * _GROWTH), CAPACITY_ROWS_MIN)
            for name in _COLUMNS:
                setattr(self, name, _grown(getattr(self, name), capacity))
            self.vectors = _grown(self.vectors, capacity).astype(np.float32, copy=False)
        if self.token_total + tokens > len(self.tokens):
            capacity = max(self.token_total + tokens, int(len(self.tokens) * _GROWTH))
            self.tokens = _grown(self.tokens, capacity).astype(np.uint16, copy=False)

    def token_rows(self, units: NDArray[np.int64]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """The tokens of the units end to end, and where each unit's begin. A unit without tokens gets the padding."""
        lengths = np.maximum(self.token_count[units], 1).astype(np.int64)
        begins = np.cumsum(lengths) - lengths
        start = np.where(self.token_count[units] > 0, self.token_begin[units], 0)
        places = np.repeat(start - begins, lengths) + np.arange(lengths.sum())
        tokens = self.tokens[places] if len(self.tokens) else np.zeros(len(places), np.uint16)
        tokens[begins[self.token_count[units] == 0]] = 0
        return tokens, begins


def _grown(column: NDArray[np.generic], capacity: int) -> NDArray[np.generic]:
    larger = np.zeros((capacity, *column.shape[1:]), column.dtype)
    larger[: len(column)] = column
    return larger
