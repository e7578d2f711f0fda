"""Owns which embedder the settings ask for."""

from hansard.domain.errors import BadSetting
from hansard.embedding.ports import Embedder
from hansard.settings import Settings

BUNDLED = "bundled"
NONE = "none"
HTTP = "http"
SENTENCE = "sentence"
PROVIDERS = (BUNDLED, HTTP, SENTENCE, NONE)


def choose(settings: Settings) -> Embedder | None:
    """The configured embedder; None means keywords only."""
    provider = settings.embedding_provider.lower()
    if provider == NONE:
        return None
    if provider == BUNDLED:
        from hansard.embedding.static import bundled

        return bundled()
    if provider == HTTP:
        return _http(settings)
    if provider == SENTENCE:
        from hansard.embedding.sentence import SentenceEmbedder

        return SentenceEmbedder(model=_needed(settings.embedding_model, "embedding.model"))
    raise BadSetting(f"embedding.provider must be one of {', '.join(PROVIDERS)}; {provider!r} is not.")


def _http(settings: Settings) -> Embedder:
    from hansard.embedding.http import ANY_REVISION, HttpEmbedder

    return HttpEmbedder(
        base_url=_needed(settings.embedding_base_url, "embedding.base_url"),
        model=_needed(settings.embedding_model, "embedding.model"),
        dimensions=settings.embedding_dimensions,
        key=settings.embedding_key or None,
        timeout_seconds=settings.embedding_timeout_seconds,
        revision=settings.embedding_revision or ANY_REVISION,
    )


def _needed(value: str | None, name: str) -> str:
    if value is None:
        raise BadSetting(f"{name} must be set for this embedding.provider.")
    return value
