"""Decisions: made, changed, replaced, retired, and shown as they once stood."""

from collections.abc import Callable

import pytest

from hansard import Actor, Hansard
from hansard.clock import iso
from hansard.domain.decisions import Decision
from hansard.domain.errors import (
    BadSupersession,
    DecisionNotActive,
    Denied,
    Invalid,
    StaleVersion,
    TooLarge,
    UnknownDecision,
    UnknownRun,
    UnknownValue,
)
from hansard.domain.vocabulary import DecisionStatus
from hansard.project import Project
from support.clock import FakeClock


def made(project: Project, title: str = "A", type: str = "scope", content: str = "c") -> Decision:
    return project.decide(type=type, title=title, content=content, by="ana")


def titles(project: Project, **wanted: str | int) -> list[str]:
    return [one.title for one in project.list_decisions(**wanted).items]  # type: ignore[arg-type]


def test_a_direct_decision_is_active_and_signed(project: Project) -> None:
    run = project.start_run(agent="tank")
    decision = project.decide(
        type="architectural", title="T", content="c", rationale="r", by="ana", tags="a,b",
        applies_to=["src/**", "src/**", "*.sql"], run_id=run.id,
    )  # fmt: skip
    assert (decision.number, decision.ref, decision.status) == (1, "D-1", DecisionStatus.ACTIVE)
    assert (decision.author, decision.decided_by, decision.entry_id) == ("ana", "ana", None)
    assert (decision.tags, decision.applies_to, decision.run_id) == (("a", "b"), ("src/**", "*.sql"), run.id)
    assert project.get_decision("D-1") == project.get_decision("1") == project.get_decision(decision.id) == decision


def test_an_update_is_versioned_and_an_empty_rationale_removes_it(project: Project) -> None:
    first = project.decide(type="scope", title="T", content="v1", rationale="r", by="ana")
    second = project.update_decision("D-1", by="bob", content="v2", rationale="", applies_to=["x"], tags=["t"])
    assert (second.version, second.content, second.rationale) == (2, "v2", None)
    assert (second.applies_to, second.tags, second.decided_by) == (("x",), ("t",), "ana")
    history = project.decision_history(first.id)
    assert history.decision == second
    assert [(one.version, one.body["content"], one.changed_by) for one in history.revisions] == [(1, "v1", "bob")]
    assert [one.action for one in history.events] == ["decision.made", "decision.amended"]


def test_an_update_that_says_nothing_new_changes_nothing(project: Project) -> None:
    first = made(project)
    assert project.update_decision(first.id, content="c") == first
    with pytest.raises(Invalid, match="Nothing to change"):
        project.update_decision(first.id)
    with pytest.raises(Invalid, match="'status' of a decision cannot be changed"):
        project.update_decision(first.id, status="archived")
    assert project.get_decision(first.id) == first


def test_an_update_of_a_stale_version_is_refused(project: Project) -> None:
    first = made(project)
    project.update_decision(first.id, content="v2", expected_version=1)
    with pytest.raises(StaleVersion, match="version 2, not 1"):
        project.update_decision(first.id, content="v3", expected_version=1)
    assert project.get_decision(first.id).content == "v2"


def test_a_superseded_decision_is_linked_to_its_successor_and_leaves_the_list(project: Project) -> None:
    old, new = made(project, "old"), made(project, "new")
    replaced = project.supersede(old.id, new.ref, by="ana")
    assert (replaced.status, replaced.superseded_by, replaced.version) == (DecisionStatus.SUPERSEDED, new.id, 2)
    assert titles(project) == ["new"]
    assert titles(project, status="superseded") == ["old"]
    assert project.decision_history(old.id).events[-1].details == {"by": new.id}


def test_a_decision_cannot_supersede_itself(project: Project) -> None:
    one = made(project)
    with pytest.raises(BadSupersession, match="itself"):
        project.supersede(one.id, "D-1", by="ana")
    assert project.get_decision(one.id) == one


def test_supersession_never_closes_a_circle(project: Project) -> None:
    a, b, c = (made(project, name) for name in "abc")
    project.supersede(a.id, b.id)
    with pytest.raises(BadSupersession, match="circle"):
        project.supersede(b.id, a.id)
    project.supersede(b.id, c.id)
    with pytest.raises(BadSupersession):
        project.supersede(c.id, a.id)
    assert titles(project) == ["c"]


def test_a_dead_or_unknown_successor_is_refused(project: Project, hansard: Hansard) -> None:
    old, dead = made(project, "old"), made(project, "dead")
    foreign = made(hansard.project("other", create=True))
    project.archive(dead.id)
    with pytest.raises(BadSupersession, match="archived"):
        project.supersede(old.id, dead.id)
    for unknown in ("D-99", foreign.id, "nonsense"):
        with pytest.raises(UnknownDecision):
            project.supersede(old.id, unknown)
    assert project.get_decision(old.id) == old


def test_only_an_active_decision_changes(project: Project) -> None:
    old, new, gone = made(project, "old"), made(project, "new"), made(project, "gone")
    project.supersede(old.id, new.id)
    project.archive(gone.id)
    for decision in (old, gone):
        with pytest.raises(DecisionNotActive):
            project.update_decision(decision.id, content="x")
        with pytest.raises(DecisionNotActive):
            project.archive(decision.id)
        with pytest.raises(DecisionNotActive):
            project.supersede(decision.id, new.id)
    with pytest.raises(DecisionNotActive, match="active already"):
        project.restore(new.id)


