"""Owns how records look in JSON: snake_case names, ISO times, nothing secret."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from hansard.clock import iso

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hansard.domain.actors import KnownActor
    from hansard.domain.decisions import Decision
    from hansard.domain.findings import Finding
    from hansard.domain.guard import Allowance
    from hansard.domain.inbox import Entry
    from hansard.domain.kept import KeptReceipt
    from hansard.domain.ledger import Event, Revision
    from hansard.domain.memories import Memory
    from hansard.domain.mirror import ExportReport, ImportReport
    from hansard.domain.notes import NotesReport
    from hansard.domain.paging import Listing, Page
    from hansard.domain.projects import Project
    from hansard.domain.receipts import Block, Receipt
    from hansard.domain.runs import FinishedRun, Merged, Run, ScribeReport
    from hansard.domain.sessions import Session
    from hansard.domain.tokens import Grant
    from hansard.domain.usage import Sighting, UsageSummary
    from hansard.services.audit import Verification
    from hansard.services.check_claims import Checked, ClaimsReport
    from hansard.services.compact import Compacted
    from hansard.services.decide import DecisionHistory
    from hansard.services.keep_up import MirrorState
    from hansard.services.propose import Submission
    from hansard.services.recall import Hit, Hits
    from hansard.services.reembed import Embedding, Reembedded
    from hansard.services.replay import Replayed
    from hansard.services.review import Failure, Promotion
    from hansard.services.scan import ScanReport
    from hansard.services.sync import Synced


def record(item: Project | Entry | Decision | Memory | Session | Run | KnownActor) -> dict[str, Any]:
    """Any record, field by field."""
    spoken = getattr(item, "ref", None)
    shape: dict[str, Any] = {} if spoken is None else {"ref": spoken}
    shape.update(zip(item._fields, item, strict=True))
    for name in _times(item._fields):
        if shape[name] is not None:
            shape[name] = iso(shape[name])
    shape.pop("salt", None)
    if "cleared" in shape and "origin" in shape:
        shape["outside"] = _is_outside(item)
    return shape


def _is_outside(item: Any) -> bool:
    """Whether a reader is told that the words are nobody's here: for a program that reads no quotation marks."""
    from hansard.domain.trust import is_from_outside

    return is_from_outside(item)


@cache
def _times(fields: tuple[str, ...]) -> tuple[str, ...]:
    """Those of a record's fields that are instants. Asked once: a list has a thousand records of one kind."""
    return tuple(name for name in fields if name.endswith("_at"))


def page(found: Page[Any] | Listing[Any], shape: Callable[[Any], dict[str, Any]] = record) -> dict[str, Any]:
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


def token(item: Grant) -> dict[str, Any]:
    """A token without its text, which is known to nobody but its holder."""
    return {
        "id": item.id,
        "agent": item.agent,
        "role": str(item.role),
        "projects": None if item.projects is None else sorted(item.projects),
        "created_by": item.created_by,
        "created_at": iso(item.created_at),
        "expires_at": None if item.expires_at is None else iso(item.expires_at),
        "revoked_at": None if item.revoked_at is None else iso(item.revoked_at),
    }


