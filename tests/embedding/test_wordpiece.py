"""WordPiece: every script, every length, and the same text always gives the same terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.embedding.static import FOLDER, bundled
from hansard.embedding.wordpiece import TERMS, WORD_CHARACTERS_MAX, WORDS_CACHED_MAX, WordPiece
from support.examples import examples

ANOTHER = WordPiece(FOLDER / "vocab.txt")


@pytest.fixture(scope="module")
def pieces() -> WordPiece:
    return bundled().wordpiece


def spelled(pieces: WordPiece, text: str) -> list[str]:
    return [pieces.tokens[term] if term < len(pieces.tokens) else "#" for term in pieces.encode(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World!", ["hello", ",", "world", "!"]),
        ("don't", ["don", "'", "t"]),
        ("a+b=c", ["a", "+", "b", "=", "c"]),
        ("Café Größe", ["cafe", "große"]),
        ("naïve", ["naive"]),
        ("日本語x", ["日", "本", "語", "x"]),
        ("a\u00a0b\u3000c\td", ["a", "b", "c", "d"]),
        ("zero\u200bwidth", ["zerowidth"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("«quoted» – dash…", ["«", "quoted", "»", "–", "dash", "…"]),
        ("$5 < €6", ["$", "5", "<", "€6"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_words_are_lower_case_without_accents_and_apart_from_marks(
    pieces: WordPiece, text: str, expected: list[str]
) -> None:
    assert pieces.words(text) == expected


def test_accents_make_no_difference_however_they_are_written(pieces: WordPiece) -> None:
    assert pieces.encode("Café") == pieces.encode("Cafe\u0301") == pieces.encode("cafe")
    assert pieces.encode("ÉTÉ") == pieces.encode("ete")


def test_a_word_is_cut_into_the_longest_tokens(pieces: WordPiece) -> None:
    assert spelled(pieces, "embedding embeddings") == [*spelled(pieces, "embedding"), *spelled(pieces, "embeddings")]
    cut = spelled(pieces, "unbelievability")
    assert "".join(piece.removeprefix("##") for piece in cut) == "unbelievability"
    assert all(piece.startswith("##") for piece in cut[1:])


def test_a_very_long_word_is_one_term_of_its_own(pieces: WordPiece) -> None:
    known = len(pieces.tokens)
    just, over = "a" * WORD_CHARACTERS_MAX, "a" * (WORD_CHARACTERS_MAX + 1)
    assert all(term < known for term in pieces.encode(just))
    assert len(pieces.encode(over)) == 1
    assert known <= pieces.encode(over)[0] < TERMS
    assert pieces.encode(over) != pieces.encode(over + "b")
    assert len(pieces.encode("x" * 100_000)) == 1


@pytest.mark.parametrize("text", ["😀", "🎉🎉", "👩‍👩‍👧", "🇩🇪", "✔️"])
def test_an_emoji_is_a_term_like_any_other_word(pieces: WordPiece, text: str) -> None:
    terms = pieces.encode(text)
    assert terms
    assert terms == pieces.encode(f"well {text} done")[1:-1]


def test_cjk_is_read_letter_by_letter(pieces: WordPiece) -> None:
    assert len(pieces.encode("数据库迁移")) == 5
    assert pieces.encode("迁移")[0] in pieces.encode("数据库迁移")


def test_what_is_no_character_disappears(pieces: WordPiece) -> None:
    assert pieces.encode("a\ud800b é") == pieces.encode("ab e")
    assert pieces.words("a\x00b é") == ["ab", "e"]


def test_ascii_and_other_text_are_cut_the_same_way(pieces: WordPiece) -> None:
    text = "Retry (max 3x) the job_queue: it's 50% #done @home [ok] {a|b} ~c ^d `e` \\f"
    assert pieces.words(text + " é")[:-1] == pieces.words(text)


def test_the_vocabulary_is_a_list_of_different_tokens(pieces: WordPiece) -> None:
    assert len(pieces.ids) == len(pieces.tokens) < TERMS
    assert "" not in pieces.ids


def test_words_met_before_do_not_fill_the_memory_for_ever() -> None:
    fresh = WordPiece(FOLDER / "vocab.txt")
    fresh._cut_before = {str(number): (0,) for number in range(WORDS_CACHED_MAX + 1)}
    expected = bundled().wordpiece.encode("retry limit")
    assert fresh.encode("retry limit") == expected
    assert len(fresh._cut_before) <= 2


@examples(300)
@given(st.text(max_size=120))
def test_any_text_gives_terms_and_always_the_same_ones(text: str) -> None:
    pieces = bundled().wordpiece
    terms = pieces.encode(text)
    assert terms == ANOTHER.encode(text)
    assert all(0 <= term < TERMS for term in terms)
