"""Memories: many texts at once are told apart as each by itself."""

from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.memories import TEXTS_AT_ONCE, digest, digests
from support.examples import examples

texts = st.text(st.sampled_from("abAB \t\n\v\x0c\r\x1c\x1f\0ß\u0130\u00a0\u2003"), max_size=6)


@examples(500)
@given(st.lists(texts, max_size=6))
def test_many_texts_at_once_have_the_digests_that_each_has(given_: list[str]) -> None:
    assert digests(given_) == [digest(one) for one in given_]


@examples(50)
@given(texts)
def test_one_odd_text_among_many_plain_ones_keeps_its_digest(odd: str) -> None:
    plain = [f"Lesson {number} of the Team" for number in range(TEXTS_AT_ONCE + 20)]

    for place in (0, 7, TEXTS_AT_ONCE - 1, TEXTS_AT_ONCE, len(plain)):
        told = [*plain[:place], odd, *plain[place:]]
        assert digests(told) == [digest(one) for one in told]
