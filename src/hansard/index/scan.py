"""Owns the scan of the vectors: piece by piece, by the one who asks and a thread beside it."""

import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hansard.index.rows import VECTOR_SCALE

WIDENED_ROWS = 2_048
"""Vectors in 16 bits are widened so many at a time, where the processor keeps them near."""


class Piece(NamedTuple):
    """Vectors of which the cosines are wanted, and where these go."""

    vectors: NDArray[Any]
    rows: slice | NDArray[np.int64]
    places: slice | NDArray[np.int64]


class Scan:
    """The cosines of many vectors with one unit vector. They are there once `result` returns."""

    def __init__(self, pieces: Iterable[Piece], vector: NDArray[np.float32], out: NDArray[np.float32]) -> None:
        self._left = list(pieces)
        self._failed: list[Piece] = []
        self._scaled = vector * np.float32(1 / VECTOR_SCALE)
        self._out = out
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Begins in a thread of its own. A pool would be lost in a process that forks."""
        self._thread = threading.Thread(target=self._help, name="hansard-scan")
        self._thread.start()

    def result(self) -> NDArray[np.float32]:
        """Does what is left, waits for what is begun, and returns the cosines."""
        self._work()
        if self._thread is not None:
            self._thread.join()
            # What failed there fails here again, where somebody sees it.
            self._left = self._failed
            self._work()
        return self._out

    def _help(self) -> None:
        # What failed is kept for whoever waits.
        with suppress(BaseException):
            self._work()

    def _work(self) -> None:
        wide: NDArray[np.float32] | None = None
        while self._left:
            try:
                piece = self._left.pop()
            except IndexError:
                return  # The other one took it.
            try:
                vectors = piece.vectors[piece.rows]
                if vectors.dtype == np.float32:
                    # Not a matrix product: that is three times slower here, and starts threads.
                    self._out[piece.places] = np.vecdot(vectors, self._scaled)
                    continue
                if wide is None:
                    wide = np.empty((WIDENED_ROWS, len(self._scaled)), np.float32)
                self._out[piece.places] = _widened(vectors, self._scaled, wide)
            except BaseException:
                self._failed.append(piece)
                raise


def _widened(vectors: NDArray[np.int16], scaled: NDArray[np.float32], wide: NDArray[np.float32]) -> NDArray[np.float32]:
    out = np.empty(len(vectors), np.float32)
    for begin in range(0, len(vectors), WIDENED_ROWS):
        some = out[begin : begin + WIDENED_ROWS]
        rows = wide[: len(some)]
        rows[:] = vectors[begin : begin + len(some)]
        np.vecdot(rows, scaled, out=some)
    return out
