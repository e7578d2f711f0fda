"""Owns the calls about memories, made to a server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hansard.client import records, references
from hansard.client.seated import RemoteSeat, fields_of, refuse_local, said, words
from hansard.domain.errors import Invalid
from hansard.domain.limits import PAGE_ITEMS_DEFAULT
from hansard.domain.memories import Memory
from hansard.domain.paging import Listing, Page, window
from hansard.domain.vocabulary import Category, Importance, MemoryType, Reach, Scope, Source, parse, parse_optional
from hansard.facade.memories import MemoryCalls

if TYPE_CHECKING:
    from hansard.domain.ledger import Revision
    from hansard.domain.notes import NotesReport
    from hansard.domain.usage import Sighting, UsageSummary
    from hansard.services.check_claims import ClaimsReport, Progress
    from hansard.services.recall import Hits
    from hansard.services.reembed import Embedding, Reembedded

CHANGEABLE = ("content", "name", "type", "importance", "tags", "citations")


class RemoteMemories(RemoteSeat, MemoryCalls):
    """What agents learned, on a server."""

    def remember(self, content: str, *, agent: str | None = None, force: bool = False, **fields: Any) -> Memory:
        body = fields_of({**fields, "content": content, "agent": agent})
        return records.read(Memory, self._ask("POST", "memories", body=body | {"force": force}))

    def remember_many(self, items: Iterable[Mapping[str, Any]], *, force: bool = False) -> tuple[Memory, ...]:
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise Invalid("give the memories as a list of their fields.")
        given = list(items)
        if not all(isinstance(one, Mapping) for one in given):
            raise Invalid("a memory is given as its fields.")
        body = {"items": [fields_of(one) for one in given], "force": force}
        return records.every(Memory, self._ask("POST", "memories", "batch", body=body))

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
        body = said(
            query=query, agent=agent, limit=limit, scope=parse(Reach, scope, field="scope"),
            source=parse_optional(Source, source, field="source"), run_id=run_id, task=task,
        )  # fmt: skip
        found: Hits = records.hits(self._ask("POST", "memories", "search", body=body, writes=False))
        return found

    def get_memory(self, memory_id: str, *, agent: str | None = None) -> Memory:
        self._named(agent=agent)
        return records.read(Memory, self._ask("GET", "memories", references.memory(memory_id)))

    def memory_versions(self, memory_id: str, *, agent: str | None = None) -> tuple[Memory, tuple[Revision, ...]]:
        self._named(agent=agent)
        return records.versions(Memory, self._ask("GET", "memories", references.memory(memory_id), "versions"))

    def edit_memory(
        self,
        memory_id: str,
        *,
        agent: str | None = None,
        by: str | None = None,
        expected_version: int | None = None,
        **changes: Any,
    ) -> Memory:
        self._named(agent=agent, by=by)
        unknown = sorted(set(changes) - set(CHANGEABLE))
        if unknown:
            raise Invalid(f"{unknown[0]!r} of a memory cannot be changed.")
        wanted, body = references.memory(memory_id), fields_of(changes)
        return records.read(Memory, self._ask("PATCH", "memories", wanted, body=body, version=expected_version))

    def forget(
        self, memory_id: str, *, agent: str | None = None, by: str | None = None, expected_version: int | None = None
    ) -> Memory:
        self._named(agent=agent, by=by)
        wanted = references.memory(memory_id)
        return records.read(Memory, self._ask("DELETE", "memories", wanted, version=expected_version))

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
        query = said(
            agent=agent, type=parse_optional(MemoryType, type, field="type"),
            importance=parse_optional(Importance, importance, field="importance"),
            scope=parse_optional(Scope, scope, field="scope"), source=parse_optional(Source, source, field="source"),
            tags=words(tags, separated=True), text=text, expired=expired, **window(limit, cursor)._asdict(),
        )  # fmt: skip
        return records.page(Memory, self._ask("GET", "memories", query=query))

    def use_memory(
        self, memory_id: str, *, agent: str | None = None, run_id: str | None = None, task: str | None = None
    ) -> Memory:
        body = said(agent=agent, run_id=run_id, task=task)
        return records.read(Memory, self._ask("POST", "memories", references.memory(memory_id), "use", body=body))

    def share_memory(
        self, memory_id: str, *, agent: str | None = None, by: str | None = None, expected_version: int | None = None
    ) -> Memory:
        self._named(by=by)
        body = said(agent=agent)
        done = self._ask("POST", "memories", references.memory(memory_id), "share", body=body, version=expected_version)
        return records.read(Memory, done)

    def inject_learning(
        self,
        learning: str | None = None,
        *,
        agent: str,
        category: str,
        memory_id: str | None = None,
        by: str | None = None,
    ) -> Memory:
        self._named(by=by)
        kind = parse(Category, category, field="category")
        body = said(learning=learning, agent=agent, category=kind, memory_id=memory_id)
        return records.read(Memory, self._ask("POST", "memories", "inject", body=body))

    def rate_memory(
        self,
        memory_id: str,
        *,
        useful: bool,
        agent: str | None = None,
        note: str | None = None,
        run_id: str | None = None,
    ) -> Memory:
        body = said(useful=useful, agent=agent, note=note, run_id=run_id)
        return records.read(Memory, self._ask("POST", "memories", references.memory(memory_id), "rate", body=body))

    def memory_usage(self, *, days: int = 30) -> UsageSummary:
        found: UsageSummary = records.usage(self._ask("GET", "memories", "usage", query={"days": days}))
        return found

    def retrievals(
        self,
        *,
        memory_id: str | None = None,
        task: str | None = None,
        days: int = 30,
        limit: int = PAGE_ITEMS_DEFAULT,
        cursor: str | None = None,
    ) -> Listing[Sighting]:
        from hansard.domain.usage import Sighting

        wanted = None if memory_id is None else references.memory(memory_id)
        query = said(memory_id=wanted, task=task, days=days, **window(limit, cursor)._asdict())
        found = self._ask("GET", "memories", "retrievals", query=query)
        return Listing(records.every(Sighting, found), records.cursor(found))

    def summarise_session(
        self, summary: str, *, agent: str | None = None, run_id: str | None = None, persist: bool = False
    ) -> Memory | None:
        body = said(summary=summary, agent=agent, run_id=run_id, persist=persist)
        made = records.part(self._ask("POST", "memories", "summarise", body=body), "memory")
        return None if made is None else records.read(Memory, made)

    def index_notes(
        self,
        paths: Sequence[str | Path] = (),
        *,
        root: str | Path | None = None,
        agent: str | None = None,
        scope: str | None = None,
    ) -> NotesReport:
        """Indexes the note folders of the project's folder on the server's machine.

        Files of this machine are indexed where they are: `hansard memory index`, with a store of its own.
        """
        refuse_local(paths=paths or None, root=root, scope=scope)
        report: NotesReport = records.indexed(self._ask("POST", "memories", "index", body=said(agent=agent)))
        return report

    def verify_memories(
        self,
        ids: Sequence[str] = (),
        *,
        agent: str | None = None,
        root: str | Path | None = None,
        progress: Progress | None = None,
        by: str | None = None,
    ) -> ClaimsReport:
        """Checks against the project's folder on the server's machine."""
        refuse_local(root=root, progress=progress)
        self._named(by=by)
        body = said(ids=list(ids), agent=agent, show_all=True)
        report: ClaimsReport = records.claims(self._ask("POST", "memories", "verify", body=body, writes=False))
        return report

    def purge(self, *, dry_run: bool = False, trust_clock: bool = False, by: str | None = None) -> int:
        self._named(by=by)
        body = said(dry_run=dry_run, trust_clock=trust_clock)
        return records.number(self._ask("POST", "memories", "purge", body=body), "expired")

    def reembed(
        self, *, again: bool = False, progress: Callable[[int, int], None] | None = None, by: str | None = None
    ) -> Reembedded:
        refuse_local(progress=progress)
        self._named(by=by)
        done: Reembedded = records.reembedded(self._ask("POST", "memories", "reembed", body={"again": again}))
        return done

    def reindex(self, *, progress: Callable[[int], None] | None = None, by: str | None = None) -> int:
        refuse_local(progress=progress)
        self._named(by=by)
        return records.number(self._ask("POST", "memories", "reindex"), "memories")

    def embedding(self, *, by: str | None = None) -> Embedding:
        self._named(by=by)
        found: Embedding = records.embedding(self._ask("GET", "memories", "embedding"))
        return found
