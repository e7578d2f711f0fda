"""Sessions: at most one open, and an ended one never changes."""

import re

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import (
    Invalid,
    NoOpenSession,
    SessionEnded,
    SessionExists,
    TooLarge,
    UnknownRun,
    UnknownSession,
)
from hansard.project import Project
from support.marks import invariant
from support.raw import everything


def test_a_session_starts_with_what_it_was_given(project: Project) -> None:
    run = project.start_run(agent="tank")
    session = project.start_session(
        focus="feature-x", id="sess-abc", issues=["#1", "#2", "#1"], summary="s", state='{"a": 1}', run_id=run.id,
        agent="tank",
    )  # fmt: skip
    assert (session.id, session.focus, session.issues) == ("sess-abc", "feature-x", ("#1", "#2"))
    assert (session.summary, session.state, session.run_id, session.opened_by) == ("s", '{"a": 1}', run.id, "tank")
    assert session.is_open
    assert project.current_session() == project.get_session("sess-abc") == session


def test_a_session_without_an_id_gets_thirty_two_hex_digits(project: Project) -> None:
    assert re.fullmatch(r"[0-9a-f]{32}", project.start_session(focus="f").id)


@invariant("INV-11")
def test_starting_a_session_ends_the_open_one_at_the_same_instant(project: Project, target: str) -> None:
    first = project.start_session(focus="one")
    second = project.start_session(focus="two")
    ended = project.get_session(first.id)
    assert ended.ended_at == second.started_at
    assert project.current_session() == second
    assert [one.id for one in project.list_sessions().items] == [second.id, first.id]
    assert [one.action for one in project.list_events(limit=2).items] == ["session.started", "session.ended"]


@invariant("INV-11")
def test_a_duplicate_id_is_a_conflict_and_closes_nothing(project: Project, target: str) -> None:
    project.start_session(focus="old", id="dupe")
    project.start_session(focus="open", id="other")
    before = everything(target)
    for id in ("dupe", "other", " dupe "):
        with pytest.raises(SessionExists) as caught:
            project.start_session(focus="new", id=id)
        assert caught.value.code == "session.exists"
    assert everything(target) == before


def test_a_bad_start_closes_nothing(project: Project) -> None:
    first = project.start_session(focus="one")
    for fields in ({"focus": ""}, {"focus": "a\nb"}, {"focus": "f", "id": ""}, {"focus": "f", "summary": "\x00"}):
        with pytest.raises(Invalid):
            project.start_session(**fields)
    with pytest.raises(UnknownRun):
        project.start_session(focus="f", run_id="nope")
    assert project.current_session() == first


def test_an_update_appends_a_line_or_replaces_on_request(project: Project) -> None:
    project.start_session(focus="f")
    project.update_session("one", agent="tank")
    assert project.update_session("two").summary == "one\ntwo"
    replaced = project.update_session("three", replace=True, focus="g", issues=["#3"], state="s")
    assert (replaced.summary, replaced.focus, replaced.issues, replaced.state) == ("three", "g", ("#3",), "s")
    assert replaced.version == 4
    assert project.update_session("", replace=True).summary is None
    assert project.update_session(issues=[]).issues == ()


def test_an_update_without_anything_is_refused(project: Project) -> None:
    project.start_session(focus="f")
    with pytest.raises(Invalid, match="Nothing to change"):
        project.update_session()


def test_a_summary_that_would_grow_past_its_limit_is_refused(project: Project) -> None:
    session = project.start_session(focus="f", summary="x" * 65_000)
    with pytest.raises(TooLarge):
        project.update_session("y" * 1_000)
    assert project.current_session() == session


def test_without_an_open_session_there_is_nothing_to_update_or_end(project: Project) -> None:
    assert project.current_session() is None
    with pytest.raises(NoOpenSession):
        project.update_session("x")
    with pytest.raises(NoOpenSession):
        project.end_session()


def test_an_ended_session_cannot_change(project: Project, target: str) -> None:
    session = project.start_session(focus="f")
    ended = project.end_session(by="ana")
    assert (ended.id, ended.is_open) == (session.id, False)
    assert project.current_session() is None
    before = everything(target)
    with pytest.raises(SessionEnded):
        project.update_session("x", id=session.id)
    with pytest.raises(SessionEnded):
        project.end_session(session.id)
    assert everything(target) == before
    assert project.list_sessions().items == (ended,)


@pytest.mark.parametrize("id", ["nope", "", "\x00", "a\x00b", "x" * 10_000], ids=range(5))
def test_an_unknown_session_is_not_found(project: Project, id: str) -> None:
    for call in (project.get_session, project.end_session):
        with pytest.raises(UnknownSession, match="There is no session"):
            call(id)


def test_what_is_no_text_names_no_session(project: Project) -> None:
    for call in (project.get_session, project.end_session):
        with pytest.raises(Invalid, match="not valid Unicode"):
            call("\ud800")


def test_sessions_are_listed_newest_first_and_paged(project: Project) -> None:
    made = [project.start_session(focus=str(number), id=name).id for number, name in enumerate(["z", "a", "m", "b"])]
    first = project.list_sessions(limit=3)
    rest = project.list_sessions(limit=3, cursor=first.next_cursor)
    assert [one.id for one in (*first.items, *rest.items)] == made[::-1]
    assert rest.next_cursor is None


def test_an_agent_leads_a_session_under_its_own_name(hansard: Hansard, project: Project) -> None:
    tank = hansard.project("shop", actor=Actor("tank"))
    assert tank.start_session(focus="f").opened_by == "tank"
    assert tank.update_session("done").summary == "done"
    assert {one.actor for one in project.list_events(limit=2).items} == {"tank"}
