"""Addresses that a block names can be shown as they stand there."""

import pytest

from cli.conftest import Cli
from hansard.settings import data_folder


def test_a_decision_is_shown_by_its_address(project_cli: Cli) -> None:
    project_cli("decisions", "create", "--title", "Use Postgres", "--type", "scope", "--content", "All data.")
    for address in ("memory://decisions/1", "Memory://Decisions/1/", "D-1"):
        assert project_cli("decisions", "show", address, "--json").json["title"] == "Use Postgres"
    assert project_cli("decisions", "show", "memory://memories/1").code == 3


@pytest.mark.parametrize("command", ["show", "get"])
def test_a_memory_is_shown_by_its_address(project_cli: Cli, command: str) -> None:
    made = project_cli("memory", "record", "The login needs a cookie.", "--agent", "tank", "--json").json
    id = (made.get("memory") or made)["id"]
    ran = project_cli("memory", command, f"memory://memories/{id}", "--agent", "tank")
    assert ran.code == 0, ran.err
    assert "The login needs a cookie." in ran.out
    other = project_cli("memory", command, "memory://decisions/1", "--agent", "tank")
    assert other.code == 3
    assert "`hansard decisions show memory://decisions/1`" in other.err


def test_the_consolidated_memory_is_shown_by_its_address(project_cli: Cli) -> None:
    missing = project_cli("memory", "show", "memory://root")
    assert (missing.code, missing.out) == (3, "")
    assert "[memory.unknown]" in missing.err
    project = project_cli("projects", "--json").json["items"][0]["id"]
    folder = data_folder() / "projects" / project
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory_summary.md").write_text("- Run `make check`.\n", encoding="utf-8")
    assert project_cli("memory", "show", "memory://root").out == "- Run `make check`.\n"
    assert project_cli("memory", "show", "memory://root", "--json").json["text"] == "- Run `make check`.\n"
