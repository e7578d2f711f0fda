"""`hansard memory verify`: what it prints, and when it fails."""

from pathlib import Path

import pytest

from cli.conftest import Cli
from support.repositories import repository


@pytest.fixture
def tree(shop: Path) -> Path:
    (shop / "x.py").write_text("def do_it(): pass\n")
    return repository(shop)


def record(cli: Cli, content: str, *more: str) -> str:
    return str(cli("memory", "record", content, "--agent", "tank", "--json", *more).json["id"])


@pytest.mark.usefixtures("tree")
def test_stale_memories_are_listed_with_exit_code_one(project_cli: Cli) -> None:
    record(project_cli, "Call `do_it()`.")
    bad = record(project_cli, "Call `undo_it()` in `x.py`.", "--cite", "src/gone.py:3")

    ran = project_cli("memory", "verify")

    assert ran.code == 1
    assert f"{bad}  tank: Call `undo_it()` in `x.py`." in ran.out
    assert "  stale     `src/gone.py` no longer exists\n  stale     `undo_it` is not found\n" in ran.out
    assert ran.out.endswith("2 verified, 2 stale, 0 unchecked.\n")
    assert "do_it()`.\n  verified" not in ran.out


@pytest.mark.usefixtures("tree")
def test_all_shows_what_is_there_too(project_cli: Cli) -> None:
    record(project_cli, "Call `do_it()`.")

    ran = project_cli("memory", "verify", "--all")

    assert ran.code == 0
    assert "  verified  `do_it`\n1 memory, 1 claim in " in ran.out


def test_as_json_it_is_one_document(project_cli: Cli, tree: Path) -> None:
    bad = record(project_cli, "Call `undo_it()` and `do_it()`.")
    record(project_cli, "Call `do_it()`.")

    ran = project_cli("memory", "verify", bad, "--json")

    assert ran.code == 1
    assert {name: ran.json[name] for name in ("ok", "root", "memories", "claims")} == {
        "ok": False,
        "root": str(tree),
        "memories": 1,
        "claims": {"verified": 1, "stale": 1, "unchecked": 0},
    }
    (item,) = ran.json["items"]
    assert item["memory"]["id"] == bad
    assert item["claims"] == [
        {"kind": "symbol", "name": "undo_it", "status": "stale", "note": "`undo_it` is not found"},
        {"kind": "symbol", "name": "do_it", "status": "verified", "note": None},
    ]


@pytest.mark.usefixtures("tree")
def test_another_author_and_ids_do_not_go_together(project_cli: Cli) -> None:
    bad = record(project_cli, "Call `undo_it()`.")

    assert project_cli("memory", "verify", bad, "--author", "tank").code == 2
    assert project_cli("memory", "verify", "--author", "tank").code == 1
    assert project_cli("memory", "verify", "--author", "neo").code == 0
    assert project_cli("memory", "verify", "nope").code == 3


@pytest.mark.usefixtures("tree")
def test_an_agent_checks_what_it_may_see(project_cli: Cli) -> None:
    record(project_cli, "Call `undo_it()`.")

    assert project_cli("memory", "verify", "--agent", "neo").code == 0
    assert project_cli("memory", "verify", "--agent", "tank").code == 1


def test_what_cannot_be_checked_is_no_failure(project_cli: Cli) -> None:
    record(project_cli, "Call `undo_it()`.")

    ran = project_cli("memory", "verify", "--all")

    assert ran.code == 0
    assert "  unchecked `undo_it` was not checked: this is no git repository\n" in ran.out
