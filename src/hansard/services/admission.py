"""The one door that a text passes: settles where it comes from, how far it may go, and takes its secrets out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from hansard.domain.errors import GuardRefused, Quarantined, StaleVersion, of_number
from hansard.domain.policy import INFORMS, Act, beyond, ceiling_of, require
from hansard.domain.projects import canonical_key
from hansard.domain.tags import CROSS_TEAM
from hansard.domain.vocabulary import Clearance, Origin, Role, Source, Subject, Trust

if TYPE_CHECKING:
    from hansard.domain.inbox import Entry
    from hansard.domain.memories import Memory, Note
    from hansard.guard.gate import Redaction, Text
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction

Record = TypeVar("Record", bound=tuple[Any, ...])
Allowed: TypeAlias = Callable[[str], bool]
"""Says of a value whether a person said that it is no secret."""

TEXTS: Mapping[str, tuple[str, ...]] = {
    "Note": ("content", "name", "category", "citations", "subject", "reason", "source_ref"),
    "Memory": ("content", "name", "category", "citations", "subject", "reason", "source_ref"),
    "Correction": ("content", "name", "citations"),
    "Proposal": ("title", "content", "rationale"),
    "Entry": ("title", "content", "rationale", "note"),
    "Edits": ("title", "content", "rationale"),
    "Decision": ("title", "content", "rationale"),
    "Session": ("focus", "issues", "summary", "state"),
    "Run": ("task", "reason"),
    "FinishedRun": ("task", "reason"),
    "Ending": ("reason", "output"),
    "Chunk": ("body", "path", "context"),
}
"""The fields of each record in which a secret is replaced by a mark."""
MARKS: Mapping[str, tuple[str, ...]] = {
    "Note": ("agent", "tags", "session_id"),
    "Memory": ("tags", "session_id"),
    "Correction": ("tags",),
    "Proposal": ("author", "spelled_slug", "tags"),
    "Entry": ("slug", "requested_slug", "tags"),
    "Decision": ("tags", "applies_to"),
    "Session": ("id",),
    "Run": ("task_type", "tags"),
}
"""The fields by which something is found again. With a mark in it none of them would be one, so they are refused."""
LINE_TEXTS = (
    "title", "content", "rationale", "note", "name", "category", "citations", "subject", "reason", "source_ref",
)  # fmt: skip
"""The same fields in the lines that travel between clones."""
LINE_CLOSED = frozenset((
    "id", "state", "type", "importance", "scope", "source", "kind", "origin", "superseded_by", "entry_id",
    "decision_id", "memory_id",
))  # fmt: skip
"""Fields of such lines that are read as an id or as a word of a vocabulary, so that they can be no secret. Every other
text of a line, also of a field that is added one day, is a mark."""
BETWEEN = "\n\0\n"
"""Stands between the texts of one record. No secret goes across it."""
BATCH_MIN = 8
ASK, BLOCK = "ask", "block"
REASON = "reason"
REPLACED = "a secret ({kind}) is replaced by a mark, in the record and in every file that is written"
REVOKE = "revoke it; commits in git keep it"
"""What whoever takes in a file with a secret is told of it, and what to do."""
SAID_MAX = 3
SPOKEN: Mapping[str, str] = {
    "spelled_slug": "The slug", "requested_slug": "The slug", "slug": "The slug", "session_id": "The id of the session",
    "id": "The id", "applies_to": "A glob", "tags": "A tag", "task_type": "The type of the task", "agent": "The name",
    "author": "The name", "name": "The name", "decided_by": "The name", "reviewer": "The name",
    "project": "The key of the project", "root": "The path of the folder",
}  # fmt: skip
"""What a field is called where somebody reads that it holds a secret."""


class Screened(NamedTuple):
    """What was taken out of a record, and whether a reviewer is to see it first."""

    found: tuple[Redaction, ...] = ()
    waits: bool = False


NOTHING = Screened()


def is_dump(redaction: Redaction) -> bool:
    """Whether it is the rest of a text that was not judged, and so can be no mistake of the scanner."""
    from hansard.guard.floods import FLOOD

    return redaction.kind == FLOOD


def screen(seat: Seat, record: Record, tx: Transaction | None = None) -> tuple[Record, Screened]:
    """The record as it may be stored. Raises GuardRefused if the policy is to block, or a tag or a name is a secret."""
    kind = type(record).__name__
    refuse_marks({name: getattr(record, name) for name in MARKS.get(kind, ())})
    texts, screened = screen_texts(seat, {name: getattr(record, name) for name in TEXTS[kind]}, tx)
    return (record._replace(**texts) if texts else record), screened  # type: ignore[attr-defined]


def screen_all(seat: Seat, records: Sequence[Record]) -> tuple[list[Record], dict[int, Screened]]:
    """The same for many records of one kind at once: a batch without a secret costs one scan of all its words."""
    from hansard.guard import gate

    records = list(records)
    if len(records) < BATCH_MIN:
        suspects: Iterable[int] = range(len(records))
    else:
        refuse_marks(_marks(records))
        searched = gate.found_in(records, TEXTS[type(records[0]).__name__], gate.suspects)
        suspects = sorted({*searched, *_betrayed(records)})
    found: dict[int, Screened] = {}
    for place in suspects:
        try:
            records[place], screened = screen(seat if len(records) == 1 else _numbered(seat, place), records[place])
        except GuardRefused as refusal:
            raise of_number(refusal, place, len(records)) from None
        if screened.found:
            found[place] = screened
    return records, found


def _numbered(seat: Seat, place: int) -> Seat:
    """The seat, which says of a secret in one of several records in which of them it was."""
    tell = seat.told
    if tell is None:
        return seat
    return seat._replace(told=lambda one: tell(one._replace(field=f"{place + 1}.{one.field}")))


def held(record: Record, screened: Screened | None, now: int) -> Record:
    """The memory or entry, kept back for a reviewer if the policy is to ask."""
    if screened is None or not screened.waits:
        return record
    # Imported here: whoever lists decisions screens texts too, and needs nothing of memories.
    from hansard.domain.trust import SECRET_SIGN

    signs = (*record.signs, SECRET_SIGN)  # type: ignore[attr-defined]
    return record._replace(quarantined_at=now, signs=tuple(dict.fromkeys(signs)))  # type: ignore[attr-defined, no-any-return]


def screen_texts(
    seat: Seat, texts: Mapping[str, Text], tx: Transaction | None = None
) -> tuple[dict[str, Text], Screened]:
    """Those of the texts that had to be changed, as they may be stored. Raises GuardRefused if the policy is so."""
    from hansard.guard import gate

    passed = gate.passed(texts, _Allowed(seat, tx))
    if not passed.found:
        return {}, NOTHING
    policy = seat.settings.guard_secrets
    if policy == BLOCK:
        raise GuardRefused(
            f"{_told(passed.found)}; nothing was written. Take it out, or have a person run `hansard guard allow`."
        )
    if seat.told is not None:
        for one in passed.found:
            seat.told(one)
    return passed.texts, Screened(passed.found, waits=policy == ASK)


def screen_named(seat: Seat, record: Record, tx: Transaction) -> tuple[Record, Screened]:
    """The record without what only its name makes a secret: parts of it were screened by themselves."""
    from hansard.guard import gate

    fields = (*_naming(type(record).__name__), gate.NAMED)
    texts, screened = screen_texts(seat, {name: getattr(record, name) for name in fields}, tx)
    return (record._replace(**texts) if texts else record), screened  # type: ignore[attr-defined]


def names_secret(record: tuple[Any, ...]) -> bool:
    """Whether the name of the record may make a secret of what it says, or of what it said before it had that name."""
    from hansard.guard import gate

    return bool(gate.labels_of({name: getattr(record, name) for name in _naming(type(record).__name__)}))


def waiting(seat: Seat, text: str | None) -> Screened:
    """Of a text that was screened before: whether what is made of it is to wait, because something was taken out."""
    if seat.settings.guard_secrets != ASK or text is None:
        return NOTHING
    from hansard.guard.values import MARK_OPEN

    return Screened(waits=MARK_OPEN in text)


def screen_text(seat: Seat, text: str, *, field: str, tx: Transaction | None = None) -> str:
    """One text, as it may be stored."""
    changed, _ = screen_texts(seat, {field: text}, tx)
    return str(changed.get(field, text))


def screen_reason(seat: Seat, reason: str) -> str:
    """A reason as the history may keep it, whatever a project allows.

    An event never changes, so that what is taken back later could not be taken out.
    """
    from hansard.guard import gate

    kept = screen_text(seat, reason, field=REASON)
    passed = gate.passed({REASON: kept}, _nothing)
    if seat.told is not None:
        for one in passed.found:
            seat.told(one)
    return str(passed.texts.get(REASON, kept))


def refuse_marks(marks: Mapping[str, Text]) -> None:
    """Raises GuardRefused if a word that things are found by is a secret, whatever the policy says."""
    from hansard.guard import gate

    for field, value in marks.items():
        for one in (value,) if isinstance(value, str) else value or ():
            if one in _clean_words:
                continue
            leak = gate.holds_secret(one)
            if leak is not None:
                raise GuardRefused(
                    f"{SPOKEN.get(field, field)} holds a secret ({leak.kind}); nothing was written. It is kept as a"
                    " name, so it cannot be redacted: choose another one."
                )
            if len(_clean_words) >= CLEAN_WORDS_MAX:
                _clean_words.clear()
            _clean_words.add(one)


_clean_words: set[str] = set()
"""Names and tags come again with every write, and are scanned once."""
CLEAN_WORDS_MAX = 10_000


def safe(text: str) -> str:
    """The text as a message, a log or a file may show it, without any secret, whatever a project allows."""
    from hansard.guard.secrets import redact

    return redact(text)


def safe_key(given: str) -> str:
    """The key of a project as a message may show it: in its one spelling, or a mark if what was given is a secret."""
    from hansard.guard import gate
    from hansard.guard.values import MARK_OPEN

    for one in spellings(given):
        leak = gate.holds_secret(one)
        if leak is not None:
            return f"{MARK_OPEN}{leak.kind}]"
    return canonical_key(given)


def spellings(key: str) -> tuple[str, str]:
    """The key as it was given, and as it may have been before it was made one: no scanner knows a token with dashes."""
    return key, canonical_key(key).replace("-", "_")


def presentable(records: Sequence[Record], allowed: Allowed | None = None) -> list[Record]:
    """The records as files may show them: without secrets that were stored before there was a guard."""
    from hansard.guard import gate

    shown = list(records)
    for place in gate.suspects([_words(one) for one in shown]) | _betrayed(shown):
        one = shown[place]
        texts = {name: getattr(one, name) for name in TEXTS[type(one).__name__]}
        changed = gate.passed(texts, allowed or _nothing).texts
        if changed:
            shown[place] = one._replace(**changed)  # type: ignore[attr-defined]
    return shown


def refuse_line(line: Mapping[str, Any]) -> None:
    """Raises GuardRefused if something else than the texts of another clone's line is a secret."""
    refuse_marks({
        name: value
        for name, value in line.items()
        if isinstance(value, str | tuple) and name not in LINE_TEXTS and name not in LINE_CLOSED
    })  # fmt: skip


