"""Owns the public calls about proposals and decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hansard import services
from hansard.domain.errors import Invalid
from hansard.domain.limits import PAGE_ITEMS_DEFAULT
from hansard.domain.paging import Page, window
from hansard.facade.seated import SeatedProject

if TYPE_CHECKING:
    from hansard.domain.decisions import Decision
    from hansard.domain.inbox import Entry
    from hansard.domain.ledger import Revision
    from hansard.services.decide import DecisionHistory
    from hansard.services.review import Failure, Promotion


class LedgerCalls(SeatedProject):
    """What the team proposes and decides."""

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
        origin: str | None = None,
    ) -> Entry:
        """Puts a proposal into the inbox. `entry.slug` is the slug it really got."""
        # Imported here because most commands only read.
        from hansard.domain.inbox import from_origin

        owner = self.owner(agent)
        checked = services.propose.proposal(
            author=owner, slug=slug, type=type, content=content, title=title, rationale=rationale,
            importance=importance, tag_values=tags, run_id=run_id,
        )  # fmt: skip
        return services.propose.propose(self.seat(agent=owner), from_origin(checked, origin)).entry

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
        """Accepts a pending entry, with a person's edits if any, and returns the decision.

        `P-7@2` or `expected_version=2` accepts only what was read. An entry that was revised into a binding type needs
        one of them.
        """
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

    def supersede(self, old: str, new: str, *, by: str | None = None, expected_version: int | None = None) -> Decision:
        """Replaces one active decision by another, and returns the replaced one."""
        return services.decide.supersede(self.seat(by=by), old, new, expected_version=expected_version)

    def archive(self, reference: str, *, by: str | None = None, expected_version: int | None = None) -> Decision:
        return services.decide.archive(self.seat(by=by), reference, expected_version=expected_version)

    def restore(self, reference: str, *, by: str | None = None, expected_version: int | None = None) -> Decision:
        return services.decide.restore(self.seat(by=by), reference, expected_version=expected_version)

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
