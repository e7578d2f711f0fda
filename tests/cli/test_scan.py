"""`hansard scan`, what a command says of a redaction, and that nothing it prints is a secret."""

import os
from pathlib import Path

import pytest

from cli.conftest import Cli
from hansard import Hansard
from support.fakes import fake_key, fake_secret
from support.marks import invariant
from support.terminals import seen_by_a_person

TOKEN = fake_secret(21)
MARK = "[REDACTED:github_token]"


@pytest.fixture
def leaky_cli(project_cli: Cli) -> Cli:
    """A project that holds a secret, as one from before there was a guard."""
    with Hansard.open(os.environ["HANSARD_DB"]) as hansard:
        project = hansard.project()
        allowed = project.allow_secret(TOKEN, reason="to have it stored", by="ana")
        project.remember(f"deploy with {TOKEN}", agent="tank")
        project.disallow_secret(allowed.id, reason="It is one after all.", by="ana")
    return project_cli


def test_a_scan_tells_what_it_found_and_what_to_do(leaky_cli: Cli) -> None:
    ran = leaky_cli("scan")
    assert ran.code == 1
    assert "github_token" in ran.out
    assert "hansard scan --redact" in ran.out
    assert TOKEN not in ran.out + ran.err


def test_redacting_mends_it_and_the_next_scan_is_clean(leaky_cli: Cli) -> None:
    ran = leaky_cli("scan", "--redact")
    assert ran.code == 0
    assert "Redacted 1 record" in ran.out
    assert "revoke it" in ran.out
    after = leaky_cli("scan")
    assert (after.code, after.out.startswith("No secret in")) == (0, True)
    assert leaky_cli("history", "verify").code == 0
    assert MARK in leaky_cli("memory", "list").out


def test_as_json_a_scan_is_one_document(leaky_cli: Cli) -> None:
    document = leaky_cli("scan", "--json").json
    (finding,) = document["findings"]
    assert (document["found"], document["redacted"]) == (1, 0)
    assert (finding["place"], finding["field"], finding["kind"]) == ("memory", "content", "github_token")


@invariant("INV-20")
def test_a_command_says_what_it_redacted_and_stores_the_rest(project_cli: Cli) -> None:
    ran = project_cli("memory", "record", f"use {TOKEN}", "--agent", "tank")
    assert ran.code == 0
    assert "Redacted before it was stored: github_token in content." in ran.err
    said = ("--type", "scope", "--content", f"c {TOKEN}", "--agent", "tank")
    told = project_cli("inbox", "propose", "s", *said, "--json")
    assert told.json["redacted"] == [{"field": "content", "kind": "github_token"}]
    assert TOKEN not in ran.out + ran.err + told.out + told.err


@invariant("INV-20")
@pytest.mark.parametrize(
    "arguments",
    [
        ("memory", "record", "x", "--type", TOKEN, "--agent", "tank"),
        ("memory", "show", TOKEN),
        ("inbox", "show", TOKEN),
        ("memory", "record", "x", "--agent", TOKEN),
        ("memory", "record", "x", "--tag", TOKEN, "--agent", "tank"),
        ("memory", "list", "--limit", TOKEN),
        ("config", "set", "guard.secrets", TOKEN),
        ("config", "get", TOKEN),
        ("memory", TOKEN),
        (TOKEN,),
        ("memory", "record", "x", "--file", TOKEN),
        ("context", "--agent", "tank", "--mode", TOKEN),
    ],
    ids=lambda one: " ".join(one).replace(TOKEN, "SECRET"),
)
def test_no_refusal_repeats_a_secret(project_cli: Cli, arguments: tuple[str, ...]) -> None:
    for ran in (project_cli(*arguments), project_cli(*arguments, "--json")):
        assert ran.code != 0
        assert TOKEN[:16] not in ran.out + ran.err


