"""Keeps the recall index in step with memories: in the same transaction, so that what is written is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from hansard.domain.errors import Unavailable
from hansard.domain.memories import Memory, digests
from hansard.domain.policy import Act
from hansard.services.seat import Seat

if TYPE_CHECKING:
    from hansard.domain.units import ModelIdentity, PackedUnit
    from hansard.store.ports import Transaction

Prepared: TypeAlias = "Mapping[str, tuple[PackedUnit, ...]]"
"""Units by the text that they are of."""
NOTHING_PREPARED: Prepared = {}
UNITS_AT_ONCE_MAX = 1_000
CATCH_UP_BATCH = 5_000
RENEWED_AT_ONCE = 500


def prepare_units(tx: Transaction, seat: Seat, texts: Sequence[str]) -> list[tuple[PackedUnit, ...]]:
    """The units of texts about to be recorded, with vectors if the project's model is on this machine.

    With no embedder a large batch gets none: the next search makes them, and the write need not wait.
    """
    if _are_left_for_later(seat, texts):
        return []
    serving = tx.units.serving()
    return seat.shelf.prepare(texts, serving[1] if serving else None)


def _are_left_for_later(seat: Seat, texts: Sequence[str]) -> bool:
    return seat.shelf.embedder is None and len(texts) > UNITS_AT_ONCE_MAX


def prepare_between(seat: Seat, texts: Sequence[str]) -> list[tuple[PackedUnit, ...]]:
    """The same with no transaction open: a model may take long, and a view of the database that is held meanwhile
    keeps old rows in it."""
    if _are_left_for_later(seat, texts):
        return []
    with seat.reading() as tx:
        serving = tx.units.serving()
    return seat.shelf.prepare(texts, serving[1] if serving else None)


def prepare_ahead(seat: Seat, *texts: str) -> Prepared:
    """The units of texts that a transaction is about to record, made before it: nobody waits for the model to load."""
    made = prepare_between(seat, texts)
    return dict(zip(texts, made, strict=True)) if made else NOTHING_PREPARED


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
    else:
        tx.units.put(range(first, first + len(memories)), packed, model_for_writing(tx, seat))
    for seq, memory in enumerate(memories, first):
        if memory.is_quarantined:
            # No index has a word of it, so that no search can find it.
            tx.units.drop(seq)


def catch_up(seat: Seat) -> tuple[int, ModelIdentity] | None:
    """Makes the units that a large batch left for later, before somebody searches; returns the serving model."""
    while True:
        with seat.reading() as tx:
            waiting = tx.units.postponed(CATCH_UP_BATCH)
            mark = tx.units.mark()
        serving = mark.serving
        if not waiting:
            if mark.is_behind:
                _note_all_made(seat)
            return serving
        packed = seat.shelf.prepare([content for _, content in waiting], serving[1] if serving else None)
        with seat.writing() as tx:
            # Another process may have made some meanwhile, or left more for later.
            still = {seq for seq, _ in tx.units.postponed(CATCH_UP_BATCH)}
            todo = [(seq, units) for (seq, _), units in zip(waiting, packed, strict=True) if seq in still]
            tx.units.put([seq for seq, _ in todo], [units for _, units in todo], model_for_writing(tx, seat))
            if not tx.units.postponed(1):
                tx.units.all_made()


def _note_all_made(seat: Seat) -> None:
    """Has the next search look for nothing that was left for later: all of it was made anew, or forgotten."""
    with suppress(Unavailable), seat.writing() as tx:
        if not tx.units.postponed(1):
            tx.units.all_made()


def renew_damaged(seat: Seat, memory_seqs: Iterable[int]) -> bool:
    """Makes the units of these memories anew from their texts. False if nothing can be written now."""
    seqs = sorted(memory_seqs)
    try:
        for start in range(0, len(seqs), RENEWED_AT_ONCE):
            with seat.reading() as tx:
                found = tx.memories.by_seqs(seqs[start : start + RENEWED_AT_ONCE])
            _renew(seat, [(seq, one.content) for seq, one in found.items() if not one.is_forgotten])
    except Unavailable:
        return False
    return True


def renew_all(seat: Seat, progress: Callable[[int], None] | None = None) -> int:
    """Makes the units of every memory anew from its text, also of those that have none, and says how many there are.

    Vectors of a provider that is not on this machine stay as they are.
    """
    seat.require(Act.CONFIGURE)
    done = last = 0
    while True:
        with seat.reading() as tx:
            some = tx.units.texts(last, RENEWED_AT_ONCE)
        if not some:
            break
        _renew(seat, some)
        done, last = done + len(some), some[-1][0]
        if progress is not None:
            progress(done)
    fill_vectors(seat)
    return done


def _renew(seat: Seat, texts: Sequence[tuple[int, str]]) -> None:
    packed = prepare_between(seat, [content for _, content in texts])
    with seat.writing() as tx:
        now = tx.memories.by_seqs([seq for seq, _ in texts])
        serving = model_for_writing(tx, seat)
        for (seq, content), units in zip(texts, packed, strict=True):
            # Whoever edited or forgot it meanwhile has seen to its units.
            if seq in now and now[seq].content == content and not now[seq].is_forgotten:
                tx.units.renew(seq, units, serving)


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


def reindex(tx: Transaction, seat: Seat, before: Memory, after: Memory, ahead: Prepared = NOTHING_PREPARED) -> None:
    """Follows a change: new words get new units, as do those that leave quarantine; the rest is only read again."""
    seq = tx.memories.seq_of(after.id)
    if after.is_quarantined:
        tx.units.drop(seq)
        return
    if before.content == after.content and not before.is_quarantined:
        tx.units.touch(seq)
        return
    units = ahead.get(after.content) or prepare_units(tx, seat, [after.content])[0]
    tx.units.replace(seq, units, model_for_writing(tx, seat))


def model_for_writing(tx: Transaction, seat: Seat) -> tuple[int, ModelIdentity] | None:
    """The model that vectors written now belong to; the configured one if the project has none yet."""
    serving = tx.units.serving()
    embedder = seat.shelf.embedder
    if serving is not None or embedder is None:
        return serving
    return tx.vectors.register(embedder.identity), embedder.identity
