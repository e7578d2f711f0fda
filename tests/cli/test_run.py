"""`hansard run finish`: the answer says what is remembered, or why nothing is."""

import pytest

from cli.conftest import Cli

TASK = "Move the ledger to the new database"


def start(cli: Cli, *more: str) -> str:
    return str(cli("run", "start", "--agent", "tank", "--json", *more).json["id"])


def test_a_run_that_is_remembered_says_as_what(project_cli: Cli) -> None:
    run = start(project_cli, "--task", TASK)
    ran = project_cli("run", "finish", run, "--outcome", "completed", "--output", "All rows were copied.")
    (memory,) = project_cli("memory", "list", "--json").json["items"]
    assert ran.out == f"Run {run} of tank completed; remembered as {memory['id']}.\n"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ((), "the run has no task"),
        (("--task", "x"), "task and result are too short to say anything"),
        (("--task", TASK, "--tag", "scheduled"), "nobody asked for the task, it is an automatic one"),
    ],
    ids=["no task", "short", "automatic"],
)
def test_a_run_that_is_not_remembered_says_why(project_cli: Cli, given: tuple[str, ...], why: str) -> None:
    run = start(project_cli, *given)
    ran = project_cli("run", "finish", run, "--outcome", "completed")
    assert ran.out == f"Run {run} of tank completed; not remembered: {why}.\n"


def test_the_end_of_a_run_as_json_has_the_memory_or_the_reason(project_cli: Cli) -> None:
    kept = project_cli("run", "finish", start(project_cli, "--task", TASK), "--outcome", "declined", "--json").json
    (memory,) = project_cli("memory", "list", "--json").json["items"]
    assert (kept["outcome"], kept["memory_id"], kept["not_remembered"]) == ("declined", memory["id"], None)
    lost = project_cli("run", "finish", start(project_cli), "--outcome", "failed", "--json").json
    assert (lost["memory_id"], lost["not_remembered"]) == (None, "the run has no task")
    assert "memory_id" not in project_cli("run", "show", lost["id"], "--json").json


def test_the_help_says_who_sees_the_reason(project_cli: Cli) -> None:
    told = " ".join(project_cli("run", "finish", "--help").out.split())
    assert "with its task and its reason, is what goes on now: the whole team sees it" in told


def test_the_reason_of_a_run_is_gone_with_the_memory_it_left(project_cli: Cli) -> None:
    run = start(project_cli, "--task", TASK)
    done = project_cli("run", "finish", run, "--outcome", "failed", "--reason", "xyzzy", "--json").json
    assert "xyzzy" in project_cli("run", "show", run, "--agent", "neo").out
    assert project_cli("memory", "forget", done["memory_id"], "--yes").code == 0
    told = project_cli("run", "show", run, "--agent", "neo").out
    assert "xyzzy" not in told
    assert TASK not in told
    assert "reason:  [forgotten]" in told
    assert project_cli("history", "verify").code == 0
