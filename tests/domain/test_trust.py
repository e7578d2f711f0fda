"""Where words come from says how far they are trusted: the tiers, and what an origin becomes on the way."""

from itertools import product

import pytest

from hansard.domain import lines
from hansard.domain.actors import Actor
from hansard.domain.policy import INFORMS, beyond
from hansard.domain.trust import (
    AGAIN,
    ASKED,
    RAISED,
    SECRET_SIGN,
    UNCLEARED,
    default_origin,
    is_for_person,
    is_from_outside,
    is_indexed,
    is_note,
    is_vouched,
    lasting,
    less_trusted,
    tier_of,
    trust_of,
)
from hansard.domain.vocabulary import Clearance, Importance, MemoryType, Origin, Role, Scope, Source, Trust
from support.marks import invariant
from support.records import entry, memory

OUTSIDE = [Origin.TOOL_OUTPUT, Origin.IMPORTED_FILE, Origin.EXTRACTION, Origin.EXTERNAL]
NOTE = ".hansard/notes/shared/zep.md"


def test_people_are_trusted_agents_work_and_all_else_is_outside() -> None:
    assert trust_of(Origin.HUMAN) is Trust.TRUSTED
    assert trust_of(Origin.AGENT) is Trust.WORKING
    assert {trust_of(one) for one in OUTSIDE} == {Trust.OUTSIDE}
    assert {*OUTSIDE, Origin.HUMAN, Origin.AGENT} == set(Origin)


def test_what_says_no_origin_is_judged_by_how_it_got_here() -> None:
    for source in Source:
        outside = source in {Source.FILE_INDEX, Source.EXTRACTION}
        assert trust_of(None, source) is (Trust.OUTSIDE if outside else Trust.WORKING)
        assert tier_of(memory()._replace(source=source)) is trust_of(None, source)
    assert tier_of(entry()) is Trust.WORKING


@pytest.mark.parametrize("role", list(Role))
def test_only_a_person_is_taken_for_a_person(role: Role) -> None:
    actor = Actor("ana", role)
    assert default_origin(Source.MANUAL, actor) is (Origin.HUMAN if role is Role.HUMAN else Origin.AGENT)
    assert default_origin(Source.FILE_INDEX, actor) is Origin.IMPORTED_FILE
    assert default_origin(Source.EXTRACTION, actor) is Origin.EXTRACTION


@invariant("INV-17")
@pytest.mark.parametrize("origin", OUTSIDE)
def test_words_from_outside_stay_so_until_a_person_confirms_them(origin: Origin) -> None:
    for record in (memory(), entry()):
        said = record._replace(origin=origin)
        assert is_from_outside(said)
        assert is_from_outside(said._replace(cleared=Clearance.RELEASED)), "shown again, and vouched for by nobody"
        assert not is_from_outside(said._replace(cleared=Clearance.CONFIRMED))
    assert not is_vouched(memory()._replace(origin=origin))
    assert is_vouched(memory()._replace(origin=origin, cleared=Clearance.CONFIRMED))
    assert is_vouched(memory()._replace(origin=Origin.HUMAN))


@invariant("INV-17")
def test_words_that_came_from_two_places_have_the_less_trusted_origin() -> None:
    for one, other, worse in (
        (Origin.HUMAN, Origin.AGENT, Origin.AGENT),
        (None, Origin.HUMAN, None),
        (Origin.AGENT, Origin.IMPORTED_FILE, Origin.IMPORTED_FILE),
        (Origin.IMPORTED_FILE, Origin.EXTERNAL, Origin.EXTERNAL),
        (Origin.TOOL_OUTPUT, None, Origin.TOOL_OUTPUT),
    ):
        assert less_trusted(one, other) is less_trusted(other, one) is worse
    for one, other in product(Origin, repeat=2):
        found = less_trusted(one, other)
        assert found in {one, other}
        assert Trust.OUTSIDE not in {trust_of(one), trust_of(other)} or trust_of(found) is Trust.OUTSIDE


@invariant("INV-17")
def test_a_note_is_what_was_indexed_of_a_file_in_a_note_folder_and_nothing_that_only_says_so() -> None:
    noted = memory()._replace(origin=Origin.IMPORTED_FILE, source=Source.FILE_INDEX, source_ref=NOTE, position=0)
    assert is_note(noted)
    for other in ("zep.md", f"docs/{NOTE}", ".hansard/notes/zep.md", ".hansard/notes/x/../../zep.md"):
        pointed = noted._replace(source_ref=other)
        assert is_indexed(pointed)
        assert not is_note(pointed), "a file that somebody pointed at"
    for change in ({"position": None}, {"origin": Origin.EXTERNAL}, {"source": Source.MANUAL}, {"source_ref": None}):
        assert not is_indexed(noted._replace(**change))


@pytest.mark.parametrize("origin", [None, *Origin])
@pytest.mark.parametrize("source", list(Source))
@pytest.mark.parametrize("position", [None, 3])
def test_a_line_says_it_was_reviewed_if_it_would_have_waited_where_it_was_written(
    origin: Origin | None, source: Source, position: int | None
) -> None:
    for type, importance, scope in product(MemoryType, Importance, Scope):
        for source_ref in (None, "notes/a.md", NOTE):
            one = memory(type=type, importance=importance, scope=scope)._replace(
                origin=origin, source=source, source_ref=source_ref, position=position
            )
            asks = bool(beyond(INFORMS, one, placed=is_note(one)))
            waits = trust_of(origin, source) is Trust.OUTSIDE and asks
            assert lines.asks_for_more(lines.of_memory(one)) == waits
            assert (lines.CLEARED_BY in lines.spelled(lines.of_memory(one))) == waits


def test_of_what_a_person_lets_out_only_the_remarks_about_its_words_stay() -> None:
    waited = (ASKED, AGAIN, SECRET_SIGN, UNCLEARED, RAISED, "asks to be core context")
    assert lasting((*waited, "an override")) == ("an override",)
    assert lasting(waited) == ()
    for sign, persons in ((ASKED, True), (SECRET_SIGN, True), (AGAIN, False), ("an override", False)):
        held = memory()._replace(signs=(sign,), quarantined_at=1)
        assert is_for_person(held) is persons
        assert not is_for_person(held._replace(quarantined_at=None))
