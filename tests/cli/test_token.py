"""`hansard token` and the options of `hansard serve`, as somebody at a terminal meets them."""

from pathlib import Path

import pytest

from cli.conftest import Cli


def test_a_token_is_shown_once_and_alone_on_standard_output(project_cli: Cli) -> None:
    made = project_cli("token", "create", "--agent", "tank", "--role", "agent", "--expires", "90d")
    text = made.out.strip()
    listed = project_cli("token", "list")

    assert made.code == 0
    assert text.startswith("hansard_")
    assert len(text.split()) == 1
    assert "acts as tank (agent) in web-shop" in made.err
    assert text not in listed.out + listed.err + made.err
    assert "tank" in listed.out


def test_a_token_as_json_and_its_end(project_cli: Cli) -> None:
    made = project_cli("token", "create", "--agent", "tank", "--project", "web-shop", "--json").json
    listed = project_cli("token", "list", "--json").json["items"]
    gone = project_cli("token", "revoke", made["id"], "--json").json

    assert made.pop("token").startswith("hansard_")
    assert listed == [made]
    assert (made["agent"], made["role"], made["projects"]) == ("tank", "agent", ["web-shop"])
    assert gone == {**made, "revoked_at": gone["revoked_at"]}
    assert gone["revoked_at"] is not None


def test_a_token_for_several_projects_or_for_all(project_cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bank").mkdir()
    assert project_cli("init", "--project", "bank", "--root", str(tmp_path / "bank")).code == 0
    everywhere = project_cli("token", "create", "--agent", "ana", "--role", "human", "--all-projects", "--json").json
    both = project_cli("token", "create", "--agent", "tank", "--also", "bank", "--json").json
    muddled = project_cli("token", "create", "--agent", "tank", "--all-projects", "--also", "bank")

    assert everywhere["projects"] is None
    assert both["projects"] == ["bank", "web-shop"]
    assert muddled.code != 0


def test_a_token_needs_an_agent(project_cli: Cli) -> None:
    assert "--agent" in project_cli("token", "create").err


def test_an_agent_makes_no_tokens_whatever_it_says_the_token_is(
    project_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_AGENT", "smith")
    made = project_cli("token", "create", "--agent", "ana", "--role", "human", "--all-projects")
    listed = project_cli("token", "list")
    served = project_cli("serve", "--port", "0")

    assert (made.code, listed.code, served.code) == (listed.code, listed.code, listed.code)
    assert "policy.denied" in made.err
    assert made.out == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "--insecure-public"),
        (["--port", "70000"], "port"),
        (["--host", "192.0.2.1", "--insecure-public"], "cannot be used"),
    ],
)
def test_a_server_that_must_not_or_cannot_listen_says_why(project_cli: Cli, options: list[str], said: str) -> None:
    ran = project_cli("serve", *options)

    assert ran.code != 0
    assert said in ran.err


def test_a_token_that_makes_a_person_an_agent_is_made_with_a_warning(project_cli: Cli) -> None:
    project_cli("decisions", "create", "--type", "scope", "--title", "No billing", "--content", "Billing is out.")
    (person,) = [one["name"] for one in project_cli("agents", "--json").json["items"] if one["role"] == "human"]

    warned = project_cli("token", "create", "--agent", person, "--role", "agent")
    as_person = project_cli("token", "create", "--agent", person, "--role", "human")
    agent = project_cli("token", "create", "--agent", "tank", "--role", "agent")

    assert (warned.code, as_person.code, agent.code) == (0, 0, 0)
    assert f"{person} acts as a person so far" in warned.err
    assert "acts as a person" not in as_person.err + agent.err


def test_a_token_that_makes_an_agent_a_person_is_made_with_a_warning(project_cli: Cli) -> None:
    project_cli("memory", "record", "The build runs on bazel.", "--agent", "tank")

    warned = project_cli("token", "create", "--agent", "tank", "--role", "human")
    unknown = project_cli("token", "create", "--agent", "somebody", "--role", "human")

    assert (warned.code, unknown.code) == (0, 0)
    assert "tank acts as agent so far. With this token the same name is a person" in warned.err
    assert "so far" not in unknown.err


@pytest.mark.parametrize("options", [("--agent", "tank"), ("--role", "service")])
def test_whoever_may_not_serve_is_told_who_may(project_cli: Cli, options: tuple[str, str]) -> None:
    ran = project_cli(*options, "serve")

    assert ran.code != 0
    assert "a person starts the server. Leave out --agent and --role." in ran.err
