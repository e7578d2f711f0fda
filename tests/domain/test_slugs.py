"""Slugs: one spelling of what is asked for, and the first free one of what is given."""

import pytest

from hansard.domain import slugs
from hansard.domain.errors import BadSlug, Invalid
from hansard.domain.limits import SLUG_BYTES_MAX


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("use-postgres", "use-postgres"),
        ("  Use Postgres! ", "use-postgres"),
        ("USE__postgres", "use-postgres"),
        ("../../etc/passwd", "etc-passwd"),
        ("Zoë's café", "zoe-s-cafe"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full-width"),
        ("a--b", "a-b"),
        ("-7 up-", "7-up"),
    ],
)
def test_a_slug_is_lower_case_words_joined_by_hyphens(given: str, normal: str) -> None:
    assert slugs.normalise(given) == normal


@pytest.mark.parametrize("given", ["---", "日本", "!?", "…", "🙂"])
def test_a_slug_of_which_nothing_is_left_is_refused(given: str) -> None:
    with pytest.raises(BadSlug):
        slugs.normalise(given)


@pytest.mark.parametrize("given", ["", "   ", "a\x00b", "a\nb", "\ud800"])
def test_a_slug_that_is_no_line_of_text_is_refused(given: str) -> None:
    with pytest.raises(Invalid):
        slugs.normalise(given)


def test_a_slug_is_at_most_two_hundred_bytes() -> None:
    assert slugs.normalise("a" * SLUG_BYTES_MAX) == "a" * SLUG_BYTES_MAX
    with pytest.raises(BadSlug, match="limit is 200"):
        slugs.normalise("a" * (SLUG_BYTES_MAX + 1))
    with pytest.raises(Invalid):
        slugs.normalise("a" * 100_000)


@pytest.mark.parametrize(
    ("author", "segment"),
    [
        ("agent-beta", "agent-beta"),
        ("Tank", "tank"),
        ("My Agent #2", "my-agent-2"),
        ("A.B/C", "a-b-c"),
        ("__x__", "x"),
        ("Zoë", "zoe"),
    ],
)
def test_an_author_becomes_a_segment_of_ascii_words(author: str, segment: str) -> None:
    assert slugs.segment(author) == segment


def test_an_author_without_ascii_letters_still_gets_a_segment_of_its_own() -> None:
    japanese, chinese = slugs.segment("日本"), slugs.segment("中国")
    assert japanese != chinese
    assert slugs.segment("日本") == japanese
    assert all(slugs.is_effective(f"x--{segment}") for segment in (japanese, chinese))


def test_a_long_author_leaves_room_for_the_slug() -> None:
    assert len(slugs.segment("very long name " * 20)) <= 60


def test_the_first_free_slug_counts_from_two() -> None:
    held = {"a", "a--beta", "a--beta--2"}
    assert slugs.first_free("b", "beta", held.__contains__) == "b"
    assert slugs.first_free("a", "gamma", held.__contains__) == "a--gamma"
    assert slugs.first_free("a", "beta", held.__contains__) == "a--beta--3"


def test_a_free_slug_of_the_longest_request_is_cut_to_fit() -> None:
    longest = "a" * SLUG_BYTES_MAX
    free = slugs.first_free(longest, "beta", {longest}.__contains__)
    assert len(free) == SLUG_BYTES_MAX
    assert free.endswith("a--beta")


def test_a_cut_never_leaves_three_hyphens() -> None:
    request = "a" * 193 + "-" + "b" * 6
    assert slugs.first_free(request, "beta", {request}.__contains__) == "a" * 193 + "--beta"


@pytest.mark.parametrize("value", ["a", "a-b", "a--b", "a--b--2", "7"])
def test_given_out_slugs_are_recognised(value: str) -> None:
    assert slugs.is_effective(value)


@pytest.mark.parametrize("value", ["", "-a", "a-", "a---b", "A", "a b", "a_b", "a" * 201, "a\n"])
def test_nothing_else_is_taken_for_a_slug(value: str) -> None:
    assert not slugs.is_effective(value)


@pytest.mark.parametrize(
    ("slug", "author", "requested"),
    [
        ("retry--beta", "Beta", "retry"),
        ("retry--beta--2", "beta", "retry"),
        ("retry--my-agent--12", "My Agent", "retry"),
        ("retry", "beta", "retry"),
        ("retry--gamma", "beta", "retry--gamma"),
        ("retry--beta-2", "beta", "retry--beta-2"),
    ],
)
def test_what_was_requested_shows_in_the_slug_that_was_given_out(slug: str, author: str, requested: str) -> None:
    assert slugs.requested_part(slug, author) == requested
