"""Questions: the words that tell something, and what is asked for besides words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.dates import NamedDate
from hansard.domain.questions import QUESTION_CHARACTERS_MAX, QUESTION_WORDS_MAX, STOP_WORDS, read
from support.examples import examples


def test_only_telling_words_are_kept_once_each_in_order() -> None:
    asked = read("What is the Retry limit of the retry queue, and why?")
    assert asked.words == ("retry", "limit", "queue")
    assert not asked.cut


def test_stop_words_count_if_there_is_nothing_else() -> None:
    assert read("Who are you?").words == ("who", "are", "you")


@pytest.mark.parametrize("text", ["", "   ", "?!…", "*** ---", "😀 🎉", "___", "\n\t", "()[]{}\"'^~"])
def test_a_question_without_words_has_none(text: str) -> None:
    assert read(text).words == ()


def test_identifiers_are_asked_for_by_their_words() -> None:
    assert read("where is parseConfigFile or load_settings?").words == ("parse", "config", "file", "load", "settings")


@pytest.mark.parametrize("text", ["データベース", "база данных", "قاعدة البيانات", "შენახვა", "Straße"])
def test_words_of_any_script_are_words(text: str) -> None:
    assert read(text).words == tuple(word.lower() for word in text.split())


@pytest.mark.parametrize("text", ["When did we ship?", "what DATE was it", "On what day?", "what time is it"])
def test_a_question_for_a_time_is_known(text: str) -> None:
    assert read(text).asks_when


@pytest.mark.parametrize("text", ["What did we ship?", "whenever", "what a day", "update"])
def test_another_question_is_not_one_for_a_time(text: str) -> None:
    assert not read(text).asks_when


@pytest.mark.parametrize("text", ["the current limit", "what is it NOW", "latest version", "most recent", "these days"])
def test_a_question_for_what_holds_now_is_known(text: str) -> None:
    assert read(text).asks_current


@pytest.mark.parametrize("text", ["the currency", "I know", "what was it in March 2020"])
def test_another_question_is_not_one_for_what_holds_now(text: str) -> None:
    assert not read(text).asks_current


def test_the_date_asked_for_is_read() -> None:
    assert read("What happened on 8 May 2023?").date == NamedDate(2023, 5, 8)
    assert read("What happened?").date is None


def test_a_long_question_is_cut_and_says_so() -> None:
    asked = read("x" + " word" * 20_000)
    assert asked.cut
    assert len(asked.text) == QUESTION_CHARACTERS_MAX
    assert len(read(" ".join(f"w{number}" for number in range(700))).words) == QUESTION_WORDS_MAX
    assert not read("y" * QUESTION_CHARACTERS_MAX).cut


@examples(300)
@given(st.text(max_size=400))
def test_any_text_can_be_read_as_a_question(text: str) -> None:
    asked = read(text)
    assert len(set(asked.words)) == len(asked.words) <= QUESTION_WORDS_MAX
    assert all(word == word.lower() and word for word in asked.words)
    telling = [word for word in asked.words if word not in STOP_WORDS]
    assert telling == list(asked.words) or not telling
