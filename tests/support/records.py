"""Records made by hand, for rules that need one and no store."""

from collections.abc import Sequence

from hansard.domain.decisions import Decision
from hansard.domain.inbox import Entry
from hansard.domain.memories import Memory
from hansard.domain.runs import Run
from hansard.domain.sessions import Session
from hansard.domain.vocabulary import (
    DecisionStatus,
    DecisionType,
    EntryStatus,
    Importance,
    MemoryType,
    Scope,
    Source,
)

SALT = bytes(16)


def decision(
    title: str = "Use Postgres",
    content: str = "All persistence uses Postgres.",
    *,
    type: DecisionType = DecisionType.ARCHITECTURAL,
    rationale: str | None = None,
    author: str = "Architect",
    decided_by: str | None = None,
    applies_to: Sequence[str] = (),
    status: DecisionStatus = DecisionStatus.ACTIVE,
    number: int = 1,
) -> Decision:
    return Decision(
        id=f"decision-{number}", number=number, type=type, title=title, content=content, rationale=rationale, tags=(),
        applies_to=tuple(applies_to), author=author, decided_by=decided_by or author, status=status,
        superseded_by=None, entry_id=None, run_id=None, version=1, created_at=number, updated_at=number, salt=SALT,
    )  # fmt: skip


def memory(
    content: str = "statx quirk",
    *,
    id: str = "memory-1",
    agent: str = "tank",
    type: MemoryType = MemoryType.LEARNING,
    importance: Importance = Importance.HIGH,
    scope: Scope = Scope.AGENT,
    created_at: int = 1,
) -> Memory:
    return Memory(
        id=id, agent=agent, type=type, importance=importance, scope=scope, source=Source.MANUAL, content=content,
        name=None, tags=(), category=None, citations=(), kind=None, subject=None, reason=None, source_ref=None,
        position=None, run_id=None, session_id=None, entry_id=None, decision_id=None, occurred_at=None, expires_at=None,
        forgotten_at=None, access_count=0, accessed_at=None, version=1, created_at=created_at, updated_at=created_at,
        salt=SALT,
    )  # fmt: skip


def entry(
    content: str = "All persistence uses Postgres.",
    *,
    slug: str = "use-postgres",
    title: str = "Use Postgres",
    author: str = "tank",
    type: DecisionType = DecisionType.ARCHITECTURAL,
    rationale: str | None = None,
    number: int = 1,
) -> Entry:
    return Entry(
        id=f"entry-{number}", number=number, slug=slug, requested_slug=slug, type=type, title=title, content=content,
        rationale=rationale, importance=None, tags=(), author=author, run_id=None, status=EntryStatus.PENDING,
        reviewer=None, note=None, reviewed_at=None, decision_id=None, memory_id=None, version=1, created_at=number,
        updated_at=number, salt=SALT,
    )  # fmt: skip


def session(
    focus: str = "Auth rework", *, issues: Sequence[str] = (), summary: str | None = None, id: str = "session-1"
) -> Session:
    return Session(
        id=id, focus=focus, issues=tuple(issues), summary=summary, state=None, opened_by="ana", run_id=None,
        version=1, started_at=1, ended_at=None, updated_at=1, salt=SALT,
    )  # fmt: skip


def run(task: str | None = "Auth rework", *, agent: str = "tank") -> Run:
    return Run(
        id="run-1", agent=agent, parent_id=None, task=task, task_type=None, tags=(), outcome=None, reason=None,
        version=1, started_at=1, ended_at=None, updated_at=1, salt=SALT,
    )  # fmt: skip
