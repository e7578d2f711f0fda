"""`hansard scribe` and the end of a run: what was merged, what awaits review, and what the session says."""

from pathlib import Path

import pytest

from cli.conftest import Cli
from support.raw import mend, sabotage


def start(cli: Cli) -> str:
    return str(cli("run", "start", "--agent", "tank", "--json").json["id"])


def propose(cli: Cli, slug: str, type: str, run: str) -> None:
    ran = cli(
        "inbox", "propose", slug, "--type", type, "--title", slug.upper(), "--content", "c", "--run", run,
        "--agent", "tank",
    )  # fmt: skip
    assert ran.code == 0


@pytest.fixture
def run(project_cli: Cli) -> str:
    """An open run with something to merge and something to review, in a session."""
    assert project_cli("session", "start", "Landing", "--id", "s1").code == 0
    begun = start(project_cli)
    propose(project_cli, "helium", "learning", begun)
    propose(project_cli, "rule", "scope", begun)
    return begun


@pytest.fixture
def broken(project_cli: Cli, run: str, tmp_path: Path) -> str:
    """The same run, ended by a Scribe that could not work."""
    sabotage(str(tmp_path / "cli.db"), "INSERT ON decisions")
    ran = project_cli("run", "finish", run, "--outcome", "failed", "--json")
    mend(str(tmp_path / "cli.db"))
    assert (ran.code, ran.json["outcome"], ran.json["scribed"]) == (0, "failed", None)
    assert "restore a backup" in ran.json["not_scribed"]
    return run


def test_the_end_of_a_run_tells_what_the_scribe_did(project_cli: Cli, run: str) -> None:
    ran = project_cli("run", "finish", run, "--outcome", "completed")
    assert ran.out.splitlines() == [
        f"Run {run} of tank completed; not remembered: the run has no task.",
        "P-1 (helium) merged as D-1.",
        "P-2 (rule) awaits review: scope.",
        "Session s1 has a line about the run.",
    ]


def test_the_end_of_a_run_as_json_has_the_report(project_cli: Cli, run: str) -> None:
    done = project_cli("run", "finish", run, "--outcome", "completed", "--json").json
    assert done["not_scribed"] is None
    report = done["scribed"]
    assert [one["decision"]["ref"] for one in report["merged"]] == ["D-1"]
    assert report["merged"][0]["memory"]["content"] == "c"
    assert [one["slug"] for one in report["awaiting_review"]] == ["rule"]
    assert (report["line"], report["session_id"], report["session_closed"]) == ("added", "s1", False)
    again = project_cli("scribe", run, "--json").json
    assert again == report | {"merged": [], "line": "already there"}


def test_a_scribe_that_failed_says_why_and_how_to_repeat_it(project_cli: Cli, run: str, tmp_path: Path) -> None:
    sabotage(str(tmp_path / "cli.db"), "INSERT ON decisions")
    ran = project_cli("run", "finish", run, "--outcome", "failed")
    assert ran.code == 0
    first, second = ran.out.splitlines()
    assert first == f"Run {run} of tank failed; not remembered: the run has no task."
    assert second.startswith("The Scribe could not write it down: ")
    assert second.endswith(f"restore a backup. Repeat: hansard scribe {run}")


def test_the_scribe_is_repeated_by_hand_as_a_table(project_cli: Cli, broken: str) -> None:
    lines = project_cli("scribe", broken).out.splitlines()
    assert lines[0].split() == ["entry", "type", "title", "author", "now"]
    assert [line.split() for line in lines if line.startswith("P-")] == [
        ["P-1", "learning", "HELIUM", "tank", "merged", "as", "D-1"],
        ["P-2", "scope", "RULE", "tank", "awaits", "review"],
    ]
    assert lines[-1] == "Session s1 has a line about the run."
    assert f"Run {broken} by tank failed." in project_cli("session", "current").out
    assert project_cli("scribe", broken).out.splitlines()[-1] == "Session s1 had its line about the run."
    assert project_cli("history", "verify").code == 0


def test_a_run_that_leaves_nothing_says_so(project_cli: Cli) -> None:
    run = start(project_cli)
    project_cli("run", "finish", run, "--outcome", "completed")
    assert project_cli("scribe", run).out == "Nothing to merge, and nothing of the run awaits review.\n"


def test_a_session_that_ends_with_its_run_is_told_of(project_cli: Cli) -> None:
    run = start(project_cli)
    project_cli("session", "start", "Landing", "--id", "s1", "--run", run, "--agent", "tank")
    told = project_cli("run", "finish", run, "--outcome", "declined").out.splitlines()
    assert told[-1] == "Session s1 has a line about the run and ended with it."


def test_a_summary_without_room_is_told_of_with_the_way_out(project_cli: Cli) -> None:
    run = start(project_cli)
    project_cli("session", "start", "Landing", "--id", "s1", "--summary", "x" * 65_530)
    told = project_cli("run", "finish", run, "--outcome", "completed").out.splitlines()
    assert told[-1] == "Session s1 has no room for a line about the run; shorten its summary and repeat."


@pytest.mark.parametrize(("run", "code", "error"), [("nope", 3, "run.unknown"), (None, 4, "run.open")])
def test_a_run_that_cannot_be_written_down_is_refused(project_cli: Cli, run: str | None, code: int, error: str) -> None:
    ran = project_cli("scribe", run or start(project_cli), "--json")
    assert (ran.code, ran.json["error"]["code"]) == (code, error)


@pytest.mark.parametrize("command", [("finalize",), ("run", "finalize")], ids=" ".join)
def test_a_coordinator_finalises_its_run_by_either_name(project_cli: Cli, command: tuple[str, ...]) -> None:
    lead = ("--agent", "morpheus", "--role", "coordinator")
    run = project_cli("run", "start", "--json", *lead).json["id"]
    project_cli("inbox", "propose", "rule", "--type", "scope", "--content", "c", "--run", run, *lead)
    assert project_cli(*command, run, *lead).out == "P-1 (rule) merged as D-1.\n"
    assert project_cli(*command, run, *lead, "--json").json == {"items": []}
