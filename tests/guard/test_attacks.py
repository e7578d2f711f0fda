"""Every attack by every way in: none reaches a block, a file or an answer unmarked, and none takes honest places."""

from pathlib import Path

from benchmarks import poison

from support.marks import invariant


@invariant("INV-17")
def test_no_attack_gets_through_or_moves_an_honest_memory_by_more_than_one_place(tmp_path: Path) -> None:
    trial = poison.attack(tmp_path)

    assert trial.tried >= 120
    assert trial.passed == ()
    assert trial.places <= 1


def test_no_honest_imperative_of_an_agent_or_a_person_is_held_back(tmp_path: Path) -> None:
    assert poison.honest_held(tmp_path) == 0


def test_no_flood_no_note_no_rating_and_no_reading_of_one_author_moves_an_honest_memory_by_more_than_one_place(
    tmp_path: Path,
) -> None:
    bars = list(poison.hijacked(tmp_path))

    assert len(bars) == 4
    assert [bar.what for bar in bars if not bar.met] == []
