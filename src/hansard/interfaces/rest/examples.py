"""Owns the examples in the OpenAPI document: records of a small shop, in the very shapes of real answers."""

from __future__ import annotations

from typing import Any

from hansard.domain import receipts as receipt_words
from hansard.domain.actors import KnownActor
from hansard.domain.decisions import Decision
from hansard.domain.findings import Finding, Severity
from hansard.domain.inbox import Entry
from hansard.domain.ledger import Event, Revision
from hansard.domain.memories import Memory
from hansard.domain.projects import Project
from hansard.domain.ranking import Factors
from hansard.domain.runs import LineFate, Run
from hansard.domain.sessions import Session
from hansard.domain.turns import Mode
from hansard.domain.vocabulary import (
    DecisionStatus,
    DecisionType,
    EntryStatus,
    Importance,
    MemoryType,
    Origin,
    RunOutcome,
    Scope,
    Source,
    Subject,
)
from hansard.interfaces import shapes
from hansard.services.recall import Hit

AT = 1_767_225_600_000_000
LATER = AT + 60_000_000
SALT = bytes(16)


def _id(number: int) -> str:
    return f"019b7b1c-8f3e-7000-8000-{number:012d}"


def _page(*items: dict[str, Any]) -> dict[str, Any]:
    return {"items": list(items), "next_cursor": None}


_decision = Decision(
    _id(3), 1, DecisionType.ARCHITECTURAL, "Use PostgreSQL", "All data lives in PostgreSQL.", "One engine to run.", (),
    (), "tank", "ana", DecisionStatus.ACTIVE, None, _id(2), None, 1, LATER, LATER, SALT,
)  # fmt: skip
_entry = Entry(
    _id(2), 7, "use-postgres", "use-postgres", DecisionType.ARCHITECTURAL, "Use PostgreSQL",
    "All data lives in PostgreSQL.", "One engine to run.", None, (), "tank", None, EntryStatus.PENDING, None, None,
    None, None, None, 1, AT, AT, SALT, Origin.AGENT,
)  # fmt: skip
_merged = _entry._replace(
    status=EntryStatus.MERGED, reviewer="ana", note="Agreed in the review.", reviewed_at=LATER, decision_id=_id(3),
    version=2, updated_at=LATER,
)  # fmt: skip
_memory = Memory(
    id=_id(1), agent="tank", type=MemoryType.LEARNING, importance=Importance.HIGH, scope=Scope.TEAM,
    source=Source.MANUAL, content="The API needs a Bearer prefix.", name=None, tags=("cross-team",), category=None,
    citations=("src/api.py:12",), kind=None, subject=None, reason=None, source_ref=None, position=None, run_id=None,
    session_id=None, entry_id=None, decision_id=None, occurred_at=None, expires_at=None, forgotten_at=None,
    access_count=3, accessed_at=LATER, version=1, created_at=AT, updated_at=AT, salt=SALT, origin=Origin.AGENT,
)  # fmt: skip
_session = Session(
    "0a1b2c3d", "Auth rework", ("#12",), "We begin with the login.", None, "ana", None, 1, AT, None, AT, SALT
)
_run = Run(_id(4), "tank", None, "Fix the login", "bug", ("auth",), None, None, 1, AT, None, AT, SALT)
_ended = _run._replace(outcome=RunOutcome.COMPLETED, ended_at=LATER, version=2, updated_at=LATER)
_event = Event(
    12, LATER, "ana", "ana", "human", "entry.merged", Subject.ENTRY, _id(2), bytes(16), bytes(16),
    {"decision": _id(3)}, bytes(32), bytes(32),
)  # fmt: skip

