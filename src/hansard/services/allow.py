"""Allows values that look like a secret and are none, and takes that back, each with an event that says who and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain import text
from hansard.domain.errors import Invalid, UnknownAllowance, quoted
from hansard.domain.guard import Allowance, digest_of
from hansard.domain.ledger import Draft
from hansard.domain.limits import REASON_BYTES_MAX
from hansard.domain.policy import Act, may
from hansard.domain.vocabulary import Subject
from hansard.services.admission import screen_reason
from hansard.services.seat import Seat, fresh_salt, register

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hansard.store.ports import Transaction

VALUES_MAX = 1_000


def allow(seat: Seat, value: str, *, reason: str) -> Allowance:
    """Lets a value through from now on. It may be given with the words around it, by which the scanner knows it.

    Raises Invalid if nothing in it looks like a secret, or more than one thing does. Only a digest is kept. A value
    that is allowed already keeps its first reason, which is in the answer.
    """
    from hansard.guard.floods import FLOOD
    from hansard.guard.secrets import scan

    seat.require(Act.ALLOW_SECRET)
    given = text.reference(value, field="value")
    why = screen_reason(seat, text.prose(reason, field="reason", bytes_max=REASON_BYTES_MAX))
    leaks = scan(given)
    if len(leaks) != 1:
        found = "Nothing in it looks" if not leaks else f"{len(leaks)} things in it look"
        raise Invalid(f"{found} like a secret; give one value, with the words that stand before it.")
    leak = leaks[0]
    if leak.kind == FLOOD:
        raise Invalid("It looks like a dump, and what follows in one is not judged; record it in parts instead.")
    with seat.writing() as tx:
        guard = seat.store.guard(tx)
        known = guard.allowances()
        same = next((one for one in known if one.covers(given[leak.start : leak.end])), None)
        if same is not None:
            return same
        if len(known) >= VALUES_MAX:
            raise Invalid(f"{VALUES_MAX:,} values are allowed already; take some back first.")
        salt = fresh_salt()
        digest = digest_of(salt, given[leak.start : leak.end])
        made = Allowance(tx.new_id(), leak.kind, salt, digest, why, register(tx, seat.actor), tx.now)
        guard.allow(made)
        _tell(tx, seat, "secret.allowed", {"allowance": made.id, "kind": made.kind, "reason": why})
        return made


def disallow(seat: Seat, allowance_id: str, *, reason: str) -> Allowance:
    """Takes an allowance back. What was stored under it stays until somebody scans for it."""
    seat.require(Act.ALLOW_SECRET)
    wanted = text.reference(allowance_id, field="allowance")
    why = screen_reason(seat, text.prose(reason, field="reason", bytes_max=REASON_BYTES_MAX))
    with seat.writing() as tx:
        guard = seat.store.guard(tx)
        found = next((one for one in guard.allowances() if one.id == wanted), None)
        if found is None:
            raise UnknownAllowance(
                f"There is no allowance {quoted(wanted)} in this project; `hansard guard allowed` lists their ids."
            )
        guard.disallow(found.id)
        _tell(tx, seat, "secret.disallowed", {"allowance": found.id, "kind": found.kind, "reason": why})
        return found


def list_allowances(seat: Seat) -> tuple[Allowance, ...]:
    """What was allowed, oldest first.

    Whoever may not allow anything gets neither salts nor digests: by these a short value can be guessed.
    """
    seat.require(Act.READ)
    with seat.reading() as tx:
        found = seat.store.guard(tx).allowances()
    if may(seat.actor, Act.ALLOW_SECRET):
        return found
    return tuple(one._replace(salt=b"", digest=b"") for one in found)


def _tell(tx: Transaction, seat: Seat, action: str, details: Mapping[str, str]) -> None:
    actor = seat.actor
    draft = Draft(action, Subject.PROJECT, tx.project_id, actor.key, actor.role, None, None, details)
    tx.ledger.append([draft])
