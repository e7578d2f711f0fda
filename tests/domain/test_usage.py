"""Usage: what a rating adds to what is known of a memory."""

import pytest

from hansard.domain.usage import posterior_step


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
