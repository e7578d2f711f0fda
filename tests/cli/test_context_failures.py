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


def test_bad_settings_of_a_person_leave_the_charter(
    project_cli: Cli, charter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_CONTEXT_ITEMS_MAX", "many")
    ran = project_cli("context", "--agent", "tank", "--charter", charter)
    assert (ran.code, ran.out) == (0, "You are tank.\n")
    assert "HANSARD_CONTEXT_ITEMS_MAX" in ran.err
