"""Who may do what: the table of roles, acts and matters."""

import pytest

from hansard.domain.actors import Actor
from hansard.domain.errors import Denied, Impersonation
from hansard.domain.policy import CEILINGS, INFORMS, PIPELINE, Act, Ceiling, Matter, beyond, ceiling_of, may, require
from hansard.domain.vocabulary import DecisionType, Importance, MemoryType, Role, Scope, Trust
from support.marks import invariant
from support.records import memory

TANK = Actor("tank", Role.AGENT)
LEAD = Actor("morpheus", Role.COORDINATOR)
ANA = Actor("ana", Role.HUMAN)
SCRIBE = Actor("scribe", Role.SERVICE)
BOUNDARIES = (DecisionType.ARCHITECTURAL, DecisionType.SCOPE)
BINDING = (*BOUNDARIES, DecisionType.PROCESS, DecisionType.TECHNICAL)
ROUTINE = (DecisionType.LEARNING, DecisionType.PATTERN, DecisionType.UPDATE)


@pytest.mark.parametrize("act", list(Act))
@pytest.mark.parametrize("type", [None, *DecisionType])
def test_a_person_may_do_everything(act: Act, type: DecisionType | None) -> None:
    assert may(ANA, act, Matter(owner="tank", type=type, promoted=True))


@pytest.mark.parametrize("act", list(Act))
def test_somebody_without_a_role_may_do_nothing(act: Act) -> None:
    assert not may(Actor("ghost", []), act, Matter(owner="ghost", team=True))


@pytest.mark.parametrize("act", [Act.PROPOSE, Act.RECORD, Act.RUN])
def test_an_agent_writes_under_its_own_name_only(act: Act) -> None:
    require(TANK, act, Matter(owner=" TANK "))
    with pytest.raises(Impersonation, match="only trinity acts under that name"):
        require(TANK, act, Matter(owner="trinity"))
    with pytest.raises(Impersonation):
        require(LEAD, act, Matter(owner="trinity"))


@pytest.mark.parametrize("act", [Act.PROPOSE, Act.RECORD, Act.RUN])
def test_a_service_writes_for_the_author_it_found(act: Act) -> None:
    assert may(SCRIBE, act, Matter(owner="tank"))


@invariant("INV-17")
@pytest.mark.parametrize("act", [Act.PROPOSE, Act.RECORD, Act.RUN, Act.INJECT])
def test_nobody_but_people_speaks_in_a_persons_name(act: Act) -> None:
    for actor in (TANK, LEAD, SCRIBE):
        assert not may(actor, act, Matter(owner="ana", person=True))
    assert may(ANA, act, Matter(owner="bob", person=True))
    assert may(LEAD, Act.INJECT, Matter(owner="tank"))


@invariant("INV-17")
def test_core_context_is_written_by_its_own_agent_and_by_people() -> None:
    core = Matter(owner="tank", core=True)
    assert [may(one, Act.RECORD, core) for one in (TANK, ANA, SCRIBE, LEAD)] == [True, True, False, False]


@pytest.mark.parametrize("type", BOUNDARIES)
def test_an_agent_never_accepts_what_binds_the_team(type: DecisionType) -> None:
    assert not may(TANK, Act.ACCEPT, Matter(owner="trinity", type=type))
    assert not may(SCRIBE, Act.ACCEPT, Matter(owner="trinity", type=type))
    assert may(LEAD, Act.ACCEPT, Matter(owner="trinity", type=type))


@pytest.mark.parametrize("type", BINDING)
@pytest.mark.parametrize("finalising", [False, True])
def test_nobody_but_a_person_accepts_a_binding_proposal_of_their_own(type: DecisionType, finalising: bool) -> None:
    assert not may(TANK, Act.ACCEPT, Matter(owner="Tank", type=type, finalising=finalising))
    assert may(LEAD, Act.ACCEPT, Matter(owner="Morpheus", type=type, finalising=finalising)) is finalising


@pytest.mark.parametrize("type", ROUTINE)
def test_routine_entries_need_no_second_pair_of_eyes(type: DecisionType) -> None:
    for actor in (TANK, LEAD, SCRIBE):
        assert may(actor, Act.ACCEPT, Matter(owner=actor.name, type=type))


