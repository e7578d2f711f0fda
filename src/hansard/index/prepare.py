"""Owns what is computed from a text before it is stored: its units, their terms, and their vectors if that is cheap."""

from collections.abc import Sequence

from hansard.domain.units import Facts, ModelIdentity, PackedUnit, facts_of, pieces, split_identifiers
from hansard.domain.words import words_of
from hansard.embedding.ports import Embedder, EmbedderDown
from hansard.embedding.static import StaticModel
from hansard.index.rows import pack_dates, pack_flags, pack_terms, pack_vectors


def prepare(texts: Sequence[str], model: StaticModel, embedder: Embedder | None) -> list[tuple[PackedUnit, ...]]:
    """The packed units of each text. Only a local embedder is asked here; the others fill vectors in later."""
    parts = [pieces(text) for text in texts]
    flat = [piece for several in parts for piece in several]
    words = [words_of(split_identifiers(piece)) for piece in flat]
    terms = [model.wordpiece.terms(several) for several in words]
    vectors = _vectors(flat, terms, model, embedder)
    identity = embedder.identity if embedder else None
    packed = [
        _packed(facts_of(piece, several), model.content(ids), vector, identity)
        for piece, several, ids, vector in zip(flat, words, terms, vectors, strict=True)
    ]
    if len(packed) == len(texts):
        return [(unit,) for unit in packed]
    places = iter(packed)
    return [tuple(next(places) for _ in several) for several in parts]


def _vectors(
    texts: Sequence[str], terms: Sequence[Sequence[int]], model: StaticModel, embedder: Embedder | None
) -> Sequence[bytes | None]:
    if embedder is None:
        return [None] * len(texts)
    try:
        return pack_vectors(model.embed_terms(terms) if embedder is model else embedder.embed(texts))
    except EmbedderDown:
        return [None] * len(texts)


def _packed(facts: Facts, terms: Sequence[int], vector: bytes | None, identity: ModelIdentity | None) -> PackedUnit:
    flags = pack_flags(asks=facts.asks, names_time=facts.names_time, terms=len(terms))
    return PackedUnit(flags, pack_terms(terms), pack_dates(facts.dates), vector, identity)
