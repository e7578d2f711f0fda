"""Foresees what a write will ask of its words: they are judged before it, and what is found is remembered.

To read a long text in every way that somebody may have written an order in takes long, and the only write lock must not
be held for it. The write asks once more, because only then nothing can change any more, and is answered at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from hansard.domain import addresses, text
from hansard.domain.identifiers import is_uuid
from hansard.domain.vocabulary import Role

if TYPE_CHECKING:
    from hansard.domain.vocabulary import Origin
    from hansard.guard.gate import Text
    from hansard.services.seat import Seat

FORESEEN_CHARACTERS_MIN = 500
"""What is shorter is judged in a few milliseconds."""


class Foreseen:
    """Judges words, and knows all it was ever asked: a batch may have more texts than are remembered for everybody."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[str | None, ...], bool, tuple[str, ...]], tuple[str, ...]] = {}

    def __call__(self, texts: Iterable[str | None], /, *, outside: bool, pieces: Sequence[str] = ()) -> tuple[str, ...]:
        from hansard.services.hold import suspicions

        asked = (tuple(texts), outside, tuple(pieces))
        if asked not in self._known:
            self._known[asked] = suspicions(asked[0], outside=outside, pieces=asked[2])
        return self._known[asked]


def foresee(seat: Seat, texts: Mapping[str, Text], *, origins: Iterable[Origin | None] = (None,)) -> None:
    """Judges the texts of one record, each as words of these origins. Secrets in it are masked as they will be.

    A person's own words are judged by nobody.
    """
    if not is_worth_it(seat, texts):
        return
    # Imported here because most commands only read.
    from hansard.guard import gate
    from hansard.services.admission import allowed_in

    told = {**texts, **gate.passed(texts, allowed_in(seat)).texts}
    foresee_words(filter(_is_long, _parts(told.values())), origins=origins)


def foresee_edit(seat: Seat, memory_id: str, content: str) -> None:
    """Judges the new words of a memory. Nothing from outside becomes an agent's own by an edit."""
    texts = {"content": content}
    if not is_worth_it(seat, texts):
        return
    wanted = addresses.named_by(text.reference(memory_id, field="memory"), addresses.MEMORIES)
    with seat.reading() as tx:
        known = tx.memories.get(wanted) if is_uuid(wanted) else None
    foresee(seat, texts, origins=[known.origin if known else None])


def is_worth_it(seat: Seat, texts: Mapping[str, Text]) -> bool:
    return Role.HUMAN not in seat.actor.roles and any(map(_is_long, _parts(texts.values())))


def foresee_words(words: Iterable[str], *, origins: Iterable[Origin | None] = (None,)) -> None:
    """The same for words whose secrets are masked already."""
    # Imported here because a list of decisions needs none of what judges words.
    from hansard.domain.trust import Trust, trust_of
    from hansard.services.hold import suspicions

    ways = {trust_of(one) is Trust.OUTSIDE for one in origins}
    for one in words:
        for outside in ways:
            suspicions([one], outside=outside)


def _parts(values: Iterable[Text]) -> list[str]:
    return [part for value in values if value for part in ((value,) if isinstance(value, str) else value)]


def _is_long(said: str) -> bool:
    return len(said) >= FORESEEN_CHARACTERS_MIN
