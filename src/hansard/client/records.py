"""Owns how an answer becomes the record that the embedded call returns. It is read by the types of the record's fields.

What the server keeps to itself, the salts of the history, is empty in a record that came over the network.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from hansard.clock import parse_instant
from hansard.domain.actors import key_of
from hansard.domain.paging import Page

Record = TypeVar("Record", bound=tuple[Any, ...])
Reader = Callable[[Any], Any]

_INSTANTS = frozenset({"at", "valid_from", "valid_until"})
_NOT_TOLD: Mapping[str, Any] = {"salt": b"", "digest": b""}


def read(kind: type[Record], shape: Mapping[str, Any]) -> Record:
    """The record of this kind. A field that this Hansard does not know is passed over: the server may be newer."""
    given = {name: reader(shape[name]) for name, reader in _readers(kind).items() if name in shape}
    return kind(**{**_hidden(kind), **given})


def page(kind: type[Record], shape: Mapping[str, Any]) -> Page[Record]:
    return Page(every(kind, shape), shape["next_cursor"])


def every(kind: type[Record], shape: Mapping[str, Any]) -> tuple[Record, ...]:
    return tuple(read(kind, one) for one in shape["items"])


def instant(text: str) -> int:
    """The microseconds of a time. One beyond the calendar is told as their number."""
    number, _, unit = text.partition(" ")
    return int(number) if unit == "microseconds since 1970" else parse_instant(text)


@cache
def _readers(kind: type) -> dict[str, Reader]:
    hints = get_type_hints(kind)
    fields = cast("tuple[str, ...]", kind._fields)  # type: ignore[attr-defined]
    return {name: _reader(hints[name], name) for name in fields if name not in _NOT_TOLD}


@cache
def _hidden(kind: type) -> dict[str, Any]:
    fields = cast("tuple[str, ...]", kind._fields)  # type: ignore[attr-defined]
    return {name: value for name, value in _NOT_TOLD.items() if name in fields}


def _reader(hint: Any, name: str) -> Reader:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        kinds = [one for one in inner if one is not types.NoneType]
        return _optional(_reader(kinds[0], name)) if len(kinds) == 1 else _as_it_is
    if origin is tuple:
        one = _reader(inner[0], name)
        return _texts if one is _as_it_is else lambda values: tuple(one(value) for value in values)
    if hint is int and (name in _INSTANTS or name.endswith("_at")):
        return instant
    if hint is bytes:
        return bytes.fromhex
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    if hasattr(hint, "_fields"):
        return lambda shape: read(hint, shape)
    return _as_it_is


def _optional(reader: Reader) -> Reader:
    if reader is _as_it_is:
        return reader
    return lambda value: None if value is None else reader(value)


def _as_it_is(value: Any) -> Any:
    return value


def _texts(values: Any) -> Any:
    return tuple(values)


def event(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.ledger import Event

    told = dict(shape) | {"actor_key": key_of(shape["actor"]), "subject_id": shape["subject_id"] or ""}
    return read(Event, told)


def revision(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.ledger import Revision

    body = {name: instant(value) if _is_instant(name, value) else value for name, value in shape["body"].items()}
    return read(Revision, {**shape, "body": body})


def _is_instant(name: str, value: Any) -> bool:
    return name.endswith("_at") and isinstance(value, str)


def versions(kind: type[Record], shape: Mapping[str, Any]) -> tuple[Record, tuple[Any, ...]]:
    return read(kind, shape["current"]), tuple(revision(one) for one in shape["earlier"])


def decision_history(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.decisions import Decision
    from hansard.services.decide import DecisionHistory

    return DecisionHistory(
        read(Decision, shape["decision"]),
        tuple(revision(one) for one in shape["revisions"]),
        tuple(event(one) for one in shape["events"]),
    )


def promotion(shape: Mapping[str, Any], kind: Any = None) -> Any:
    """What came of an entry: as a review tells it, or another record with the same parts."""
    from hansard.domain.decisions import Decision
    from hansard.domain.inbox import Entry
    from hansard.domain.memories import Memory

    if kind is None:
        from hansard.services.review import Promotion

        kind = Promotion
    memory = None if shape["memory"] is None else read(Memory, shape["memory"])
    return kind(read(Entry, shape["entry"]), read(Decision, shape["decision"]), memory)


def failure(shape: Mapping[str, Any]) -> Any:
    from hansard.client.problems import error_for
    from hansard.services.review import Failure

    return Failure(shape["reference"], error_for(shape["code"], shape["message"]))


def scribed(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.inbox import Entry
    from hansard.domain.runs import LineFate, Merged, ScribeReport

    return ScribeReport(
        run_id=shape["run_id"],
        merged=tuple(promotion(one, Merged) for one in shape["merged"]),
        awaiting_review=tuple(read(Entry, one) for one in shape["awaiting_review"]),
        line=LineFate(shape["line"]),
        session_id=shape["session_id"],
        session_closed=shape["session_closed"],
    )


def finished(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.runs import FinishedRun

    done = read(FinishedRun, shape)
    done.memory_id = shape["memory_id"]
    done.not_remembered = shape["not_remembered"]
    done.scribed = None if shape["scribed"] is None else scribed(shape["scribed"])
    done.not_scribed = shape["not_scribed"]
    return done


def hits(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.memories import Memory
    from hansard.domain.ranking import Factors
    from hansard.services.recall import Hit, Hits

    found = []
    for one in shape["items"]:
        told = dict(one["factors"])
        beside = [told.pop(name, 0.0) for name in ("coverage", "cosine", "corrections", "held")]
        coverage, cosine, corrections, held = beside
        found.append(
            Hit(
                read(Memory, one["memory"]), one["relevance"], one["score"], read(Factors, told), coverage, cosine,
                corrections, held, one.get("behind"),
            )
        )  # fmt: skip
    return Hits(found, shape["notes"])


def usage(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.usage import MemoryUsage, SourceUsage, UsageSummary

    return UsageSummary(
        calls=shape["calls"],
        by_source={name: read(SourceUsage, one) for name, one in shape["by_source"].items()},
        never_surfaced=shape["never_surfaced"],
        top=tuple(read(MemoryUsage, one) for one in shape["top"]),
    )


def claims(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.claims import Claim, ClaimKind, ClaimStatus, Verdict
    from hansard.domain.memories import Memory
    from hansard.services.check_claims import Checked, ClaimsReport

    def told(one: Mapping[str, Any]) -> tuple[Claim, Verdict]:
        claim = Claim(ClaimKind(one["kind"]), one["name"])
        return claim, Verdict(ClaimStatus(one["status"]), one["note"] or "")

    checked = tuple(
        Checked(read(Memory, one["memory"]), tuple(told(claim) for claim in one["claims"])) for one in shape["items"]
    )
    return ClaimsReport(shape["root"], shape["memories"], checked)


def receipt(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.receipts import receipt_of

    return receipt_of(dict(shape) | {"at": instant(shape["at"])})


def block(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.receipts import Block

    return None if shape["receipt"] is None else Block(shape["text"], receipt(shape["receipt"]))


def replayed(shape: Mapping[str, Any]) -> Any:
    from hansard.services.replay import Replayed

    return Replayed(shape["text"], receipt(shape["receipt"]), shape["sha256"], tuple(shape["differences"]))


def verification(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.ledger import Break
    from hansard.services.audit import Verification

    broken = shape["first_broken"]
    return Verification(shape["events"], shape["records"], None if broken is None else read(Break, broken))


def findings(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.findings import Finding

    return tuple(read(Finding, one | {"advice": one["advice"] or ""}) for one in shape["items"])


def embedding(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.units import ModelIdentity
    from hansard.services.reembed import Embedding

    serving, configured = (
        None if shape[name] is None else read(ModelIdentity, shape[name]) for name in ("serving", "configured")
    )
    return Embedding(serving, configured, shape["embedded"], shape["units"])


def reembedded(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.units import ModelIdentity
    from hansard.services.reembed import Reembedded

    return Reembedded(read(ModelIdentity, shape["model"]), shape["units"], shape["refused"])


def scanned(shape: Mapping[str, Any]) -> Any:
    from hansard.services.scan import Finding, ScanReport

    return ScanReport(
        shape["texts"], tuple(read(Finding, one) for one in shape["findings"]), shape["found"], shape["redacted"]
    )


def synced(shape: Mapping[str, Any]) -> Any:
    from hansard.services.sync import Synced
    from hansard.workspace.git import Change

    return Synced(shape["root"], tuple(read(Change, one) for one in shape["items"]), shape["commit"])


def indexed(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.notes import NoteFile, NotesReport

    return NotesReport(tuple(read(NoteFile, one) for one in shape["files"]))


def compacted(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.compaction.ladder import State
    from hansard.domain.compaction.standing import Dropped
    from hansard.services.compact import Compacted

    told = {name: shape[name] for name in ("text", "level", "tokens", "failures", "spilled", "fault")}
    return Compacted(
        **told,
        tokens_target=shape["tokens_target"] or 0,
        state=State(shape["state"]),
        parts={name: tuple(one) for name, one in shape["kept"].items()},
        dropped=tuple(read(Dropped, one) for one in shape["dropped"]),
        tried=shape["level_tried"],
    )


def held(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.inbox import Entry
    from hansard.domain.memories import Memory

    return read(Entry, shape["record"]) if shape["kind"] == "entry" else read(Memory, shape["record"])


def redactions(told: str | None) -> tuple[Any, ...]:
    """What the server took out of a request, as its header tells it: `content=aws-access-key, title=…`."""
    if not told:
        return ()
    from hansard.guard.gate import Redaction

    pairs = (one.strip().partition("=") for one in told.split(","))
    return tuple(Redaction(field, kind, 0) for field, _, kind in pairs)
