"""Reviews proposals: merges them into decisions and memories, or rejects them, each in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from hansard.domain import decisions, text
from hansard.domain.decisions import Decision
from hansard.domain.errors import (
    AlreadyReviewed,
    Conflict,
    Denied,
    HansardError,
    Invalid,
    NotAProposal,
    NotFound,
    Quarantined,
    VersionNeeded,
)
from hansard.domain.inbox import CONFLICT_SLUG, Entry
from hansard.domain.limits import BULK_ITEMS_MAX, REASON_BYTES_MAX
from hansard.domain.memories import Memory
from hansard.domain.policy import Act, Matter, require
from hansard.domain.tags import with_scope
from hansard.domain.trust import is_from_outside, lasting, tier_of, trust_of
from hansard.domain.versions import pinned, refuse_stale
from hansard.domain.vocabulary import (
    BOUNDARY_TYPES,
    IMPORTANCE_RANK,
    ROUTINE_TYPES,
    Clearance,
    DecisionStatus,
    EntryStatus,
    Importance,
    MemoryType,
    Role,
    Source,
    Subject,
    Trust,
)
from hansard.services import chronicle
from hansard.services.admission import (
    is_tainted,
    names_secret,
    overreaches,
    refuse_unseen,
    repeated,
    safe,
    said_by,
    screen,
    screen_text,
    screen_texts,
)
from hansard.services.find_known import find_equal
from hansard.services.propose import find_entry
from hansard.services.reindex import NOTHING_PREPARED, Prepared, insert_indexed, prepare_ahead, prepare_units
from hansard.services.seat import Seat, fresh_salt, register

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

    @property
    def version(self) -> int:
        """The version of the entry that was accepted; the merge itself made the next one."""
        return self.entry.version - 1


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

    With `expected_version`, or a reference such as `P-7@2`, only if it is still what the reviewer read. An entry that
    was revised into a binding type needs one of them, and raises VersionNeeded without.
    """
    wanted, version = pinned(reference, expected_version)
    edits, _ = screen(seat, _cleaned(edits))
    ahead = _prepared(seat, wanted, edits)
    with seat.writing() as tx:
        entry = find_entry(tx, seat, wanted)
        require(seat.actor, Act.ACCEPT, matter_of(tx, entry)._replace(edited=edits != NO_EDITS))
        _refuse_reviewed(entry)
        refuse_stale(entry.ref, entry.version, version)
        if version is None:
            _refuse_unseen(tx, seat, entry)
        made = promote(tx, seat, entry, edits=edits, note=note, ahead=ahead)
    if names_secret(made.decision):
        seat.store.erase_traces(seat.project.id)
    return made


def reject(seat: Seat, reference: str, *, reason: str | None = None, expected_version: int | None = None) -> Entry:
    """Declines a pending entry. It stays in the record with the reason. Versions are named as in `merge`."""
    wanted, version = pinned(reference, expected_version)
    cleaned = text.optional_prose(reason, field="reason", bytes_max=REASON_BYTES_MAX)
    cleaned = None if cleaned is None else screen_text(seat, cleaned, field="reason")
    with seat.writing(ends=True) as tx:
        entry = find_entry(tx, seat, wanted)
        require(seat.actor, Act.REJECT, Matter(owner=entry.author, type=entry.type))
        _refuse_reviewed(entry)
        refuse_stale(entry.ref, entry.version, version)
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
    return each(references, lambda reference: merge(seat, reference, note=note))


def reject_many(seat: Seat, references: Sequence[str], *, reason: str | None = None) -> list[Entry | Failure]:
    """Rejects each entry in its own transaction; one that fails does not stop the others."""
    return each(references, lambda reference: reject(seat, reference, reason=reason))


def _cleaned(edits: Edits) -> Edits:
    """The edits as text, before anybody reads them. An empty rationale stays one: it takes the author's away."""
    return Edits(
        None if edits.title is None else decisions.clean_title(edits.title),
        None if edits.content is None else decisions.clean_content(edits.content),
        None if edits.rationale is None else decisions.clean_rationale(edits.rationale) or "",
    )


def _prepared(seat: Seat, reference: str, edits: Edits) -> Prepared:
    """The units of the memory that a merge will make, before the transaction. What is wrong is said in there."""
    with seat.reading() as tx:
        try:
            entry = find_entry(tx, seat, reference)
        except NotFound:
            return NOTHING_PREPARED
    if entry.type not in ROUTINE_TYPES or entry.status is not EntryStatus.PENDING:
        return NOTHING_PREPARED
    said = entry.content if edits.content is None else decisions.clean_content(edits.content)
    # A provider of vectors is somebody else: what was stored before there was a guard does not go there.
    named = {"title": edits.title or entry.title, "content": said}
    clean, _ = screen_texts(seat._replace(told=None), named)
    return prepare_ahead(seat, str(clean.get("content", said)))


