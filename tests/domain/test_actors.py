"""Names and who is acting: two spellings of one name are one actor."""

import pytest

from hansard.domain import actors
from hansard.domain.actors import Actor
from hansard.domain.errors import Invalid, TooLarge, UnknownValue
from hansard.domain.limits import NAME_BYTES_MAX
from hansard.domain.vocabulary import Role


@pytest.mark.parametrize("spelling", ["tank", "Tank", " TANK ", "ｔａｎｋ", "tan\u212a"])
def test_spellings_of_one_name_are_one_actor(spelling: str) -> None:
    assert actors.key_of(spelling) == "tank"


def test_blanks_inside_a_name_count_once() -> None:
    assert actors.key_of("My   Agent") == actors.key_of("my agent")
    assert actors.clean_name("  My   Agent ") == "My Agent"


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x00", "\ud800"])
def test_a_name_is_one_clean_line(name: str) -> None:
    with pytest.raises(Invalid):
        actors.clean_name(name)


def test_a_name_has_a_limit() -> None:
    assert actors.clean_name("n" * NAME_BYTES_MAX)
    with pytest.raises(TooLarge):
        actors.clean_name("n" * (NAME_BYTES_MAX + 1))


def test_a_name_that_grows_when_normalised_keeps_the_limit() -> None:
    with pytest.raises(TooLarge):
        actors.clean_name("\u0958" * (NAME_BYTES_MAX // 3))


def test_an_actor_holds_one_role_or_several() -> None:
    assert Actor("tank").roles == {Role.AGENT}
    assert Actor("tank", "lead").roles == {Role.COORDINATOR}
    assert Actor("tank", ["service", "agent"]).role == "agent+service"
    assert Actor("tank", []).roles == frozenset()


def test_an_actor_of_an_unknown_role_is_refused() -> None:
    with pytest.raises(UnknownValue, match="role must be one of"):
        Actor("tank", "admin")


def test_actors_compare_by_name_and_roles_and_share_a_key() -> None:
    assert Actor("tank") == Actor("tank", "agent")
    assert Actor("Tank").key == Actor("tank").key
