"""Versions of proposals, decisions and memories: what each one changed can be seen."""

import pytest

from cli.conftest import Cli

FIRST = "All data lives in PostgreSQL, and this sentence is longer than a column of any table, to its very end."


def test_a_proposal_shows_what_each_version_changed(project_cli: Cli) -> None:
    propose = ("inbox", "propose", "a", "--type", "process", "--agent", "tank")
    project_cli(*propose, "--content", f"{FIRST}\nSecond line.", "--rationale", "why")
    project_cli(*propose, "--content", "Shorter.", "--title", "A title")
    project_cli("inbox", "merge", "a", "--note", "agreed")
    out = project_cli("inbox", "versions", "a").out
    first, second, third = out.split("\n\n")
    assert f"    {FIRST}\n    Second line.\n" in first
    assert "Version 1: proposed by tank" in first
    assert "title:     A title (was a)" in second
    assert "rationale: (removed)" in second
    assert "status" not in second
    assert "Version 3: merged by ana" in third
    assert "status:   merged (was pending)" in third
    assert "decision: D-1" in third
    assert "content" not in third


def test_a_decision_shows_what_each_version_changed(project_cli: Cli) -> None:
    for title in ("Use A", "Use B"):
        project_cli("decisions", "create", "--type", "scope", "--title", title, "--content", FIRST)
    project_cli("decisions", "update", "D-1", "--content", f"{FIRST} Really.")
    project_cli("decisions", "supersede", "D-1", "D-2")
    project_cli("decisions", "restore", "D-1")
    out = project_cli("decisions", "history", "D-1").out
    deeds = [line.split(",")[0] for line in out.splitlines() if line.startswith("Version")]
    assert deeds == [
        "Version 1: made by ana",
        "Version 2: amended by ana",
        "Version 3: superseded by ana",
        "Version 4: restored by ana",
    ]
    assert f"content: {FIRST} Really.\n" in out
    assert "superseded by: D-2\n" in out


def test_a_memory_shows_what_each_version_changed(project_cli: Cli) -> None:
    made = project_cli("memory", "record", FIRST, "--agent", "tank", "--json").json["id"]
    project_cli("memory", "edit", made, "--importance", "high", "--agent", "tank")
    out = project_cli("memory", "versions", made).out
    assert f"content:    {FIRST}\n" in out
    assert "importance: high (was medium)" in out
    project_cli("memory", "forget", made, "--yes")
    assert "Version 3: forgotten," in project_cli("memory", "versions", made).out
    assert FIRST not in project_cli("memory", "versions", made).out


@pytest.mark.parametrize("noun", ["inbox", "decisions", "memory"])
def test_an_earlier_version_can_be_shown(project_cli: Cli, noun: str) -> None:
    if noun == "inbox":
        ref = "a"
        for content in ("old words", "new words"):
            project_cli("inbox", "propose", "a", "--type", "scope", "--content", content, "--agent", "Tank")
    elif noun == "decisions":
        ref = "D-1"
        project_cli("decisions", "create", "--type", "scope", "--title", "t", "--content", "old words")
        project_cli("decisions", "update", "D-1", "--content", "new words")
    else:
        ref = project_cli("memory", "record", "old words", "--agent", "Tank", "--json").json["id"]
        project_cli("memory", "edit", ref, "--content", "new words")
    assert "old words" in project_cli(noun, "show", ref, "--version", "1").out
    assert "new words" in project_cli(noun, "show", ref).out
    earlier, now = (project_cli(noun, "show", ref, *more, "--json").json for more in (("--version", "1"), ()))
    assert (earlier["version"], earlier["content"]) == (1, "old words")
    assert now == project_cli(noun, "show", ref, "--version", "2", "--json").json
    assert earlier.keys() == now.keys()
    # Whoever changes words vouches for them: an agent first, then a person.
    same = earlier.keys() - {"version", "content", "updated_at", "origin"}
    assert {name: earlier[name] for name in same} == {name: now[name] for name in same}
    for version in ("0", "3", "-1"):
        ran = project_cli(noun, "show", ref, "--version", version)
        assert ran.code == 3
        assert "it has versions 1 to 2." in ran.err
