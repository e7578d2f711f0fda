"""`hansard context`: the block on standard output and nothing else, whatever there is to say about it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Cli
from hansard.interfaces.cli.group import cli as root
from hansard.interfaces.cli.turn import Wanted, understood
from support.fakes import fake_secret
from support.marks import invariant
from support.repositories import git, repository, work_tree


@pytest.fixture
def known(project_cli: Cli) -> Cli:
    """A project of which there is something to tell."""
    decided = project_cli(
        "decisions", "create", "--title", "Use Postgres", "--type", "architectural", "--content", "All data."
    )
    assert decided.code == 0, decided.err
    for text in ("The login needs a cookie.", "Colours are brand colours."):
        assert project_cli("memory", "record", text, "--importance", "high", "--agent", "tank").code == 0
    assert project_cli("session", "start", "Auth rework").code == 0
    return project_cli


def test_an_empty_project_leaves_standard_output_empty(project_cli: Cli) -> None:
    ran = project_cli("context", "--agent", "tank")
    assert (ran.code, ran.out) == (0, "")
    assert "Nothing is told: no boundaries" in ran.err
    assert project_cli("context", "--agent", "tank", "--json").json == {"text": None, "receipt": None}


def test_memory_that_only_a_task_brings_is_not_said_to_be_none(project_cli: Cli) -> None:
    project_cli("memory", "record", "The login needs a cookie.", "--agent", "tank")
    ran = project_cli("context", "--agent", "tank")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == (
        "Nothing is told: no boundaries, no core or important memory, no session. Other memory is told to a turn with a"
        " task.\n"
    )
    assert "The login needs a cookie." in project_cli("context", "--agent", "tank", "--task", "the login cookie").out


def test_the_block_is_all_there_is_on_standard_output(known: Cli) -> None:
    ran = known("context", "--agent", "tank")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("## Boundaries and Decisions\n")
    assert ran.out.endswith("**Focus:** Auth rework\n")
    assert known("context", "--agent", "tank", "--explain").out == ran.out


def test_json_is_one_document_with_block_and_receipt(known: Cli) -> None:
    ran = known("context", "--agent", "tank", "--task", "the login cookie", "--json", "--explain")
    assert ran.err == ""
    document = json.loads(ran.out)
    assert document["text"] == known("context", "--agent", "tank", "--task", "the login cookie").out
    receipt = document["receipt"]
    assert (receipt["id"], receipt["agent"], receipt["mode"]) == (None, "tank", "full")
    assert receipt["at"].endswith("Z")
    assert {line["layer"] for line in receipt["lines"]} >= {"boundaries", "memory", "session"}
    assert {total["layer"] for total in receipt["totals"]} >= {"boundaries", "memory", "session"}


def test_explaining_tells_every_candidate_and_how_full_each_layer_is(known: Cli) -> None:
    ran = known("context", "--agent", "tank", "--explain")
    receipt = known("context", "--agent", "tank", "--json").json["receipt"]
    for line in receipt["lines"]:
        assert line["id"] in ran.err
    for said in ("D-1 Use Postgres", "The login needs a cookie.", "Colours are brand colours.", "Auth rework"):
        assert said in ran.err
    rest = receipt["tokens"] - sum(total["tokens"] for total in receipt["totals"])
    assert f"Headings and rules are {rest} tokens more." in ran.err
    assert "layer" in ran.err
    assert "fate" in ran.err
    assert "included" in ran.err
    (bar,) = [line for line in ran.err.splitlines() if line.startswith("boundaries ") and "tokens of" in line]
    assert "█░" in bar
    assert "of 8,000 (" in bar
    assert receipt["sha256"] in ran.err


def test_explaining_says_why_something_is_not_there(known: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSARD_CONTEXT_ITEMS_MAX", "1")
    ran = known("context", "--agent", "tank", "--explain")
    assert " items" in ran.err
    assert "1 shown, 1 left out" in ran.err


@pytest.mark.parametrize(
    ("mode", "there", "missing"),
    [
        ("full", "## Memory", "nothing at all"),
        ("child", "## Boundaries", "## Memory"),
        ("ignore", "## Boundaries", "## Current Session"),
        ("coordinator", "- D-1 [architectural]", "## Memory"),
    ],
)
def test_every_mode_can_be_asked_for(known: Cli, mode: str, there: str, missing: str) -> None:
    ran = known("context", "--agent", "tank", "--mode", mode)
    assert there in ran.out
    assert missing not in ran.out


def test_charter_and_prompt_are_read_from_files(known: Cli, tmp_path: Path) -> None:
    (tmp_path / "role.md").write_text("You are tank.\n", encoding="utf-8")
    (tmp_path / "prompt.txt").write_text("Ignore your memory for now.\n", encoding="utf-8")
    ran = known(
        "context", "--agent", "tank", "--charter", str(tmp_path / "role.md"), "--prompt", str(tmp_path / "prompt.txt")
    )
    assert ran.out.startswith("You are tank.\n")
    assert "## Memory" not in ran.out
    assert "without memory" in ran.err


def test_a_file_that_is_not_there_is_told(known: Cli) -> None:
    ran = known("context", "--agent", "tank", "--charter", "no-such-file")
    assert (ran.code, ran.out) == (3, "")
    assert "[file.missing]" in ran.err


def test_a_kept_receipt_is_named_and_replays_the_block(known: Cli) -> None:
    ran = known("context", "--agent", "tank", "--task", "the login cookie", "--keep")
    receipt = ran.err.split()[-1]
    known("memory", "record", "Something newer.", "--importance", "high", "--agent", "tank")
    known("session", "end")
    again = known("context", "--agent", "tank", "--replay", receipt)
    assert again.code == 0
    assert again.out == ran.out
    document = known("context", "--replay", receipt, "--json").json
    assert (document["exact"], document["differences"], document["text"]) == (True, [], ran.out)
    assert document["receipt"]["id"] == receipt


def test_a_replay_says_what_is_gone(known: Cli) -> None:
    receipt = known("context", "--agent", "tank", "--keep", "--json").json["receipt"]
    memory = next(line["id"] for line in receipt["lines"] if line["layer"] == "memory")
    known("memory", "forget", memory, "--agent", "tank", "--yes")
    ran = known("context", "--replay", receipt["id"])
    assert ran.code == 0
    assert f"memory://memories/{memory}" in ran.out
    assert f"Differs: The memory {memory} was forgotten meanwhile." in ran.err


@pytest.mark.parametrize("flag", ["--task", "--mode", "--as-of", "--run", "--cwd", "--prompt", "--charter"])
def test_a_replay_takes_nothing_that_would_change_it(known: Cli, flag: str) -> None:
    ran = known("context", "--agent", "tank", "--replay", "x", flag, "y")
    assert ran.code == 6
    assert f"{flag} cannot change it" in ran.err


def test_as_of_today_is_as_of_now(known: Cli) -> None:
    now = known("context", "--agent", "tank", "--json").json
    assert known("context", "--agent", "tank", "--as-of", now["receipt"]["at"][:10]).out == now["text"]


@pytest.fixture
def two_trees(cli: Cli, shop: Path, tmp_path: Path) -> tuple[Cli, Path]:
    """A project whose other work tree has another file, and a memory about both."""
    (shop / "old.py").touch()
    repository(shop)
    assert cli("init").code == 0
    tree = work_tree(tmp_path / "branch", of=shop)
    git(tree, "mv", "old.py", "new.py")
    said = "See `old.py` and `new.py`."
    assert cli("memory", "record", said, "--importance", "high", "--agent", "tank").code == 0
    return cli, tree


@invariant("INV-19")
@pytest.mark.parametrize("named", [(), ("--project", "web-shop")], ids=["found", "named"])
def test_claims_are_checked_where_the_caller_stands(
    two_trees: tuple[Cli, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: tuple[str, ...]
) -> None:
    cli, tree = two_trees
    assert "(stale: `new.py` no longer exists)" in cli("context", "--agent", "tank", *named).out
    monkeypatch.chdir(tree)
    assert "(stale: `old.py` no longer exists)" in cli("context", "--agent", "tank", *named).out
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ran = cli("context", "--agent", "tank", "--project", "web-shop")
    assert ("(stale: `new.py` no longer exists)" in ran.out, ran.err) == (True, "")


def test_a_folder_that_is_not_there_is_told_and_the_projects_own_is_looked_at(two_trees: tuple[Cli, Path]) -> None:
    cli, _ = two_trees
    ran = cli("context", "--agent", "tank", "--cwd", "/nonexist")
    assert "(stale: `new.py` no longer exists)" in ran.out
    assert "There is no folder /nonexist; claims about files were checked in the project's own folder." in ran.err


@pytest.mark.parametrize("width", [80, 100, 160])
def test_explaining_says_why_in_full_however_narrow_the_terminal_is(
    two_trees: tuple[Cli, Path], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    cli, _ = two_trees
    monkeypatch.setenv("COLUMNS", str(width))
    ran = cli("context", "--agent", "tank", "--explain")
    table = ran.err.split("\nboundaries ")[0]
    assert max(map(len, table.splitlines())) <= width
    why = table.replace("\n", " ").split()
    assert [one for one in "stale: `new.py` no longer exists".split() if one not in why] == []


def test_a_turn_to_which_nothing_is_told_says_so_and_has_its_receipt(project_cli: Cli, shop: Path) -> None:
    project_cli("memory", "record", "The login needs a cookie.", "--importance", "high", "--agent", "tank")
    (shop / "prompt.txt").write_text("ignore memory", encoding="utf-8")
    ran = project_cli("context", "--agent", "tank", "--prompt", "prompt.txt", "--explain", "--keep")
    assert (ran.code, ran.out) == (0, "")
    assert "Nothing is told this turn." in ran.err
    assert "There were no candidates." in ran.err
    receipt = ran.err.split("Receipt ")[1].split()[0]
    document = project_cli("context", "--replay", receipt, "--json").json
    assert (document["text"], document["exact"], document["receipt"]["mode"]) == ("", True, "ignore")
    assert "Nothing is told" in project_cli("context", "--agent", "tank", "--mode", "child").err


def test_a_prompt_that_is_no_utf_8_is_read_as_far_as_it_is(known: Cli, tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_bytes(b"Gr\xfc\xdfe. Ignore memory.")
    ran = known("context", "--agent", "tank", "--prompt", str(tmp_path / "prompt.txt"))
    assert ran.code == 0
    assert "## Memory" not in ran.out


def test_the_block_as_of_a_time_is_that_of_then(known: Cli) -> None:
    then = known("context", "--agent", "tank", "--json").json
    known("session", "end")
    known("decisions", "archive", "D-1")
    ran = known("context", "--agent", "tank", "--as-of", then["receipt"]["at"])
    assert ran.out == then["text"]
    assert "As the record was then" in ran.err


@pytest.mark.parametrize("time", ["2999-01-01", "1999-01-01", "nonsense"])
def test_a_bad_time_is_an_error_of_the_caller(known: Cli, time: str) -> None:
    ran = known("context", "--agent", "tank", "--as-of", time)
    assert (ran.code, ran.out) == (6, "")
    assert "[input.invalid]" in ran.err
    assert known("context", "--agent", "tank", "--as-of", time, "--json").json["error"]["code"] == "input.invalid"


@pytest.mark.parametrize(
    "arguments",
    [
        ("context", "--no-such-flag"),
        ("context", "--task"),
        ("context", "word"),
        ("context", "--keep=yes"),
        ("context", "--task", "--json"),
        ("context", "--help"),
        ("--version", "context"),
        ("memory", "record", "context"),
        ("--project", "context", "context"),
    ],
)
def test_what_is_not_plain_is_left_to_click(arguments: tuple[str, ...]) -> None:
    assert understood(arguments) is None


@pytest.mark.parametrize(
    "arguments",
    [
        ("context",),
        ("--db", "x.db", "context", "--agent", "tank"),
        ("context", "--agent=tank", "--task", "fix it", "--keep", "--explain", "--json", "--as-of", "2026-01-01"),
        ("--agent", "neo", "context", "--prompt", "-", "--charter", "role.md", "--cwd", ".", "--run", "r"),
    ],
)
def test_what_is_plain_means_the_same_to_both(arguments: tuple[str, ...]) -> None:
    outer = root.make_context("hansard", list(arguments))
    command = root.get_command(outer, "context")
    assert command is not None
    inner = command.make_context("context", list(arguments[arguments.index("context") + 1 :]), parent=outer)
    flags = {name: inner.params[name] or outer.params[name] for name in ("db", "project", "agent", "role")}
    wanted = Wanted(**{name: inner.params[name] for name in Wanted._fields})
    called = understood(arguments)
    assert called is not None
    assert (called[0].flags, called[0].as_json, called[1]) == (flags, inner.params["json_"], wanted)


def test_completion_is_left_to_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_HANSARD_COMPLETE", "bash_complete")
    assert understood(("context",)) is None


def test_neither_click_nor_what_is_heavy_is_loaded_before_a_turn(known: Cli) -> None:
    heavy = ("click", "rich", "yaml", "numpy", "logging", "subprocess", "tempfile")
    program = (
        "import sys; from hansard.interfaces.cli import main; main(['context', '--agent', 'tank']);"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("## Boundaries")
    assert ran.stderr == "[]\n"


def test_a_folder_that_is_a_secret_is_not_repeated(project_cli: Cli) -> None:
    secret = fake_secret()
    project_cli("memory", "record", "It is in `src/a.py`.", "--type", "core_context", "--agent", "tank")
    ran = project_cli("context", "--cwd", secret, "--agent", "tank")
    assert "There is no folder [REDACTED:github_token]" in ran.err
    assert secret not in ran.out + ran.err
