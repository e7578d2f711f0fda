"""When two searches are taken for the same: a copy is not called damaged for the last digit of a float."""

import pytest

from hansard.services.transfer import ANSWERS, found_alike

STEP = 2.0**-24
"""Of a float32 near one half."""
Found = list[tuple[str, float]]

FULL: Found = [*((f"m{number}", 0.9 - number / 100) for number in range(ANSWERS - 1)), ("last", 0.5)]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ([], []),
        ([("a", 0.5), ("b", 0.25)], [("a", 0.5), ("b", 0.25)]),
        ([("a", 0.5 + STEP), ("b", 0.25)], [("a", 0.5), ("b", 0.25 - STEP)]),
        ([("a", 0.5 + STEP), ("b", 0.5)], [("b", 0.5 + STEP), ("a", 0.5)]),
        (FULL, [*FULL[:-1], ("as good", 0.5 + STEP)]),
    ],
    ids=["nothing", "same", "one step", "equal ones change places", "equal ones at the end of a full list"],
)
def test_searches_that_found_the_same(ours: Found, theirs: Found) -> None:
    assert found_alike(ours, theirs)
    assert found_alike(theirs, ours)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ([("a", 0.5)], []),
        ([("a", 0.5)], [("b", 0.5)]),
        ([("a", 0.5)], [("a", 0.5001)]),
        ([("a", 0.5), ("b", 0.25)], [("b", 0.5), ("a", 0.25)]),
        ([("a", 0.5), ("b", 0.25)], [("a", 0.5), ("c", 0.25)]),
        (FULL, [*FULL[:-1], ("better", 0.6)]),
        (FULL, [("another", 0.9), *FULL[1:]]),
    ],
    ids=["one is missing", "another", "other relevance", "other order", "short list", "better at the end", "first"],
)
def test_searches_that_found_something_else(ours: Found, theirs: Found) -> None:
    assert not found_alike(ours, theirs)
    assert not found_alike(theirs, ours)
