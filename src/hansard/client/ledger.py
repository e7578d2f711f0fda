"""Owns the calls about proposals and decisions, made to a server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hansard.client import records, references
from hansard.client.seated import RemoteSeat, said, words
from hansard.clock import instant_of, iso
from hansard.domain.decisions import Decision
from hansard.domain.errors import Invalid
from hansard.domain.inbox import Entry
from hansard.domain.limits import PAGE_ITEMS_DEFAULT
from hansard.domain.paging import Page, window
from hansard.domain.vocabulary import DecisionType, Importance, Origin, parse, parse_optional
from hansard.facade.ledger import LedgerCalls

if TYPE_CHECKING:
    from hansard.domain.ledger import Revision
    from hansard.services.decide import DecisionHistory
    from hansard.services.review import Failure, Promotion

CHANGEABLE = ("title", "content", "rationale", "tags", "applies_to")


class RemoteLedger(RemoteSeat, LedgerCalls):
    """What the team proposes and decides, on a server."""

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
        body = said(
            slug=slug, type=parse(DecisionType, type, field="type"), content=content, agent=agent, title=title,
            rationale=rationale, importance=parse_optional(Importance, importance, field="importance"),
            tags=words(tags, separated=True), run_id=run_id, origin=parse_optional(Origin, origin, field="origin"),
        )  # fmt: skip
        return records.read(Entry, records.part(self._ask("POST", "inbox", body=body), "entry"))

    def get_entry(self, reference: str) -> Entry:
        return records.read(Entry, self._ask("GET", "inbox", references.named("entry", reference)))

    def entry_versions(self, reference: str) -> tuple[Entry, tuple[Revision, ...]]:
        wanted = references.named("entry", reference)
        return records.versions(Entry, self._ask("GET", "inbox", wanted, "versions"))

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
        self._named(by=by)
        body = said(title=title, content=content, rationale=rationale, note=note, expected_version=expected_version)
        done = self._ask("POST", "inbox", references.pinned(reference), "merge", body=body)
        return records.read(Decision, records.part(done, "decision"))

    def reject(
        self, reference: str, *, by: str | None = None, reason: str | None = None, expected_version: int | None = None
    ) -> Entry:
        self._named(by=by)
        body = said(reason=reason, expected_version=expected_version)
        return records.read(Entry, self._ask("POST", "inbox", references.pinned(reference), "reject", body=body))

    def merge_many(
        self, references: Sequence[str], *, by: str | None = None, note: str | None = None
    ) -> list[Promotion | Failure]:
        self._named(by=by)
        wanted = words(references)
        if not wanted:
            return []
        done = self._ask("POST", "inbox", "merge", body=said(references=wanted, note=note))
        return _outcomes(wanted, records.several(records.promotion, done, "merged"), done)

    def reject_many(
        self, references: Sequence[str], *, by: str | None = None, reason: str | None = None
    ) -> list[Entry | Failure]:
        self._named(by=by)
        wanted = words(references)
        if not wanted:
            return []
        done = self._ask("POST", "inbox", "reject", body=said(references=wanted, reason=reason))
        return _outcomes(wanted, records.several(lambda one: records.read(Entry, one), done, "rejected"), done)

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
        kind = parse_optional(DecisionType, type, field="type")
        query = said(status=status, type=kind, agent=agent, text=text, **window(limit, cursor)._asdict())
        return records.page(Entry, self._ask("GET", "inbox", query=query))

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
        self._named(by=by)
        body = said(
            type=parse(DecisionType, type, field="type"), title=title, content=content, rationale=rationale,
            tags=words(tags, separated=True), applies_to=words(applies_to), run_id=run_id,
        )  # fmt: skip
        return records.read(Decision, self._ask("POST", "decisions", body=body))

    def update_decision(
        self, reference: str, *, by: str | None = None, expected_version: int | None = None, **changes: Any
    ) -> Decision:
        self._named(by=by)
        unknown = sorted(set(changes) - set(CHANGEABLE))
        if unknown:
            raise Invalid(f"{unknown[0]!r} of a decision cannot be changed.")
        body = said(**changes)
        for name in ("tags", "applies_to"):
            if name in body:
                body[name] = words(body[name], separated=name == "tags")
        wanted = references.named("decision", reference)
        return records.read(Decision, self._ask("PATCH", "decisions", wanted, body=body, version=expected_version))

    def supersede(self, old: str, new: str, *, by: str | None = None, expected_version: int | None = None) -> Decision:
        self._named(by=by)
        wanted = references.named("decision", old)
        done = self._ask("POST", "decisions", wanted, "supersede", body={"by": new}, version=expected_version)
        return records.read(Decision, done)

    def archive(self, reference: str, *, by: str | None = None, expected_version: int | None = None) -> Decision:
        self._named(by=by)
        wanted = references.named("decision", reference)
        return records.read(Decision, self._ask("POST", "decisions", wanted, "archive", version=expected_version))

    def restore(self, reference: str, *, by: str | None = None, expected_version: int | None = None) -> Decision:
        self._named(by=by)
        wanted = references.named("decision", reference)
        return records.read(Decision, self._ask("POST", "decisions", wanted, "restore", version=expected_version))

    def get_decision(self, reference: str) -> Decision:
        return records.read(Decision, self._ask("GET", "decisions", references.named("decision", reference)))

    def decision_history(self, reference: str) -> DecisionHistory:
        wanted = references.named("decision", reference)
        found: DecisionHistory = records.decision_history(self._ask("GET", "decisions", wanted, "history"))
        return found

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
        query = said(
            status=status, type=parse_optional(DecisionType, type, field="type"), agent=agent, text=text,
            as_of=moment(as_of), **window(limit, cursor)._asdict(),
        )  # fmt: skip
        return records.page(Decision, self._ask("GET", "decisions", query=query))


def moment(as_of: str | int | None) -> str | None:
    return as_of if as_of is None or isinstance(as_of, str) else iso(instant_of(as_of))


@records.understood
def _outcomes(given: Sequence[str], done: Sequence[Any], answer: Mapping[str, Any]) -> list[Any]:
    """What became of each reference, in the order given. Of one that was given twice, the later one is what failed."""
    wrong: dict[str, list[Any]] = {}
    for one in records.several(records.failure, answer, "failed"):
        wrong.setdefault(one.reference, []).append(one)
    left, good = Counter(given), iter(done)
    found = []
    for reference in given:
        faults = wrong.get(reference, [])
        found.append(faults.pop(0) if len(faults) == left[reference] else next(good))
        left[reference] -= 1
    return found