def masked(lines: Sequence[dict[str, Any]], allowed: Allowed | None = None) -> list[dict[str, Any]]:
    """The same for records as other clones write them down, field by field."""
    return [line for line, _ in cleaned(lines, allowed)]


def cleaned(
    lines: Sequence[dict[str, Any]], allowed: Allowed | None = None
) -> list[tuple[dict[str, Any], tuple[Redaction, ...]]]:
    """Such records without their secrets, and what was taken out of each."""
    from hansard.guard import gate

    shown: list[tuple[dict[str, Any], tuple[Redaction, ...]]] = [(one, ()) for one in lines]
    texts = [{name: one[name] for name in LINE_TEXTS if one.get(name)} for one in lines]
    words = [said_in(one) for one in texts]
    for place in gate.suspects(words):
        passed = gate.passed(texts[place], allowed or _nothing)
        if passed.texts:
            shown[place] = {**lines[place], **passed.texts}, passed.found
    return shown


def allowed_in(seat: Seat, tx: Transaction | None = None) -> Allowed:
    """Whether a person said of a value that it is no secret. Without a transaction it is asked when it has to be."""
    return _Allowed(seat, tx)


class _Allowed:
    """The project's allowances, read when the first secret is found."""

    def __init__(self, seat: Seat, tx: Transaction | None) -> None:
        self._seat, self._tx = seat, tx
        self._known: tuple[Any, ...] | None = None

    def __call__(self, value: str) -> bool:
        if self._known is None:
            if self._tx is not None:
                self._known = self._seat.store.guard(self._tx).allowances()
            else:
                with self._seat.reading() as tx:
                    self._known = self._seat.store.guard(tx).allowances()
        return any(one.covers(value) for one in self._known)


