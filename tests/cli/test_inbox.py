"""`hansard inbox`: from a proposal to its review."""

import io
import sys

import pytest

from cli.conftest import Cli


def test_a_proposal_goes_from_the_inbox_into_the_context(project_cli: Cli) -> None:
    made = project_cli(
        "inbox", "propose", "Use Postgres!", "--type", "architectural", "--content", "All data in PostgreSQL.",
        "--rationale", "One engine.", "--agent", "tank", "--json",
    ).json  # fmt: skip
    assert made["outcome"] == "created"
    assert made["entry"]["slug"] == "use-postgres"
    assert made["entry"]["ref"] == "P-1"
    merged = project_cli("inbox", "merge", "use-postgres", "--note", "agreed", "--json").json
    assert merged["decision"]["ref"] == "D-1"
    assert merged["entry"]["reviewer"] == "ana"
    assert "All data in PostgreSQL." in project_cli("context", "--agent", "tank").out


def test_a_retry_updates_and_says_so(project_cli: Cli) -> None:
    for content, outcome in (("one", "created"), ("two", "updated"), ("two", "unchanged")):
        ran = project_cli("inbox", "propose", "a", "--type", "process", "--content", content, "--agent", "tank")
        assert f"P-1 {outcome} as a" in ran.out
    versions = project_cli("inbox", "versions", "a", "--json").json
    assert [one["body"]["content"] for one in versions["earlier"]] == ["one"]
    assert versions["current"]["content"] == "two"


def test_an_agent_cannot_merge_a_boundary(project_cli: Cli) -> None:
    project_cli("inbox", "propose", "a", "--type", "scope", "--content", "x", "--agent", "tank")
    ran = project_cli("inbox", "merge", "a", "--agent", "smith")
    assert ran.code == 5
    assert project_cli("inbox", "show", "a", "--json").json["status"] == "pending"


def test_reviewing_twice_is_a_conflict(project_cli: Cli) -> None:
    project_cli("inbox", "propose", "a", "--type", "scope", "--content", "x", "--agent", "tank")
    assert project_cli("inbox", "reject", "P-1", "--reason", "no").code == 0
    ran = project_cli("inbox", "merge", "P-1")
    assert ran.code == 4
    assert "rejected" in ran.err


def test_bulk_review_reports_each_and_fails_if_one_did(project_cli: Cli) -> None:
    for slug in ("a", "b"):
        project_cli("inbox", "propose", slug, "--type", "pattern", "--content", slug, "--agent", "tank")
    ran = project_cli("inbox", "merge", "a", "P-99", "b", "--json")
    assert ran.code == 3
    assert ran.json["failed"] == 1
    assert [("error" in one) for one in ran.json["results"]] == [False, True, False]
    assert project_cli("inbox", "list", "--json").json["items"] == []


def test_content_comes_from_standard_input(project_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Größe\r\nzwei".encode())))
    made = project_cli("inbox", "propose", "a", "--type", "scope", "--content", "-", "--agent", "t", "--json").json
    assert made["entry"]["content"] == "Größe\nzwei"


def test_input_that_is_not_text_is_refused(project_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe")))
    ran = project_cli("inbox", "propose", "a", "--type", "scope", "--content", "-", "--agent", "t")
    assert ran.code == 6
    assert "not UTF-8" in ran.err


@pytest.mark.parametrize("bad", ["x\x00y", "x\x1b[31m", "\ud800"])
def test_characters_that_are_no_text_are_refused(project_cli: Cli, bad: str) -> None:
    ran = project_cli("inbox", "propose", "a", "--type", "scope", "--content", bad, "--agent", "t")
    assert ran.code == 6
    assert "\x1b" not in ran.err
    assert project_cli("inbox", "list", "--status", "all", "--json").json["items"] == []


def test_filters_and_pages_fit_together(project_cli: Cli) -> None:
    for number in range(5):
        project_cli("inbox", "propose", f"s{number}", "--type", "process", "--content", "x", "--agent", "tank")
    first = project_cli("inbox", "list", "--limit", "2", "--json").json
    second = project_cli("inbox", "list", "--limit", "2", "--cursor", first["next_cursor"], "--json").json
    assert [one["slug"] for one in first["items"] + second["items"]] == ["s4", "s3", "s2", "s1"]
    assert project_cli("inbox", "list", "--author", "smith", "--json").json["items"] == []
    assert len(project_cli("inbox", "list", "--author", "Tank", "--agent", "smith", "--json").json["items"]) == 5
    assert project_cli("inbox", "list", "--limit", "0").code == 6
    assert project_cli("inbox", "list", "--status", "open").code == 6


def test_whoever_merges_is_told_what_and_which_version(project_cli: Cli) -> None:
    for type_, content in (("learning", "Harmless."), ("architectural", "Rewrite it all.")):
        project_cli(
            "inbox", "propose", "a", "--type", type_, "--title", "Small", "--content", content, "--agent", "tank"
        )
    assert project_cli("inbox", "list").out.splitlines()[2].split()[-3] == "2"
    ran = project_cli("inbox", "merge", "a", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (4, "inbox.version_needed")
    assert "P-1@2" in ran.json["error"]["message"]
    told = project_cli("inbox", "merge", "P-1@2").out.splitlines()
    assert told == [
        "P-1 (a) merged as D-1: architectural, 'Small'.",
        "It was revised 1 time; you merged version 2.",
    ]


def test_a_review_of_the_words_is_not_told_as_a_revision(project_cli: Cli) -> None:
    for slug in ("a", "b"):
        project_cli("inbox", "propose", slug, "--type", "process", "--content", "Once.", "--agent", "tank")
    project_cli("inbox", "propose", "b", "--type", "process", "--content", "Twice.", "--agent", "tank")
    for deed, second in (("hold", "b"), ("release", "b@3")):
        for reference in ("a", second):
            assert project_cli("guard", deed, reference, "--reason", "under doubt").code == 0
    assert project_cli("inbox", "merge", "a").out == "P-1 (a) merged as D-1: process, 'a'.\n"
    told = project_cli("inbox", "merge", "b").out.splitlines()
    assert told[1:] == ["It was revised 1 time; you merged version 4."]


def test_a_bulk_merge_by_versions_names_each_and_fails_for_the_stale_one(project_cli: Cli) -> None:
    for slug in ("a", "b"):
        project_cli("inbox", "propose", slug, "--type", "process", "--content", slug, "--agent", "tank")
    project_cli("inbox", "propose", "b", "--type", "process", "--content", "revised", "--agent", "tank")
    ran = project_cli("inbox", "merge", "P-1@1", "P-2@1", "--json")
    assert ran.code == 4
    assert ran.json["results"][0]["version"] == 1
    assert ran.json["results"][1]["error"]["code"] == "version.stale"
