"""Holds back what must be reviewed first: settles where words come from, and looks at what they do to a reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hansard.domain import trust
from hansard.domain.actors import key_of
from hansard.domain.decisions import Decision
from hansard.domain.errors import HiddenMemory, Quarantined, UnknownEntry, quoted
from hansard.domain.inbox import Entry
from hansard.domain.memories import Memory, Note, digests
from hansard.domain.paging import Window
from hansard.domain.policy import Act, may, require
from hansard.domain.tags import CROSS_TEAM
from hansard.domain.trust import Trust
from hansard.domain.vocabulary import Clearance, Origin, Source, Subject
from hansard.services import chronicle
from hansard.services.reindex import reindex
from hansard.store.filters import MemoryFilter

if TYPE_CHECKING:
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction

BATCH_MIN = 8
TEXTS = ("content", "name", "subject", "reason", "category", "source_ref", "citations", "tags")
"""The fields of a memory with words that a reader may meet."""
BORNE_OUT = "memory.borne_out"
"""The event that a second, independent source said what waits for review."""


def origin_of(seat: Seat, claimed: Origin | None, source: Source = Source.MANUAL) -> Origin:
    """Where words come from: what the caller says, or who the caller is. Only a person says that a person said it."""
    if claimed is Origin.HUMAN:
        seat.require(Act.SPEAK_FOR_PEOPLE)
    return claimed or trust.default_origin(source, seat.actor)


def origins_of(seat: Seat, notes: Sequence[Note]) -> dict[tuple[Origin | None, Source], Origin]:
    """Where the words of these notes come from, by what each says of it and its source."""
    return {pair: origin_of(seat, *pair) for pair in {(one.origin, one.source) for one in notes}}


def signs_ahead(notes: Sequence[Note]) -> list[tuple[str, ...]]:
    """What is suspicious about each of the notes. Asked before the write: a long text must not hold its only lock."""
    if len(notes) < BATCH_MIN:
        return [_signs(*_texts(one)) for one in notes]
    from hansard.guard.gate import found_in
    from hansard.guard.injection import suspects

    looked_at = found_in(notes, TEXTS, suspects, ignored=CROSS_TEAM)
    signs: list[tuple[str, ...]] = [()] * len(notes)
    for place in looked_at:
        signs[place] = _signs(*_texts(notes[place]))
    return signs


def judged(memory: Memory, now: int, signs: Sequence[str] | None = None) -> Memory:
    """The memory with what is suspicious about it, and in quarantine if that must be reviewed first."""
    tier = trust.trust_of(memory.origin, memory.source)
    if signs == () and tier is not Trust.OUTSIDE and not memory.signs and memory.quarantined_at is None:
        # Most of a batch: nothing was found, and there is nothing to take back.
        return memory
    if tier is Trust.TRUSTED:
        return memory._replace(signs=(), quarantined_at=None, cleared=None)
    signs = _signs(*_texts(memory)) if signs is None else tuple(signs)
    reasons = trust.reasons_to_hold(memory, signs)
    return memory._replace(signs=reasons or signs, quarantined_at=now if reasons else None, cleared=None)


def _texts(said: Memory | Note) -> tuple[str | None, ...]:
    return (said.content, *_beside(said))


def _beside(said: Memory | Note) -> tuple[str | None, ...]:
    """Every word of a memory that a reader may meet beside what it says."""
    # Whoever shares with the team says so by this tag; it is none of their words.
    tags = tuple(one for one in said.tags if one != CROSS_TEAM) if said.tags else ()
    return (said.name, said.subject, said.reason, said.category, said.source_ref, *said.citations, *tags)


def judged_line(memory: Memory, before: Memory | None, now: int) -> Memory:
    """A memory from a ledger file. A file may claim any origin, so its words alone are judged, if they are new."""
    if before is not None and _texts(before) == _texts(memory):
        same = memory._replace(quarantined_at=before.quarantined_at, signs=before.signs, cleared=before.cleared)
        if memory.is_forgotten or before.is_quarantined or not trust.outgrows(before, memory):
            return same
        return same._replace(signs=before.signs or (trust.RAISED,), quarantined_at=now, cleared=None)
    signs = () if memory.is_forgotten else _signs(*_texts(memory))
    return memory._replace(signs=signs, quarantined_at=now if signs else None)


def decision_signs(line: Mapping[str, Any], before: Decision | None) -> tuple[str, ...]:
    """What is suspicious about a decision of a ledger file, if its words are not those that the record has."""
    words = (line["title"], line["content"], line["rationale"], *line["tags"], *line["applies_to"])
    if before is not None:
        here = (before.title, before.content, before.rationale, *before.tags, *before.applies_to)
        words = tuple(one for one in words if one not in here)
    return _signs(*words)


def judged_entry(entry: Entry, now: int) -> Entry:
    """The entry, in quarantine if its words are suspicious: a proposal is there to be read by others."""
    words = (entry.title, entry.content, entry.rationale, *entry.tags)
    signs = () if entry.origin is Origin.HUMAN else _signs(*words)
    return entry._replace(signs=signs, quarantined_at=now if signs else None, cleared=None)


def rejudged(seat: Seat, before: Memory, said: Memory, now: int) -> Memory:
    """An edited memory. Whose words it has now is who edited it, but nothing from outside becomes an agent's own."""
    if before.is_quarantined:
        raise Quarantined(f"The memory {before.id} waits for review. Release, confirm or redact it first.")
    if trust.overreaches(before, said):
        require(seat.actor, Act.RAISE)
    added = {*said.citations, *said.tags} - {*before.citations, *before.tags}
    if (said.content, said.name) == (before.content, before.name) and not _signs(*added):
        return said
    own = trust.default_origin(Source.MANUAL, seat.actor)
    outside = trust.trust_of(before.origin, before.source) is Trust.OUTSIDE
    return judged(said if outside and own is not Origin.HUMAN else said._replace(origin=own), now)


