"""Reviews proposals: merges them into decisions and memories, or rejects them, each in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from hansard.domain import decisions, text
from hansard.domain.actors import key_of
from hansard.domain.decisions import Decision
from hansard.domain.errors import (
    AlreadyReviewed,
    Conflict,
    Denied,
    HansardError,
    Invalid,
    NotFound,
    RunEnded,
    StaleVersion,
    shown,
)
from hansard.domain.inbox import Entry
from hansard.domain.limits import BULK_ITEMS_MAX, PAGE_ITEMS_MAX, REASON_BYTES_MAX
from hansard.domain.memories import Memory
from hansard.domain.paging import Window
from hansard.domain.policy import Act, Matter, require
from hansard.domain.tags import with_scope
from hansard.domain.vocabulary import (
    BINDING_TYPES,
    ROUTINE_TYPES,
    DecisionStatus,
    EntryStatus,
    Importance,
    MemoryType,
    RunOutcome,
    Source,
    Subject,
)
from hansard.services import chronicle
from hansard.services.propose import find_entry
from hansard.services.reindex import insert_indexed, prepare_units
from hansard.services.seat import Seat, fresh_salt, need_run, register
from hansard.store.filters import EntryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Transaction


class Edits(NamedTuple):
    """What a reviewer changes while merging; None leaves the author's words."""

    title: str | None = None
    content: str | None = None
    rationale: str | None = None


class Promotion(NamedTuple):
    """What a merge made of an entry."""

    entry: Entry
    decision: Decision
    memory: Memory | None


class Failure(NamedTuple):
    """One entry of a bulk review that could not be reviewed, and why."""

    reference: str
    error: HansardError


NO_EDITS = Edits()
Result = TypeVar("Result")


def merge(
    seat: Seat,
    reference: str,
    *,
    edits: Edits = NO_EDITS,
    note: str | None = None,
    expected_version: int | None = None,
) -> Promotion:
    """Accepts a pending entry: always a decision, and for learning, pattern and update a memory beside it.

    With `expected_version`, only if it is still what the reviewer read.
    """
    with seat.writing() as tx:
        entry = find_entry(tx, reference)
        require(seat.actor, Act.ACCEPT, Matter(owner=entry.author, type=entry.type, edited=edits != NO_EDITS))
        _refuse_reviewed(entry)
        _refuse_stale(entry, expected_version)
        return promote(tx, seat, entry, edits=edits, note=note)


def reject(seat: Seat, reference: str, *, reason: str | None = None, expected_version: int | None = None) -> Entry:
    """Declines a pending entry. It stays in the record with the reason."""
    cleaned = text.optional_prose(reason, field="reason", bytes_max=REASON_BYTES_MAX)
    with seat.writing() as tx:
        entry = find_entry(tx, reference)
        require(seat.actor, Act.REJECT, Matter(owner=entry.author, type=entry.type))
        _refuse_reviewed(entry)
        _refuse_stale(entry, expected_version)
        rejected = entry._replace(
            status=EntryStatus.REJECTED,
            reviewer=register(tx, seat.actor),
            note=cleaned,
            reviewed_at=tx.now,
            version=entry.version + 1,
            updated_at=tx.now,
        )
        tx.inbox.update(rejected)
        chronicle.changed(tx, seat.actor, "entry.rejected", Subject.ENTRY, entry, rejected)
        return rejected


def merge_many(seat: Seat, references: Sequence[str], *, note: str | None = None) -> list[Promotion | Failure]:
    """Merges each entry in its own transaction; one that fails does not stop the others."""
    return _each(references, lambda reference: merge(seat, reference, note=note))


def reject_many(seat: Seat, references: Sequence[str], *, reason: str | None = None) -> list[Entry | Failure]:
    """Rejects each entry in its own transaction; one that fails does not stop the others."""
    return _each(references, lambda reference: reject(seat, reference, reason=reason))


def finalise(seat: Seat, run_id: str) -> list[Promotion]:
    """Accepts, in one transaction, the binding entries that a run's own agent proposed in it.

    This is the one way for a coordinator to accept what it wrote itself. Running it again adds nothing.
    """
    with seat.writing() as tx:
        run = need_run(tx, run_id)
        require(seat.actor, Act.FINALISE, Matter(owner=run.agent))
        if run.outcome in {RunOutcome.FAILED, RunOutcome.DECLINED}:
            raise RunEnded(f"The run {run.id} ended as {run.outcome}; what it proposed waits for a review.")
        wanted = EntryFilter(
            status=EntryStatus.PENDING, types=BINDING_TYPES, author_key=key_of(run.agent), run_id=run.id
        )
        pending: list[Entry] = []
        cursor: str | None = None
        while True:
            page = tx.inbox.page(wanted, Window(PAGE_ITEMS_MAX, cursor))
            pending += page.items
            cursor = page.next_cursor
            if cursor is None:
                break
        for entry in pending:
            require(seat.actor, Act.ACCEPT, Matter(owner=entry.author, type=entry.type, finalising=True))
        return [promote(tx, seat, entry, note="finalised with its run") for entry in reversed(pending)]


