"""The words by which a rule is ruled out: no sentence that keeps a rule is without them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.compaction import phrases, prohibitions
from hansard.domain.compaction.rules import Rule, Rules, Sentence, applies, leads, rule, rules
from support.examples import examples

BOOKS = (
    phrases._STUCK,
    phrases._MUST_FIRST,
    phrases._CHOSEN,
    prohibitions._ANYWHERE,
    prohibitions._UNCONDITIONAL,
    prohibitions._FROM_THE_START,
)


def every(book: Rules) -> list[Rule]:
    return sorted({one for found in book.needing.values() for one in found}, key=lambda one: one.pattern.pattern)


def matching(pattern: re.Pattern[str]) -> st.SearchStrategy[str]:
    """Texts that a pattern matches, in small letters: the words of a sentence are compared without their case."""
    return st.from_regex(re.compile(pattern.pattern), fullmatch=True)


@pytest.mark.parametrize(
    "one", [one for book in BOOKS for one in every(book)], ids=lambda one: one.pattern.pattern[:60]
)
def test_no_sentence_that_keeps_a_rule_is_without_its_words(one: Rule) -> None:
    @given(matching(one.pattern), matching(one.then) if one.then else st.just(""))
    @examples(12)
    def check(first: str, then: str) -> None:
        assert not one.words.isdisjoint(Sentence(f"{first} {then}").words)

    check()


def test_a_rule_is_kept_from_a_start_or_anywhere() -> None:
    book = rules(rule("cats", r"feed the cats", then=r"\bdaily", unless=r"maybe"))
    lead = re.compile(r"please ")
    said = Sentence("please feed the cats, daily")

    assert applies(book, said)
    assert applies(book, said, leads(lead, said, 1))
    assert not applies(book, said, (0,))
    assert not applies(book, Sentence("feed the cats"), (0,))
    assert not applies(book, Sentence("maybe feed the cats daily"))
