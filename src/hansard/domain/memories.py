"""Owns memories: what may help an agent next time, whose it is and how far it is seen."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from hansard.domain import actors, tags, text
from hansard.domain.errors import Invalid, TooLarge, of_number, shown
from hansard.domain.ledger import Body, Json
from hansard.domain.limits import (
    CITATION_BYTES_MAX,
    CITATIONS_COUNT_MAX,
    CONTENT_BYTES_MAX,
    POSITION_MAX,
    REASON_BYTES_MAX,
    TITLE_BYTES_MAX,
    WORD_BYTES_MAX,
)
from hansard.domain.numbers import is_whole, whole
from hansard.domain.vocabulary import (
    Clearance,
    FactKind,
    Importance,
    MemoryType,
    Origin,
    Scope,
    Source,
    parse,
    parse_optional,
)

MICROSECONDS_PER_DAY = 86_400_000_000
LESSON_NAME = "Lead feedback: "
"""How the name of a lesson begins that somebody gave to an agent."""
TTL_DAYS: Mapping[Source, int | None] = {
    Source.MANUAL: None,
    Source.EXTRACTION: None,
    Source.FILE_INDEX: 30,
    Source.TASK_COMPLETION: 7,
    Source.SESSION_SUMMARY: 3,
}
"""How long a memory is found by search; None is for ever. By its id it is found until it is purged."""
WORDS_REMEMBERED_MAX = 1_024
TEXTS_AT_ONCE = 256
_BETWEEN = "\0"
_MARK_OPEN = "[REDACTED:"
_ODD_BLANKS = (*"\t\n\v\f\r\x1c\x1d\x1e\x1f", "  ")
"""The ASCII blanks between words that `normalised` changes."""
ENDED = 0
"""When a memory expires that somebody ended: before every clock, so that it is gone for all, however theirs are set."""


class Memory(NamedTuple):
    """Something that may help. It informs and never binds; forgetting leaves only a tombstone."""

    id: str
    agent: str
    type: MemoryType
    importance: Importance
    scope: Scope
    source: Source
    content: str
    name: str | None
    tags: tuple[str, ...]
    category: str | None
    citations: tuple[str, ...]
    kind: FactKind | None
    subject: str | None
    reason: str | None
    source_ref: str | None
    position: int | None
    run_id: str | None
    session_id: str | None
    entry_id: str | None
    decision_id: str | None
    occurred_at: int | None
    expires_at: int | None
    forgotten_at: int | None
    access_count: int
    accessed_at: int | None
    version: int
    created_at: int
    updated_at: int
    salt: bytes | None
    alpha: float = 1.0
    beta: float = 1.0
    origin: Origin | None = None
    quarantined_at: int | None = None
    signs: tuple[str, ...] = ()
    cleared: Clearance | None = None
    duplicate: bool = False

    @property
    def is_forgotten(self) -> bool:
        return self.forgotten_at is not None

    @property
    def is_ended(self) -> bool:
        """Whether somebody ended it, rather than its time."""
        return self.expires_at == ENDED

    @property
    def is_quarantined(self) -> bool:
        return self.quarantined_at is not None

    def is_expired(self, now: int) -> bool:
        return self.expires_at is not None and self.expires_at <= now

    def body(self) -> Body:
        """What an edit changes and the ledger fingerprints. Access counts are not part of it."""
        return {
            "agent": actors.key_of(self.agent), "type": self.type, "importance": self.importance,
            "scope": self.scope, "source": self.source, "content": self.content, "name": self.name,
            "tags": self.tags, "category": self.category, "citations": self.citations,
            "kind": self.kind, "subject": self.subject, "reason": self.reason,
            "source_ref": self.source_ref, "position": self.position, "run_id": self.run_id,
            "session_id": self.session_id, "entry_id": self.entry_id, "decision_id": self.decision_id,
            "occurred_at": self.occurred_at, "expires_at": self.expires_at, "version": self.version,
            "created_at": self.created_at, "updated_at": self.updated_at, "origin": self.origin,
            "quarantined_at": self.quarantined_at, "signs": self.signs or None, "cleared": self.cleared,
        }  # fmt: skip


class Note(NamedTuple):
    """What is to be remembered, checked and in normal form."""

    agent: str
    type: MemoryType
    importance: Importance
    scope: Scope
    source: Source
    content: str
    name: str | None
    tags: tuple[str, ...]
    category: str | None
    citations: tuple[str, ...]
    kind: FactKind | None
    subject: str | None
    reason: str | None
    source_ref: str | None
    position: int | None
    run_id: str | None
    session_id: str | None
    occurred_at: int | None
    origin: Origin | None = None
    """None for what the caller did not say; whoever records it settles it."""


NOTE_FIELDS = frozenset(Note._fields)
BODY_FIELDS = (
    "agent", "type", "importance", "scope", "source", "content", "name", "tags", "category", "citations", "kind",
    "subject", "reason", "source_ref", "position", "run_id", "session_id", "entry_id", "decision_id", "occurred_at",
    "expires_at", "version", "created_at", "updated_at", "origin", "quarantined_at", "signs", "cleared",
)  # fmt: skip


def bodies(memories: Sequence[Memory]) -> dict[str, Sequence[Json]]:
    """What `Memory.body` says of each, field by field: a batch has ten thousand, and most of it is the same."""
    fields: dict[str, Sequence[Json]] = dict(zip(Memory._fields, zip(*memories, strict=True), strict=True))
    fields["agent"] = [actors.key_of(one.agent) for one in memories]
    fields["signs"] = [one.signs or None for one in memories]
    return {name: fields[name] for name in BODY_FIELDS}


def note(
    content: str,
    *,
    agent: str,
    type: str = MemoryType.LEARNING,
    importance: str = Importance.MEDIUM,
    scope: str | None = None,
    source: str = Source.MANUAL,
    name: str | None = None,
    tags: Iterable[str] | str | None = None,
    category: str | None = None,
    citations: Iterable[str] | None = None,
    kind: str | None = None,
    subject: str | None = None,
    reason: str | None = None,
    source_ref: str | None = None,
    position: int | None = None,
    run_id: str | None = None,
    session_id: str | None = None,
    occurred_at: int | None = None,
) -> Note:
    """The note in normal form. Raises Invalid for anything that cannot be remembered."""
    # By position, and asking first whether anything was given: a batch makes ten thousand of these.
    final_tags, final_scope = in_step(tags, scope)
    return Note(
        actors.clean_name(agent),
        parse(MemoryType, type, field="type"),
        parse(Importance, importance, field="importance"),
        final_scope,
        parse(Source, source, field="source"),
        clean_content(content),
        None if name is None else clean_memory_name(name),
        final_tags,
        None if category is None else _word(category, "category"),
        clean_citations(citations) if citations else (),
        None if kind is None else parse(FactKind, kind, field="kind"),
        None if subject is None else text.optional_line(subject, field="subject", bytes_max=TITLE_BYTES_MAX),
        None if reason is None else text.optional_prose(reason, field="reason", bytes_max=REASON_BYTES_MAX),
        None if source_ref is None else _word(source_ref, "source_ref"),
        None if position is None else _position(position),
        None if run_id is None else text.reference(run_id, field="run"),
        None if session_id is None else _word(session_id, "session_id"),
        None if occurred_at is None else _instant(occurred_at),
    )


def in_step(tag_values: Iterable[str] | str | None, scope: str | None) -> tuple[tuple[str, ...], Scope]:
    if not tag_values and scope is None:
        return (), Scope.AGENT
    return tags.with_scope(tags.normalise(tag_values), parse_optional(Scope, scope, field="scope"))


def clean_content(value: str) -> str:
    return text.prose(value, field="content", bytes_max=CONTENT_BYTES_MAX)


def clean_memory_name(value: str | None) -> str | None:
    return text.optional_line(value, field="name", bytes_max=TITLE_BYTES_MAX)


def clean_citations(values: Iterable[str] | None) -> tuple[str, ...]:
    if not values:
        return ()
    given = text.list_of(values, field="citations")
    cleaned = tuple(dict.fromkeys(text.line(one, field="citation", bytes_max=CITATION_BYTES_MAX) for one in given))
    if len(cleaned) > CITATIONS_COUNT_MAX:
        raise TooLarge(f"{len(cleaned)} citations given; the limit is {CITATIONS_COUNT_MAX}.")
    return cleaned


def _word(value: str, field: str) -> str | None:
    # A batch says the same few again and again.
    return _cleaned_word(value, field) if isinstance(value, str) else _uncached_word(value, field)


def _uncached_word(value: str, field: str) -> str | None:
    return text.optional_line(value, field=field, bytes_max=WORD_BYTES_MAX)


_cleaned_word = lru_cache(maxsize=WORDS_REMEMBERED_MAX)(_uncached_word)


def normalised(content: str) -> str:
    """The text two memories are compared by to see whether they say the same: case and blanks do not count."""
    return " ".join(content.casefold().split())


def is_redacted(content: str) -> bool:
    """Whether a text says nothing beside the marks of what was taken out of it. Two such texts may be two secrets."""
    if _MARK_OPEN not in content:
        return False
    import re

    return not any(one.isalnum() for one in re.sub(r"\[REDACTED:\w*\]", "", content))


def digest(content: str) -> int:
    """A short key for finding memories that may say the same; a signed number of 64 bits."""
    return digests([content])[0]


def digests(contents: Iterable[str]) -> list[int]:
    from hashlib import blake2b

    texts = list(contents)
    groups = (texts[start : start + TEXTS_AT_ONCE] for start in range(0, len(texts), TEXTS_AT_ONCE))
    return [
        int.from_bytes(blake2b(one.encode(), digest_size=8).digest(), signed=True)
        for group in groups
        for one in _normalised_at_once(group)
    ]


def _normalised_at_once(texts: list[str]) -> list[str]:
    """What `normalised` says of each. Texts whose blanks are single ones are told by a few searches through all."""
    joined = _BETWEEN.join(texts)
    if (
        len(texts) == 1
        or not joined.isascii()
        or joined.count(_BETWEEN) != len(texts) - 1
        or any(odd in joined for odd in _ODD_BLANKS)
        or any(one != one.strip() for one in texts)
    ):
        return [normalised(one) for one in texts]
    return joined.lower().split(_BETWEEN)


def file_mark(project_id: str, content: str) -> int:
    """What is kept of a forgotten text that a file still holds: enough to know it again, in this project only."""
    from hashlib import blake2b

    key = blake2b(project_id.encode(), digest_size=32).digest()
    return int.from_bytes(blake2b(normalised(content).encode(), digest_size=8, key=key).digest(), signed=True)


def expires_at(source: Source, now: int) -> int | None:
    """When a memory from this source stops being found."""
    days = TTL_DAYS[source]
    return None if days is None else now + days * MICROSECONDS_PER_DAY


def _instant(value: int) -> int:
    if not is_whole(value) or not 0 <= value < 2**62:
        raise Invalid(f"occurred_at must be microseconds since 1970 in UTC; {shown(value)} is not.")
    return value


def _position(value: int) -> int:
    return whole(value, "position", 0, POSITION_MAX)


def notes_from(items: Iterable[Mapping[str, Any]], *, agent: str | None = None) -> list[Note]:
    """A note of each. What is wrong with one of several is said with its number."""
    given, notes = list(items), []
    for place, item in enumerate(given):
        try:
            notes.append(note_from(item, agent=agent))
        except Invalid as error:
            raise of_number(error, place, len(given)) from None
    return notes


def note_from(item: Mapping[str, Any], *, agent: str | None = None) -> Note:
    """A note from loose keys, as `remember_many` and files bring them. Unknown keys are refused by name."""
    if type(item) is not dict and not isinstance(item, Mapping):
        raise Invalid(f"a memory is given as its fields, not as {type(item).__name__}.")
    if not NOTE_FIELDS.issuperset(item):
        unknown = sorted(str(key) for key in set(item) - NOTE_FIELDS)
        raise Invalid(f"a memory has no field {unknown[0]!r}; it has {', '.join(sorted(NOTE_FIELDS))}.")
    given = {key: value for key, value in item.items() if value is not None}
    owner = given.pop("agent", agent)
    if "content" not in given or owner is None:
        raise Invalid("a memory needs content and agent.")
    origin = given.pop("origin", None)
    noted = note(given.pop("content"), agent=owner, **given)
    return noted if origin is None else noted._replace(origin=parse(Origin, origin, field="origin"))
