"""Owns the binding decisions that a process has read: until the record goes on, they are the same."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hansard.domain.decisions import Decision
    from hansard.store.ports import Transaction

PROJECTS_HELD_MAX = 64


class Bound(NamedTuple):
    """What binds at one end of the record, and how many decisions of this kind another one has replaced."""

    head: tuple[int, bytes]
    decisions: tuple[Decision, ...]
    superseded: int


class Binding:
    """What binds in each project. Every turn asks for it, and few find it changed. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[str, Bound] = OrderedDict()

    def of(self, tx: Transaction) -> Bound:
        """What binds as of this transaction, which must be one that reads."""
        # A record that went back and on again ends in another hash.
        head = tx.ledger.head()
        held = self._held.get(tx.project_id)
        if held is None or held.head != head:
            held = Bound(head, tx.decisions.boundaries(), tx.decisions.superseded_boundaries())
            with self._lock:
                self._held[tx.project_id] = held
                self._held.move_to_end(tx.project_id)
                if len(self._held) > PROJECTS_HELD_MAX:
                    self._held.popitem(last=False)
        return held
