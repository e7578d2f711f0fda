"""What `hansard bench recall` prints, and how it refuses a file it cannot read."""

from pathlib import Path

import pytest

from cli.conftest import Cli
from support import postgres
from support.dialogues import document


@pytest.fixture
def dialogues(tmp_path: Path) -> str:
    file = tmp_path / "dialogues.json"
    file.write_text(document(), encoding="utf-8")
    return str(file)


def test_the_table_shows_every_method_and_every_group(cli: Cli, dialogues: str) -> None:
    ran = cli("bench", "recall", dialogues)

    assert (ran.code, ran.err) == (0, "")
    for name in (
        "2 dialogues, 6 turns",
        "R@5",
        "R@10",
        "R@25",
        "MRR",
        "FTS5 bm25, every word",
        "4 single hop",
        "half B",
    ):
        assert name in ran.out
    assert "First hit at or above 0." in ran.out
    assert "when put to another dialogue" in ran.out
    assert "p99" in ran.out


def test_the_document_holds_every_figure(cli: Cli, dialogues: str) -> None:
    made = cli("bench", "recall", dialogues, "--json").json

    assert (made["dialogues"], made["turns"]) == (2, 6)
    first = made["figures"][0]
    assert (first["method"], first["group"]) == ("Hansard", "all")
    assert set(first) == {"method", "group", "questions", "mrr", "recall_at_5", "recall_at_10", "recall_at_25"}
    assert set(made["calibration"]) == {"floor", "own", "foreign"}


def test_only_the_first_dialogues_are_measured_if_asked(cli: Cli, dialogues: str) -> None:
    made = cli("bench", "recall", dialogues, "--limit-dialogues", "1", "--json").json

    assert made["dialogues"] == 1
    assert made["calibration"]["foreign"] is None


def test_no_database_is_made_or_changed(cli: Cli, dialogues: str, tmp_path: Path) -> None:
    cli("bench", "recall", dialogues)

    assert not (tmp_path / "cli.db").exists()


def test_a_file_of_another_shape_is_one_sentence_and_exit_code_six(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text('[{"qa": []}]', encoding="utf-8")
    ran = cli("bench", "recall", str(file))

    assert (ran.code, ran.out) == (6, "")
    assert ran.err == "Error: In dialogue 1 conversation or qa is missing. [input.invalid]\n"


def test_a_missing_file_is_exit_code_three(cli: Cli, tmp_path: Path) -> None:
    assert cli("bench", "recall", str(tmp_path / "none.json")).code == 3


def test_less_than_one_dialogue_is_misuse(cli: Cli, dialogues: str) -> None:
    assert cli("bench", "recall", dialogues, "--limit-dialogues", "0").code == 2


def test_another_database_gives_the_same_figures_and_must_be_empty(cli: Cli, dialogues: str, tmp_path: Path) -> None:
    url = postgres.empty_database()
    try:
        figures = [
            cli("bench", "recall", dialogues, "--json", *more).json["figures"]
            for more in ((), ("--in", str(tmp_path / "bench.db")), ("--in", url))
        ]
    finally:
        postgres.drop(url)
    assert figures[0] == figures[1] == figures[2]
    assert cli("bench", "recall", dialogues, "--in", str(tmp_path / "bench.db")).code == 6
