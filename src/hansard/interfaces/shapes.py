"""Owns how records look in JSON: snake_case names, ISO times, nothing secret."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from hansard.clock import iso
from hansard.domain.actors import KnownActor
from hansard.domain.decisions import Decision
from hansard.domain.inbox import Entry
from hansard.domain.ledger import Event
from hansard.domain.memories import Memory
from hansard.domain.paging import Page
from hansard.domain.projects import Project
from hansard.domain.runs import Run
from hansard.domain.sessions import Session
from hansard.services.audit import Verification
from hansard.services.compile import Block
from hansard.services.review import Promotion
from hansard.store.ports import Revision

_HIDDEN = frozenset({"salt"})


def record(item: Project | Entry | Decision | Memory | Session | Run | KnownActor) -> dict[str, Any]:
    """Any record, field by field."""
    shape = {name: _value(name, getattr(item, name)) for name in _names(type(item))}
    if isinstance(item, Entry | Decision):
        shape["ref"] = item.ref
    return shape


def page(found: Page[Any], shape: Callable[[Any], dict[str, Any]] = record) -> dict[str, Any]:
    return {"items": [shape(item) for item in found.items], "next_cursor": found.next_cursor}


def event(item: Event) -> dict[str, Any]:
    return {
        "seq": item.seq,
        "at": iso(item.at),
        "actor": item.actor,
        "role": item.role,
        "action": item.action,
        "subject": item.subject.value,
        "subject_id": item.subject_id,
        "before": item.before.hex() if item.before else None,
        "after": item.after.hex() if item.after else None,
        "details": dict(item.details),
        "previous": item.previous.hex(),
        "hash": item.hash.hex(),
    }


def revision(item: Revision) -> dict[str, Any]:
    return {
        "version": item.version,
        "valid_from": iso(item.valid_from),
        "valid_until": iso(item.valid_until),
        "changed_by": item.changed_by,
        "body": body(item.body),
    }


def body(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(name, value) for name, value in content.items()}


def promotion(item: Promotion) -> dict[str, Any]:
    return {
        "entry": record(item.entry),
        "decision": record(item.decision),
        "memory": record(item.memory) if item.memory else None,
    }


def verification(item: Verification) -> dict[str, Any]:
    broken = {"seq": item.broken.seq, "problem": item.broken.problem} if item.broken else None
    return {"ok": item.ok, "events": item.events, "records": item.records, "first_broken": broken}


def block(item: Block | None) -> dict[str, Any]:
    if item is None:
        return {"text": None, "receipt": None}
    receipt = item.receipt
    return {
        "text": item.text,
        "receipt": {
            "sha256": receipt.sha256,
            "ledger_seq": receipt.ledger_seq,
            "tokens": receipt.tokens,
            "lines": [
                {"layer": line.layer, "id": line.id, "tokens": line.tokens, "fate": line.fate.value}
                for line in receipt.lines
            ],
        },
    }


_NAMES: dict[type, tuple[str, ...]] = {}


def _names(kind: type) -> tuple[str, ...]:
    known = _NAMES.get(kind)
    if known is None:
        known = _NAMES[kind] = tuple(one.name for one in fields(kind) if one.name not in _HIDDEN)
    return known


def _value(name: str, value: Any) -> Any:
    if isinstance(value, int) and name.endswith("_at"):
        return iso(value)
    return list(value) if isinstance(value, tuple) else value
