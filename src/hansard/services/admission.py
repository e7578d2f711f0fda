"""Screens every text before it is written: what the scanner takes for a secret gets no further than here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from hansard.domain.errors import GuardRefused, of_number
from hansard.domain.projects import canonical_key

if TYPE_CHECKING:
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
