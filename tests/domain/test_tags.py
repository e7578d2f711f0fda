"""Tags: whole words, each once, and team scope as one of them."""

import pytest

from hansard.domain import tags
from hansard.domain.errors import Invalid, TooLarge
from hansard.domain.limits import TAG_BYTES_MAX, TAGS_COUNT_MAX
from hansard.domain.vocabulary import Scope


@pytest.mark.parametrize("values", [None, "", " , ,", [], ["", " "]])
def test_no_tags_in_any_spelling_is_no_tags(values: list[str] | str | None) -> None:
    assert tags.normalise(values) == ()


@pytest.mark.parametrize(
    "values", ["cross-team, database ,,x", ["cross-team", "database", "x"], ["cross-team,database", " X "]]
)
def test_a_string_and_a_list_mean_the_same(values: list[str] | str) -> None:
    assert tags.normalise(values) == ("cross-team", "database", "x")


def test_tags_are_lower_case_and_each_once_in_the_order_given() -> None:
    assert tags.normalise(["B", "a", "b", "A"]) == ("b", "a")


def test_blanks_inside_a_tag_become_one_hyphen() -> None:
    assert tags.normalise("front   end") == ("front-end",)


@pytest.mark.parametrize("value", ["a\x00", "\ud800", "a\nb", "a\tb"])
def test_a_tag_is_a_clean_line(value: str) -> None:
    with pytest.raises(Invalid):
        tags.normalise([value])


def test_a_tag_must_be_text() -> None:
    with pytest.raises(Invalid, match="must be text"):
        tags.normalise([5])  # type: ignore[list-item]


def test_tags_are_limited_in_length_and_number() -> None:
    assert tags.normalise(["a" * TAG_BYTES_MAX]) == ("a" * TAG_BYTES_MAX,)
    with pytest.raises(TooLarge):
        tags.normalise(["a" * (TAG_BYTES_MAX + 1)])
    with pytest.raises(TooLarge):
        tags.normalise([f"t{number}" for number in range(TAGS_COUNT_MAX + 1)])


def test_a_tag_that_grows_when_lowered_keeps_the_limit() -> None:
    with pytest.raises(TooLarge):
        tags.normalise(["İ" * (TAG_BYTES_MAX // 2)])


@pytest.mark.parametrize(
    ("given", "scope", "expected"),
    [
        ((), None, ((), Scope.AGENT)),
        (("a",), Scope.AGENT, (("a",), Scope.AGENT)),
        (("a",), Scope.TEAM, (("a", "cross-team"), Scope.TEAM)),
        (("cross-team",), None, (("cross-team",), Scope.TEAM)),
        (("cross-team",), Scope.AGENT, (("cross-team",), Scope.TEAM)),
        (("cross-team-x",), None, (("cross-team-x",), Scope.AGENT)),
    ],
)
def test_team_scope_and_the_cross_team_tag_are_one_thing(
    given: tuple[str, ...], scope: Scope | None, expected: tuple[tuple[str, ...], Scope]
) -> None:
    assert tags.with_scope(given, scope) == expected
