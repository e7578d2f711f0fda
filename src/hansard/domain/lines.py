"""Owns the lines of the ledger files: how a record is written as one that travels, and how one is read back."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from hansard.domain import actors, decisions, memories, slugs, tags, text
from hansard.domain.chain import canonical
from hansard.domain.decisions import Decision
from hansard.domain.errors import HansardError, Invalid, shown
from hansard.domain.folders import note_folder
from hansard.domain.frontmatter import Warned
from hansard.domain.identifiers import is_uuid, parse_reference
from hansard.domain.inbox import Entry
from hansard.domain.limits import POSITION_MAX, REASON_BYTES_MAX, TIME_MAX, TITLE_BYTES_MAX, WORD_BYTES_MAX
from hansard.domain.memories import Memory
from hansard.domain.numbers import whole
from hansard.domain.trust import trust_of
from hansard.domain.vocabulary import (
    ROUTINE_TYPES,
    Clearance,
    DecisionStatus,
    DecisionType,
    EntryStatus,
    FactKind,
    Importance,
    MemoryType,
    Origin,
    Role,
    Scope,
    Source,
    Subject,
    Trust,
    parse,
    parse_optional,
)

Line: TypeAlias = dict[str, Any]
"""What one line says: every field of its kind, with None and () for what is not set."""

FORGOTTEN = "forgotten"
ACTIVE, RETIRED = "active", "retired"
NUMBER_MAX = 1_000_000
"""The highest number that is believed. What claims a higher one is numbered anew, by every clone in the same way."""
VERSION_MAX = 1_000_000
"""The highest version that a line can have, in every clone. A record that is changed still more often keeps it in its
line, and then the later time wins: a bound that asked what a clone knows would keep two clones apart."""
WHOLE_MAX = 2**62
"""What any whole number of a line may be: far more than can ever be written, so that all that is written is read."""
LINE_BYTES_MAX = 1_048_576
DECIDED_AS = "decided_as"
"""Says in the line of a binding decision that its proposer accepted, in which role that was."""
DECIDER = "decider"
"""One who may decide what binds, a person or a coordinator. Policy lets nobody else, so it is true of every record."""
CLEARED_BY = "cleared_by"
"""Says in the line of a memory from outside that asks for more than to inform, that somebody reviewed it."""
REVIEWER = "reviewer"
"""Whoever reviewed it in some clone. What nobody reviewed is in no ledger file, so it is true of every record there."""
LAWFUL = frozenset({DECIDER, Role.HUMAN.value, Role.COORDINATOR.value})
NAMES: Mapping[Subject, tuple[str, ...]] = {
    Subject.DECISION: ("author", "decided_by", "amended_by"),
    Subject.ENTRY: ("author", "reviewer"),
    Subject.MEMORY: ("agent",),
}
"""The fields that hold a name. Two spellings of one name are the same."""

_MARKERS = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")
_BOM = b"\xef\xbb\xbf"
_DECISION_WORDS = ("title", "content", "rationale", "tags", "applies_to")
_ENTRY_WORDS = ("slug", "requested_slug", "title", "content", "rationale", "importance", "tags", "note")
_MEMORY_WORDS = (
    "content", "name", "tags", "category", "citations", "subject", "reason", "source_ref", "position", "occurred_at",
    "expires_at",
)  # fmt: skip
_JUDGED = ("content", "name", "tags", "category", "citations", "subject", "reason", "source_ref", "position")
WORDS: Mapping[Subject, tuple[str, ...]] = {
    Subject.DECISION: _DECISION_WORDS,
    Subject.ENTRY: _ENTRY_WORDS,
    Subject.MEMORY: _MEMORY_WORDS,
}
"""What a tombstone has no longer."""


class Found(NamedTuple):
    """A line that could be read, and where it stands."""

    number: int
    line: Line
    decided_as: str | None = None
    """What the line says of its decider. It is asked once, when the line arrives, and is no part of the record."""
    cleared: bool = False
    """Whether the line says that a reviewer cleared it. The same goes for this."""


class Reading(NamedTuple):
    """What a file says: its lines, the faults of lines that cannot be taken in, and what else was noticed."""

    found: list[Found]
    faults: list[Warned]
    warnings: list[Warned]


def of_decision(record: Decision) -> Line:
    forgotten = record.is_forgotten and record.status is not DecisionStatus.ACTIVE
    line: Line = {
        "id": record.id, "version": _version(record), "state": FORGOTTEN if forgotten else record.status.value,
        "number": record.number, "type": record.type.value, "title": record.title, "content": record.content,
        "rationale": record.rationale, "tags": record.tags, "applies_to": record.applies_to, "author": record.author,
        "decided_by": record.decided_by, "superseded_by": record.superseded_by, "entry_id": record.entry_id,
        "created_at": record.created_at, "updated_at": record.updated_at, "amended_by": record.amended_by,
        "cleared": record.cleared and record.cleared.value,
    }  # fmt: skip
    return bare(Subject.DECISION, line) if forgotten else line


def of_entry(record: Entry) -> Line:
    forgotten = record.is_blank and record.status is not EntryStatus.PENDING
    line: Line = {
        "id": record.id, "version": _version(record), "state": FORGOTTEN if forgotten else record.status.value,
        "number": record.number, "slug": record.slug, "requested_slug": record.requested_slug,
        "type": record.type.value, "title": record.title, "content": record.content, "rationale": record.rationale,
        "importance": record.importance and record.importance.value, "tags": record.tags, "author": record.author,
        "reviewer": record.reviewer, "note": record.note, "reviewed_at": record.reviewed_at,
        "decision_id": record.decision_id, "memory_id": record.memory_id, "created_at": record.created_at,
        "updated_at": record.updated_at, "origin": record.origin and record.origin.value,
    }  # fmt: skip
    return bare(Subject.ENTRY, line) if forgotten else line


def of_memory(record: Memory) -> Line:
    state = FORGOTTEN if record.is_forgotten else ACTIVE if record.expires_at is None else RETIRED
    line: Line = {
        "id": record.id, "version": _version(record), "state": state, "agent": record.agent, "type": record.type.value,
        "importance": record.importance.value, "scope": record.scope.value, "source": record.source.value,
        "content": record.content, "name": record.name, "tags": record.tags, "category": record.category,
        "citations": record.citations, "kind": record.kind and record.kind.value, "subject": record.subject,
        "reason": record.reason, "source_ref": record.source_ref, "position": record.position,
        "entry_id": record.entry_id, "decision_id": record.decision_id, "occurred_at": record.occurred_at,
        "expires_at": record.expires_at, "created_at": record.created_at, "updated_at": record.updated_at,
        "origin": record.origin and record.origin.value,
    }  # fmt: skip
    return bare(Subject.MEMORY, line) if state == FORGOTTEN else line


def _version(record: Decision | Entry | Memory) -> int:
    return min(record.version, VERSION_MAX)


def is_self_decided(line: Line) -> bool:
    """Whether it is a decision that binds and that its own proposer accepted, which no agent may do."""
    if "decided_by" not in line or line["type"] in ROUTINE_TYPES or line["state"] == FORGOTTEN:
        return False
    return actors.key_of(line["author"]) == actors.key_of(line["decided_by"])


def asks_for_more(line: Line) -> bool:
    """Whether it is a memory from outside that wants more than to inform its agent, so that it is reviewed first."""
    if "agent" not in line or line["state"] == FORGOTTEN:
        return False
    source, origin = Source(line["source"]), Origin(line["origin"]) if line["origin"] else None
    if trust_of(origin, source) is not Trust.OUTSIDE:
        return False
    if line["type"] == MemoryType.CORE_CONTEXT or line["importance"] == Importance.HIGH:
        return True
    return bool(line["scope"] == Scope.TEAM) and not is_note(line)


def is_note(line: Line) -> bool:
    """Whether it is a memory of a note file, which stands where its team put it."""
    if line.get("source") != Source.FILE_INDEX or line["source_ref"] is None or line["position"] is None:
        return False
    return line["origin"] in {None, Origin.IMPORTED_FILE} and note_folder(line["source_ref"]) is not None


def cleared_as(line: Line) -> tuple[Any, ...]:
    """What a reviewer clears of a memory: its words, where they come from, and what it is to be."""
    return tuple(line[one] for one in (*_JUDGED, "origin", "source", "type", "importance", "scope"))


def travels(memory: Memory) -> bool:
    """Whether a memory goes with the repository: the team may read it, for good or for as long as its decision stands.

    A tombstone goes if the memory did, so that forgetting travels; it has no words.
    """
    shared = memory.scope is Scope.TEAM or memory.decision_id is not None
    lasting = memory.expires_at is None or memory.decision_id is not None
    return shared and lasting and memory.kind is not FactKind.USER


def bare(kind: Subject, line: Line) -> Line:
    """The line of a tombstone: who, when and which, and no words."""
    empty = {name: () if isinstance(line.get(name), tuple) else None for name in WORDS[kind]}
    return {**line, **empty, "state": FORGOTTEN}


def spelled(line: Line) -> str:
    """The line as it stands in a file: what is not set is left out, keys are sorted, no blanks."""
    said = {name: value for name, value in line.items() if value not in (None, ())}
    if is_self_decided(line):
        said[DECIDED_AS] = DECIDER
    if asks_for_more(line):
        said[CLEARED_BY] = REVIEWER
    return canonical(said)


def file_of(lines: Sequence[Line]) -> str:
    """A whole file: sorted by id, one line each."""
    return "".join(f"{spelled(one)}\n" for one in sorted(lines, key=lambda one: str(one["id"])))


def read(kind: Subject, data: bytes, known: frozenset[bytes] = frozenset()) -> Reading:
    """Every line that says something. `known` are lines that need no reading, because the record says the same."""
    reading = Reading([], [], [])
    for number, raw in _split(data):
        if raw in known:
            continue
        try:
            found, unknown = _read(kind, number, raw)
        except _Unreadable as error:
            reading.faults.append(error.told(number))
        except HansardError as error:
            fix = "correct the line, or take it from another clone"
            reading.faults.append(Warned(number, error.message.rstrip("."), fix))
        else:
            reading.found.append(found)
            if unknown:
                problem = f"the key {shown(unknown[0])} is not known"
                reading.warnings.append(Warned(number, problem, "upgrade Hansard, or remove the key"))
    return reading


class _Unreadable(Exception):
    """The line is no line of the ledger at all."""

    def told(self, number: int) -> Warned:
        problem, fix = self.args
        return Warned(number, str(problem), str(fix))


def _split(data: bytes) -> Iterator[tuple[int, bytes]]:
    for number, raw in enumerate(data.removeprefix(_BOM).split(b"\n"), 1):
        line = raw.removesuffix(b"\r")
        if line.strip():
            yield number, line


def _read(kind: Subject, number: int, raw: bytes) -> tuple[Found, list[str]]:
    if raw.startswith(_MARKERS):
        raise _Unreadable("a conflict that git left", "remove the line that marks it; the lines around it may all stay")
    if len(raw) > LINE_BYTES_MAX:
        raise _Unreadable(f"longer than {LINE_BYTES_MAX:,} bytes", "take the line from another clone")
    try:
        said = json.loads(raw.decode())
    except UnicodeDecodeError:
        raise _Unreadable("not UTF-8", "save the file as UTF-8") from None
    except (ValueError, RecursionError):
        raise _Unreadable("not JSON", "take the line from another clone, or remove it") from None
    if not isinstance(said, dict):
        raise _Unreadable("not a JSON object", "take the line from another clone, or remove it")
    fields = _Fields(said)
    line = _READERS[kind](fields)
    role = fields.role() if kind is Subject.DECISION else None
    cleared = kind is Subject.MEMORY and fields.is_cleared()
    beside = {Subject.DECISION: DECIDED_AS, Subject.MEMORY: CLEARED_BY}.get(kind)
    return Found(number, line, role, cleared), sorted(set(said) - set(line) - {beside})


class _Fields:
    """What a line says, each field asked for as what it must be."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        self.said = said

    def id(self, name: str) -> str:
        value = self.said.get(name)
        if not isinstance(value, str) or not is_uuid(value):
            raise Invalid(f"{name} must be the id of a record; {shown(value)} is not.")
        return value

    def optional_id(self, name: str) -> str | None:
        return None if self.said.get(name) is None else self.id(name)

    def whole(self, name: str, least: int, most: int) -> int:
        return whole(self.said.get(name), name, least, most)

    def optional_time(self, name: str) -> int | None:
        return None if self.said.get(name) is None else self.whole(name, 0, TIME_MAX)

    def name(self, name: str) -> str:
        return actors.clean_name(self.said.get(name), field=name)  # type: ignore[arg-type]

    def optional_name(self, name: str) -> str | None:
        return None if self.said.get(name) is None else self.name(name)

    def texts(self, name: str) -> list[str]:
        value = self.said.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise Invalid(f"{name} must be a list of texts; {shown(value)} is not.")
        return value

    def origin(self) -> str | None:
        origin = parse_optional(Origin, self.said.get("origin"), field="origin")
        return origin and origin.value

    def clearance(self) -> str | None:
        value = self.said.get("cleared")
        if value not in (None, Clearance.CONFIRMED):
            raise Invalid(f"cleared must be {Clearance.CONFIRMED}; {shown(value)} is not.")
        return None if value is None else str(value)

    def role(self) -> str | None:
        value = self.said.get(DECIDED_AS)
        allowed = (DECIDER, *(one.value for one in Role))
        if value is not None and value not in allowed:
            raise Invalid(f"{DECIDED_AS} must be one of {', '.join(allowed)}; {shown(value)} is not.")
        return None if value is None else str(value)

    def is_cleared(self) -> bool:
        value = self.said.get(CLEARED_BY)
        if value not in (None, REVIEWER):
            raise Invalid(f"{CLEARED_BY} must be {REVIEWER}; {shown(value)} is not.")
        return value is not None

    def slug(self, name: str) -> str:
        value = self.said.get(name)
        numbered = isinstance(value, str) and any(parse_reference(value, prefix=one) is not None for one in "PD")
        if not isinstance(value, str) or not slugs.is_effective(value) or numbered:
            raise Invalid(f"{name} must be a slug; {shown(value)} is not.")
        return value

    def state(self, allowed: Sequence[str]) -> str:
        value = self.said.get("state")
        if value not in allowed:
            raise Invalid(f"state must be one of {', '.join(allowed)}; {shown(value)} is not.")
        return str(value)

    def word(self, name: str) -> str | None:
        return text.optional_line(self.said.get(name), field=name, bytes_max=WORD_BYTES_MAX)

    def heading(self) -> Line:
        """What every record has."""
        return {
            "id": self.id("id"),
            "version": self.whole("version", 1, VERSION_MAX),
            "created_at": self.whole("created_at", 0, TIME_MAX),
            "updated_at": self.whole("updated_at", 0, TIME_MAX),
        }


