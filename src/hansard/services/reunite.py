"""Reunites the record with the ledger files of its repository: what other clones made is taken in by its id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hansard.domain import converge, lines, mirror
from hansard.domain.actors import key_of
from hansard.domain.converge import KINDS, Conflict, Records
from hansard.domain.decisions import Decision
from hansard.domain.errors import Invalid
from hansard.domain.frontmatter import Warned
from hansard.domain.inbox import Entry
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.lines import Line
from hansard.domain.memories import Memory
from hansard.domain.mirror import FileWarning, LedgerReport, Renamed, Skipped
from hansard.domain.paging import Window
from hansard.domain.policy import Act, may
from hansard.domain.trust import awaits_clearance, is_for_person
from hansard.domain.vocabulary import EntryStatus, Role, Subject
from hansard.services.admission import REPLACED, REVOKE, Allowed, allowed_in, masked, presentable, safe
from hansard.services.read_lines import FILE_BYTES_MAX, Arrived, Screened, read_ledger, read_lines
from hansard.services.reindex import NOTHING_PREPARED, fill_vectors, prepare_units
from hansard.services.seat import Seat
from hansard.services.sign import signed
from hansard.services.take_over import Written, take_own, write_down
from hansard.store.filters import DecisionFilter, EntryFilter, MemoryFilter
from hansard.workspace.files import Enclosure

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

WARNINGS_MAX = 100
"""Faults of one file that are told one by one."""
_LINK: Mapping[Subject, str] = {
    Subject.DECISION: "superseded_by",
    Subject.ENTRY: "decision_id",
    Subject.MEMORY: "decision_id",
}
"""The field that names a decision, which must be here."""


Seen: TypeAlias = dict[str, tuple[Any, Any]]
"""Records by their id, as they are and without what is secret in them."""


class Local(NamedTuple):
    """What this clone knows of everything that travels, and the ids of memories that do not."""

    decisions: Mapping[str, Decision]
    entries: Mapping[str, Entry]
    memories: Mapping[str, Memory]
    private: frozenset[str]
    agents: frozenset[str]
    allowed: Allowed | None = None

    def uncleared(self) -> frozenset[str]:
        """The memories that wait for a line which says that somebody reviewed them."""
        return frozenset(id for id, one in self.memories.items() if awaits_clearance(one))

    def records(self) -> Records:
        return Records(
            {id: lines.of_decision(one) for id, one in self.decisions.items()},
            {id: lines.of_entry(one) for id, one in self.entries.items()},
            {id: lines.of_memory(one) for id, one in self.memories.items()},
        )


class Offer(NamedTuple):
    """What the files bring: lines that may be taken in, lines that may not, and what cannot be read."""

    accepted: list[Arrived]
    refused: list[tuple[Arrived, str]]
    faults: dict[Subject, list[Warned]]
    warnings: dict[Subject, list[Warned]]


def reunite(seat: Seat, files: Enclosure) -> LedgerReport:
    """Takes in what the ledger files know and the record does not, in one transaction.

    A file is no person: only somebody who may set projects up takes in what was decided. Anybody else gets pending
    proposals of their own name, and the rest is reported.
    """
    data, skipped = read_ledger(files)
    if not data:
        return LedgerReport(skipped=tuple(skipped))
    if may(seat.actor, Act.SET_UP):
        offer, written = _take_all(seat, data)
        _tell_redacted(seat, offer.accepted)
        return _report(offer, written, skipped)
    with seat.reading() as tx:
        local = local_of(seat, tx)
        offer = offered(local, data)
    own = [one for one in offer.accepted if one.kind is Subject.ENTRY and _is_own(seat, local, one.line)]
    written = Written()
    if own:
        with seat.writing() as tx:
            written = take_own(tx, seat, [one.line for one in own])
        _tell_redacted(seat, own)
    left = len({one.line["id"] for one in offer.accepted}) - sum(written.added.values())
    if left:
        wait = "record of the team waits" if left == 1 else "records of the team wait"
        reason = f"{left:,} {wait} for a person to run `hansard import`"
        skipped.append(Skipped(mirror.LEDGER_FOLDER, reason))
    return _report(offer, written, skipped)


def awaited(seat: Seat, files: Enclosure) -> tuple[int, LedgerReport]:
    """How many records an import would bring or change, and what it would say of the files. Nothing is written."""
    data, skipped = read_ledger(files)
    if not data:
        return 0, LedgerReport(skipped=tuple(skipped))
    with seat.reading() as tx:
        local = local_of(seat, tx)
        offer = offered(local, data)
    return _news(local, offer), _report(offer, Written(), skipped)


def _take_all(seat: Seat, data: Mapping[Subject, bytes]) -> tuple[Offer, Written]:
    seen: Seen = {}
    with seat.reading() as tx:
        head = tx.ledger.head()
        allowances = seat.store.guard(tx).allowances()
        local = local_of(seat, tx, seen)
        read = _read(local, data)
        offer = _weighed(local, read)
        if not offer.accepted:
            return offer, Written()
        # Embed before the write: the only write lock is not held while vectors are made.
        fresh = [
            one.line["content"]
            for one in offer.accepted
            if one.kind is Subject.MEMORY and _has_new_words(local, one.line)
        ]
        packed = prepare_units(tx, seat, fresh) if fresh else []
        # A large batch may have got none; then the next search makes them.
        units = dict(zip(fresh, packed, strict=True)) if packed else NOTHING_PREPARED
        # So is the merge: how long it takes is up to the files.
        conflicts, after = merged(local, offer.accepted, tx)
    with seat.writing() as tx:
        if tx.ledger.head() != head:
            is_same = seat.store.guard(tx).allowances() == allowances
            local = local_of(seat, tx, seen if is_same else None)
            read = read if is_same else _read(local, data)
            offer = _weighed(local, read)
            conflicts, after = merged(local, offer.accepted, tx)
        written = write_down(tx, seat, local, after, conflicts, units, _cleared(offer, after))
        written.renamed = list(_renamed(local, after))
    fill_vectors(seat)
    if written.forgotten:
        seat.store.erase_traces(seat.project.id)
    return offer, written


def offered(local: Local, data: Mapping[Subject, bytes]) -> Offer:
    """What the files say beyond the record, and whether it may be believed."""
    return _weighed(local, _read(local, data))


def _read(local: Local, data: Mapping[Subject, bytes]) -> Screened:
    """The lines of the files that the record does not have as they are spelled."""
    known, uncleared = local.records(), local.uncleared()
    same = {
        # The line that clears what waits for it is spelled like any other line of that record.
        kind: frozenset(lines.spelled(one).encode() for id, one in known.of(kind).items() if id not in uncleared)
        for kind in data
    }
    return read_lines(data, same, local.allowed)


def _weighed(local: Local, read: Screened) -> Offer:
    """The offer that the lines make to the record. They may be weighed again when the record has moved on: what it had
    of them when they were read has only become older."""
    known, uncleared = local.records(), local.uncleared()
    warnings = {kind: list(several) for kind, several in read.warnings.items()}
    offer = Offer([], list(read.refused), read.faults, warnings)
    rest: list[Arrived] = []
    for one in read.arrived:
        reason = None if _is_said(known, one) else _untrusted(local, one) or _held(local, one)
        if reason is None:
            rest.append(one)
            if _is_own_by_an_agent(local, one):
                offer.warnings[one.kind].append(_vouched(one))
        else:
            offer.refused.append((one, reason))
    left = _with_what_they_name(known, rest, offer)
    offer.accepted.extend(
        one for one in left if not _is_said(known, one) or (one.cleared and one.line["id"] in uncleared)
    )
    for one in offer.accepted:
        if one.found:
            problem = REPLACED.format(kind=one.found[0].kind)
            offer.warnings[one.kind].append(Warned(one.number, problem, REVOKE))
    return offer


def _tell_redacted(seat: Seat, taken: Iterable[Arrived]) -> None:
    """Whoever takes the lines in hears of their secrets: their writer, in another clone, was not told."""
    if seat.told is not None:
        for one in (found for line in taken for found in line.found):
            seat.told(one)


def _is_said(known: Records, arrived: Arrived) -> bool:
    """Whether the record says the same."""
    here, line = known.of(arrived.kind).get(arrived.line["id"]), arrived.line
    # Or what the record says where nobody allowed a value of it.
    return here is not None and (here == line or masked([here])[0] == line)


def _with_what_they_name(known: Records, rest: Sequence[Arrived], offer: Offer) -> list[Arrived]:
    """The lines whose decision is here or comes with them. A tombstone comes without a link that leads nowhere."""
    coming = Counter(one.line["id"] for one in rest if one.kind is Subject.DECISION)
    naming: dict[str, list[int]] = {}
    for place, one in enumerate(rest):
        named = one.line[_LINK[one.kind]]
        if named is not None and named not in known.decisions:
            naming.setdefault(named, []).append(place)
    refused: set[int] = set()
    missing = [named for named in naming if not coming[named]]
    while missing:
        # A line that is refused may leave others without what they name.
        named = missing.pop()
        for place in naming[named]:
            one = rest[place]
            if one.line["state"] == lines.FORGOTTEN:
                continue
            refused.add(place)
            offer.refused.append((one, f"it names the decision {named}, which is not here"))
            id = one.line["id"]
            if one.kind is Subject.DECISION:
                coming[id] -= 1
                if not coming[id] and id in naming:
                    missing.append(id)
    left: list[Arrived] = []
    for place, one in enumerate(rest):
        named = one.line[_LINK[one.kind]]
        if place in refused:
            continue
        if named in naming and not coming[named] and one.kind is not Subject.MEMORY:
            problem = f"it names the decision {named}, which is not here, and is taken in without it"
            fix = "take the line of that decision from another clone, or leave it"
            offer.warnings[one.kind].append(Warned(one.number, problem, fix))
            left.append(one._replace(line={**one.line, _LINK[one.kind]: None}))
        else:
            left.append(one)
    return left


def merged(local: Local, accepted: Iterable[Arrived], tx: Transaction | None = None) -> tuple[list[Conflict], Records]:
    """What the record and the lines come to. With a transaction, conflicts say who wrote what was written here."""
    known = local.records()
    conflicts: list[Conflict] = []
    joined: list[dict[str, Line]] = []
    several = list(accepted)
    for kind in KINDS:
        mine = known.of(kind).values()
        found, apart = converge.gathered(kind, [*mine, *(one.line for one in several if one.kind is kind)])
        joined.append(found)
        conflicts += apart if tx is None else [signed(tx, one, known.of(kind).get(one.lost["id"])) for one in apart]
    return conflicts, converge.resolved(Records(*joined), conflicts)


def _cleared(offer: Offer, after: Records) -> frozenset[str]:
    """The memories of which a line says that somebody reviewed them as they stand now.

    A line that says so of other words clears nothing: which line stands is for the whole set to say.
    """
    told = [one.line for one in offer.accepted if one.cleared and one.kind is Subject.MEMORY]
    standing = ((one, after.memories[one["id"]]) for one in told)
    return frozenset(one["id"] for one, line in standing if lines.cleared_as(one) == lines.cleared_as(line))


def is_news(local: Local, offer: Offer) -> bool:
    """Whether taking in what is offered would change anything."""
    return _news(local, offer) > 0


def _news(local: Local, offer: Offer) -> int:
    """How many records would be new, or others than they are."""
    if not offer.accepted:
        return 0
    _, after = merged(local, offer.accepted)
    known = local.records()
    freed = _cleared(offer, after) & local.uncleared()
    found = 0
    for kind in KINDS:
        for id, line in after.of(kind).items():
            gone = kind is Subject.ENTRY and line["state"] == lines.FORGOTTEN
            found += id in freed or (lines.bare(kind, line) if gone else line) != known.of(kind).get(id)
    return found


def _renamed(local: Local, after: Records) -> Iterator[Renamed]:
    """What this clone's own records are called now, where another clone's have the number or the slug they had."""
    for id, decision in sorted(local.decisions.items()):
        now = after.decisions[id]["number"]
        if now != decision.number:
            yield Renamed(Subject.DECISION, decision.ref, decision._replace(number=now).ref, decision.title)
    for id, entry in sorted(local.entries.items()):
        line = after.entries[id]
        if line["state"] == lines.FORGOTTEN:
            continue
        if line["number"] != entry.number:
            yield Renamed(Subject.ENTRY, entry.ref, entry._replace(number=line["number"]).ref, entry.title)
        if line["slug"] != entry.slug:
            yield Renamed(Subject.ENTRY, entry.slug, line["slug"], entry.title)


def announced(seat: Seat, files: Enclosure) -> frozenset[tuple[str, str]]:
    """Slug and author of pending proposals that the ledger files have and the record does not.

    Their readable files must not become entries of their own: the ledger brings them, with their ids.
    """
    try:
        said = files.read(mirror.LEDGER[Subject.ENTRY], bytes_max=FILE_BYTES_MAX)
    except (OSError, Invalid):
        return frozenset()
    if not said:
        return frozenset()
    with seat.reading() as tx:
        found = [
            one.line
            for one in lines.read(Subject.ENTRY, said).found
            if one.line["state"] == EntryStatus.PENDING and tx.inbox.get(one.line["id"]) is None
        ]
    return frozenset((str(one["slug"]), key_of(one["author"])) for one in found)


def local_of(seat: Seat, tx: Transaction, seen: Seen | None = None) -> Local:
    """Everything that travels, and everything that does not by its id. What was seen before is not screened again."""
    decisions = {one.id: one for one in _all(tx, Subject.DECISION)}
    entries = {one.id: one for one in _all(tx, Subject.ENTRY)}
    memories = {one.id: one for one in _all(tx, Subject.MEMORY)}
    # What was stored before there was a guard is compared as the files show it: without its secrets.
    allowed = allowed_in(seat, tx)
    seen = {} if seen is None else seen
    shown: Any = [_shown(one, allowed, seen) for one in (decisions, entries, memories)]
    return local_from(shown[0], shown[1], shown[2], agents_here(tx), allowed)


def agents_here(tx: Transaction) -> frozenset[str]:
    """The names that acted in this clone and never as one who may accept what binds.

    The role that an import puts down for a name is a guess, and nobody is judged by it.
    """
    lawful = {Role.HUMAN.value, Role.COORDINATOR.value}
    return frozenset(key for key, roles in tx.ledger.roles().items() if not roles & lawful)


def _shown(records: Mapping[str, Any], allowed: Allowed, seen: Seen) -> dict[str, Any]:
    new = {id: one for id, one in records.items() if id not in seen or seen[id][0] != one}
    made = presentable(list(new.values()), allowed)
    seen.update((id, (one, shown)) for (id, one), shown in zip(new.items(), made, strict=True))
    return {id: seen[id][1] for id in records}


def local_from(
    decisions: Mapping[str, Decision],
    entries: Mapping[str, Entry],
    memories: Mapping[str, Memory],
    agents: frozenset[str],
    allowed: Allowed | None = None,
) -> Local:
    public = {id: one for id, one in memories.items() if lines.travels(one)}
    return Local(decisions, entries, public, frozenset(memories.keys() - public.keys()), agents, allowed)


def _all(tx: Transaction, kind: Subject) -> Iterator[Decision | Entry | Memory]:
    cursor: str | None = None
    while True:
        window = Window(PAGE_ITEMS_MAX, cursor)
        page: Sequence[Decision | Entry | Memory]
        if kind is Subject.DECISION:
            page, cursor = tx.decisions.page(DecisionFilter(), window)
        elif kind is Subject.ENTRY:
            page, cursor = tx.inbox.page(EntryFilter(quarantined=None), window)
        else:
            page, cursor = tx.memories.page(MemoryFilter(forgotten=True, quarantined=None), window)
        yield from page
        if cursor is None:
            return


def _untrusted(local: Local, arrived: Arrived) -> str | None:
    line = arrived.line
    if arrived.kind is Subject.MEMORY and line["id"] in local.private:
        return "the memory of this id is private here"
    refused = arrived.decided_as not in lines.LAWFUL and arrived.decided_as is not None
    if arrived.kind is not Subject.DECISION or line["id"] in local.decisions or not lines.is_self_decided(line):
        return None
    if refused or (arrived.decided_as is None and key_of(line["author"]) in local.agents):
        return f"{line['decided_by']} is an agent and may not accept its own binding proposal; let a person decide"
    return None


def _held(local: Local, arrived: Arrived) -> str | None:
    """Why a decision is left to a person here: it is the proposal that a person here holds."""
    line = arrived.line
    if arrived.kind is not Subject.DECISION or line["id"] in local.decisions or line["state"] == lines.FORGOTTEN:
        return None
    entry = local.entries.get(line["entry_id"] or "")
    if entry is None or not is_for_person(entry):
        return None
    return f"needs review: the decision {line['id']} is {entry.ref}, which a person holds here; review that one first"


def _is_own_by_an_agent(local: Local, arrived: Arrived) -> bool:
    """Whether the line is new, binds, and is believed of a name that acted here as an agent only."""
    line = arrived.line
    new = arrived.kind is Subject.DECISION and line["id"] not in local.decisions
    return new and lines.is_self_decided(line) and key_of(line["author"]) in local.agents


def _vouched(arrived: Arrived) -> Warned:
    name = arrived.line["decided_by"]
    problem = f"{name} decided it as one who may, and acted here only as an agent"
    return Warned(arrived.number, problem, f"ask whether {name} leads there; if not, archive the decision")


def _has_new_words(local: Local, line: Line) -> bool:
    here = local.memories.get(line["id"])
    return line["state"] != lines.FORGOTTEN and (here is None or here.content != line["content"])


def _is_own(seat: Seat, local: Local, line: Line) -> bool:
    pending = line["state"] == EntryStatus.PENDING and line["id"] not in local.entries
    return pending and key_of(line["author"]) == seat.actor.key


def _report(offer: Offer, written: Written, skipped: list[Skipped]) -> LedgerReport:
    warnings: list[FileWarning] = []
    for kind, path in mirror.LEDGER.items():
        faults = offer.faults.get(kind, [])
        told = [*faults, *offer.warnings.get(kind, [])]
        warnings += [mirror.file_warning(path, one) for one in told[:WARNINGS_MAX]]
        if len(told) > WARNINGS_MAX:
            skipped.append(Skipped(path, f"{len(told) - WARNINGS_MAX:,} more lines have something wrong"))
        if faults:
            skipped.append(Skipped(path, f"{len(faults):,} of its lines cannot be read"))
    counted = Counter((mirror.LEDGER[one.kind], reason) for one, reason in offer.refused)
    skipped += [Skipped(path, reason if n == 1 else f"{reason} ({n:,} lines)") for (path, reason), n in counted.items()]
    # Lines are anybody's words, also in their keys and in what is wrong with them.
    skipped = [one._replace(reason=safe(one.reason)) for one in skipped]
    warnings = [one._replace(problem=safe(one.problem), fix=safe(one.fix)) for one in warnings]
    return LedgerReport(
        decisions=written.added[Subject.DECISION], proposals=written.added[Subject.ENTRY],
        memories=written.added[Subject.MEMORY], updated=written.updated, forgotten=written.forgotten,
        conflicts=tuple(written.conflicts), skipped=tuple(sorted(skipped)), warnings=tuple(warnings),
        renamed=tuple(written.renamed),
    )  # fmt: skip