def _parts(value: Text) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else value


def _nothing(_value: str) -> bool:
    return False


def said_in(texts: Mapping[str, Text]) -> str:
    """Everything that the fields of one record say, as one text."""
    from hansard.guard import gate

    return BETWEEN.join([*(part for value in texts.values() for part in _parts(value)), *gate.introduced(texts)])


def _words(record: tuple[Any, ...]) -> str:
    """Everything that a record says, as one text."""
    said = [value for value in _texts_of(type(record).__name__)(record) if value]
    if len(said) == 1 and isinstance(said[0], str):
        return said[0]
    return BETWEEN.join(part for value in said for part in _parts(value))


@cache
def _texts_of(kind: str) -> Callable[[tuple[Any, ...]], tuple[Text, ...]]:
    return attrgetter(*TEXTS[kind])


def _betrayed(records: Sequence[tuple[Any, ...]]) -> set[int]:
    """The places of records whose name makes a secret of what they say. Few have such a name."""
    from hansard.guard import gate

    naming = _naming(type(records[0]).__name__) if records else ()
    labels = {label for one in records for field in naming if (label := getattr(one, field))}
    if not labels or not gate.may_name(*labels):
        return set()
    named: list[tuple[int, str]] = []
    for place, one in enumerate(records):
        for field in naming:
            label = getattr(one, field)
            if label and gate.may_name(label):
                said = {field: label, gate.NAMED: getattr(one, gate.NAMED)}
                named += [(place, joined) for joined in gate.introduced(said)]
    return {named[found][0] for found in gate.suspects([joined for _, joined in named])} if named else set()


