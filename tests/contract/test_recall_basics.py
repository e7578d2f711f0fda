"""The least that recall promises: what expired is not found, and vectors of two models never meet."""

import pytest

from hansard import Hansard
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.marks import invariant


@invariant("INV-15")
@pytest.mark.parametrize(("source", "days"), [("task_completion", 7), ("session_summary", 3), ("file_index", 30)])
def test_what_has_expired_is_found_by_its_id_and_never_by_search(
    project: Project, clock: FakeClock, source: str, days: int
) -> None:
    memory = project.remember("the proxy cuts uploads at five megabytes", agent="tank", source=source)
    clock.advance(days=days, seconds=-1)
    assert [hit.memory.id for hit in project.recall("upload limit of the proxy", agent="tank")] == [memory.id]
    clock.advance(seconds=2)
    assert project.recall("upload limit of the proxy", agent="tank") == ()
    assert project.list_memories(agent="tank").items == ()
    assert project.get_memory(memory.id).content == memory.content
    assert project.use_memory(memory.id, agent="tank").access_count == 1


@invariant("INV-16")
def test_vectors_of_another_model_are_never_compared(target: str, clock: FakeClock) -> None:
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as here:
        project = here.project("shop", create=True)
        project.remember("the proxy cuts uploads at five megabytes", agent="tank")
        identity = here.shelf.model.identity
        with here.store.write(project.id) as tx:
            stranger = tx.vectors.register(identity._replace(name="another", dimensions=8))
            tx.vectors.serve(stranger)
        found = project.recall("upload limit of the proxy", agent="tank")
        assert [hit.cosine for hit in found] == [0.0]
        assert "those of this project are of another (" in found.notes[0]
        assert project.reembed().model == identity
        again = project.recall("upload limit of the proxy", agent="tank")
        assert again[0].cosine > 0
        assert again.notes == ()
