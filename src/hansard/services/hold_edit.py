"""Holds back what an edit says again, and refuses what nobody reviewed where the rest is a person's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.errors import Quarantined
from hansard.domain.tricks.seams import signs_across
from hansard.domain.trust import AGAIN_WORDS_MIN, LABEL_WORDS_MIN, Trust, is_vouched, tier_of
from hansard.domain.vocabulary import Role
from hansard.services.hold import held_again, suspicions
from hansard.services.withhold import refuse_turned_down, refuse_waiting
from hansard.services.wording import pieces_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hansard.domain.memories import Memory
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction


def held_edit(tx: Transaction, seat: Seat, before: Memory, said: Memory) -> Memory:
    """The edited memory, waiting if its author said such a thing before.

    What a person wrote or confirmed does not wait for what a model hangs on it, or any model could hide it. So that is
    refused. Raises TurnedDown, or Quarantined for what is suspicious, waits or came from outside.
    """
    if Role.HUMAN in seat.actor.roles:
        # What a person adds is a person's word, whatever it is added to.
        return said
    if is_vouched(before) and said.content == before.content:
        _refuse_additions(tx, seat, before, said)
    (held,) = held_again(tx, seat, [said])
    return held


def _refuse_additions(tx: Transaction, seat: Seat, before: Memory, said: Memory) -> None:
    # Dashes are the blanks of a tag.
    tags, earlier = ([tag.replace("-", " ") for tag in one.tags] for one in (said, before))
    added = {"citations": _added(before.citations, said.citations), "tags": _added(earlier, tags)}
    # What is shorter and was turned down only names a place or a topic.
    telling = {field: [one for one in pieces if len(one.split()) >= LABEL_WORDS_MIN] for field, pieces in added.items()}
    if said.name and said.name != before.name:
        added["name"] = [said.name]
        telling["name"] = [said.name] if len(said.name.split()) >= AGAIN_WORDS_MIN else []
    if any(telling.values()):
        refuse_turned_down(tx, seat, telling)
    if not any(added.values()):
        return
    refuse_waiting(tx, seat, said.agent, added)
    outside = tier_of(before) is Trust.OUTSIDE
    for field, pieces in added.items():
        if suspicions(pieces, outside=outside):
            raise Quarantined(
                f"What {field} says reads like an instruction, and a person wrote or confirmed the rest, so nothing was"
                " changed. Leave it out, or have a person add it."
            )
    if signs_across(pieces_of(said), outside=outside) and not signs_across(pieces_of(before), outside=outside):
        named = " and ".join(field for field, pieces in added.items() if pieces)
        raise Quarantined(
            f"What {named} says reads like an instruction together with the rest, which a person wrote or confirmed, so"
            " nothing was changed. Leave it out, or have a person add it."
        )


def _added(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """What was added, piece by piece, and in one with the rest."""
    added = [one for one in after if one not in before]
    return list(dict.fromkeys((*added, " ".join(added), " ".join(after)))) if added else []