def test_archived_and_superseded_decisions_can_be_restored(project: Project) -> None:
    old, new = made(project, "old"), made(project, "new")
    project.supersede(old.id, new.id)
    project.archive(new.id)
    assert titles(project) == []
    restored = project.restore(old.id, by="ana")
    assert (restored.status, restored.superseded_by, restored.version) == (DecisionStatus.ACTIVE, None, 3)
    project.restore(new.id)
    assert titles(project) == ["new", "old"]
    assert project.verify().ok


def test_lists_filter_by_status_type_agent_and_text(project: Project) -> None:
    project.propose(agent="Tank", slug="s", type="process", content="Retry")
    project.merge("s", by="ana", title="P")
    made(project, "A", type="architectural")
    project.archive(made(project, "S").id)
    assert titles(project) == ["A", "P"]
    assert titles(project, status="ALL") == ["S", "A", "P"]
    assert titles(project, status="archived") == ["S"]
    assert titles(project, type="process") == titles(project, agent="TANK") == titles(project, text="rETRY") == ["P"]
    assert titles(project, agent="ana") == ["A"]
    with pytest.raises(UnknownValue):
        titles(project, status="rejected")
    with pytest.raises(UnknownValue):
        titles(project, type="core_context")


def test_lists_are_paged_now_and_in_the_past(project: Project, clock: FakeClock) -> None:
    for number in range(5):
        made(project, str(number))
    for as_of in (None, clock.now()):
        first = project.list_decisions(limit=3, as_of=as_of)
        rest = project.list_decisions(limit=3, as_of=as_of, cursor=first.next_cursor)
        assert [one.title for one in (*first.items, *rest.items)] == ["4", "3", "2", "1", "0"]
        assert rest.next_cursor is None


def test_a_list_as_of_a_time_shows_what_stood_then(project: Project, clock: FakeClock) -> None:
    before = clock.now()
    old = made(project, "old", content="v1")
    clock.advance(days=1)
    first = clock.now()
    project.update_decision(old.id, content="v2", title="renamed")
    clock.advance(days=1)
    second = clock.now()
    project.supersede(old.id, made(project, "new").id)
    clock.advance(days=1)
    third = clock.now()
    project.restore(old.id)
    assert titles(project, as_of=before) == []
    assert [(one.title, one.content, one.version) for one in project.list_decisions(as_of=first).items] == [
        ("old", "v1", 1)
    ]
    assert [(one.title, one.content) for one in project.list_decisions(as_of=iso(second)).items] == [("renamed", "v2")]
    assert titles(project, as_of=third) == ["new"]
    assert titles(project, as_of=third, status="superseded") == ["renamed"]
    assert titles(project, as_of=third, status="all", text="renam") == ["renamed"]
    assert titles(project, as_of=iso(clock.now())) == titles(project) == ["new", "renamed"]
    (then,) = project.list_decisions(as_of=third, status="superseded").items
    assert (then.superseded_by, then.author, then.type) == (project.get_decision("D-2").id, "ana", "scope")


@pytest.mark.parametrize("as_of", ["yesterday", "", "2026-99-99", 2**70, -(2**70)])
def test_a_time_that_is_none_is_refused(project: Project, as_of: str | int) -> None:
    with pytest.raises(Invalid):
        project.list_decisions(as_of=as_of)


@pytest.mark.parametrize(
    "reference", ["D-99", "P-1", "", "x", "0", "D-" + "9" * 15, "\x00", "\ud800", "d" * 9_999], ids=range(9)
)
def test_an_unknown_decision_is_not_found(project: Project, reference: str) -> None:
    project.propose(agent="a", slug="s", type="scope", content="c")
    for call in (project.get_decision, project.archive, project.restore, project.decision_history):
        with pytest.raises(UnknownDecision):
            call(reference)


def test_globs_have_limits(project: Project) -> None:
    with pytest.raises(TooLarge):
        project.decide(type="scope", title="t", content="c", applies_to=["g" * 401])
    with pytest.raises(TooLarge):
        project.decide(type="scope", title="t", content="c", applies_to=[str(number) for number in range(51)])
    with pytest.raises(UnknownRun):
        project.decide(type="scope", title="t", content="c", run_id="nope")
    assert project.list_decisions(status="all").items == ()


def test_agents_do_not_decide_and_a_lead_not_about_boundaries(hansard: Hansard, project: Project) -> None:
    boundary, minor = made(project, "b"), made(project, "m", type="process")
    tank = hansard.project("shop", actor=Actor("tank"))
    lead = hansard.project("shop", actor=Actor("morpheus", "lead"))
    denied: tuple[Callable[[], Decision], ...] = (
        lambda: tank.decide(type="learning", title="t", content="c"),
        lambda: tank.archive(minor.id),
        lambda: lead.decide(type="scope", title="t", content="c"),
        lambda: lead.update_decision(boundary.id, content="x"),
        lambda: lead.supersede(boundary.id, minor.id),
    )
    for call in denied:
        with pytest.raises(Denied):
            call()
    assert lead.update_decision(minor.id, content="x").content == "x"
    assert project.get_decision(boundary.id) == boundary
