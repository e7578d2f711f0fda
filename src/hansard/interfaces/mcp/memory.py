"""Owns the tools about memories: record, search, get, delete, rate, inject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansard.domain import rendering
from hansard.domain.actors import key_of
from hansard.domain.layout import NOTES_NOTE
from hansard.domain.rendering import name
from hansard.domain.vocabulary import Category, Importance, MemoryType, Reach, Scope, Source
from hansard.interfaces.mcp import details, showing
from hansard.interfaces.mcp.arguments import Argument, Kind
from hansard.interfaces.mcp.calling import MAYBE, NUMBER, SWITCH, TEXT, TEXTS, Answer, Calling, Tool, object_of
from hansard.interfaces.mcp.inbox import AGENT, ORIGIN, RUN

HITS_DEFAULT = 10
HITS_MAX = 50
MEMORY_ID = Argument("memory_id", "The memory's id or address.", required=True, also=("memoryId", "id"))
TASK = Argument("task", "What it is needed for; kept in the retrieval log.", also=("intent",))


def record_memory(calling: Calling, given: Mapping[str, Any]) -> Answer:
    fields = dict(given)
    one = calling.project.remember(fields.pop("content"), **fields)
    told = f"Known already as {one.id}; nothing was written." if one.duplicate else f"Recorded as {one.id}."
    if one.is_quarantined:
        told = f"Kept as {one.id}, but a person reviews it first: {'; '.join(one.signs)}."
    line = showing.memory_line(one, reader_key=calling.reader_key)
    return Answer(f"{told}\n{line}", showing.memory(one) | {"duplicate": one.duplicate})


def memory_search(calling: Calling, given: Mapping[str, Any]) -> Answer:
    wanted = {"limit": HITS_DEFAULT, **given}
    found = calling.project.recall(wanted.pop("query"), **wanted)
    reader_key = calling.reader_key
    lines = (showing.memory_line(one.memory, reader_key=reader_key, relevance=one.relevance) for one in found)
    about = f"{NOTES_NOTE}\n" if found else ""
    told = "".join(f"({note})\n" for note in found.notes) + about
    items = [showing.memory(one.memory) | {"relevance": one.relevance, "score": one.score} for one in found]
    document = {"items": items, "notes": list(found.notes), "about": NOTES_NOTE}
    return Answer(told + showing.listed(lines, empty="Nothing found.", more=None), document)


def memory_get(calling: Calling, given: Mapping[str, Any]) -> Answer:
    one = calling.project.use_memory(given["memory_id"], run_id=given.get("run_id"), task=given.get("task"))
    return Answer(details.memory(one, reader_key=calling.reader_key), showing.whole_memory(one) | {"about": NOTES_NOTE})


def memory_delete(calling: Calling, given: Mapping[str, Any]) -> Answer:
    found = calling.project.get_memory(given["memory_id"])
    gone = calling.project.forget(given["memory_id"])
    still_in = found.source_ref if found.source is Source.FILE_INDEX else None
    aside = f" A file still holds it ({rendering.ticked(still_in)}): delete it there too." if still_in else ""
    document = {"id": gone.id, "forgotten": True, "still_in": still_in}
    return Answer(f"{gone.id} is forgotten for good.{aside}\n", document)


def memory_rate(calling: Calling, given: Mapping[str, Any]) -> Answer:
    fields = dict(given)
    one = calling.project.rate_memory(fields.pop("memory_id"), **fields)
    own = key_of(one.agent) == calling.reader_key
    aside = " It is your own memory, so this counts for nothing." if own else ""
    word = "useful" if given["useful"] else "useless"
    return Answer(f"{one.id} rated {word}.{aside}\n", {"id": one.id, "useful": given["useful"], "counts": not own})


def inject_learning(calling: Calling, given: Mapping[str, Any]) -> Answer:
    one = calling.project.inject_learning(**given)
    told = f"Handed to {name(one.agent)} as {one.id} ({one.category})."
    if one.is_quarantined:
        told = f"Kept for {name(one.agent)} as {one.id}, but a person reviews it first: {'; '.join(one.signs)}."
    return Answer(f"{told}\n", showing.memory(one))


_WHOLE = object_of({
    "id": TEXT, "agent": TEXT, "type": TEXT, "importance": TEXT, "scope": TEXT, "source": TEXT, "content": TEXT,
    "tags": TEXTS, "citations": TEXTS, "version": NUMBER, "created_at": TEXT, "updated_at": TEXT, "address": TEXT,
    "trust": TEXT, "outside": SWITCH, "about": TEXT,
}, name=MAYBE, category=MAYBE, kind=MAYBE, subject=MAYBE, reason=MAYBE, expires_at=MAYBE, origin=MAYBE)  # fmt: skip
_RECORDED = {
    "type": "object",
    "properties": showing.MEMORY["properties"] | {"duplicate": SWITCH},
    "required": [*showing.MEMORY["required"], "duplicate"],
}
_HIT = {
    "type": "object",
    "properties": showing.MEMORY["properties"] | {"relevance": {"type": "number"}, "score": {"type": "number"}},
    "required": [*showing.MEMORY["required"], "relevance", "score"],
}

TOOLS: tuple[Tool, ...] = (
    Tool(
        "record_memory", "Record a memory",
        "Keeps something you learned that the repository does not say and that will help again. What is known already"
        " is not written twice. No secrets, no logs, no guesses; at most a few per run.",
        (
            Argument("content", "What was learned, checked and short.", required=True),
            Argument("type", "core_context is always told to you; learning if not given.", words=tuple(MemoryType)),
            Argument("importance", "medium if not given.", words=tuple(Importance)),
            Argument("scope", "agent is private, team is for all; agent if not given.", words=tuple(Scope)),
            Argument("tags", "Tags, whole words.", Kind.TEXTS),
            Argument("name", "A short name."),
            Argument("citations", "Files, lines or addresses it rests on.", Kind.TEXTS),
            Argument("session_id", "The session it was learned in."),
            ORIGIN, RUN, AGENT,
        ),
        _RECORDED, record_memory, repeats=True,
    ),
    Tool(
        "memory_search", "Search memories",
        "The memories that answer a question best, yours and the team's, in short. Read one in full with memory_get.",
        (
            Argument("query", "The question, in your own words.", required=True),
            Argument("limit", "How many at most; 10 if not given.", Kind.NUMBER, least=1, most=HITS_MAX),
            Argument("scope", "Where to look; all if not given.", words=tuple(Reach)),
            Argument("source", "Only from this source.", words=tuple(Source)),
            TASK, RUN, AGENT,
        ),
        object_of({"items": {"type": "array", "items": _HIT}, "notes": TEXTS, "about": TEXT}), memory_search,
        reads=True, alias="memory-search",
    ),
    Tool(
        "memory_get", "Read a memory",
        "One memory in full, by its id or address, expired or not. It changes nothing but the count of its reads, which"
        " recall goes by.",
        (MEMORY_ID, TASK, RUN),
        _WHOLE, memory_get, reads=True, counts=True, alias="memory-get",
    ),
    Tool(
        "memory_delete", "Delete a memory",
        "Removes a memory's content for good; a tombstone stays. Yours, or a team one if you are a coordinator or a"
        " person. This cannot be undone.",
        (MEMORY_ID,),
        object_of({"id": TEXT, "forgotten": SWITCH, "still_in": MAYBE}), memory_delete, destroys=True, repeats=True,
        alias="memory-delete",
    ),
    Tool(
        "memory_rate", "Rate a memory",
        "Says whether a memory helped. In a run each memory is rated once.",
        (
            MEMORY_ID,
            Argument("useful", "Whether it helped.", Kind.SWITCH, required=True),
            Argument("note", "Why."),
            RUN,
        ),
        object_of({"id": TEXT, "useful": SWITCH, "counts": SWITCH}), memory_rate,
    ),
    Tool(
        "inject_learning", "Hand a lesson to an agent",
        "Puts a lesson into another agent's memory, for the team to see. Coordinators and people may.",
        (
            Argument("agent", "The agent that is to learn it.", required=True, also=("agentId",)),
            Argument("learning", "The lesson, if no memory is named."),
            Argument("memory_id", "A memory that is the lesson; it keeps its origin.", also=("memoryId",)),
            Argument("category", "What kind of lesson it is.", required=True, words=tuple(Category)),
        ),
        showing.MEMORY, inject_learning, alias="inject-learning",
    ),
)  # fmt: skip
