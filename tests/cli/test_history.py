"""`hansard history`: events about what the caller may not see are there, and say nothing."""

import pytest

from cli.conftest import Cli


@pytest.fixture
def secret_id(project_cli: Cli) -> str:
    return str(project_cli("memory", "record", "secret", "--agent", "tank", "--json").json["id"])


def about(cli: Cli, *more: str) -> list[str]:
    return [line.split()[-1] for line in cli("history", "list", *more).out.splitlines()[2:]]


@pytest.mark.parametrize("who", [("--agent", "neo"), ("--agent", "morpheus", "--role", "lead")])
def test_a_list_hides_what_anothers_private_memory_is_called(
    project_cli: Cli, secret_id: str, who: tuple[str, ...]
) -> None:
    shared = project_cli("memory", "record", "plans", "--agent", "tank", "--scope", "team", "--json").json["id"]
    assert about(project_cli, *who) == [shared, "hidden", "web-shop"]
    assert about(project_cli, "--agent", "tank") == about(project_cli) == [shared, secret_id, "web-shop"]
    events = project_cli("history", "list", "--json", *who).json["items"]
    assert [one["subject_id"] for one in events][:2] == [shared, None]
    assert secret_id not in project_cli("history", "list", "--json", *who).out


def test_one_event_hides_it_too(project_cli: Cli, secret_id: str) -> None:
    told = project_cli("history", "show", "2", "--agent", "neo").out
    assert "about:        memory hidden\n" in told
    assert f"about:        memory {secret_id}\n" in project_cli("history", "show", "2", "--agent", "tank").out
    event = project_cli("history", "show", "2", "--agent", "neo", "--json").json
    assert (event["subject"], event["subject_id"], event["details"]) == ("memory", None, {})


def test_a_history_of_a_hidden_id_is_not_found_like_any_unknown_one(project_cli: Cli, secret_id: str) -> None:
    unknown = "019b7b1c-8f3e-7000-8000-000000000001"
    hidden, missing = (
        project_cli("history", "list", "--subject", id, "--agent", "neo", "--json") for id in (secret_id, unknown)
    )
    assert hidden.code == missing.code == 3
    assert hidden.out.replace(secret_id, unknown) == missing.out
    assert about(project_cli, "--subject", secret_id) == [secret_id]


def test_only_a_person_reads_why_something_was_refused(project_cli: Cli, secret_id: str) -> None:
    assert project_cli("memory", "show", secret_id, "--agent", "neo").code == 3
    assert project_cli("history", "show", "3", "--json").json["details"] == {"refusal": "HiddenMemory"}
    assert project_cli("history", "show", "3", "--json", "--agent", "neo").json["details"] == {}
