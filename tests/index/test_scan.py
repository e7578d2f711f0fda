"""The scan of the vectors: the same cosines however the vectors stand, whoever computes them, and nothing lost."""

import numpy as np
import pytest

from hansard.index.columns import Columns
from hansard.index.rows import VECTOR_SCALE, join_vectors, pack_vectors
from hansard.index.scan import WIDENED_ROWS, Piece, Scan
from hansard.index.view import Floats

DIMENSIONS = 512
ROWS = 12_500
"""Three blocks at these dimensions; the last is narrow and does not end where a portion of widened rows ends."""


@pytest.fixture(scope="module")
def unit() -> Floats:
    random = np.random.default_rng(7)
    vectors = random.standard_normal((ROWS, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


@pytest.fixture(scope="module")
def columns(unit: Floats) -> Columns:
    columns = Columns(DIMENSIONS)
    packed, _ = join_vectors(pack_vectors(unit), DIMENSIONS)
    for start in range(0, ROWS, 1_000):
        some = packed[start : start + 1_000]
        columns.reserve(len(some), 0)
        columns.put_vectors(start, some)
        columns.count += len(some)
    return columns


def test_both_kinds_of_block_are_looked_at_here(columns: Columns) -> None:
    kinds = [piece.vectors.dtype for piece in columns.every_vector(ROWS)]

    assert kinds == [np.float32, np.float32, np.int16, np.int16]
    assert ROWS % WIDENED_ROWS


@pytest.mark.parametrize("rows", [1, 4_096, 8_192, 8_193, ROWS])
@pytest.mark.parametrize("begun", [False, True])
def test_every_cosine_is_that_of_the_vectors(unit: Floats, columns: Columns, rows: int, *, begun: bool) -> None:
    scan = Scan(columns.every_vector(rows), unit[3], np.full(rows, np.nan, np.float32))
    if begun:
        scan.begin()

    assert scan.result() == pytest.approx(unit[:rows] @ unit[3], abs=2 * 16 / VECTOR_SCALE)


@pytest.mark.parametrize("begun", [False, True])
def test_only_the_wanted_rows_are_computed(unit: Floats, columns: Columns, *, begun: bool) -> None:
    wanted = np.arange(5, ROWS, 7)
    scan = Scan(columns.vectors_at(wanted), unit[3], np.full(ROWS, np.nan, np.float32))
    if begun:
        scan.begin()
    found = scan.result()

    assert found[wanted] == pytest.approx(unit[wanted] @ unit[3], abs=2 * 16 / VECTOR_SCALE)
    assert np.isnan(np.delete(found, wanted)).all()


def test_what_fails_in_the_thread_beside_fails_where_somebody_sees_it(unit: Floats) -> None:
    broken = [Piece(unit, np.array([ROWS]), slice(0, 1))]
    scan = Scan(broken, unit[3], np.zeros(1, np.float32))
    scan.begin()

    with pytest.raises(IndexError):
        scan.result()
