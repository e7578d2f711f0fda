"""Finalising a run: the one way for a coordinator to accept the boundaries it wrote itself."""

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, HansardError, Impersonation, UnknownRun
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.marks import invariant


@pytest.fixture
def lead(hansard: Hansard, project: Project) -> Project:
    return hansard.project(project.key, actor=Actor("Morpheus", role="lead"))


def test_exactly_the_boundaries_the_run_itself_proposed_are_accepted(lead: Project, project: Project) -> None:
    run = lead.start_run()
    for slug, type in (("a", "architectural"), ("s", "scope"), ("l", "learning"), ("p", "process")):
        lead.propose(slug=slug, type=type, content="c", run_id=run.id)
    lead.propose(slug="outside", type="scope", content="c")
    with pytest.raises(Impersonation):
        project.propose(agent="tank", slug="worker", type="scope", content="c", run_id=run.id)
    promoted = lead.finalize_run(run.id)
    assert [one.entry.slug for one in promoted] == ["a", "s", "p"]
    assert {one.slug for one in project.list_inbox().items} == {"l", "outside"}
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


def test_a_boundary_behind_many_routine_entries_is_finalised_too() -> None:
    with Hansard.open(":memory:", settings=Settings(user="ana"), clock=FakeClock()) as hansard:
        hansard.project("shop", create=True)
        lead = hansard.project("shop", actor=Actor("morpheus", role="lead"))
        run = lead.start_run()
        lead.propose(slug="boundary", type="scope", content="c", run_id=run.id)
        for number in range(1_001):
            lead.propose(slug=f"note-{number}", type="learning", content="c", run_id=run.id)
        assert [one.entry.slug for one in lead.finalize_run(run.id)] == ["boundary"]


def test_an_agent_without_the_role_cannot_reach_it_by_another_spelling(hansard: Hansard, lead: Project) -> None:
    run = lead.start_run()
    lead.propose(slug="a", type="scope", content="c", run_id=run.id)
    with pytest.raises(HansardError):
        hansard.project("shop", actor=Actor("ＭＯＲＰＨＥＵＳ", role="agent")).finalize_run(run.id)
    assert lead.get_entry("a").status == "pending"