def test_a_proposal_is_rejected_by_a_lead_or_withdrawn_by_its_author() -> None:
    matter = Matter(owner="trinity", type=DecisionType.SCOPE)
    assert may(LEAD, Act.REJECT, matter)
    assert may(Actor("Trinity"), Act.REJECT, matter)
    assert not may(TANK, Act.REJECT, matter)
    assert not may(SCRIBE, Act.REJECT, matter)


@pytest.mark.parametrize("act", [Act.DECIDE, Act.AMEND])
def test_decisions_are_made_by_people_and_lesser_ones_by_a_lead(act: Act) -> None:
    assert not may(TANK, act, Matter(type=DecisionType.PROCESS))
    assert not may(SCRIBE, act, Matter(type=DecisionType.LEARNING))
    assert may(LEAD, act, Matter(type=DecisionType.PROCESS))
    assert not may(LEAD, act, Matter(type=DecisionType.ARCHITECTURAL))


def test_a_private_memory_is_read_by_its_agent_only() -> None:
    assert may(TANK, Act.READ_PRIVATE, Matter(owner="Tank"))
    assert may(TANK, Act.READ_PRIVATE, Matter(owner="trinity", team=True))
    for actor in (TANK, LEAD, SCRIBE):
        assert not may(actor, Act.READ_PRIVATE, Matter(owner="trinity"))
        assert not may(actor, Act.READ_PRIVATE, Matter(owner=None))


def test_a_team_memory_is_read_by_all_and_changed_by_its_own_agent() -> None:
    shared = Matter(owner="trinity", team=True)
    assert not may(TANK, Act.EDIT_MEMORY, shared)
    assert not may(TANK, Act.FORGET, shared)
    assert may(LEAD, Act.FORGET, shared)
    assert may(TANK, Act.EDIT_MEMORY, Matter(owner="tank", team=True))


def test_a_promoted_memory_is_not_forgotten_by_its_agent_alone() -> None:
    promoted = Matter(owner="tank", team=True, promoted=True)
    assert not may(TANK, Act.FORGET, promoted)
    assert may(LEAD, Act.FORGET, promoted)
    assert may(TANK, Act.FORGET, Matter(owner="tank"))


def test_projects_are_set_up_by_people_and_services() -> None:
    assert may(SCRIBE, Act.SET_UP)
    assert not may(TANK, Act.SET_UP)
    assert not may(LEAD, Act.SET_UP)


@pytest.mark.parametrize("actor", [TANK, LEAD, SCRIBE])
def test_what_passes_the_guard_for_secrets_is_said_by_people(actor: Actor) -> None:
    assert not may(actor, Act.ALLOW_SECRET)
    assert may(ANA, Act.ALLOW_SECRET)


@invariant("INV-17")
@pytest.mark.parametrize("role", list(Role))
def test_only_a_person_accepts_what_came_from_outside_or_out_of_a_tainted_run(role: Role) -> None:
    matter = Matter(owner="x", type=DecisionType.LEARNING)
    assert may(Actor("x", role), Act.ACCEPT, matter)
    for doubted in (matter._replace(outside=True), matter._replace(tainted=True)):
        for one in (doubted, doubted._replace(finalising=True)):
            assert may(Actor("x", role), Act.ACCEPT, one) == (role is Role.HUMAN)


@pytest.mark.parametrize("role", list(Role))
def test_only_a_person_reviews_raises_and_speaks_for_people_but_the_pipeline_quotes_them(role: Role) -> None:
    for act in (Act.REVIEW_GUARD, Act.RAISE, Act.SPEAK_FOR_PEOPLE):
        assert may(Actor("x", role), act) == (role is Role.HUMAN)
        quotes = act is Act.SPEAK_FOR_PEOPLE and role is Role.SERVICE
        assert may(Actor(PIPELINE, role), act) == (role is Role.HUMAN or quotes)