def hit(item: Hit) -> dict[str, Any]:
    return {
        "relevance": item.relevance,
        "score": item.score,
        "factors": item.factors._asdict()
        | {"coverage": item.coverage, "cosine": item.cosine, "corrections": item.corrections, "held": item.held},
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


def nothing_told(*, full: bool, task: str | None) -> str:
    """What is said of a turn that has no block. There may be memory all the same: most of it is told to a task only."""
    if not full:
        # Of a turn that wants only a part nobody can say that there is nothing.
        return "Nothing is told this turn."
    known = "Nothing is told: no boundaries, no core or important memory, no session"
    return f"{known}, nothing about the task." if task else f"{known}. Other memory is told to a turn with a task."


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


def versions(current: Entry | Memory, earlier: Sequence[Revision]) -> dict[str, Any]:
    return {"current": record(current), "earlier": [revision(one) for one in earlier]}


def decision_history(item: DecisionHistory) -> dict[str, Any]:
    return {
        "decision": record(item.decision),
        "revisions": [revision(one) for one in item.revisions],
        "events": [event(one) for one in item.events],
    }


def submission(item: Submission) -> dict[str, Any]:
    return {"outcome": item.outcome.value, "entry": record(item.entry)}


def failure(item: Failure) -> dict[str, Any]:
    return {"reference": item.reference, "code": item.error.code, "message": item.error.message}


def hits(found: Hits) -> dict[str, Any]:
    return {"items": [hit(one) for one in found], "notes": list(found.notes)}


def claims(report: ClaimsReport, shown: Sequence[Checked]) -> dict[str, Any]:
    """What was checked, with those memories that are to be shown."""
    from hansard.domain.claims import ClaimStatus

    return {
        "ok": not report.stale,
        "root": report.root,
        "memories": report.memories,
        "claims": {status.value: report.count(status) for status in ClaimStatus},
        "items": [_checked(one) for one in shown],
    }


def _checked(one: Checked) -> dict[str, Any]:
    said = [
        {"kind": claim.kind.value, "name": claim.name, "status": verdict.status.value, "note": verdict.note or None}
        for claim, verdict in one.claims
    ]
    return {"memory": record(one.memory), "claims": said}


def exported(report: ExportReport) -> dict[str, Any]:
    told = {name: list(getattr(report, name)) for name in ("written", "unchanged", "removed")}
    several = {name: [one._asdict() for one in getattr(report, name)] for name in ("set_aside", "failed", "waiting")}
    return {"root": report.root, **told, **several, "inbox": imported(report.inbox)}


def imported(report: ImportReport) -> dict[str, Any]:
    told = {name: [one._asdict() for one in getattr(report, name)] for name in ("imported", "skipped", "warnings")}
    ledger = report.ledger
    several = {name: [one._asdict() for one in getattr(ledger, name)] for name in ("skipped", "warnings", "renamed")}
    return {**told, "ledger": {**ledger._asdict(), "conflicts": list(ledger.conflicts), **several}}


def mirror_state(item: MirrorState) -> dict[str, Any]:
    return _timed(item._asdict()) | {"in_step": item.is_in_step}


def findings(found: Sequence[Finding]) -> dict[str, Any]:
    """What an examination found, with how much of it is bad."""
    words = [one.severity.value for one in found]
    return {
        "ok": "problem" not in words,
        "problems": words.count("problem"),
        "warnings": words.count("warning"),
        "items": [one._asdict() | {"severity": one.severity.value, "advice": one.advice or None} for one in found],
    }


def synced(item: Synced) -> dict[str, Any]:
    return item._asdict() | {"items": [one._asdict() for one in item.items]}


def indexed(report: NotesReport) -> dict[str, Any]:
    """Every note file, and how many of each kind."""
    from hansard.domain.notes import NoteStatus

    counts = {status.value: report.count(status) for status in NoteStatus}
    return {"files": [one._asdict() for one in report.files], "counts": counts}


def compacted(item: Compacted, task: str | None) -> dict[str, Any]:
    return {
        "state": item.state,
        "action": item.action,
        "task": task,
        "failures": item.failures,
        "level": item.level,
        "level_tried": item.tried,
        "tokens": item.tokens,
        "tokens_target": item.tokens_target or None,
        "spilled": item.spilled,
        "fault": item.fault,
        "kept": {name: list(bullets) for name, bullets in item.parts.items()},
        "dropped": [one._asdict() for one in item.dropped],
        "text": item.text,
    }


def embedding(item: Embedding) -> dict[str, Any]:
    return item._asdict() | {
        "serving": item.serving._asdict() if item.serving else None,
        "configured": item.configured._asdict() if item.configured else None,
    }


def reembedded(item: Reembedded) -> dict[str, Any]:
    return item._asdict() | {"model": item.model._asdict()}


def held(item: Entry | Memory) -> dict[str, Any]:
    """What waits for review, whichever it is, and how far its words are trusted."""
    from hansard.domain.trust import tier_of

    kind = "entry" if hasattr(item, "slug") else "memory"
    return {"kind": kind, "trust": tier_of(item).value, "record": record(item)}


def reviewed(item: Entry | Memory) -> dict[str, Any]:
    """The same with what the guard finds in it, field by field."""
    from hansard.services.admission import found_in

    return held(item) | {"found": [one._asdict() for one in found_in(item)]}


def allowance(item: Allowance) -> dict[str, Any]:
    return {
        "id": item.id, "kind": item.kind, "reason": item.reason, "allowed_by": item.allowed_by, "at": iso(item.at),
    }  # fmt: skip


def scanned(item: ScanReport) -> dict[str, Any]:
    return item._asdict() | {"findings": [one._asdict() for one in item.findings]}


def _timed(shape: dict[str, Any]) -> dict[str, Any]:
    for name, value in shape.items():
        if value is not None and name.endswith("_at"):
            shape[name] = iso(value)
    return shape
