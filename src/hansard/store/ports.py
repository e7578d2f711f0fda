"""Owns the shape of a store. Services know these protocols and nothing of the engine behind them.

Everything a transaction reads or writes belongs to its project. Methods raise StoreBusy, StoreFull,
StoreUnwritable or StoreCorrupt when the engine does; they decide nothing and check no policy.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from hansard.domain.actors import KnownActor
from hansard.domain.decisions import Decision
from hansard.domain.inbox import Entry
from hansard.domain.ledger import Body, Draft, Event
from hansard.domain.memories import Memory
from hansard.domain.paging import Page, Window
from hansard.domain.projects import Project
from hansard.domain.runs import Run
from hansard.domain.sessions import Session
from hansard.domain.vocabulary import (
    DecisionStatus,
    DecisionType,
    EntryStatus,
    Importance,
    MemoryType,
    Role,
    Scope,
    Source,
    Subject,
)

NO_PROJECT = ""
"""The project of a transaction that only looks projects up."""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of a project on one machine."""

    machine: str
    path: str


@dataclass(frozen=True, slots=True)
class Revision:
    """A version of a record that is no longer the current one."""

    version: int
    valid_from: int
    valid_until: int
    changed_by: str
    body: Body


@dataclass(frozen=True, slots=True)
class EntryFilter:
    status: EntryStatus | None = None
    type: DecisionType | None = None
    author_key: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class DecisionFilter:
    status: DecisionStatus | None = None
    types: frozenset[DecisionType] = frozenset()
    author_key: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """`reader_key` restricts to what that agent may see; None sees everything."""

    reader_key: str | None = None
    agent_key: str | None = None
    types: frozenset[MemoryType] = frozenset()
    importance: Importance | None = None
    scope: Scope | None = None
    source: Source | None = None
    tags: tuple[str, ...] = ()
    text: str | None = None
    live_at: int | None = None


class Projects(Protocol):
    """Finds projects by key or folder, across the whole store."""

    def insert(self, project: Project) -> None: ...
    def by_key(self, key: str) -> Project | None: ...
    def by_root(self, root: Root) -> Project | None: ...
    def all(self) -> tuple[Project, ...]: ...
    def add_root(self, project_id: str, root: Root, *, now: int) -> None: ...
    def roots(self, project_id: str) -> tuple[Root, ...]: ...


class Actors(Protocol):
    """Keeps the spelling of every name as first seen."""

    def register(self, name: str, role: Role) -> str: ...
    def all(self) -> tuple[KnownActor, ...]: ...


class Inbox(Protocol):
    """Proposals. `next_number` and `insert` belong to one write transaction."""

    def insert(self, entry: Entry) -> None: ...
    def update(self, entry: Entry) -> None: ...
    def get(self, entry_id: str) -> Entry | None: ...
    def by_number(self, number: int) -> Entry | None: ...
    def by_slug(self, slug: str) -> Entry | None: ...
    def by_request(self, author_key: str, requested_slug: str) -> Entry | None: ...
    def page(self, wanted: EntryFilter, window: Window) -> Page[Entry]: ...
    def next_number(self) -> int: ...


class Decisions(Protocol):
    """Accepted rules and facts."""

    def insert(self, decision: Decision) -> None: ...
    def update(self, decision: Decision) -> None: ...
    def get(self, decision_id: str) -> Decision | None: ...
    def by_number(self, number: int) -> Decision | None: ...
    def page(self, wanted: DecisionFilter, window: Window) -> Page[Decision]: ...
    def as_of(self, wanted: DecisionFilter, window: Window, at: int) -> Page[Decision]: ...
    def boundaries(self) -> tuple[Decision, ...]: ...
    def next_number(self) -> int: ...


class Memories(Protocol):
    """What agents learned."""

    def insert(self, memories: Sequence[Memory]) -> None: ...
    def update(self, memory: Memory) -> None: ...
    def get(self, memory_id: str) -> Memory | None: ...
    def page(self, wanted: MemoryFilter, window: Window) -> Page[Memory]: ...
    def core(self, agent_key: str, *, now: int) -> tuple[Memory, ...]: ...
    def top_learnings(self, agent_key: str, *, now: int, limit: int) -> tuple[Memory, ...]: ...


class Sessions(Protocol):
    """The project's sessions; the store itself refuses a second open one."""

    def insert(self, session: Session) -> None: ...
    def update(self, session: Session) -> None: ...
    def get(self, session_id: str) -> Session | None: ...
    def current(self) -> Session | None: ...
    def page(self, window: Window) -> Page[Session]: ...


class Runs(Protocol):
    """The project's runs."""

    def insert(self, run: Run) -> None: ...
    def update(self, run: Run) -> None: ...
    def get(self, run_id: str) -> Run | None: ...
    def page(self, *, agent_key: str | None, open_only: bool, window: Window) -> Page[Run]: ...


class Revisions(Protocol):
    """Earlier versions of records."""

    def insert(self, subject: Subject, subject_id: str, revision: Revision) -> None: ...
    def of(self, subject: Subject, subject_id: str) -> tuple[Revision, ...]: ...
    def erase(self, subject: Subject, subject_id: str) -> None: ...


class Ledger(Protocol):
    """The project's chain of events. Only `append` assigns sequence numbers, and only inside a write."""

    def append(self, drafts: Sequence[Draft]) -> None: ...
    def get(self, seq: int) -> Event | None: ...
    def page(self, window: Window, *, subject_id: str | None) -> Page[Event]: ...
    def walk(self) -> Iterator[Event]: ...
    def head(self) -> tuple[int, bytes]: ...


class Transaction(Protocol):
    """One consistent view of one project, and in a write one atomic change of it. `now` is its only time."""

    @property
    def project_id(self) -> str: ...
    @property
    def now(self) -> int: ...
    @property
    def projects(self) -> Projects: ...
    @property
    def actors(self) -> Actors: ...
    @property
    def inbox(self) -> Inbox: ...
    @property
    def decisions(self) -> Decisions: ...
    @property
    def memories(self) -> Memories: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def runs(self) -> Runs: ...
    @property
    def revisions(self) -> Revisions: ...
    @property
    def ledger(self) -> Ledger: ...
    def new_id(self) -> str: ...


class Store(Protocol):
    """Opens transactions. Leaving a write normally commits it durably; leaving it by an exception undoes it."""

    def read(self, project_id: str) -> AbstractContextManager[Transaction]: ...
    def write(self, project_id: str) -> AbstractContextManager[Transaction]: ...
    def new_id(self) -> str: ...
    def erase_traces(self) -> None: ...
    def close(self) -> None: ...