CORE, LEARNING = MemoryType.CORE_CONTEXT, MemoryType.LEARNING
HIGH, MEDIUM = Importance.HIGH, Importance.MEDIUM
TEAM, ALONE = Scope.TEAM, Scope.AGENT
ANYBODY, PEOPLE = frozenset(Role), frozenset({Role.HUMAN})
TABLE: list[tuple[Trust, str, MemoryType, Importance, Scope, frozenset[Role]]] = [
    # Where the words come from, who writes them down: the most they become by themselves, and who makes more of them.
    (Trust.TRUSTED, Role.HUMAN, CORE, HIGH, TEAM, ANYBODY),
    (Trust.TRUSTED, PIPELINE, LEARNING, HIGH, TEAM, PEOPLE),
    (Trust.WORKING, Role.HUMAN, CORE, HIGH, TEAM, ANYBODY),
    (Trust.WORKING, Role.COORDINATOR, CORE, HIGH, TEAM, ANYBODY),
    (Trust.WORKING, Role.AGENT, CORE, HIGH, TEAM, ANYBODY),
    (Trust.WORKING, Role.SERVICE, LEARNING, HIGH, TEAM, ANYBODY),
    (Trust.WORKING, PIPELINE, LEARNING, HIGH, ALONE, ANYBODY),
    (Trust.OUTSIDE, Role.HUMAN, LEARNING, MEDIUM, ALONE, PEOPLE),
    (Trust.OUTSIDE, Role.COORDINATOR, LEARNING, MEDIUM, ALONE, PEOPLE),
    (Trust.OUTSIDE, Role.AGENT, LEARNING, MEDIUM, ALONE, PEOPLE),
    (Trust.OUTSIDE, Role.SERVICE, LEARNING, MEDIUM, ALONE, PEOPLE),
    (Trust.OUTSIDE, PIPELINE, LEARNING, MEDIUM, ALONE, PEOPLE),
]


@invariant("INV-17")
def test_every_cell_of_the_table_of_ceilings() -> None:
    said = {(trust, writer): Ceiling(a, b, c, d) for trust, writer, a, b, c, d in TABLE}
    assert said == CEILINGS
    for (trust, writer), most in said.items():
        actor = Actor(PIPELINE, Role.SERVICE) if writer == PIPELINE else Actor("smith", Role(writer))
        assert ceiling_of(trust, actor, "tank") == most


@invariant("INV-17")
@pytest.mark.parametrize(("trust", "writer", "type", "importance", "scope", "raised_by"), TABLE)
def test_what_asks_for_more_than_its_ceiling_says_what_for(
    trust: Trust, writer: str, type: MemoryType, importance: Importance, scope: Scope, raised_by: frozenset[Role]
) -> None:
    most = Ceiling(type, importance, scope, raised_by)
    assert beyond(most, memory(type=type, importance=importance, scope=scope)) == ()
    for one in (LEARNING, MemoryType.PATTERN, MemoryType.UPDATE):
        assert beyond(most, memory(type=one, importance=Importance.LOW)) == ()
    asked = beyond(most, memory(type=CORE, importance=HIGH, scope=TEAM))
    told = ["core context"] * (type is not CORE) + ["a memory of the team"] * (scope is not TEAM)
    assert asked == (*told, *["of high importance"] * (importance is not HIGH))
    assert "a memory of the team" not in beyond(most, memory(type=CORE, scope=TEAM), placed=True)


def test_an_actor_has_the_ceiling_of_the_role_that_may_most_and_a_stranger_informs_at_most() -> None:
    both = Actor("smith", [Role.SERVICE, Role.AGENT])
    assert ceiling_of(Trust.WORKING, both, "tank") == CEILINGS[Trust.WORKING, Role.AGENT]
    service = Actor("smith", Role.SERVICE)
    assert ceiling_of(Trust.WORKING, service, "Smith") == CEILINGS[Trust.WORKING, Role.AGENT], "by its own name"
    assert ceiling_of(Trust.TRUSTED, service, "tank") == INFORMS, "not in the table"
    assert ceiling_of(Trust.WORKING, Actor("ghost", []), "ghost") == INFORMS
    assert ceiling_of(Trust.WORKING, Actor(PIPELINE, Role.AGENT), PIPELINE) == CEILINGS[Trust.WORKING, Role.AGENT]


def test_a_refusal_names_the_actor_its_role_and_the_reason() -> None:
    with pytest.raises(
        Denied, match=r"tank \(agent\) may not do this: .*accepted by a person or a coordinator"
    ) as caught:
        require(TANK, Act.ACCEPT, Matter(owner="trinity", type=DecisionType.SCOPE))
    assert caught.value.code == "policy.denied"
