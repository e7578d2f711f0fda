"""Chooses the memories of a block: which ones fit, which ones are said already, and which ones still hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import budget, rendering
from hansard.domain.actors import key_of
from hansard.domain.budget import Candidate
from hansard.domain.memories import Memory, normalised
from hansard.domain.receipts import Fate, Kind, Layer, ReceiptLine
from hansard.services.gather import State, Turn
from hansard.settings import Settings

if TYPE_CHECKING:
    from hansard.services.recall import Hit

Check = Callable[[Sequence[Memory]], dict[str, tuple[str, ...]]]
"""Says for each memory, by its id, which of its claims do not hold any more."""


class Choice(NamedTuple):
    """The text of what is shown, in the order it is shown, and the lines of the receipt in the same order."""

    texts: tuple[str, ...] = ()
    lines: tuple[ReceiptLine, ...] = ()
    shown: tuple[Memory, ...] = ()


def choose_memories(state: State, turn: Turn, settings: Settings, check: Check) -> Choice:
    """The memories that an agent is always told, as many as fit."""

    draw = partial(rendering.memory_line, reader_key=turn.reader_key)
    drawn = {one.id: Candidate(one, partial(draw, one)) for one in (*state.memories, *state.learnings)}
    found = [one.memory for one in drawn.values()]

    def select(left: Sequence[Memory]) -> budget.Selection:
        return budget.select(
            [drawn[one.id] for one in left],
            items_max=settings.context_items_max,
            tokens_max=settings.context_memory_tokens_max,
        )

    omits = settings.context_stale == "omit"
    stale: dict[str, tuple[str, ...]] = {}
    gone: list[Memory] = []
    left = list(found)
    while True:
        selection = select(left)
        unknown = [one.memory for one in selection.shown if one.memory.id not in stale]
        if not unknown:
            break
        if omits or stale:
            # A remark takes room and an omission makes some: whatever may come up by it is looked at in one search.
            room = settings.context_memory_tokens_max
            unknown = [one for one in left if one.id not in stale and drawn[one.id].fits(room)]
        fresh = check(unknown)
        stale |= fresh
        if not any(fresh.values()):
            break
        drawn |= {one.id: drawn[one.id].redrawn(draw(one, stale=fresh[one.id])) for one in unknown if fresh[one.id]}
        if omits:
            gone += [one for one in left if stale.get(one.id)]
            left = [one for one in left if not stale.get(one.id)]
    shown = [(one, Fate.INCLUDED) for one in selection.shown]
    rest = [(one, fate) for one, fate in selection.fates if fate is not Fate.INCLUDED]
    rest += [(drawn[one.id], Fate.UNVERIFIED) for one in gone]
    lines = tuple(
        _line(Layer.MEMORY, one.memory, one.size, fate, stale.get(one.memory.id, ())) for one, fate in shown + rest
    )
    return Choice(tuple(one.line for one in selection.shown), lines, tuple(one.memory for one in selection.shown))


def choose_knowledge(hits: Sequence[Hit], above: Above, turn: Turn, settings: Settings, check: Check) -> Choice:
    """Of what recall found for the task, the most relevant that is not said already, as much as fits."""
    hits = _own_first(hits, turn, settings)
    omits = settings.context_stale == "omit"
    stale: dict[str, tuple[str, ...]] = {}
    drawn = {
        hit.memory.id: rendering.knowledge_line(hit.memory, reader_key=turn.reader_key)
        for hit in hits
        if hit.relevance >= settings.context_relevance_floor
        and budget.may_fit(hit.memory.content, settings.context_knowledge_tokens_max)
    }
    while True:
        fates = _knowledge_fates(hits, above, settings, drawn, stale)
        unknown = [hit.memory for hit, _, fate in fates if fate is Fate.INCLUDED and hit.memory.id not in stale]
        if not unknown:
            break
        if omits or stale:
            unknown = [hit.memory for hit, _, fate in fates if fate in _MAY_COME_UP and hit.memory.id not in stale]
        fresh = check(unknown)
        stale |= fresh
        drawn |= {
            one.id: rendering.knowledge_line(one, reader_key=turn.reader_key, stale=fresh[one.id])
            for one in unknown
            if fresh[one.id]
        }
    shown = [one for one in fates if one[2] is Fate.INCLUDED]
    rest = [one for one in fates if one[2] is not Fate.INCLUDED]
    lines = tuple(
        _line(
            Layer.KNOWLEDGE, hit.memory, budget.tokens(text), fate, stale.get(hit.memory.id, ()),
            relevance=round(hit.relevance, 4),
        )
        for hit, text, fate in shown + rest
    )  # fmt: skip
    return Choice(tuple(text for _, text, _ in shown), lines, tuple(hit.memory for hit, _, _ in shown))


class Above(NamedTuple):
    """What the layers before say: ids of records, and texts as they are compared."""

    ids: frozenset[str]
    texts: frozenset[str]


def said_above(state: State, shown: Iterable[Memory]) -> Above:
    said = [(one.id, one.content) for one in state.decisions] + [(one.id, one.content) for one in shown]
    return Above(frozenset(id for id, _ in said), frozenset(normalised(content) for _, content in said))


_MAY_COME_UP = frozenset({Fate.INCLUDED, Fate.ITEMS, Fate.BUDGET})
"""What is shown, or would be if something else were not."""


def _own_first(hits: Sequence[Hit], turn: Turn, settings: Settings) -> list[Hit]:
    """The hits, with the agent's own before those of others that say the same."""
    places: dict[str, list[int]] = {}
    for place, hit in enumerate(hits):
        if hit.relevance >= settings.context_relevance_floor:
            places.setdefault(normalised(hit.memory.content), []).append(place)
    ordered = list(hits)
    for same in places.values():
        if len(same) > 1:
            some = sorted((hits[place] for place in same), key=lambda hit: key_of(hit.memory.agent) != turn.reader_key)
            for place, hit in zip(same, some, strict=True):
                ordered[place] = hit
    return ordered


def _knowledge_fates(
    hits: Sequence[Hit], above: Above, settings: Settings, drawn: dict[str, str], stale: dict[str, tuple[str, ...]]
) -> list[tuple[Hit, str, Fate]]:
    used = count = 0
    said = set(above.texts)
    fates: list[tuple[Hit, str, Fate]] = []
    for hit in hits:
        memory = hit.memory
        # What is not relevant, or cannot fit, is never drawn; its text says how large it is.
        text = drawn.get(memory.id, memory.content)
        words = normalised(memory.content)
        if hit.relevance < settings.context_relevance_floor:
            fate = Fate.BELOW_FLOOR
        elif memory.id in above.ids or memory.decision_id in above.ids or words in said:
            fate = Fate.DUPLICATE
        elif settings.context_stale == "omit" and stale.get(memory.id):
            fate = Fate.UNVERIFIED
        elif count >= settings.context_knowledge_max:
            fate = Fate.ITEMS
        elif used + budget.tokens(text) > settings.context_knowledge_tokens_max:
            fate = Fate.BUDGET
        else:
            fate = Fate.INCLUDED
            used += budget.tokens(text)
            count += 1
            said.add(words)
        fates.append((hit, text, fate))
    return fates


def _line(
    layer: Layer, memory: Memory, tokens: int, fate: Fate, stale: tuple[str, ...], relevance: float | None = None
) -> ReceiptLine:
    return ReceiptLine(
        layer, memory.id, tokens, fate, Kind.MEMORY, version=memory.version, relevance=relevance, stale=stale
    )