@cache
def _naming(kind: str) -> tuple[str, ...]:
    """The fields of such a record that may name its content."""
    from hansard.guard import gate

    return tuple(one for one in gate.NAMING if one in TEXTS[kind] and gate.NAMED in TEXTS[kind])


def _marks(records: Sequence[tuple[Any, ...]]) -> dict[str, tuple[str, ...]]:
    """The words that many records are found by, each once."""
    marks: dict[str, tuple[str, ...]] = {}
    for name in MARKS.get(type(records[0]).__name__, ()):
        values = {getattr(one, name) for one in records} - {None, ()}
        marks[name] = tuple({word for one in values for word in ((one,) if isinstance(one, str) else one)})
    return marks


def _told(found: Sequence[Redaction]) -> str:
    some = ", ".join(f"{one.field} ({one.kind} at character {one.start + 1:,})" for one in found[:SAID_MAX])
    more = f" and {len(found) - SAID_MAX:,} more" if len(found) > SAID_MAX else ""
    return f"There is a secret in {some}{more}"


# Where words come from, and how far they go by themselves.


def origin_of(
    seat: Seat, claimed: Origin | None, source: Source = Source.MANUAL, tx: Transaction | None = None
) -> Origin:
    """Where words come from: what the caller says, or who the caller is. Only a person says that a person said it.

    What a coordinator says freely counts as from outside while a run of its own that is open has recorded such words:
    it hands out what it read.
    """
    from hansard.domain.trust import default_origin, trust_of

    if claimed is Origin.HUMAN:
        seat.require(Act.SPEAK_FOR_PEOPLE)
    origin = claimed or default_origin(source, seat.actor)
    if trust_of(origin, source) is Trust.OUTSIDE or not passes_on(seat, tx):
        return origin
    return Origin.EXTERNAL


def own_origin(seat: Seat, tx: Transaction) -> Origin:
    """Where words come from that the caller gives a record anew."""
    return origin_of(seat, None, tx=tx)


def origins_of(
    seat: Seat, notes: Sequence[Note], words_of: Memory | None = None, tx: Transaction | None = None
) -> dict[tuple[Origin | None, Source], Origin]:
    """Where the words of these notes come from, by what each says of it and its source, or by whose words they are."""
    from hansard.domain.trust import default_origin

    said = {(one.origin, one.source) for one in notes}
    if words_of is None:
        return {pair: origin_of(seat, *pair, tx=tx) for pair in said}
    return dict.fromkeys(said, words_of.origin or default_origin(words_of.source, None))


