"""Finalising a run: the one way for a coordinator to accept the boundaries it wrote itself."""

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, HansardError, Impersonation, RunEnded, StoreCorrupt, UnknownRun
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.marks import invariant
from support.raw import everything, mend, sabotage


@pytest.fixture
def lead(hansard: Hansard, project: Project) -> Project:
    return hansard.project(project.key, actor=Actor("Morpheus", role="lead"))


def test_exactly_the_boundaries_the_run_itself_proposed_are_accepted(lead: Project, project: Project) -> None:
    run = lead.start_run()
    for slug, type in (("a", "architectural"), ("s", "scope"), ("l", "learning"), ("p", "process"), ("t", "technical")):
        lead.propose(slug=slug, type=type, content="c", run_id=run.id)
    lead.propose(slug="outside", type="scope", content="c")
    with pytest.raises(Impersonation):
        project.propose(agent="tank", slug="worker", type="scope", content="c", run_id=run.id)
    promoted = lead.finalize_run(run.id)
    assert [one.entry.slug for one in promoted] == ["a", "s"]
    assert {one.slug for one in project.list_inbox().items} == {"l", "p", "t", "outside"}
    assert {one.decided_by for one in project.list_decisions().items} == {"Morpheus"}
    assert lead.finalize_run(run.id) == []
    assert project.verify().ok


@invariant("INV-24")
def test_nobody_finalises_the_run_of_another_and_no_agent_its_own(hansard: Hansard, lead: Project) -> None:
    run = lead.start_run()
    lead.propose(slug="a", type="scope", content="c", run_id=run.id)
    tank = hansard.project("shop", actor=Actor("tank"))
    own = tank.start_run()
    tank.propose(slug="t", type="scope", content="c", run_id=own.id)
    for caller, id in (
        (tank, run.id),
        (tank, own.id),
        (lead, own.id),
        (hansard.project("shop", actor=Actor("morpheus", role="agent")), run.id),
        (hansard.project("shop", actor=Actor("trinity", role="lead")), run.id),
    ):
        with pytest.raises(Denied):
            caller.finalize_run(id)
    assert {one.slug for one in lead.list_inbox().items} == {"a", "t"}
    assert lead.list_decisions(status="all").items == ()


def test_a_person_may_finalise_any_run_and_an_unknown_one_is_not_found(lead: Project, project: Project) -> None:
    run = lead.start_run()
    lead.propose(slug="a", type="scope", content="c", run_id=run.id)
    with pytest.raises(UnknownRun):
        project.finalize_run("nope", by="ana")
    assert [one.decision.decided_by for one in project.finalize_run(run.id, by="ana")] == ["ana"]


def test_a_person_finalises_no_run_that_no_coordinator_leads(hansard: Hansard, project: Project) -> None:
    run = project.start_run(agent="tank")
    project.propose(agent="tank", slug="t", type="scope", content="c", run_id=run.id)
    with pytest.raises(Denied, match="tank leads nothing here"):
        project.finalize_run(run.id, by="ana")
    assert project.get_entry("t").status == "pending"
    # Whoever was an agent first and begins a run as coordinator leads that run.
    lead = hansard.project("shop", actor=Actor("tank", role="coordinator"))
    led = lead.start_run()
    lead.propose(slug="l", type="scope", content="c", run_id=led.id)
    assert [one.entry.slug for one in project.finalize_run(led.id, by="ana")] == ["l"]


def test_a_boundary_behind_many_routine_entries_is_finalised_too() -> None:
    with Hansard.open(":memory:", settings=Settings(user="ana"), clock=FakeClock()) as hansard:
        hansard.project("shop", create=True)
        lead = hansard.project("shop", actor=Actor("morpheus", role="lead"))
        run = lead.start_run()
        lead.propose(slug="boundary", type="scope", content="c", run_id=run.id)
        for number in range(1_001):
            lead.propose(slug=f"note-{number}", type="learning", content="c", run_id=run.id)
        assert [one.entry.slug for one in lead.finalize_run(run.id)] == ["boundary"]


def test_a_boundary_made_before_the_run_or_updated_after_it_is_the_runs_own(lead: Project) -> None:
    lead.propose(slug="before", type="scope", content="c")
    run = lead.start_run()
    lead.propose(slug="before", type="scope", content="said in the run", run_id=run.id)
    lead.propose(slug="after", type="architectural", content="said in the run", run_id=run.id)
    lead.propose(slug="after", type="architectural", content="said later")
    lead.propose(slug="beside", type="scope", content="c", run_id=lead.start_run().id)
    assert [one.decision.content for one in lead.finalize_run(run.id)] == ["said in the run", "said later"]
    assert [one.slug for one in lead.list_inbox().items] == ["beside"]


def test_the_author_of_a_boundary_is_known_in_any_spelling(hansard: Hansard, lead: Project) -> None:
    run = lead.start_run()
    loud = hansard.project("shop", actor=Actor("MORPHEUS", role="lead"))
    loud.propose(slug="a", type="scope", content="c", run_id=run.id)
    assert [one.entry.slug for one in loud.finalize_run(run.id)] == ["a"]


def test_a_child_runs_boundaries_await_review(project: Project, lead: Project) -> None:
    run = lead.start_run()
    child = project.start_run(agent="tank", parent=run.id)
    project.propose(agent="tank", slug="a", type="scope", content="c", run_id=child.id)
    project.finish_run(child.id, outcome="completed")
    assert lead.finalize_run(run.id) == []


def test_one_boundary_that_cannot_be_accepted_keeps_all_of_them_pending(lead: Project, target: str) -> None:
    run = lead.start_run()
    for slug in ("a", "b"):
        lead.propose(slug=slug, type="scope", content="c", run_id=run.id)
    before = everything(target)
    sabotage(target, "INSERT ON decisions WHEN NEW.number = 2")
    with pytest.raises(StoreCorrupt):
        lead.finalize_run(run.id)
    assert everything(target) == before
    mend(target)
    assert [one.entry.slug for one in lead.finalize_run(run.id)] == ["a", "b"]


@pytest.mark.parametrize("outcome", ["failed", "declined"])
def test_what_a_run_proposed_that_came_to_nothing_awaits_review(lead: Project, outcome: str) -> None:
    run = lead.start_run()
    lead.propose(slug="a", type="scope", content="c", run_id=run.id)
    lead.finish_run(run.id, outcome=outcome)
    with pytest.raises(RunEnded):
        lead.finalize_run(run.id)
    assert lead.get_entry("a").status == "pending"


def test_an_agent_without_the_role_cannot_reach_it_by_another_spelling(hansard: Hansard, lead: Project) -> None:
    run = lead.start_run()
    lead.propose(slug="a", type="scope", content="c", run_id=run.id)
    with pytest.raises(HansardError):
        hansard.project("shop", actor=Actor("ＭＯＲＰＨＥＵＳ", role="agent")).finalize_run(run.id)
    assert lead.get_entry("a").status == "pending"
