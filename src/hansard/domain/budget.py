"""Owns what fits: the size of text in tokens, the choice of memories for one block, and where a long text is cut."""

from collections.abc import Sequence
from typing import NamedTuple

from hansard.domain.memories import Memory, normalised
from hansard.domain.receipts import Fate
from hansard.domain.vocabulary import IMPORTANCE_RANK, MemoryType

CHARACTERS_PER_TOKEN = 4


def tokens(text: str) -> int:
    """An approximation that needs no tokenizer: four characters each, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


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
    said: set[str] = set()
    fates: list[tuple[Candidate, Fate]] = []
    for candidate in ranked:
        words = normalised(candidate.memory.content)
        if words in said:
            fates.append((candidate, Fate.DUPLICATE))
        elif len(chosen) >= items_max:
            fates.append((candidate, Fate.ITEMS))
        elif used + candidate.tokens > tokens_max:
            fates.append((candidate, Fate.BUDGET))
        else:
            used += candidate.tokens
            chosen.add(candidate.memory.id)
            said.add(words)
            fates.append((candidate, Fate.INCLUDED))
    return Selection(_in_reading_order([one for one in candidates if one.memory.id in chosen]), tuple(fates))


def shrinking(sizes: Sequence[tuple[int, int]], *, tokens_max: int) -> list[bool]:
    """Which texts, oldest first, give way to their short form so that all of them fit.

    The oldest go first, and none that would get longer. The newest is never shortened: whoever reads the block must
    be told at least the last word in full.
    """
    total = sum(full for full, _ in sizes)
    shrunk = [False] * len(sizes)
    for place, (full, short) in enumerate(sizes[:-1]):
        if total <= tokens_max:
            break
        if short < full:
            shrunk[place] = True
            total -= full - short
    return shrunk


def beginning(text: str, *, tokens_max: int) -> tuple[str, int]:
    """As many whole lines from the beginning as fit, and the tokens that are left out."""
    if tokens(text) <= tokens_max:
        return text, 0
    kept = text[: tokens_max * CHARACTERS_PER_TOKEN]
    if text[len(kept) : len(kept) + 1] != "\n":
        # A first line that is longer than all there is room for is cut inside.
        kept = kept.rpartition("\n")[0] or kept
    return kept.rstrip(), tokens(text[len(kept) :])


def ending(text: str, *, tokens_max: int) -> tuple[str, int]:
    """As many whole lines from the end as fit, and the number of lines that are left out. The last one always stays."""
    if tokens(text) <= tokens_max:
        return text, 0
    lines = text.split("\n")
    room = tokens_max * CHARACTERS_PER_TOKEN
    kept = 0
    for line in reversed(lines):
        room -= len(line) + 1
        if room < 0:
            break
        kept += 1
    if kept == 0:
        return lines[-1][: tokens_max * CHARACTERS_PER_TOKEN], len(lines) - 1
    return "\n".join(lines[-kept:]), len(lines) - kept


def _in_reading_order(chosen: list[Candidate]) -> tuple[Candidate, ...]:
    core = [one for one in chosen if one.memory.type is MemoryType.CORE_CONTEXT]
    rest = [one for one in chosen if one.memory.type is not MemoryType.CORE_CONTEXT]
    return (*sorted(core, key=_age), *sorted(rest, key=_age, reverse=True))


def _age(one: Candidate) -> tuple[int, str]:
    """Orders by time; ids of one transaction ascend, so they settle what the clock cannot."""
    return one.memory.created_at, one.memory.id