def note_outside(tx: Transaction, said: Iterable[tuple[Origin | None, str | None, str]]) -> None:
    """Taints the runs in which words from outside are recorded, also such as are known already."""
    from hansard.domain.actors import key_of
    from hansard.domain.trust import trust_of

    runs = {(run, key_of(agent)) for origin, run, agent in said if trust_of(origin) is Trust.OUTSIDE}
    for run, agent in runs:
        tx.runs.taint(run, agent)


def handed_on(seat: Seat, before: Memory, said: Memory) -> Memory:
    """What hands on the words of a memory. A person vouches for them by it, as by sharing; a model does not."""
    from hansard.domain import trust

    vouched = before.cleared is Clearance.CONFIRMED or not seat.actor.roles.isdisjoint(INFORMS.raised_by)
    if trust.tier_of(before) is not Trust.OUTSIDE or not vouched:
        return said
    return said._replace(quarantined_at=None, signs=before.signs, cleared=Clearance.CONFIRMED)


def passes_on(seat: Seat, tx: Transaction | None = None) -> bool:
    """Whether the caller is a coordinator that may hand on what one of its open runs recorded from outside."""
    if Role.COORDINATOR not in seat.actor.roles or Role.HUMAN in seat.actor.roles:
        return False
    if tx is not None:
        return tx.runs.taints(seat.actor.key)
    with seat.reading() as looking:
        return looking.runs.taints(seat.actor.key)


def is_tainted(tx: Transaction, entry: Entry) -> bool:
    """Whether the proposal was made or revised in a run that recorded words from outside.

    A run that is named counts, and where none was, every run of its author that was open then.
    """
    from hansard.domain.actors import key_of

    if entry.cleared is Clearance.CONFIRMED or entry.origin is Origin.HUMAN:
        return False
    said = [(entry.run_id, entry.updated_at)]
    for one in tx.revisions.of(Subject.ENTRY, entry.id) if entry.version > 1 else ():
        run, at = one.body.get("run_id"), one.body.get("updated_at")
        assert run is None or isinstance(run, str)
        assert isinstance(at, int)
        said.append((run, at))
    key = key_of(entry.author)
    return any(tx.runs.taints(key, at=at) if run is None else tx.runs.is_tainted(run) for run, at in said)


def remarks(record: Memory | Note | Entry) -> tuple[str, ...]:
    """What the rules for words from outside say of a record."""
    from hansard.guard.outside import remarks_of

    return remarks_of(_judged_words(record))


class Found(NamedTuple):
    """One thing that a rule found: in which field, what it is, and the words that are it, on one line."""

    field: str
    sign: str
    words: str


def fields_of(record: Memory | Entry) -> list[tuple[str, str]]:
    """Every text of a record that is judged, by the name of its field. A list gives one pair for each of its own."""
    named = [(name, getattr(record, name)) for name in TEXTS[type(record).__name__]]
    named.append(("tags", tuple(one for one in record.tags if one != CROSS_TEAM)))
    return [(name, part) for name, value in named for part in _parts(value) if part]


def found_in(record: Memory | Entry) -> tuple[Found, ...]:
    """What the rules find in a record, field by field, for whoever reviews it."""
    from hansard.guard.outside import spots_of

    return tuple(Found(name, sign, words) for name, said in fields_of(record) for sign, words in spots_of(said))


def remarks_ahead(
    notes: Sequence[Note], origins: Mapping[tuple[Origin | None, Source], Origin]
) -> list[tuple[str, ...]]:
    """The same for many at once: a batch with nothing to remark is read once, and of a person's words nothing is."""
    if all(one is Origin.HUMAN for one in origins.values()):
        return [()] * len(notes)
    from hansard.guard.outside import remarks_of

    words = [_judged_words(one) for one in notes]
    if len(words) >= BATCH_MIN and not remarks_of(BETWEEN.join(words)):
        return [()] * len(words)
    return [remarks_of(one) for one in words]


def _judged_words(record: Memory | Note | Entry) -> str:
    said = _texts_of(type(record).__name__)(record)
    parts = [part for value in said for part in _parts(value)]
    # Whoever shares with the team says so by this tag; it is none of their words.
    parts += [one for one in record.tags if one != CROSS_TEAM]
    return parts[0] if len(parts) == 1 else BETWEEN.join(parts)


