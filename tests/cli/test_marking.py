"""What the command line shows of stored words: what comes from outside stands behind its mark, and nothing else."""

import pytest

from cli.conftest import OUTSIDE, Cli
from hansard.domain.layout import OUTSIDE_MARK as MARK
from support.marks import invariant

FACT = "The vendor of the gateway allows sixty calls a minute in `src/gw_limits.py`."
PLAIN = "The login is slow in the morning."
AS_TANK = ("--agent", "tank", "--role", "agent")


def recorded(cli: Cli, content: str, *more: str) -> str:
    return str(cli("memory", "record", content, *more, *AS_TANK, "--json").json["id"])


def lines(cli: Cli, *arguments: str) -> list[str]:
    """What a table or a record says, line by line and without the blanks that align it."""
    ran = cli(*arguments, *AS_TANK)
    return [" ".join(line.split()) for line in (ran.out + ran.err).splitlines()]


def only(told: list[str], words: str) -> str:
    (found,) = [line for line in told if words in line]
    return found


@pytest.fixture
def known(project_cli: Cli) -> dict[str, str]:
    """Two memories of tank by their kind, each surfaced once."""
    beside = ("--name", "Limits of the gateway", "--cite", "limits.html", "--tag", "vendor")
    ids = {
        "outside": recorded(project_cli, FACT, *OUTSIDE, *beside),
        "plain": recorded(project_cli, PLAIN, "--name", "Slow mornings", "--tag", "login"),
    }
    for id in ids.values():
        assert project_cli("memory", "get", id, "--task", "Find the limits.", *AS_TANK).code == 0
    return ids


@invariant("INV-17")
def test_the_report_of_usage_and_its_log_mark_what_comes_from_outside(project_cli: Cli, known: dict[str, str]) -> None:
    told = lines(project_cli, "memory", "usage")
    assert only(told, "The vendor").startswith(f"{MARK} The vendor")
    assert only(told, "The vendor").endswith(f"external {known['outside']}")
    assert only(told, "The login").startswith("The login")
    top = {one["memory_id"]: one for one in project_cli("memory", "usage", "--json", *AS_TANK).json["top"]}
    assert [top[known[kind]]["origin"] for kind in ("outside", "plain")] == ["external", None]

    log = [only(lines(project_cli, "memory", "usage", "--memory", one), one) for one in known.values()]
    assert log[0].endswith(f"external {known['outside']}")
    assert [(line.count(MARK), f"{MARK} The vendor" in line) for line in log] == [(1, True), (0, False)]


@invariant("INV-17")
def test_a_person_who_vouches_for_words_takes_the_mark_from_them(project_cli: Cli, known: dict[str, str]) -> None:
    assert project_cli("guard", "confirm", known["outside"], "--reason", "I looked at it").code == 0
    told = lines(project_cli, "memory", "usage")
    assert only(told, "The vendor").startswith("The vendor")
    assert "external" not in only(told, "The vendor")
    told = lines(project_cli, "memory", "usage", "--memory", known["outside"])
    assert MARK not in only(told, "The vendor")


@invariant("INV-17")
def test_the_check_of_claims_marks_the_memory_and_what_it_names(project_cli: Cli, known: dict[str, str]) -> None:
    told = lines(project_cli, "memory", "verify", "--all")
    assert only(told, "The vendor").startswith(f"{known['outside']} tank: [external] {MARK} The vendor")
    assert only(told, "no longer exists").startswith(f"stale {MARK} `src/gw_limits.py`")


@invariant("INV-17")
def test_a_memory_and_its_history_are_shown_with_a_mark_on_every_word_from_outside(
    project_cli: Cli, known: dict[str, str]
) -> None:
    marked = {f"name: {MARK} Limits of the gateway", f"tags: {MARK} vendor"}
    assert marked | {f"cites: {MARK} limits.html"} < set(lines(project_cli, "memory", "show", known["outside"]))
    versions = set(lines(project_cli, "memory", "versions", known["outside"]))
    assert marked | {f"citations: {MARK} limits.html"} < versions
    shown = lines(project_cli, "memory", "show", known["plain"])
    assert {"name: Slow mornings", "tags: login"} < set(shown)
    assert MARK not in "\n".join(shown)


@invariant("INV-17")
def test_what_is_known_already_is_told_behind_its_mark(project_cli: Cli, known: dict[str, str]) -> None:
    told = lines(project_cli, "memory", "record", f"{FACT} ")
    assert only(told, "Known already").endswith(f"{MARK} {FACT}")


@invariant("INV-17")
def test_the_candidates_of_a_block_are_told_with_the_origin_of_what_comes_from_outside(
    project_cli: Cli, known: dict[str, str]
) -> None:
    told = lines(project_cli, "context", "--explain", "--task", "vendor gateway calls; the slow login", *AS_TANK)
    table = [line for line in told if line.startswith("knowledge memory")]
    assert "memory [external] The vendor" in only(table, "The vendor")
    assert "memory The login" in only(table, "The login")


@invariant("INV-17")
def test_what_awaits_review_of_a_run_is_told_behind_its_mark(project_cli: Cli) -> None:
    run = str(project_cli("run", "start", "--task", "Look at the login", *AS_TANK, "--json").json["id"])
    said = ("--type", "process", "--title", "Sixty calls", "--content", FACT, "--run", run, "--tag", "vendor", *OUTSIDE)
    project_cli("inbox", "propose", "gas", *said, *AS_TANK)
    project_cli("run", "finish", run, "--outcome", "completed", "--output", "Nothing came of it.", *AS_TANK)
    assert f"process {MARK} Sixty calls" in only(lines(project_cli, "scribe", run), "awaits review")
    shown = lines(project_cli, "inbox", "show", "gas")
    assert {f"title: {MARK} Sixty calls", f"tags: {MARK} vendor", MARK, f"> {FACT}"} < set(shown)
