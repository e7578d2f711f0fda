"""A store that goes back and on again: nobody finds what is gone, and everybody finds what came instead."""

import pytest

from hansard import Hansard
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.restoring import keep

LOST = ("Zebras sleep in pyjamas.", "Zebras wear large hats.")
CAME = ("Walrus teeth are long.", "Marmot caves are deep.", "Giraffe necks are tall.")


def found(project: Project, query: str) -> list[str]:
    return [hit.memory.content for hit in project.recall(query, agent="tank", limit=5) if hit.coverage > 0.5]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_search_after_a_restore_finds_what_came_since_and_not_what_is_gone(
    project: Project, target: str, clock: FakeClock, count: int
) -> None:
    project.remember("Lamps are lit at noon.", agent="tank")
    put_back = keep(target)
    for words in LOST:
        project.remember(words, agent="tank")
    assert found(project, "zebras in pyjamas") == [LOST[0]]
    put_back()
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as another:
        # As many changes as were lost bring the stamp back to where it was, and one more past it.
        for words in CAME[:count]:
            another.project("shop").remember(words, agent="tank")
    assert [found(project, words) for words in CAME[:count]] == [[words] for words in CAME[:count]]
    assert found(project, "lamps at noon") == ["Lamps are lit at noon."]
    assert found(project, "zebras in pyjamas") == []


def test_changes_that_searches_do_not_see_cost_no_new_index(project: Project, hansard: Hansard) -> None:
    project.remember("Lamps are lit at noon.", agent="tank")
    assert found(project, "lamps")
    with hansard.store.read(project.id) as tx:
        held = hansard.shelf.index_of(tx)
    project.decide(type="scope", title="Lamps", content="Lamps only.")
    assert found(project, "lamps")
    with hansard.store.read(project.id) as tx:
        again = hansard.shelf.index_of(tx)
        head = tx.ledger.head()
    assert held is not None
    assert again is not None
    assert again.units is held.units
    assert held.units.head == head


def told(project: Project) -> str:
    block = project.compile(agent="tank")
    return "" if block is None else block.text


def test_a_block_after_a_restore_tells_what_binds_now(project: Project, target: str, clock: FakeClock) -> None:
    project.decide(type="scope", title="Lamps", content="Lamps only.")
    put_back = keep(target)
    project.decide(type="scope", title="Zebras", content="Zebras too.")
    assert "Zebras too." in told(project)
    put_back()
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as another:
        # The record is as long as it was, and says something else.
        another.project("shop").decide(type="scope", title="Walrus", content="The walrus too.")
    block = told(project)
    assert "The walrus too." in block
    assert "Lamps only." in block
    assert "Zebras too." not in block
