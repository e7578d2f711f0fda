"""`hansard decisions`, `memory`, `session`, `run`, `history`: each verb once, and its refusals."""

import io
import sys
from pathlib import Path

import pytest

from cli.conftest import Cli


def _decide(cli: Cli, title: str, type_: str = "architectural") -> str:
    made = cli("decisions", "create", "--type", type_, "--title", title, "--content", f"{title}.", "--json").json
    ref = made["ref"]
    assert isinstance(ref, str)
    return ref


def test_a_decision_lives_from_creation_to_restoration(project_cli: Cli) -> None:
    first, second = _decide(project_cli, "Use A"), _decide(project_cli, "Use B")
    assert project_cli("decisions", "update", first, "--content", "Use A, always.").code == 0
    assert project_cli("decisions", "supersede", first, second).out == "D-1 is superseded by D-2.\n"
    assert "superseded by: D-2" in project_cli("decisions", "show", first).out
    assert project_cli("decisions", "archive", second).code == 0
    assert project_cli("decisions", "list", "--json").json["items"] == []
    assert project_cli("decisions", "restore", first).code == 0
    history = project_cli("decisions", "history", first, "--json").json
    assert [one["action"] for one in history["events"]] == [
        "decision.made", "decision.amended", "decision.superseded", "decision.restored",
    ]  # fmt: skip
    assert "Use A, always." in project_cli("decisions", "history", first).out


def test_decisions_can_be_listed_as_they_stood(project_cli: Cli) -> None:
    _decide(project_cli, "Use A")
    assert project_cli("decisions", "list", "--as-of", "2020-01-01", "--json").json["items"] == []
    assert len(project_cli("decisions", "list", "--as-of", "2099-01-01", "--json").json["items"]) == 1
    assert project_cli("decisions", "list", "--as-of", "yesterday-ish").code == 6


def test_a_list_says_when_nothing_stood_at_that_time(project_cli: Cli) -> None:
    _decide(project_cli, "Use A")
    assert project_cli("decisions", "list", "--as-of", "2020-01-01").out == "No active decisions as of 2020-01-01.\n"


@pytest.mark.parametrize("group", ["decisions", "inbox"])
def test_a_bad_status_names_every_word_that_would_do(project_cli: Cli, group: str) -> None:
    ran = project_cli(group, "list", "--status", "open")
    assert ran.code == 6
    assert " or all; 'open' is not." in ran.err


def test_superseding_by_itself_is_a_conflict(project_cli: Cli) -> None:
    only = _decide(project_cli, "Use A")
    assert project_cli("decisions", "supersede", only, only).code == 4


def test_a_coordinator_cannot_decide_a_boundary(project_cli: Cli) -> None:
    ran = project_cli(
        "decisions", "create", "--type", "scope", "--title", "t", "--content", "c", "--agent", "morpheus",
        "--role", "lead",
    )  # fmt: skip
    assert ran.code == 5


def test_a_memory_lives_from_record_to_tombstone(project_cli: Cli) -> None:
    made = project_cli(
        "memory", "record", "Needs a Bearer prefix", "--agent", "tank", "--importance", "high", "--tag", "cross-team",
        "--json",
    ).json  # fmt: skip
    assert made["scope"] == "team"
    edit = ("memory", "edit", made["id"], "--content", "Needs the Bearer prefix", "--expected-version", "1")
    assert project_cli(*edit).code == 0
    assert project_cli(*edit).code == 4
    assert len(project_cli("memory", "versions", made["id"], "--json").json["earlier"]) == 1
    assert project_cli("memory", "list", "--tag", "team", "--json").json["items"] == []
    assert project_cli("memory", "forget", made["id"], "--yes").code == 0
    assert "its content is gone" in project_cli("memory", "show", made["id"]).out
    assert project_cli("history", "verify").code == 0


def test_a_private_memory_is_missing_for_another_agent(project_cli: Cli) -> None:
    made = project_cli("memory", "record", "mine", "--agent", "tank", "--json").json
    assert project_cli("memory", "show", made["id"], "--agent", "smith").code == 3
    assert project_cli("memory", "show", made["id"], "--agent", "Tank").code == 0


