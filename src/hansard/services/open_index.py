"""Opens the index of a project in a transaction that it is not behind, and makes a vector of what is asked there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from hansard.services.admission import safe
from hansard.services.reindex import catch_up, renew_damaged
from hansard.services.seat import Seat

if TYPE_CHECKING:
    from hansard.domain.units import ModelIdentity
    from hansard.embedding.ports import Floats
    from hansard.index.shelf import Held
    from hansard.store.ports import Transaction


@contextmanager
def indexed(seat: Seat) -> Iterator[tuple[Transaction, Held]]:
    """A transaction with the project's index, which is never behind it."""
    with seat.reading() as tx:
        held = seat.shelf.index_of(tx)
        damaged = held.units.damaged if held is not None else frozenset()
        if held is not None and not damaged:
            yield tx, held
            return
    # After the transaction: what is damaged is made anew by a writer.
    renew_damaged(seat, damaged)
    seat.shelf.settle(seat.project.id)
    with seat.reading() as tx:
        held = seat.shelf.index_of(tx, settled=True)
        assert held is not None, "a settled index is given out"
        yield tx, held


@contextmanager
def asked(seat: Seat, words: str) -> Iterator[tuple[Transaction, Held, Floats | None, str | None]]:
    """The same with the words as a vector of the model that serves there, or why there is none."""
    last = seat.shelf.last_held(seat.project.id)
    with ExitStack() as stack:
        # Before the transaction: a provider that hangs must not hold a reader's view of the database. So the model is
        # the one that served last, and hardly ever another one has begun to since.
        expected = last.serving if last is not None else catch_up(seat)
        vector, why = query_vector(seat, expected, words)
        tx, held = stack.enter_context(indexed(seat))
        if held.is_behind or held.serving != expected:
            stack.close()
            expected = catch_up(seat)
            vector, why = query_vector(seat, expected, words)
            tx, held = stack.enter_context(indexed(seat))
        # If it changed once more: vectors of one model are never compared with those of another.
        yield tx, held, vector if held.serving == expected else None, why


def query_vector(seat: Seat, serving: tuple[int, ModelIdentity] | None, words: str) -> tuple[Floats | None, str | None]:
    """The query's vector by the model that made the project's vectors, or why there is none."""
    from hansard.embedding.ports import EmbedderDown

    if serving is None or seat.shelf.embedder is None:
        return None, None
    embedder = seat.shelf.embedder_of(serving[1])
    if embedder is None:
        return None, None
    try:
        # A provider elsewhere is not told a secret that somebody looks for.
        return embedder.embed_query(words if embedder.is_local else safe(words)), None
    except EmbedderDown as error:
        return None, error.message
