"""Keeps the recall index in step with memories: in the same transaction, so that what is written is found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hansard.domain.memories import Memory, digests
from hansard.domain.units import ModelIdentity, PackedUnit
from hansard.services.seat import Seat

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

UNITS_AT_ONCE_MAX = 1_000
CATCH_UP_BATCH = 5_000


def prepare_units(tx: Transaction, seat: Seat, texts: Sequence[str]) -> list[tuple[PackedUnit, ...]]:
    """The units of texts about to be recorded, with vectors if the project's model is on this machine.

    With no embedder a large batch gets none: the next search makes them, and the write need not wait.
    """
    if seat.shelf.embedder is None and len(texts) > UNITS_AT_ONCE_MAX:
        return []
    serving = tx.units.serving()
    return seat.shelf.prepare(texts, serving[1] if serving else None)


def insert_indexed(
    tx: Transaction,
    seat: Seat,
    memories: Sequence[Memory],
    packed: Sequence[Sequence[PackedUnit]],
    keys: Sequence[int] | None = None,
) -> None:
    """Stores memories with their units."""
    if not memories:
        return
    first = tx.memories.insert(memories, keys or digests(one.content for one in memories))
    if not packed:
        tx.units.postpone(first)
        return
    tx.units.put(range(first, first + len(memories)), packed, model_for_writing(tx, seat))


def catch_up(seat: Seat) -> None:
    """Makes the units that a large batch left for later, before somebody searches."""
    while True:
        with seat.reading() as tx:
            waiting = tx.units.postponed(CATCH_UP_BATCH)
            serving = tx.units.serving()
        if not waiting:
            return
        packed = seat.shelf.prepare([content for _, content in waiting], serving[1] if serving else None)
        with seat.writing() as tx:
            # Another process may have made some meanwhile, or left more for later.
            still = {seq for seq, _ in tx.units.postponed(CATCH_UP_BATCH)}
            todo = [(seq, units) for (seq, _), units in zip(waiting, packed, strict=True) if seq in still]
            tx.units.put([seq for seq, _ in todo], [units for _, units in todo], model_for_writing(tx, seat))
            if not tx.units.postponed(1):
                tx.units.all_made()


def fill_vectors(seat: Seat, *, beginning: bool = False) -> None:
    """Has missing vectors made in the background. Call it after the transaction that left them out.

    `beginning` is for a project of which nothing was embedded yet.
    """
    embedder = seat.shelf.embedder
    if embedder is None:
        return
    if embedder.is_local and not beginning and not seat.shelf.lacks_vectors(seat.project.id):
        return
    seat.shelf.fill_in_background(seat.project.id)


def reindex(tx: Transaction, seat: Seat, before: Memory, after: Memory) -> None:
    """Follows an edit: new words get new units, anything else is only read again."""
    seq = tx.memories.seq_of(after.id)
    if before.content == after.content:
        tx.units.touch(seq)
        return
    packed = prepare_units(tx, seat, [after.content])
    tx.units.replace(seq, packed[0], model_for_writing(tx, seat))


def model_for_writing(tx: Transaction, seat: Seat) -> tuple[int, ModelIdentity] | None:
    """The model that vectors written now belong to; the configured one if the project has none yet."""
    serving = tx.units.serving()
    embedder = seat.shelf.embedder
    if serving is not None or embedder is None:
        return serving
    return tx.vectors.register(embedder.identity), embedder.identity
