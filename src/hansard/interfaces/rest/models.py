"""Owns what answers look like in the OpenAPI document: the shapes of `interfaces.shapes`, as models."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from hansard.domain import actors, decisions, findings, inbox, memories, mirror, receipts, runs, sessions, usage
from hansard.domain.claims import ClaimKind, ClaimStatus
from hansard.domain.projects import Project as ProjectRecord
from hansard.domain.units import ModelIdentity
from hansard.domain.usage import MemoryUsage, SourceUsage
from hansard.domain.vocabulary import Role, Subject, Trust
from hansard.interfaces.rest.describing import Answer, Time, described, list_of, page_of

Project = described(ProjectRecord)
Agent = described(actors.KnownActor, "Agent")
Memory = described(memories.Memory, outside=bool)
Entry = described(inbox.Entry, ref=str, outside=bool)
Decision = described(decisions.Decision, ref=str)
Session = described(sessions.Session)
Run = described(runs.Run)
Sighting = described(usage.Sighting)
Identity = described(ModelIdentity, "EmbeddingModel")

Projects, Agents, Runs = page_of(Project, "Projects"), page_of(Agent, "Agents"), page_of(Run, "Runs")
Entries, Decisions = page_of(Entry, "Entries"), page_of(Decision, "Decisions")
Memories, Sessions = page_of(Memory, "Memories"), page_of(Session, "Sessions")
Recorded = list_of(Memory, "RecordedMemories")
Sightings = page_of(Sighting, "Sightings")


class Event(Answer):
    """One line of a project's history. The bytes of the chain are hexadecimal."""

    seq: int
    at: Time
    actor: str
    role: str
    action: str
    subject: Subject
    subject_id: str | None
    before: str | None
    after: str | None
    details: dict[str, str]
    previous: str
    hash: str


Events = page_of(Event, "Events")


class Revision(Answer):
    """A version that is no longer the current one."""

    version: int
    valid_from: Time
    valid_until: Time
    changed_by: str
    body: dict[str, Any]


class EntryVersions(Answer):
    """A proposal as it stands, and what it said before, oldest first."""

    current: Entry  # type: ignore[valid-type]
    earlier: list[Revision]


class MemoryVersions(Answer):
    """A memory as it stands, and what it said before, oldest first."""

    current: Memory  # type: ignore[valid-type]
    earlier: list[Revision]


class DecisionHistory(Answer):
    """A decision, what it said before, oldest first, and everything that was done to it."""

    decision: Decision  # type: ignore[valid-type]
    revisions: list[Revision]
    events: list[Event]


class Submission(Answer):
    """The entry as it now stands, and what the submission did to it. `entry.slug` is the slug it really got."""

    outcome: Literal["created", "updated", "unchanged"]
    entry: Entry  # type: ignore[valid-type]


class Promotion(Answer):
    """What a merge made of an entry. `version` is the version of the entry that was accepted."""

    version: int
    entry: Entry  # type: ignore[valid-type]
    decision: Decision  # type: ignore[valid-type]
    memory: Memory | None  # type: ignore[valid-type]


class Failure(Answer):
    """One entry that could not be reviewed, and why."""

    reference: str
    code: str
    message: str


class Merged(Answer):
    """What became of each entry. One that failed did not stop the others."""

    merged: list[Promotion]
    failed: list[Failure]


class Rejected(Answer):
    """What became of each entry. One that failed did not stop the others."""

    rejected: list[Entry]  # type: ignore[valid-type]
    failed: list[Failure]


class Finalized(Answer):
    """What was accepted of a coordinator's run."""

    items: list[Promotion]


class ScribeReport(Answer):
    """What the Scribe did for a run that ended, and what it left for a review."""

    run_id: str
    merged: list[Promotion]
    awaiting_review: list[Entry]  # type: ignore[valid-type]
    line: runs.LineFate
    session_id: str | None
    session_closed: bool


FinishedRun = described(
    runs.Run,
    "FinishedRun",
    memory_id=str | None,
    not_remembered=str | None,
    scribed=ScribeReport | None,
    not_scribed=str | None,
)


class Factors(Answer):
    """What a score is made of."""

    relevance: float
    recency: float
    access: float
    quality: float
    usefulness: float
    coverage: float
    cosine: float
    corrections: float
    held: float


class Hit(Answer):
    """A memory that was found: how well it answers, and where it stands after recency and access."""

    relevance: float
    score: float
    factors: Factors
    memory: Memory  # type: ignore[valid-type]


class Hits(Answer):
    """What was found, best first, and what the reader should know about the search."""

    items: list[Hit]
    notes: list[str]


RatedMemory = described(memories.Memory, "RatedMemory", outside=bool, counts=bool)
_source, _used = described(SourceUsage), described(MemoryUsage)


class Usage(Answer):
    """What gets surfaced, read and rated."""

    calls: int
    never_surfaced: int
    by_source: dict[str, _source]  # type: ignore[valid-type]
    top: list[_used]  # type: ignore[valid-type]


