"""Owns runs: one execution of an agent, from its start to its outcome, and what was written down about it."""

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import actors, text
from hansard.domain.ledger import Body
from hansard.domain.limits import REASON_BYTES_MAX, TASK_BYTES_MAX, WORD_BYTES_MAX
from hansard.domain.vocabulary import RunOutcome

if TYPE_CHECKING:
    from hansard.domain.decisions import Decision
    from hansard.domain.inbox import Entry
    from hansard.domain.memories import Memory


class Run(NamedTuple):
    """An agent at work. A run with a parent is a child."""

    id: str
    agent: str
    parent_id: str | None
    task: str | None
    task_type: str | None
    tags: tuple[str, ...]
    outcome: RunOutcome | None
    reason: str | None
    version: int
    started_at: int
    ended_at: int | None
    updated_at: int
    salt: bytes

    @property
    def is_open(self) -> bool:
        return self.ended_at is None

    def body(self) -> Body:
        return {
            "agent": actors.key_of(self.agent), "parent_id": self.parent_id, "task": self.task,
            "task_type": self.task_type, "tags": self.tags,
            "outcome": self.outcome, "reason": self.reason, "version": self.version,
            "started_at": self.started_at, "ended_at": self.ended_at, "updated_at": self.updated_at,
        }  # fmt: skip


class LineFate(StrEnum):
    """What became of the one line that a run leaves in the open session."""

    ADDED = "added"
    ALREADY_THERE = "already there"
    NO_SESSION = "no session"
    NO_ROOM = "no room"


class Merged(NamedTuple):
    """An entry that the Scribe accepted, and what came of it."""

    entry: "Entry"
    decision: "Decision"
    memory: "Memory | None"


class ScribeReport(NamedTuple):
    """What the Scribe did for a run that ended, and what it left for a review."""

    run_id: str
    merged: tuple[Merged, ...]
    awaiting_review: "tuple[Entry, ...]"
    line: LineFate
    session_id: str | None
    session_closed: bool


class FinishedRun(Run):
    """A run as it ended: the memory it left with its own agent and what the Scribe did, or why there is neither."""

    memory_id: str | None = None
    not_remembered: str | None = None
    scribed: ScribeReport | None = None
    not_scribed: str | None = None


def completion_ref(run_id: str) -> str:
    """What the memories that a run left say they are part of."""
    return f"run:{run_id}"


def session_line(run: Run) -> str:
    """How a run that ended stands in a session.

    It has no word of the task: what a run was about is forgotten with the run, and a session is never rewritten.
    """
    return f"Run {run.id} by {run.agent} {run.outcome}."


def clean_task(value: str | None) -> str | None:
    return text.optional_prose(value, field="task", bytes_max=TASK_BYTES_MAX)


def clean_task_type(value: str | None) -> str | None:
    return text.optional_line(value, field="task type", bytes_max=WORD_BYTES_MAX)


def clean_reason(value: str | None) -> str | None:
    return text.optional_prose(value, field="reason", bytes_max=REASON_BYTES_MAX)
