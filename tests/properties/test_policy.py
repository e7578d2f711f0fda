"""Policy: taking a role away never grants anything, and no agent gets round review."""

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.actors import Actor, key_of
from hansard.domain.policy import Act, Matter, may
from hansard.domain.vocabulary import BOUNDARY_TYPES, ROUTINE_TYPES, DecisionType, Role
from support.examples import examples
from support.marks import invariant

roles = st.sets(st.sampled_from(Role))
names = st.sampled_from(["tank", "Tank", " TANK", "trinity", "日本"])
matters = st.builds(
    Matter,
    owner=st.none() | names,
    type=st.none() | st.sampled_from(DecisionType),
    team=st.booleans(),
    promoted=st.booleans(),
    edited=st.booleans(),
    finalising=st.booleans(),
    outside=st.booleans(),
    tainted=st.booleans(),
    person=st.booleans(),
    core=st.booleans(),
)


@examples(500)
@given(roles, roles, st.sampled_from(Act), matters, names)
def test_taking_a_role_away_never_grants_anything(
    kept: set[Role], taken: set[Role], act: Act, matter: Matter, name: str
) -> None:
    if may(Actor(name, kept), act, matter):
        assert may(Actor(name, kept | taken), act, matter)


@examples(150)
@given(st.sampled_from(Act), matters, names)
def test_nobody_without_a_role_may_do_anything(act: Act, matter: Matter, name: str) -> None:
    assert not may(Actor(name, []), act, matter)


@invariant("INV-24")
@examples(200)
@given(matters, names, st.sampled_from([{Role.AGENT}, {Role.SERVICE}, {Role.AGENT, Role.SERVICE}]))
def test_an_agent_never_accepts_boundaries_or_its_own_rules(matter: Matter, name: str, held: set[Role]) -> None:
    if matter.type in ROUTINE_TYPES:
        return
    own = matter.owner is not None and key_of(matter.owner) == key_of(name)
    if matter.type in BOUNDARY_TYPES or own:
        assert not may(Actor(name, held), Act.ACCEPT, matter)


@invariant("INV-24")
@examples(200)
@given(matters, names)
def test_a_lead_accepts_its_own_rules_only_by_finalising(matter: Matter, name: str) -> None:
    own = matter.owner is not None and key_of(matter.owner) == key_of(name)
    if own and matter.type not in ROUTINE_TYPES:
        allowed = may(Actor(name, Role.COORDINATOR), Act.ACCEPT, matter)
        assert allowed is (matter.finalising and not (matter.edited or matter.outside or matter.tainted))


@invariant("INV-24")
@examples(200)
@given(
    st.sampled_from([Act.PROPOSE, Act.RECORD, Act.RUN, Act.EDIT_MEMORY]),
    matters,
    names,
    st.sampled_from([{Role.AGENT}, {Role.COORDINATOR}, {Role.AGENT, Role.COORDINATOR}]),
)
def test_nobody_acts_under_another_agents_name(act: Act, matter: Matter, name: str, held: set[Role]) -> None:
    own = matter.owner is not None and key_of(matter.owner) == key_of(name)
    reviewed = act is Act.EDIT_MEMORY and matter.promoted
    assert may(Actor(name, held), act, matter) is (own and not reviewed)


@examples(150)
@given(matters, names, st.sampled_from([Act.DECIDE, Act.AMEND]), st.sampled_from([Role.AGENT, Role.SERVICE]))
def test_no_agent_or_service_decides(matter: Matter, name: str, act: Act, role: Role) -> None:
    assert not may(Actor(name, role), act, matter)


@invariant("INV-09")
@examples(150)
@given(matters, names, roles)
def test_a_private_memory_is_read_by_its_agent_a_person_or_nobody(matter: Matter, name: str, held: set[Role]) -> None:
    own = matter.owner is not None and key_of(matter.owner) == key_of(name)
    expected = bool(held) and (own or matter.team or Role.HUMAN in held)
    assert may(Actor(name, held), Act.READ_PRIVATE, matter) is expected


@invariant("INV-17")
@examples(200)
@given(matters, names, roles)
def test_what_came_from_outside_or_out_of_a_tainted_run_is_accepted_by_people_only(
    matter: Matter, name: str, held: set[Role]
) -> None:
    doubted = matter._replace(outside=True) if matter.promoted else matter._replace(tainted=True)
    assert may(Actor(name, held), Act.ACCEPT, doubted) is (Role.HUMAN in held)
