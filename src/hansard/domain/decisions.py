"""Owns decisions: accepted rules and facts, and how one replaces another."""

from collections.abc import Iterable
from typing import NamedTuple

from hansard.domain import actors, text
from hansard.domain.errors import BadSupersession, Invalid, TooLarge
from hansard.domain.ledger import Body
from hansard.domain.limits import (
    CONTENT_BYTES_MAX,
    GLOB_BYTES_MAX,
    GLOBS_COUNT_MAX,
    RATIONALE_BYTES_MAX,
    TITLE_BYTES_MAX,
)
from hansard.domain.vocabulary import Clearance, DecisionStatus, DecisionType

FORGOTTEN_TEXT = "[forgotten]"
"""What stands where the words of a forgotten record stood."""


class Decision(NamedTuple):
    """A rule or fact the team accepted. Active boundaries head every compiled block."""

    id: str
    number: int
    type: DecisionType
    title: str
    content: str
    rationale: str | None
    tags: tuple[str, ...]
    applies_to: tuple[str, ...]
    author: str
    decided_by: str
    status: DecisionStatus
    superseded_by: str | None
    entry_id: str | None
    run_id: str | None
    version: int
    created_at: int
    updated_at: int
    salt: bytes
    amended_by: str | None = None
    """Who changed it last, unless that was who decided it."""
    cleared: Clearance | None = None
    """Confirmed if a person said, accepted or confirmed these very words."""

    @property
    def ref(self) -> str:
        return f"D-{self.number}"

    @property
    def is_forgotten(self) -> bool:
        return self.title == self.content == FORGOTTEN_TEXT

    @property
    def words(self) -> tuple[str, str, str | None]:
        """What it says, the content first."""
        return (self.content, self.title, self.rationale)

    def body(self) -> Body:
        return {
            "number": self.number, "type": self.type, "title": self.title, "content": self.content,
            "rationale": self.rationale, "tags": self.tags, "applies_to": self.applies_to,
            "author": actors.key_of(self.author), "decided_by": actors.key_of(self.decided_by),
            "status": self.status, "superseded_by": self.superseded_by, "entry_id": self.entry_id,
            "run_id": self.run_id, "version": self.version, "created_at": self.created_at,
            "updated_at": self.updated_at, "amended_by": self.amended_by and actors.key_of(self.amended_by),
            "cleared": self.cleared,
        }  # fmt: skip


def clean_title(value: str) -> str:
    return text.line(value, field="title", bytes_max=TITLE_BYTES_MAX)


def clean_content(value: str) -> str:
    content = text.prose(value, field="content", bytes_max=CONTENT_BYTES_MAX)
    if content == FORGOTTEN_TEXT:
        # A record is taken for a tombstone by these words, and loses its rationale and tags in other clones.
        raise Invalid(f"content must not be {FORGOTTEN_TEXT!r}: that stands where words were forgotten.")
    return content


def clean_rationale(value: str | None) -> str | None:
    return text.optional_prose(value, field="rationale", bytes_max=RATIONALE_BYTES_MAX)


def clean_globs(values: Iterable[str] | None) -> tuple[str, ...]:
    """The path globs a decision applies to, each once."""
    given = text.list_of(values, field="applies_to")
    globs = tuple(dict.fromkeys(text.line(one, field="applies_to", bytes_max=GLOB_BYTES_MAX) for one in given))
    if len(globs) > GLOBS_COUNT_MAX:
        raise TooLarge(f"{len(globs)} path globs given; the limit is {GLOBS_COUNT_MAX}.")
    return globs


def check_supersession(old: Decision, new: Decision) -> None:
    """Refuses a successor that is the decision itself or not alive.

    An active decision has no successor, so a chain of replacements that only ever ends in an active one
    cannot close into a circle.
    """
    if old.id == new.id:
        raise BadSupersession(f"{old.ref} cannot supersede itself.")
    if new.superseded_by == old.id:
        raise BadSupersession(f"{new.ref} was itself replaced by {old.ref}; that would be a circle.")
    if new.status is not DecisionStatus.ACTIVE:
        raise BadSupersession(f"{new.ref} is {new.status}; only an active decision can take over from {old.ref}.")
