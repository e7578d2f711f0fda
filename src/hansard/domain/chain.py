"""Owns the hash chain: how an event is sealed, how a record is fingerprinted, how both are verified."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from hansard.domain.ledger import GENESIS, Body, Break, Draft, Event, Json
from hansard.domain.vocabulary import Subject

ERASING = ".forgotten"
"""How the action of an event ends that leaves no earlier version behind."""
REDACTING = ".redacted"
"""How the action of an event ends that takes words out of a record and its earlier versions."""
VERSION, UPDATED_AT, KEPT = "version", "updated_at", "kept"
"""What an event says of a record from another clone: its version and time, and where the one before it is kept."""
RESTATED = "restated"
"""What an event says of earlier versions out of which words were taken: their numbers and new fingerprints."""
_FORMAT = "hansard-event-1"
_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
if c_make_encoder is None:
    _encode = _encoder.encode
else:
    # The encoder makes its inner part anew for every call, which costs as much as encoding a memory.
    _inner = c_make_encoder(None, _encoder.default, encode_basestring, None, ":", ",", True, False, True)  # noqa: FBT003

    def _encode(o: Any) -> str:
        return "".join(_inner(o, 0))


def canonical(body: Body) -> str:
    """The one JSON spelling of a record, the same on every engine."""
    return _encode(body) if body != {} else "{}"


def fingerprint(salt: bytes, body: Body) -> bytes:
    """What the ledger keeps of a record's content. Without the salt it says nothing about the content.

    What is not set does not count, so that a field added later changes no fingerprint.
    """
    # Imported here and below: it loads OpenSSL, which takes a block longer than reading its memories.
    import hashlib

    said = {name: value for name, value in body.items() if value is not None}
    return hashlib.blake2b(_encode(said).encode(), digest_size=32, key=salt).digest()


def fingerprints(salts: Sequence[bytes], fields: Mapping[str, Sequence[Json]]) -> Iterator[bytes]:
    """The same for many records of one kind, given field by field: what all of them say is spelled once."""
    from hashlib import blake2b as make

    parts: list[Iterable[str]] = []
    shared = ""
    for name in sorted(fields):
        head, values = f"{encode_basestring(name)}:", fields[name]
        first = values[0]
        if values.count(first) == len(values):
            shared += "" if first is None else f"{head}{_encode(first)},"
        else:
            parts += (repeat(shared), ["" if one is None else f"{head}{_encode(one)}," for one in values])
            shared = ""
    for salt, said in zip(salts, zip(*parts, repeat(shared, len(salts)), strict=False), strict=True):
        yield make(f"{{{''.join(said)[:-1]}}}".encode(), digest_size=32, key=salt).digest()


def seal(project_id: str, seq: int, at: int, draft: Draft, previous: bytes) -> bytes:
    """The hash of an event: over the one before it and everything the event says."""
    # No field can hold a line break: names, actions and ids are single lines, and JSON escapes it.
    action, subject, subject_id, actor_key, role, before, after, details = draft
    told = "\n".join((
        _FORMAT, project_id, str(seq), str(at), actor_key, role, action, subject, subject_id, _hex(before), _hex(after),
        canonical(details),
    ))  # fmt: skip
    import hashlib

    return hashlib.sha256(previous + told.encode()).digest()


def reseal(project_id: str, event: Event) -> bytes:
    """The hash an event should have, computed from what it says now."""
    draft = Draft(
        event.action, event.subject, event.subject_id, event.actor_key, event.role,
        event.before, event.after, event.details,
    )  # fmt: skip
    return seal(project_id, event.seq, event.at, draft, event.previous)


def _hex(digest: bytes | None) -> str:
    return digest.hex() if digest else "-"


def _number(said: str | None, otherwise: int) -> int:
    return int(said) if said is not None and said.lstrip("-").isdecimal() else otherwise


class Replaced(NamedTuple):
    """What an event says of the version it ended: since when it stood, until when, who ended it, its fingerprint."""

    version: int
    seq: int
    valid_from: int
    valid_until: int
    changed_by_key: str
    fingerprint: bytes


class ChainCheck:
    """Walks events in order and remembers the first break.

    `last_state` is what the last event about a record left behind, `replaced` what each change of it took away.
    """

    def __init__(self, project_id: str) -> None:
        self._project_id = project_id
        self._expected_seq = 1
        self._previous = GENESIS
        self.broken: Break | None = None
        self.last_state: dict[tuple[Subject, str], tuple[int, bytes | None]] = {}
        self.replaced: dict[tuple[Subject, str], list[Replaced]] = {}
        self._changed_at: dict[tuple[Subject, str], int] = {}
        self._versions: dict[tuple[Subject, str], int] = {}

    @property
    def count(self) -> int:
        return self._expected_seq - 1

    def feed(self, events: Iterable[Event]) -> None:
        for event in events:
            if self.broken:
                return
            problem = self._problem(event)
            if problem:
                self.broken = Break(event.seq if event.seq == self._expected_seq else self._expected_seq, problem)
                return
            self._expected_seq += 1
            self._previous = event.hash
            subject = (event.subject, event.subject_id)
            self.last_state[subject] = (event.seq, event.after)
            self._remember_version(subject, event)

    def _remember_version(self, subject: tuple[Subject, str], event: Event) -> None:
        since = self._changed_at.get(subject, event.at)
        version = self._versions.get(subject, 0)
        told = event.details
        self._versions[subject] = _number(told.get(VERSION), version + 1)
        self._changed_at[subject] = _number(told.get(UPDATED_AT), event.at)
        if event.before is not None:
            # What took the place of another version stands since the event, however long ago a clone wrote it.
            self._changed_at[subject] = max(self._changed_at[subject], event.at)
        if event.action.endswith(ERASING):
            self.replaced[subject] = []
        elif event.before is not None:
            kept = _number(told.get(KEPT), version)
            ended = Replaced(kept, event.seq, since, event.at, event.actor_key, event.before)
            self.replaced.setdefault(subject, []).append(ended)
        if RESTATED in told:
            self._restate(subject, told[RESTATED])

    def _restate(self, subject: tuple[Subject, str], told: str) -> None:
        """A version that the event does not name keeps its old fingerprint, which no text has any more."""
        stated = dict(one.partition(":")[::2] for one in told.split())
        known = self.replaced.get(subject, [])
        self.replaced[subject] = [
            one._replace(fingerprint=bytes.fromhex(stated[str(one.version)])) if str(one.version) in stated else one
            for one in known
        ]

    def _problem(self, event: Event) -> str | None:
        if event.seq != self._expected_seq:
            return f"event {self._expected_seq} is missing; the next one found is {event.seq}"
        if event.previous != self._previous:
            return "it does not follow the event before it"
        if event.hash != reseal(self._project_id, event):
            return "what it says does not match its hash"
        return None
