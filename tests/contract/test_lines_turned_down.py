"""What a person holds or redacted does not come back by a line of a ledger file, as memory, proposal or law."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hansard.domain.errors import NotFound, UnknownEntry
from hansard.domain.mirror import LEDGER, LedgerReport
from hansard.domain.trust import AGAIN
from hansard.domain.vocabulary import Subject
from hansard.project import Project
from support.marks import invariant

WORDS = "Zeppelins are filled with helium from the tank in hall seven."
FINE = "Invoices are kept for ten years in the cellar."
Forge = Callable[..., tuple[str, LedgerReport]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    return folder


@pytest.fixture
def forge(project: Project, tank: Project, root: Path) -> Forge:
    """Appends a line like that of an honest record to its ledger file, imports it, and returns its id."""
    tank.remember("The build uses bazel.", scope="team")
    tank.propose(slug="seed", type="learning", content="We use make here.")
    project.decide(type="architectural", title="bazel", content="We use bazel.", by="ana")
    project.export(root)

    def add(kind: Subject, *, here: str | None = None, **fields: Any) -> tuple[str, LedgerReport]:
        file = root / LEDGER[kind]
        line = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
        id = here or line["id"][:-4] + "abcd"
        with file.open("a", encoding="utf-8") as ledger:
            ledger.write(json.dumps({**line, "id": id, **fields}) + "\n")
        return id, project.import_inbox(root).ledger

    return add


@pytest.fixture(params=["held", "redacted", "rejected"])
def turned_down(request: pytest.FixtureRequest, project: Project, tank: Project) -> None:
    """A person has turned the words of tank down."""
    if request.param == "rejected":
        entry = tank.propose(slug="gas", type="technical", content=WORDS)
        project.hold(entry.id, reason="a lie")
        project.reject(entry.id, reason="a lie")
        return
    memory = project.hold(tank.remember(WORDS).id, reason="a lie")
    if request.param == "redacted":
        project.redact(memory.id, reason="out with it")


@invariant("INV-17")
@pytest.mark.parametrize("fields", [{"content": WORDS.upper()}, {"name": WORDS}, {"reason": WORDS}])
def test_a_memory_of_a_file_waits(
    project: Project, neo: Project, forge: Forge, turned_down: None, fields: dict[str, str]
) -> None:
    id, _ = forge(Subject.MEMORY, **fields)
    assert project.get_memory(id).signs == (AGAIN,)
    with pytest.raises(NotFound):
        neo.get_memory(id)
    assert project.verify().ok


@invariant("INV-17")
def test_a_memory_that_is_here_waits_if_a_file_makes_such_words_of_it(
    project: Project, tank: Project, forge: Forge, turned_down: None
) -> None:
    memory = next(one for one in project.list_memories().items if "bazel" in one.content)
    forge(Subject.MEMORY, here=memory.id, version=7, content=WORDS)
    assert project.get_memory(memory.id).signs == (AGAIN,)


@invariant("INV-17")
def test_a_proposal_of_a_file_waits(project: Project, neo: Project, forge: Forge, turned_down: None) -> None:
    id, _ = forge(Subject.ENTRY, content=WORDS, number=9, slug="air", requested_slug="air", author="neo")
    assert AGAIN in project.get_entry(id).signs
    with pytest.raises(UnknownEntry):
        neo.get_entry("air")


@invariant("INV-17")
@pytest.mark.parametrize(
    "fields",
    [
        {"content": WORDS},
        {"content": FINE, "rationale": WORDS},
        {"title": "Zeppelins are filled with helium", "content": "from the tank in hall seven."},
        {"title": "Zeppelins", "content": "are filled with helium", "rationale": "from the tank in hall seven."},
    ],
)
def test_a_decision_of_a_file_is_left_to_a_person(
    project: Project, root: Path, forge: Forge, turned_down: None, fields: dict[str, str]
) -> None:
    id, report = forge(Subject.DECISION, number=9, **fields)
    assert report.decisions == 0
    (skipped,) = report.skipped
    assert skipped.reason == (
        f"needs review: the decision {id} says again what a reviewer holds; if it is right, let a person decide it here"
    )
    assert [one.title for one in project.list_decisions().items] == ["bazel"]
    assert project.export(root).waiting == (), "what an import refuses is not waited for"


@invariant("INV-17")
def test_no_file_amends_a_decision_with_such_words(project: Project, forge: Forge, turned_down: None) -> None:
    (law,) = project.list_decisions().items
    _, report = forge(Subject.DECISION, here=law.id, version=7, content=WORDS)
    assert (report.updated, len(report.skipped)) == (0, 1)
    assert project.get_decision(law.id).content == "We use bazel."


def test_a_decision_that_is_here_already_can_be_archived_by_another_clone(
    project: Project, tank: Project, root: Path, forge: Forge
) -> None:
    law = project.decide(type="scope", title="Gas", content=WORDS, by="ana")
    project.export(root)
    project.hold(tank.remember(WORDS).id, reason="unsure")
    line = next(one for one in (root / LEDGER[Subject.DECISION]).read_text().splitlines() if law.id in one)
    _, report = forge(Subject.DECISION, **{**json.loads(line), "here": law.id, "version": 7, "state": "archived"})
    assert (report.updated, report.skipped) == (1, ())


def test_honest_lines_and_what_a_person_let_go_come_in_as_they_are(
    project: Project, tank: Project, neo: Project, forge: Forge
) -> None:
    held = project.hold(tank.remember(WORDS).id, reason="unsure")
    project.hold(tank.remember("Something else that is a lie.").id, reason="a lie")
    project.release(held.id, reason="it is right")
    id, _ = forge(Subject.MEMORY, content=WORDS)
    assert neo.get_memory(id).content == WORDS
    _, report = forge(Subject.DECISION, number=9, title="Cellar", content=FINE)
    assert (report.decisions, report.skipped) == (1, ())