def promote(
    tx: Transaction, seat: Seat, entry: Entry, *, edits: Edits = NO_EDITS, note: str | None = None
) -> Promotion:
    """The merge itself, inside the caller's transaction and after the caller asked the policy."""
    _refuse_reviewed(entry)
    reviewer = register(tx, seat.actor)
    decision = _decision(tx, entry, edits, reviewer)
    tx.decisions.insert(decision)
    memory = _memory(tx, entry, decision) if entry.type in ROUTINE_TYPES else None
    if memory:
        insert_indexed(tx, seat, [memory], prepare_units(tx, seat, [memory.content]))
    merged = entry._replace(
        status=EntryStatus.MERGED,
        reviewer=reviewer,
        note=text.optional_prose(note, field="note", bytes_max=REASON_BYTES_MAX),
        reviewed_at=tx.now,
        decision_id=decision.id,
        memory_id=memory.id if memory else None,
        version=entry.version + 1,
        updated_at=tx.now,
    )
    tx.inbox.update(merged)
    links = {"entry": entry.id}
    chronicle.created(tx, seat.actor, "decision.made", Subject.DECISION, [decision], links)
    if memory:
        chronicle.created(tx, seat.actor, "memory.recorded", Subject.MEMORY, [memory], links)
    chronicle.changed(tx, seat.actor, "entry.merged", Subject.ENTRY, entry, merged, {"decision": decision.id})
    return Promotion(merged, decision, memory)


def _refuse_stale(entry: Entry, expected_version: int | None) -> None:
    if expected_version is not None and expected_version != entry.version:
        raise StaleVersion(f"{entry.ref} is at version {entry.version}, not {shown(expected_version)}; read it again.")


def _refuse_reviewed(entry: Entry) -> None:
    if entry.status is not EntryStatus.PENDING:
        raise AlreadyReviewed(f"{entry.ref} ({entry.slug}) was {entry.status} already; nothing was changed.")


def _decision(tx: Transaction, entry: Entry, edits: Edits, reviewer: str) -> Decision:
    return Decision(
        id=tx.new_id(),
        number=tx.decisions.next_number(),
        type=entry.type,
        title=entry.title if edits.title is None else decisions.clean_title(edits.title),
        content=entry.content if edits.content is None else decisions.clean_content(edits.content),
        rationale=entry.rationale if edits.rationale is None else decisions.clean_rationale(edits.rationale),
        tags=entry.tags,
        applies_to=(),
        author=entry.author,
        decided_by=reviewer,
        status=DecisionStatus.ACTIVE,
        superseded_by=None,
        entry_id=entry.id,
        run_id=entry.run_id,
        version=1,
        created_at=tx.now,
        updated_at=tx.now,
        salt=fresh_salt(),
    )


def _memory(tx: Transaction, entry: Entry, decision: Decision) -> Memory:
    tags, scope = with_scope(entry.tags, None)
    return Memory(
        id=tx.new_id(),
        agent=entry.author,
        type=MemoryType(entry.type.value),
        importance=entry.importance or Importance.HIGH,
        scope=scope,
        source=Source.MANUAL,
        content=decision.content,
        name=decision.title,
        tags=tags,
        category=None,
        citations=(),
        kind=None,
        subject=None,
        reason=None,
        source_ref=None,
        position=None,
        run_id=entry.run_id,
        session_id=None,
        entry_id=entry.id,
        decision_id=decision.id,
        occurred_at=None,
        expires_at=None,
        forgotten_at=None,
        access_count=0,
        accessed_at=None,
        version=1,
        created_at=tx.now,
        updated_at=tx.now,
        salt=fresh_salt(),
    )


def _each(references: Sequence[str], review: Callable[[str], Result]) -> list[Result | Failure]:
    if isinstance(references, str) or not isinstance(references, Sequence):
        raise Invalid("give the entries to review as a list.")
    if len(references) > BULK_ITEMS_MAX:
        raise Invalid(f"{len(references):,} entries given; one call reviews at most {BULK_ITEMS_MAX:,}.")
    done: list[Result | Failure] = []
    for reference in references:
        try:
            done.append(review(reference))
        except (Conflict, Denied, Invalid, NotFound) as error:
            done.append(Failure(reference, error))
    return done
