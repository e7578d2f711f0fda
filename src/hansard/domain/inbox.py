"""Owns inbox entries: what a proposal must be, and what it becomes."""

from collections.abc import Iterable
from typing import NamedTuple

from hansard.domain import actors, decisions, slugs, tags, text
from hansard.domain.ledger import Body
from hansard.domain.limits import RATIONALE_BYTES_MAX, TITLE_BYTES_MAX
from hansard.domain.vocabulary import (
    Clearance,
    DecisionType,
    EntryStatus,
    Importance,
    Origin,
    parse,
    parse_optional,
)

FORGOTTEN_SLUG = "forgotten--"
"""How the slug of an entry begins whose words were taken out; no author is given such a one."""
CONFLICT_SLUG = "conflict--"
"""How the slug of an entry begins that shows what two clones made of one record; the record's id follows."""


class Proposal(NamedTuple):
    """What an author asks for, checked and in normal form."""

    author: str
    requested_slug: str
    spelled_slug: str
    type: DecisionType
    title: str | None
    content: str
    rationale: str | None
    importance: Importance | None
    tags: tuple[str, ...]
    run_id: str | None
    origin: Origin | None = None


class Entry(NamedTuple):
    """A proposal in the record. It is never deleted, and never reopened once reviewed."""

    id: str
    number: int
    slug: str
    requested_slug: str
    type: DecisionType
    title: str
    content: str
    rationale: str | None
    importance: Importance | None
    tags: tuple[str, ...]
    author: str
    run_id: str | None
    status: EntryStatus
    reviewer: str | None
    note: str | None
    reviewed_at: int | None
    decision_id: str | None
    memory_id: str | None
    version: int
    created_at: int
    updated_at: int
    salt: bytes
    origin: Origin | None = None
    quarantined_at: int | None = None
    signs: tuple[str, ...] = ()
    cleared: Clearance | None = None

    @property
    def is_from_file(self) -> bool:
        """Whether its words came in by a file, so that nobody vouched for the name of their author."""
        return self.origin is Origin.IMPORTED_FILE

    @property
    def is_quarantined(self) -> bool:
        return self.quarantined_at is not None

    @property
    def is_blank(self) -> bool:
        """Whether its words were taken out for good."""
        return self.title == self.content == decisions.FORGOTTEN_TEXT and self.slug.startswith(FORGOTTEN_SLUG)

    @property
    def ref(self) -> str:
        return f"P-{self.number}"

    def body(self) -> Body:
        return {
            "number": self.number, "slug": self.slug, "requested_slug": self.requested_slug, "type": self.type,
            "title": self.title, "content": self.content, "rationale": self.rationale,
            "importance": self.importance, "tags": self.tags,
            "author": actors.key_of(self.author), "run_id": self.run_id, "status": self.status,
            "reviewer": actors.key_of(self.reviewer) if self.reviewer else None, "note": self.note,
            "reviewed_at": self.reviewed_at, "decision_id": self.decision_id, "memory_id": self.memory_id,
            "version": self.version, "created_at": self.created_at, "updated_at": self.updated_at,
            "origin": self.origin, "quarantined_at": self.quarantined_at, "signs": self.signs or None,
            "cleared": self.cleared,
        }  # fmt: skip


def proposal(
    *,
    author: str,
    slug: str,
    type: str,
    content: str,
    title: str | None = None,
    rationale: str | None = None,
    importance: str | None = None,
    tag_values: Iterable[str] | str | None = None,
    run_id: str | None = None,
) -> Proposal:
    """The proposal in normal form. Raises Invalid for anything that cannot be one."""
    return Proposal(
        author=actors.clean_name(author),
        requested_slug=slugs.normalise(slug),
        spelled_slug=slug.strip().lower(),
        type=parse(DecisionType, type, field="type"),
        title=text.optional_line(title, field="title", bytes_max=TITLE_BYTES_MAX),
        content=decisions.clean_content(content),
        rationale=text.optional_prose(rationale, field="rationale", bytes_max=RATIONALE_BYTES_MAX),
        importance=parse_optional(Importance, importance, field="importance"),
        tags=tags.normalise(tag_values),
        run_id=None if run_id is None else text.reference(run_id, field="run"),
    )


def from_origin(wanted: Proposal, origin: str | None) -> Proposal:
    """The proposal with what its author says of where the words come from."""
    return wanted._replace(origin=parse_optional(Origin, origin, field="origin"))