def judged(seat: Seat, memory: Memory, now: int, remarked: tuple[str, ...] | None = None) -> Memory:
    """The memory with the remarks about its words; in quarantine if they are from outside and a rule matches, or if it
    asks for more than its origin may be."""
    from hansard.domain import trust

    tier = trust.tier_of(memory)
    if remarked is None:
        remarked = () if tier is Trust.TRUSTED else remarks(memory)
    asked = beyond(ceiling_of(tier, seat.actor, memory.agent), memory, placed=trust.is_note(memory))
    if tier is Trust.TRUSTED:
        remarked = ()
    signs = (*remarked, *(f"{trust.ASKS}{one}" for one in asked))
    waits = bool(asked) or (tier is Trust.OUTSIDE and bool(remarked))
    if trust.is_held_by_person(memory.signs, memory.quarantined_at):
        # New words do not undo what a person did; another person does.
        return memory._replace(signs=(*signs, trust.ASKED), cleared=None)
    if not signs and not memory.signs and memory.quarantined_at is None and memory.cleared is None:
        return memory
    return memory._replace(signs=signs, quarantined_at=now if waits else None, cleared=None)


def judged_file(seat: Seat, memory: Memory, now: int) -> Memory:
    """A memory of a file that is indexed. A person who names a file that is no note vouches for what is plain in it."""
    from hansard.domain import trust

    names_it = Role.HUMAN in seat.actor.roles and not trust.is_note(memory)
    if not names_it or trust.is_held_by_person(memory.signs, memory.quarantined_at) or remarks(memory):
        return judged(seat, memory, now)
    return memory._replace(signs=(), quarantined_at=None, cleared=Clearance.CONFIRMED)


def judged_entry(entry: Entry, now: int, *, tainted: bool = False) -> Entry:
    """The proposal with the remarks about its words; in quarantine if they are from outside and a rule matches."""
    from hansard.domain import trust

    if entry.origin is Origin.HUMAN:
        return entry._replace(signs=(), quarantined_at=None, cleared=None)
    signs = remarks(entry)
    outside = trust.tier_of(entry) is Trust.OUTSIDE
    taint = (trust.TAINTED,) if tainted else ()
    if entry.is_quarantined:
        # What waits for a person waits for a person: new words do not take its place in the list away.
        return entry._replace(signs=tuple(dict.fromkeys((*signs, *taint, *entry.signs))), cleared=None)
    return entry._replace(signs=(*signs, *taint), quarantined_at=now if signs and outside else None, cleared=None)


def edited(seat: Seat, before: Memory, said: Memory, now: int, own: Origin) -> Memory:
    """An edited memory. Nothing from outside becomes an agent's own by an edit; a person's new content is theirs.

    `own` is where new content of the caller comes from.
    Who names or labels words has not said them. Raises Denied if more is made of words from outside by a model.
    """
    from hansard.domain import trust

    if before.is_quarantined:
        raise Quarantined(f"The memory {before.id} waits for review. Release, confirm or redact it first.")
    if overreaches(before, said):
        said = raised(seat, said)
    if said.content != before.content:
        kept = own is not Origin.HUMAN and trust.tier_of(before) is Trust.OUTSIDE
        return judged(seat, said if kept else said._replace(origin=own), now)
    if Role.HUMAN in seat.actor.roles or _judged_words(said) == _judged_words(before):
        return said
    remarked = tuple(dict.fromkeys((*before.signs, *remarks(said))))
    waits = trust.is_from_outside(before) and remarked != before.signs
    return said._replace(signs=remarked, quarantined_at=now if waits else None)


def overreaches(before: Memory, after: Memory) -> bool:
    """Whether a change makes more of words from outside than they may be by themselves."""
    from hansard.domain import trust

    if not trust.is_from_outside(before):
        return False
    was = beyond(INFORMS, before)
    return any(one not in was for one in beyond(INFORMS, after, placed=trust.is_note(after)))


def takes_over(before: Memory, after: Memory) -> bool:
    """Whether a change makes a person's words of what came from outside, with all that stands beside them."""
    from hansard.domain import trust

    return trust.is_from_outside(before) and after.origin is Origin.HUMAN


def raised(seat: Seat, said: Memory) -> Memory:
    """A memory of which more is made than its origin may be. A person does that, and vouches for it. Raises Denied."""
    if seat.actor.roles.isdisjoint(INFORMS.raised_by):
        require(seat.actor, Act.RAISE)
    return said._replace(cleared=Clearance.CONFIRMED)


