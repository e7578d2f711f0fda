"""Arguments: text that begins with a dash, names that are none, who acts, and a working directory that is gone."""

import os
from pathlib import Path

import pytest

from cli.conftest import Cli


@pytest.mark.parametrize(
    "text", ["- a bullet", "-5 degrees are cold", "--- three dashes", "-\nlist", "--type is a flag"]
)
def test_text_that_begins_with_a_dash_is_text(project_cli: Cli, text: str) -> None:
    made = project_cli("memory", "record", text, "--agent", "tank", "--json")
    assert made.json["content"] == text
    assert project_cli("memory", "search", text, "--agent", "tank").code == 0
    assert project_cli("session", "start", " ".join(text.split())).code == 0
    assert project_cli("session", "update", text).code == 0
    arguments = ("inbox", "propose", "a", "--type", "process", "--agent", "tank", "--title")
    flat = " ".join(text.split())
    assert project_cli(*arguments, flat, f"--content={text}", "--json").json["entry"]["content"] == text
    assert project_cli("inbox", "show", "a", "--json").json["title"] == flat


@pytest.mark.parametrize("arguments", [("--tpye", "learning"), ("--tpye=learning",), ("-x",), ("--tpye=learning so",)])
def test_a_flag_that_is_none_is_refused_and_the_way_out_named(project_cli: Cli, arguments: tuple[str, ...]) -> None:
    ran = project_cli("memory", "record", "text", *arguments, "--agent", "tank")
    assert ran.code == 2
    assert "No such option" in ran.err
    assert "Text that begins with a dash goes behind `--`." in ran.err
    assert project_cli("memory", "list", "--json").json["items"] == []


def test_one_word_with_a_dash_goes_behind_two(project_cli: Cli) -> None:
    made = project_cli("memory", "record", "--agent", "tank", "--json", "--", "-x")
    assert made.json["content"] == "-x"


def test_a_text_in_the_wrong_place_is_shown_as_it_was_given(project_cli: Cli) -> None:
    for arguments in (("- a b",), ("memory", "- a b"), ("inbox", "list", "--limit", "- a b")):
        ran = project_cli(*arguments)
        assert ran.code == 2
        assert "'- a b'" in ran.err


@pytest.mark.parametrize(
    ("name", "sentence"), [("", "is empty"), ("\u200b", "is empty"), ("ta\u200bnk", "shows nothing")]
)
def test_a_name_that_is_none_gets_the_sentence_of_the_rule(project_cli: Cli, name: str, sentence: str) -> None:
    for arguments in (("memory", "list", "--agent", name), ("--agent", name, "memory", "list")):
        ran = project_cli(*arguments)
        assert ran.code == 6
        assert sentence in ran.err
    assert sentence in project_cli("config", "set", "agent", name).err


@pytest.mark.parametrize("verb", ["inbox", "decisions", "memory", "run"])
def test_agent_says_who_acts_and_author_whose_records_are_listed(project_cli: Cli, verb: str) -> None:
    for agent in ("tank", "neo"):
        project_cli("inbox", "propose", agent, "--type", "process", "--content", agent, "--agent", agent)
        project_cli("inbox", "merge", agent)
        project_cli("inbox", "propose", f"{agent}-2", "--type", "process", "--content", agent, "--agent", agent)
        project_cli("memory", "record", agent, "--agent", agent)
        project_cli("run", "start", "--agent", agent)

    def listed(*flags: str) -> set[str]:
        items = project_cli(verb, "list", "--json", *flags).json["items"]
        return {one.get("agent") or one["author"] for one in items}

    everybody = {"tank", "neo"}
    assert listed() == everybody
    assert listed("--author", "Tank") == {"tank"}
    assert listed("--agent", "neo") == ({"neo"} if verb == "memory" else everybody)
    assert listed("--agent", "neo", "--author", "tank") == (set() if verb == "memory" else {"tank"})


def test_without_a_working_directory_the_project_and_the_database_must_be_named(
    project_cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project_cli("memory", "record", "x", "--agent", "tank")
    key = project_cli("projects", "--json").json["items"][0]["key"]
    gone = shop / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = project_cli("memory", "list")
    assert ran.code == 6
    assert "The working directory is gone." in ran.err
    database = os.environ["HANSARD_DB"]
    for arguments in (("memory", "list"), ("context",), ("config", "list"), ("history", "verify"), ("memory", "purge")):
        assert (
            project_cli(*arguments, "--project", key, "--db", database, "--agent", "tank", "--role", "human").code == 0
        )
    assert "The working directory is gone." in project_cli("init").err


def test_a_setting_is_not_changed_by_an_agent(project_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (("set", "context.items_max", "30"), ("unset", "context.items_max")):
        ran = project_cli("config", *arguments, "--agent", "tank")
        assert ran.code == 5
        # Whoever says in the call that an agent acts is not taught to call it a person.
        assert "--role human" not in ran.err
        assert project_cli("config", *arguments, "--agent", "tank", "--role", "human").code == 0
        with monkeypatch.context() as patched:
            patched.setenv("HANSARD_AGENT", "tank")
            assert "--role human" not in project_cli("config", *arguments).err
    assert project_cli("config", "set", "agent", "tank").code == 0
    ran = project_cli("config", "unset", "agent")
    assert (ran.code, "If you are a person, add --role human." in ran.err) == (5, True)
    assert project_cli("config", "unset", "agent", "--role", "human").code == 0


def test_delete_is_another_word_for_forget_and_purge_needs_no_group(project_cli: Cli) -> None:
    made = project_cli("memory", "record", "x", "--agent", "tank", "--json").json["id"]
    assert project_cli("memory", "delete", made, "--yes").out == f"{made} is forgotten.\n"
    assert project_cli("purge", "--dry-run").out == "0 expired memories found.\n"


def test_a_file_that_still_holds_what_is_forgotten_is_named(project_cli: Cli, shop: Path) -> None:
    (shop / "notes.md").write_text("# Login\n\nThe login needs a token.\n")
    project_cli("memory", "index", "notes.md", "--agent", "tank")
    (one,) = project_cli("memory", "list", "--json").json["items"]
    assert "A file still holds it (`notes.md`)" in project_cli("memory", "forget", one["id"], "--yes").out
    assert "left out what was forgotten: 1" in project_cli("memory", "index", "notes.md", "--agent", "tank").out
    assert project_cli("memory", "list", "--json").json["items"] == []


def test_an_empty_file_is_a_database_only_for_init(cli: Cli, tmp_path: Path) -> None:
    Path(os.environ["HANSARD_DB"]).touch()
    ran = cli("decisions", "list")
    assert ran.code == 3
    assert "is empty and no database. `hansard init` makes it one." in ran.err
    assert cli("init").code == 0
    assert cli("decisions", "list").code == 0
