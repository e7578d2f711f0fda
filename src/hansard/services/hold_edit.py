"""Holds back what an edit says again, and refuses what nobody reviewed where the rest is a person's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.trust import LABEL_WORDS_MIN
from hansard.domain.vocabulary import Clearance, Origin
from hansard.services.hold import held_again
from hansard.services.withhold import refuse_turned_down, refuse_waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hansard.domain.memories import Memory
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction


def held_edit(tx: Transaction, seat: Seat, before: Memory, said: Memory) -> Memory:
    """The edited memory, waiting if its author said such a thing before.

    What a person wrote or confirmed does not wait for what a model hangs on it, or any model could hide it. So that is
    refused. Raises TurnedDown, or Quarantined for what waits or came from outside.
    """
    if said.origin is Origin.HUMAN or said.cleared is Clearance.CONFIRMED:
        _refuse_additions(tx, seat, before, said)
    (held,) = held_again(tx, seat, [said])
    return held


def _refuse_additions(tx: Transaction, seat: Seat, before: Memory, said: Memory) -> None:
    # Dashes are the blanks of a tag.
    tags, earlier = ([tag.replace("-", " ") for tag in one.tags] for one in (said, before))
    added = {"citations": _added(before.citations, said.citations), "tags": _added(earlier, tags)}
    # What is shorter and was turned down only names a place or a topic.
    telling = {field: [one for one in pieces if len(one.split()) >= LABEL_WORDS_MIN] for field, pieces in added.items()}
    if any(telling.values()):
        refuse_turned_down(tx, seat, telling)
    if any(added.values()):
        refuse_waiting(tx, seat, said.agent, added)


def _added(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """What was added, piece by piece, and in one with the rest."""
    added = [one for one in after if one not in before]
    return list(dict.fromkeys((*added, " ".join(added), " ".join(after)))) if added else []