def _decision(fields: _Fields) -> Line:
    get = fields.said.get
    line = fields.heading() | {
        "state": fields.state((*(one.value for one in DecisionStatus), FORGOTTEN)),
        "number": fields.whole("number", 1, WHOLE_MAX),
        "type": parse(DecisionType, get("type"), field="type").value,  # type: ignore[arg-type]
        "author": fields.name("author"), "decided_by": fields.name("decided_by"),
        "amended_by": fields.optional_name("amended_by"), "cleared": fields.clearance(),
        "superseded_by": fields.optional_id("superseded_by"), "entry_id": fields.optional_id("entry_id"),
    }  # fmt: skip
    if line["state"] == FORGOTTEN:
        return bare(Subject.DECISION, _empty(_DECISION_WORDS) | line)
    if (line["state"] == DecisionStatus.SUPERSEDED) != (line["superseded_by"] is not None):
        raise Invalid("a superseded decision, and no other one, names its successor.")
    return line | {
        "title": decisions.clean_title(get("title")),  # type: ignore[arg-type]
        "content": decisions.clean_content(get("content")),  # type: ignore[arg-type]
        "rationale": decisions.clean_rationale(get("rationale")),
        "tags": tags.normalise(fields.texts("tags")),
        "applies_to": decisions.clean_globs(fields.texts("applies_to")),
    }


