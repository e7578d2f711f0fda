"""Owns jobs: work that goes on beside the record, and the lease of whoever is at it."""

from enum import StrEnum
from typing import NamedTuple

ERROR_CHARACTERS_MAX = 1_000


class JobKind(StrEnum):
    """What kinds of work there are."""

    EXPORT = "export"


class Lease(NamedTuple):
    """The right to do a job. A later lease of the same job has a greater token, and ends this one."""

    kind: JobKind
    subject: str
    holder: str
    token: int


class Job(NamedTuple):
    """How far a piece of work is: everything up to the event at `done_position` is done.

    `attempts` counts what was begun and ended, well or badly. `error` is how the last attempt failed, if it did.
    """

    kind: JobKind
    subject: str
    done_position: int
    token: int
    holder: str | None
    lease_until: int
    attempts: int
    failed_at: int | None
    error: str | None
    updated_at: int

    def is_leased(self, now: int) -> bool:
        return self.holder is not None and self.lease_until > now


def told(error: str) -> str:
    """What is kept of an error: one line that is not too long."""
    return " ".join(error.split())[:ERROR_CHARACTERS_MAX] or "unknown"
