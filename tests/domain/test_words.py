"""Words: the same for a question and a stored text, in every script and encoding."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.words import grams_of, words_of
from support.examples import examples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World!", ["hello", ",", "world", "!"]),
        ("don't", ["don", "'", "t"]),
        ("a+b=c", ["a", "+", "b", "=", "c"]),
        ("Café Größe", ["cafe", "große"]),
        ("naïve", ["naive"]),
        ("日本語x", ["日本語", "x"]),
        ("HTTPсервер", ["http", "сервер"]),
        ("a\u00a0b\u3000c\td", ["a", "b", "c", "d"]),
        ("zero\u200bwidth", ["zerowidth"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("«quoted» – dash…", ["«", "quoted", "»", "–", "dash", "…"]),
        ("done🎉", ["done", "🎉"]),
        ("$5 < €6", ["$", "5", "<", "€6"]),
        ("Ёлка й", ["елка", "и"]),
        ("كـتـاب مُحَمَّد", ["كتاب", "محمد"]),
        ("می\u200cخواهم", ["میخواهم"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("ガード。서버는", ["ガード", "。", "서버는"]),
        ("a\x00b é", ["ab", "e"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_words_are_lower_case_without_accents_and_apart_from_marks(text: str, expected: list[str]) -> None:
    assert words_of(text) == [unicodedata.normalize("NFC", word) for word in expected]


def test_ascii_and_other_text_are_cut_the_same_way() -> None:
    text = "Retry (max 3x) the job_queue: it's 50% #done @home [ok] {a|b} ~c ^d `e` \\f"
    assert words_of(text + " é")[:-1] == words_of(text)


@pytest.mark.parametrize("word", ["retry", "große", "42", "€6", "-", "đêm", "ǆungla"])
def test_a_latin_word_has_no_grams(word: str) -> None:
    assert grams_of(word) is None


@pytest.mark.parametrize(
    ("word", "asked"),
    [
        ("ключ", ("ключ",)),
        ("ключа", ("ключ", "люча")),
        ("да", ("да",)),
        ("日本語", ("日本", "本語")),
        ("猫", ("猫",)),
        ("서버는", ("서버", "버는")),
        ("ข้อมูล", ("ข้อ", "้อม", "อมู", "มูล")),
    ],
)
def test_a_word_of_another_script_is_asked_for_by_letters_in_a_row(word: str, asked: tuple[str, ...]) -> None:
    grams = grams_of(word)
    assert grams is not None
    assert grams.asked == asked
    assert set(asked) <= set(grams.held)


@pytest.mark.parametrize(
    ("short", "long"), [("猫", "黑猫"), ("лог", "логи"), ("ชา", "ชาเย็น"), ("밤", "밤에"), ("ключ", "ключами")]
)
def test_a_text_holds_what_a_shorter_word_is_asked_for_by(short: str, long: str) -> None:
    wanted, there = grams_of(short), grams_of(long)
    assert wanted is not None
    assert there is not None
    assert set(wanted.asked) <= set(there.held)


@examples(200)
@given(st.text(max_size=60))
def test_composed_and_decomposed_text_has_the_same_words_and_they_are_their_own_words(text: str) -> None:
    words = words_of(unicodedata.normalize("NFC", text))
    assert words == words_of(unicodedata.normalize("NFD", text))
    for word in words:
        assert word
        assert not any(char.isspace() for char in word)
