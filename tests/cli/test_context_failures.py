"""`hansard context` when the store or the settings are broken: nobody's turn ends by it."""

from pathlib import Path

import pytest

from cli.conftest import Cli


@pytest.fixture
def charter(shop: Path) -> str:
    (shop / "role.md").write_text("You are tank.\n", encoding="utf-8")
    return "role.md"


@pytest.fixture
def damaged(project_cli: Cli, tmp_path: Path) -> Cli:
    """A project whose database is no database any more."""
    for file in tmp_path.glob("cli.db*"):
        file.unlink()
    (tmp_path / "cli.db").write_bytes(b"no database at all" * 1_000)
    return project_cli


@pytest.mark.parametrize("arguments", [(), ("--explain",), ("--keep",), ("--mode", "child"), ("--task", "x")])
def test_a_damaged_store_leaves_the_charter(damaged: Cli, charter: str, arguments: tuple[str, ...]) -> None:
    ran = damaged("context", "--agent", "tank", "--charter", charter, *arguments)
    assert (ran.code, ran.out) == (0, "You are tank.\n")
    assert "The memory could not be used: " in ran.err
    bare = damaged("context", "--agent", "tank", *arguments)
    assert (bare.code, bare.out) == (0, "")
    assert "Nothing is told this turn." in bare.err


def test_the_receipt_has_the_reason(damaged: Cli, charter: str) -> None:
    document = damaged("context", "--agent", "tank", "--charter", charter, "--json").json
    assert document["text"] == "You are tank.\n"
    (note,) = document["receipt"]["notes"]
    assert note.startswith("The memory could not be used: ")
    assert document["receipt"]["agent"] == "tank"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--mode", "nonsense"), 6),
        (("--charter", "no-such-file"), 3),
        (("--agent", " "), 6),
        (("--as-of", "2026-01-01"), 1),
        (("--replay", "x"), 1),
        (("--no-such-flag",), 2),
    ],
)
def test_a_wrong_argument_and_a_question_about_the_past_still_fail(
    damaged: Cli, arguments: tuple[str, ...], code: int
) -> None:
    assert damaged("context", "--agent", "tank", *arguments).code == code


def test_an_unknown_project_still_fails(project_cli: Cli) -> None:
    ran = project_cli("context", "--agent", "tank", "--project", "nowhere")
    assert (ran.code, ran.out) == (3, "")
    assert "[project.unknown]" in ran.err


@pytest.mark.parametrize("text", ["context: [", "no.such.setting: 1\n", "context:\n  items_max: many\n", "db: x\n"])
def test_bad_settings_of_a_project_are_done_without(project_cli: Cli, shop: Path, text: str) -> None:
    project_cli("memory", "record", "The login needs a cookie.", "--importance", "high", "--agent", "tank")
    whole = project_cli("context", "--agent", "tank").out
    (shop / ".hansard").mkdir(exist_ok=True)
    (shop / ".hansard" / "config.yml").write_text(text, encoding="utf-8")
    ran = project_cli("context", "--agent", "tank")
    assert (ran.code, ran.out) == (0, whole)
    assert "The project's settings were not used: " in ran.err
    (note,) = project_cli("context", "--agent", "tank", "--json").json["receipt"]["notes"]
    assert note.startswith("The project's settings were not used: ")
    assert project_cli("memory", "list").code == 6


