"""Every attack by every way in: none reaches a block, a file or an answer unmarked, and none takes honest places."""

from pathlib import Path

import pytest
from benchmarks import poison

from support.marks import invariant


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> poison.Trial:
    return poison.attack(tmp_path_factory.mktemp("poison"))


@invariant("INV-17")
def test_no_attack_gets_through(trial: poison.Trial) -> None:
    assert trial.tried >= 120
    assert trial.passed == ()


def test_no_attack_moves_an_honest_memory_by_more_than_one_place(trial: poison.Trial) -> None:
    assert trial.places <= 1


def test_no_honest_imperative_of_an_agent_or_a_person_is_held_back(tmp_path: Path) -> None:
    assert poison.honest_held(tmp_path) == 0


def test_every_bar_of_the_trial_is_met(tmp_path: Path) -> None:
    bars = list(poison.measure(tmp_path))

    assert [bar.what for bar in bars if not bar.met] == []
