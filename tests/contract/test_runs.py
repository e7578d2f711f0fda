"""Runs: started, finished once, and carried by what is made in them."""

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Impersonation, Invalid, RunEnded, UnknownRun, UnknownValue
from hansard.domain.vocabulary import RunOutcome
from hansard.project import Project


def test_a_run_starts_open_with_what_it_was_given(project: Project) -> None:
    parent = project.start_run(agent="morpheus")
    run = project.start_run(agent="Tank", parent=parent.id, task="fix login", task_type="bug", tags="a,b")
    assert (run.agent, run.parent_id, run.task, run.task_type) == ("Tank", parent.id, "fix login", "bug")
    assert (run.tags, run.outcome, run.is_open) == (("a", "b"), None, True)
    assert project.get_run(run.id) == run


@pytest.mark.parametrize("outcome", ["completed", "failed", "Declined"])
def test_a_run_finishes_once_with_its_outcome(project: Project, outcome: str) -> None:
    run = project.start_run(agent="tank")
    done = project.finish_run(run.id, outcome=outcome, reason="because")
    assert (done.outcome, done.reason, done.is_open) == (RunOutcome(outcome.lower()), "because", False)
    with pytest.raises(RunEnded):
        project.finish_run(run.id, outcome="completed")
    assert project.get_run(run.id) == done


def test_a_bad_outcome_or_reason_finishes_nothing(project: Project) -> None:
    run = project.start_run(agent="tank")
    with pytest.raises(UnknownValue, match="outcome must be one of completed, failed, declined"):
        project.finish_run(run.id, outcome="ok")
    with pytest.raises(Invalid):
        project.finish_run(run.id, outcome="failed", reason="\x00")
    assert project.get_run(run.id) == run


def test_what_is_made_in_a_run_carries_it_to_the_decision(project: Project) -> None:
    run = project.start_run(agent="tank")
    entry = project.propose(agent="tank", slug="a", type="learning", content="c", run_id=run.id)
    memory = project.remember("m", agent="tank", run_id=run.id)
    decision = project.merge(entry.id, by="ana")
    assert entry.run_id == memory.run_id == decision.run_id == run.id
    assert {one.run_id for one in project.list_memories().items} == {run.id}


@pytest.mark.parametrize("id", ["", "nope", "01900000-0000-7000-8000-000000000000", "\x00", "\ud800"])
def test_a_run_that_does_not_exist_is_refused_everywhere(project: Project, id: str) -> None:
    head = project.verify().events
    for call in (
        lambda: project.get_run(id),
        lambda: project.finish_run(id, outcome="failed"),
        lambda: project.start_run(agent="tank", parent=id),
        lambda: project.propose(agent="tank", slug="a", type="scope", content="c", run_id=id),
        lambda: project.remember("m", agent="tank", run_id=id),
    ):
        with pytest.raises(UnknownRun):
            call()
    assert project.verify().events == head


def test_runs_are_listed_newest_first_by_agent_and_by_being_open(project: Project) -> None:
    one, two, three = (project.start_run(agent=name) for name in ("tank", "neo", "TANK"))
    project.finish_run(one.id, outcome="completed")
    assert [run.id for run in project.list_runs().items] == [three.id, two.id, one.id]
    assert [run.id for run in project.list_runs(agent="tank").items] == [three.id, one.id]
    assert [run.id for run in project.list_runs(agent="tank", open_only=True).items] == [three.id]
    page = project.list_runs(limit=2)
    assert [run.id for run in project.list_runs(limit=2, cursor=page.next_cursor).items] == [one.id]


def test_an_agent_finishes_only_its_own_run(hansard: Hansard, project: Project) -> None:
    run = project.start_run(agent="neo")
    with pytest.raises(Impersonation):
        hansard.project("shop", actor=Actor("tank")).finish_run(run.id, outcome="failed")
    assert hansard.project("shop", actor=Actor("Neo")).finish_run(run.id, outcome="completed").outcome == "completed"
