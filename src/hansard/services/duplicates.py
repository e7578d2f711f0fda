"""Sees what is known already: the same words, or nearly the same with a shared citation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.memories import Memory, Note
from hansard.domain.paging import Window
from hansard.domain.units import PackedUnit
from hansard.services.seat import Seat
from hansard.store.filters import MemoryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

COSINE_MIN = 0.95
CITING_MEMORIES_MAX = 200
_FIRST = Window(CITING_MEMORIES_MAX)

NEGATIONS = frozenset(
    "not no never none nothing nobody neither nor without cannot"
    " nicht nichts nie niemals kein keine keinem keinen keiner keines ohne weder".split()
)
NUMBERS = {
    word: number
    for words in (
        "zero two three four five six seven eight nine ten eleven twelve",
        "null zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for word, number in zip(words.split(), (0, *range(2, 13)), strict=True)
}
"""One is left out: mostly it stands for a thing and not for a number."""
SMALL_WORDS = frozenset(
    "a an the this that these those it its is are was were be been being am do does did has have had will would shall"
    " should can could may might must to of in on at by for from with as and or but so if then than there here please"
    " just also very really always now we you they i he she our your their my me us them"
    " der die das den dem des ein eine einen einem einer ist sind war waren wird werden und oder".split()
)
ENDINGS = ("ing", "ed", "es", "s")
STEM_LETTERS_MIN = 3
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_DIGITS = re.compile(r"\d+")


def find_duplicates(
    tx: Transaction,
    seat: Seat,
    notes: Sequence[Note],
    digests: Sequence[int],
    packed: Sequence[Sequence[PackedUnit]],
) -> dict[int, Memory | int]:
    """For each note that is known: the memory that says it, or the place of the earlier note of this batch."""
    stored = tx.memories.with_digests(digests)
    known: dict[int, Memory | int] = {}
    first_places: dict[tuple[object, ...], int] = {}
    for place, (note, key) in enumerate(zip(notes, digests, strict=True)):
        same = next((one for one in stored.get(key, ()) if _stands_for(note, one, tx.now)), None)
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

    wanted = MemoryFilter(agent_key=key_of(note.agent), scope=note.scope, live_at=tx.now, citing=note.citations)
    citing = {
        tx.memories.seq_of(one.id): one
        for one in tx.memories.page(wanted, _FIRST).items
        if _stands_for(note, one, tx.now) and _may_say_the_same(note.content, one.content)
    }
    stored = tx.vectors.of(serving[0], list(citing))
    if not stored:
        return None
    vectors, _ = unpack_vectors([vector, *(one for _, one in stored)], serving[1].dimensions)
    cosines = vectors[1:] @ vectors[0]
    best = int(np.argmax(cosines))
    return citing[stored[best][0]] if cosines[best] >= COSINE_MIN else None


def _may_say_the_same(left: str, right: str) -> bool:
    """Whether texts near each other can be one: not if a word that tells something is another.

    An update is near what it corrects: another number, name, weekday or order, a "not", a "false" for a "true" hardly
    move a vector. What may differ are small words and endings.
    """
    one, other = ([word.replace("’", "'") for word in _WORD.findall(text.casefold())] for text in (left, right))
    if _numbers(one) != _numbers(other) or _negations(one) != _negations(other):
        return False
    if [_stem(word) for word in one if _tells(word)] != [_stem(word) for word in other if _tells(word)]:
        return False
    return one == other or sorted(one) != sorted(other)


def _tells(word: str) -> bool:
    return word not in SMALL_WORDS and word not in NUMBERS and not word.isdigit() and not _is_negation(word)


def _stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= STEM_LETTERS_MIN:
            return word.removesuffix(ending)
    return word


def _numbers(words: Sequence[str]) -> list[str]:
    digits = [run for word in words for run in _DIGITS.findall(word)]
    return sorted(digits + [str(NUMBERS[word]) for word in words if word in NUMBERS])


def _negations(words: Sequence[str]) -> int:
    return sum(map(_is_negation, words))


def _is_negation(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't")