def test_a_file_of_settings_is_used_as_a_whole_or_not_at_all(project_cli: Cli, shop: Path) -> None:
    for text in ("One.", "Two."):
        project_cli("memory", "record", text, "--importance", "high", "--agent", "tank")
    (shop / ".hansard").mkdir(exist_ok=True)
    (shop / ".hansard" / "config.yml").write_text("context:\n  items_max: 1\n  runs_max: many\n", encoding="utf-8")
    assert project_cli("context", "--agent", "tank").out.count("- [learning]") == 2


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("HANSARD_CONTEXT_ITEMS_MAX", "abc"),
        ("HANSARD_EMBEDDING_PROVIDER", "bogus"),
        ("HANSARD_COMPACTION_LEVEL_MAX", "9"),
    ],
)
def test_one_wrong_setting_of_the_environment_is_left_out(
    project_cli: Cli, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    project_cli("decisions", "create", "--title", "Use Postgres", "--type", "scope", "--content", "All data.")
    project_cli("memory", "record", "The login needs a cookie.", "--importance", "high", "--agent", "tank")
    whole = project_cli("context", "--agent", "tank", "--task", "the login cookie").out
    monkeypatch.setenv(variable, value)
    ran = project_cli("context", "--agent", "tank", "--task", "the login cookie")
    assert (ran.code, ran.out) == (0, whole)
    assert f"A setting was left out: environment {variable}: " in ran.err
    assert project_cli("memory", "list").code == 6


def test_one_wrong_setting_of_a_person_is_left_out_and_the_others_hold(
    project_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("One.", "Two."):
        project_cli("memory", "record", text, "--importance", "high", "--agent", "tank")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    (tmp_path / "own" / "hansard").mkdir(parents=True)
    file = tmp_path / "own" / "hansard" / "config.yml"
    file.write_text("compaction:\n  level_max: 9\ncontext:\n  items_max: 1\nno_such: 1\n", encoding="utf-8")
    ran = project_cli("context", "--agent", "tank")
    assert (ran.code, ran.out.count("- [learning]")) == (0, 1)
    assert ran.err.count("A setting was left out: ") == 2


@pytest.mark.parametrize(("variable", "value"), [("HANSARD_DB", "a\x07b"), ("HANSARD_ROLE", "king")])
def test_who_acts_and_on_which_store_is_never_guessed(
    project_cli: Cli, charter: str, shop: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    project_cli("decisions", "create", "--title", "Use Postgres", "--type", "scope", "--content", "All data.")
    monkeypatch.setenv(variable, value)
    ran = project_cli("context", "--agent", "tank", "--charter", charter)
    assert (ran.code, ran.out) == (0, "You are tank.\n")
    assert "The memory could not be used: " in ran.err
    monkeypatch.delenv("HANSARD_ROLE", raising=False)
    monkeypatch.setenv("HANSARD_DB", str(shop.parent / "cli.db"))
    assert project_cli("context", "--agent", "tank", "--role", "king").code == 6


@pytest.mark.parametrize("left", [None, b""], ids=["gone", "empty"])
def test_a_database_that_is_gone_leaves_the_charter(
    project_cli: Cli, charter: str, tmp_path: Path, left: bytes | None
) -> None:
    for file in tmp_path.glob("cli.db*"):
        file.unlink()
    if left is not None:
        (tmp_path / "cli.db").write_bytes(left)
    ran = project_cli("context", "--agent", "tank", "--mode", "child", "--charter", charter)
    assert (ran.code, ran.out) == (0, "You are tank.\n")
    assert "The memory could not be used: " in ran.err
    assert "hansard init" in ran.err
    assert project_cli("memory", "list").code == 3
    assert not (tmp_path / "cli.db").exists() or not (tmp_path / "cli.db").stat().st_size


def test_a_folder_without_a_project_leaves_the_charter_to_whoever_brings_one(
    project_cli: Cli, charter: str, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    role = str(shop / charter)
    ran = project_cli("context", "--agent", "tank", "--charter", role)
    assert (ran.code, ran.out) == (0, "You are tank.\n")
    assert "No project is known for " in ran.err
    assert project_cli("context", "--agent", "tank").code == 3
    assert project_cli("context", "--agent", "tank", "--charter", role, "--project", "nowhere").code == 3


def test_a_working_directory_that_is_gone_leaves_the_charter(
    project_cli: Cli, charter: str, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project_cli("decisions", "create", "--title", "Use Postgres", "--type", "scope", "--content", "All data.")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    role = str(shop / charter)
    for flags in ((), ("--db", str(tmp_path / "cli.db"))):
        ran = project_cli("context", "--agent", "tank", "--mode", "child", "--charter", role, *flags)
        assert (ran.code, ran.out) == (0, "You are tank.\n")
        assert "The memory could not be used: The working directory is gone." in ran.err
    assert "### Use Postgres" in project_cli("context", "--agent", "tank", "--project", "web-shop").out
    assert project_cli("context", "--agent", "tank", "--mode", "nonsense").code == 6


def test_the_receipt_of_a_store_that_cannot_be_used_is_of_today(damaged: Cli) -> None:
    from hansard.clock import SystemClock, iso

    at = damaged("context", "--agent", "tank", "--json").json["receipt"]["at"]
    assert at[:4] in {iso(SystemClock().now())[:4], iso(SystemClock().now() - 60_000_000)[:4]}


@pytest.mark.parametrize("flag", ["--prompt", "--charter"])
def test_a_folder_in_place_of_a_file_is_an_error_of_the_caller(project_cli: Cli, shop: Path, flag: str) -> None:
    ran = project_cli("context", "--agent", "tank", flag, str(shop))
    assert (ran.code, ran.out) == (6, "")
    assert "is a folder" in ran.err
    assert "[input.invalid]" in ran.err


def test_standard_input_is_read_for_one_thing_only(project_cli: Cli) -> None:
    ran = project_cli("context", "--agent", "tank", "--prompt", "-", "--charter", "-")
    assert (ran.code, ran.out) == (6, "")
    assert "cannot both be standard input" in ran.err


def test_a_task_that_is_too_long_ends_no_turn(project_cli: Cli) -> None:
    project_cli("decisions", "create", "--title", "Use Postgres", "--type", "scope", "--content", "All data.")
    ran = project_cli("context", "--agent", "tank", "--task", "x" * 20_000)
    assert ran.code == 0
    assert "### Use Postgres" in ran.out
    assert "Of the task only the first 16,384 of 20,000 bytes were used." in ran.err