def promote(
    tx: Transaction,
    seat: Seat,
    entry: Entry,
    *,
    edits: Edits = NO_EDITS,
    note: str | None = None,
    ahead: Prepared = NOTHING_PREPARED,
) -> Promotion:
    """The merge itself, inside the caller's transaction and after the caller asked the policy."""
    _refuse_reviewed(entry)
    _refuse_quarantined(entry)
    _refuse_conflict(entry)
    reviewer = register(tx, seat.actor)
    vouched = Role.HUMAN in seat.actor.roles
    decision, _ = screen(seat, _decision(tx, entry, edits, reviewer, vouched=vouched), tx)
    if names_secret(decision):
        from hansard.services.scan import take_back

        # The reviewer's title may make a secret of the author's words, which stay in the record too.
        entry = take_back(tx, seat, Subject.ENTRY, entry, {"title": decision.title})
    tx.decisions.insert(decision)
    links = {"entry": entry.id}
    chronicle.created(tx, seat.actor, "decision.made", Subject.DECISION, [decision], links)
    memory = None
    if entry.type in ROUTINE_TYPES:
        (said,) = repeated(tx, seat, [_memory(tx, entry, decision, vouched=vouched)])
        memory = _remembered(tx, seat, said, ahead)
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
    merged, _ = screen(seat, merged, tx)
    tx.inbox.update(merged)
    chronicle.changed(tx, seat.actor, "entry.merged", Subject.ENTRY, entry, merged, {"decision": decision.id})
    return Promotion(merged, decision, memory)


def _remembered(tx: Transaction, seat: Seat, memory: Memory, ahead: Prepared) -> Memory:
    """The new memory, or the one that says the same already, as important as the new one would have been."""
    links = {"entry": memory.entry_id or ""}
    known = None if memory.is_quarantined else find_equal(tx, memory)
    if known is None:
        units = ahead.get(memory.content) or prepare_units(tx, seat, [memory.content])[0]
        insert_indexed(tx, seat, [memory], [units])
        chronicle.created(tx, seat.actor, "memory.recorded", Subject.MEMORY, [memory], links)
        return memory
    said = known._replace(
        importance=max(known.importance, memory.importance, key=IMPORTANCE_RANK.__getitem__),
        entry_id=known.entry_id or memory.entry_id,
        decision_id=known.decision_id or memory.decision_id,
    )
    if overreaches(known, said):
        # A model that accepts the words anew makes no more of those that came from outside.
        vouched = Role.HUMAN in seat.actor.roles
        said = said._replace(cleared=Clearance.CONFIRMED) if vouched else said._replace(importance=known.importance)
    if said == known:
        return known
    after = said._replace(version=known.version + 1, updated_at=tx.now)
    tx.memories.update(after)
    tx.units.touch(tx.memories.seq_of(after.id))
    chronicle.changed(tx, seat.actor, "memory.promoted", Subject.MEMORY, known, after, links)
    return after


def _refuse_unseen(tx: Transaction, seat: Seat, entry: Entry) -> None:
    """Whoever listed the entry as a learning must not bind the team by it, because its author revised it since."""
    if is_from_outside(entry):
        refuse_unseen(tx, seat, entry, "merge")
    if entry.type not in BOUNDARY_TYPES or entry.version == 1:
        return
    was = next(
        (one.body["type"] for one in tx.revisions.of(Subject.ENTRY, entry.id) if one.body["type"] != entry.type), None
    )
    if was is not None:
        raise VersionNeeded(
            f"{entry.ref} was proposed as {was} and is {entry.type} now. Read it, and accept the version you read:"
            f" {entry.ref}@{entry.version}."
        )


def _refuse_reviewed(entry: Entry) -> None:
    if entry.status is not EntryStatus.PENDING:
        raise AlreadyReviewed(f"{entry.ref} ({entry.slug}) was {entry.status} already; nothing was changed.")


def matter_of(tx: Transaction, entry: Entry) -> Matter:
    """What accepting the entry is about. What was only released came from outside all the same."""
    matter = Matter(owner=entry.author, type=entry.type)
    if entry.cleared is Clearance.CONFIRMED:
        return matter
    # Its author may have said since where they have it from.
    origin, _ = said_by(tx, entry.author, entry.content, entry.origin, entry.id)
    return matter._replace(outside=trust_of(origin) is Trust.OUTSIDE, tainted=is_tainted(tx, entry))


def _refuse_quarantined(entry: Entry) -> None:
    if entry.is_quarantined:
        raise Quarantined(f"{entry.ref} waits for review of its words. See `hansard guard show {entry.ref}`.")


def _refuse_conflict(entry: Entry) -> None:
    """Its words are those of two records and of nobody: as a decision they would bind the team to both."""
    if not entry.slug.startswith(CONFLICT_SLUG):
        return
    from hansard.domain.converge import is_derived

    if is_derived(entry.id):
        raise NotAProposal(
            f"{entry.ref} shows two versions of one record and proposes nothing. If the second one was right, change"
            f" the record itself; then reject {entry.ref}."
        )


def _decision(tx: Transaction, entry: Entry, edits: Edits, reviewer: str, *, vouched: bool) -> Decision:
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
        cleared=Clearance.CONFIRMED if vouched or entry.cleared is Clearance.CONFIRMED else None,
    )


def _memory(tx: Transaction, entry: Entry, decision: Decision, *, vouched: bool) -> Memory:
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
        origin=entry.origin,
        signs=lasting(entry.signs),
        # A person who accepts it has reviewed it. What a model accepts stays what it was.
        cleared=Clearance.CONFIRMED if vouched and tier_of(entry) is Trust.OUTSIDE else entry.cleared,
    )


def each(references: Sequence[str], review: Callable[[str], Result]) -> list[Result | Failure]:
    """Reviews one after the other; one that fails does not stop the others."""
    if isinstance(references, str) or not isinstance(references, Sequence):
        raise Invalid("give the entries to review as a list.")
    if len(references) > BULK_ITEMS_MAX:
        raise Invalid(f"{len(references):,} entries given; one call reviews at most {BULK_ITEMS_MAX:,}.")
    done: list[Result | Failure] = []
    for reference in references:
        try:
            done.append(review(reference))
        except (Conflict, Denied, Invalid, NotFound) as error:
            done.append(Failure(safe(str(reference)), error))
    return done
