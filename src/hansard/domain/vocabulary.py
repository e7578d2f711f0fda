"""Owns the closed vocabularies. A word outside them is refused by name, with the words that would do."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeVar, cast

from hansard.domain.errors import UnknownValue, shown


class DecisionType(StrEnum):
    ARCHITECTURAL = "architectural"
    SCOPE = "scope"
    PROCESS = "process"
    TECHNICAL = "technical"
    LEARNING = "learning"
    PATTERN = "pattern"
    UPDATE = "update"


BOUNDARY_TYPES = frozenset({DecisionType.ARCHITECTURAL, DecisionType.SCOPE})
"""The types that bind every agent and head every compiled block."""

ROUTINE_TYPES = frozenset({DecisionType.LEARNING, DecisionType.PATTERN, DecisionType.UPDATE})
"""The types that may be accepted without a second pair of eyes; merging one also records a memory."""


class EntryStatus(StrEnum):
    PENDING = "pending"
    MERGED = "merged"
    REJECTED = "rejected"


class DecisionStatus(StrEnum):
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


class MemoryType(StrEnum):
    CORE_CONTEXT = "core_context"
    LEARNING = "learning"
    PATTERN = "pattern"
    UPDATE = "update"


class Importance(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


IMPORTANCE_RANK: Mapping[Importance, int] = {Importance.HIGH: 3, Importance.MEDIUM: 2, Importance.LOW: 1}


class Scope(StrEnum):
    AGENT = "agent"
    TEAM = "team"


class Source(StrEnum):
    MANUAL = "manual"
    FILE_INDEX = "file_index"
    SESSION_SUMMARY = "session_summary"
    TASK_COMPLETION = "task_completion"
    EXTRACTION = "extraction"


class Origin(StrEnum):
    """Where the words of a memory or a proposal come from."""

    HUMAN = "human"
    AGENT = "agent"
    TOOL_OUTPUT = "tool_output"
    IMPORTED_FILE = "imported_file"
    EXTRACTION = "extraction"
    EXTERNAL = "external"


class Trust(StrEnum):
    """The tiers of origins: a person's words, an agent's own, and what nobody here said."""

    TRUSTED = "trusted"
    WORKING = "working"
    OUTSIDE = "outside"


class Clearance(StrEnum):
    """How something left quarantine: shown again as what it is, or vouched for by a person."""

    RELEASED = "released"
    CONFIRMED = "confirmed"


class Profile(StrEnum):
    """How hits are ordered."""

    STANDARD = "standard"
    ADAPTIVE = "adaptive"


class Reach(StrEnum):
    """Which memories a search looks at."""

    ALL = "all"
    AGENT = "agent"
    TEAM = "team"


class Category(StrEnum):
    """What kind of lesson a lead hands to an agent."""

    MISTAKE_PATTERN = "mistake-pattern"
    BEST_PRACTICE = "best-practice"
    CODEBASE_KNOWLEDGE = "codebase-knowledge"
    PREFERENCE = "preference"


class FactKind(StrEnum):
    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"


class Role(StrEnum):
    HUMAN = "human"
    COORDINATOR = "coordinator"
    AGENT = "agent"
    SERVICE = "service"


class RunOutcome(StrEnum):
    COMPLETED = "completed"
    FAILED = "failed"
    DECLINED = "declined"


class Subject(StrEnum):
    """The kinds of record a ledger event can be about."""

    PROJECT = "project"
    ENTRY = "entry"
    DECISION = "decision"
    MEMORY = "memory"
    SESSION = "session"
    RUN = "run"


ALIASES: Mapping[type[StrEnum], Mapping[str, str]] = {
    Role: {"lead": "coordinator"},
    Scope: {"swarm": "team"},
    Reach: {"swarm": "team"},
}

ALL = "all"
"""What a list filter says instead of a status to mean every one."""

Word = TypeVar("Word", bound=StrEnum)


def parse(vocabulary: type[Word], value: str, *, field: str) -> Word:
    """The member of the vocabulary that the value names, in any case and with blanks around it."""
    if isinstance(value, vocabulary):
        return value
    word = value.strip().lower() if isinstance(value, str) else repr(value)
    word = ALIASES.get(vocabulary, {}).get(word, word)
    # Asked of the table itself: a batch parses ten thousand words, and calling the class costs as much as all the rest.
    found = vocabulary._value2member_map_.get(word)
    if found is None:
        raise _unknown(value, vocabulary, field)
    return cast("Word", found)


def _unknown(value: object, words: Iterable[str], field: str) -> UnknownValue:
    return UnknownValue(f"{field} must be one of {', '.join(words)}; {shown(value)} is not.")


def parse_optional(vocabulary: type[Word], value: str | None, *, field: str) -> Word | None:
    return None if value is None else parse(vocabulary, value, field=field)


def parse_unless_all(vocabulary: type[Word], value: str, *, field: str) -> Word | None:
    """As `parse`, but `all` means every one and gives None."""
    if isinstance(value, str) and value.strip().lower() == ALL:
        return None
    try:
        return parse(vocabulary, value, field=field)
    except UnknownValue:
        raise _unknown(value, (*vocabulary, ALL), field) from None
