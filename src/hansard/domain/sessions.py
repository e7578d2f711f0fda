"""Owns sessions: the project's current focus, of which at most one is open."""

from collections.abc import Iterable
from typing import NamedTuple

from hansard.domain import actors, text
from hansard.domain.errors import TooLarge
from hansard.domain.ledger import Body
from hansard.domain.limits import (
    ISSUE_BYTES_MAX,
    ISSUES_COUNT_MAX,
    SESSION_FOCUS_BYTES_MAX,
    SESSION_STATE_BYTES_MAX,
    SESSION_SUMMARY_BYTES_MAX,
    WORD_BYTES_MAX,
)
from hansard.domain.vocabulary import Origin

TOLD = ("focus", "issues", "summary", "state")
"""What a session says to everybody, in the order it is read in. Whoever judges a session judges all of it."""


class Session(NamedTuple):
    """What the team works on now, or worked on once."""

    id: str
    focus: str
    issues: tuple[str, ...]
    summary: str | None
    state: str | None
    opened_by: str
    run_id: str | None
    version: int
    started_at: int
    ended_at: int | None
    updated_at: int
    salt: bytes
    origin: Origin | None = None
    """Where its words come from, if who wrote them may hand on what it read."""

    @property
    def is_open(self) -> bool:
        return self.ended_at is None

    def body(self) -> Body:
        return {
            "focus": self.focus, "issues": self.issues, "summary": self.summary, "state": self.state,
            "opened_by": actors.key_of(self.opened_by), "run_id": self.run_id, "version": self.version,
            "started_at": self.started_at, "ended_at": self.ended_at, "updated_at": self.updated_at,
            "origin": self.origin,
        }  # fmt: skip


def clean_id(value: str) -> str:
    return text.line(value, field="session id", bytes_max=WORD_BYTES_MAX)


def clean_focus(value: str) -> str:
    return text.line(value, field="focus", bytes_max=SESSION_FOCUS_BYTES_MAX)


def clean_summary(value: str | None) -> str | None:
    return text.optional_prose(value, field="summary", bytes_max=SESSION_SUMMARY_BYTES_MAX)


def clean_state(value: str | None) -> str | None:
    return text.optional_prose(value, field="state", bytes_max=SESSION_STATE_BYTES_MAX)


def clean_issues(values: Iterable[str] | None) -> tuple[str, ...]:
    given = text.list_of(values, field="issues")
    issues = tuple(dict.fromkeys(text.line(one, field="issue", bytes_max=ISSUE_BYTES_MAX) for one in given))
    if len(issues) > ISSUES_COUNT_MAX:
        raise TooLarge(f"{len(issues)} issues given; the limit is {ISSUES_COUNT_MAX}.")
    return issues


def appended(summary: str | None, addition: str) -> str:
    """The running summary with one more line."""
    joined = addition if summary is None else f"{summary}\n{addition}"
    return text.within(joined, field="summary", bytes_max=SESSION_SUMMARY_BYTES_MAX)
