"""Two clones gave out one number or slug: whoever has to learn another one is told, and a conflict is no proposal."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import NotAProposal
from hansard.domain.mirror import LedgerReport
from hansard.project import Project
from hansard.services.review import Failure
from hansard.settings import Settings
from support.clock import START, FakeClock


@pytest.fixture
def theirs() -> Iterator[Project]:
    """The project in the database of a teammate, whose records are older than ours."""
    settings = Settings(user="bob", embedding_provider="none")
    with Hansard.open(":memory:", settings=settings, clock=FakeClock(START - 1_000_000_000)) as opened:
        yield opened.project("shop", create=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    return folder


def carry(source: Project, target: Project, root: Path) -> LedgerReport:
    source.export(root)
    (root / ".hansard/mirror.json").unlink(missing_ok=True)
    return target.import_inbox(root).ledger


def test_a_record_that_gets_another_number_or_slug_is_named(project: Project, theirs: Project, root: Path) -> None:
    for ours, name in ((project, "tank"), (theirs, "beta")):
        ours.decide(type="scope", title=f"Of {name}", content="C", by="ana")
        ours.propose(agent=name, slug="idea", type="scope", content=name, title="Idea")
    renamed = carry(theirs, project, root).renamed
    assert [tuple(one) for one in renamed] == [
        ("decision", "D-1", "D-2", "Of tank"),
        ("entry", "P-1", "P-2", "Idea"),
        ("entry", "idea", "idea--tank", "Idea"),
    ]
    assert project.get_decision("D-2").title == "Of tank"
    assert carry(theirs, project, root).renamed == ()


def test_the_older_clone_keeps_its_numbers_and_is_told_of_none(project: Project, theirs: Project, root: Path) -> None:
    for ours in (project, theirs):
        ours.decide(type="scope", title="T", content="C", by="ana")
    assert carry(project, theirs, root).renamed == ()


def test_an_entry_that_shows_a_conflict_is_not_merged_and_says_what_to_do(
    project: Project, theirs: Project, root: Path
) -> None:
    made = theirs.decide(type="scope", title="Billing", content="First.", by="bob")
    carry(theirs, project, root)
    project.update_decision(made.id, by="ana", content="Ours.")
    theirs.update_decision(made.id, by="bob", content="Theirs.")
    [slug] = carry(theirs, project, root).conflicts
    entry = project.get_entry(slug)
    with pytest.raises(NotAProposal, match=f"change the record itself; then reject {entry.ref}"):
        project.merge(slug, by="ana")
    [failure] = project.merge_many([slug], by="ana")
    assert isinstance(failure, Failure)
    assert failure.error.code == "inbox.not_a_proposal"
    assert len(project.list_decisions().items) == 1
    assert project.reject(slug, by="ana").status == "rejected"


def test_a_proposal_that_only_has_the_slug_of_a_conflict_is_merged(project: Project, root: Path) -> None:
    inbox = root / ".squad/decisions/inbox"
    inbox.mkdir(parents=True)
    (inbox / "x.md").write_text("---\nagent: tank\nslug: conflict--tank\ntype: scope\n---\n\nWe talk it over.\n")
    [imported] = project.import_inbox(root).imported
    assert imported.slug == "conflict--tank"
    assert project.merge(imported.slug, by="ana").content == "We talk it over."
