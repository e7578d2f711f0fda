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


@pytest.mark.parametrize("part", ["迁移", "库迁", "数", "移"])
def test_a_text_without_blanks_holds_the_terms_of_its_parts(pieces: WordPiece, part: str) -> None:
    alone, together = pieces.asked([part])
    assert not together
    assert set(alone) <= set(pieces.encode("数据库迁移"))


def test_a_word_of_another_script_is_asked_for_by_several_terms_together(pieces: WordPiece) -> None:
    known = len(pieces.tokens)
    alone, (spelled,) = pieces.asked(["server", "сервера"])
    assert alone == pieces.encode("server")
    assert len(spelled) == 4
    assert min(spelled) >= known
    assert len(set(spelled) & set(pieces.encode("Сервером"))) == 3


def test_what_is_no_character_disappears(pieces: WordPiece) -> None:
    assert pieces.encode("a\ud800b é") == pieces.encode("ab e")


def test_a_long_text_without_blanks_is_not_kept_in_memory() -> None:
    fresh = WordPiece(FOLDER / "vocab.txt")
    assert fresh.encode("数据库迁移" * 100)
    assert not fresh._cut_before


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


def test_a_word_with_digits_is_held_and_asked_for_as_a_whole_too(pieces: WordPiece) -> None:
    held, other = pieces.terms(["e1077"]), pieces.terms(["e7710"])
    assert held[:-1] == pieces.encode("e1077")
    assert pieces.asked(["e1077"]) == (held, [])
    assert held[-1] >= len(pieces.tokens)
    assert held[-1] != other[-1]


def test_a_word_that_the_vocabulary_has_or_without_digits_is_held_by_its_pieces_alone(pieces: WordPiece) -> None:
    assert pieces.terms(["77"]) == pieces.encode("77") == [pieces.ids["77"]]
    assert pieces.terms(["kubectl"]) == pieces.encode("kubectl")