def bear_out(tx: Transaction, seat: Seat, recorded: Iterable[Memory]) -> list[Memory]:
    """Releases what waits for review and was just said again by an independent source. It stays marked as data.

    The other one was known here before, because a new name costs nothing. What it did not say is not borne out.
    """
    if not tx.memories.page(MemoryFilter(quarantined=True), Window(1)).items:
        return []
    second = [one for one in recorded if not one.is_quarantined]
    alike = tx.memories.with_digests(digests(one.content for one in second)) if second else {}
    released: list[Memory] = []
    known = {one.key: one.created_at for one in tx.actors.all()} if alike else {}
    for waiting in {one.id: one for group in alike.values() for one in group if one.is_quarantined}.values():
        witness = next(
            (
                one
                for one in second
                if known.get(key_of(one.agent), tx.now) < waiting.created_at and trust.is_independent(waiting, one)
            ),
            None,
        )
        if witness is not None and not _signs(*_beside(waiting)):
            after = cleared_memory(tx, seat, waiting, Clearance.RELEASED)
            chronicle.changed(tx, seat.actor, BORNE_OUT, Subject.MEMORY, waiting, after, {"by": witness.id})
            released.append(after)
    return released


def cleared_memory(tx: Transaction, seat: Seat, before: Memory, how: Clearance) -> Memory:
    """Takes the memory out of quarantine and into the index. The caller writes the event."""
    after = before._replace(quarantined_at=None, cleared=how, version=before.version + 1, updated_at=tx.now)
    tx.memories.update(after)
    reindex(tx, seat, before, after)
    return after


def hide_memory(seat: Seat, memory: Memory) -> None:
    """Raises HiddenMemory unless the caller reviews what is in quarantine."""
    if memory.is_quarantined and not may(seat.actor, Act.REVIEW_GUARD):
        raise HiddenMemory(f"There is no memory {memory.id!r} in this project.")


def hide_entry(seat: Seat, entry: Entry, reference: str) -> None:
    """Raises UnknownEntry unless the caller reviews what is in quarantine."""
    if entry.is_quarantined and not may(seat.actor, Act.REVIEW_GUARD):
        raise UnknownEntry(f"There is no inbox entry {quoted(reference, 80)} in this project.")


def _signs(*texts: str | None) -> tuple[str, ...]:
    # Imported here because most commands only read, and the patterns cost as much to load as a small module.
    from hansard.domain.tricks import signs_of

    return signs_of(*texts)
