"""Makes the vectors of a project anew with the configured model, while searches go on with the old ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain.errors import Invalid
from hansard.domain.policy import Act
from hansard.domain.units import ModelIdentity
from hansard.index.shelf import FILL_BATCH_UNITS
from hansard.services.seat import Seat

if TYPE_CHECKING:
    from hansard.embedding.ports import Embedder


BEFORE_ALL = (0, -1)


class Reembedded(NamedTuple):
    """What the project's searches use now, how many units were embedded for it, and how many texts it refused."""

    model: ModelIdentity
    units: int
    refused: int


class Embedding(NamedTuple):
    """The model that searches use, the one that is configured, and how many units it has embedded of all."""

    serving: ModelIdentity | None
    configured: ModelIdentity | None
    embedded: int
    units: int


def embedding(seat: Seat) -> Embedding:
    """How far the vectors are, whoever is making them."""
    seat.require(Act.READ)
    embedder = seat.shelf.embedder
    with seat.reading() as tx:
        serving = tx.units.serving()
        model_id = tx.vectors.find(embedder.identity) if embedder else None
        units, embedded = tx.vectors.counts(model_id)
    return Embedding(serving[1] if serving else None, embedder.identity if embedder else None, embedded, units)


def may_reembed(seat: Seat) -> Embedder:
    """The embedder that would be used. Raises what `reembed` would raise before it begins."""
    seat.require(Act.CONFIGURE)
    embedder = seat.shelf.embedder
    if embedder is None:
        raise Invalid("embedding.provider is none; there is nothing to embed with.")
    return embedder


def reembed(seat: Seat, *, again: bool = False, progress: Callable[[int, int], None] | None = None) -> Reembedded:
    """Embeds everything that the configured model has no vectors of, then lets searches use that model.

    With `again`, vectors of that model which are there already are made anew as well, each standing until the new one
    is there. Interrupted, it goes on where it stopped, but for `again`. Raises EmbedderDown if the provider does not
    answer.
    """
    embedder = may_reembed(seat)
    with seat.writing() as tx:
        model_id = tx.vectors.register(embedder.identity)
    done = refused = 0
    after: tuple[int, int] | None = BEFORE_ALL if again else None
    while True:
        filled = seat.shelf.fill_once(seat.project.id, model_id, embedder, patient=True, after=after)
        done += filled.units
        refused += filled.refused
        after = filled.last if again else None
        if progress is not None and filled.units:
            with seat.reading() as tx:
                total, embedded = tx.vectors.counts(model_id)
            progress(done if again else embedded, total)
        if filled.units < FILL_BATCH_UNITS:
            # What others write meanwhile is filled in by whoever notices; waiting for a pause might never end.
            break
    with seat.writing() as tx:
        serving = tx.units.serving()
        if serving is None or serving[0] != model_id:
            tx.vectors.serve(model_id)
        tx.vectors.drop_other_models(model_id)
    return Reembedded(embedder.identity, done, refused)
