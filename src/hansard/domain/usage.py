"""Owns what is known of how memories are used: what was surfaced, and how it was rated."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from hansard.domain.ledger import Erasure
from hansard.domain.vocabulary import Clearance, Origin, Source

RATING_WEIGHT = 1.0
EXCERPT_CHARACTERS = 120
"""How much of a memory's text stands beside its numbers."""
_MEMORY_FORGOTTEN = "memory.forgotten"


class Surfacing(StrEnum):
    """How a memory came before somebody's eyes."""

    SEARCH = "search"
    GET = "get"
    CONTEXT = "context"


class Retrieval(NamedTuple):
    """A memory that a search, a reading or a context block surfaced. Those of one call share an id.

    Not shown are good candidates of a search that recency and access, or the limit, ranked too low.
    """

    id: str
    rank: int
    memory_id: str
    agent_key: str
    run_id: str | None
    task: str | None
    kind: Surfacing
    relevance: float
    score: float
    shown: bool
    at: int


class Waiting(NamedTuple):
    """A line that is not in the log yet, and the last event of the state it is about."""

    seq: int
    line: Retrieval


def still_told(waiting: Iterable[Waiting], erasures: Iterable[Erasure]) -> list[Retrieval]:
    """The lines without the tasks that forgetting has taken out of the log since; the erasures come oldest first.

    A memory takes the tasks along for which it was surfaced. What else was forgotten, such as a run, may have said the
    words of any task, and nobody knows any more what they were.
    """
    of_memory: dict[str, int] = {}
    of_any = 0
    for seq, action, subject_id in erasures:
        if action == _MEMORY_FORGOTTEN:
            of_memory[subject_id] = seq
        else:
            of_any = seq
    return [
        line._replace(task=None) if max(of_any, of_memory.get(line.memory_id, 0)) > seq else line
        for seq, line in waiting
    ]


class Sighting(NamedTuple):
    """A line of the retrieval log as it is read: who was shown which memory, when, and for what. Rank 1 is the best."""

    at: int
    agent: str
    memory_id: str
    text: str
    kind: Surfacing
    rank: int
    shown: bool
    task: str | None
    run_id: str | None
    relevance: float
    score: float
    origin: Origin | None = None
    """Where the words come from, if they are nobody's here and no person vouched for them."""
    signs: tuple[str, ...] = ()
    """What the guard saw in them, unless a person vouched for them."""


class Provenance(NamedTuple):
    """Where the words of a memory come from and what is known of them, without the words."""

    source: Source
    origin: Origin | None
    source_ref: str | None
    position: int | None
    cleared: Clearance | None
    signs: tuple[str, ...]


class Rating(NamedTuple):
    """Whether a memory helped, said by an agent, once for each run."""

    id: str
    memory_id: str
    agent_key: str
    run_id: str | None
    signal: float
    weight: float
    note: str | None
    at: int


class SourceUsage(NamedTuple):
    """What became of the memories of one source."""

    surfaced: int
    memories: int
    shown: int
    read: int
    rated_useful: int
    rated_useless: int


class MemoryUsage(NamedTuple):
    """What became of one memory, with the beginning of its text, where that comes from and what the guard saw in it."""

    memory_id: str
    text: str
    surfaced: int
    shown: int
    read: int
    rated_useful: int
    rated_useless: int
    origin: Origin | None = None
    signs: tuple[str, ...] = ()


class UsageSummary(NamedTuple):
    """What gets used, since a given time; `top` are the memories surfaced most often."""

    calls: int
    by_source: Mapping[str, SourceUsage]
    never_surfaced: int
    top: tuple[MemoryUsage, ...]


def posterior_step(signal: float, weight: float) -> tuple[float, float]:
    """What a rating adds to the counts of good and bad."""
    return max(0.0, signal) * weight, max(0.0, -signal) * weight


def excerpt(content: str) -> str:
    """The beginning of a text, on one line."""
    flat = " ".join(content.split())
    return flat if len(flat) <= EXCERPT_CHARACTERS else flat[: EXCERPT_CHARACTERS - 1] + "…"