def test_many_memories_are_loaded_all_or_none(project_cli: Cli, shop: Path) -> None:
    file = shop / "notes.jsonl"
    file.write_text('{"content": "one"}\n\n{"content": "two", "source_ref": "chat", "position": 2}\n')
    assert project_cli("memory", "load", str(file), "--agent", "tank").out == "Recorded 2 memories.\n"
    file.write_text('{"content": "three"}\n{"content": ""}\n')
    assert project_cli("memory", "load", str(file), "--agent", "tank").code == 6
    file.write_text('{"content": "four", "colour": "red"}\n')
    assert "no field 'colour'" in project_cli("memory", "load", str(file), "--agent", "tank").err
    file.write_text("nonsense\n")
    assert "line 1 is not JSON" in project_cli("memory", "load", str(file), "--agent", "tank").err
    assert len(project_cli("memory", "list", "--json").json["items"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("memory", "load", "nowhere.txt"),
        ("memory", "record", "--file", "nowhere.txt"),
        ("inbox", "propose", "a", "--type", "scope", "--file", "nowhere.txt"),
        ("decisions", "create", "--type", "scope", "--title", "t", "--file", "nowhere.txt"),
    ],
)
def test_a_missing_file_is_one_sentence(project_cli: Cli, arguments: tuple[str, ...]) -> None:
    ran = project_cli(*arguments)
    assert ran.code == 3
    assert ran.err == "Error: There is no file 'nowhere.txt'. [file.missing]\n"


def test_a_record_that_cannot_be_loaded_is_named_by_its_line(project_cli: Cli, shop: Path) -> None:
    file = shop / "notes.jsonl"
    for bad, told in (
        ('{"content": ""}', "line 3: content is empty"),
        ('{"content": "x", "type": "y"}', "line 3: type must be one of"),
        ('{"content": 5}', "line 3: content must be text"),
        ("[" * 100_000, "line 3 is not JSON"),
    ):
        file.write_text('{"content": "one\u2028two"}\n\n' + bad + "\n")
        ran = project_cli("memory", "load", str(file), "--agent", "tank")
        assert ran.code == 6
        assert told in ran.err
    assert project_cli("memory", "list", "--json").json["items"] == []


def test_one_of_a_kind_is_told_in_the_singular(project_cli: Cli, shop: Path) -> None:
    assert "whole: 1 event, " in project_cli("history", "verify").out
    file = shop / "notes.jsonl"
    file.write_text('{"content": "one"}\n')
    assert project_cli("memory", "load", str(file), "--agent", "tank").out == "Recorded 1 memory.\n"
    assert "1 was known already" in project_cli("memory", "load", str(file), "--agent", "tank").out
    assert project_cli("memory", "record", "one", "--agent", "tank").out.startswith("Known already as ")


def test_a_session_lives_from_start_to_end(project_cli: Cli) -> None:
    assert project_cli("session", "current").code == 3
    project_cli("session", "start", "Auth", "--id", "s1", "--issue", "#42")
    project_cli("session", "update", "first")
    project_cli("session", "update", "second")
    assert project_cli("session", "current", "--json").json["summary"] == "first\nsecond"
    project_cli("session", "update", "only", "--replace")
    assert project_cli("session", "show", "s1", "--json").json["summary"] == "only"
    assert project_cli("session", "start", "Other", "--id", "s1").code == 4
    assert project_cli("session", "end").code == 0
    assert project_cli("session", "update", "late", "--id", "s1").code == 4
    assert "s1" in project_cli("session", "list").out


