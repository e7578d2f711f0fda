"""Which embedder the settings ask for, and what is said when they do not say enough."""

import sys

import pytest

from hansard.domain.errors import BadSetting, Invalid
from hansard.embedding.choose import choose
from hansard.embedding.http import HttpEmbedder
from hansard.embedding.ports import ModelIdentity
from hansard.embedding.static import bundled
from hansard.settings import BY_NAME, Settings, load

HTTP = Settings(embedding_provider="http", embedding_base_url="http://127.0.0.1:9/v1/", embedding_model="small")


def test_without_settings_the_bundled_model_is_used() -> None:
    assert choose(Settings()) is bundled()


def test_none_means_keywords_only() -> None:
    assert choose(Settings(embedding_provider="none")) is None


def test_a_provider_over_http_gets_what_was_set() -> None:
    chosen = choose(HTTP._replace(embedding_dimensions=8))
    assert isinstance(chosen, HttpEmbedder)
    assert chosen.identity == ModelIdentity("small", "http", 8)
    moved = HTTP._replace(embedding_dimensions=8, embedding_base_url="https://embeddings.example/v2")
    assert choose(moved).identity == chosen.identity  # type: ignore[union-attr]
    revised = choose(moved._replace(embedding_revision="2026-01"))
    assert revised.identity == ModelIdentity("small", "2026-01", 8)  # type: ignore[union-attr]


@pytest.mark.parametrize("missing", ["base_url", "model"])
def test_a_provider_that_is_half_described_is_refused_by_name(missing: str) -> None:
    with pytest.raises(BadSetting, match=rf"embedding\.{missing} must be set"):
        choose(HTTP._replace(**{f"embedding_{missing}": None}))  # type: ignore[arg-type]


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadSetting, match="bundled, http, sentence, none; 'magic' is not"):
        choose(Settings(embedding_provider="magic"))
    with pytest.raises(BadSetting, match="environment HANSARD_EMBEDDING_PROVIDER"):
        load(environment={"HANSARD_EMBEDDING_PROVIDER": "magic"})


def test_a_missing_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(Invalid, match=r"pip install '\.\[sentence\]'"):
        choose(Settings(embedding_provider="sentence", embedding_model="all-MiniLM-L6-v2"))
    with pytest.raises(BadSetting, match=r"embedding\.model must be set"):
        choose(Settings(embedding_provider="sentence"))


def test_the_key_is_never_shown() -> None:
    loaded = load(environment={"HANSARD_EMBEDDING_KEY": "sk-secret"})
    assert loaded.embedding_key == "sk-secret"
    assert loaded.shown(BY_NAME["embedding.key"]) == "(set)"
    assert Settings().shown(BY_NAME["embedding.key"]) is None


@pytest.mark.parametrize("value", ["0", "-1", "nan", "9000", "1.5", "many"])
def test_dimensions_that_cannot_be_are_refused(value: str) -> None:
    with pytest.raises(BadSetting, match="environment HANSARD_EMBEDDING_DIMENSIONS"):
        load(environment={"HANSARD_EMBEDDING_DIMENSIONS": value})
