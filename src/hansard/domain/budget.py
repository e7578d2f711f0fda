"""Owns what fits: the size of text in tokens, the choice of memories for one block, and where a long text is cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hansard.domain.memories import Memory, normalised
from hansard.domain.receipts import Fate
from hansard.domain.text import shown_characters_min
from hansard.domain.vocabulary import IMPORTANCE_RANK, MemoryType

CHARACTERS_PER_TOKEN = 4


def tokens(text: str) -> int:
    """An approximation that needs no tokenizer: four characters each, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def may_fit(text: str, room: int) -> bool:
    """Whether a text may be shown in so many tokens. Drawing it makes no text shorter than what is seen of it."""
    if tokens(text) <= room:
        return True
    return shown_characters_min(text) <= room * CHARACTERS_PER_TOKEN


class Candidate:
    """A memory with the line it would be shown as, which is drawn when it is first asked for: most never are."""

    __slots__ = ("_line", "_words", "memory")

    def __init__(self, memory: Memory, line: str | Callable[[], str]) -> None:
        self.memory = memory
        self._line = line
        self._words: str | None = None

    def redrawn(self, line: str) -> Candidate:
        return Candidate(self.memory, line)

    @property
    def words(self) -> str:
        """What tells whether two say the same."""
        if self._words is None:
            self._words = normalised(self.memory.content)
        return self._words

    @property
    def line(self) -> str:
        if not isinstance(self._line, str):
            self._line = self._line()
        return self._line

    @property
    def tokens(self) -> int:
        return tokens(self.line)

    @property
    def size(self) -> int:
        """The tokens of its line if that was drawn, else those of its text, which are a few less."""
        return tokens(self._line if isinstance(self._line, str) else self.memory.content)

    def fits(self, room: int) -> bool:
        """Whether its line has at most so many tokens. What cannot is not drawn: whoever writes long pays for it."""
        drawn = isinstance(self._line, str)
        return (drawn or may_fit(self.memory.content, room)) and self.tokens <= room


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
        if candidate.words in said:
            fates.append((candidate, Fate.DUPLICATE))
        elif len(chosen) >= items_max:
            fates.append((candidate, Fate.ITEMS))
        elif not candidate.fits(tokens_max - used):
            fates.append((candidate, Fate.BUDGET))
        else:
            used += candidate.tokens
            chosen.add(candidate.memory.id)
            said.add(candidate.words)
            fates.append((candidate, Fate.INCLUDED))
    return Selection(_in_reading_order([one for one in candidates if one.memory.id in chosen]), tuple(fates))


def precedence(memory: Memory) -> tuple[int, int, int]:
    """Orders memories as they are taken: by importance, then recency."""
    return -IMPORTANCE_RANK[memory.importance], -memory.created_at, -int(memory.id.replace("-", ""), 16)


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


def fitted(
    text: str, draw: Callable[[str, int], str], cut: Callable[..., tuple[str, int]], *, tokens_max: int
) -> tuple[str, int]:
    """The text as it is drawn, cut so that the drawing fits, and what the cut left out.

    What is escaped or quoted gets longer, so the text is cut again until its drawing is short enough.
    """
    room = tokens_max
    while True:
        said, left_out = cut(text, tokens_max=room)
        drawn = draw(said, left_out)
        if tokens(drawn) <= tokens_max or room == 1:
            return drawn, left_out
        room = max(1, min(room - 1, room * tokens_max // tokens(drawn)))


def _in_reading_order(chosen: list[Candidate]) -> tuple[Candidate, ...]:
    core = [one for one in chosen if one.memory.type is MemoryType.CORE_CONTEXT]
    rest = [one for one in chosen if one.memory.type is not MemoryType.CORE_CONTEXT]
    return (*sorted(core, key=_age), *sorted(rest, key=_age, reverse=True))


def _age(one: Candidate) -> tuple[int, str]:
    """Orders by time; ids of one transaction ascend, so they settle what the clock cannot."""
    return one.memory.created_at, one.memory.id
