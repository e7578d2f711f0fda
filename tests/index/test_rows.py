"""Rows: what is packed for the store comes back the same, and what is damaged is left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hansard.domain.dates import NamedDate
from hansard.index.rows import pack_dates, pack_terms, pack_vectors, unpack_dates, unpack_terms, unpack_vectors
from support.examples import examples

RANDOM = np.random.default_rng(7)


def unit_vectors(count: int, dimensions: int) -> NDArray[np.float32]:
    vectors = RANDOM.standard_normal((count, dimensions))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1)[:, None], np.float32)


@examples(100)
@given(st.lists(st.integers(0, 2**16 - 1), max_size=80))
def test_terms_come_back_as_they_were(terms: list[int]) -> None:
    assert unpack_terms(pack_terms(terms)).tolist() == terms


@examples(100)
@given(st.lists(st.builds(NamedDate, st.integers(0, 9999), st.integers(1, 12), st.integers(0, 31)), max_size=5))
def test_dates_come_back_as_they_were(dates: list[NamedDate]) -> None:
    assert unpack_dates(pack_dates(dates)) == tuple(dates)


def test_terms_and_vectors_are_little_endian_on_every_machine() -> None:
    assert pack_terms([1, 256]) == b"\x01\x00\x00\x01"
    assert pack_vectors(np.array([[1.0, -1.0, 0.0]], np.float32)) == [b"\xff\x7f\x01\x80\x00\x00"]


@pytest.mark.parametrize("dimensions", [1, 8, 256, 1_536])
def test_a_vector_comes_back_within_a_thirty_thousandth(dimensions: int) -> None:
    vectors = unit_vectors(50, dimensions)
    packed = pack_vectors(vectors)
    assert {len(one) for one in packed} == {2 * dimensions}
    found, there = unpack_vectors(packed, dimensions)
    assert there.all()
    assert np.abs(found - vectors).max() <= 1 / 32_767
    assert np.abs(np.vecdot(found, vectors) - 1).max() < 1e-3


@pytest.mark.parametrize("wrong", [None, b"", b"\x00", b"\x00" * 15, b"\x00" * 17, b"\x7f" * 32], ids=repr)
def test_a_vector_that_is_missing_or_of_another_size_is_left_out(wrong: bytes | None) -> None:
    (right,) = pack_vectors(unit_vectors(1, 8))
    found, there = unpack_vectors([wrong, right, wrong], 8)
    assert there.tolist() == [False, True, False]
    assert not found[[0, 2]].any()
    assert found[1].any()


def test_no_vectors_at_all_are_no_trouble() -> None:
    found, there = unpack_vectors([], 8)
    assert (found.shape, there.shape) == ((0, 8), (0,))
