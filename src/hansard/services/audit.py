"""Shows and verifies a project's history: the chain of events, and that the records still match it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hansard.domain import text
from hansard.domain.actors import KnownActor, key_of
from hansard.domain.chain import ChainCheck, Replaced, fingerprint
from hansard.domain.errors import EventAhead, Invalid, NotFound, UnknownEvent, UnreadableRow, quoted, shown
from hansard.domain.ledger import Break, Event, Revision
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.numbers import is_whole, refuse_truth
from hansard.domain.paging import Page, Window
from hansard.domain.policy import Act, Matter, may
from hansard.domain.vocabulary import Scope, Subject
from hansard.services.chronicle import NO_DETAILS, Record, state_of
from hansard.services.seat import Seat
from hansard.store.filters import DecisionFilter, EntryFilter, MemoryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

Fetch: TypeAlias = Callable[[Window], Page[Any]]
Get: TypeAlias = Callable[[str], Record | None]

ANSWER_SECONDS_MIN = 2.0
HIDDEN_ID = ""
"""Stands in an event for the id of a memory that its reader may not see."""
REFUSED = "policy.refused"
_NUMBER = re.compile(r"[DP]-?[0-9]+", re.IGNORECASE | re.ASCII)


FOLLOW_SECONDS = 30.0
IDLE_SECONDS_MAX = 1e9
"""As good as for ever, and no number that a clock cannot be compared with."""


class Verification(NamedTuple):
    """How many events were checked, and the first break if there is one."""

    events: int
    records: int
    broken: Break | None

    @property
    def ok(self) -> bool:
        return self.broken is None


def list_events(seat: Seat, window: Window, *, subject_id: str | None = None) -> Page[Event]:
    """The history, newest first; of one record if its id, number or slug is given, or of the project by its key.

    Raises NotFound for what the history never heard of. To whoever may not see a record, its id is such a one.
    """
    seat.require(Act.READ)
    wanted = None if subject_id is None else text.reference(subject_id, field="subject")
    with seat.reading() as tx:
        page = tx.ledger.page(window, subject_id=None if wanted is None else _subject_id(tx, seat, wanted))
        seen = _as_seen(tx, seat, page.items)
    if wanted is not None and any(one.subject_id == HIDDEN_ID for one in seen):
        raise _unheard_of(wanted)
    return page._replace(items=seen)


def _subject_id(tx: Transaction, seat: Seat, wanted: str) -> str:
    """The id of the record that somebody speaks of.

    A number and the project's key go before an id: a session can have any, and must not stand before a decision.
    """
    # Imported here because most who look at the history look at all of it.
    from hansard.services.decide import find_decision
    from hansard.services.propose import find_entry

    if _NUMBER.fullmatch(wanted):
        try:
            return (find_decision(tx, wanted) if wanted[0] in "Dd" else find_entry(tx, seat, wanted)).id
        except NotFound:
            if not _is_heard_of(tx, wanted):
                raise
            return wanted
    if wanted == seat.project.key:
        return seat.project.id
    if _is_heard_of(tx, wanted):
        return wanted
    with suppress(NotFound):
        return find_entry(tx, seat, wanted).id
    raise _unheard_of(wanted)


def _is_heard_of(tx: Transaction, subject_id: str) -> bool:
    # PostgreSQL has no text with a NUL at all, and SQLite would look for it in vain.
    return "\0" not in subject_id and bool(tx.ledger.page(Window(1), subject_id=subject_id).items)


def _unheard_of(wanted: str) -> NotFound:
    return NotFound(f"Nothing in the history is about {quoted(wanted)}. Give D-3, P-7, a slug or an id.")


def follow(seat: Seat, *, since: int | None = None, idle_seconds: float | None = None) -> Iterator[Event]:
    """Events as they happen, whoever causes them, oldest first: those after `since`, or from now on.

    Ends when nothing happened for `idle_seconds`; without that, never. A server that goes away is waited for as long
    as `store.busy_seconds` says; then StoreUnreachable is raised, and whoever calls again with the number of the last
    event as `since` misses nothing.
    """
    _refuse_bad_wait(idle_seconds)
    # Each question is a small one, so whoever follows waits for none of them longer than for a server that is away.
    seat = seat._replace(wait_seconds=max(ANSWER_SECONDS_MIN, seat.settings.store_busy_seconds))
    seen = beginning(seat, since)
    last = time.monotonic()
    while True:
        with seat.reading() as tx:
            events = tx.ledger.after(seen, PAGE_ITEMS_MAX)
            shown_as = _as_seen(tx, seat, events)
        yield from shown_as
        if events:
            seen, last = events[-1].seq, time.monotonic()
            continue
        left = FOLLOW_SECONDS if idle_seconds is None else last + min(idle_seconds, IDLE_SECONDS_MAX) - time.monotonic()
        if left <= 0:
            return
        # It may come back early: after a call that came late or that anybody made, or a connection that was lost.
        seat.store.wait(seat.project.id, seen, min(left, FOLLOW_SECONDS))


def beginning(seat: Seat, since: int | None) -> int:
    """The event after which whoever follows begins: this one, or the last there is.

    Raises EventAhead for one that the history does not have yet: whoever saw it saw another history, and would wait
    for events that have its numbers and are not its own.
    """
    seat.require(Act.READ)
    if since is not None and (not is_whole(since) or since < 0):
        raise Invalid(f"since must be the number of an event, or 0 for the first; {shown(since)} is not.")
    last = head(seat)
    if since is not None and since > last:
        raise EventAhead(
            f"The history ends with event {last}, and you begin after {shown(since)}. If it was restored from a backup,"
            " read everything again."
        )
    return last if since is None else since


def head(seat: Seat) -> int:
    """The number of the last event."""
    with seat.reading() as tx:
        return tx.ledger.head()[0]


def _refuse_bad_wait(seconds: object) -> None:
    if seconds is None:
        return
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not seconds >= 0:
        raise Invalid(f"idle_seconds must be a number of seconds, 0 or more; {shown(seconds)} is not.")


def get_event(seat: Seat, seq: int) -> Event:
    seat.require(Act.READ)
    refuse_truth(seq, "the number of an event")
    event = None
    if isinstance(seq, int) and 1 <= seq < 2**63:
        with seat.reading() as tx:
            event = tx.ledger.get(seq)
            event = _as_seen(tx, seat, (event,))[0] if event else None
    if event is None:
        raise UnknownEvent(f"The history has no event {shown(seq)}.")
    return event


def verify(seat: Seat) -> Verification:
    """Walks the chain from its first event, then compares every record and earlier version with the events."""
    seat.require(Act.READ)
    with seat.reading() as tx:
        check = ChainCheck(seat.project.id)
        try:
            check.feed(tx.ledger.walk())
        except (UnreadableRow, ValueError):
            check.broken = Break(check.count + 1, "it cannot be read")
        if check.broken is None:
            check.broken = _check_end(tx, check)
        records, breaks = (0, []) if check.broken else _compare(tx, check)
    first = min(breaks, key=lambda one: (one.seq == 0, one.seq), default=None)
    return Verification(check.count, records, check.broken or first)


def list_agents(seat: Seat) -> tuple[KnownActor, ...]:
    """Every name that acted in the project, in the spelling first seen."""
    seat.require(Act.READ)
    with seat.reading() as tx:
        return tx.actors.all()


def _as_seen(tx: Transaction, seat: Seat, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events without what the reader may not know: which private memory it was, and why something was refused."""
    if may(seat.actor, Act.READ_PRIVATE, Matter(owner=None)):
        return events
    about = {one.subject_id for one in events if one.subject is Subject.MEMORY}
    hidden = {memory_id for memory_id in about if not _may_see(tx, seat, memory_id)}
    seen: list[Event] = []
    for one in events:
        if one.subject is Subject.MEMORY and one.subject_id in hidden:
            seen.append(one._replace(subject_id=HIDDEN_ID, details=NO_DETAILS))
        else:
            seen.append(one._replace(details=NO_DETAILS) if one.action == REFUSED else one)
    return tuple(seen)


