"""Units: long texts are cut without losing a letter, identifiers are opened, facts are told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.dates import NamedDate
from hansard.domain.units import (
    UNIT_CHARACTERS_MAX,
    UNIT_WORDS_MAX,
    facts_of,
    pieces,
    split_identifiers,
)
from support.examples import examples

SENTENCE = "The deployment of the billing service waits for the migration of the ledger."


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_a_short_text_is_one_unit_as_it_stands() -> None:
    for text in ("x", "One line.\n\n  Another line.", " ".join(["word"] * 70)):
        assert pieces(text) == [text]


def test_a_long_text_is_cut_at_the_ends_of_sentences() -> None:
    cut = pieces(" ".join([SENTENCE] * 30))
    assert len(cut) > 3
    assert all(piece.endswith("ledger.") and piece.startswith("The ") for piece in cut)
    assert all(len(piece.split()) <= UNIT_WORDS_MAX for piece in cut)


def test_a_sentence_without_an_end_is_cut_between_words() -> None:
    cut = pieces(" ".join(f"word{number}" for number in range(500)))
    assert len(cut) == 9
    assert [word for piece in cut for word in piece.split()] == [f"word{number}" for number in range(500)]


@pytest.mark.parametrize("text", ["x" * 10_000, "会议纪要" * 3_000, "😀" * 5_000, "a-b" * 9_999])
def test_a_text_without_blanks_is_cut_anywhere(text: str) -> None:
    cut = pieces(text)
    assert "".join(cut) == text
    assert max(map(len, cut)) <= UNIT_CHARACTERS_MAX


def test_chinese_sentences_are_cut_at_their_own_full_stops() -> None:
    cut = pieces("数据库迁移必须在星期五之前完成。" * 200)
    assert len(cut) > 1
    assert all(piece.endswith("。") for piece in cut)


@examples(200)
@given(st.text(max_size=30).map(lambda text: text * 120) | st.text(max_size=4_000))
def test_no_letter_is_ever_lost_and_no_unit_is_too_large(text: str) -> None:
    cut = pieces(text)
    assert squeezed("".join(cut)) == squeezed(text)
    assert len(cut) == 1 or all(0 < len(piece) <= UNIT_CHARACTERS_MAX + 1 for piece in cut)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseConfig", "parse Config"),
        ("parse_config_file", "parse config file"),
        ("HTTPServer", "HTTP Server"),
        ("see utf8Decoder now", "see utf8 Decoder now"),
        ("__init__", "  init  "),
        ("nothing to open", "nothing to open"),
        ("ALL CAPS", "ALL CAPS"),
        ("", ""),
    ],
)
def test_identifiers_are_opened_into_words(text: str, expected: str) -> None:
    assert split_identifiers(text) == expected


def test_a_question_is_known_by_its_mark() -> None:
    assert facts_of("Did we ship?", ["did", "we", "ship", "?"]).asks
    assert not facts_of("We shipped.", ["we", "shipped", "."]).asks


@pytest.mark.parametrize("word", ["yesterday", "monday", "2024", "3rd", "november", "week", "ago"])
def test_a_text_names_a_time_if_one_of_its_words_does(word: str) -> None:
    assert facts_of(f"it was {word}", ["it", "was", word]).names_time
    assert not facts_of("it was fun", ["it", "was", "fun"]).names_time


def test_a_verb_that_looks_like_a_month_names_no_time() -> None:
    assert not facts_of("it may help", ["it", "may", "help"]).names_time


def test_the_dates_of_a_text_are_its_facts() -> None:
    text = "We met on 8 May 2023."
    assert facts_of(text, ["we", "met", "on", "8", "may", "2023", "."]).dates == (
        NamedDate(2023, 5, 8),
        NamedDate(2023, 5, 0),
    )
    assert facts_of("no date at all", ["no", "date", "at", "all"]).dates == ()
