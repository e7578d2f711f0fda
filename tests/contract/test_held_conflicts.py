"""A conflict between clones does not publish what a person holds, nor sign it with the name of who held it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hansard.domain.mirror import LEDGER
from hansard.domain.trust import AGAIN
from hansard.domain.vocabulary import EntryStatus, Subject
from hansard.project import Project
from support.marks import invariant

WORDS = "Balloons over hall nine pay their gas in cash to the guard."
OTHER = "Balloons are red today in the yard."
LATER = 1_000_000
Pull = Callable[..., tuple[str, ...]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    return folder


@pytest.fixture
def pull(project: Project, root: Path) -> Pull:
    """Brings the exported line of a record with other fields, as another clone has it, and returns the conflicts."""

    def bring(kind: Subject, id: str, **fields: Any) -> tuple[str, ...]:
        file = root / LEDGER[kind]
        lines = [json.loads(one) for one in file.read_text(encoding="utf-8").splitlines()]
        changed = [{**one, **fields} if one["id"] == id else one for one in lines]
        file.write_text("".join(json.dumps(one) + "\n" for one in changed), encoding="utf-8")
        return project.import_inbox(root).ledger.conflicts

    return bring


def published(root: Path) -> str:
    return "".join(one.read_text(encoding="utf-8") for one in root.rglob("*") if one.is_file())


@invariant("INV-17")
@pytest.mark.parametrize("wins", [True, False])
def test_the_entry_of_a_conflict_about_a_held_memory_waits(
    project: Project, tank: Project, neo: Project, root: Path, pull: Pull, wins: bool
) -> None:
    memory = tank.remember(WORDS, scope="team")
    project.export(root)
    held = project.hold(memory.id, reason="a lie")
    at = held.updated_at + (LATER if wins else -LATER)
    (slug,) = pull(Subject.MEMORY, memory.id, version=held.version, content=OTHER, updated_at=at)
    entry = project.get_entry(slug)
    assert (entry.is_quarantined, entry.signs) == (True, (AGAIN,))
    assert "written by tank" in entry.content, "whoever holds words did not write them"
    assert "written by ana" not in entry.content
    assert neo.list_inbox(status="all").items == ()
    project.export(root)
    assert "cash to the guard" not in published(root)
    assert project.get_memory(memory.id).is_quarantined
    project.release(slug, reason="both may be seen")
    assert [one.slug for one in neo.list_inbox().items] == [slug]
    assert project.verify().ok


@invariant("INV-17")
def test_the_entry_of_a_conflict_about_a_held_proposal_waits(
    project: Project, tank: Project, neo: Project, root: Path, pull: Pull
) -> None:
    entry = tank.propose(slug="gas", type="technical", content=WORDS)
    project.export(root)
    held = project.hold(entry.id, reason="a lie")
    at = held.updated_at + LATER
    (slug,) = pull(Subject.ENTRY, entry.id, version=held.version, content=OTHER, updated_at=at)
    assert {one.id for one in project.list_quarantined()} == {entry.id, project.get_entry(slug).id}
    assert neo.list_inbox(status="all").items == ()
    project.export(root)
    assert "cash to the guard" not in published(root)


@invariant("INV-17")
@pytest.mark.parametrize("state", [EntryStatus.REJECTED, EntryStatus.MERGED])
def test_a_review_in_another_clone_does_not_let_out_what_a_person_holds_here(
    project: Project, tank: Project, neo: Project, root: Path, pull: Pull, state: EntryStatus
) -> None:
    decision = project.decide(type="technical", title="Gas", content="Gas is bought in spring.", by="ana")
    entry = tank.propose(slug="gas", type="technical", content=WORDS)
    project.export(root)
    held = project.hold(entry.id, reason="a lie")
    reviewed = {"reviewer": "bob", "reviewed_at": held.updated_at + LATER, "updated_at": held.updated_at + LATER}
    merged = {"decision_id": decision.id} if state is EntryStatus.MERGED else {}
    pull(Subject.ENTRY, entry.id, state=state.value, version=held.version + 1, **reviewed, **merged)
    assert project.get_entry(entry.id).status is state
    assert neo.list_inbox(status="all").items == ()
    assert project.verify().ok


def test_a_conflict_about_what_nobody_holds_is_open_to_all(
    project: Project, tank: Project, neo: Project, root: Path, pull: Pull
) -> None:
    project.hold(tank.remember("Something else that is a lie.").id, reason="a lie")
    memory = tank.remember(WORDS, scope="team")
    project.export(root)
    (slug,) = pull(Subject.MEMORY, memory.id, content=OTHER, updated_at=memory.updated_at + LATER)
    assert "written by tank" in neo.get_entry(slug).content
    assert neo.get_memory(memory.id).content == OTHER


@invariant("INV-17")
def test_holding_a_record_holds_the_conflicts_about_it(
    project: Project, tank: Project, neo: Project, root: Path, pull: Pull
) -> None:
    memory = tank.remember(WORDS, scope="team")
    project.export(root)
    (slug,) = pull(Subject.MEMORY, memory.id, content=OTHER, updated_at=memory.updated_at - LATER)
    assert [one.slug for one in neo.list_inbox().items] == [slug]
    held = project.hold(memory.id, reason="a lie")
    assert neo.list_inbox(status="all").items == ()
    assert {one.id for one in project.list_quarantined()} == {held.id, project.get_entry(slug).id}
    assert project.verify().ok
