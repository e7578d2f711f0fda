"""Holds back what must be reviewed first: settles where words come from, and looks at what they do to a reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from hansard.domain import trust
from hansard.domain.actors import key_of
from hansard.domain.decisions import Decision
from hansard.domain.errors import Quarantined
from hansard.domain.inbox import Entry
from hansard.domain.memories import Memory, Note, digests, normalised
from hansard.domain.policy import Act, may, require
from hansard.domain.rendering import is_from_outside
from hansard.domain.tags import CROSS_TEAM
from hansard.domain.tricks.seams import seams, signs_across
from hansard.domain.trust import Trust
from hansard.domain.vocabulary import Clearance, Origin, Role, Source
from hansard.services import doubt
from hansard.services.trace import Traces
from hansard.services.withhold import held_by_people
from hansard.services.wording import TEXTS, entry_texts, pieces_of, texts_beside, texts_of, told_by

if TYPE_CHECKING:
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction

BATCH_MIN = 8
Record = TypeVar("Record", Memory, Entry)


class Known(NamedTuple):
    """What the words of a write are compared with: what people hold, and what its author brought from outside."""

    held: Sequence[trust.Said]
    traces: Traces


class Judge(Protocol):
    """Tells what texts, or several pieces in a row, do to their reader, as `suspicions` does."""

    def __call__(
        self, texts: Iterable[str | None], /, *, outside: bool, pieces: Sequence[str] = ()
    ) -> tuple[str, ...]: ...


def origin_of(seat: Seat, claimed: Origin | None, source: Source = Source.MANUAL) -> Origin:
    """Where words come from: what the caller says, or who the caller is. Only a person says that a person said it."""
    if claimed is Origin.HUMAN:
        seat.require(Act.SPEAK_FOR_PEOPLE)
    return claimed or trust.default_origin(source, seat.actor)


def origins_of(seat: Seat, notes: Sequence[Note]) -> dict[tuple[Origin | None, Source], Origin]:
    """Where the words of these notes come from, by what each says of it and its source."""
    return {pair: origin_of(seat, *pair) for pair in {(one.origin, one.source) for one in notes}}


def of_one_origin(
    seat: Seat, notes: Sequence[Note], origins: Mapping[tuple[Origin | None, Source], Origin]
) -> Sequence[Note]:
    """The notes, where the same words of one author have the least trusted origin that any of them has."""
    if Role.HUMAN in seat.actor.roles or len(set(origins.values())) < 2:
        return notes
    keys = [[(key_of(one.agent), letters) for letters in doubt.letters_of(one.content)] for one in notes]
    least: dict[tuple[str, str], Origin | None] = {}
    for several, one in zip(keys, notes, strict=True):
        origin = origins[one.origin, one.source]
        for key in several:
            least[key] = trust.less_trusted(origin, least.get(key, origin))
    worst = [reduce(trust.less_trusted, (least[key] for key in several)) for several in keys]
    return [
        one if origin is origins[one.origin, one.source] else one._replace(origin=origin)
        for one, origin in zip(notes, worst, strict=True)
    ]


def signs_ahead(notes: Sequence[Note]) -> list[tuple[str, ...]]:
    """What is suspicious about each of the notes. Asked before the write: a long text must not hold its only lock."""
    if len(notes) < BATCH_MIN:
        return [_signs_of(one) for one in notes]
    from hansard.guard.gate import found_in
    from hansard.guard.injection import suspects

    looked_at = found_in(notes, TEXTS, suspects, ignored=CROSS_TEAM)
    # Many of a batch end alike and name the same source: each such row is searched once.
    rows: dict[str, list[int]] = {}
    for place, one in enumerate(notes):
        for before, behind in seams(pieces_of(one)):
            rows.setdefault(f"{before} {behind}", []).append(place)
    different = list(rows)
    looked_at.update(place for found in suspects(different) for place in rows[different[found]])
    signs: list[tuple[str, ...]] = [()] * len(notes)
    for place in looked_at:
        signs[place] = _signs_of(notes[place])
    return signs


def judged(memory: Memory, now: int, signs: Sequence[str] | None = None) -> Memory:
    """The memory with what is suspicious about it, and in quarantine if that must be reviewed first."""
    tier = trust.trust_of(memory.origin, memory.source)
    if signs == () and tier is not Trust.OUTSIDE and not memory.signs and memory.quarantined_at is None:
        # Most of a batch: nothing was found, and there is nothing to take back.
        return memory
    if tier is Trust.TRUSTED:
        return memory._replace(signs=(), quarantined_at=None, cleared=None)
    signs = _signs_of(memory) if signs is None else tuple(signs)
    reasons = trust.reasons_to_hold(memory, signs)
    if trust.is_held_by_person(memory.signs, memory.quarantined_at):
        # New words do not undo what a person did; another person does.
        return memory._replace(signs=(*(reasons or signs), trust.ASKED), cleared=None)
    return memory._replace(signs=reasons or signs, quarantined_at=now if reasons else None, cleared=None)


def judged_file(seat: Seat, memory: Memory, now: int) -> Memory:
    """A memory of a file that is indexed. A person who names a file that is no note vouches for what is plain in it."""
    names_it = Role.HUMAN in seat.actor.roles and not trust.is_note(memory)
    if not names_it or trust.is_held_by_person(memory.signs, memory.quarantined_at):
        return judged(memory, now)
    if _signs(*texts_of(memory), outside=True, pieces=pieces_of(memory)):
        return judged(memory, now)
    return memory._replace(signs=(), quarantined_at=None, cleared=Clearance.CONFIRMED)


def _signs_of(said: Memory | Note, judge: Judge | None = None) -> tuple[str, ...]:
    return (judge or suspicions)(texts_of(said), outside=_is_outside(said), pieces=pieces_of(said))


def _is_outside(said: Memory | Note) -> bool:
    return trust.trust_of(said.origin, said.source) is Trust.OUTSIDE


def judged_line(
    memory: Memory, before: Memory | None, now: int, *, cleared: bool, judge: Judge | None = None
) -> Memory:
    """A memory from a ledger file. A file may claim any origin, so its words alone are judged, if they are new.

    What it says of itself to be from outside waits, if it asks for more than to inform and no line says that somebody
    reviewed it. `cleared` says that one does.
    """
    if before is not None and not memory.is_forgotten and trust.is_for_person(before):
        return memory._replace(quarantined_at=before.quarantined_at, signs=before.signs)
    if before is not None and texts_of(before) == texts_of(memory):
        if cleared and trust.awaits_clearance(before):
            return memory
        same = memory._replace(quarantined_at=before.quarantined_at, signs=before.signs, cleared=before.cleared)
        if memory.is_forgotten or before.is_quarantined or not trust.outgrows(before, memory):
            return same
        return same._replace(signs=before.signs or (trust.RAISED,), quarantined_at=now, cleared=None)
    signs = () if memory.is_forgotten else _signs_of(memory, judge)
    if not signs and not cleared and not memory.is_forgotten and _is_outside(memory):
        asked = trust.reasons_to_hold(memory, ())
        signs = (trust.UNCLEARED, *asked) if asked else ()
    return memory._replace(signs=signs, quarantined_at=now if signs else None)


def decision_signs(line: Mapping[str, Any], before: Decision | None, judge: Judge) -> tuple[str, ...]:
    """What is suspicious about a decision of a ledger file, if its words are not those that the record has.

    If it says that a person vouched for them, and the record does not, they are looked at all the same.
    """
    words = (line["title"], line["content"], line["rationale"], *line["tags"], *line["applies_to"])
    if before is not None and (line["cleared"] is None or before.cleared is not None):
        here = (before.title, before.content, before.rationale, *before.tags, *before.applies_to)
        words = tuple(one for one in words if one not in here)
    pieces = (line["title"], line["content"], *line["applies_to"], line["rationale"], *map(doubt.spelled, line["tags"]))
    return judge(words, outside=False, pieces=[one for one in pieces if one] if words else ())


def judged_entry(entry: Entry, now: int, judge: Judge | None = None) -> Entry:
    """The entry, in quarantine if its words are suspicious: a proposal is there to be read by others."""
    if entry.origin is Origin.HUMAN:
        return entry._replace(signs=(), quarantined_at=None, cleared=None)
    # A slug is read too, and dashes are its blanks.
    slug = entry.slug.replace("-", " ")
    words = (slug, *entry_texts(entry), *entry.tags, entry.note)
    pieces = [slug, *pieces_of(entry)] if entry.title != entry.slug else pieces_of(entry)
    signs = (judge or suspicions)(words, outside=trust.trust_of(entry.origin) is Trust.OUTSIDE, pieces=pieces)
    if entry.is_quarantined:
        # What waits for a person waits for a person: new words do not take its place in the list away.
        return entry._replace(signs=tuple(dict.fromkeys((*signs, *entry.signs))), cleared=None)
    return entry._replace(signs=signs, quarantined_at=now if signs else None, cleared=None)


def rejudged(seat: Seat, before: Memory, said: Memory, now: int) -> Memory:
    """An edited memory. Whose words it has now is who edited it, but nothing from outside becomes an agent's own.

    Only a new content is a person's word: a name, a tag or a citation vouches for nothing that stood there before. Nor
    does it take a person's word away: what a model may not hang on that is refused, not held.
    """
    if before.is_quarantined:
        raise Quarantined(f"The memory {before.id} waits for review. Release, confirm or redact it first.")
    if trust.overreaches(before, said):
        said = raised(seat, said)
    added = {*said.citations, *said.tags} - {*before.citations, *before.tags}
    outside = _is_outside(before)
    if (said.content, said.name) == (before.content, before.name) and not _signs(
        *added, outside=outside, pieces=pieces_of(said) if added else ()
    ):
        return said
    own = trust.default_origin(Source.MANUAL, seat.actor)
    if said.content == before.content and (own is Origin.HUMAN or trust.is_vouched(before)):
        # Who names or labels words has not said them.
        return said
    return judged(said if outside and own is not Origin.HUMAN else said._replace(origin=own), now)


def raised(seat: Seat, said: Memory) -> Memory:
    """A memory of which more is made than its origin allows. Only a person does that, and vouches for it by it.

    What reads like an instruction stays marked until somebody confirms its very words. Raises Denied.
    """
    require(seat.actor, Act.RAISE)
    return said if said.signs else said._replace(cleared=Clearance.CONFIRMED)


def followed(seat: Seat, before: Memory, said: Memory, now: int) -> Memory:
    """The memory of a decision that was changed. A person vouched for the words of before, and for no others."""
    if (said.content, said.name) == (before.content, before.name):
        return said
    own = trust.default_origin(Source.MANUAL, seat.actor)
    if own is Origin.HUMAN and said.content == before.content:
        return said
    if own is Origin.HUMAN or not _is_outside(before):
        said = said._replace(origin=own)
    signs = () if own is Origin.HUMAN else _signs_of(said)
    if before.is_quarantined:
        # What waits for a person goes on waiting, whatever it says now.
        return said._replace(signs=tuple(dict.fromkeys((*signs, *before.signs))), cleared=None)
    return said._replace(signs=signs, quarantined_at=now if signs else None, cleared=None)


def held_again(
    tx: Transaction,
    seat: Seat,
    said: Sequence[Memory],
    same: Mapping[int, Sequence[Memory]] | None = None,
    unwrapped: Sequence[str | None] = (),
) -> list[Memory]:
    """The memories, as the guard knows their author: nobody gets words round a review by saying them once more.

    The same words as others of the author have the least trusted origin of them all, and are judged by it. What nearly
    says what a person holds is held as well, whoever says it. What a person writes is left alone. `same` is what has
    the same digests, `unwrapped` what the caller said before it was made part of a longer text.
    """
    # First, so that one of a batch does not say in another field what the next one brings from outside.
    _keep_origins(tx, seat, said)
    if Role.HUMAN in seat.actor.roles:
        return list(said)
    again = _all_again(tx, seat, said, same, [one for one in unwrapped if one])
    _keep_origins(tx, seat, [one for one, before in zip(again, said, strict=True) if one.origin is not before.origin])
    return list(again)


def _keep_origins(tx: Transaction, seat: Seat, said: Iterable[Memory]) -> None:
    outside = (one for one in said if _is_outside(one) and one.cleared is not Clearance.CONFIRMED)
    # A file that is indexed has its words on record, and is asked for them.
    brought = [
        doubt.Brought(one.agent, told_by(one), one.origin)
        for one in outside
        if one.origin and not trust.is_indexed(one)
    ]
    if brought:
        doubt.keep_origins(tx, seat, brought)


def _all_again(
    tx: Transaction,
    seat: Seat,
    said: Sequence[Memory],
    same: Mapping[int, Sequence[Memory]] | None,
    unwrapped: Sequence[str],
) -> Sequence[Memory]:
    doubted = {one for one in {seat.actor.name, *(memory.agent for memory in said)} if doubt.has_doubts(tx, one)}
    if not same and same is not None and not doubted:
        return said
    against = Known(held_by_people(tx) if doubted else [], Traces(tx, said))
    keys = digests(one.content for one in said)
    known = tx.memories.with_digests(keys) if same is None else same
    again: list[Memory] = []
    for one, key in zip(said, keys, strict=True):
        # Whoever hands words to another says them too.
        voices = [name for name in dict.fromkeys((one.agent, seat.actor.name)) if name in doubted]
        again.append(_again(tx, one, voices, against, known.get(key, ()), unwrapped))
    return again


def held_files(tx: Transaction, seat: Seat, said: Sequence[Memory]) -> list[Memory]:
    """The same for memories of files, whoever has them indexed: their words are the file's.

    A note file stands where its team put it, so only what a person turned down waits.
    """
    made = [one if trust.is_note(one) else held_again(tx, seat, [one])[0] for one in said]
    if not made or not doubt.has_turned_down(tx):
        return made
    held = held_by_people(tx)
    return [
        _waiting(tx, one) if not one.is_quarantined and (_is_turned_down(tx, one) or _says_again(one, held)) else one
        for one in made
    ]


def _is_turned_down(tx: Transaction, one: Memory) -> bool:
    return doubt.is_turned_down(tx, [*told_by(one), *doubt.told_together(tx, (), pieces_of(one))])


def held_entry(tx: Transaction, seat: Seat, entry: Entry, *, filed: bool = False) -> Entry:
    """The same for a proposal. What stands in a file is not said by the person who takes it in, nor by who it names."""
    filed = filed or entry.is_from_file
    own = Role.HUMAN in seat.actor.roles and not filed
    if not own and entry.origin is not Origin.HUMAN:
        entry = _entry_again(tx, entry)
    if entry.origin and trust.trust_of(entry.origin) is Trust.OUTSIDE and not filed:
        doubt.keep_origins(tx, seat, [doubt.Brought(entry.author, told_by(entry), entry.origin)])
    return entry


def held_line(tx: Transaction, seat: Seat, entry: Entry) -> Entry:
    """The same for a proposal that its author takes over from a ledger file.

    Every clone must come to the same line, so its origin stays. If it claims more than its author may, it waits.
    """
    claims = entry.origin is Origin.HUMAN and not may(seat.actor, Act.SPEAK_FOR_PEOPLE)
    again = held_entry(tx, seat, entry._replace(origin=Origin.AGENT) if claims else entry)
    if again.origin is entry.origin:
        return again
    return again._replace(
        origin=entry.origin, quarantined_at=tx.now, signs=again.signs or (trust.RAISED,), cleared=None
    )


def _entry_again(tx: Transaction, entry: Entry) -> Entry:
    known = [one for group in tx.memories.with_digests(digests([entry.content])).values() for one in group]
    doubted = doubt.has_doubts(tx, entry.author)
    found = _doubt(tx, [entry.author] if doubted else [], _told_in_all(tx, entry) if doubted else [], known)
    origin = _doubtful_origin(entry.origin, entry.author, entry.content, known)
    for brought in (found.origin, Traces(tx).origin_of(entry, [entry.author]) if doubted else None):
        origin = origin if brought is None else trust.less_trusted(origin, brought)
    if origin is not entry.origin:
        entry = judged_entry(entry._replace(origin=origin), tx.now)
    if entry.is_quarantined or not doubted:
        return entry
    if found.turned_down or _says_again(entry, held_by_people(tx)):
        return _waiting(tx, entry)
    return entry


def _told_in_all(tx: Transaction, entry: Entry) -> list[str]:
    """What a proposal says, in each of its texts and in several of them together."""
    return [*told_by(entry), *doubt.told_together(tx, [entry.author], pieces_of(entry))]


def as_doubted(tx: Transaction, entry: Entry, held: Sequence[trust.Said] | None = None) -> Entry:
    """The proposal as far as its words are trusted now.

    Its author may have brought them from outside since, and a person may hold since what it says or quotes. `held` is
    what people hold, if the caller asks about many.
    """
    if entry.cleared is Clearance.CONFIRMED or not doubt.has_doubts(tx, entry.author):
        return entry
    found = doubt.doubt_of(tx, entry.author, _told_in_all(tx, entry))
    turned_down = found.turned_down or _says_again(entry, held_by_people(tx) if held is None else held)
    least = Origin.EXTERNAL if turned_down else found.origin
    for brought in (least, Traces(tx).origin_of(entry, [entry.author])):
        entry = entry if brought is None else entry._replace(origin=trust.less_trusted(entry.origin, brought))
    return entry


def needs_review(
    tx: Transaction, authors: Sequence[str], words: Sequence[str], texts: Sequence[str], pieces: Sequence[str]
) -> bool:
    """Whether a person must see words before they become law: for what they do to a reader, or where they come from.

    `words` are all of them, `texts` those by which they are known again, `pieces` what a reader reads in a row, with
    what stood there before. What a person turned down or holds is asked of anybody: as law it would bind the one who
    was told no.
    """
    if _signs(*words, pieces=pieces if words else ()):
        return True
    if any(doubt.has_doubts(tx, one) for one in authors):
        texts = [*texts, *doubt.told_together(tx, authors, pieces, words)]
    if not texts:
        return False
    known = [one for group in tx.memories.with_digests(digests(texts)).values() for one in group]
    # Whoever brought it: a model that says the same may have it from there.
    if any(is_from_outside(one) and not trust.is_note(one) for one in known):
        return True
    for author in authors:
        found = _doubt(tx, [author], texts, known) if doubt.has_doubts(tx, author) else doubt.NO_DOUBT
        if found.turned_down or (found.origin is not None and trust.trust_of(found.origin) is Trust.OUTSIDE):
            return True
    if Traces(tx).brought_from([one for one in authors if doubt.has_doubts(tx, one)], [*texts, " ".join(pieces)]):
        return True
    held = held_by_people(tx)
    return any(trust.repeats(one, held) for one in (*texts, " ".join(texts))) or trust.say_together(pieces, words, held)


def _doubt(tx: Transaction, voices: Sequence[str], texts: Sequence[str], known: Iterable[Memory]) -> doubt.Doubt:
    """What is known of words of any of these. What a person confirmed of their author is free, and that alone."""
    if not voices:
        return doubt.NO_DOUBT
    keys = {key_of(one) for one in voices}
    free = {one.content for one in known if one.cleared is Clearance.CONFIRMED and key_of(one.agent) in keys}
    doubted = [one for one in texts if one not in free]
    found = [doubt.doubt_of(tx, one, doubted) for one in voices]
    origins = (one.origin for one in found if one.origin is not None)
    return doubt.Doubt(reduce(trust.less_trusted, origins, None), any(one.turned_down for one in found))


def _says_again(record: Memory | Entry, held: Sequence[trust.Said]) -> bool:
    """Whether a record says again what a person holds: in what it says, in all of it, or beside it if that is long."""
    if not held:
        return False
    beside: tuple[str | None, ...]
    if isinstance(record, Entry):
        beside = (*entry_texts(record)[1:], record.slug.replace("-", " "))
    else:
        beside = texts_beside(record)
    texts = [one for one in beside if one]
    # A word or two that are held may well be somebody's tag or category.
    telling = [one for one in held if len(one.words) >= trust.AGAIN_WORDS_MIN]
    whole = " ".join((*texts, record.content)) if isinstance(record, Memory) else " ".join(entry_texts(record))
    return trust.repeats(record.content, held) or any(
        trust.repeats(one, telling) for one in (*texts, whole, *trust.in_pairs(pieces_of(record)))
    )


def _again(
    tx: Transaction,
    one: Memory,
    voices: Sequence[str],
    against: Known,
    known: Sequence[Memory],
    unwrapped: Sequence[str],
) -> Memory:
    if one.is_quarantined or one.origin is Origin.HUMAN or one.cleared is Clearance.CONFIRMED:
        return one
    together = doubt.told_together(tx, voices, pieces_of(one)) if voices else []
    found = _doubt(tx, voices, [*told_by(one), *unwrapped, *together], known)
    held = against.held
    if found.turned_down or _says_again(one, held) or any(trust.repeats(text, held) for text in unwrapped):
        return _waiting(tx, one)
    others = (other for other in known if other.id != one.id)
    origin = _doubtful_origin(one.origin, one.agent, one.content, others)
    for brought in (found.origin, against.traces.origin_of(one, voices, unwrapped)):
        origin = origin if brought is None else trust.less_trusted(origin, brought)
    return one if origin is one.origin else judged(one._replace(origin=origin), tx.now)


def _waiting(tx: Transaction, said: Record) -> Record:
    return said._replace(quarantined_at=tx.now, signs=(*said.signs, trust.AGAIN), cleared=None)


def _doubtful_origin(origin: Origin | None, author: str, content: str, known: Iterable[Memory]) -> Origin | None:
    """The least trusted origin among these words and the same ones of the same author that nobody confirmed."""
    for one in known:
        same = key_of(one.agent) == key_of(author) and normalised(one.content) == normalised(content)
        # A note file stands where its team put it.
        if same and one.cleared is not Clearance.CONFIRMED and not trust.is_note(one):
            origin = trust.less_trusted(origin, one.origin)
    return origin


def is_doubtful_beside(memory: Memory) -> bool:
    """Whether what stands beside its content tells a reader what to do."""
    return bool(_signs(*texts_beside(memory), pieces=pieces_of(memory)))


def suspicions(texts: Iterable[str | None], /, *, outside: bool, pieces: Sequence[str] = ()) -> tuple[str, ...]:
    """What one of these texts does to its reader that must be reviewed first, or several pieces in a row do."""
    return _signs(*texts, outside=outside, pieces=pieces)


def _signs(*texts: str | None, outside: bool = False, pieces: Sequence[str] = ()) -> tuple[str, ...]:
    # Imported here because most commands only read, and the patterns cost as much to load as a small module.
    from hansard.guard.injection import may_have_signs

    if not may_have_signs(*texts, *map(" ".join, seams(pieces))):
        return ()
    from hansard.domain.tricks.signs import remembered_signs

    return tuple(dict.fromkeys((*remembered_signs(*texts, outside=outside), *signs_across(pieces, outside=outside))))


def tell_held(seat: Seat, tx: Transaction, records: Iterable[Memory | Entry]) -> None:
    """Says of records that were written before and still wait that they do. The seat says it of what came to wait now.

    Else whoever sends the same again would take it for accepted.
    """
    if seat.waits is None:
        return
    told = {id for found in (tx.memories.held, tx.inbox.held) for id, since in found.items() if since == tx.now}
    still = {one.id for one in records if one.is_quarantined} - told
    if still:
        seat.waits(len(still))
