"""Turns finished tasks and ended conversations into memories, so that the next run knows what came of the last."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import memories, text
from hansard.domain.limits import CONTENT_BYTES_MAX
from hansard.domain.memories import Memory, Note
from hansard.domain.runs import Run, completion_ref
from hansard.domain.vocabulary import Importance, MemoryType, RunOutcome, Scope, Source
from hansard.services.remember import remember_many

if TYPE_CHECKING:
    from hansard.services.seat import Seat

NO_OUTPUT = "(no output)"
NO_REASON = "No reason provided"
LESSON = "The task failed. Take this as a lesson and avoid the same way next time."
TEXT_CHARACTERS_MIN = 30
NAME_CHARACTERS = 80
SUMMARY_CHARACTERS_MIN = 20
NOTHING_LEARNED = "no significant learnings"
CUT = f"\n[cut at {CONTENT_BYTES_MAX // 1024} kB]"

WITHOUT_TASK = "the run has no task"
AUTOMATIC = "nobody asked for the task, it is an automatic one"
TOO_SHORT = "task and result are too short to say anything"
OVER_LIMIT = "whoever ended the run has as many memories as guard.memories_max allows"

AUTOMATIC_TAGS = frozenset({"auto-generated", "automatic", "cron", "heartbeat", "scheduled"})
AUTOMATIC_TYPES = frozenset(
    {
        "auto-generated",
        "automated",
        "automatic",
        "boot-triage",
        "cron",
        "heartbeat",
        "heartbeat-checklist",
        "health-check",
        "health-probe",
        "monitor",
        "monitoring",
        "periodic",
        "recurring",
        "schedule",
        "scheduled",
        "system",
    }
)
AUTOMATIC_ENDINGS = ("-monitor", "-digest")
SHARED_TAGS = frozenset({"knowledge", "shared"})
SHARED_TYPE = "research"


class Completion(NamedTuple):
    """The memories a finished run leaves, its own first, or why it leaves none."""

    notes: tuple[Note, ...]
    why_not: str | None = None


def is_automatic(run: Run) -> bool:
    """Whether nobody asked for the task: its completions would only flood the memory with clones of each other."""
    kind = (run.task_type or "").lower()
    by_tag = any(tag in AUTOMATIC_TAGS or tag.startswith("schedule:") for tag in run.tags)
    return by_tag or kind in AUTOMATIC_TYPES or kind.endswith(AUTOMATIC_ENDINGS)


def completion(run: Run, *, output: str | None, persist: bool) -> Completion:
    """What a finished run leaves: its own memory, and one for the team if it was research or marked as shared."""
    if run.task is None:
        return Completion((), WITHOUT_TASK)
    if is_automatic(run) and not persist:
        return Completion((), AUTOMATIC)
    told = _told(run, output)
    if len(told) < TEXT_CHARACTERS_MIN:
        return Completion((), TOO_SHORT)
    name = f"Task: {' '.join(run.task.split())[:NAME_CHARACTERS]}"
    notes = [_note(run, told, name, Scope.AGENT)]
    if run.outcome is RunOutcome.COMPLETED and (
        (run.task_type or "").lower() == SHARED_TYPE or SHARED_TAGS & set(run.tags)
    ):
        shared = f"Task completed by agent {run.agent}:\n\n{told}"
        notes.append(_note(run, shared, name.replace("Task:", "Shared:", 1), Scope.TEAM))
    return Completion(tuple(notes))


def summarise_session(
    seat: Seat, *, agent: str, summary: str, run: Run | None = None, persist: bool = False
) -> Memory | None:
    """Keeps what a conversation taught; nothing if it taught nothing, or nobody asked for it."""
    said = text.prose(summary, field="summary", bytes_max=CONTENT_BYTES_MAX)
    empty = len(said) <= SUMMARY_CHARACTERS_MIN or NOTHING_LEARNED in said.lower()
    if empty or (run is not None and is_automatic(run) and not persist):
        return None
    first = " ".join((run.task if run and run.task else said).split())[:NAME_CHARACTERS]
    note = memories.note(
        said,
        agent=agent,
        type=MemoryType.LEARNING,
        source=Source.SESSION_SUMMARY,
        name=f"Session: {first}",
        run_id=run.id if run and run.is_open else None,
    )
    return remember_many(seat, [note])[0]


def _told(run: Run, output: str | None) -> str:
    if run.outcome is RunOutcome.COMPLETED:
        return f"Task: {run.task}\n\nOutput:\n{output or NO_OUTPUT}"
    if run.outcome is RunOutcome.DECLINED:
        return f"Task: {run.task}\n\nDeclined: {run.reason or NO_REASON}"
    return f"Task: {run.task}\n\nFailure reason:\n{run.reason or NO_REASON}\n\n{LESSON}"


def _note(run: Run, told: str, name: str, scope: Scope) -> Note:
    return memories.note(
        _fitted(told),
        agent=run.agent,
        type=MemoryType.LEARNING,
        importance=Importance.MEDIUM,
        scope=scope,
        source=Source.TASK_COMPLETION,
        name=name,
        source_ref=completion_ref(run.id),
        position=0 if scope is Scope.AGENT else None,
        run_id=run.id,
    )


def _fitted(told: str) -> str:
    """The text, or as much of it as a memory holds, with a last line that says so."""
    whole = told.encode()
    if len(whole) <= CONTENT_BYTES_MAX:
        return told
    return whole[: CONTENT_BYTES_MAX - len(CUT)].decode("utf-8", "ignore") + CUT
