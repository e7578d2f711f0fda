"""Owns what is computed from a text before it is stored: its units, their terms, and their vectors if that is cheap."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from hansard.domain.units import Facts, ModelIdentity, PackedUnit, facts_of, pieces, split_identifiers
from hansard.domain.words import words_of
from hansard.embedding.ports import Embedder, EmbedderDown
from hansard.embedding.static import StaticModel
from hansard.index.rows import pack_dates, pack_flags, pack_terms, pack_vectors

PREPARED_CHARACTERS = 200_000
"""So much text is taken apart at a time: words weigh twenty times their text, and a batch may hold megabytes of it."""


def prepare(texts: Sequence[str], model: StaticModel, embedder: Embedder | None) -> list[tuple[PackedUnit, ...]]:
    """The packed units of each text. Only a local embedder is asked here; the others fill vectors in later."""
    parts = [pieces(text) for text in texts]
    packed = chain.from_iterable(_prepared(some, model, embedder) for some in _portions(chain.from_iterable(parts)))
    return [tuple(islice(packed, len(several))) for several in parts]


def _portions(pieces: Iterable[str]) -> Iterator[list[str]]:
    portion: list[str] = []
    size = 0
    for piece in pieces:
        portion.append(piece)
        size += len(piece)
        if size >= PREPARED_CHARACTERS:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _prepared(flat: Sequence[str], model: StaticModel, embedder: Embedder | None) -> list[PackedUnit]:
    words = [words_of(split_identifiers(piece)) for piece in flat]
    terms = [model.wordpiece.terms(several) for several in words]
    vectors = _vectors(flat, terms, model, embedder)
    identity = embedder.identity if embedder else None
    return [
        _packed(facts_of(piece, several), model.content(ids), vector, identity)
        for piece, several, ids, vector in zip(flat, words, terms, vectors, strict=True)
    ]


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
