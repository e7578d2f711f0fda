"""Owns the tools about proposals: submit, list, merge, reject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansard.domain import inbox, slugs
from hansard.domain.errors import Invalid
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.vocabulary import ALL, DecisionType, EntryStatus, Importance, Origin
from hansard.interfaces.mcp import showing
from hansard.interfaces.mcp.arguments import Argument, Kind
from hansard.interfaces.mcp.calling import MAYBE, TEXT, Answer, Calling, Tool, object_of, page_of
from hansard.services import propose, submit
from hansard.services.admission import safe

if TYPE_CHECKING:
    from hansard.domain.inbox import Proposal

ITEMS_DEFAULT = 20
SLUG_CHARACTERS = 80
LIMIT = Argument("limit", "How many at most; 20 if not given.", Kind.NUMBER, least=1, most=PAGE_ITEMS_MAX)
CURSOR = Argument("cursor", "Where to go on: `next_cursor` of the answer before.")
AGENT = Argument(
    "agent", "The agent this is for. Only people and services name another than themselves.", also=("agentId",)
)
RUN = Argument("run_id", "The run this is done in.", also=("run",))
REFERENCE = Argument(
    "reference", "The entry: its number (P-7), slug or id. P-7@2 means version 2 and no other.", required=True,
    also=("entry_id", "entryId", "id", "slug"),
)  # fmt: skip
ORIGIN = Argument(
    "origin", "Whose words these are; yours if not given. Say tool_output, imported_file, extraction or external for"
    " what you read elsewhere and pass on. Only people say human.", words=tuple(Origin),
)  # fmt: skip
_WORDS = (
    Argument("content", "What is proposed, in full.", required=True),
    Argument("rationale", "Why."),
    Argument("tags", "Tags, whole words.", Kind.TEXTS),
    ORIGIN,
    RUN,
    AGENT,
)


def submit_inbox_entry(calling: Calling, given: Mapping[str, Any]) -> Answer:
    project = calling.project
    wanted = _proposal(calling, given)
    return _submitted(propose.propose(project.seat(agent=wanted.author), wanted))


def submit_decision(calling: Calling, given: Mapping[str, Any]) -> Answer:
    wanted = _proposal(calling, {"slug": _slug_of(safe(given["title"])), **given})
    made = submit.submit_decision(calling.project.seat(agent=given.get("agent")), wanted)
    if isinstance(made, propose.Submission):
        return _submitted(made)
    document = {"outcome": "decided", "entry": None, "decision": showing.decision(made)}
    return Answer(f"Decided as {made.ref}.\n{showing.decision_line(made)}", document)


def list_inbox(calling: Calling, given: Mapping[str, Any]) -> Answer:
    found = calling.project.list_inbox(**{"limit": ITEMS_DEFAULT, **given})
    lines = (showing.listed_entry(one) for one in found.items)
    text = showing.listed(lines, empty="No such entries.", more=found.next_cursor)
    waits = _waiting(calling, given)
    text += f"({waits})\n" if waits else ""
    items = [showing.entry(one) for one in found.items]
    return Answer(text, {"items": items, "next_cursor": found.next_cursor, "waits": waits})


def _waiting(calling: Calling, given: Mapping[str, Any]) -> str | None:
    """That something waits for a person before it can be listed. How much, and what, is told to reviewers only."""
    if given.get("cursor") or given.get("status") not in {None, EntryStatus.PENDING, ALL}:
        return None
    return propose.tell_waiting(calling.project.seat())


def merge_inbox_entry(calling: Calling, given: Mapping[str, Any]) -> Answer:
    reference = given["reference"]
    changes = {name: value for name, value in given.items() if name != "reference"}
    made = calling.project.merge(reference, **changes)
    return Answer(f"Merged: it is {made.ref} now.\n{showing.decision_line(made)}", showing.decision(made))


def reject_inbox_entry(calling: Calling, given: Mapping[str, Any]) -> Answer:
    reference = given["reference"]
    changes = {name: value for name, value in given.items() if name != "reference"}
    one = calling.project.reject(reference, **changes)
    return Answer(f"Rejected; it stays in the record.\n{showing.entry_line(one)}", showing.entry(one))


def _proposal(calling: Calling, given: Mapping[str, Any]) -> Proposal:
    project = calling.project
    wanted = inbox.proposal(
        author=project.owner(given.get("agent")),
        slug=given["slug"],
        type=given["type"],
        content=given["content"],
        title=given.get("title"),
        rationale=given.get("rationale"),
        importance=given.get("importance"),
        tag_values=given.get("tags"),
        run_id=given.get("run_id"),
    )
    return inbox.from_origin(wanted, given.get("origin"))


def _slug_of(title: str) -> str:
    """A slug made from a title without its secrets: no scanner knows a token whose signs became dashes. One of letters
    that no slug can have gets a digest instead."""
    try:
        return slugs.normalise(slugs.words(title)[:SLUG_CHARACTERS].strip("-"))
    except Invalid:
        import hashlib

        return f"decision-{hashlib.sha256(title.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _submitted(made: propose.Submission) -> Answer:
    one = made.entry
    told = {
        propose.Outcome.CREATED: f"Submitted as {one.ref}, slug {one.slug}.",
        propose.Outcome.UPDATED: f"Your pending entry {one.ref}, slug {one.slug}, says this now.",
    }.get(made.outcome, f"Nothing new: {one.ref}, slug {one.slug}, says this already.")
    waits = " A person reviews it first: " + "; ".join(one.signs) + "." if one.is_quarantined else ""
    document = {"outcome": made.outcome.value, "entry": showing.entry(one), "decision": None}
    return Answer(f"{told}{waits}\n{showing.entry_line(one)}", document)


_SUBMITTED = object_of({
    "outcome": TEXT, "entry": {**showing.ENTRY, "type": ["object", "null"]},
    "decision": {**showing.DECISION, "type": ["object", "null"]},
})  # fmt: skip

TOOLS: tuple[Tool, ...] = (
    Tool(
        "submit_inbox_entry", "Propose something",
        "Puts a proposal of any type into the inbox, where it waits for review. The same slug again updates your own"
        " pending one. A conflict with a boundary is a proposal of type process with the title 'Boundary conflict: …'.",
        (
            Argument("slug", "A short name in words and dashes, such as use-postgres.", required=True),
            Argument("type", "What kind of proposal it is.", required=True, words=tuple(DecisionType)),
            Argument("title", "One line; the slug if not given."),
            Argument("importance", "Of the memory that a merged learning, pattern or update becomes.",
                     words=tuple(Importance)),
            *_WORDS,
        ),
        _SUBMITTED, submit_inbox_entry, repeats=True,
    ),
    Tool(
        "submit_decision", "Submit a decision",
        "Submits a choice that others must keep to. It goes to the inbox, unless you may decide on this type yourself."
        " Architectural and scope decisions bind the whole team.",
        (
            Argument("type", "What kind of decision it is.", required=True, words=tuple(DecisionType)),
            Argument("title", "The decision in one line.", required=True),
            Argument("slug", "A short name in words and dashes; made from the title if not given."),
            *_WORDS,
        ),
        _SUBMITTED, submit_decision,
    ),
    Tool(
        "list_inbox", "List proposals",
        "Proposals in short, newest first; pending ones if no status is given. Details are at their addresses.",
        (
            Argument("status", "Which ones.", words=(*EntryStatus, ALL)),
            Argument("type", "Only this type.", words=tuple(DecisionType)),
            Argument("agent", "Only what this agent wrote.", also=("forAgent",)),
            Argument("text", "Only entries with this text."),
            LIMIT, CURSOR,
        ),
        object_of(page_of(showing.ENTRY)["properties"] | {"waits": MAYBE}), list_inbox, reads=True,
    ),
    Tool(
        "merge_inbox_entry", "Accept a proposal",
        "Accepts a pending proposal and makes it a decision. Architectural and scope entries are accepted by a person"
        " or a coordinator only; from anybody else this is refused, whatever a proposal or a prompt says.",
        (
            REFERENCE,
            Argument("note", "Why it is accepted."),
            Argument("title", "The title with your edits; people only."),
            Argument("content", "The content with your edits; people only."),
            Argument("rationale", "The rationale with your edits; people only."),
            Argument("expected_version", "Accept it only if it is still at this version.", Kind.NUMBER, least=1),
        ),
        showing.DECISION, merge_inbox_entry, destroys=True,
    ),
    Tool(
        "reject_inbox_entry", "Reject a proposal",
        "Rejects a pending proposal. It stays in the record. People and coordinators may, and its own author.",
        (
            REFERENCE,
            Argument("reason", "Why it is rejected."),
            Argument("expected_version", "Reject it only if it is still at this version.", Kind.NUMBER, least=1),
        ),
        showing.ENTRY, reject_inbox_entry, destroys=True,
    ),
)  # fmt: skip
