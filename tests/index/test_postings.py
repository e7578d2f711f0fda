"""Postings: whatever is added in whatever portions, a plain dictionary says the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.index import postings
from hansard.index.postings import Postings
from support.examples import examples

TERMS = st.integers(0, 40) | st.sampled_from([65_535, 30_000])
UNITS = st.lists(st.sets(TERMS, max_size=8), max_size=12)


def filled(found: Postings, batches: list[list[set[int]]], expected: dict[int, list[int]]) -> None:
    unit = 0
    for batch in batches:
        terms: list[int] = []
        units: list[int] = []
        for held in batch:
            for term in sorted(held):
                terms.append(term)
                units.append(unit)
                expected.setdefault(term, []).append(unit)
            unit += 1
        found.add(np.array(terms, np.uint16), np.array(units, np.int32))


@pytest.mark.parametrize("tail", [0, 5, 10**6])
def test_every_unit_that_holds_a_term_is_found(tail: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TAIL_PAIRS_MAX", "RUN_PAIRS_MIN"):
        monkeypatch.setattr(postings, name, tail, raising=False)

    @examples(150)
    @given(st.lists(UNITS, max_size=10))
    def holds(batches: list[list[set[int]]]) -> None:
        found, expected = Postings(), dict[int, list[int]]()
        filled(found, batches, expected)
        snapshot = found.snapshot()
        for term in (*range(42), 30_000, 65_535):
            assert snapshot.units_with(term).tolist() == expected.get(term, [])

    holds()


@examples(80)
@given(st.lists(UNITS, max_size=4), st.lists(UNITS, max_size=4))
def test_a_snapshot_stays_as_it_was(before: list[list[set[int]]], after: list[list[set[int]]]) -> None:
    found, expected = Postings(), dict[int, list[int]]()
    filled(found, before, expected)
    snapshot = found.snapshot()
    known = {term: list(units) for term, units in expected.items()}
    filled(found, after, dict[int, list[int]]())
    found.snapshot()
    for term in range(42):
        assert snapshot.units_with(term).tolist() == known.get(term, [])


def test_many_pairs_in_many_portions_are_all_there() -> None:
    random = np.random.default_rng(3)
    found, expected = Postings(), dict[int, list[int]]()
    batches = [
        [set(random.integers(0, 500, 12).tolist()) for _ in range(int(random.integers(1, 400)))] for _ in range(60)
    ]
    filled(found, batches, expected)
    snapshot = found.snapshot()
    assert {term: snapshot.units_with(term).tolist() for term in expected} == expected
    assert len(snapshot.runs) < 10
