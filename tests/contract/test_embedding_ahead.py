"""The model works before a transaction, so that nobody else waits for it to write."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from hansard import Hansard
from hansard.index.shelf import Shelf
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock


@pytest.fixture
def watched(hansard: Hansard, project: Project, target: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was embedded while another connection could write; it fails if none can."""
    embedded: list[str] = []
    really: Callable[..., object] = Shelf.prepare
    prompt = Settings(user="ana", store_busy_seconds=0.1, embedding_provider="none")

    def prepare(self: Shelf, texts: Sequence[str], serving: object) -> object:
        if self is hansard.shelf:
            with Hansard.open(target, settings=prompt, clock=FakeClock()) as other:
                other.project("zoo", create=True).start_session(focus="somebody else writes")
            embedded.extend(texts)
        return really(self, texts, serving)

    monkeypatch.setattr(Shelf, "prepare", prepare)
    return embedded


def test_a_merge_of_a_learning_embeds_before_it_writes(project: Project, watched: list[str]) -> None:
    entry = project.propose(
        agent="tank", slug="zeppelin", type="learning", content="It lands at noon.", title="Zeppelin"
    )
    promoted = project.merge(entry.id, by="ana")
    assert watched == ["It lands at noon."]
    assert project.recall("when does it land", agent="tank")[0].memory.decision_id == promoted.id


def test_what_the_reviewer_changed_is_embedded_before_as_well(project: Project, watched: list[str]) -> None:
    entry = project.propose(agent="tank", slug="zeppelin", type="pattern", content="It lands.", title="Zeppelin")
    project.merge(entry.id, by="ana", content="It lands at dusk.")
    assert watched == ["It lands at dusk."]


def test_a_merge_that_makes_no_memory_embeds_nothing(project: Project, watched: list[str]) -> None:
    entry = project.propose(agent="tank", slug="zeppelin", type="scope", content="It lands at noon.", title="Zeppelin")
    project.merge(entry.id, by="ana")
    assert watched == []


def test_an_edit_embeds_before_it_writes(project: Project, watched: list[str]) -> None:
    memory = project.remember("It lands at noon.", agent="tank")
    project.edit_memory(memory.id, agent="tank", content="It lands at dusk.")
    project.edit_memory(memory.id, agent="tank", name="Landing")
    assert watched == ["It lands at noon.", "It lands at dusk."]
    assert project.recall("dusk", agent="tank")[0].memory.id == memory.id


@pytest.fixture
def alone(hansard: Hansard, project: Project, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was embedded; it fails if a transaction is open meanwhile, even one that only reads."""
    embedded: list[str] = []
    open_now: list[str] = []
    kind = type(hansard.store)

    def counting(name: str) -> None:
        really: Callable[..., AbstractContextManager[Any]] = getattr(kind, name)

        @contextmanager
        def counted(self: object, *arguments: Any, **options: Any) -> Iterator[Any]:
            with really(self, *arguments, **options) as tx:
                open_now.append(name)
                try:
                    yield tx
                finally:
                    open_now.pop()

        monkeypatch.setattr(kind, name, counted)

    counting("read")
    counting("write")
    really: Callable[..., object] = Shelf.prepare

    def prepare(self: Shelf, texts: Sequence[str], serving: object) -> object:
        assert open_now == []
        embedded.extend(texts)
        return really(self, texts, serving)

    monkeypatch.setattr(Shelf, "prepare", prepare)
    return embedded


def test_no_view_of_the_database_is_held_while_the_model_works(
    project: Project, alone: list[str], tmp_path: Path
) -> None:
    memory = project.remember("It lands at noon.", agent="tank")
    project.remember_many([{"content": "It is red.", "agent": "tank"}, {"content": "It is late.", "agent": "tank"}])
    project.edit_memory(memory.id, agent="tank", content="It lands at dusk.")
    project.reindex(by="ana")
    note = tmp_path / "work" / "gate.md"
    note.parent.mkdir()
    note.write_text("# Gate\n\nThe gate is shut.\n")
    project.index_notes([note], root=note.parent, agent="tank")
    first = ["It lands at noon.", "It is red.", "It is late.", "It lands at dusk."]
    assert alone[:4] == first
    assert sorted(alone[4:7]) == sorted(first[1:])
    assert len(alone) == 8
