"""Usage: what a rating adds to what is known of a memory, and how much of its text stands beside its numbers."""

import pytest

from hansard.domain.usage import EXCERPT_CHARACTERS, excerpt, posterior_step


@pytest.mark.parametrize(
    ("signal", "weight", "expected"),
    [
        (1.0, 1.0, (1.0, 0.0)),
        (-1.0, 1.0, (0.0, 1.0)),
        (-1.0, 0.5, (0.0, 0.5)),
        (0.0, 1.0, (0.0, 0.0)),
        (0.8, 0.8, (0.64, 0.0)),
        (-0.6, 0.8, (0.0, 0.48)),
        (1.0, 0.0, (0.0, 0.0)),
    ],
)
def test_a_rating_moves_one_of_the_two_counts_by_its_weight(
    signal: float, weight: float, expected: tuple[float, float]
) -> None:
    assert posterior_step(signal, weight) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("one line", "one line"),
        ("two\n\tlines ", "two lines"),
        ("x" * EXCERPT_CHARACTERS, "x" * EXCERPT_CHARACTERS),
        ("x" * (EXCERPT_CHARACTERS + 1), "x" * (EXCERPT_CHARACTERS - 1) + "…"),
        ("", ""),
    ],
)
def test_an_excerpt_is_one_short_line(content: str, shown: str) -> None:
    assert excerpt(content) == shown
