"""Notes in the history that somebody was refused, so often as an agent may write and no more."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from hansard.domain.errors import Denied, GuardRefused, Invalid, Unavailable
from hansard.domain.ledger import Draft
from hansard.domain.vocabulary import Subject
from hansard.services.limit import EXEMPT, MICROSECONDS_PER_MINUTE, minute_of
from hansard.services.seat import Seat, refuse_name

if TYPE_CHECKING:
    from hansard.domain.errors import HansardError
    from hansard.store.ports import Transaction

REFUSALS_PER_MINUTE = 20
"""How many refusals of one kind, of one actor in one project, the history keeps in a minute. Nothing takes an event out
again, and whoever is refused may ask as often as it likes."""
UNKNOWN = ""
SILENT_MAX = 1_024
_silent: dict[tuple[str, str, str], float] = {}
"""By project, actor and kind: until when nothing is counted, because no more are noted. All who are unknown are one."""


def note_refusal(seat: Seat, refusal: HansardError) -> None:
    """Keeps in the ledger that something was refused; the reader of an error learns less than the record.

    Nothing is kept of a name that is refused itself.
    """
    act = refusal.act if isinstance(refusal, Denied) else None
    kind = f"{type(refusal).__name__} {act or ''}".rstrip()
    # Neither a store that cannot be written nor a bad name turns a refusal into another error.
    with suppress(Unavailable, GuardRefused, Invalid):
        if not _is_silent(seat, kind):
            _note(seat, refusal, act, kind)


def _note(seat: Seat, refusal: HansardError, act: str | None, kind: str) -> None:
    with seat.store.write(seat.project.id) as tx:
        refuse_name(tx, seat.actor)
        left = _count(tx, seat, kind)
        if left < 0:
            _be_silent(tx, seat, kind)
            return
        details = {"refusal": type(refusal).__name__}
        if left == 0:
            details["further"] = "not noted in this minute"
        if act:
            details["act"] = act
        who = seat.actor
        draft = Draft("policy.refused", Subject.PROJECT, seat.project.id, who.key, who.role, None, None, details)
        tx.ledger.append([draft])


def _count(tx: Transaction, seat: Seat, kind: str) -> int:
    """Counts the refusal, and says how many more of its kind are noted in this minute; less than 0 is one too many.

    Many of one kind hide none of another. Whoever never wrote here is counted with all others who did not: a new name
    costs nothing.
    """
    limit = REFUSALS_PER_MINUTE
    if seat.settings.guard_writes_per_minute and not seat.actor.roles & EXEMPT:
        limit = min(limit, seat.settings.guard_writes_per_minute)
    # Beside the counts of writes. No name begins with a blank.
    counted = seat.store.guard(tx).count_write(f" {kind}: {_whose(tx, seat)}", minute_of(tx, seat))
    return limit - counted


def _whose(tx: Transaction, seat: Seat) -> str:
    key = seat.actor.key
    return key if any(one.key == key for one in tx.actors.all()) else UNKNOWN


def _is_silent(seat: Seat, kind: str) -> bool:
    now, id = time.monotonic(), seat.project.id
    if now < _silent.get((id, seat.actor.key, kind), 0.0):
        return True
    if now >= _silent.get((id, UNKNOWN, kind), 0.0):
        return False
    with seat.store.read(id) as tx:
        return _whose(tx, seat) == UNKNOWN


def _be_silent(tx: Transaction, seat: Seat, kind: str) -> None:
    """Counts no more in this minute, or each call that is refused would take the only write lock."""
    if len(_silent) >= SILENT_MAX:
        _silent.clear()
    over = MICROSECONDS_PER_MINUTE - seat.store.clock(tx) % MICROSECONDS_PER_MINUTE
    _silent[seat.project.id, _whose(tx, seat), kind] = time.monotonic() + over / 1_000_000
