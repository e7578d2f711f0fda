"""Compiles the block an agent is given before a turn: boundaries, memory, session, each only if there is any."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import budget, rendering
from hansard.domain.actors import clean_name, key_of
from hansard.domain.budget import Candidate, Fate, Selection
from hansard.domain.policy import Act, Matter
from hansard.services.seat import Seat

if TYPE_CHECKING:
    from hansard.store.ports import Transaction


class ReceiptLine(NamedTuple):
    """One candidate of a block: where it would stand, how large it is, and whether it made it."""

    layer: str
    id: str
    tokens: int
    fate: Fate


class Receipt(NamedTuple):
    """What a block contains, what was left out and why, and which state of the ledger it was made from."""

    lines: tuple[ReceiptLine, ...]
    sha256: str
    ledger_seq: int
    tokens: int


class Block(NamedTuple):
    """The text for the prompt, and its receipt."""

    text: str
    receipt: Receipt


def compile_block(seat: Seat, *, agent: str) -> Block | None:
    """The agent's block, or None if nothing is known yet. The same state gives the same bytes."""
    reader_key = key_of(clean_name(agent))
    seat.require(Act.READ_PRIVATE, Matter(owner=agent))
    with seat.reading() as tx:
        decisions = tx.decisions.boundaries()
        selection = _select(tx, seat, reader_key)
        session = tx.sessions.current()
        seq, _ = tx.ledger.head()
    layers: list[str] = []
    lines: list[ReceiptLine] = []
    if decisions:
        layers.append(rendering.boundaries(decisions))
        lines += [
            ReceiptLine("boundaries", one.id, budget.tokens(rendering.boundary(one)), Fate.INCLUDED)
            for one in decisions
        ]
    if selection.shown:
        layers.append(rendering.memories([one.line for one in selection.shown]))
    lines += [ReceiptLine("memory", one.memory.id, one.tokens, fate) for one, fate in selection.fates]
    if session:
        layers.append(rendering.session(session))
        lines.append(ReceiptLine("session", session.id, budget.tokens(layers[-1]), Fate.INCLUDED))
    if not layers:
        return None
    text = "\n".join(layers)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Block(text, Receipt(tuple(lines), digest, seq, budget.tokens(text)))


def _select(tx: Transaction, seat: Seat, reader_key: str) -> Selection:
    settings = seat.settings
    found = (
        *tx.memories.core(reader_key, now=tx.now),
        *tx.memories.top_learnings(reader_key, now=tx.now, limit=settings.context_learnings_max),
    )
    candidates = [Candidate(one, rendering.memory_line(one, reader_key=reader_key)) for one in found]
    return budget.select(
        candidates, items_max=settings.context_items_max, tokens_max=settings.context_memory_tokens_max
    )
