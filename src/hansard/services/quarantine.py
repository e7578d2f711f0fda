"""Reviews what is in quarantine: a person releases, confirms, holds again or redacts it, and says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from hansard.domain import text
from hansard.domain.errors import (
    Forgotten,
    Invalid,
    NotFound,
    NotQuarantined,
    Quarantined,
    quoted,
)
from hansard.domain.identifiers import is_uuid, parse_reference
from hansard.domain.inbox import CONFLICT_SLUG, Entry
from hansard.domain.limits import PAGE_ITEMS_MAX, REASON_BYTES_MAX
from hansard.domain.memories import Memory
from hansard.domain.paging import Listing, Window
from hansard.domain.policy import Act
from hansard.domain.trust import AGAIN, ASKED, is_from_outside, lasting
from hansard.domain.versions import pinned, refuse_stale
from hansard.domain.vocabulary import Clearance, EntryStatus, Source, Subject
from hansard.services import chronicle
from hansard.services.admission import is_tainted, refuse_unseen, screen_reason
from hansard.services.propose import find_entry
from hansard.services.reindex import fill_vectors, reindex
from hansard.services.remember import blank_entry, blank_run, erase, find_memory, mark_of
from hansard.services.seat import Seat, register
from hansard.store.filters import EntryFilter, MemoryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

Held: TypeAlias = Memory | Entry
FIRST = (-1, "")
SINCE_DIGITS_MAX = 18
GONE_EVENTS_MAX = 5
"""Hardly anything happens to a record after its words are gone."""


def list_quarantined(seat: Seat, window: Window) -> Listing[Held]:
    """What waits for review, oldest first, because that one has waited longest."""
    seat.require(Act.REVIEW_GUARD)
    with seat.reading() as tx:
        return waiting(tx, window)


def waiting(tx: Transaction, window: Window) -> Listing[Held]:
    after = FIRST if window.cursor is None else _place(window.cursor)
    limited = Window(window.limit)
    memories = tx.memories.page(MemoryFilter(live_at=tx.now, quarantined=True, held_after=after), limited)
    pending = EntryFilter(status=EntryStatus.PENDING, quarantined=True, held_after=after)
    entries = tx.inbox.page(pending, limited)
    found: list[Held] = [*memories.items, *entries.items]
    found.sort(key=lambda one: (one.quarantined_at or 0, one.id))
    shown = found[: window.limit]
    more = len(found) > len(shown) or memories.next_cursor or entries.next_cursor
    return Listing(shown, f"{shown[-1].quarantined_at}.{shown[-1].id}" if more else None)


def _place(cursor: str) -> tuple[int, str]:
    since, _, id = cursor.partition(".")
    if not (since.isascii() and since.isdigit() and len(since) <= SINCE_DIGITS_MAX and is_uuid(id)):
        raise Invalid(f"cursor {quoted(cursor, 40)} was not given out by a list call.")
    return int(since), id


def get_quarantined(seat: Seat, reference: str) -> Held:
    """The memory or entry, whether it waits for review or not."""
    seat.require(Act.REVIEW_GUARD)
    with seat.reading() as tx:
        return _find(tx, seat, reference)


def release(seat: Seat, reference: str, *, reason: str, expected_version: int | None = None) -> Held:
    """Back among the others, as what it is: what comes from outside is quoted and goes no further than that may go.
    What only a person held, or a secret, is an ordinary record again."""
    return _clear(seat, reference, Clearance.RELEASED, reason, expected_version)


def confirm(seat: Seat, reference: str, *, reason: str, expected_version: int | None = None) -> Held:
    """Vouched for: from now on it is as good as what a person says. What was released, or comes from outside and
    was never held, can be confirmed as well."""
    return _clear(seat, reference, Clearance.CONFIRMED, reason, expected_version)


def hold(seat: Seat, reference: str, *, reason: str, expected_version: int | None = None) -> Held:
    """Puts something into quarantine, or back into it: what undoes a release or a confirmation."""
    seat.require(Act.REVIEW_GUARD)
    why = _why(seat, reason)
    wanted, version = pinned(reference, expected_version)
    with seat.writing() as tx:
        before = _find(tx, seat, wanted)
        refuse_stale(_named(before), before.version, version)
        if before.is_quarantined:
            raise Quarantined(f"{_named(before)} waits for review already.")
        if isinstance(before, Entry) and before.status is not EntryStatus.PENDING:
            raise NotQuarantined(f"{before.ref} was {before.status}; only what is pending is held.")
        signs = tuple(dict.fromkeys((*before.signs, ASKED)))
        said = before._replace(quarantined_at=tx.now, cleared=None, signs=signs)
        _hold_conflicts(tx, seat, before.id, why)
        return _written(tx, seat, before, said, "quarantined", why)


def _hold_conflicts(tx: Transaction, seat: Seat, about: str, why: str) -> None:
    """Holds the entries that show two versions of a record: the words that are held stand there."""
    wanted = EntryFilter(status=EntryStatus.PENDING, slug_prefix=f"{CONFLICT_SLUG}{about}--")
    for one in tx.inbox.page(wanted, Window(PAGE_ITEMS_MAX)).items:
        said = one._replace(quarantined_at=tx.now, cleared=None, signs=(*one.signs, AGAIN))
        _written(tx, seat, one, said, "quarantined", why)


def redact(seat: Seat, reference: str, *, reason: str, expected_version: int | None = None) -> Held:
    """Takes the words of what waits out for good, from every version; a tombstone stays, and an entry is rejected.

    What a run left takes the words of the run with it, and the other memory that the run left if it says the same.
    """
    seat.require(Act.REVIEW_GUARD)
    why = _why(seat, reason)
    wanted, version = pinned(reference, expected_version)
    after: Held
    with seat.writing() as tx:
        before = _find(tx, seat, wanted)
        refuse_stale(_named(before), before.version, version)
        if not before.is_quarantined:
            raise _not_waiting(before)
        # What is forgotten keeps no reason, so an event before it does.
        chronicle.remarked(tx, seat.actor, f"{_kind(before)}.redacted", _kind(before), before, {"reason": why})
        if isinstance(before, Memory):
            twins = _twins(tx, before)
            after = erase(tx, seat, before, mark_of(tx, before))
            blank_run(tx, seat, before)
            for one in twins:
                chronicle.remarked(tx, seat.actor, "memory.redacted", Subject.MEMORY, one, {"reason": why})
                erase(tx, seat, one, mark_of(tx, one))
        else:
            after = blank_entry(tx, seat, before, register(tx, seat.actor))
            tx.ledger.mark_erasure()
    seat.store.erase_traces(seat.project.id)
    return after


def _not_waiting(record: Held) -> NotQuarantined:
    """That only what waits is redacted, and how it comes to wait."""
    if isinstance(record, Entry) and record.status is not EntryStatus.PENDING:
        return NotQuarantined(
            f"{record.ref} was {record.status} and does not wait; only what waits is redacted. `hansard scan --redact`"
            " takes out a secret, and `hansard memory forget` a memory with its proposal and decision."
        )
    return NotQuarantined(
        f"{_named(record)} is not in quarantine, and only what waits is redacted; nothing was changed. Hold it first:"
        f" `hansard guard hold {record.ref if isinstance(record, Entry) else record.id} --reason …`."
    )


def _twins(tx: Transaction, memory: Memory) -> list[Memory]:
    """The others that the same run left, its agent's and the team's, as far as they say the same."""
    if memory.source is not Source.TASK_COMPLETION or memory.run_id is None:
        return []
    wanted = MemoryFilter(run_id=memory.run_id, source=memory.source, quarantined=None)
    return [
        one
        for one in tx.memories.page(wanted, Window(PAGE_ITEMS_MAX)).items
        if (one.agent, one.source_ref) == (memory.agent, memory.source_ref)
        and one.id != memory.id
        # Somebody may have made other words of it since.
        and (one.content in memory.content or memory.content in one.content)
    ]


def _clear(seat: Seat, reference: str, how: Clearance, reason: str, expected_version: int | None) -> Held:
    seat.require(Act.REVIEW_GUARD)
    why = _why(seat, reason)
    wanted, version = pinned(reference, expected_version)
    after: Held
    with seat.writing() as tx:
        before = _find(tx, seat, wanted)
        refuse_stale(_named(before), before.version, version)
        if not before.is_quarantined and not (how is Clearance.CONFIRMED and _is_doubted(tx, before)):
            raise NotQuarantined(f"{_unclearable(before, how)}; nothing was changed.")
        if version is None:
            refuse_unseen(tx, seat, before, "release" if how is Clearance.RELEASED else "confirm")
        # What only said why it waited says nothing any more.
        said = before._replace(quarantined_at=None, cleared=how, signs=lasting(before.signs))
        after = _written(tx, seat, before, said, how.value, why)
    fill_vectors(seat)
    return after


def _unclearable(record: Held, how: Clearance) -> str:
    """Why there is nothing to release or to confirm. What never waited can be confirmed, so that is not why."""
    if record.cleared is how:
        return f"{_named(record)} is {how} already"
    if how is Clearance.RELEASED:
        return f"{_named(record)} is not in quarantine"
    if isinstance(record, Entry) and record.status is not EntryStatus.PENDING:
        return f"{_named(record)} was {record.status}; only what is pending is confirmed"
    return f"{_named(record)} needs no confirmation: its words are not from outside"


def _is_doubted(tx: Transaction, record: Held) -> bool:
    """Whether there is something to vouch for in it: where it comes from, what it says, that it waited once, or what
    its run read."""
    if record.cleared is Clearance.CONFIRMED:
        return False
    doubted = bool(record.signs) or record.cleared is Clearance.RELEASED or is_from_outside(record)
    if isinstance(record, Memory):
        return doubted
    return record.status is EntryStatus.PENDING and (doubted or is_tainted(tx, record))


def _written(tx: Transaction, seat: Seat, before: Held, said: Held, deed: str, why: str) -> Held:
    after = said._replace(version=before.version + 1, updated_at=tx.now)
    if isinstance(after, Memory):
        assert isinstance(before, Memory)
        tx.memories.update(after)
        reindex(tx, seat, before, after)
    else:
        tx.inbox.update(after)
    chronicle.changed(tx, seat.actor, f"{_kind(before)}.{deed}", _kind(before), before, after, {"reason": why})
    return after


def _why(seat: Seat, reason: str) -> str:
    return screen_reason(seat, text.prose(reason, field="reason", bytes_max=REASON_BYTES_MAX))


def _find(tx: Transaction, seat: Seat, reference: str) -> Held:
    wanted = text.reference(reference, field="reference")
    entry = tx.inbox.get(wanted) if is_uuid(wanted) else None
    if entry is not None:
        return entry
    _refuse_decision(tx, wanted)
    if is_uuid(wanted) or wanted.startswith("memory://"):
        memory = find_memory(tx, seat, wanted)
        if memory.is_forgotten:
            raise Forgotten(f"The memory {memory.id} was {_gone(tx, memory)}; its content is gone.")
        return memory
    try:
        return find_entry(tx, seat, wanted)
    except NotFound:
        raise NotFound(f"There is no memory or inbox entry {quoted(wanted, 80)} in this project.") from None


def _refuse_decision(tx: Transaction, wanted: str) -> None:
    """Raises NotFound with what is done about a decision: it binds, so it is not held but changed for all to see."""
    number = None if wanted.isdigit() else parse_reference(wanted, prefix="D")
    decision = tx.decisions.get(wanted) if is_uuid(wanted) else number and tx.decisions.by_number(number)
    if decision:
        raise NotFound(
            f"{decision.ref} is a decision, and only memories and proposals are reviewed here. `hansard decisions"
            f" archive {decision.ref}` takes it out of every block; `update` and `supersede` change it."
        )


def _gone(tx: Transaction, memory: Memory) -> str:
    """How its words went: by a reviewer, and why, or because somebody forgot it."""
    for event in tx.ledger.page(Window(GONE_EVENTS_MAX), subject_id=memory.id).items:
        if event.action == "memory.redacted" and "reason" in event.details:
            return f"redacted by {event.actor} ({event.details['reason']})"
    return "forgotten"


def _kind(record: Held) -> Subject:
    return Subject.MEMORY if isinstance(record, Memory) else Subject.ENTRY


def _named(record: Held) -> str:
    return f"The memory {record.id}" if isinstance(record, Memory) else f"{record.ref} ({record.slug})"