def _may_see(tx: Transaction, seat: Seat, memory_id: str) -> bool:
    memory = None
    with suppress(UnreadableRow):
        memory = tx.memories.get(memory_id)
    if memory is None:
        return False
    if memory.is_quarantined and not may(seat.actor, Act.REVIEW_GUARD):
        return False
    return may(seat.actor, Act.READ_PRIVATE, Matter(owner=memory.agent, team=memory.scope is Scope.TEAM))


def _check_end(tx: Transaction, check: ChainCheck) -> Break | None:
    seq, head = tx.ledger.head()
    last = tx.ledger.get(check.count) if check.count else None
    if seq == check.count and (last is None or last.hash == head):
        return None
    return Break(check.count + 1, f"the chain should end at event {seq}")


def _compare(tx: Transaction, check: ChainCheck) -> tuple[int, list[Break]]:
    """How many records there are, and every one that is not what its last event left behind."""
    missing = dict(check.last_state)
    breaks: list[Break] = []
    salts: dict[tuple[Subject, str], bytes] = {}
    for kind, fetch, get in _kinds(tx):
        for record in _walk(kind, fetch, get, missing):
            seq, state = missing.pop((kind, record.id), (0, None))
            if record.salt is not None:
                salts[kind, record.id] = record.salt
            if state_of(record) != state:
                breaks.append(Break(seq, f"the {kind} {record.id} is not what this event left behind"))
    for (kind, record_id), (seq, state) in missing.items():
        # Forgotten memories are in no list, but their tombstones must still stand.
        tombstone = _readable(tx.memories.get, [record_id]) if kind is Subject.MEMORY else []
        if kind is not Subject.PROJECT and [state_of(one) for one in tombstone] != [state]:
            breaks.append(Break(seq, f"the {kind} {record_id} it left behind is missing or not what it was"))
    breaks += [Break(0, problem) for problem in tx.ledger.inconsistencies()]
    breaks += [Break(0, f"the name of {one.key} was altered") for one in tx.actors.all() if key_of(one.name) != one.key]
    return len(salts), breaks + _compare_revisions(tx, check, salts)