def followed(before: Memory, said: Memory, own: Origin) -> Memory:
    """The memory of a decision that was changed. A person vouched for the words of before, and for no others."""
    from hansard.domain import trust

    if (said.content, said.name) == (before.content, before.name):
        return said
    if own is Origin.HUMAN:
        return said if said.content == before.content else said._replace(origin=own, signs=(), cleared=None)
    # A model that changes what a person vouched for, or what came from outside, does not make it its own.
    said = said if trust.tier_of(before) is Trust.OUTSIDE else said._replace(origin=own)
    return said._replace(signs=tuple(dict.fromkeys((*remarks(said), *before.signs))), cleared=None)


def repeated(
    tx: Transaction, seat: Seat, said: Sequence[Memory], same: Mapping[int, Sequence[Memory]] | None = None
) -> list[Memory]:
    """The memories, where the same words of one agent keep the least trusted origin that they have in the record.

    Nobody gets words round a review by saying them once more: what a person holds of the agent waits again. What a
    person says or confirmed is left alone. `same` is what has the same digests.
    """
    from hansard.domain.memories import digests

    if Role.HUMAN in seat.actor.roles or not said:
        return list(said)
    keys = digests(one.content for one in said)
    known = tx.memories.with_digests(keys) if same is None else same
    proposed = tx.inbox.doubted_with(keys)
    if not known and not proposed:
        return list(said)
    return [
        _repeated(tx, seat, one, [*known.get(key, ()), *proposed.get(key, ())])
        for one, key in zip(said, keys, strict=True)
    ]


def _repeated(tx: Transaction, seat: Seat, one: Memory, known: Sequence[Memory | Entry]) -> Memory:
    from hansard.domain import trust

    if one.origin is Origin.HUMAN or one.cleared is Clearance.CONFIRMED:
        return one
    origin, holds = said_before(one.id, one.agent, one.content, one.origin, known)
    if origin is not one.origin and not trust.is_note(one):
        one = judged(seat, one._replace(origin=origin), tx.now)
    if not holds:
        return one
    return one._replace(quarantined_at=tx.now, signs=tuple(dict.fromkeys((*one.signs, trust.AGAIN))), cleared=None)


def said_before(
    id: str, agent: str, content: str, origin: Origin | None, known: Iterable[Memory | Entry]
) -> tuple[Origin | None, bool]:
    """The least trusted origin of words among what their author said before, and whether a person holds them there."""
    from hansard.domain import trust
    from hansard.domain.actors import key_of
    from hansard.domain.memories import Memory, normalised

    key, words, holds = key_of(agent), normalised(content), False
    for other in known:
        author = other.agent if isinstance(other, Memory) else other.author
        if other.id == id or key_of(author) != key or normalised(other.content) != words:
            continue
        if other.origin is not Origin.HUMAN and other.cleared is not Clearance.CONFIRMED:
            origin = trust.less_trusted(origin, other.origin)
            holds = holds or trust.is_held_by_person(other.signs, other.quarantined_at)
    return origin, holds


def said_by(
    tx: Transaction, agent: str, content: str, origin: Origin | None, id: str = ""
) -> tuple[Origin | None, bool]:
    """The same, looked up: in the memories and the proposals of the record."""
    from hansard.domain.memories import digest

    (key,) = keys = [digest(content)]
    known = [*tx.memories.with_digests(keys).get(key, ()), *tx.inbox.doubted_with(keys).get(key, ())]
    return said_before(id, agent, content, origin, known)


def hands_on(tx: Transaction, seat: Seat, *words: str | None) -> bool:
    """Whether what the caller is about to say for all counts as from outside: by its open runs, or word for word."""
    from hansard.domain.trust import trust_of

    if passes_on(seat, tx):
        return True
    if Role.HUMAN in seat.actor.roles:
        return False
    said = (said_by(tx, seat.actor.name, one, Origin.AGENT)[0] for one in words if one)
    return any(trust_of(one) is Trust.OUTSIDE for one in said)


