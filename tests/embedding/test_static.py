"""The bundled model: its files are the ones that were built, and its vectors are always the same."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.domain.errors import StoreCorrupt
from hansard.embedding.ports import EmbedderDown, ModelIdentity, unit_rows
from hansard.embedding.static import FOLDER, StaticModel, bundled
from support.examples import examples

DESCRIBED = json.loads((FOLDER / "model.json").read_text(encoding="utf-8"))
STRANGE = ["გამარჯობა", "ᏣᎳᎩ", "ᓄᓇᕗᑦ", "𐌲𐌿𐍄", "ሰላምታ", "ꦗꦮ", "ߒߞߏ"]


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return bundled()


def cosine(model: StaticModel, left: str, right: str) -> float:
    vectors = model.embed([left, right]).astype(np.float64)
    return float(vectors[0] @ vectors[1])


@pytest.mark.parametrize("name", sorted(DESCRIBED["files"]))
def test_every_file_of_the_model_is_the_one_that_was_built(name: str) -> None:
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == DESCRIBED["files"][name]


def test_the_identity_names_model_revision_and_dimensions(model: StaticModel) -> None:
    revision = DESCRIBED["files"]["vectors.npy"][:12]
    assert model.identity == ModelIdentity(DESCRIBED["name"], revision, DESCRIBED["dimensions"])
    assert model.is_local
    assert model.vectors.shape == (DESCRIBED["tokens"], DESCRIBED["dimensions"])
    assert len(model.wordpiece.tokens) == DESCRIBED["tokens"]


def test_the_model_is_loaded_once_for_the_process() -> None:
    assert bundled() is bundled()


def test_a_damaged_model_is_refused_with_a_way_out(tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(FOLDER, copy)
    (copy / "vectors.npy").write_bytes(b"nonsense")
    with pytest.raises(StoreCorrupt, match="Install Hansard again"):
        StaticModel(copy)
    with pytest.raises(StoreCorrupt, match="Install Hansard again"):
        StaticModel(tmp_path / "nowhere")


def test_vectors_have_length_one_and_are_always_the_same(model: StaticModel) -> None:
    texts = ["The proxy cuts uploads.", "x", "Größe", "日本語 in English", "def parse(self): ..."]
    first, again = model.embed(texts), StaticModel().embed(texts)
    assert first.dtype == np.float32
    assert np.linalg.norm(first, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)
    assert np.array_equal(first, again)


def test_a_vector_does_not_depend_on_what_is_embedded_beside_it(model: StaticModel) -> None:
    texts = ["short", "a rather longer text about databases", "short again", "mid length text", ""]
    together = model.embed(texts)
    alone = np.concatenate([model.embed([text]) for text in texts])
    assert together == pytest.approx(alone, abs=1e-6)


def test_nothing_at_all_has_the_zero_vector(model: StaticModel) -> None:
    assert not model.embed(["", "   ", "\u200b"]).any()
    assert model.embed([]).shape == (0, DESCRIBED["dimensions"])


def test_texts_that_mean_the_same_are_nearer_than_others(model: StaticModel) -> None:
    question = "How large may an uploaded file be?"
    assert cosine(model, question, "The upload limit for files is five megabytes.") > 0.4
    assert cosine(model, question, "The cat sleeps on the warm roof.") < 0.2


@pytest.mark.parametrize("word", STRANGE)
def test_a_word_that_the_vocabulary_cannot_spell_matches_itself_alone(model: StaticModel, word: str) -> None:
    known = len(model.vectors)
    terms = model.content(model.wordpiece.encode(word))
    assert terms
    other = model.content(model.wordpiece.encode("zebra"))
    similar = model.similarity(np.array(terms), np.array([*terms, *other]))
    assert similar.diagonal() == pytest.approx(np.ones(len(terms)), abs=1e-5)
    hashed = [place for place, term in enumerate(terms) if term >= known]
    for place in hashed:
        assert similar[place].sum() == pytest.approx(1.0)


def test_some_words_are_hashed_and_two_of_them_differ(model: StaticModel) -> None:
    known = len(model.vectors)
    hashed = {word: model.wordpiece.encode(word) for word in STRANGE}
    alone = {word: terms[0] for word, terms in hashed.items() if len(terms) == 1 and terms[0] >= known}
    assert len(alone) >= 3
    assert len(set(alone.values())) == len(alone)


def test_punctuation_is_no_content(model: StaticModel) -> None:
    assert model.content(model.wordpiece.encode("?! ... --- ()")) == []
    retry = model.wordpiece.encode("retry")
    assert model.content(model.wordpiece.encode("retry, retry!")) == list(dict.fromkeys(retry))


@examples(150)
@given(st.lists(st.text(max_size=80), max_size=6))
def test_any_texts_get_vectors_of_length_one_or_nothing(texts: list[str]) -> None:
    vectors = bundled().embed(texts)
    norms = np.linalg.norm(vectors, axis=1)
    assert vectors.shape == (len(texts), DESCRIBED["dimensions"])
    assert np.isfinite(vectors).all()
    assert all(norm == 0 or norm == pytest.approx(1, abs=1e-4) for norm in norms.tolist())


def test_what_a_provider_sends_is_checked_and_brought_to_length_one() -> None:
    identity = ModelIdentity("m", "1", 2)
    rows = unit_rows(np.array([[3, 4], [0, 0]], np.float32), identity, 2)
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0]]
    for wrong in (
        np.ones((2, 3)),
        np.ones((1, 2)),
        np.ones(2),
        np.array([[1, np.nan], [1, 1]]),
        np.full((2, 2), np.inf),
    ):
        with pytest.raises(EmbedderDown, match=r"^m answered"):
            unit_rows(wrong.astype(np.float32), identity, 2)


def test_large_numbers_keep_their_direction() -> None:
    rows = unit_rows(np.full((1, 4), 1e30, np.float32), ModelIdentity("m", "1", 4), 1)
    assert rows[0].tolist() == pytest.approx([0.5] * 4)
