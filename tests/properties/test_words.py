"""Slugs, tags, names and text: normal forms that hold for every string."""

import string
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from hansard.domain import actors, slugs, tags, text
from hansard.domain.errors import Invalid
from hansard.domain.limits import NAME_BYTES_MAX, SLUG_BYTES_MAX, TAG_BYTES_MAX, TAGS_COUNT_MAX
from hansard.domain.vocabulary import Scope
from support.examples import examples
from support.marks import invariant

SLUG_ALPHABET = frozenset(string.ascii_lowercase + string.digits + "-")
anything = st.text(st.characters(), max_size=60)
readable = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60)
requests = st.text(st.sampled_from("abz09"), min_size=1, max_size=8) | st.integers(1, SLUG_BYTES_MAX).map("a".__mul__)


@examples(150)
@given(anything)
def test_the_normal_form_of_a_slug_is_clean_and_its_own_normal_form(value: str) -> None:
    try:
        slug = slugs.normalise(value)
    except Invalid:
        return
    assert set(slug) <= SLUG_ALPHABET
    assert 1 <= len(slug.encode()) <= SLUG_BYTES_MAX
    assert "--" not in slug
    assert slug == slug.strip("-")
    assert slugs.normalise(slug) == slug
    assert slugs.is_effective(slug)


@examples(200)
@given(readable)
def test_every_author_has_a_usable_segment(author: str) -> None:
    segment = slugs.segment(author)
    assert slugs.is_effective(segment)
    assert "--" not in segment
    assert len(segment) <= 60


@examples(200)
@given(st.lists(st.tuples(requests, readable), min_size=1, max_size=12))
def test_the_first_free_slug_is_never_taken_and_always_fits(asked: list[tuple[str, str]]) -> None:
    held: set[str] = set()
    for requested, author in asked:
        slug = slugs.first_free(requested, author, held.__contains__)
        assert slug not in held
        assert len(slug.encode()) <= SLUG_BYTES_MAX
        assert slugs.is_effective(slug)
        if requested not in held:
            assert slug == requested
        held.add(slug)


@invariant("INV-10")
@examples(150)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20), max_size=6))
@example(["İ" * 32])
def test_tags_are_whole_words_each_once_and_their_own_normal_form(values: list[str]) -> None:
    try:
        normal = tags.normalise(values)
    except Invalid:
        return
    assert len(set(normal)) == len(normal) <= TAGS_COUNT_MAX
    for tag in normal:
        assert tag
        assert "," not in tag
        assert not any(char.isspace() for char in tag)
        assert tag == tag.lower()
        assert len(tag.encode()) <= TAG_BYTES_MAX
    assert tags.normalise(normal) == normal
    assert tags.normalise(",".join(normal)) == normal


@examples(100)
@given(st.lists(st.sampled_from(["a", "b", "cross-team", "cross-team-x"])), st.sampled_from([None, *Scope]))
def test_scope_and_tag_are_always_in_step(values: list[str], scope: Scope | None) -> None:
    final, kept = tags.with_scope(tags.normalise(values), scope)
    assert (tags.CROSS_TEAM in final) is (kept is Scope.TEAM)
    assert tags.with_scope(final, kept) == (final, kept)


@examples(150)
@given(readable)
@example("\u0958" * 66)
def test_a_clean_name_is_its_own_clean_name_and_has_the_same_key(name: str) -> None:
    try:
        clean = actors.clean_name(name)
    except Invalid:
        return
    assert len(clean.encode()) <= NAME_BYTES_MAX
    assert actors.clean_name(clean) == clean
    assert actors.key_of(clean) == actors.key_of(name)
    assert actors.key_of(actors.key_of(name)) == actors.key_of(name)


@examples(200)
@given(st.text(string.ascii_letters + " -_.", min_size=1, max_size=30))
def test_case_blanks_and_width_never_make_another_actor(name: str) -> None:
    key = actors.key_of(name)
    wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in name)
    assert unicodedata.normalize("NFKC", wide) == name
    for spelling in (name.upper(), name.lower(), name.swapcase(), f"  {name} ", name.replace(" ", "  "), wide):
        assert actors.key_of(spelling) == key


@examples(200)
@given(anything)
def test_stored_text_is_encodable_free_of_controls_and_its_own_normal_form(value: str) -> None:
    for check in (text.prose, text.line):
        try:
            kept = check(value, field="content", bytes_max=500)
        except Invalid:
            continue
        assert len(kept.encode()) <= 500
        assert not any(unicodedata.category(char) == "Cc" and char not in "\n\t" for char in kept)
        assert kept.strip()
        assert check(kept, field="content", bytes_max=500) == kept


@examples(200)
@given(anything)
def test_optional_text_is_the_required_text_or_nothing(value: str) -> None:
    for optional, required in ((text.optional_prose, text.prose), (text.optional_line, text.line)):
        try:
            kept = optional(value, field="x", bytes_max=500)
        except Invalid:
            continue
        assert kept is None or kept == required(value, field="x", bytes_max=500)
