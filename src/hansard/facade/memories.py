"""Owns the public calls about memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hansard import services
from hansard.domain.errors import Invalid
from hansard.domain.limits import PAGE_ITEMS_DEFAULT
from hansard.domain.paging import Listing, Page, window
from hansard.facade.seated import SeatedProject

if TYPE_CHECKING:
    from hansard.domain.ledger import Revision
    from hansard.domain.memories import Memory
    from hansard.domain.notes import NotesReport
    from hansard.domain.usage import Sighting, UsageSummary
    from hansard.services.check_claims import ClaimsReport, Progress
    from hansard.services.recall import Hits
    from hansard.services.reembed import Embedding, Reembedded


class MemoryCalls(SeatedProject):
    """What agents learned: recorded, found, used, rated, shared and forgotten."""

    def remember(self, content: str, *, agent: str | None = None, force: bool = False, **fields: Any) -> Memory:
        """Records a memory: type, importance, tags, scope, source, name, category, citations, kind, subject,
        reason, source_ref, position, occurred_at, run_id, session_id are optional. What is known already comes
        back with `duplicate` set, unless forced."""
        owner = self.owner(agent)
        from hansard.domain.memories import note_from

        note = note_from({"content": content, **fields}, agent=owner)
        return services.remember.remember(self.seat(agent=owner), note, force=force)

    def remember_many(self, items: Iterable[Mapping[str, Any]], *, force: bool = False) -> tuple[Memory, ...]:
        """Records all items in one transaction, or none, and returns the memories in their order.

        Each item is a mapping of what `remember` takes, with `content` and `agent` as keys: `{"content": "Uploads above
        5 MB fail.", "agent": "tank"}`. Where an actor is bound, `agent` may be left out.
        """
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise Invalid("give the memories as a list of their fields.")
        from hansard.domain.memories import notes_from

        notes = notes_from(items, agent=self._actor.name if self._actor else None)
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

    def forget(
        self, memory_id: str, *, agent: str | None = None, by: str | None = None, expected_version: int | None = None
    ) -> Memory:
        return services.remember.forget(self.seat(agent=agent, by=by), memory_id, expected_version=expected_version)

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

    def use_memory(
        self, memory_id: str, *, agent: str | None = None, run_id: str | None = None, task: str | None = None
    ) -> Memory:
        """Reads a memory and counts the access."""
        return services.share.use_memory(self.seat(agent=agent), memory_id, run_id=run_id, task=task)

    def share_memory(
        self, memory_id: str, *, agent: str | None = None, by: str | None = None, expected_version: int | None = None
    ) -> Memory:
        """Makes a memory one of the team's."""
        return services.share.share(self.seat(agent=agent, by=by), memory_id, expected_version=expected_version)

    def inject_learning(
        self,
        learning: str | None = None,
        *,
        agent: str,
        category: str,
        memory_id: str | None = None,
        by: str | None = None,
    ) -> Memory:
        """Hands a lesson to an agent: mistake-pattern, best-practice, codebase-knowledge or preference.

        A memory that is named instead of a text keeps its origin.
        """
        return services.share.inject_learning(
            self.seat(by=by), agent=agent, learning=learning, category=category, memory_id=memory_id
        )

    def rate_memory(
        self,
        memory_id: str,
        *,
        useful: bool,
        agent: str | None = None,
        note: str | None = None,
        run_id: str | None = None,
    ) -> Memory:
        """Says whether a memory helped; it counts in the adaptive order."""
        return services.rate.rate(self.seat(agent=agent), memory_id, useful=useful, note=note, run_id=run_id)

    def memory_usage(self, *, days: int = 30) -> UsageSummary:
        """What was surfaced, read and rated. An agent is told of its own calls, people of all."""
        return services.rate.usage(self.seat(), days=days)

    def retrievals(
        self,
        *,
        memory_id: str | None = None,
        task: str | None = None,
        days: int = 30,
        limit: int = PAGE_ITEMS_DEFAULT,
        cursor: str | None = None,
    ) -> Listing[Sighting]:
        """Who was shown what, newest first: one memory, or tasks that mention a text. An agent sees its own calls.

        A tuple of lines, whose `next_cursor` says where the next call goes on.
        """
        return services.rate.retrievals(
            self.seat(), memory_id=memory_id, task=task, days=days, page=window(limit, cursor)
        )

    def summarise_session(
        self, summary: str, *, agent: str | None = None, run_id: str | None = None, persist: bool = False
    ) -> Memory | None:
        """Keeps what a conversation taught for three days; None if it taught nothing."""
        owner = self.owner(agent)
        run = None if run_id is None else services.run.get_run(self.seat(), run_id)
        return services.complete.summarise_session(
            self.seat(agent=owner), agent=owner, summary=summary, run=run, persist=persist
        )

    def index_notes(
        self,
        paths: Sequence[str | Path] = (),
        *,
        root: str | Path | None = None,
        agent: str | None = None,
        scope: str | None = None,
    ) -> NotesReport:
        """Brings memories in step with note files: these, or the note folders below the root.

        Without a root it is the project's folder on this machine.
        """
        return services.notes.index_notes(self.seat(agent=agent), paths, agent=agent, scope=scope, root=root)

    def verify_memories(
        self,
        ids: Sequence[str] = (),
        *,
        agent: str | None = None,
        root: str | Path | None = None,
        progress: Progress | None = None,
        by: str | None = None,
    ) -> ClaimsReport:
        """Checks the files and symbols that memories name against the working tree: these memories, or all that the
        caller may see, or those of one agent. `verify` checks the history instead."""
        return services.check_claims.verify_memories(self.seat(by=by), ids, agent=agent, root=root, progress=progress)

    def purge(self, *, dry_run: bool = False, trust_clock: bool = False, by: str | None = None) -> int:
        """Forgets what has expired, for good, and says how many there were. Raises ClockDoubtful if this clock seems to
        be far ahead, unless it is trusted."""
        return services.purge.purge(self.seat(by=by), dry_run=dry_run, trust_clock=trust_clock)

    def reembed(
        self, *, again: bool = False, progress: Callable[[int, int], None] | None = None, by: str | None = None
    ) -> Reembedded:
        """Embeds with the configured model what it has no vectors of; with `again`, everything."""
        return services.reembed.reembed(self.seat(by=by), again=again, progress=progress)

    def reindex(self, *, progress: Callable[[int], None] | None = None, by: str | None = None) -> int:
        """Makes the search index of every memory anew from its text, and says how many memories there are."""
        return services.reindex.renew_all(self.seat(by=by), progress)

    def may_reembed(self, *, by: str | None = None) -> None:
        """Raises what `reembed` would raise before it begins."""
        services.reembed.may_reembed(self.seat(by=by))

    def embedding(self, *, by: str | None = None) -> Embedding:
        """Which model searches use, which one is configured, and how far its vectors are."""
        return services.reembed.embedding(self.seat(by=by))