def test_a_policy_to_block_is_an_error_with_a_code(project_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSARD_GUARD_SECRETS", "block")
    ran = project_cli("memory", "record", f"use {TOKEN}", "--agent", "tank", "--json")
    assert ran.code == 6
    assert ran.json["error"]["code"] == "guard.refused"


def test_no_setting_turns_the_guard_off(project_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSARD_GUARD_SECRETS", "off")
    ran = project_cli("memory", "record", f"use {TOKEN}", "--agent", "tank")
    assert ran.code == 6
    assert "redact, block, ask" in ran.err


def test_too_many_writes_are_an_error_that_says_when_to_try_again(
    project_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_GUARD_MEMORIES_MAX", "1")
    assert project_cli("memory", "load", "-", "--agent", "tank").code != 0
    assert project_cli("memory", "record", "one", "--agent", "tank").code == 0
    monkeypatch.setenv("HANSARD_GUARD_WRITES_PER_MINUTE", "1")
    ran = project_cli("memory", "record", "two", "--agent", "tank", "--json")
    assert ran.json["error"]["code"] in ("guard.rate", "guard.quota")


def test_a_scan_calls_decisions_and_proposals_what_people_call_them(project_cli: Cli) -> None:
    with Hansard.open(os.environ["HANSARD_DB"]) as hansard:
        project = hansard.project()
        allowed = project.allow_secret(TOKEN, reason="to have it stored", by="ana")
        project.propose(agent="tank", slug="keyed", type="scope", content=f"use {TOKEN}")
        project.disallow_secret(allowed.id, reason="It is one after all.", by="ana")
    ran = project_cli("scan")
    assert "P-1" in ran.out
    assert [one["ref"] for one in project_cli("scan", "--json").json["findings"]] == ["P-1"]


@invariant("INV-20")
def test_with_the_mirror_off_a_redaction_still_writes_its_files_anew(
    project_cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_MIRROR_AUTO", "off")
    assert project_cli("guard", "allow", TOKEN, "--reason", "to have it stored").code == 0
    said = ("--type", "scope", "--title", "Keyed", "--content", f"use {TOKEN}")
    assert project_cli("decisions", "create", *said).code == 0
    assert project_cli("export").code == 0
    allowance = project_cli("guard", "allowed", "--json").json["items"][0]["id"]
    assert project_cli("guard", "disallow", allowance, "--reason", "it is one").code == 0
    assert TOKEN in (shop / ".squad/decisions.md").read_text()
    ran = project_cli("scan", "--redact")
    assert ran.code == 0
    assert "Redacted 1 record and wrote 3 files anew without it." in ran.out
    assert "the history of git" in ran.err
    assert not [one for one in shop.rglob("*") if one.is_file() and TOKEN.encode() in one.read_bytes()]


def test_a_file_that_a_redaction_leaves_alone_is_named_and_the_exit_code_tells(project_cli: Cli, shop: Path) -> None:
    note = shop / ".hansard/notes/shared/deploy.md"
    note.parent.mkdir(parents=True)
    note.write_text(f"Deploy with {TOKEN}.\n")
    for ran in (project_cli("scan"), project_cli("scan", "--redact")):
        assert ran.code == 1
        assert f"A secret in line 1 of {note} stays: take it out of the note; commits in git keep it." in ran.out
        assert TOKEN not in ran.out + ran.err


def test_a_scan_promises_no_more_than_a_redaction_does(leaky_cli: Cli, shop: Path) -> None:
    assert "1 secret in " in leaky_cli("scan").out
    assert "`hansard scan --redact` takes it out." in leaky_cli("scan").out
    note = shop / ".hansard/notes/shared/deploy.md"
    note.parent.mkdir(parents=True)
    note.write_text(f"Deploy with {TOKEN}.\n")
    assert "`hansard scan --redact` takes 1 of them out." in leaky_cli("scan").out
    leaky_cli("scan", "--redact")
    told = leaky_cli("scan").out
    assert "`hansard scan --redact` does not take it out." in told
    assert "stays: take it out of the note" in told


def test_an_agent_is_told_to_ask_a_person_and_not_to_run_what_it_may_not(project_cli: Cli) -> None:
    agents = project_cli("memory", "record", f"use {TOKEN}", "--agent", "tank")
    assert "ask a person to allow it" in agents.err
    assert "guard allow" not in agents.err
    persons = project_cli("decisions", "create", "--type", "scope", "--title", "t", "--content", f"use {TOKEN}")
    assert "`hansard guard allow` lets it through" in persons.err


def test_a_refused_slug_is_called_a_slug(project_cli: Cli) -> None:
    said = ("--type", "scope", "--content", "x", "--agent", "tank")
    ran = project_cli("inbox", "propose", fake_key(22), *said)
    assert ran.code != 0
    assert "The slug holds a secret" in ran.err


@invariant("INV-20")
def test_an_index_does_not_print_the_name_of_a_file_that_is_a_secret(project_cli: Cli, shop: Path) -> None:
    note = shop / f".hansard/notes/shared/{TOKEN}.md"
    note.parent.mkdir(parents=True)
    note.write_text("Deploy at noon.\n")
    for ran in (project_cli("memory", "index"), project_cli("memory", "index", "--json")):
        assert TOKEN not in ran.out + ran.err
        assert "1 file" in ran.out or ran.json["counts"]["skipped"] == 1


def test_two_notes_with_long_paths_are_told_apart_in_a_narrow_terminal(
    project_cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shop / ".hansard/notes/tank"
    folder.mkdir(parents=True)
    for name in ("first.md", "second.md"):
        (folder / name).write_text(f"# Notes\n\nThe token is {fake_secret(91)}.\n", encoding="utf-8")
    monkeypatch.setenv("COLUMNS", "80")
    table = project_cli("scan").out.partition("secrets in")[0]
    assert all(f"tank/{name}" in table for name in ("first.md", "second.md")), table


def test_one_secret_that_stays_is_told_in_the_singular(project_cli: Cli, shop: Path) -> None:
    folder = shop / ".hansard/notes/tank"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text(f"# Notes\n\nThe token is {fake_secret(92)}.\n", encoding="utf-8")
    assert "`hansard scan --redact` does not take it out." in project_cli("scan").out
    assert "Nothing could be redacted. Whoever has the secret" in project_cli("scan", "--redact").out


def test_nothing_of_the_progress_is_left_on_a_terminal_when_the_scan_ends(project_cli: Cli) -> None:
    project_cli("memory", "record", "The build uses bazel.", "--agent", "tank")
    seen = seen_by_a_person("scan")
    assert "memory records: 1" in seen
    assert seen.endswith("\r\x1b[K")


def test_who_may_not_scan_is_told_who_may(project_cli: Cli) -> None:
    ran = project_cli("scan", "--agent", "tank")
    assert (ran.code, ran.out) == (5, "")
    assert "a project is scanned for secrets by a person or a service" in ran.err
    assert project_cli("scan", "--agent", "scribe", "--role", "service").code == 0


@invariant("INV-20")
def test_no_command_keeps_or_repeats_the_name_of_a_caller_that_is_a_secret(
    project_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = project_cli("memory", "record", "The API needs a prefix.", "--agent", "tank", "--json").json["id"]
    commands = [
        ("guard", "list"), ("guard", "show", id), ("guard", "release", id, "--reason", "x"),
        ("guard", "confirm", id, "--reason", "x"), ("guard", "hold", id, "--reason", "x"),
        ("guard", "redact", id, "--reason", "x"), ("guard", "allow", "x", "--reason", "x"),
        ("guard", "disallow", id, "--reason", "x"), ("memory", "show", id), ("memory", "versions", id),
        ("memory", "verify", id), ("memory", "purge"), ("memory", "reembed"), ("memory", "reindex"), ("scan",),
        ("receipts", "purge"), ("memory", "record", "hallo"), ("memory", "list"), ("sync",), ("export",),
    ]  # fmt: skip
    before = len(project_cli("history", "list", "--json").json["items"])
    for command in commands:
        ran = project_cli(*command, "--agent", TOKEN)
        assert ran.code != 0, command
        assert "The name holds a secret" in ran.err, command
        assert TOKEN.lower() not in (ran.out + ran.err).lower(), command
    monkeypatch.setenv("HANSARD_AGENT", TOKEN)
    assert "The name holds a secret" in project_cli("guard", "list").err
    monkeypatch.delenv("HANSARD_AGENT")
    assert len(project_cli("history", "list", "--json").json["items"]) == before
    assert TOKEN.lower().encode() not in Path(os.environ["HANSARD_DB"]).read_bytes().lower()


@invariant("INV-20")
def test_no_setting_is_shown_with_a_secret_in_it(project_cli: Cli) -> None:
    for given in (("--db", f"{TOKEN}.db"), ("--agent", TOKEN)):
        for command in (("list",), ("list", "--json"), ("get", given[0][2:]), ("get", given[0][2:], "--json")):
            ran = project_cli("config", *command, *given)
            assert MARK in ran.out, command
            assert TOKEN not in ran.out + ran.err
    ran = project_cli("config", "set", "db", f"/srv/{TOKEN}.db")
    assert MARK in ran.out
    assert TOKEN not in ran.out + ran.err


@invariant("INV-20")
def test_the_folder_of_a_new_project_is_shown_without_a_secret(project_cli: Cli, tmp_path: Path) -> None:
    inside = tmp_path / "repository" / TOKEN
    inside.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    for _ in ("made", "known"):
        ran = project_cli("init", "--root", str(inside))
        assert ran.code == 0
        assert MARK in ran.out
        assert TOKEN not in ran.out + ran.err