def settled_entry(tx: Transaction, seat: Seat, entry: Entry, before: Entry | None = None) -> Entry:
    """The proposal as it is stored: with the least trusted origin that its words have in the record, as from outside if
    a run of any version recorded such words, with the remarks of the rules, and waiting if it has to."""
    from hansard.domain import trust

    if Role.HUMAN in seat.actor.roles or entry.origin is Origin.HUMAN:
        return judged_entry(entry, tx.now)
    origin, holds = said_by(tx, entry.author, entry.content, entry.origin, entry.id)
    tainted = is_tainted(tx, entry) or (before is not None and is_tainted(tx, before))
    if tainted and trust.trust_of(origin) is not Trust.OUTSIDE:
        # It is kept as the origin, which goes wherever the words go: no other clone knows the run.
        origin = Origin.EXTERNAL
    entry = judged_entry(entry._replace(origin=origin), tx.now, tainted=tainted)
    if not holds:
        return entry
    signs = tuple(dict.fromkeys((*entry.signs, trust.AGAIN)))
    return entry._replace(quarantined_at=entry.quarantined_at or tx.now, signs=signs, cleared=None)


def judged_line(memory: Memory, before: Memory | None, now: int, *, cleared: bool) -> Memory:
    """A memory from a ledger file. Whoever may push to the repository is believed about where its words come from.

    What it says of itself to be from outside waits if a rule matches, or if it asks for more than to inform and no line
    says that somebody reviewed it, which is what `cleared` says. What waits for a person here goes on waiting.
    """
    from hansard.domain import trust

    if memory.is_forgotten:
        return memory
    if before is not None and trust.is_for_person(before):
        return memory._replace(quarantined_at=before.quarantined_at, signs=before.signs)
    if before is not None and _judged_words(before) == _judged_words(memory):
        if cleared and trust.awaits_clearance(before):
            return memory
        same = memory._replace(quarantined_at=before.quarantined_at, signs=before.signs, cleared=before.cleared)
        washed = trust.is_from_outside(before) and trust.trust_of(memory.origin, memory.source) is not Trust.OUTSIDE
        if before.is_quarantined or not (washed or overreaches(before, memory)):
            return same
        return same._replace(signs=(*before.signs, trust.RAISED), quarantined_at=now, cleared=None)
    tier = trust.tier_of(memory)
    found = () if tier is Trust.TRUSTED else remarks(memory)
    if tier is not Trust.OUTSIDE:
        return memory._replace(signs=found)
    asked = () if cleared else beyond(INFORMS, memory, placed=trust.is_note(memory))
    if not found and not asked:
        return memory
    unsaid = (trust.UNCLEARED,) if not found else ()
    signs = (*found, *unsaid, *(f"{trust.ASKS}{one}" for one in asked))
    return memory._replace(signs=signs, quarantined_at=now)


def refuse_unseen(tx: Transaction, seat: Seat, record: Memory | Entry, act: str, given: Sequence[str] = ()) -> None:
    """Raises StaleVersion if somebody else changed what there is to read since it was recorded.

    For whoever names no version: nothing tells which one they have read. What they gave anew themselves they know.
    """
    from itertools import pairwise

    from hansard.domain.actors import key_of
    from hansard.domain.inbox import Entry

    kind = Subject.ENTRY if isinstance(record, Entry) else Subject.MEMORY
    earlier = tx.revisions.of(kind, record.id) if record.version > 1 else ()
    states = [*(one.body for one in earlier), record.body()]
    changed = {
        field
        for one, (was, now) in zip(earlier, pairwise(states), strict=True)
        if key_of(one.changed_by) != seat.actor.key
        for field in READ
        if field not in given and field in was and _as_kept(was[field]) != _as_kept(now.get(field))
    }
    if not changed:
        return
    named, reference = f"The memory {record.id}", record.id
    if isinstance(record, Entry):
        named, reference = f"{record.ref} ({record.slug})", record.ref
    raise StaleVersion(
        f"{named} was changed since it was recorded ({', '.join(sorted(changed))}). Read it with `hansard guard show"
        f" {reference}`, and {act} the version you read: {reference}@{record.version}."
    )


READ = (
    "content", "title", "rationale", "name", "subject", "reason", "type", "importance", "scope", "category", "tags",
    "citations",
)  # fmt: skip
"""What a reviewer reads: the words, what is written beside them, and how far they are to go."""


def _as_kept(value: object) -> object:
    """A field as an earlier version has it: several words are a list there."""
    return list(value) if isinstance(value, tuple) else value


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