def _entry(fields: _Fields) -> Line:
    get = fields.said.get
    line = fields.heading() | {
        "state": fields.state((*(one.value for one in EntryStatus), FORGOTTEN)),
        "number": fields.whole("number", 1, WHOLE_MAX),
        "type": parse(DecisionType, get("type"), field="type").value,  # type: ignore[arg-type]
        "author": fields.name("author"), "reviewer": fields.optional_name("reviewer"),
        "reviewed_at": fields.optional_time("reviewed_at"), "decision_id": fields.optional_id("decision_id"),
        "memory_id": fields.optional_id("memory_id"), "origin": fields.origin(),
    }  # fmt: skip
    reviewed = line["state"] != EntryStatus.PENDING
    if reviewed != (line["reviewer"] is not None) or reviewed != (line["reviewed_at"] is not None):
        raise Invalid("a reviewed entry, and no other one, names its reviewer and the time.")
    if line["state"] == FORGOTTEN:
        return bare(Subject.ENTRY, _empty(_ENTRY_WORDS) | line)
    if (line["state"] == EntryStatus.MERGED) != (line["decision_id"] is not None):
        raise Invalid("a merged entry, and no other one, names its decision.")
    importance = parse_optional(Importance, get("importance"), field="importance")
    return line | {
        "slug": fields.slug("slug"),
        "requested_slug": fields.slug("requested_slug"),
        "title": decisions.clean_title(get("title")),  # type: ignore[arg-type]
        "content": decisions.clean_content(get("content")),  # type: ignore[arg-type]
        "rationale": decisions.clean_rationale(get("rationale")),
        "importance": importance and importance.value,
        "tags": tags.normalise(fields.texts("tags")),
        "note": text.optional_prose(get("note"), field="note", bytes_max=REASON_BYTES_MAX),
    }


