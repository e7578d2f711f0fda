"""Owns runs: one execution of an agent, from its start to its outcome."""

from typing import NamedTuple

from hansard.domain import actors, text
from hansard.domain.ledger import Body
from hansard.domain.limits import REASON_BYTES_MAX, TASK_BYTES_MAX, WORD_BYTES_MAX
from hansard.domain.vocabulary import RunOutcome


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


class FinishedRun(Run):
    """A run as it ended, and the memory it left with its own agent, or why it left none."""

    memory_id: str | None = None
    not_remembered: str | None = None


def completion_ref(run_id: str) -> str:
    """What the memories that a run left say they are part of."""
    return f"run:{run_id}"


def clean_task(value: str | None) -> str | None:
    return text.optional_prose(value, field="task", bytes_max=TASK_BYTES_MAX)


def clean_task_type(value: str | None) -> str | None:
    return text.optional_line(value, field="task type", bytes_max=WORD_BYTES_MAX)


def clean_reason(value: str | None) -> str | None:
    return text.optional_prose(value, field="reason", bytes_max=REASON_BYTES_MAX)
