"""The log of retrievals waits in each process: what is forgotten meanwhile, by whomever, does not come back with it."""

import pytest

from hansard import Hansard
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.raw import bytes_on_disk

SECRET = "4711"
TASK = f"Zeppelins land at gate seven: open its safe with {SECRET}."


@pytest.fixture
def gate(project: Project) -> str:
    return project.remember("Zeppelins land at gate seven.", agent="tank", scope="team").id


def tasks(project: Project) -> list[str | None]:
    return [one.task for one in reversed(project.retrievals())]


def test_the_task_of_a_forgotten_run_is_not_written_later(
    target: str, project: Project, gate: str, clock: FakeClock
) -> None:
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as opened:
        worker = opened.project(project.key)
        run = worker.start_run(agent="tank", task=TASK)
        block = worker.compile(agent="tank", task=TASK, run=run.id)
        assert block is not None
        worker.recall("zeppelin gate", agent="tank", run_id=run.id, task=TASK)
        # For the same words, and not in the run.
        worker.recall("zeppelin gate", agent="tank", task=TASK)
        worker.finish_run(run.id, outcome="completed", output=f"The safe opens with {SECRET}, the zeppelin is in it.")
        (left,) = project.list_memories(source="task_completion").items
        project.forget(left.id, by="ana")
        assert SECRET.encode() not in bytes_on_disk(target)

    assert SECRET.encode() not in bytes_on_disk(target)
    log = project.retrievals()
    assert {one.kind for one in log} == {"context", "search"}
    assert {one.memory_id for one in log} == {gate}
    assert {one.task for one in log} == {None}


def test_a_forgotten_memory_takes_the_tasks_along_for_which_it_was_surfaced(
    project: Project, elsewhere: Project, gate: str
) -> None:
    gone = project.remember("Balloons are filled in the hall.", agent="tank", scope="team")
    elsewhere.recall("zeppelin gate", agent="tank", task="Land.")
    elsewhere.recall("balloons hall", agent="tank", task=TASK)
    project.forget(gone.id, by="ana")
    elsewhere.recall("zeppelin gate", agent="tank", task="Land again.")

    log = {(one.memory_id, one.task) for one in elsewhere.retrievals()}
    assert {task for id, task in log if id == gone.id} == {None}
    assert {task for id, task in log if id == gate} >= {"Land.", "Land again."}


def test_what_was_asked_after_the_forgetting_stays(project: Project, elsewhere: Project, gate: str) -> None:
    run = project.start_run(agent="tank", task=TASK)
    project.finish_run(run.id, outcome="completed", output="The zeppelin has landed at the gate, with all its crew.")
    (left,) = project.list_memories(source="task_completion").items
    elsewhere.recall("gate seven", agent="neo", task="Before.", limit=1)
    project.forget(left.id, by="ana")
    elsewhere.recall("gate seven", agent="neo", task="After.", limit=1)

    assert {one.memory_id for one in elsewhere.retrievals()} == {gate}
    assert tasks(elsewhere) == [None, "After."]


def test_what_waits_when_words_are_redacted_is_written_without_its_task(
    project: Project, elsewhere: Project, gate: str
) -> None:
    entry = project.propose(agent="tank", slug="safe", type="learning", content=TASK)
    project.hold(entry.id, reason="It names a combination.")
    elsewhere.recall("zeppelin gate", agent="tank", task=TASK)
    project.redact(entry.id, reason="It names a combination.")

    assert tasks(elsewhere) == [None]


def test_other_changes_leave_the_tasks_that_wait(project: Project, elsewhere: Project, gate: str) -> None:
    elsewhere.recall("zeppelin gate", agent="tank", task="Land.")
    project.edit_memory(gate, agent="tank", importance="high")
    project.remember("Airships are slow.", agent="tank")

    assert tasks(elsewhere) == ["Land."]
