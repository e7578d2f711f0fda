"""Shows and verifies a project's history: the chain of events, and that the records still match it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from hansard.domain.actors import KnownActor
from hansard.domain.chain import ChainCheck
from hansard.domain.errors import UnknownEvent
from hansard.domain.ledger import Break, Event
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.paging import Page, Window
from hansard.domain.policy import Act, require
from hansard.domain.vocabulary import Subject
from hansard.services.chronicle import Record, state_of
from hansard.services.seat import Seat
from hansard.store.filters import DecisionFilter, EntryFilter, MemoryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

RecordT = TypeVar("RecordT", bound=Record)


class Verification(NamedTuple):
    """How many events were checked, and the first break if there is one."""

    events: int
    records: int
    broken: Break | None

    @property
    def ok(self) -> bool:
        return self.broken is None


def list_events(seat: Seat, window: Window, *, subject_id: str | None = None) -> Page[Event]:
    require(seat.actor, Act.READ)
    with seat.reading() as tx:
        return tx.ledger.page(window, subject_id=subject_id)


def get_event(seat: Seat, seq: int) -> Event:
    require(seat.actor, Act.READ)
    with seat.reading() as tx:
        event = tx.ledger.get(seq)
    if event is None:
        raise UnknownEvent(f"The history has no event {seq}.")
    return event


def verify(seat: Seat) -> Verification:
    """Walks the chain from its first event, then compares every record with the last event about it."""
    require(seat.actor, Act.READ)
    with seat.reading() as tx:
        check = ChainCheck(seat.project.id)
        check.feed(tx.ledger.walk())
        if check.broken is None:
            seq, head = tx.ledger.head()
            last = tx.ledger.get(check.count) if check.count else None
            if seq != check.count or (last is not None and last.hash != head):
                check.broken = Break(check.count + 1, f"the chain should end at event {seq}")
        records = 0
        if check.broken is None:
            records, check.broken = _compare(tx, dict(check.last_state))
    return Verification(check.count, records, check.broken)


def list_agents(seat: Seat) -> tuple[KnownActor, ...]:
    """Every name that acted in the project, in the spelling first seen."""
    require(seat.actor, Act.READ)
    with seat.reading() as tx:
        return tx.actors.all()


def _compare(
    tx: Transaction, expected: dict[tuple[Subject, str], tuple[int, bytes | None]]
) -> tuple[int, Break | None]:
    breaks: list[Break] = []
    count = 0
    for subject, record in _records(tx):
        count += 1
        seq, state = expected.pop((subject, record.id), (0, None))
        if state_of(record) != state:
            breaks.append(Break(seq, f"the {subject} {record.id} is not what this event left behind"))
    for (subject, record_id), (seq, state) in expected.items():
        if state is not None:
            breaks.append(Break(seq, f"the {subject} {record_id} it left behind is missing"))
    return count, min(breaks, key=lambda one: one.seq, default=None)


def _records(tx: Transaction) -> Iterator[tuple[Subject, Record]]:
    yield from _pages(Subject.ENTRY, lambda window: tx.inbox.page(EntryFilter(), window))
    yield from _pages(Subject.DECISION, lambda window: tx.decisions.page(DecisionFilter(), window))
    yield from _pages(Subject.MEMORY, lambda window: tx.memories.page(MemoryFilter(), window))
    yield from _pages(Subject.SESSION, tx.sessions.page)
    yield from _pages(Subject.RUN, lambda window: tx.runs.page(agent_key=None, open_only=False, window=window))


def _pages(subject: Subject, fetch: Callable[[Window], Page[RecordT]]) -> Iterator[tuple[Subject, Record]]:
    cursor: str | None = None
    while True:
        page = fetch(Window(PAGE_ITEMS_MAX, cursor))
        for item in page.items:
            yield subject, item
        cursor = page.next_cursor
        if cursor is None:
            return
