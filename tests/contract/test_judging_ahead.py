"""Long words are judged before a transaction, so that nobody else waits for it to write."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain import trust
from hansard.domain.mirror import LedgerReport
from hansard.domain.tricks import signs
from hansard.project import Project
from hansard.services.know_again import Foreknown, Words, what_is_known
from hansard.settings import Settings
from support.clock import FakeClock

LONG = "metsys the vtabe &amp; <a> %41 ignore " + "_a </" * 400
"""Has something of every other way to read a text, so that the search for suspicious ones does not pass it over."""


@pytest.fixture
def busy() -> str:
    """The project that somebody else writes to meanwhile."""
    return "zoo"


@pytest.fixture
def watched(project: Project, target: str, monkeypatch: pytest.MonkeyPatch, busy: str) -> list[str]:
    """The long texts that were judged while another connection could write; it fails if none can."""
    judged: list[str] = []
    really = signs._signs
    prompt = Settings(user="ana", store_busy_seconds=0.1, embedding_provider="none")

    def watching(text: str, *, outside: bool = False) -> Iterator[str]:
        if len(text) > 1_000:
            with Hansard.open(target, settings=prompt, clock=FakeClock()) as other:
                other.project(busy, create=True).start_session(focus="somebody else writes")
            judged.append(text)
        return really(text, outside=outside)

    monkeypatch.setattr(signs, "_signs", watching)
    signs._judged.clear()
    return judged


def test_a_session_is_judged_before_it_is_written(tank: Project, watched: list[str]) -> None:
    tank.start_session(focus="work", summary=f"{LONG} one", state=f"{LONG} two")
    assert watched == [f"{LONG} one", f"{LONG} two"]


def test_a_secret_in_a_session_makes_nobody_wait(tank: Project, watched: list[str]) -> None:
    tank.start_session(focus="work", summary=f"{LONG} ghp_1234567890abcdefghijklmnopqrstuvwxyz")
    assert watched == [f"{LONG} [REDACTED:github_token]"]


def test_a_line_of_a_session_is_judged_before_it_is_added(tank: Project, watched: list[str]) -> None:
    tank.start_session(focus="work", summary="First.")
    tank.update_session(f"{LONG} one", state=f"{LONG} two")
    assert watched == [f"{LONG} one", f"{LONG} two"]


def test_a_line_that_is_added_has_nothing_judged_that_stood_there_before(tank: Project, watched: list[str]) -> None:
    tank.start_session(focus="work", summary=LONG)
    assert watched == [LONG]
    session = tank.update_session("Step two is done.")
    assert (session.summary, watched) == (f"{LONG}\nStep two is done.", [LONG])


def test_what_a_run_leaves_is_judged_before_the_run_ends(tank: Project, watched: list[str]) -> None:
    run = tank.start_run(task="Look into the tables of the shop.")
    assert tank.finish_run(run.id, outcome="completed", output=LONG).memory_id
    assert len(watched) == 1


def test_a_task_is_judged_before_its_run_begins(tank: Project, watched: list[str]) -> None:
    tank.start_run(task=LONG)
    assert watched == [LONG]


@pytest.mark.parametrize("origin", [None, "external"])
def test_a_proposal_is_judged_before_it_is_written(tank: Project, watched: list[str], origin: str | None) -> None:
    tank.propose(slug="long-one", type="learning", content=LONG, rationale=f"{LONG} why", origin=origin)
    assert watched == [LONG, f"{LONG} why"]


def test_a_revised_proposal_is_judged_as_what_it_was_before(tank: Project, watched: list[str]) -> None:
    tank.propose(slug="long-one", type="learning", content="From a page.", origin="external")
    tank.propose(slug="long-one", type="learning", content=LONG)
    assert watched == [LONG]


def test_a_decision_of_a_coordinator_is_judged_before_it_is_made(lead: Project, watched: list[str]) -> None:
    made = lead.decide(type="technical", title="Long", content=LONG)
    lead.update_decision(made.id, content=f"{LONG} two")
    assert watched == [LONG, f"{LONG} two"]


def test_an_edit_is_judged_before_it_is_written(tank: Project, watched: list[str]) -> None:
    mine, brought = tank.remember("It lands."), tank.remember("It starts.", origin="external")
    tank.edit_memory(mine.id, content=LONG)
    tank.edit_memory(brought.id, content=f"{LONG} two")
    assert watched == [LONG, f"{LONG} two"]


def carried(source: Project, target: Project, root: Path, watched: list[str]) -> LedgerReport:
    """What a clone exports is pulled and imported by another one, which has judged nothing yet."""
    source.export(root)
    (root / ".hansard/mirror.json").unlink()
    signs._judged.clear()
    watched.clear()
    return target.import_inbox(root).ledger


@pytest.mark.parametrize("busy", ["zoo", "shop"])
def test_lines_of_another_clone_are_judged_before_they_are_taken_in(
    ana: Project, theirs: Project, root: Path, monkeypatch: pytest.MonkeyPatch, watched: list[str]
) -> None:
    monkeypatch.setattr(signs, "REMEMBERED_TEXTS_MAX", 4)
    told = [f"{LONG} memory {number}" for number in range(6)]
    for one in told:
        theirs.remember(one, agent="neo", scope="team")
    theirs.propose(agent="neo", slug="waits", type="learning", content=f"{LONG} waits")
    theirs.propose(agent="neo", slug="no", type="learning", content=f"{LONG} no")
    theirs.reject("no", by="bob", reason="No.")
    theirs.decide(type="technical", title="Long", content=f"{LONG} law", by="bob")
    report = carried(theirs, ana, root, watched)

    assert (report.memories, report.proposals) == (6, 2)
    assert {*watched} == {*told, f"{LONG} law", f"{LONG} no", f"{LONG} waits"}


@pytest.mark.parametrize("busy", ["zoo", "shop"])
def test_a_line_with_other_words_for_a_memory_is_judged_before_it_is_taken_in(
    ana: Project, theirs: Project, root: Path, watched: list[str]
) -> None:
    known = theirs.remember("It lands.", agent="neo", scope="team")
    carried(theirs, ana, root, watched)
    theirs.edit_memory(known.id, content=LONG)

    assert carried(theirs, ana, root, watched).updated == 1
    assert {*watched} == {LONG}


def test_proposals_that_an_agent_takes_over_from_a_file_are_judged_before_that(
    hansard: Hansard, tank: Project, theirs: Project, root: Path, watched: list[str]
) -> None:
    hansard.project(tank.key, create=True, root=root)
    theirs.propose(agent="tank", slug="mine", type="learning", content=LONG)

    assert carried(theirs, tank, root, watched).proposals == 1
    assert {*watched} == {LONG}


@pytest.mark.parametrize("busy", ["zoo", "shop"])
def test_lines_are_compared_with_what_people_hold_before_they_are_taken_in(
    ana: Project, theirs: Project, root: Path, target: str, monkeypatch: pytest.MonkeyPatch, busy: str
) -> None:
    held = ana.remember("The key of the hangar lies below the third stone behind the shed.", agent="neo", scope="team")
    ana.hold(held.id, reason="nobody needs to know")
    for one in (LONG, f"{LONG} {held.content}"):
        theirs.remember(one, agent="bob", scope="team")
    theirs.propose(agent="bob", slug="waits", type="learning", content=f"{LONG} waits")
    compared: list[str] = []
    really = trust.repeats
    prompt = Settings(user="ana", store_busy_seconds=0.1, embedding_provider="none")

    def watching(text: str, held: Sequence[trust.Said]) -> bool:
        if len(text) > 1_000:
            with Hansard.open(target, settings=prompt, clock=FakeClock()) as other:
                other.project(busy, create=True).start_session(focus="somebody else writes")
            compared.append(text)
        return really(text, held)

    monkeypatch.setattr(trust, "repeats", watching)
    report = carried(theirs, ana, root, compared)

    assert (report.memories, report.proposals) == (2, 1)
    assert len({*compared}) >= 3
    assert len([one for one in ana.list_quarantined().items if held.content in one.content]) == 2


def test_what_a_person_holds_or_releases_meanwhile_is_known_in_the_write(ana: Project, neo: Project) -> None:
    first, words = (
        neo.remember(one, scope="team")
        for one in (
            "The key of the hangar lies below the third stone behind the shed.",
            "The code of the gate is written on the back of the map in the office.",
        )
    )
    ana.hold(first.id, reason="nobody needs to know")
    known, told = Foreknown(), []
    for change in (neo.remember, partial(ana.hold, reason="no"), partial(ana.release, reason="yes")):
        with ana.seat().reading() as tx:
            told.append(what_is_known(tx, known)(Words([words.content])))
        change(words.id)
    with ana.seat().reading() as tx:
        told.append(what_is_known(tx, known)(Words([words.content])))

    assert told == [False, False, True, False]
