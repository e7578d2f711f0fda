"""Redacting what a run left takes the words out of the run, and out of the other memory that it left."""

import pytest

from hansard.domain.memories import Memory
from hansard.domain.runs import FinishedRun
from hansard.domain.vocabulary import Scope
from hansard.project import Project
from support.marks import invariant

TASK = "Find out where zeppelins are filled with helium"
OUTPUT = "They are filled from the tank in hall seven, at night."


def left(project: Project) -> dict[Scope, Memory]:
    return {one.scope: one for one in project.list_memories(source="task_completion").items}


def done(tank: Project) -> FinishedRun:
    return tank.finish_run(tank.start_run(task=TASK, task_type="research").id, outcome="completed", output=OUTPUT)


def redact(project: Project, memory: Memory) -> None:
    project.redact(project.hold(memory.id, reason="a lie").id, reason="out with it")


@invariant("INV-17")
def test_the_task_and_the_reason_of_the_run_go_as_well(project: Project, tank: Project) -> None:
    run = tank.start_run(task=TASK, task_type="research")
    tank.finish_run(run.id, outcome="failed", reason=OUTPUT)
    redact(project, left(project)[Scope.AGENT])
    blank = tank.get_run(run.id)
    assert (blank.task, blank.reason) == ("[forgotten]", "[forgotten]")
    assert "run.forgotten" in [one.action for one in project.list_events().items]
    assert project.verify().ok


@invariant("INV-17")
@pytest.mark.parametrize("scope", [Scope.AGENT, Scope.TEAM])
def test_the_memory_of_the_agent_and_that_of_the_team_go_together(
    project: Project, tank: Project, scope: Scope
) -> None:
    run = done(tank)
    assert left(project).keys() == {Scope.AGENT, Scope.TEAM}
    ids = [one.id for one in left(project).values()]
    redact(project, left(project)[scope])
    assert left(project) == {}
    assert all(project.get_memory(one).is_forgotten for one in ids)
    told = [one for one in project.list_events().items if one.action == "memory.redacted"]
    assert {one.subject_id: one.details["reason"] for one in told} == dict.fromkeys(ids, "out with it")
    assert tank.get_run(run.id).task == "[forgotten]"
    assert project.verify().ok


def test_what_other_runs_left_and_what_was_made_of_the_twin_stay(project: Project, tank: Project) -> None:
    done(tank)
    first = left(project)
    other = tank.start_run(task=TASK, task_type="research")
    tank.finish_run(other.id, outcome="failed", reason="The hall was shut all day long.")
    mine = tank.remember("Halls are swept on Mondays.", run_id=tank.start_run(task="Sweep").id)
    corrected = project.edit_memory(first[Scope.TEAM].id, content="Nobody knows yet how airships get their gas.")
    redact(project, first[Scope.AGENT])
    assert {one.id for one in project.list_memories().items} >= {mine.id, corrected.id}
    assert tank.get_run(other.id).task == TASK
    assert project.get_memory(corrected.id).content == corrected.content