PROJECT = shapes.record(Project(_id(9), "shop", "The shop", AT))
PROJECTS = _page(PROJECT)
AGENTS = _page(shapes.record(KnownActor("tank", "tank", "agent", AT)))
RUN = shapes.record(_run)
RUNS = _page(RUN)
ENTRY = shapes.record(_entry)
ENTRIES = _page(ENTRY)
SUBMISSION = {"outcome": "created", "entry": ENTRY}
UPDATED = {"outcome": "updated", "entry": shapes.record(_entry._replace(version=2, updated_at=LATER))}
DECISION = shapes.record(_decision)
DECISIONS = _page(DECISION)
ARCHIVED = shapes.record(_decision._replace(status=DecisionStatus.ARCHIVED, version=2))
SUPERSEDED = shapes.record(_decision._replace(status=DecisionStatus.SUPERSEDED, superseded_by=_id(5), version=2))
MEMORY = shapes.record(_memory)
MEMORIES = _page(MEMORY)
DUPLICATE = MEMORY | {"duplicate": True}
RECORDED = {"items": [MEMORY]}
ALL_KNOWN = {"items": [DUPLICATE]}
RATED = MEMORY | {"counts": True}
FORGOTTEN = shapes.record(
    _memory._replace(content="", tags=(), citations=(), forgotten_at=LATER, version=2, updated_at=LATER)
)
SESSION = shapes.record(_session)
SESSIONS = _page(SESSION)
ENDED_SESSION = shapes.record(_session._replace(ended_at=LATER, version=2, updated_at=LATER))
EVENT = shapes.event(_event)
EVENTS = _page(EVENT)
REVISION = shapes.revision(Revision(1, AT, LATER, "ana", {"title": "Use Postgres", "version": 1}))
ENTRY_VERSIONS = {"current": shapes.record(_merged), "earlier": [REVISION]}
MEMORY_VERSIONS = {"current": MEMORY, "earlier": []}
DECISION_HISTORY = {"decision": DECISION, "revisions": [REVISION], "events": [EVENT]}
PROMOTION = {"version": 1, "entry": shapes.record(_merged), "decision": DECISION, "memory": None}
FAILURE = {"reference": "P-9", "code": "inbox.already_reviewed", "message": "P-9 was rejected already."}
MERGED = {"merged": [PROMOTION], "failed": [FAILURE]}
REJECTED_ENTRY = shapes.record(
    _entry._replace(status=EntryStatus.REJECTED, reviewer="ana", note="Not now.", reviewed_at=LATER, version=2)
)
REJECTED = {"rejected": [REJECTED_ENTRY], "failed": []}
FINALIZED = {"items": [PROMOTION]}
SCRIBED = {
    "run_id": _id(4), "merged": [], "awaiting_review": [ENTRY], "line": LineFate.ADDED.value,
    "session_id": "0a1b2c3d", "session_closed": False,
}  # fmt: skip
FINISHED = shapes.record(_ended) | {
    "memory_id": _id(1), "not_remembered": None, "scribed": SCRIBED, "not_scribed": None,
}  # fmt: skip
HITS = {"items": [shapes.hit(Hit(_memory, 0.81, 0.77, Factors(0.81, 0.95, 1.0), 0.9, 0.7))], "notes": []}
USAGE = {
    "calls": 4, "never_surfaced": 2,
    "by_source": {"manual": {"surfaced": 4, "memories": 2, "shown": 3, "read": 1, "rated_useful": 1,
                             "rated_useless": 0}},
    "top": [{"memory_id": _id(1), "text": "The API needs a Bearer prefix.", "surfaced": 3, "shown": 3, "read": 1,
             "rated_useful": 1, "rated_useless": 0, "origin": None, "signs": []}],
}  # fmt: skip
SIGHTINGS = {
    "items": [{"at": EVENT["at"], "agent": "tank", "memory_id": _id(1), "text": "The API needs a Bearer prefix.",
               "kind": "search", "rank": 1, "shown": True, "task": "Fix the login", "run_id": None, "relevance": 0.81,
               "score": 0.77, "origin": None, "signs": []}],
    "next_cursor": None,
}  # fmt: skip
CLAIMS = {
    "ok": False, "root": "/srv/shop", "memories": 12, "claims": {"verified": 9, "stale": 1, "unchecked": 0},
    "items": [{"memory": MEMORY, "claims": [
        {"kind": "path", "name": "src/api.py", "status": "stale", "note": "`src/api.py` is not there."}]}],
}  # fmt: skip
EXPIRED = {"expired": 3, "purged": False}
OLD = {"old": 3, "purged": False}
REINDEXED = {"memories": 120}
_model = {"name": "static", "revision": "1", "dimensions": 256}
EMBEDDING = {"serving": _model, "configured": _model, "embedded": 120, "units": 120}
REEMBEDDED = {"model": _model, "units": 120, "refused": 0}
_receipt = receipt_words.Receipt(
    id=_id(6), at=LATER, agent="tank", mode=Mode.FULL, task="Fix the login", prompt_sha256=None, charter=None,
    run_id=None,
    lines=(receipt_words.ReceiptLine(
        receipt_words.Layer.BOUNDARIES, _id(3), 22, receipt_words.Fate.INCLUDED, receipt_words.Kind.DECISION, 1),),
    totals=(receipt_words.LayerTotal(receipt_words.Layer.BOUNDARIES, 22, 8_000, 1, 0),),
    superseded=0, more_runs=0, shaping=(("session_tokens_max", 1_000),), sha256="0" * 64, ledger_seq=12, tokens=22,
)  # fmt: skip
RECEIPT = shapes.receipt(_receipt)
BLOCK = {"text": "# Decisions\n\n- D-1 Use PostgreSQL: All data lives in PostgreSQL.\n", "receipt": RECEIPT}
RECEIPTS = _page(
    {"id": _id(6), "agent": "tank", "mode": "full", "at": EVENT["at"], "ledger_seq": 12, "sha256": "0" * 64}
)
REPLAYED = {"text": BLOCK["text"], "exact": True, "sha256": "0" * 64, "differences": [], "receipt": RECEIPT}
VERIFICATION = {"ok": True, "events": 12, "records": 5, "first_broken": None}
IMPORTED = {
    "imported": [{"path": ".squad/decisions/inbox/use-redis.md", "slug": "use-redis", "ref": "P-8"}],
    "skipped": [], "warnings": [],
    "ledger": {"decisions": 0, "proposals": 0, "memories": 0, "updated": 0, "forgotten": 0, "conflicts": [],
               "skipped": [], "warnings": [], "renamed": []},
}  # fmt: skip
EXPORTED = {
    "root": "/srv/shop", "written": [".squad/decisions.md"], "unchanged": [], "removed": [], "set_aside": [],
    "failed": [], "waiting": [], "inbox": IMPORTED | {"imported": []},
}  # fmt: skip
MIRROR = {
    "items": [{"root": "/srv/shop", "head": 12, "done": 12, "attempts": 1, "failed_at": None, "error": None,
               "at_work": False, "abandoned": False, "in_step": True}],
}  # fmt: skip
FINDINGS = shapes.findings([Finding("history", Severity.OK, "The history is whole: 12 events.", "", "shop")])
HELD = shapes.held(_entry._replace(quarantined_at=AT, signs=("speaks to the reader",)))
REVIEWED = HELD | {"found": [{"field": "content", "sign": "speaks to the reader", "words": "Obey me."}]}
QUARANTINE = {"items": [HELD], "next_cursor": None}
ALLOWANCE = {
    "id": _id(7), "kind": "generic", "reason": "It is public.", "allowed_by": "ana", "at": EVENT["at"],
}  # fmt: skip
ALLOWANCES = {"items": [ALLOWANCE]}
SCAN = {
    "texts": 120, "found": 1, "redacted": 0,
    "findings": [{"place": "memory", "id": _id(1), "version": None, "field": "content", "kind": "aws_key",
                  "stays": False, "ref": "", "fix": ""}],
}  # fmt: skip
INDEXED = {
    "files": [{"path": ".hansard/notes/tank/api.md", "status": "new", "reason": None, "agent": "tank",
               "scope": "agent", "created": 2, "edited": 0, "kept": 0, "ended": 0}],
    "counts": {"new": 1, "changed": 0, "unchanged": 0, "moved": 0, "ended": 0, "skipped": 0},
}  # fmt: skip
SETTING = {
    "name": "context.items_max", "of_project": 30, "value": 20, "origin": "default",
    "about": "Memories in one block.",
}  # fmt: skip
SETTINGS = {"items": [SETTING]}
CHANGED = {
    "root": "/srv/shop", "items": [{"path": ".squad/decisions.md", "status": "changed"}], "commit": None,
}  # fmt: skip
SYNCED = CHANGED | {"commit": "5f1c0d1e9a7b4c3d2e1f0a9b8c7d6e5f4a3b2c1d"}
COMPACTED = {
    "state": "COMPLETE", "action": "continue", "task": None, "failures": 0, "level": 0, "level_tried": 0, "tokens": 24,
    "tokens_target": 2_000, "spilled": None, "fault": None, "kept": {"constraint": ["Never push to main."]},
    "dropped": [{"kind": "message", "items": 1, "characters": 33}], "text": "## Constraints\n- Never push to main.\n",
}  # fmt: skip
SPILLS_REMOVED = {"task": "login", "removed": [".cache/tool-output/login/0123456789abcdef.md"]}
STREAM = 'id: 12\nevent: entry.merged\ndata: {"seq":12,"action":"entry.merged"}\n\n'
