"""Owns the public face of one project: every call a Python program makes, handed to the service that does it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hansard import services
from hansard.domain.actors import Actor, filter_key
from hansard.domain.errors import Impersonation, Invalid
from hansard.domain.limits import PAGE_ITEMS_DEFAULT
from hansard.domain.paging import Page, window
from hansard.domain.vocabulary import Role
from hansard.index.shelf import Shelf
from hansard.services.seat import Seat
from hansard.settings import Settings, login_name

if TYPE_CHECKING:
    from hansard.domain.actors import KnownActor
    from hansard.domain.decisions import Decision
    from hansard.domain.inbox import Entry
    from hansard.domain.ledger import Event, Revision
    from hansard.domain.memories import Memory
    from hansard.domain.projects import Project as ProjectRecord
    from hansard.domain.runs import Run
    from hansard.domain.sessions import Session
    from hansard.services.audit import Verification
    from hansard.services.compile import Block
    from hansard.services.decide import DecisionHistory
    from hansard.services.recall import Hits
    from hansard.services.review import Failure, Promotion
    from hansard.store.ports import Store


class Project:
    """One project, as a trusted caller or, with an actor bound, as that actor.

    A trusted caller says who acts: `agent` names an agent, `by` a person; neither means the local user. A bound
    actor may repeat its own name and never another agent's.
    """

    def __init__(
        self, store: Store, record: ProjectRecord, settings: Settings, shelf: Shelf, actor: Actor | None = None
    ) -> None:
        self._store = store
        self._shelf = shelf
        self._record = record
        self._settings = settings
        self._actor = actor

    @property
    def id(self) -> str:
        return self._record.id

    @property
    def key(self) -> str:
        return self._record.key

    @property
    def record(self) -> ProjectRecord:
        return self._record

    def seat(self, *, agent: str | None = None, by: str | None = None) -> Seat:
        """The seat a call acts from. Raises Impersonation if `by` is not the bound actor."""
        actor = self._actor
        if actor is None:
            if by is not None:
                actor = Actor(by, Role.HUMAN)
            elif agent is not None:
                actor = Actor(agent, Role.AGENT)
            else:
                actor = Actor(self._settings.user or login_name(), Role.HUMAN)
        seat = Seat(self._store, self._record, actor, self._settings, self._shelf)
        if self._actor is not None:
            self._refuse_other_name(seat, agent, by)
        return seat

    @staticmethod
    def _refuse_other_name(seat: Seat, agent: str | None, by: str | None) -> None:
        """A bound actor acts as itself. People and services may name the agent they act for, nobody another person."""
        actor = seat.actor
        acts_for_others = bool(actor.roles & {Role.HUMAN, Role.SERVICE})
        for claimed, allowed in ((by, False), (agent, acts_for_others)):
            if claimed is not None and not allowed and filter_key(claimed) != actor.key:
                refusal = Impersonation(f"This caller is {actor.name} and cannot act as {claimed}.")
                seat.note_refusal(refusal)
                raise refusal

    # Memories

    def remember(self, content: str, *, agent: str | None = None, force: bool = False, **fields: Any) -> Memory:
        """Records a memory: type, importance, tags, scope, source, name, category, citations, kind, subject,
        reason, source_ref, position, occurred_at, run_id, session_id are optional. What is known already comes
        back with `duplicate` set, unless forced."""
        owner = self._owner(agent)
        note = services.remember.note_from({"content": content, **fields}, agent=owner)
        return services.remember.remember(self.seat(agent=owner), note, force=force)

    def remember_many(self, items: Iterable[Mapping[str, Any]], *, force: bool = False) -> tuple[Memory, ...]:
        """Records all items in one transaction, or none. Each is what `remember` takes, with `content` as a key."""
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise Invalid("give the memories as a list of their fields.")
        notes = [services.remember.note_from(item, agent=self._actor.name if self._actor else None) for item in items]
        names = {note.agent for note in notes}
        seat = self.seat(agent=names.pop() if len(names) == 1 else None)
        return services.remember.remember_many(seat, notes, force=force)

    def recall(
        self,
        query: str,
        *,
        agent: str | None = None,
        limit: int = 5,
        scope: str = "all",
        source: str | None = None,
        run_id: str | None = None,
        task: str | None = None,
    ) -> Hits:
        """The memories that answer best: own and team ones; `scope` agent or team narrows it."""
        return services.recall.recall(
            self.seat(agent=agent), query, limit=limit, scope=scope, source=source, run_id=run_id, task=task
        )

    def get_memory(self, memory_id: str, *, agent: str | None = None) -> Memory:
        return services.remember.get_memory(self.seat(agent=agent), memory_id)

    def memory_versions(self, memory_id: str, *, agent: str | None = None) -> tuple[Memory, tuple[Revision, ...]]:
        return services.remember.memory_versions(self.seat(agent=agent), memory_id)

    def edit_memory(
        self,
        memory_id: str,
        *,
        agent: str | None = None,
        by: str | None = None,
        expected_version: int | None = None,
        **changes: Any,
    ) -> Memory:
        """Changes content, name, type, importance, tags or citations of a memory."""
        unknown = sorted(set(changes) - set(services.remember.Correction._fields))
        if unknown:
            raise Invalid(f"{unknown[0]!r} of a memory cannot be changed.")
        correction = services.remember.Correction(**changes)
        return services.remember.edit(
            self.seat(agent=agent, by=by), memory_id, correction, expected_version=expected_version
        )

    def forget(self, memory_id: str, *, agent: str | None = None, by: str | None = None) -> Memory:
        return services.remember.forget(self.seat(agent=agent, by=by), memory_id)

    def list_memories(
        self,
        *,
        agent: str | None = None,
        type: str | None = None,
        importance: str | None = None,
        scope: str | None = None,
        source: str | None = None,
        tags: Iterable[str] | str | None = None,
        text: str | None = None,
        expired: bool = False,
        limit: int = PAGE_ITEMS_DEFAULT,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """What the caller may see, newest first; `agent` restricts to that agent's own."""
        return services.remember.list_memories(
            self.seat(), window(limit, cursor), agent=agent, type=type, importance=importance, scope=scope,
            source=source, tag_values=tags, containing=text, expired=expired,
        )  # fmt: skip

    # Inbox

    def propose(
        self,
        *,
        slug: str,
        type: str,
        content: str,
        agent: str | None = None,
        title: str | None = None,
        rationale: str | None = None,
        importance: str | None = None,
        tags: Iterable[str] | str | None = None,
        run_id: str | None = None,
    ) -> Entry:
        """Puts a proposal into the inbox. `entry.slug` is the slug it really got."""
        owner = self._owner(agent)
        checked = services.propose.proposal(
            author=owner, slug=slug, type=type, content=content, title=title, rationale=rationale,
            importance=importance, tag_values=tags, run_id=run_id,
        )  # fmt: skip
        return services.propose.propose(self.seat(agent=owner), checked).entry

    def get_entry(self, reference: str) -> Entry:
        """The entry with this id, number (`P-7`) or slug."""
        return services.propose.get_entry(self.seat(), reference)

    def entry_versions(self, reference: str) -> tuple[Entry, tuple[Revision, ...]]:
        return services.propose.entry_versions(self.seat(), reference)

    def merge(
        self,
        reference: str,
        *,
        by: str | None = None,
        title: str | None = None,
        content: str | None = None,
        rationale: str | None = None,
        note: str | None = None,
        expected_version: int | None = None,
    ) -> Decision:
        """Accepts a pending entry, with a person's edits if any, and returns the decision."""
        edits = services.review.Edits(title, content, rationale)
        return services.review.merge(
            self.seat(by=by), reference, edits=edits, note=note, expected_version=expected_version
        ).decision

    def reject(
        self, reference: str, *, by: str | None = None, reason: str | None = None, expected_version: int | None = None
    ) -> Entry:
        return services.review.reject(self.seat(by=by), reference, reason=reason, expected_version=expected_version)

    def merge_many(
        self, references: Sequence[str], *, by: str | None = None, note: str | None = None
    ) -> list[Promotion | Failure]:
        return services.review.merge_many(self.seat(by=by), references, note=note)

    def reject_many(
        self, references: Sequence[str], *, by: str | None = None, reason: str | None = None
    ) -> list[Entry | Failure]:
        return services.review.reject_many(self.seat(by=by), references, reason=reason)

    def list_inbox(
        self,
        *,
        status: str = "pending",
        type: str | None = None,
        agent: str | None = None,
        text: str | None = None,
        limit: int = PAGE_ITEMS_DEFAULT,
        cursor: str | None = None,
    ) -> Page[Entry]:
        """Entries newest first; `status="all"` shows merged and rejected ones too."""
        return services.propose.list_inbox(
            self.seat(), window(limit, cursor), status=status, type=type, agent=agent, containing=text
        )

    # Decisions

    def decide(
        self,
        *,
        type: str,
        title: str,
        content: str,
        rationale: str | None = None,
        by: str | None = None,
        tags: Iterable[str] | str | None = None,
        applies_to: Iterable[str] | None = None,
        run_id: str | None = None,
    ) -> Decision:
        """Makes a decision directly."""
        return services.decide.decide(
            self.seat(by=by), type=type, title=title, content=content, rationale=rationale, tag_values=tags,
            applies_to=applies_to, run_id=run_id,
        )  # fmt: skip

    def update_decision(
        self, reference: str, *, by: str | None = None, expected_version: int | None = None, **changes: Any
    ) -> Decision:
        """Changes title, content, rationale, tags or applies_to of an active decision."""
        unknown = sorted(set(changes) - set(services.decide.Amendment._fields))
        if unknown:
            raise Invalid(f"{unknown[0]!r} of a decision cannot be changed.")
        amendment = services.decide.Amendment(**changes)
        return services.decide.amend(self.seat(by=by), reference, amendment, expected_version=expected_version)

    def supersede(self, old: str, new: str, *, by: str | None = None) -> Decision:
        """Replaces one active decision by another, and returns the replaced one."""
        return services.decide.supersede(self.seat(by=by), old, new)

    def archive(self, reference: str, *, by: str | None = None) -> Decision:
        return services.decide.archive(self.seat(by=by), reference)

    def restore(self, reference: str, *, by: str | None = None) -> Decision:
        return services.decide.restore(self.seat(by=by), reference)

    def get_decision(self, reference: str) -> Decision:
        """The decision with this id or number (`D-12`)."""
        return services.decide.get_decision(self.seat(), reference)

    def decision_history(self, reference: str) -> DecisionHistory:
        return services.decide.decision_history(self.seat(), reference)

    def list_decisions(
        self,
        *,
        status: str = "active",
        type: str | None = None,
        agent: str | None = None,
        text: str | None = None,
        as_of: str | int | None = None,
        limit: int = PAGE_ITEMS_DEFAULT,
        cursor: str | None = None,
    ) -> Page[Decision]:
        """Decisions newest first; `as_of` an ISO time or microseconds shows them as they stood then."""
        return services.decide.list_decisions(
            self.seat(),
            window(limit, cursor),
            status=status,
            type=type,
            agent=agent,
            containing=text,
            as_of=as_of,
        )

    # Sessions

    def start_session(
        self,
        *,
        focus: str,
        id: str | None = None,
        issues: Iterable[str] | None = None,
        summary: str | None = None,
        state: str | None = None,
        run_id: str | None = None,
        agent: str | None = None,
        by: str | None = None,
    ) -> Session:
        """Opens a session; the one that was open ends."""
        return services.converse.start_session(
            self.seat(agent=agent, by=by), focus=focus, session_id=id, issues=issues, summary=summary, state=state,
            run_id=run_id,
        )  # fmt: skip

    def update_session(
        self,
        summary: str | None = None,
        *,
        replace: bool = False,
        focus: str | None = None,
        issues: Iterable[str] | None = None,
        state: str | None = None,
        id: str | None = None,
        agent: str | None = None,
        by: str | None = None,
    ) -> Session:
        """Adds a line to the open session's summary, or replaces it with `replace=True`."""
        return services.converse.update_session(
            self.seat(agent=agent, by=by), summary, replace_summary=replace, focus=focus, issues=issues, state=state,
            session_id=id,
        )  # fmt: skip

    def end_session(self, id: str | None = None, *, agent: str | None = None, by: str | None = None) -> Session:
        return services.converse.end_session(self.seat(agent=agent, by=by), id)

    def current_session(self) -> Session | None:
        return services.converse.current_session(self.seat())

    def get_session(self, id: str) -> Session:
        return services.converse.get_session(self.seat(), id)

    def list_sessions(self, *, limit: int = PAGE_ITEMS_DEFAULT, cursor: str | None = None) -> Page[Session]:
        return services.converse.list_sessions(self.seat(), window(limit, cursor))

    # Runs

    def start_run(
        self,
        *,
        agent: str | None = None,
        parent: str | None = None,
        task: str | None = None,
        task_type: str | None = None,
        tags: Iterable[str] | str | None = None,
    ) -> Run:
        owner = self._owner(agent)
        return services.run.start_run(
            self.seat(agent=owner),
            agent=owner,
            parent_id=parent,
            task=task,
            task_type=task_type,
            tag_values=tags,
        )

    def finish_run(self, run_id: str, *, outcome: str, reason: str | None = None) -> Run:
        """Closes a run: outcome completed, failed or declined."""
        return services.run.finish_run(self.seat(), run_id, outcome=outcome, reason=reason)

    def finalize_run(self, run_id: str, *, by: str | None = None) -> list[Promotion]:
        """Accepts the binding entries that the run's own agent proposed in it."""
        return services.review.finalise(self.seat(by=by), run_id)

    def get_run(self, run_id: str) -> Run:
        return services.run.get_run(self.seat(), run_id)

    def list_runs(
        self,
        *,
        agent: str | None = None,
        open_only: bool = False,
        limit: int = PAGE_ITEMS_DEFAULT,
        cursor: str | None = None,
    ) -> Page[Run]:
        return services.run.list_runs(self.seat(), window(limit, cursor), agent=agent, open_only=open_only)

    # Context and history

    def compile(self, *, agent: str | None = None) -> Block | None:
        """What the agent is told before its turn; None if nothing is known."""
        owner = self._owner(agent)
        return services.compile.compile_block(self.seat(agent=owner), agent=owner)

    def list_events(
        self, *, subject_id: str | None = None, limit: int = PAGE_ITEMS_DEFAULT, cursor: str | None = None
    ) -> Page[Event]:
        """The history, newest first."""
        return services.audit.list_events(self.seat(), window(limit, cursor), subject_id=subject_id)

    def get_event(self, seq: int) -> Event:
        return services.audit.get_event(self.seat(), seq)

    def verify(self) -> Verification:
        """Checks the hash chain and every record against it."""
        return services.audit.verify(self.seat())

    def list_agents(self) -> tuple[KnownActor, ...]:
        return services.audit.list_agents(self.seat())

    def _owner(self, agent: str | None) -> str:
        if agent is not None:
            return agent
        if self._actor is not None:
            return self._actor.name
        if self._settings.agent is not None:
            return self._settings.agent
        raise Invalid("Say which agent this is for: agent=… , HANSARD_AGENT or --agent.")
