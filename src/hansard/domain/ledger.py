"""Owns ledger events: one line of a project's history, and the earlier versions of its records."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from hansard.domain.vocabulary import Subject

Json: TypeAlias = str | int | float | bool | list["Json"] | tuple["Json", ...] | dict[str, "Json"] | None
Body: TypeAlias = Mapping[str, Json]


GENESIS = bytes(32)
"""What the first event of a project follows."""


class Draft(NamedTuple):
    """An event before it has its place in the chain."""

    action: str
    subject: Subject
    subject_id: str
    actor_key: str
    role: str
    before: bytes | None
    after: bytes | None
    details: Mapping[str, str]


class Erasure(NamedTuple):
    """An event that took words out of the record."""

    seq: int
    action: str
    subject_id: str


class Event(NamedTuple):
    """One line of a project's history: who did what to which record, when, and after which event."""

    seq: int
    at: int
    actor: str
    actor_key: str
    role: str
    action: str
    subject: Subject
    subject_id: str
    before: bytes | None
    after: bytes | None
    details: Mapping[str, str]
    previous: bytes
    hash: bytes


class Break(NamedTuple):
    """The first place where the history does not verify, and what is wrong there."""

    seq: int
    problem: str


class Revision(NamedTuple):
    """A version of a record that is no longer the current one."""

    version: int
    valid_from: int
    valid_until: int
    changed_by: str
    body: Body