class Claim(Answer):
    """Something that a memory says is there, and how that stands."""

    kind: ClaimKind
    name: str
    status: ClaimStatus
    note: str | None


class Checked(Answer):
    """A memory with what it claims."""

    memory: Memory  # type: ignore[valid-type]
    claims: list[Claim]


class Claims(Answer):
    """What was checked, and where. `claims` counts them by how they stand."""

    ok: bool
    root: str | None
    memories: int
    claims: dict[str, int]
    items: list[Checked]


class Summarised(Answer):
    """What is kept of a conversation."""

    memory: Memory | None  # type: ignore[valid-type]


class CallerSeen(Answer):
    """Who a token stands for."""

    name: str
    roles: list[Role]
    projects: list[str] | None


class Expired(Answer):
    """How many memories had expired, and whether they are gone."""

    expired: int
    purged: bool


class Old(Answer):
    """How many receipts were too old, and whether they are gone."""

    old: int
    purged: bool


class Reindexed(Answer):
    """Of how many memories the index was made anew."""

    memories: int


class Embedding(Answer):
    """The model that searches use, the one that is configured, and how many units it has embedded of all."""

    serving: Identity | None  # type: ignore[valid-type]
    configured: Identity | None  # type: ignore[valid-type]
    embedded: int
    units: int


class Reembedded(Answer):
    """What searches use now, how many units were embedded for it, and how many texts it refused."""

    model: Identity  # type: ignore[valid-type]
    units: int
    refused: int


_line, _total = described(receipts.ReceiptLine), described(receipts.LayerTotal)
Receipt = described(
    receipts.Receipt,
    "Receipt",
    lines=list[_line],  # type: ignore[valid-type]
    totals=list[_total],  # type: ignore[valid-type]
    shaping=dict[str, int],
)


class Block(Answer):
    """The text for the prompt, and its receipt; both null if there is nothing to tell."""

    text: str | None
    receipt: Receipt | None  # type: ignore[valid-type]


class KeptReceipt(Answer):
    """A receipt in a list: what tells it from the others."""

    id: str
    agent: str
    mode: str
    at: Time
    ledger_seq: int
    sha256: str


Receipts = page_of(KeptReceipt, "Receipts")


class Replayed(Answer):
    """A block made again. `exact` says whether it has the very bytes that the agent was given."""

    text: str
    exact: bool
    sha256: str
    differences: list[str]
    receipt: Receipt  # type: ignore[valid-type]


class Break(Answer):
    """The first place where the history does not verify, and what is wrong there."""

    seq: int
    problem: str


class Verification(Answer):
    """Whether the history is whole."""

    ok: bool
    events: int
    records: int
    first_broken: Break | None


Imported = described(mirror.ImportReport, "Import")
Exported = described(mirror.ExportReport, "Export", without={"position"}, inbox=Imported)


class MirrorState(Answer):
    """How the files of one folder stand. `abandoned` is an exporter that ended before its work did."""

    root: str | None
    head: int
    done: int
    attempts: int
    failed_at: Time | None
    error: str | None
    at_work: bool
    abandoned: bool
    in_step: bool


class MirrorStatus(Answer):
    """How the files of each folder of the server's machine stand."""

    items: list[MirrorState]


_finding = described(findings.Finding, "Finding", advice=str | None)


class Findings(Answer):
    """What an examination found. `ok` means that there is no problem; a warning is none."""

    ok: bool
    problems: int
    warnings: int
    items: list[_finding]  # type: ignore[valid-type]


class Held(Answer):
    """A memory or a proposal that waits for review. `trust` is how far its origin is trusted."""

    kind: Literal["entry", "memory"]
    trust: Trust
    record: Entry | Memory  # type: ignore[valid-type]


class Found(Answer):
    """One thing that the guard finds: in which field, what it is, and which words are it."""

    field: str
    sign: str
    words: str


class Reviewed(Held):
    """A memory or a proposal that waits for review, or was just reviewed, with what the guard finds in it."""

    found: list[Found]


class Quarantine(Answer):
    """What waits for review, the longest waiting first. `next_cursor` is given back as `cursor`; null is the end."""

    items: list[Held]
    next_cursor: str | None


class Allowance(Answer):
    """A value that looks like a secret and is none; never the value."""

    id: str
    kind: str
    reason: str
    allowed_by: str
    at: Time


class Allowances(Answer):
    """What was allowed, by whom and why."""

    items: list[Allowance]


class StoredSecret(Answer):
    """One secret that is stored: where, and of which kind. Never the secret."""

    place: str
    id: str
    version: int | None
    field: str
    kind: str
    stays: bool
    ref: str
    fix: str


class Scan(Answer):
    """What was looked at, what was found, and how many records or lines were mended."""

    texts: int
    findings: list[StoredSecret]
    found: int
    redacted: int


class Fault(BaseModel):
    """One field of a request that cannot be used."""

    field: str
    message: str


class Problem(BaseModel):
    """What went wrong, as RFC 9457 has it. `code` is stable; programs go by it and never by the words."""

    model_config = ConfigDict(extra="forbid")

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[Fault] | None = None
