"""`hansard memory record`, `load` and `show`: what is known already, what is kept of it, and how it is used."""

from pathlib import Path

import pytest

from cli.conftest import Cli

KNOWN = "The retry limit of the mailer queue is five, as the operations team agreed with everybody last week."
NEARLY = KNOWN.replace("limit of", "limits of").replace("is five", "are five")


def record(cli: Cli, text: str, *more: str) -> str:
    ran = cli("memory", "record", text, "--agent", "tank", "--cite", "queue.py", *more)
    assert ran.code == 0
    return ran.out


def test_what_is_known_already_is_answered_with_the_text_that_was_kept(project_cli: Cli) -> None:
    made = record(project_cli, KNOWN)
    assert made.startswith("Recorded ")
    id = made.split()[1]
    assert record(project_cli, NEARLY) == f"Known already as {id} (learning, medium, agent): {KNOWN}\n"


def test_a_known_text_is_recorded_again_if_it_is_forced(project_cli: Cli) -> None:
    first = record(project_cli, KNOWN).split()[1]
    for text in (KNOWN, NEARLY):
        again = record(project_cli, text, "--force")
        assert again.startswith("Recorded ")
        assert first not in again
    assert len(project_cli("memory", "list", "--json").json["items"]) == 3


def test_a_file_is_loaded_again_if_it_is_forced(project_cli: Cli, shop: Path) -> None:
    file = shop / "notes.jsonl"
    file.write_text('{"content": "one"}\n{"content": "two"}\n')
    load = ("memory", "load", str(file), "--agent", "tank")
    assert project_cli(*load).out == "Recorded 2 memories.\n"
    assert project_cli(*load).out == "Recorded 0 memories; 2 were known already.\n"
    assert project_cli(*load, "--force").out == "Recorded 2 memories.\n"


def test_a_line_whose_words_were_not_kept_is_named_with_the_words_that_were(project_cli: Cli, shop: Path) -> None:
    id = record(project_cli, KNOWN).split()[1]
    file = shop / "notes.jsonl"
    file.write_text(f'\n{{"content": "{KNOWN}"}}\n{{"content": "{NEARLY}", "citations": ["queue.py"]}}\n')
    assert project_cli("memory", "load", str(file), "--agent", "tank").out == (
        f"Recorded 0 memories; 2 were known already.\nLine 3 is known already as {id}: {KNOWN}\n"
    )


@pytest.fixture
def memory_id(project_cli: Cli) -> str:
    return str(project_cli("memory", "record", "zeppelin plans", "--agent", "tank", "--json").json["id"])


def shown(cli: Cli, memory_id: str) -> dict[str, str]:
    lines = cli("memory", "show", memory_id).out.splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def test_a_memory_shows_how_often_it_was_read_and_how_useful_it_was(project_cli: Cli, memory_id: str) -> None:
    before = shown(project_cli, memory_id)
    assert (before["read"], before["usefulness"]) == ("never", "not rated")
    for _ in range(2):
        project_cli("memory", "get", memory_id, "--agent", "tank")
    project_cli("memory", "rate", memory_id, "--useful")
    after = shown(project_cli, memory_id)
    assert after["read"].startswith("2 times, last on 20")
    assert after["usefulness"] == "1.33 of 2"
    for _ in range(2):
        project_cli("memory", "rate", memory_id, "--useless")
    assert shown(project_cli, memory_id)["usefulness"] == "0.67 of 2"


def test_new_tags_take_nothing_from_the_team(project_cli: Cli, memory_id: str) -> None:
    project_cli("memory", "share", memory_id, "--agent", "tank")
    edited = project_cli("memory", "edit", memory_id, "--tag", "x", "--agent", "tank", "--json").json
    assert (edited["scope"], edited["tags"]) == ("team", ["x", "cross-team"])
