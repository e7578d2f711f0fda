"""Where words come from says how far they are trusted, and what must wait for a reviewer."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.domain import lines, memories
from hansard.domain.actors import Actor
from hansard.domain.memories import Memory
from hansard.domain.policy import Act, Matter, may
from hansard.domain.trust import (
    AGAIN,
    ASKED,
    ASKS_CORE,
    ASKS_HIGH,
    ASKS_TEAM,
    RAISED,
    SECRET_SIGN,
    UNCLEARED,
    Trust,
    default_origin,
    is_independent,
    lasting,
    less_trusted,
    overreaches,
    reasons_to_hold,
    says_again,
    trust_of,
    voice_of,
)
from hansard.domain.vocabulary import Clearance, DecisionType, Importance, MemoryType, Origin, Role, Scope, Source
from support.marks import invariant

OUTSIDE = [Origin.TOOL_OUTPUT, Origin.IMPORTED_FILE, Origin.EXTRACTION, Origin.EXTERNAL]


def memory(origin: Origin | None = Origin.AGENT, **said: object) -> Memory:
    fields = {"id": "a", "agent": "tank", "run_id": None, "source_ref": None, **said}
    plain = memories.note("The API needs a Bearer prefix.", agent="tank")
    made = Memory(
        "a", "tank", plain.type, plain.importance, plain.scope, plain.source, plain.content, None, (), None, (), None,
        None, None, None, None, None, None, None, None, None, None, None, 0, None, 1, 0, 0, b"salt", origin=origin,
    )  # fmt: skip
    return made._replace(**fields)  # type: ignore[arg-type]


def test_people_are_trusted_agents_work_and_all_else_is_outside() -> None:
    assert trust_of(Origin.HUMAN) is Trust.TRUSTED
    assert trust_of(Origin.AGENT) is Trust.WORKING
    assert {trust_of(one) for one in OUTSIDE} == {Trust.OUTSIDE}


def test_what_says_no_origin_is_judged_by_how_it_got_here() -> None:
    assert trust_of(None, Source.MANUAL) is Trust.WORKING
    assert trust_of(None, Source.FILE_INDEX) is Trust.OUTSIDE
    assert trust_of(None, Source.EXTRACTION) is Trust.OUTSIDE


@pytest.mark.parametrize("role", list(Role))
def test_only_a_person_is_taken_for_a_person(role: Role) -> None:
    origin = default_origin(Source.MANUAL, Actor("ana", role))

    assert (origin is Origin.HUMAN) == (role is Role.HUMAN)
    assert may(Actor("ana", role), Act.SPEAK_FOR_PEOPLE) == (role is Role.HUMAN)


@invariant("INV-17")
@pytest.mark.parametrize("origin", OUTSIDE)
def test_what_comes_from_outside_is_held_if_it_asks_for_more_than_to_inform(origin: Origin) -> None:
    assert reasons_to_hold(memory(origin), ()) == ()
    assert reasons_to_hold(memory(origin, type=MemoryType.CORE_CONTEXT), ()) == (ASKS_CORE,)
    assert reasons_to_hold(memory(origin, scope=Scope.TEAM), ()) == (ASKS_TEAM,)
    assert reasons_to_hold(memory(origin, importance=Importance.HIGH), ()) == (ASKS_HIGH,)
    assert reasons_to_hold(memory(origin), ("a role marker",)) == ("a role marker",)


def test_a_note_file_has_the_scope_of_its_folder() -> None:
    ref = ".hansard/notes/shared/zep.md"
    noted = memory(Origin.IMPORTED_FILE, source=Source.FILE_INDEX, source_ref=ref, position=0, scope=Scope.TEAM)
    assert reasons_to_hold(noted, ()) == ()
    for other in ("zep.md", f"docs/{ref}", ".hansard/notes/zep.md", ".hansard/notes/x/../../zep.md"):
        assert reasons_to_hold(noted._replace(source_ref=other), ()) == (ASKS_TEAM,), "a file that somebody pointed at"
    assert reasons_to_hold(noted._replace(position=None), ()) == (ASKS_TEAM,), "a caller that only says so"
    assert reasons_to_hold(noted._replace(origin=Origin.EXTERNAL), ()) == (ASKS_TEAM,)


def test_an_agents_own_suspicious_words_wait_only_if_others_would_read_them() -> None:
    assert reasons_to_hold(memory(), ("sign",)) == ()
    assert reasons_to_hold(memory(scope=Scope.TEAM), ("sign",)) == ("sign",)
    assert reasons_to_hold(memory(type=MemoryType.CORE_CONTEXT), ("sign",)) == ("sign",)


@given(st.sampled_from(list(Scope)), st.sampled_from(list(MemoryType)), st.sampled_from(list(Importance)))
def test_what_a_person_says_never_waits(scope: Scope, type: MemoryType, importance: Importance) -> None:
    said = memory(Origin.HUMAN, scope=scope, type=type, importance=importance)

    assert reasons_to_hold(said, ("a role marker",)) == ()


def test_a_change_overreaches_if_it_makes_more_of_what_is_doubted() -> None:
    doubted = memory(Origin.EXTERNAL)

    assert overreaches(doubted, doubted._replace(scope=Scope.TEAM))
    assert overreaches(doubted, doubted._replace(importance=Importance.HIGH))
    assert overreaches(doubted, doubted._replace(type=MemoryType.CORE_CONTEXT))
    assert not overreaches(doubted, doubted._replace(importance=Importance.LOW))
    confirmed = doubted._replace(cleared=Clearance.CONFIRMED)
    assert not overreaches(confirmed, confirmed._replace(scope=Scope.TEAM))
    released = doubted._replace(cleared=Clearance.RELEASED)
    assert overreaches(released, released._replace(scope=Scope.TEAM))
    own = memory(signs=("sign",))
    assert overreaches(own, own._replace(scope=Scope.TEAM))
    assert not overreaches(memory(), memory(scope=Scope.TEAM))


def test_a_second_source_is_independent_only_if_nothing_is_shared() -> None:
    first = memory(Origin.EXTERNAL, run_id="r1", source_ref="page")
    second = memory(Origin.AGENT, agent="smith", run_id="r2")

    assert is_independent(first, second)
    assert not is_independent(first, second._replace(agent="Tank "))
    assert not is_independent(first, second._replace(origin=Origin.EXTERNAL))
    assert not is_independent(first, second._replace(origin=Origin.TOOL_OUTPUT)), "two pages may have one author"
    assert not is_independent(first, second._replace(run_id="r1"))
    assert not is_independent(first, second._replace(source_ref="page"))
    assert not is_independent(first, second._replace(content="Something else."))


@pytest.mark.parametrize("role", list(Role))
def test_only_a_person_reviews_the_quarantine_and_raises_what_is_doubted(role: Role) -> None:
    assert may(Actor("x", role), Act.REVIEW_GUARD) == (role is Role.HUMAN)
    assert may(Actor("x", role), Act.RAISE) == (role is Role.HUMAN)


@pytest.mark.parametrize("role", list(Role))
def test_a_proposal_from_outside_is_accepted_by_people_and_a_file_by_coordinators_too(role: Role) -> None:
    matter = Matter(owner="tank", type=DecisionType.LEARNING)

    assert may(Actor("x", role), Act.ACCEPT, matter._replace(outside=True)) == (role is Role.HUMAN)
    filed = matter._replace(filed=True)
    assert may(Actor("x", role), Act.ACCEPT, filed) == (role in {Role.HUMAN, Role.COORDINATOR})
    assert may(Actor("x", role), Act.ACCEPT, filed._replace(finalising=True)) == (role is Role.HUMAN)


@pytest.mark.parametrize("origin", OUTSIDE)
def test_all_that_comes_from_one_kind_of_place_outside_is_one_voice(origin: Origin) -> None:
    voices = {voice_of(agent, origin, Source.MANUAL, None) for agent in ("tank", "neo")}

    assert len(voices) == 1
    assert voices != {voice_of("tank", Origin.AGENT, Source.MANUAL, None)}
    assert voice_of("tank", origin, Source.MANUAL, Clearance.RELEASED) in voices


@pytest.mark.parametrize(
    ("origin", "source", "cleared"),
    [
        (None, Source.MANUAL, None),
        (Origin.HUMAN, Source.MANUAL, None),
        (Origin.AGENT, Source.MANUAL, None),
        (Origin.IMPORTED_FILE, Source.FILE_INDEX, None),
        (Origin.EXTERNAL, Source.MANUAL, Clearance.CONFIRMED),
    ],
)
def test_an_agent_speaks_for_its_own_words_and_for_what_a_person_vouched_for(
    origin: Origin | None, source: Source, cleared: Clearance | None
) -> None:
    assert voice_of("tank", origin, source, cleared) == ("tank", "")


def test_words_that_came_from_two_places_have_the_less_trusted_origin() -> None:
    for one, other, worse in (
        (Origin.HUMAN, Origin.AGENT, Origin.AGENT),
        (None, Origin.HUMAN, None),
        (Origin.AGENT, Origin.IMPORTED_FILE, Origin.IMPORTED_FILE),
        (Origin.IMPORTED_FILE, Origin.EXTERNAL, Origin.EXTERNAL),
        (Origin.TOOL_OUTPUT, None, Origin.TOOL_OUTPUT),
    ):
        assert less_trusted(one, other) is less_trusted(other, one) is worse


def test_who_quotes_or_rephrases_a_little_says_a_thing_again() -> None:
    held = ["Deploys skip the slow tests on Fridays."]
    for again in (
        held[0],
        "DEPLOYS skip   slow tests, on Fridays!",
        f"Remember what I told you: {held[0]} Also, the sky over the town is blue and the birds sing.",
    ):
        assert says_again(again, held)
    assert not says_again("Deploys run all tests.", held)
    assert not says_again(held[0], [])
    assert not says_again("The red door is painted every year.", ["red door"]), "too short to be looked for"


@pytest.mark.parametrize("origin", [None, *Origin])
@pytest.mark.parametrize("source", list(Source))
@pytest.mark.parametrize("position", [None, 3])
def test_a_line_says_it_was_reviewed_if_it_would_have_waited_where_it_was_written(
    origin: Origin | None, source: Source, position: int | None
) -> None:
    for type, importance, scope in product(MemoryType, Importance, Scope):
        said = {"type": type, "importance": importance, "scope": scope, "source": source, "position": position}
        for source_ref in (None, "notes/a.md"):
            one = memory(origin, source_ref=source_ref, **said)
            waits = trust_of(origin, source) is Trust.OUTSIDE and bool(reasons_to_hold(one, ()))
            assert lines.asks_for_more(lines.of_memory(one)) == waits
            assert (lines.CLEARED_BY in lines.spelled(lines.of_memory(one))) == waits


def test_of_what_a_person_lets_out_only_the_signs_of_its_words_and_origin_stay() -> None:
    waited = (ASKED, AGAIN, SECRET_SIGN, UNCLEARED)
    assert lasting((*waited, "a demand to drop earlier instructions", ASKS_TEAM, RAISED)) == (
        "a demand to drop earlier instructions", ASKS_TEAM, RAISED,
    )  # fmt: skip
    assert lasting(waited) == ()