def test_a_run_lives_from_start_to_outcome(project_cli: Cli) -> None:
    run = project_cli("run", "start", "--agent", "tank", "--task", "Fix", "--json").json
    project_cli("memory", "record", "x", "--agent", "tank", "--run", run["id"])
    assert len(project_cli("run", "list", "--open", "--json").json["items"]) == 1
    assert project_cli("run", "finish", run["id"], "--outcome", "exploded").code == 6
    assert project_cli("run", "finish", run["id"], "--outcome", "failed", "--reason", "red").code == 0
    assert project_cli("run", "finish", run["id"], "--outcome", "completed").code == 4
    assert "reason:" in project_cli("run", "show", run["id"]).out


def test_history_tells_who_did_what(project_cli: Cli) -> None:
    project_cli("memory", "record", "x", "--agent", "tank")
    events = project_cli("history", "list", "--json").json["items"]
    assert [(one["seq"], one["actor"], one["action"]) for one in events] == [
        (2, "tank", "memory.recorded"),
        (1, "ana", "project.created"),
    ]
    shown = project_cli("history", "show", "2").out
    assert events[0]["hash"] in shown
    assert project_cli("history", "verify").out.startswith("The history is whole: 2 events")
    assert "about:        memory" in shown


def test_records_are_spoken_of_by_their_numbers(project_cli: Cli) -> None:
    project_cli("inbox", "propose", "a", "--type", "scope", "--content", "x", "--agent", "tank")
    project_cli("inbox", "merge", "a")
    project_cli("session", "start", "Auth", "--id", "s1")
    assert "decision:    D-1\n" in project_cli("inbox", "show", "a").out
    assert "proposal:   P-1\n" in project_cli("decisions", "show", "D-1").out
    about = [line.split()[-1] for line in project_cli("history", "list").out.splitlines()[2:]]
    assert about == ["s1", "P-1", "D-1", "P-1", "web-shop"]
    for seq, told in ((3, "entry: "), (4, "decision: ")):
        shown = project_cli("history", "show", str(seq)).out
        assert told in shown
        assert "{" not in shown


def test_history_is_narrowed_to_one_record(project_cli: Cli) -> None:
    project_cli("inbox", "propose", "a", "--type", "scope", "--content", "x", "--agent", "tank")
    project_cli("inbox", "merge", "a")
    project_cli("session", "start", "Auth", "--id", "s1")
    decision = project_cli("decisions", "show", "D-1", "--json").json["id"]
    for subject, actions in (
        ("D-1", ["decision.made"]),
        ("d1", ["decision.made"]),
        (decision, ["decision.made"]),
        ("P-1", ["entry.merged", "entry.proposed"]),
        ("a", ["entry.merged", "entry.proposed"]),
        ("s1", ["session.started"]),
        ("web-shop", ["project.created"]),
    ):
        events = project_cli("history", "list", "--subject", subject, "--json").json["items"]
        assert [one["action"] for one in events] == actions


@pytest.mark.parametrize("subject", ["D-9", "P-9", "nobody", "019b7b1c-8f3e-7000-8000-000000000001"])
def test_history_of_what_is_not_there_is_not_found(project_cli: Cli, subject: str) -> None:
    ran = project_cli("history", "list", "--subject", subject)
    assert ran.code == 3
    assert ran.out == ""


class Terminal(io.StringIO):
    """Somebody who answers."""

    def isatty(self) -> bool:
        return True


def test_forgetting_needs_a_yes(project_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    made = project_cli("memory", "record", "mine", "--agent", "tank", "--json").json["id"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    ran = project_cli("memory", "forget", made)
    assert ran.code == 2
    assert "--yes" in ran.err
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    ran = project_cli("memory", "forget", made, "--json")
    assert ran.code == 2
    assert ran.json["error"]["code"] == "usage"
    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    ran = project_cli("memory", "forget", made)
    assert ran.code == 1
    assert ran.err.endswith("Nothing was forgotten.\n")
    assert project_cli("memory", "show", made, "--json").json["content"] == "mine"
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    assert project_cli("memory", "forget", made).code == 0
    assert "its content is gone" in project_cli("memory", "show", made).out


def test_nothing_known_leaves_a_prompt_empty(project_cli: Cli) -> None:
    ran = project_cli("context", "--agent", "tank")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("Nothing is told: no boundaries")
