"""One line of a ledger file, however odd, stops nobody: what is written after it is read in every clone."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.errors import Invalid
from hansard.domain.findings import Severity
from hansard.domain.limits import NUMBER_COUNTED_MAX
from hansard.domain.lines import NUMBER_MAX, VERSION_MAX
from hansard.domain.mirror import LEDGER, LedgerReport
from hansard.domain.vocabulary import Subject
from hansard.project import Project
from hansard.settings import Settings
from support.clock import START, FakeClock
from support.marks import invariant
from support.raw import raw

DECISIONS, ENTRIES = LEDGER[Subject.DECISION], LEDGER[Subject.ENTRY]


def opened(user: str, seconds: int) -> Hansard:
    settings = Settings(user=user, embedding_provider="none")
    return Hansard.open(":memory:", settings=settings, clock=FakeClock(START + seconds * 1_000_000))


@pytest.fixture
def theirs() -> Iterator[Project]:
    """A teammate's clone."""
    with opened("bob", 1) as mate:
        yield mate.project("shop", create=True)


@pytest.fixture
def fresh() -> Iterator[Project]:
    """A clone that knows nothing yet."""
    with opened("eve", 2) as newcomer:
        yield newcomer.project("shop", create=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    return folder


def decide(project: Project, title: str) -> str:
    return project.decide(type="scope", title=title, content=f"{title}.", by="ana").id


def exported(project: Project, root: Path) -> None:
    """What the project would commit. Each clone has its own list of files, so another one's is not there."""
    (root / ".hansard/mirror.json").unlink(missing_ok=True)
    for path in LEDGER.values():
        (root / path).unlink(missing_ok=True)
    project.export(root)
    (root / ".hansard/mirror.json").unlink()


def altered(root: Path, path: str, title: str, /, **fields: Any) -> None:
    """Somebody edits the line of this title by hand."""
    file = root / path
    said = [json.loads(one) for one in file.read_text().splitlines()]
    assert title in {one["title"] for one in said}
    file.write_text("".join(json.dumps({**one, **fields} if one["title"] == title else one) + "\n" for one in said))


def take(project: Project, root: Path) -> LedgerReport:
    return project.import_inbox(root).ledger


def numbers(project: Project) -> dict[str, int]:
    return {one.title: one.number for one in project.list_decisions(status="all").items}


@invariant("INV-12")
@pytest.mark.parametrize("claimed", [NUMBER_MAX + 1, 10**9, 2**62])
def test_a_number_that_cannot_be_is_given_anew_and_what_follows_is_read(
    project: Project, theirs: Project, fresh: Project, root: Path, claimed: int
) -> None:
    for title in ("One", "Two"):
        decide(theirs, title)
    exported(theirs, root)
    altered(root, DECISIONS, "One", number=claimed)
    assert take(project, root).skipped == ()
    assert numbers(project) == {"Two": 2, "One": 3}
    decide(project, "After")
    exported(project, root)
    assert take(fresh, root).skipped == ()
    assert numbers(fresh) == numbers(project) == {"Two": 2, "One": 3, "After": 4}
    assert project.verify().ok


@invariant("INV-12")
@pytest.mark.parametrize("claimed", [NUMBER_COUNTED_MAX + 1, NUMBER_MAX])
def test_a_number_far_ahead_is_kept_and_leaves_the_numbers_of_everybody_else_alone(
    project: Project, theirs: Project, fresh: Project, root: Path, claimed: int
) -> None:
    for title in ("Last", "Beyond"):
        decide(theirs, title)
    exported(theirs, root)
    altered(root, DECISIONS, "Last", number=claimed)
    altered(root, DECISIONS, "Beyond", number=NUMBER_MAX + 5)
    take(project, root)
    assert numbers(project) == {"Last": claimed, "Beyond": 1}
    decide(project, "Own")
    assert numbers(project)["Own"] == 2
    decide(fresh, "News")
    exported(fresh, root)
    assert take(project, root).renamed == ()
    exported(project, root)
    assert take(fresh, root).skipped == ()
    assert numbers(fresh) == numbers(project) == {"Last": claimed, "Beyond": 1, "Own": 2, "News": 3}
    # Whoever still has the number that was given out first brings it back to all.
    assert take(theirs, root).skipped == ()
    exported(theirs, root)
    for clone in (project, fresh):
        take(clone, root)
        assert numbers(clone) == numbers(theirs)
        assert clone.verify().ok


@invariant("INV-02")
def test_what_is_numbered_here_passes_over_a_number_that_another_clone_has(
    project: Project, theirs: Project, root: Path
) -> None:
    for title in ("Last", "Next"):
        decide(theirs, title)
        theirs.propose(agent="tank", slug=title, title=title, type="scope", content=title)
    exported(theirs, root)
    for path in (DECISIONS, ENTRIES):
        altered(root, path, "Last", number=NUMBER_COUNTED_MAX)
        altered(root, path, "Next", number=NUMBER_COUNTED_MAX + 1)
    take(project, root)
    decide(project, "Own")
    assert numbers(project)["Own"] == NUMBER_COUNTED_MAX + 2
    made = project.propose(agent="tank", slug="own", type="scope", content="own")
    assert made.number == NUMBER_COUNTED_MAX + 2
    assert project.verify().ok


@invariant("INV-12")
def test_records_that_move_up_to_each_others_numbers_get_them(project: Project, root: Path) -> None:
    for title in ("One", "Two"):
        decide(project, title)
        project.propose(agent="tank", slug=title, title=title, type="scope", content=title)
    exported(project, root)
    altered(root, DECISIONS, "One", number=2)
    altered(root, ENTRIES, "One", number=2)
    take(project, root)
    assert numbers(project) == {"One": 2, "Two": 3}
    assert (project.get_entry("one").number, project.get_entry("two").number) == (2, 3)
    assert project.verify().ok


@invariant("INV-12")
def test_a_slug_that_looks_like_a_place_for_moving_stops_no_import(
    project: Project, theirs: Project, root: Path
) -> None:
    moved = theirs.propose(agent="tank", slug="moved", title="moved", type="scope", content="First.")
    exported(theirs, root)
    take(project, root)
    taken = f"moving--{moved.id}"
    theirs.propose(agent="beta", slug="squat", title="squat", type="scope", content="Mine.")
    theirs.propose(agent="tank", slug="moved", title="moved", type="scope", content="Second.")
    exported(theirs, root)
    altered(root, ENTRIES, "squat", slug=taken, requested_slug=taken)
    take(project, root)
    assert (project.get_entry(moved.id).content, project.get_entry(taken).content) == ("Second.", "Mine.")
    theirs.propose(agent="tank", slug="moved", title="moved", type="scope", content="Third.")
    exported(theirs, root)
    take(project, root)
    assert project.get_entry(moved.id).content == "Third."
    assert project.verify().ok


@invariant("INV-12")
@pytest.mark.parametrize(
    ("path", "title", "link"), [(DECISIONS, "Old", "superseded_by"), (ENTRIES, "L", "decision_id")]
)
def test_a_tombstone_that_names_a_decision_that_is_not_here_comes_without_the_link(
    project: Project, theirs: Project, root: Path, path: str, title: str, link: str
) -> None:
    theirs.supersede(decide(theirs, "Old"), decide(theirs, "New"), by="ana")
    entry = theirs.propose(agent="tank", slug="lesson", title="L", type="learning", content="Lesson.")
    theirs.merge(entry.id, by="ana")
    exported(theirs, root)
    nowhere = "019b7b1c-8f3e-7000-8000-0000000000ff"
    altered(root, path, title, state="forgotten", **{link: nowhere})
    report = take(project, root)
    assert [(one.path, nowhere in one.problem) for one in report.warnings] == [(path, True)]
    assert report.skipped == ()
    assert numbers(project)["New"] == 2
    assert project.verify().ok
    again = take(project, root)
    assert (again.updated, again.decisions, again.proposals, again.skipped) == (0, 0, 0, ())
    told = project.export(root)
    assert (told.failed, told.waiting) == ((), ())


@invariant("INV-12")
def test_lines_that_name_each_other_all_wait_for_the_one_that_is_not_here(
    project: Project, theirs: Project, root: Path
) -> None:
    several = [decide(theirs, f"D {number}") for number in range(5)]
    for old, new in pairwise(several):
        theirs.supersede(old, new, by="ana")
    decide(theirs, "Alone")
    exported(theirs, root)
    file = root / DECISIONS
    file.write_text(
        "".join(f"{one}\n" for one in file.read_text().splitlines() if json.loads(one)["id"] != several[-1])
    )
    report = take(project, root)
    assert len(report.skipped) == 4
    assert all("which is not here" in one.reason for one in report.skipped)
    assert list(numbers(project)) == ["Alone"]


def test_an_agents_own_proposal_brings_no_number_that_cannot_be(hansard: Hansard, theirs: Project, root: Path) -> None:
    project = hansard.project("shop", create=True, root=root)
    theirs.propose(agent="tank", slug="mine", title="mine", type="scope", content="mine")
    exported(theirs, root)
    altered(root, ENTRIES, "mine", number=10**9)
    agent = hansard.project("shop", actor=Actor("tank", role="agent"))
    assert take(agent, root).proposals == 1
    assert agent.get_entry("mine").number == 1
    assert project.propose(agent="beta", slug="next", type="scope", content="c").number == 2


@invariant("INV-12")
@pytest.mark.parametrize("claimed", [VERSION_MAX + 1, 2 * VERSION_MAX, 2**62])
def test_a_version_that_cannot_be_is_refused_by_every_clone_whatever_it_knows(
    project: Project, theirs: Project, fresh: Project, root: Path, claimed: int
) -> None:
    id = decide(theirs, "One")
    exported(theirs, root)
    take(project, root)
    altered(root, DECISIONS, "One", version=claimed, content="Mine for ever.")
    for clone in (project, fresh):
        report = take(clone, root)
        assert [one.reason for one in report.skipped] == ["1 of its lines cannot be read"]
        assert str(claimed) in report.warnings[0].problem
    assert numbers(fresh) == {}
    project.update_decision(id, by="ana", content="Amended.")
    exported(project, root)
    for clone in (theirs, fresh):
        assert take(clone, root).skipped == ()
        assert clone.get_decision(id).body() == project.get_decision(id).body()


@invariant("INV-12")
def test_after_the_highest_version_changes_go_on_and_reach_every_clone(
    project: Project, theirs: Project, fresh: Project, root: Path
) -> None:
    id = decide(theirs, "One")
    exported(theirs, root)
    take(fresh, root)
    altered(root, DECISIONS, "One", version=VERSION_MAX, content="Forged.")
    for clone in (project, fresh):
        assert take(clone, root).skipped == ()
        assert take(clone, root) == LedgerReport()
        assert clone.get_decision(id).content == "Forged."
    # The one whose clock is the latest: between lines of the highest version the later time wins.
    for words in ("Amended.", "Amended again."):
        fresh.update_decision(id, by="ana", content=words)
        exported(fresh, root)
        for clone in (theirs, project):
            assert take(clone, root).skipped == ()
            assert clone.get_decision(id).content == words
            assert take(clone, root) == LedgerReport()
            assert clone.verify().ok
    exported(project, root)
    # What lost is kept in entries of conflicts, as with any two lines of one version.
    report = take(fresh, root)
    assert (report.proposals, report.updated, report.skipped) == (2, 0, ())
    assert take(fresh, root) == LedgerReport()
    assert fresh.get_decision(id).version == VERSION_MAX + 2
    assert fresh.verify().ok


@pytest.mark.parametrize("field", ["created_at", "updated_at"])
def test_a_time_that_cannot_be_is_refused_and_the_other_lines_are_read(
    project: Project, theirs: Project, root: Path, field: str
) -> None:
    for title in ("One", "Two"):
        decide(theirs, title)
    exported(theirs, root)
    altered(root, DECISIONS, "One", **{field: 2**62})
    report = take(project, root)
    assert [one.reason for one in report.skipped] == ["1 of its lines cannot be read"]
    assert numbers(project) == {"Two": 2}


def test_the_doctor_names_a_record_that_no_other_clone_can_read(project: Project, target: str) -> None:
    id = decide(project, "One")
    assert {one.severity for one in project.doctor() if one.check == "ledger"} == {Severity.OK}
    with raw(target) as connection:
        connection.execute("UPDATE decisions SET created_at = ?", (2**62,))
    (told,) = [one for one in project.doctor() if one.check == "ledger"]
    assert told.severity is Severity.PROBLEM
    assert id in told.found
    assert "created_at" in told.found
    assert told.advice


@invariant("INV-12")
def test_the_words_of_a_tombstone_are_no_content(project: Project, root: Path) -> None:
    with pytest.raises(Invalid, match="forgotten"):
        project.decide(type="scope", title="[forgotten]", content="[forgotten]", rationale="Why.", by="ana")
    made = project.decide(type="scope", title="[forgotten]", content="C", by="ana")
    with pytest.raises(Invalid, match="forgotten"):
        project.update_decision(made.id, by="ana", content="[forgotten]\n")
    with pytest.raises(Invalid, match="forgotten"):
        project.propose(agent="tank", slug="x", type="scope", content="[forgotten]")
    entry = project.propose(agent="tank", slug="y", type="scope", title="[forgotten]", content="C")
    with pytest.raises(Invalid, match="forgotten"):
        project.merge(entry.id, by="ana", content="[forgotten]")
    dropped = root / ".squad/decisions/inbox/z.md"
    dropped.parent.mkdir(parents=True)
    dropped.write_text("---\nagent: tank\nslug: z\ntype: scope\ntitle: '[forgotten]'\n---\n\n[forgotten]\n")
    assert ["forgotten" in one.reason for one in project.import_inbox(root).skipped] == [True]


@invariant("INV-12")
def test_a_line_with_the_words_of_a_tombstone_is_refused(project: Project, theirs: Project, root: Path) -> None:
    decide(theirs, "One")
    exported(theirs, root)
    altered(root, DECISIONS, "One", title="[forgotten]", content="[forgotten]", state="archived", rationale="Why.")
    report = take(project, root)
    assert [one.path for one in report.skipped] == [DECISIONS]
    assert any("forgotten" in one.problem for one in report.warnings)


def test_no_id_of_a_line_puts_it_before_decisions_that_are_older(
    project: Project, theirs: Project, root: Path, clock: FakeClock
) -> None:
    decide(project, "First")
    decide(theirs, "Pulled")
    exported(theirs, root)
    clock.advance(days=1)
    altered(root, DECISIONS, "Pulled", id="00000000-0000-7000-8000-000000000001", created_at=clock.now())
    clock.advance(days=1)
    decide(project, "Last")
    assert take(project, root).skipped == ()
    block = project.compile(agent="tank")
    assert block is not None
    back = project.compile(agent="tank", as_of=block.receipt.at)

    assert [line[4:] for line in block.text.splitlines() if line.startswith("### ")] == ["First", "Pulled", "Last"]
    assert back is not None
    assert back.text == block.text
    project.export(root)
    told = (root / ".squad/decisions.md").read_text(encoding="utf-8").splitlines()
    assert [line[3:] for line in told if line.startswith("## ")] == ["First", "Pulled", "Last"]
