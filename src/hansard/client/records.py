"""Owns how an answer becomes the record that the embedded call returns. It is read by the types of the record's fields.

What the server keeps to itself, the salts of the history, is empty in a record that came over the network.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from hansard.client.problems import foreign
from hansard.clock import parse_instant
from hansard.domain.actors import Actor, key_of
from hansard.domain.errors import HansardError, ServerUnreachable
from hansard.domain.paging import Page

Record = TypeVar("Record", bound=tuple[Any, ...])
Reader = Callable[[Any], Any]
Told = TypeVar("Told")
Given = ParamSpec("Given")

_INSTANTS = frozenset({"at", "valid_from", "valid_until"})
_NOT_TOLD: Mapping[str, Any] = {"salt": b"", "digest": b""}
_PLAIN: Mapping[Any, tuple[type, ...]] = {str: (str,), int: (int,), float: (float, int), bool: (bool,)}
"""The values that are told as they are, by the type of their field."""
_MISREAD = (
    TypeError, KeyError, AttributeError, ValueError, IndexError, OverflowError, RecursionError, AssertionError,
    StopIteration, HansardError,
)  # fmt: skip
"""How it shows that an answer has another shape than the record: as whatever the reader stumbles over."""


def understood(reader: Callable[Given, Told]) -> Callable[Given, Told]:
    """Has a reader raise ServerUnreachable for an answer that has not the shape of what it reads."""

    @wraps(reader)
    def reading(*given: Given.args, **named: Given.kwargs) -> Told:
        try:
            return reader(*given, **named)
        except ServerUnreachable:
            raise
        except _MISREAD as error:
            raise foreign("The server", f"no {reader.__name__.strip('_').replace('_', ' ')}") from error

    return reading


def read(kind: type[Record], shape: Mapping[str, Any]) -> Record:
    """The record of this kind. A field that this Hansard does not know is passed over: the server may be newer."""
    try:
        given = {name: reader(shape[name]) for name, reader in _readers(kind).items() if name in shape}
        return kind(**{**_hidden(kind), **given})
    except ServerUnreachable:
        raise
    except _MISREAD as error:
        raise foreign("The server", f"no {kind.__name__}") from error


def page(kind: type[Record], shape: Mapping[str, Any]) -> Page[Record]:
    return page_of(lambda one: read(kind, one), shape)


@understood
def page_of(reader: Callable[[Any], Told], shape: Mapping[str, Any]) -> Page[Told]:
    return Page(several(reader, shape), cursor(shape))


def pages(fetch: Callable[[str | None], Page[Told]]) -> Iterator[Page[Told]]:
    """Every page, one after the other. Raises ServerUnreachable if one leads to where we were already."""
    at = None
    seen: set[str] = set()
    while True:
        page = fetch(at)
        yield page
        if page.next_cursor is None:
            return
        if page.next_cursor in seen:
            raise foreign("The server", "no next page")
        at = page.next_cursor
        seen.add(at)


def every(kind: type[Record], shape: Mapping[str, Any]) -> tuple[Record, ...]:
    return several(lambda one: read(kind, one), shape)


def several(reader: Callable[[Any], Told], shape: Mapping[str, Any], name: str = "items") -> tuple[Told, ...]:
    return tuple(map(reader, _field(_list, shape, name)))


def cursor(shape: Mapping[str, Any]) -> str | None:
    """Where the next page begins."""
    return optional_text(shape, "next_cursor")


def part(shape: Mapping[str, Any], name: str) -> Any:
    """What an answer tells under this name, to be read further."""
    return _field(_as_it_is, shape, name)


def text(shape: Mapping[str, Any], name: str) -> str:
    return str(_field(_plain(str), shape, name))


def optional_text(shape: Mapping[str, Any], name: str) -> str | None:
    told: str | None = _field(_optional(_plain(str)), shape, name)
    return told


def texts(shape: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return several(_plain(str), shape, name)


def number(shape: Mapping[str, Any], name: str) -> int:
    return int(_field(_plain(int), shape, name))


def fraction(shape: Mapping[str, Any], name: str) -> float:
    return cast("float", _field(_plain(float), shape, name))


def truth(shape: Mapping[str, Any], name: str) -> bool:
    return bool(_field(_plain(bool), shape, name))


def _field(reader: Reader, shape: Mapping[str, Any], name: str) -> Any:
    try:
        return reader(shape[name])
    except _MISREAD as error:
        raise foreign("The server", f"no {name}") from error


@understood
def actor(shape: Mapping[str, Any]) -> Actor:
    return Actor(shape["name"], _list(shape["roles"]))


def instant(time: str) -> int:
    """The microseconds of a time. One beyond the calendar is told as their number."""
    count, _, unit = time.partition(" ")
    return int(count) if unit == "microseconds since 1970" else parse_instant(time)


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
        return lambda values: tuple(map(one, _list(values)))
    if hint is int and (name in _INSTANTS or name.endswith("_at")):
        return instant
    if hint is bytes:
        return bytes.fromhex
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    if hasattr(hint, "_fields"):
        return lambda shape: read(hint, shape)
    return _plain(hint) if hint in _PLAIN else _as_it_is


def _optional(reader: Reader) -> Reader:
    if reader is _as_it_is:
        return reader
    return lambda value: None if value is None else reader(value)


def _as_it_is(value: Any) -> Any:
    return value


@cache
def _plain(kind: Any) -> Reader:
    kinds = _PLAIN[kind]

    def plain(value: Any) -> Any:
        # By the very type: true is no number here, although Python takes it for one.
        if type(value) not in kinds:
            raise TypeError(f"{type(value).__name__} is no {kind.__name__}")
        return value

    return plain


def _list(values: Any) -> list[Any]:
    if not isinstance(values, list):
        raise TypeError(f"{type(values).__name__} is no list")
    return values


@understood
def event(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.ledger import Event

    told = dict(shape) | {"actor_key": key_of(shape["actor"]), "subject_id": shape["subject_id"] or ""}
    return read(Event, told)


@understood
def revision(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.ledger import Revision

    body = {name: instant(value) if _is_instant(name, value) else value for name, value in shape["body"].items()}
    return read(Revision, {**shape, "body": body})


def _is_instant(name: str, value: Any) -> bool:
    return name.endswith("_at") and isinstance(value, str)


@understood
def versions(kind: type[Record], shape: Mapping[str, Any]) -> tuple[Record, tuple[Any, ...]]:
    return read(kind, shape["current"]), several(revision, shape, "earlier")


@understood
def decision_history(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.decisions import Decision
    from hansard.services.decide import DecisionHistory

    return DecisionHistory(
        read(Decision, shape["decision"]),
        several(revision, shape, "revisions"),
        several(event, shape, "events"),
    )


@understood
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


@understood
def failure(shape: Mapping[str, Any]) -> Any:
    from hansard.client.problems import error_for
    from hansard.services.review import Failure

    return Failure(text(shape, "reference"), error_for(text(shape, "code"), text(shape, "message")))


@understood
def scribed(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.inbox import Entry
    from hansard.domain.runs import LineFate, Merged, ScribeReport

    return ScribeReport(
        run_id=text(shape, "run_id"),
        merged=several(lambda one: promotion(one, Merged), shape, "merged"),
        awaiting_review=several(lambda one: read(Entry, one), shape, "awaiting_review"),
        line=LineFate(shape["line"]),
        session_id=optional_text(shape, "session_id"),
        session_closed=truth(shape, "session_closed"),
    )


@understood
def finished(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.runs import FinishedRun

    done = read(FinishedRun, shape)
    done.memory_id = optional_text(shape, "memory_id")
    done.not_remembered = optional_text(shape, "not_remembered")
    done.scribed = None if shape["scribed"] is None else scribed(shape["scribed"])
    done.not_scribed = optional_text(shape, "not_scribed")
    return done


@understood
def hits(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.memories import Memory
    from hansard.domain.ranking import Factors
    from hansard.services.recall import Hit, Hits

    def hit(one: Mapping[str, Any]) -> Hit:
        told = one["factors"]
        beside = {name: fraction(told, name) for name in ("coverage", "cosine", "corrections", "held") if name in told}
        return Hit(
            memory=read(Memory, one["memory"]), relevance=fraction(one, "relevance"), score=fraction(one, "score"),
            factors=read(Factors, told),
            **{"coverage": 0.0, "cosine": 0.0, **beside},
        )  # fmt: skip

    return Hits(several(hit, shape), texts(shape, "notes"))


@understood
def usage(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.usage import MemoryUsage, SourceUsage, UsageSummary

    return UsageSummary(
        calls=number(shape, "calls"),
        by_source={name: read(SourceUsage, one) for name, one in shape["by_source"].items()},
        never_surfaced=number(shape, "never_surfaced"),
        top=several(lambda one: read(MemoryUsage, one), shape, "top"),
    )


@understood
def claims(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.claims import Claim, ClaimKind, ClaimStatus, Verdict
    from hansard.domain.memories import Memory
    from hansard.services.check_claims import Checked, ClaimsReport

    def told(one: Mapping[str, Any]) -> tuple[Claim, Verdict]:
        claim = Claim(ClaimKind(one["kind"]), text(one, "name"))
        return claim, Verdict(ClaimStatus(one["status"]), optional_text(one, "note") or "")

    checked = several(lambda one: Checked(read(Memory, one["memory"]), several(told, one, "claims")), shape)
    return ClaimsReport(text(shape, "root"), number(shape, "memories"), checked)


@understood
def receipt(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.receipts import receipt_of

    return receipt_of(dict(shape) | {"at": instant(shape["at"])})


@understood
def block(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.receipts import Block

    return None if shape["receipt"] is None else Block(text(shape, "text"), receipt(shape["receipt"]))


@understood
def replayed(shape: Mapping[str, Any]) -> Any:
    from hansard.services.replay import Replayed

    sha256, differences = text(shape, "sha256"), texts(shape, "differences")
    return Replayed(text(shape, "text"), receipt(shape["receipt"]), sha256, differences)


@understood
def verification(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.ledger import Break
    from hansard.services.audit import Verification

    broken = shape["first_broken"]
    return Verification(
        number(shape, "events"), number(shape, "records"), None if broken is None else read(Break, broken)
    )


@understood
def findings(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.findings import Finding

    return several(lambda one: read(Finding, one | {"advice": one["advice"] or ""}), shape)


@understood
def embedding(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.units import ModelIdentity
    from hansard.services.reembed import Embedding

    serving, configured = (
        None if shape[name] is None else read(ModelIdentity, shape[name]) for name in ("serving", "configured")
    )
    return Embedding(serving, configured, number(shape, "embedded"), number(shape, "units"))


@understood
def reembedded(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.units import ModelIdentity
    from hansard.services.reembed import Reembedded

    return Reembedded(read(ModelIdentity, shape["model"]), number(shape, "units"), number(shape, "refused"))


@understood
def scanned(shape: Mapping[str, Any]) -> Any:
    from hansard.services.scan import Finding, ScanReport

    found = several(lambda one: read(Finding, one), shape, "findings")
    return ScanReport(number(shape, "texts"), found, number(shape, "found"), number(shape, "redacted"))


@understood
def synced(shape: Mapping[str, Any]) -> Any:
    from hansard.services.sync import Synced
    from hansard.workspace.git import Change

    return Synced(text(shape, "root"), every(Change, shape), optional_text(shape, "commit"))


@understood
def indexed(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.notes import NoteFile, NotesReport

    return NotesReport(several(lambda one: read(NoteFile, one), shape, "files"))


@understood
def compacted(shape: Mapping[str, Any]) -> Any:
    from hansard.domain.compaction.ladder import State
    from hansard.domain.compaction.standing import Dropped
    from hansard.services.compact import Compacted

    return Compacted(
        text=optional_text(shape, "text"),
        level=number(shape, "level"),
        tokens=number(shape, "tokens"),
        failures=number(shape, "failures"),
        spilled=optional_text(shape, "spilled"),
        fault=optional_text(shape, "fault"),
        tokens_target=shape["tokens_target"] or 0,
        state=State(shape["state"]),
        parts={name: texts(shape["kept"], name) for name in shape["kept"]},
        dropped=several(lambda one: read(Dropped, one), shape, "dropped"),
        tried=number(shape, "level_tried"),
    )


@understood
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
