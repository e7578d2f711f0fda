"""Takes over records from other clones: the store's rows become what the lines came to, each with its event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from hansard.domain import lines
from hansard.domain.actors import key_of
from hansard.domain.converge import CLERK, Conflict, Records, conflict_about, counted, entry_of, is_believed, spellings
from hansard.domain.decisions import FORGOTTEN_TEXT, Decision
from hansard.domain.inbox import Entry
from hansard.domain.ledger import Draft
from hansard.domain.lines import FORGOTTEN, NAMES, Line
from hansard.domain.memories import Memory
from hansard.domain.mirror import Renamed
from hansard.domain.policy import Act, may
from hansard.domain.trust import AGAIN, RAISED, awaits_clearance, is_for_person, lasting, trust_of
from hansard.domain.vocabulary import (
    Clearance,
    DecisionStatus,
    DecisionType,
    EntryStatus,
    FactKind,
    Importance,
    MemoryType,
    Origin,
    Role,
    Scope,
    Source,
    Subject,
    Trust,
)
from hansard.services import chronicle
from hansard.services.admission import judged_entry, judged_line
from hansard.services.keep import forget_memory
from hansard.services.reindex import Prepared, insert_indexed, reindex
from hansard.services.seat import Seat, fresh_salt

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

RESPELLED = "names.respelled"
PLACE_MIN = 2**62
"""Numbers from here on are where records wait that change places; no record keeps one."""


class Known(Protocol):
    """What the clone has of everything that travels."""

    @property
    def decisions(self) -> Mapping[str, Decision]: ...
    @property
    def entries(self) -> Mapping[str, Entry]: ...
    @property
    def memories(self) -> Mapping[str, Memory]: ...


class Written:
    """What was written: how many are new or changed, the entries that conflicts opened, and what got another name."""

    def __init__(self) -> None:
        self.added: Counter[Subject] = Counter()
        self.updated = 0
        self.forgotten = 0
        self.conflicts: list[str] = []
        self.renamed: list[Renamed] = []


def write_down(
    tx: Transaction,
    seat: Seat,
    local: Known,
    after: Records,
    conflicts: Iterable[Conflict],
    units: Prepared,
    cleared: frozenset[str],
) -> Written:
    """Brings the record in step with what the lines came to, inside the caller's transaction.

    `units` were made before the write, `cleared` are the ids of memories that another clone reviewed.
    """
    written = Written()
    conflicts = list(conflicts)
    opened = {entry_of(one)["id"] for one in conflicts} - local.entries.keys()
    # Asked first: what is written next may take the place of words that are held.
    held = frozenset(id for id, one in local.memories.items() if one.is_quarantined)
    held |= {id for id, one in local.entries.items() if one.is_quarantined}
    doubted = _doubted_conflicts(conflicts, after.entries, held)
    _register(tx, seat, after)
    _write_decisions(tx, seat, local.decisions, after.decisions, written)
    _write_memories(tx, seat, local.memories, after.memories, units, cleared, written)
    _write_entries(tx, seat, local.entries, after.entries, doubted, written)
    written.conflicts = sorted(after.entries[id]["slug"] for id in opened)
    written.added[Subject.ENTRY] -= len(opened)
    return written


def take_own(tx: Transaction, seat: Seat, pending: Iterable[Line]) -> Written:
    """Adds an agent's own pending proposals that stand in no one's way, as if it had proposed them here."""
    written = Written()
    for line in sorted(pending, key=lambda one: str(one["id"])):
        key = key_of(line["author"])
        if tx.inbox.by_slug(line["slug"]) or tx.inbox.by_request(key, line["requested_slug"]):
            continue
        free = is_believed(line["number"]) and tx.inbox.by_number(line["number"]) is None
        number = line["number"] if free else tx.inbox.next_number()
        tx.inbox.reserve(counted([number]))
        record = _arrived(entry_from({**line, "number": number}, None), None, tx.now)
        tx.actors.register(record.author, Role.AGENT)
        if record.origin is Origin.HUMAN and not may(seat.actor, Act.SPEAK_FOR_PEOPLE):
            # Every clone must come to the same line, so its origin stays.
            record = record._replace(quarantined_at=tx.now, signs=(*record.signs, RAISED))
        tx.inbox.insert(record)
        chronicle.arrived(tx, seat.actor, "entry.imported", Subject.ENTRY, [record])
        written.added[Subject.ENTRY] += 1
    return written


def _register(tx: Transaction, seat: Seat, after: Records) -> None:
    """Has every name on record, in the spelling that the clones agree on."""
    deciding = {key_of(one["decided_by"]) for one in after.decisions.values()}
    deciding |= {key_of(one["amended_by"]) for one in after.decisions.values() if one["amended_by"] is not None}
    deciding |= {key_of(one["reviewer"]) for one in after.entries.values() if one["reviewer"] is not None}
    for key, name in sorted(spellings(after).items()):
        role = Role.SERVICE if key == CLERK else Role.HUMAN if key in deciding else Role.AGENT
        if tx.actors.register(name, role) != name:
            tx.actors.respell(name)
            actor = seat.actor
            details = {"name": name}
            draft = Draft(RESPELLED, Subject.PROJECT, seat.project.id, actor.key, actor.role, None, None, details)
            tx.ledger.append([draft])


def _differs(kind: Subject, line: Line, before: Line) -> bool:
    """Whether the record says something else; how names are spelled is settled for all records at once."""
    names = NAMES[kind]
    if kind is Subject.ENTRY and line["state"] == FORGOTTEN:
        line = lines.bare(kind, line)
    return any(
        value != before[name]
        and not (name in names and value and before[name] and key_of(value) == key_of(before[name]))
        for name, value in line.items()
    )


def _write_decisions(
    tx: Transaction, seat: Seat, local: Mapping[str, Decision], after: Mapping[str, Line], written: Written
) -> None:
    changed = {
        id: line
        for id, line in after.items()
        if id in local and _differs(Subject.DECISION, line, lines.of_decision(local[id]))
    }
    moved = [local[id] for id, line in changed.items() if local[id].number != line["number"]]
    for place, before in enumerate(moved, PLACE_MIN):
        # Out of the way first: two decisions may change places.
        tx.decisions.update(before._replace(number=place))
    for before in moved:
        tx.decisions.update(before._replace(number=changed[before.id]["number"]))
    added = [decision_from(line, None) for line in _successors_first(after, local)]
    for one in added:
        tx.decisions.insert(one)
    chronicle.arrived(tx, seat.actor, "decision.imported", Subject.DECISION, added)
    written.added[Subject.DECISION] += len(added)
    for id, line in sorted(changed.items()):
        before, record = local[id], decision_from(line, local[id])
        tx.decisions.update(record)
        _tell(tx, seat, Subject.DECISION, before, record, written, gone=line["state"] == FORGOTTEN)
    tx.decisions.reserve(counted(one["number"] for one in after.values()))


def _successors_first(after: Mapping[str, Line], local: Mapping[str, Decision]) -> list[Line]:
    """The new decisions, each after the one that it names."""
    found: dict[str, Line] = {}
    for start in sorted(after.keys() - local.keys()):
        path: list[str] = []
        at: str | None = start
        while at is not None and at in after and at not in found and at not in local:
            path.append(at)
            at = after[at]["superseded_by"]
        found.update({id: after[id] for id in reversed(path)})
    return list(found.values())


def _write_memories(
    tx: Transaction,
    seat: Seat,
    local: Mapping[str, Memory],
    after: Mapping[str, Line],
    units: Prepared,
    cleared: frozenset[str],
    written: Written,
) -> None:
    added = [
        judged_line(memory_from(line, None), None, tx.now, cleared=id in cleared)
        for id, line in sorted(after.items())
        if id not in local
    ]
    live = [one for one in added if not one.is_forgotten]
    packed = [units.get(one.content, ()) for one in live]
    insert_indexed(tx, seat, live, packed if all(packed) else [])
    gone = [one for one in added if one.is_forgotten]
    if gone:
        tx.memories.insert(gone, [0] * len(gone))
    chronicle.arrived(tx, seat.actor, "memory.imported", Subject.MEMORY, added)
    written.added[Subject.MEMORY] += len(live)
    for id, line in sorted(after.items()):
        before = local.get(id)
        if before is None:
            continue
        freed = id in cleared and awaits_clearance(before)
        if not freed and not _differs(Subject.MEMORY, line, lines.of_memory(before)):
            continue
        record = judged_line(memory_from(line, before), before, tx.now, cleared=id in cleared)
        tx.memories.update(record)
        if record.is_forgotten and not before.is_forgotten:
            tx.units.drop(tx.memories.seq_of(id))
            tx.usage.erase(id)
            forget_memory(tx, seat, before)
        elif not record.is_forgotten:
            reindex(tx, seat, before, record, units)
        _tell(tx, seat, Subject.MEMORY, before, record, written, gone=record.is_forgotten)


def _write_entries(
    tx: Transaction,
    seat: Seat,
    local: Mapping[str, Entry],
    after: Mapping[str, Line],
    doubted: frozenset[str],
    written: Written,
) -> None:
    changed: dict[str, Line] = {}
    for id, line in after.items():
        if id in local:
            before = local[id]
            moved = (before.slug, before.requested_slug) != (line["slug"], line["requested_slug"])
            if moved or _differs(Subject.ENTRY, line, lines.of_entry(before)):
                changed[id] = line
    for number, id in enumerate(changed, PLACE_MIN):
        # Out of the way first: two entries may change places. No slug has a blank in it.
        place = f"moving {id}"
        tx.inbox.update(local[id]._replace(slug=place, requested_slug=place, number=number))
    for id, line in changed.items():
        names = {"slug": line["slug"], "requested_slug": line["requested_slug"]}
        tx.inbox.update(local[id]._replace(number=line["number"], **names))
    arrived = (entry_from(line, None) for id, line in sorted(after.items()) if id not in local)
    added = [_arrived(one, None, tx.now) for one in arrived]
    added = [_doubted(one, None, tx.now, doubted) for one in added]
    for one in added:
        tx.inbox.insert(one)
    chronicle.arrived(tx, seat.actor, "entry.imported", Subject.ENTRY, added)
    written.added[Subject.ENTRY] += len(added)
    for id, line in sorted(changed.items()):
        record = entry_from(line, local[id])
        stands = record.decision_id is not None and tx.decisions.get(record.decision_id) is not None
        record = _arrived(record, local[id], tx.now, stands=stands)
        record = _doubted(record, local[id], tx.now, doubted)
        tx.inbox.update(record)
        _tell(tx, seat, Subject.ENTRY, local[id], record, written, gone=line["state"] == FORGOTTEN)
    tx.inbox.reserve(counted(one["number"] for one in after.values()))


def _tell(
    tx: Transaction,
    seat: Seat,
    kind: Subject,
    before: chronicle.Record,
    after: chronicle.Record,
    written: Written,
    *,
    gone: bool,
) -> None:
    if gone:
        chronicle.erased(tx, seat.actor, f"{kind.value}.forgotten", kind, before, after, elsewhere=True)
        tx.ledger.mark_erasure()
        written.forgotten += kind is Subject.MEMORY
    else:
        chronicle.overtaken(tx, seat.actor, f"{kind.value}.imported", kind, before, after)
        written.updated += 1


def _version(line: Line, before: chronicle.Record | None) -> int:
    """The version of the line; the highest one stands for all that come after it."""
    version = int(line["version"])
    return max(version, before.version) if before is not None and version == lines.VERSION_MAX else version


def decision_from(line: Line, before: Decision | None) -> Decision:
    gone = line["state"] == FORGOTTEN
    status = DecisionStatus.SUPERSEDED if line["superseded_by"] else DecisionStatus.ARCHIVED
    return Decision(
        line["id"], line["number"], DecisionType(line["type"]), FORGOTTEN_TEXT if gone else line["title"],
        FORGOTTEN_TEXT if gone else line["content"], line["rationale"], line["tags"], line["applies_to"],
        line["author"], line["decided_by"], status if gone else DecisionStatus(line["state"]), line["superseded_by"],
        line["entry_id"], before.run_id if before else None, _version(line, before), line["created_at"],
        line["updated_at"],
        before.salt if before and not gone else fresh_salt(), line["amended_by"],
        Clearance(line["cleared"]) if line["cleared"] else None,
    )  # fmt: skip


def entry_from(line: Line, before: Entry | None) -> Entry:
    gone = line["state"] == FORGOTTEN
    status = EntryStatus.MERGED if line["decision_id"] else EntryStatus.REJECTED
    return Entry(
        line["id"], line["number"], line["slug"], line["requested_slug"], DecisionType(line["type"]),
        FORGOTTEN_TEXT if gone else line["title"], FORGOTTEN_TEXT if gone else line["content"], line["rationale"],
        Importance(line["importance"]) if line["importance"] else None, line["tags"], line["author"],
        before.run_id if before else None, status if gone else EntryStatus(line["state"]), line["reviewer"],
        line["note"], line["reviewed_at"], line["decision_id"], line["memory_id"], _version(line, before),
        line["created_at"], line["updated_at"], before.salt if before and not gone else fresh_salt(),
        Origin(line["origin"]) if line["origin"] else None,
    )  # fmt: skip


def _arrived(entry: Entry, before: Entry | None, now: int, *, stands: bool = False) -> Entry:
    """The entry from a ledger file; what it says of where its words come from is believed, as that of any push is.

    `stands` says that its decision is in force here.
    """
    if entry.status is not EntryStatus.PENDING:
        return _reviewed(entry, before, now, stands=stands)
    if before is not None and _words(before) == _words(entry):
        entry = entry._replace(quarantined_at=before.quarantined_at, signs=before.signs, cleared=before.cleared)
    else:
        # What a person holds stays held, whatever a file makes of its words.
        if before is not None:
            entry = entry._replace(quarantined_at=before.quarantined_at, signs=before.signs)
        entry = judged_entry(entry, now)
    if before is None or entry.is_quarantined or entry.cleared is Clearance.CONFIRMED:
        return entry
    washed = trust_of(before.origin) is Trust.OUTSIDE and trust_of(entry.origin) is not Trust.OUTSIDE
    return entry._replace(quarantined_at=now, signs=(RAISED,), cleared=None) if washed else entry


def _reviewed(entry: Entry, before: Entry | None, now: int, *, stands: bool) -> Entry:
    """An entry that was reviewed in another clone. Who rejects what waits here does not let it out by that.

    Nor does who accepts it, unless the decision stands here and no person has to look at it.
    """
    if entry.is_blank:
        return entry
    if before is not None and before.is_quarantined and (not stands or is_for_person(before)):
        return entry._replace(quarantined_at=before.quarantined_at, signs=before.signs)
    if before is not None and _words(before) == _words(entry):
        # What was quoted, or vouched for, is so after the review too.
        return entry._replace(signs=lasting(before.signs), cleared=before.cleared)
    return judged_entry(entry, now)


def _doubted_conflicts(
    conflicts: Iterable[Conflict], entries: Mapping[str, Line], held: frozenset[str]
) -> frozenset[str]:
    """The ids of entries that show what waits for a person: both sides of a conflict stand there in full.

    Another clone may have opened the entry, so those are asked as well which the files bring.
    """
    opened = (entry_of(one)["id"] for one in conflicts if one.lost["id"] in held)
    return frozenset((*opened, *(id for id, line in entries.items() if conflict_about(line) in held)))


def _doubted(entry: Entry, before: Entry | None, now: int, doubted: frozenset[str]) -> Entry:
    """The entry, which waits if it shows what waits for a person here."""
    if entry.id not in doubted or entry.is_quarantined or entry.is_blank:
        return entry
    if before is not None and before.cleared is not None and _words(before) == _words(entry):
        # A person saw it and let it out.
        return entry
    return entry._replace(quarantined_at=now, signs=(*entry.signs, AGAIN), cleared=None)


def _words(entry: Entry) -> tuple[str | None, ...]:
    return (entry.title, entry.content, entry.rationale, *entry.tags)


def memory_from(line: Line, before: Memory | None) -> Memory:
    gone = line["state"] == FORGOTTEN
    made = Memory(
        line["id"], line["agent"], MemoryType(line["type"]), Importance(line["importance"]), Scope(line["scope"]),
        Source(line["source"]), "" if gone else line["content"], line["name"], line["tags"], line["category"],
        line["citations"], FactKind(line["kind"]) if line["kind"] else None, line["subject"], line["reason"],
        line["source_ref"], line["position"], None, None, line["entry_id"], line["decision_id"], line["occurred_at"],
        line["expires_at"], line["updated_at"] if gone else None, 0, None, _version(line, before), line["created_at"],
        line["updated_at"], None if gone else fresh_salt(),
        origin=Origin(line["origin"]) if line["origin"] else None,
    )  # fmt: skip
    if before is None:
        return made
    salt = None if gone else before.salt
    return made._replace(
        run_id=before.run_id, session_id=None if gone else before.session_id, access_count=before.access_count,
        accessed_at=before.accessed_at, salt=salt, alpha=before.alpha, beta=before.beta,
    )  # fmt: skip
