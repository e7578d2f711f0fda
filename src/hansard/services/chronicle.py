"""Owns how a change is written down: the earlier version kept, the event sealed, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from hansard.domain.actors import Actor
from hansard.domain.ledger import Body, Draft, Revision
from hansard.domain.vocabulary import Subject

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

NO_DETAILS: Mapping[str, str] = {}
TOMBSTONE_SALT = b"tombstone"


class Record(Protocol):
    """Any entity the ledger speaks of."""

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def updated_at(self) -> int: ...
    @property
    def salt(self) -> bytes | None: ...
    def body(self) -> Body: ...


def created(
    tx: Transaction,
    actor: Actor,
    action: str,
    subject: Subject,
    records: Sequence[Record],
    details: Mapping[str, str] = NO_DETAILS,
) -> None:
    """Appends one event for each new record."""
    key, role = actor.key, actor.role
    tx.ledger.append(
        Draft(action, subject, one.id, key, role, None, state, details)
        for one, state in zip(records, states_of(records), strict=True)
    )


def changed(
    tx: Transaction,
    actor: Actor,
    action: str,
    subject: Subject,
    before: Record,
    after: Record,
    details: Mapping[str, str] = NO_DETAILS,
) -> None:
    """Keeps the version that was current and appends the event."""
    kept = Revision(before.version, before.updated_at, tx.now, actor.name, before.body())
    tx.revisions.insert(subject, before.id, kept)
    tx.ledger.append(
        [Draft(action, subject, after.id, actor.key, actor.role, state_of(before), state_of(after), details)]
    )


def erased(tx: Transaction, actor: Actor, action: str, subject: Subject, before: Record, after: Record) -> None:
    """Drops every earlier version of a record whose text is gone and appends the event."""
    tx.revisions.erase(subject, before.id)
    tx.ledger.append(
        [
            Draft(
                action,
                subject,
                after.id,
                actor.key,
                actor.role,
                state_of(before),
                state_of(after),
                NO_DETAILS,
            )
        ]
    )


def state_of(record: Record) -> bytes:
    return next(states_of([record]))


def states_of(records: Sequence[Record]) -> Iterator[bytes]:
    """The records' fingerprints. A tombstone has no salt and no words; what it still says is open and counts."""
    # Imported here because most commands only read, and the hashes cost as much to load as the whole domain.
    from hansard.domain.chain import fingerprint

    return (fingerprint(one.salt or TOMBSTONE_SALT, one.body()) for one in records)
