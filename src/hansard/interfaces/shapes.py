"""Owns how records look in JSON: snake_case names, ISO times, nothing secret."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hansard.clock import iso

if TYPE_CHECKING:
    from hansard.domain.actors import KnownActor
    from hansard.domain.decisions import Decision
    from hansard.domain.inbox import Entry
    from hansard.domain.kept import KeptReceipt
    from hansard.domain.ledger import Event, Revision
    from hansard.domain.memories import Memory
    from hansard.domain.paging import Page
    from hansard.domain.projects import Project
    from hansard.domain.receipts import Block, Receipt
    from hansard.domain.runs import FinishedRun, Merged, Run, ScribeReport
    from hansard.domain.sessions import Session
    from hansard.domain.usage import Sighting, UsageSummary
    from hansard.services.audit import Verification
    from hansard.services.recall import Hit
    from hansard.services.replay import Replayed
    from hansard.services.review import Promotion


def record(item: Project | Entry | Decision | Memory | Session | Run | KnownActor) -> dict[str, Any]:
    """Any record, field by field."""
    shape = _timed(item._asdict())
    shape.pop("salt", None)
    spoken = getattr(item, "ref", None)
    return shape if spoken is None else {"ref": spoken} | shape


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
        "subject_id": item.subject_id or None,
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
        "body": _timed(dict(item.body)),
    }


def hit(item: Hit) -> dict[str, Any]:
    return {
        "relevance": item.relevance,
        "score": item.score,
        "factors": item.factors._asdict()
        | {"coverage": item.coverage, "cosine": item.cosine, "corrections": item.corrections},
        "memory": record(item.memory),
    }


def usage(item: UsageSummary) -> dict[str, Any]:
    return {
        "calls": item.calls,
        "never_surfaced": item.never_surfaced,
        "by_source": {source: one._asdict() for source, one in item.by_source.items()},
        "top": [one._asdict() for one in item.top],
    }


def sighting(item: Sighting) -> dict[str, Any]:
    return item._asdict() | {"at": iso(item.at)}


def finished(item: FinishedRun) -> dict[str, Any]:
    return record(item) | {
        "memory_id": item.memory_id,
        "not_remembered": item.not_remembered,
        "scribed": scribed(item.scribed) if item.scribed else None,
        "not_scribed": item.not_scribed,
    }


def scribed(item: ScribeReport) -> dict[str, Any]:
    return item._asdict() | {
        "merged": [promotion(one) for one in item.merged],
        "awaiting_review": [record(one) for one in item.awaiting_review],
        "line": item.line.value,
    }


def promotion(item: Promotion | Merged) -> dict[str, Any]:
    return {
        "version": item.entry.version - 1,
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
    return {"text": item.text, "receipt": receipt(item.receipt)}


def receipt(item: Receipt) -> dict[str, Any]:
    """The receipt as it is kept, with its time as people read it."""
    return item.body() | {"at": iso(item.at)}


def kept_receipt(item: KeptReceipt) -> dict[str, Any]:
    """A receipt in a list: what tells it from the others, and not every line of it."""
    shape = item._asdict() | {"at": iso(item.at)}
    del shape["body"]
    return shape


def replayed(item: Replayed) -> dict[str, Any]:
    return {
        "text": item.text,
        "exact": item.is_exact,
        "sha256": item.sha256,
        "differences": list(item.differences),
        "receipt": receipt(item.receipt),
    }


def _timed(shape: dict[str, Any]) -> dict[str, Any]:
    for name, value in shape.items():
        if value is not None and name.endswith("_at"):
            shape[name] = iso(value)
    return shape
