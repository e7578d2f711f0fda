"""`hansard init`, `projects`, `agents`, `completion`, `--help`: a newcomer's first minute."""

import subprocess
from pathlib import Path

import pytest

from cli.conftest import Cli


def test_init_names_the_project_after_its_folder(cli: Cli, shop: Path) -> None:
    ran = cli("init")
    assert ran.code == 0
    assert ran.out == f"{shop} is now the project 'web-shop'.\n"


def test_init_again_changes_nothing_and_says_so(project_cli: Cli) -> None:
    ran = project_cli("init", "--json")
    assert ran.code == 0
    assert ran.json["created"] is False
    assert len(project_cli("projects", "--json").json["items"]) == 1


@pytest.mark.parametrize("again", [False, True])
def test_init_fails_if_lines_of_the_teams_ledger_cannot_be_read(cli: Cli, shop: Path, *, again: bool) -> None:
    if again:
        assert cli("init").code == 0
    ledger = shop / ".hansard/ledger/decisions.jsonl"
    ledger.parent.mkdir(parents=True)
    ledger.write_text("{}\n")
    ran = cli("init")
    assert ran.code == 1
    assert "1 of its lines cannot be read" in ran.out + ran.err
    assert len(cli("projects", "--json").json["items"]) == 1, "the project is set up all the same"


def test_every_spelling_of_a_key_opens_the_same_project(project_cli: Cli) -> None:
    project_cli("memory", "record", "x", "--agent", "tank")
    for spelling in ("web-shop", "Web Shop", "WEB_SHOP"):
        assert len(project_cli("memory", "list", "--project", spelling, "--json").json["items"]) == 1


def test_a_taken_key_is_a_conflict_that_says_how_to_join(
    project_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "elsewhere" / "web-shop"
    other.mkdir(parents=True)
    monkeypatch.chdir(other)
    ran = project_cli("init")
    assert ran.code == 4
    assert "--join" in ran.err
    assert project_cli("init", "--project", "web-shop", "--join").code == 0
    assert project_cli("memory", "list").code == 0


def test_a_folder_of_one_project_cannot_become_another(project_cli: Cli) -> None:
    ran = project_cli("init", "--project", "different")
    assert ran.code == 4
    assert "belongs to the project 'web-shop'" in ran.err


def test_every_worktree_of_a_repository_is_one_project(
    project_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, worktree = tmp_path / "repo", tmp_path / "wt"
    repository.mkdir()
    for arguments in (
        ["init", "--quiet", str(repository)],
        [
            "-C",
            str(repository),
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ],
        ["-C", str(repository), "worktree", "add", "--quiet", str(worktree)],
    ):
        subprocess.run(["git", *arguments], check=True, capture_output=True)
    (worktree / "deep").mkdir()
    monkeypatch.chdir(repository)
    assert project_cli("init").code == 0
    project_cli("memory", "record", "seen everywhere", "--agent", "tank")
    monkeypatch.chdir(worktree / "deep")
    assert project_cli("memory", "list", "--json").json["items"][0]["content"] == "seen everywhere"


def test_a_folder_that_is_no_project_says_what_to_do(cli: Cli) -> None:
    ran = cli("decisions", "list")
    assert ran.code == 3
    assert "hansard init" in ran.err
    assert ran.out == ""


def test_a_missing_root_is_refused(cli: Cli) -> None:
    assert cli("init", "--root", "nowhere").code == 6


def test_agents_keep_the_spelling_first_seen(project_cli: Cli) -> None:
    project_cli("memory", "record", "a", "--agent", "Tank")
    project_cli("memory", "record", "b", "--agent", " tank ")
    names = [item["name"] for item in project_cli("agents", "--json").json["items"]]
    assert "Tank" in names
    assert "tank" not in names


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(cli: Cli, shell: str) -> None:
    ran = cli("completion", shell)
    assert ran.code == 0
    assert "_HANSARD_COMPLETE" in ran.out


def test_completion_without_a_shell_says_which_there_are(cli: Cli) -> None:
    ran = cli("completion")
    assert ran.code == 2
    assert ran.err.endswith("Error: Say for which shell: bash, zsh or fish. [usage]\n")


def test_a_folder_without_a_usable_name_says_how_to_name_the_project(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "商店"
    folder.mkdir()
    monkeypatch.chdir(folder)
    ran = cli("init")
    assert ran.code == 6
    assert "--project KEY" in ran.err
    assert cli("init", "--project", "shop").code == 0


def test_help_lists_every_command_and_costs_nothing(cli: Cli) -> None:
    ran = cli("--help")
    assert ran.code == 0
    for name in ("init", "inbox", "decisions", "memory", "session", "run", "history", "config", "demo", "context"):
        assert f"\n  {name} " in ran.out


def test_version_is_printed(cli: Cli) -> None:
    assert cli("--version").out.startswith("hansard ")
