"""Holds back what an edit says again, and refuses what a person turned down where the rest is a person's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.trust import LABEL_WORDS_MIN
from hansard.domain.vocabulary import Clearance, Origin
from hansard.services.hold import held_again
from hansard.services.withhold import refuse_turned_down

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hansard.domain.memories import Memory
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction


def held_edit(tx: Transaction, seat: Seat, before: Memory, said: Memory) -> Memory:
    """The edited memory, waiting if its author said such a thing before.

    What a person wrote or confirmed does not wait for what a model hangs on it, or any model could hide it. So that is
    refused. Raises TurnedDown.
    """
    if said.origin is Origin.HUMAN or said.cleared is Clearance.CONFIRMED:
        _refuse_additions(tx, seat, before, said)
    (held,) = held_again(tx, seat, [said])
    return held


def _refuse_additions(tx: Transaction, seat: Seat, before: Memory, said: Memory) -> None:
    citations = _telling(before.citations, said.citations)
    # Dashes are the blanks of a tag.
    tags = _telling(*([tag.replace("-", " ") for tag in one.tags] for one in (before, said)))
    if citations or tags:
        refuse_turned_down(tx, seat, {"citations": citations, "tags": tags})


def _telling(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """What was added and says something, piece by piece and in one: a shorter one only names a place or a topic."""
    added = [one for one in after if one not in before]
    pieces = (*added, " ".join(added), " ".join(after)) if added else ()
    return [one for one in dict.fromkeys(pieces) if len(one.split()) >= LABEL_WORDS_MIN]
