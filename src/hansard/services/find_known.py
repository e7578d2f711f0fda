"""Finds what is known already, so that no write makes two of it: the same words, or nearly the same of one citation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.errors import MemoryKnown
from hansard.domain.likeness import may_say_the_same
from hansard.domain.memories import Memory, Note, digest, is_redacted, normalised
from hansard.domain.paging import Window
from hansard.domain.trust import is_from_outside, is_vouched, tier_of, trust_of
from hansard.domain.units import PackedUnit
from hansard.domain.vocabulary import Origin, Role, Source, Trust
from hansard.services.seat import Seat, lived_until
from hansard.store.filters import MemoryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

COSINE_MIN = 0.95
CITING_MEMORIES_MAX = 200
_FIRST = Window(CITING_MEMORIES_MAX)


def find_duplicates(
    tx: Transaction,
    seat: Seat,
    notes: Sequence[Note],
    digests: Sequence[int],
    packed: Sequence[Sequence[PackedUnit]],
    stored: Mapping[int, Sequence[Memory]],
    origins: Mapping[tuple[Origin | None, Source], Origin],
) -> dict[int, Memory | int]:
    """For each note that is known: the memory that says it, or the place of the earlier note of this batch.

    `stored` are the memories with these digests.
    """
    now = lived_until(tx)
    known: dict[int, Memory | int] = {}
    compared = packed and any(note.citations for note in notes)
    if not stored and not compared and len(set(digests)) == len(digests):
        # Nothing like any of them is there, and no two are alike.
        return known
    by_person = Role.HUMAN in seat.actor.roles
    first_places: dict[tuple[object, ...], int] = {}
    for place, (note, key) in enumerate(zip(notes, digests, strict=True)):
        if is_redacted(note.content):
            continue
        standing = [one for one in stored.get(key, ()) if _stands_for(note, one, now)]
        # What a person says does not wait, so what waits is no answer to it. Nor does an agent's own word stand for
        # one that is from outside.
        outside = trust_of(origins[note.origin, note.source], note.source) is Trust.OUTSIDE
        same = next(
            (
                one
                for one in standing
                if not (by_person and (one.is_quarantined or is_from_outside(one)) and not outside)
                and (not outside or by_person or is_vouched(one) or tier_of(one) is Trust.OUTSIDE)
            ),
            None,
        )
        if same is None and note.citations and packed:
            same = _nearly_same(tx, seat, note, packed[place])
        if same is not None:
            known[place] = same
            continue
        identity = (key, key_of(note.agent), note.scope, note.source_ref, note.position)
        first = first_places.setdefault(identity, place)
        if first != place:
            known[place] = first
    return known


def _stands_for(note: Note, memory: Memory, now: int) -> bool:
    """Whether the known memory can take the place of the new one: it must not end before its time."""
    lasts = memory.source is note.source or memory.expires_at is None
    return lasts and _same_place(note, memory) and not memory.is_expired(now)


def _same_place(note: Note, memory: Memory) -> bool:
    return (
        key_of(note.agent) == key_of(memory.agent)
        and note.scope is memory.scope
        and note.source_ref == memory.source_ref
        and note.position == memory.position
    )


def _nearly_same(tx: Transaction, seat: Seat, note: Note, units: Sequence[PackedUnit]) -> Memory | None:
    """Only what cites the same and is embedded on this machine is compared: nearness alone proves little."""
    serving = tx.units.serving()
    vector = units[0].vector if len(units) == 1 else None
    embedder = seat.shelf.embedder_of(serving[1]) if serving else None
    if serving is None or vector is None or embedder is None or not embedder.is_local:
        return None
    import numpy as np

    from hansard.index.rows import unpack_vectors

    now = lived_until(tx)
    wanted = MemoryFilter(agent_key=key_of(note.agent), scope=note.scope, live_at=now, citing=note.citations)
    citing = {
        tx.memories.seq_of(one.id): one
        for one in tx.memories.page(wanted, _FIRST).items
        if _stands_for(note, one, now) and may_say_the_same(note.content, one.content)
    }
    stored = tx.vectors.of(serving[0], list(citing))
    if not stored:
        return None
    vectors, _ = unpack_vectors([vector, *(one for _, one in stored)], serving[1].dimensions)
    cosines = vectors[1:] @ vectors[0]
    best = int(np.argmax(cosines))
    return citing[stored[best][0]] if cosines[best] >= COSINE_MIN else None


def find_equal(tx: Transaction, said: Memory) -> Memory | None:
    """The oldest other live memory of the same agent, scope and place with the same words; case and blanks apart.

    One that ends sooner is left out: it cannot take the place of one that stays. What has no word left is like nothing.
    """
    if is_redacted(said.content):
        return None
    alike, now = tx.memories.with_digests([digest(said.content)]).values(), lived_until(tx)
    return next((one for group in alike for one in group if _takes_its_place(said, one, now)), None)


def refuse_equal(tx: Transaction, said: Memory) -> None:
    """Raises MemoryKnown if another memory says what this one is about to say."""
    known = find_equal(tx, said)
    if known is not None:
        raise MemoryKnown(f"Nothing was changed: the memory {known.id} says the same already.")


def _takes_its_place(said: Memory, one: Memory, now: int) -> bool:
    lasts = one.expires_at is None or (said.expires_at is not None and one.expires_at >= said.expires_at)
    return (
        one.id != said.id
        and not one.is_quarantined
        and lasts
        and not one.is_expired(now)
        and key_of(one.agent) == key_of(said.agent)
        and one.scope is said.scope
        and (one.source_ref, one.position) == (said.source_ref, said.position)
        and normalised(one.content) == normalised(said.content)
    )