def _compare_revisions(tx: Transaction, check: ChainCheck, salts: Mapping[tuple[Subject, str], bytes]) -> list[Break]:
    """Every change of a record ended one version of it, so everything kept of that version is told by the event."""
    breaks: list[Break] = []
    expected = {(*subject, one.version): one for subject, all_ in check.replaced.items() for one in all_}
    try:
        for kind, record_id, revision in tx.revisions.walk():
            ended = expected.pop((kind, record_id, revision.version), None)
            salt = salts.get((kind, record_id))
            if salt is None and ended is not None:
                continue  # The record itself is missing or unreadable and was reported as such.
            if ended is None or salt is None or not _matches(revision, ended, salt):
                seq = ended.seq if ended else 0
                breaks.append(Break(seq, f"version {revision.version} of the {kind} {record_id} was altered"))
    except (UnreadableRow, ValueError):
        return [*breaks, Break(0, "an earlier version of a record cannot be read")]
    breaks += [
        Break(ended.seq, f"version {version} of the {kind} {record_id} is missing")
        for (kind, record_id, version), ended in expected.items()
    ]
    return breaks


def _matches(revision: Revision, ended: Replaced, salt: bytes) -> bool:
    told = (ended.valid_from, ended.valid_until, ended.changed_by_key, ended.fingerprint)
    kept = (revision.valid_from, revision.valid_until, key_of(revision.changed_by), fingerprint(salt, revision.body))
    return told == kept


def _kinds(tx: Transaction) -> tuple[tuple[Subject, Fetch, Get], ...]:
    return (
        (Subject.ENTRY, lambda window: tx.inbox.page(EntryFilter(quarantined=None), window), tx.inbox.get),
        (Subject.DECISION, lambda window: tx.decisions.page(DecisionFilter(), window), tx.decisions.get),
        (Subject.MEMORY, lambda window: tx.memories.page(MemoryFilter(quarantined=None), window), tx.memories.get),
        (Subject.SESSION, tx.sessions.page, tx.sessions.get),
        (Subject.RUN, lambda window: tx.runs.page(agent_key=None, open_only=False, window=window), tx.runs.get),
    )


def _walk(kind: Subject, fetch: Fetch, get: Get, missing: Mapping[tuple[Subject, str], Any]) -> Iterator[Record]:
    """Every record of a kind; once a page cannot be read, the readable ones among those still missing."""
    try:
        yield from _pages(fetch)
    except UnreadableRow:
        yield from _readable(get, [one for subject, one in missing if subject is kind])


def _pages(fetch: Fetch) -> Iterator[Record]:
    cursor: str | None = None
    while True:
        page = fetch(Window(PAGE_ITEMS_MAX, cursor))
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _readable(get: Get, ids: Iterable[str]) -> list[Record]:
    found: list[Record] = []
    for one in ids:
        with suppress(UnreadableRow):
            record = get(one)
            if record is not None:
                found.append(record)
    return found
