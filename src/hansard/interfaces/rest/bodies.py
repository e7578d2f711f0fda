"""Owns what the bodies of requests may say, by type. What the words mean is the domain's to judge."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from hansard.domain.limits import BULK_ITEMS_MAX, RECALL_ITEMS_MAX
from hansard.domain.turns import Mode
from hansard.domain.vocabulary import (
    Category,
    DecisionType,
    FactKind,
    Importance,
    MemoryType,
    Origin,
    Reach,
    RunOutcome,
    Scope,
    Source,
)

CONVERSATION_BYTES_MAX = 2 * 1024 * 1024
"""Two seconds of work and a hundred megabytes a megabyte; on its own machine a command takes what it likes."""
BATCH_ITEMS_MAX = 10_000
"""How many memories one request records; more of them do not fit the largest body anyway."""
# Of a list one fault is told: of all its items there may be as many as fit into the largest body.
Words = Annotated[list[StrictStr], Field(max_length=1_000, fail_fast=True)]
Agent = Annotated[
    str | None, Field(description="The agent this is for; default: the caller. Agents name nobody but themselves.")
]
AsOf = Annotated[str | None, Field(description="As it stood then: 2026-03-01 or 2026-03-01T14:30:00Z.")]
RunId = Annotated[StrictStr | None, Field(description="The open run this is done in.")]


class Body(BaseModel):
    """A word too many is refused: a misspelt field must not be passed over."""

    model_config = ConfigDict(extra="forbid")

    def given(self) -> dict[str, Any]:
        """What the caller said, and nothing that was left out."""
        return self.model_dump(exclude_unset=True)


def _shown(**example: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [example]})


class NewProject(Body):
    """A project. Its key is what people type and what addresses name."""

    model_config = _shown(key="garage", name="The garage")

    key: StrictStr
    name: StrictStr | None = None


class NewRun(Body):
    """An agent begins to work."""

    model_config = _shown(agent="tank", task="Fix the login", task_type="bug", tags=["auth"])

    agent: Agent = None
    parent: Annotated[StrictStr | None, Field(description="The run that started this one.")] = None
    task: StrictStr | None = None
    task_type: StrictStr | None = None
    tags: Words | None = None


class RunEnd(Body):
    """How a run ended. What came of its task is remembered once, and the Scribe follows."""

    model_config = _shown(outcome="completed", output="The login works again: the clock was in local time.")

    outcome: RunOutcome
    reason: StrictStr | None = None
    output: StrictStr | None = None
    persist: Annotated[StrictBool, Field(description="Remember it even if the task was an automatic one.")] = False


class NewEntry(Body):
    """A proposal. The same author and slug update the pending one."""

    model_config = _shown(
        slug="use-postgres", type="architectural", content="All data lives in PostgreSQL.", title="Use PostgreSQL",
        rationale="One engine to run.", agent="tank",
    )  # fmt: skip

    slug: StrictStr
    type: DecisionType
    content: StrictStr
    agent: Agent = None
    title: StrictStr | None = None
    rationale: StrictStr | None = None
    importance: Importance | None = None
    tags: Words | None = None
    run_id: RunId = None
    origin: Annotated[Origin | None, Field(description="Whose words these are; default: the caller's.")] = None


class Merge(Body):
    """How a proposal is accepted. Only a person changes its words."""

    model_config = _shown(note="Agreed in the review.", expected_version=1)

    title: StrictStr | None = None
    content: StrictStr | None = None
    rationale: StrictStr | None = None
    note: StrictStr | None = None
    expected_version: Annotated[
        StrictInt | None, Field(description="Accept it only if it is still at this version; If-Match says the same.")
    ] = None


class Rejection(Body):
    """Why a proposal is declined. It stays in the record."""

    model_config = _shown(reason="We keep SQLite for now.")

    reason: StrictStr | None = None
    expected_version: StrictInt | None = None


References = Annotated[list[StrictStr], Field(min_length=1, max_length=BULK_ITEMS_MAX, fail_fast=True)]


class MergeMany(Body):
    """Proposals to accept, each by number, slug or id; `P-7@2` accepts version 2 and nothing else."""

    model_config = _shown(references=["P-7@2", "P-9"], note="Agreed in the review.")

    references: References
    note: StrictStr | None = None


class RejectMany(Body):
    """Proposals to decline."""

    model_config = _shown(references=["P-8", "P-10"], reason="Out of scope.")

    references: References
    reason: StrictStr | None = None


class NewDecision(Body):
    """A decision that is made directly."""

    model_config = _shown(
        type="scope", title="No billing", content="Billing is out of scope.", applies_to=["src/billing/**"]
    )

    type: DecisionType
    title: StrictStr
    content: StrictStr
    rationale: StrictStr | None = None
    tags: Words | None = None
    applies_to: Annotated[Words | None, Field(description="Globs of the paths it applies to.")] = None
    run_id: RunId = None


class Amendment(Body):
    """What changes in an active decision. What is left out stays; an empty rationale removes it."""

    model_config = _shown(rationale="Measured: twice as fast.")

    title: StrictStr | None = None
    content: StrictStr | None = None
    rationale: StrictStr | None = None
    tags: Words | None = None
    applies_to: Words | None = None


class Succession(Body):
    """The active decision that takes over."""

    model_config = _shown(by="D-4")

    by: StrictStr


class BatchedMemory(Body):
    """Something that may help next time, among others."""

    model_config = _shown(
        content="The API needs a Bearer prefix.", agent="tank", type="learning", importance="high",
        tags=["cross-team"],
    )  # fmt: skip

    content: StrictStr
    agent: Agent = None
    type: MemoryType = MemoryType.LEARNING
    importance: Importance = Importance.MEDIUM
    scope: Annotated[Scope | None, Field(description="agent is private; team or the tag cross-team is shared.")] = None
    source: Source = Source.MANUAL
    name: StrictStr | None = None
    tags: Words | None = None
    category: StrictStr | None = None
    citations: Words | None = None
    kind: FactKind | None = None
    subject: StrictStr | None = None
    reason: StrictStr | None = None
    source_ref: StrictStr | None = None
    position: StrictInt | None = None
    run_id: RunId = None
    session_id: StrictStr | None = None
    occurred_at: Annotated[str | None, Field(description="When it happened, as an ISO time.")] = None
    origin: Annotated[Origin | None, Field(description="Whose words these are; default: the caller's.")] = None


class NewMemory(BatchedMemory):
    """Something that may help next time."""

    force: Annotated[StrictBool, Field(description="Record it also if it is known already.")] = False


class Batch(Body):
    """Memories that are recorded in one transaction, or none of them."""

    model_config = _shown(
        items=[{"content": "Uploads over 5 MB time out.", "agent": "tank", "source_ref": "chat-7", "position": 3}]
    )

    items: Annotated[list[BatchedMemory], Field(max_length=BATCH_ITEMS_MAX, fail_fast=True)]
    force: Annotated[StrictBool, Field(description="Record them also if they are known already.")] = False


class Search(Body):
    """A question. Own and team memories answer; `scope` narrows that."""

    model_config = _shown(query="why do I get 403?", agent="tank", limit=5)

    query: StrictStr
    agent: Agent = None
    limit: Annotated[StrictInt, Field(ge=1, le=RECALL_ITEMS_MAX)] = 5
    scope: Reach = Reach.ALL
    source: Source | None = None
    run_id: RunId = None
    task: Annotated[StrictStr | None, Field(description="What it is asked for; kept in the retrieval log.")] = None


class Use(Body):
    """Who reads a memory, and what for."""

    model_config = _shown(agent="tank", task="Fix the login")

    agent: Agent = None
    run_id: RunId = None
    task: StrictStr | None = None


class Correction(Body):
    """What changes in a memory. What is left out stays; an empty name removes it."""

    model_config = _shown(importance="high", tags=["auth", "cross-team"])

    content: StrictStr | None = None
    name: StrictStr | None = None
    type: MemoryType | None = None
    importance: Importance | None = None
    tags: Words | None = None
    citations: Words | None = None


class Rating(Body):
    """Whether a memory helped. In a run an agent says so once."""

    model_config = _shown(useful=True, note="It saved an hour.", agent="tank")

    useful: StrictBool
    note: StrictStr | None = None
    agent: Agent = None
    run_id: RunId = None


class Sharing(Body):
    """For whom a memory is shared; nothing needs to be said."""

    model_config = _shown(agent="tank")

    agent: Agent = None


class Lesson(Body):
    """What an agent is to learn. A lead or a person hands it over."""

    model_config = _shown(learning="Run the migrations first.", agent="tank", category="best-practice")

    learning: StrictStr | None = None
    memory_id: StrictStr | None = None
    agent: StrictStr
    category: Category


class Summary(Body):
    """What a conversation taught. It is kept for three days, if it taught anything."""

    model_config = _shown(summary="The login failed because the clock was in local time.", agent="tank")

    summary: StrictStr
    agent: Agent = None
    run_id: Annotated[StrictStr | None, Field(description="The run that the conversation was part of.")] = None
    persist: Annotated[StrictBool, Field(description="Keep it even if the task was an automatic one.")] = False


class ClaimCheck(Body):
    """Which memories are checked against the working tree: these, or all of one agent, or all that the caller sees."""

    model_config = _shown(agent="tank", show_all=False)

    ids: Annotated[list[StrictStr], Field(max_length=BULK_ITEMS_MAX, fail_fast=True)] = []
    agent: StrictStr | None = None
    show_all: Annotated[StrictBool, Field(description="Also show memories whose claims all hold.")] = False


class Purge(Body):
    """Whether to forget for good, or only to count."""

    model_config = _shown(dry_run=True)

    dry_run: StrictBool = False
    trust_clock: Annotated[
        StrictBool, Field(description="Purge although the server's clock seems to be far ahead.")
    ] = False


class ReceiptPurge(Body):
    """Which receipts are too old; default: as many days as the setting says."""

    model_config = _shown(days=7, dry_run=True)

    days: Annotated[StrictInt | None, Field(ge=0, le=36_500)] = None
    dry_run: StrictBool = False


class Reembedding(Body):
    """Whether even those vectors are made anew that the configured model has made already."""

    model_config = _shown(again=False)

    again: StrictBool = False


class NewSession(Body):
    """What the team works on now. The session that was open ends."""

    model_config = _shown(focus="Auth rework", issues=["#12"], summary="We begin with the login.")

    focus: StrictStr
    id: StrictStr | None = None
    issues: Words | None = None
    summary: StrictStr | None = None
    state: Annotated[StrictStr | None, Field(description="Anything a host wants to find again.")] = None
    run_id: RunId = None
    agent: Agent = None


class SessionUpdate(Body):
    """A line for the summary, or what else changes. With `replace` the summary is replaced."""

    model_config = _shown(summary="The login works; the tokens are next.")

    summary: StrictStr | None = None
    replace: StrictBool = False
    focus: StrictStr | None = None
    issues: Words | None = None
    state: StrictStr | None = None
    agent: Agent = None


class SessionEnd(Body):
    """Who ends the session; nothing needs to be said."""

    model_config = _shown(agent="tank")

    agent: Agent = None


class Turn(Body):
    """The turn that a block is made for."""

    model_config = _shown(agent="tank", task="Fix the login", mode="full", keep=True)

    agent: Agent = None
    task: StrictStr | None = None
    prompt: Annotated[StrictStr | None, Field(description="It is read for whether it wants no memory; never kept.")] = (
        None
    )
    mode: Mode = Mode.FULL
    charter: Annotated[StrictStr | None, Field(description="In child mode, what stands before the decisions.")] = None
    run_id: Annotated[StrictStr | None, Field(description="The run this turn belongs to.")] = None
    keep: Annotated[StrictBool, Field(description="Keep the receipt; it then has an id for a replay.")] = False
    as_of: AsOf = None


class Reason(Body):
    """Why; it stays in the history."""

    model_config = _shown(reason="A quotation, and harmless.")

    reason: StrictStr


_SECRET_SHAPED = " ".join(("password:", "Rosen4Sommer!"))
"""Joined when it runs: no file of this repository holds what the scanner takes for a secret."""


class NewAllowance(Body):
    """A value that looks like a secret and is none, with the words before it by which the scanner knows it."""

    model_config = _shown(value=_SECRET_SHAPED, reason="It is the public one of the demo.")

    value: StrictStr
    reason: StrictStr


class SecretScan(Body):
    """Whether what is found is taken out."""

    model_config = _shown(redact=False)

    redact: StrictBool = False


class NoteIndex(Body):
    """Whose notes are indexed by; a person names the agent, or nobody."""

    model_config = _shown(agent="tank")

    agent: Agent = None


class NewValue(Body):
    """What a setting of the project is to be."""

    model_config = _shown(value=30)

    value: StrictStr | StrictInt | StrictFloat


class Commit(Body):
    """What the commit says; default: that the mirror was updated."""

    model_config = _shown(message="What we decided today")

    message: StrictStr | None = None


class Conversation(Body):
    """A conversation or a state: the text of a file of it (JSON, JSON lines, YAML or Markdown), or its JSON itself."""

    model_config = _shown(
        conversation=[
            {"role": "user", "content": "Never push to main. Fix the login."},
            {"role": "assistant", "content": "Next: write a test for the clock."},
        ],
        tokens_target=2_000,
    )

    conversation: Annotated[
        StrictStr | list[Any] | dict[str, Any],
        Field(description=f"Of at most {CONVERSATION_BYTES_MAX:,} bytes, with all else of the body."),
    ]
    tokens_target: Annotated[StrictInt | None, Field(description="Leave at most so many tokens; 0 is no target.")] = (
        None
    )
    level_max: Annotated[
        StrictInt | None, Field(description="Highest level of the ladder that may be used, 0 to 5.")
    ] = None
    task: Annotated[
        StrictStr | None, Field(description="The task it is for: failures are counted, and files spilled, for it.")
    ] = None
    with_decisions: Annotated[StrictBool, Field(description="Add the project's binding decisions.")] = False
