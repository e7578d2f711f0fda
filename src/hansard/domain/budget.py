"""Owns what fits: the size of text in tokens, and the choice of memories for one block."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from hansard.domain.memories import Memory
from hansard.domain.vocabulary import IMPORTANCE_RANK, MemoryType

CHARACTERS_PER_TOKEN = 4


def tokens(text: str) -> int:
    """An approximation that needs no tokenizer: four characters each, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


class Fate(StrEnum):
    """What became of a candidate."""

    INCLUDED = "included"
    ITEMS = "over the item limit"
    BUDGET = "over the token budget"


class Candidate(NamedTuple):
    """A memory with the line it would be shown as."""

    memory: Memory
    line: str

    @property
    def tokens(self) -> int:
        return tokens(self.line)


class Selection(NamedTuple):
    """What is shown, in the order it is shown, and the fate of every candidate."""

    shown: tuple[Candidate, ...]
    fates: tuple[tuple[Candidate, Fate], ...]


def select(candidates: Sequence[Candidate], *, items_max: int, tokens_max: int) -> Selection:
    """Takes candidates by importance, then recency, skipping what does not fit until the budget is full."""
    newest_first = sorted(candidates, key=_age, reverse=True)
    ranked = sorted(newest_first, key=lambda one: -IMPORTANCE_RANK[one.memory.importance])
    used = 0
    chosen: set[str] = set()
    fates: list[tuple[Candidate, Fate]] = []
    for candidate in ranked:
        if len(chosen) >= items_max:
            fates.append((candidate, Fate.ITEMS))
        elif used + candidate.tokens > tokens_max:
            fates.append((candidate, Fate.BUDGET))
        else:
            used += candidate.tokens
            chosen.add(candidate.memory.id)
            fates.append((candidate, Fate.INCLUDED))
    return Selection(_in_reading_order([one for one in candidates if one.memory.id in chosen]), tuple(fates))


def _in_reading_order(chosen: list[Candidate]) -> tuple[Candidate, ...]:
    core = [one for one in chosen if one.memory.type is MemoryType.CORE_CONTEXT]
    rest = [one for one in chosen if one.memory.type is not MemoryType.CORE_CONTEXT]
    return (*sorted(core, key=_age), *sorted(rest, key=_age, reverse=True))


def _age(one: Candidate) -> tuple[int, str]:
    """Orders by time; ids of one transaction ascend, so they settle what the clock cannot."""
    return one.memory.created_at, one.memory.id