def _memory(fields: _Fields) -> Line:
    get = fields.said.get
    kind = parse_optional(FactKind, get("kind"), field="kind")
    line = fields.heading() | {
        "state": fields.state((ACTIVE, RETIRED, FORGOTTEN)),
        "agent": fields.name("agent"),
        "type": parse(MemoryType, get("type"), field="type").value,  # type: ignore[arg-type]
        "importance": parse(Importance, get("importance"), field="importance").value,  # type: ignore[arg-type]
        "scope": parse(Scope, get("scope"), field="scope").value,  # type: ignore[arg-type]
        "source": parse(Source, get("source"), field="source").value,  # type: ignore[arg-type]
        "kind": kind and kind.value,
        "entry_id": fields.optional_id("entry_id"), "decision_id": fields.optional_id("decision_id"),
        "origin": fields.origin(),
    }  # fmt: skip
    if kind is FactKind.USER or (line["scope"] != Scope.TEAM and line["decision_id"] is None):
        raise Invalid("a private memory does not travel.")
    if line["state"] == FORGOTTEN:
        return bare(Subject.MEMORY, _empty(_MEMORY_WORDS) | line)
    expires_at = fields.optional_time("expires_at")
    if (line["state"] == RETIRED) != (expires_at is not None) or (expires_at is not None and not line["decision_id"]):
        raise Invalid("only the memory of a decision that no longer stands is retired, and has expired.")
    words, scope = tags.with_scope(tags.normalise(fields.texts("tags")), Scope(str(line["scope"])))
    position = get("position")
    return line | {
        "scope": scope.value, "tags": words, "expires_at": expires_at,
        "content": memories.clean_content(get("content")),  # type: ignore[arg-type]
        "name": memories.clean_memory_name(get("name")),
        "category": fields.word("category"), "source_ref": fields.word("source_ref"),
        "citations": memories.clean_citations(fields.texts("citations")),
        "subject": text.optional_line(get("subject"), field="subject", bytes_max=TITLE_BYTES_MAX),
        "reason": text.optional_prose(get("reason"), field="reason", bytes_max=REASON_BYTES_MAX),
        "position": None if position is None else fields.whole("position", 0, POSITION_MAX),
        "occurred_at": fields.optional_time("occurred_at"),
    }  # fmt: skip


def _empty(words: Sequence[str]) -> Line:
    lists = {"tags", "applies_to", "citations"}
    return {name: () if name in lists else None for name in words}


_READERS: Mapping[Subject, Callable[[_Fields], Line]] = {
    Subject.DECISION: _decision,
    Subject.ENTRY: _entry,
    Subject.MEMORY: _memory,
}
