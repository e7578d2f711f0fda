"""The seat: whose name stands in the record, for trusted callers and bound actors."""

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied, Impersonation, Invalid, UnknownMemory
from hansard.project import Project
from hansard.services.turn_away import REFUSALS_PER_MINUTE
from hansard.settings import Settings
from support.clock import FakeClock
from support.marks import invariant


def last_actor(project: Project) -> tuple[str, str]:
    event = project.list_events(limit=1).items[0]
    return event.actor, event.role


def test_a_trusted_caller_says_who_acts(project: Project) -> None:
    project.propose(agent="tank", slug="a", type="scope", content="c")
    assert last_actor(project) == ("tank", "agent")
    project.reject("a", by="Bob")
    assert last_actor(project) == ("Bob", "human")
    project.decide(type="scope", title="t", content="c")
    assert last_actor(project) == ("ana", "human")


def test_the_configured_agent_is_the_default(target: str, clock: FakeClock) -> None:
    with Hansard.open(target, settings=Settings(user="ana", agent="Tank"), clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        assert project.remember("x").agent == "Tank"
        assert project.propose(slug="a", type="scope", content="c", agent="neo").author == "neo"


def test_without_any_agent_the_caller_is_asked_for_one(project: Project) -> None:
    with pytest.raises(Invalid, match="Say which agent"):
        project.remember("x")


@invariant("INV-24")
def test_a_bound_agent_writes_under_its_own_name_and_no_other(hansard: Hansard, project: Project) -> None:
    tank = hansard.project("shop", actor=Actor("tank"))
    assert tank.remember("x").agent == tank.remember("y", agent=" TANK ").agent == "tank"
    assert last_actor(project) == ("tank", "agent")
    memory = tank.remember("z", scope="team")
    with pytest.raises(Impersonation):
        tank.edit_memory(memory.id, by="ana", content="w")
    with pytest.raises(Impersonation):
        tank.forget(memory.id, by="ana")
    with pytest.raises(Impersonation):
        tank.start_session(focus="f", by="ana")
    assert project.current_session() is None


@invariant("INV-24")
def test_a_bound_agent_that_names_another_one_never_acts_for_it(hansard: Hansard, project: Project) -> None:
    secret = project.remember("secret", agent="neo")
    tank = hansard.project("shop", actor=Actor("tank"))
    for call in (
        lambda: tank.get_memory(secret.id, agent="neo"),
        lambda: tank.edit_memory(secret.id, agent="neo", content="x"),
        lambda: tank.forget(secret.id, agent="neo"),
        lambda: tank.compile(agent="neo"),
    ):
        with pytest.raises(Exception, match=r"no memory|may not|cannot act"):
            call()
    assert project.get_memory(secret.id) == secret
    assert {one.action for one in project.list_events().items if one.actor == "tank"} == {"policy.refused"}


def test_an_actor_without_a_role_is_refused_everything(hansard: Hansard, project: Project) -> None:
    ghost = hansard.project("shop", actor=Actor("ghost", []))
    for call in (ghost.list_inbox, ghost.list_decisions, ghost.list_memories, ghost.verify, ghost.compile):
        with pytest.raises(Denied):
            call()
    with pytest.raises(Denied):
        ghost.propose(slug="a", type="scope", content="c")
    assert {one.action for one in project.list_events().items if one.actor == "ghost"} == {"policy.refused"}


def test_a_service_writes_for_the_author_it_found_and_signs_the_event(hansard: Hansard, project: Project) -> None:
    scribe = hansard.project("shop", actor=Actor("scribe", "service"))
    entry = scribe.propose(agent="tank", slug="a", type="learning", content="c")
    assert entry.author == "tank"
    assert last_actor(project) == ("scribe", "service")
    scribe.merge(entry.id)
    rule = scribe.propose(agent="tank", slug="b", type="process", content="c")
    with pytest.raises(Denied):
        scribe.merge(rule.id)


def test_several_roles_add_up_and_are_written_down(hansard: Hansard, project: Project) -> None:
    project.propose(agent="neo", slug="a", type="scope", content="c")
    lead = hansard.project("shop", actor=Actor("morpheus", ["agent", "lead"]))
    lead.merge("a")
    assert last_actor(project) == ("morpheus", "agent+coordinator")


def test_a_refused_act_changes_nothing_but_is_kept_in_the_ledger(hansard: Hansard, project: Project) -> None:
    entry = project.propose(agent="neo", slug="a", type="scope", content="c")
    secret = project.remember("secret", agent="neo")
    stranger = hansard.project("shop", actor=Actor("stranger"))
    with pytest.raises(Denied):
        stranger.merge("a")
    with pytest.raises(UnknownMemory) as hidden:
        stranger.get_memory(secret.id)
    with pytest.raises(UnknownMemory) as missing:
        stranger.get_memory(entry.id)
    assert hidden.value.code == missing.value.code, "to a reader, forbidden equals missing"
    assert (project.get_entry("a"), project.get_memory(secret.id)) == (entry, secret)
    kept = [one for one in project.list_events().items if one.actor == "stranger"]
    assert [one.action for one in kept] == ["policy.refused", "policy.refused"]
    assert "secret" not in repr(kept)
    assert project.verify().ok


def test_whoever_is_refused_again_and_again_fills_no_history(
    hansard: Hansard, project: Project, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 600.0)
    project.propose(agent="neo", slug="a", type="scope", content="c")
    stranger = hansard.project("shop", actor=Actor("stranger"))
    for _ in range(REFUSALS_PER_MINUTE + 5):
        with pytest.raises(Denied):
            stranger.merge("a")
    monkeypatch.setattr("time.monotonic", lambda: 660.0)
    clock.advance(seconds=60)
    with pytest.raises(Denied):
        stranger.merge("a")

    kept = [one.details.get("further") for one in project.list_events().items if one.actor == "stranger"]
    assert len(kept) == REFUSALS_PER_MINUTE + 1
    assert [one for one in kept if one] == ["not noted in this minute"]
    assert kept[1] is not None, "the last of the first minute says that more of them are not noted"


def test_many_refusals_of_one_kind_hide_none_of_another(hansard: Hansard, project: Project) -> None:
    project.propose(agent="neo", slug="a", type="scope", content="c")
    secret = project.remember("secret", agent="neo")
    stranger = hansard.project("shop", actor=Actor("stranger"))
    for _ in range(REFUSALS_PER_MINUTE + 5):
        with pytest.raises(UnknownMemory):
            stranger.get_memory(secret.id)
    with pytest.raises(Denied):
        stranger.merge("a")

    assert project.list_events(limit=1).items[0].details["refusal"] == "Denied"
