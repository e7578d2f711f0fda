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
VERSION, UPDATED_AT, KEPT = "version", "updated_at", "kept"
"""As `domain.chain` reads them; importing that costs more than a command that only reads may pay."""
RESTATED = "restated"
"""The fingerprints of earlier versions after words were taken out of them, as `number:hex` with a blank between."""
TOMBSTONE_SALT = b"tombstone"
BATCH_MIN = 8
STATES_AT_ONCE = 500


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
    _keep(tx, actor, subject, before, before.version)
    tx.ledger.append(
        [Draft(action, subject, after.id, actor.key, actor.role, state_of(before), state_of(after), details)]
    )


def remarked(
    tx: Transaction, actor: Actor, action: str, subject: Subject, record: Record, details: Mapping[str, str]
) -> None:
    """Appends an event about a record that it leaves as it is: the version stands since the time it stood since."""
    since = max(record.updated_at, tx.revisions.last_end(subject, record.id))
    told = {**details, VERSION: str(record.version), UPDATED_AT: str(since)}
    tx.ledger.append([Draft(action, subject, record.id, actor.key, actor.role, None, state_of(record), told)])


def arrived(tx: Transaction, actor: Actor, action: str, subject: Subject, records: Sequence[Record]) -> None:
    """Appends one event for each record that another clone made, with the version and the time it has there."""
    key, role = actor.key, actor.role
    tx.ledger.append(
        Draft(action, subject, one.id, key, role, None, state, _origin(one))
        for one, state in zip(records, states_of(records), strict=True)
    )


def overtaken(tx: Transaction, actor: Actor, action: str, subject: Subject, before: Record, after: Record) -> None:
    """As `changed`, by what another clone made. The version before is kept, also if both have the same number."""
    details = _origin(after)
    kept = before.version
    if after.version <= kept:
        # Below nought: the number itself will be needed for the version that takes over.
        kept = min([0, *(one.version for one in tx.revisions.of(subject, before.id))]) - 1
        details[KEPT] = str(kept)
    _keep(tx, actor, subject, before, kept)
    draft = Draft(action, subject, after.id, actor.key, actor.role, state_of(before), state_of(after), details)
    tx.ledger.append([draft])


def _origin(record: Record) -> dict[str, str]:
    return {VERSION: str(record.version), UPDATED_AT: str(record.updated_at)}


def _keep(tx: Transaction, actor: Actor, subject: Subject, before: Record, number: int) -> None:
    # One from another clone may be older than the version that it took the place of here.
    since = max(before.updated_at, tx.revisions.last_end(subject, before.id))
    tx.revisions.insert(subject, before.id, Revision(number, since, tx.now, actor.name, before.body()))


def erased(
    tx: Transaction,
    actor: Actor,
    action: str,
    subject: Subject,
    before: Record,
    after: Record,
    *,
    elsewhere: bool = False,
) -> None:
    """Drops every earlier version of a record whose text is gone and appends the event.

    `elsewhere` if another clone forgot it: then the event says which version it has there.
    """
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
                _origin(after) if elsewhere else NO_DETAILS,
            )
        ]
    )


def redacted(
    tx: Transaction, actor: Actor, subject: Subject, before: Record, after: Record, earlier: Sequence[Revision]
) -> None:
    """Puts other words into the earlier versions of a record and appends the event, which has their new fingerprints.

    `after` has a new salt, so that nothing is left to compare a guess with. If it is still the same version, nothing of
    the current words was changed.
    """
    from hansard.domain.chain import fingerprint

    assert after.salt is not None, "a tombstone has no words to take out"
    kept = list(earlier)
    if after.version != before.version:
        since = max(before.updated_at, tx.revisions.last_end(subject, before.id))
        said = {**after.body(), "version": before.version, "updated_at": before.updated_at}
        kept.append(Revision(before.version, since, tx.now, actor.name, said))
    tx.revisions.erase(subject, before.id)
    for one in kept:
        tx.revisions.insert(subject, before.id, one)
    told = {RESTATED: " ".join(f"{one.version}:{fingerprint(after.salt, one.body).hex()}" for one in kept)}
    if after.version == before.version:
        told |= {VERSION: str(before.version), UPDATED_AT: str(_since(before, kept))}
    else:
        # Said and not counted: remarks about a record are events too.
        told |= _origin(after) | {KEPT: str(before.version)}
    was = None if after.version == before.version else state_of(before)
    action = f"{subject.value}.redacted"
    tx.ledger.append([Draft(action, subject, after.id, actor.key, actor.role, was, state_of(after), told)])
    tx.ledger.mark_erasure()


def _since(record: Record, earlier: Sequence[Revision]) -> int:
    return max([record.updated_at, *(one.valid_until for one in earlier)])


def state_of(record: Record) -> bytes:
    return next(states_of([record]))


def states_of(records: Sequence[Record]) -> Iterator[bytes]:
    """The records' fingerprints. A tombstone has no salt and no words; what it still says is open and counts."""
    # Imported here because most commands only read, and the hashes cost as much to load as the whole domain.
    from hansard.domain.chain import fingerprint, fingerprints

    if len(records) >= BATCH_MIN:
        from hansard.domain.memories import Memory, bodies

        memories = [one for one in records if isinstance(one, Memory)]
        if len(memories) == len(records):
            # Some at a time: the fields of ten thousand do not fit where the processor finds them at once.
            groups = (memories[start : start + STATES_AT_ONCE] for start in range(0, len(memories), STATES_AT_ONCE))
            return (
                state
                for group in groups
                for state in fingerprints([one.salt or TOMBSTONE_SALT for one in group], bodies(group))
            )
    return (fingerprint(one.salt or TOMBSTONE_SALT, one.body()) for one in records)
