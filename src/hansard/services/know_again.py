"""Knows again, in the ledger files of other clones, what a person here holds or turned down."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from hansard.domain import trust
from hansard.domain.converge import Conflict, conflict_about, entry_of
from hansard.domain.inbox import Entry
from hansard.domain.memories import Memory
from hansard.services import doubt
from hansard.services.withhold import held_by_people
from hansard.services.wording import pieces_of, told_by

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hansard.domain.decisions import Decision
    from hansard.domain.lines import Line
    from hansard.store.ports import Transaction

Record = TypeVar("Record", Memory, Entry)


class Words(NamedTuple):
    """What a line says: the texts by which it is known again, and every piece as somebody reads them in a row.

    Of the pieces only `fresh` ones are new here; what stood there before is not held against who adds to it.
    """

    texts: Sequence[str]
    pieces: Sequence[str] = ()
    fresh: Collection[str] = ()


class Recognise(Protocol):
    """Tells whether any of the words, or several of them in a row, say what a person holds or turned down."""

    def __call__(self, words: Words, /) -> bool: ...


def nothing_known(_: Words, /) -> bool:
    return False


EVENTS_LOOKED_AT_MAX = 1_000
"""If more happened since, everything is asked anew."""


class Foreknown:
    """Answers that were given before a write. In it they stand, unless a person held, turned down or let go anything
    since: to compare long texts takes long, and the only write lock must not be held for it."""

    def __init__(self) -> None:
        self._answers: dict[tuple[tuple[str, ...], ...], bool] = {}
        self._held: list[trust.Said] = []
        self._seq = 0

    def at(self, tx: Transaction, held: list[trust.Said]) -> dict[tuple[tuple[str, ...], ...], bool]:
        """The answers that hold in this transaction, in which people hold this."""
        since = tx.ledger.after(self._seq, EVENTS_LOOKED_AT_MAX) if self._answers else ()
        # Where words are only doubted, nobody let them go; or they wait once more at worst.
        changed = any(one.action in {doubt.TURNED_DOWN, doubt.VOUCHED} for one in since)
        if changed or len(since) == EVENTS_LOOKED_AT_MAX or held != self._held:
            self._answers.clear()
        self._held, self._seq = held, tx.ledger.head()[0]
        return self._answers


def what_is_known(tx: Transaction, ahead: Foreknown | None = None) -> Recognise:
    """What tells such words, as long as the transaction is open. What people hold is read once, for all lines."""
    if not doubt.has_turned_down(tx):
        return nothing_known
    held = held_by_people(tx)
    answers = {} if ahead is None else ahead.at(tx, held)

    def is_known(words: Words, /) -> bool:
        asked = tuple(map(tuple, words))
        if asked not in answers:
            answers[asked] = looked_up(words)
        return answers[asked]

    def looked_up(words: Words) -> bool:
        texts, pieces, fresh = words
        said = dict.fromkeys((*texts, " ".join(texts))) if texts else {}
        if doubt.is_turned_down(tx, said) or any(trust.repeats(one, held) for one in said):
            return True
        rows = doubt.told_together(tx, (), pieces, fresh)
        return doubt.is_turned_down(tx, rows) or trust.say_together(pieces, fresh, held)

    return is_known


def known_again(record: Record, before: Record | None, now: int, is_known: Recognise) -> Record:
    """A record of a ledger file. If its words are new here and a person turned them down, it waits."""
    gone = record.is_forgotten if isinstance(record, Memory) else record.is_blank
    if gone or record.is_quarantined or is_known is nothing_known:
        return record
    pieces = pieces_of(record)
    if before is not None and (told_by(before), pieces_of(before)) == (told_by(record), pieces):
        return record
    if not is_known(Words(told_by(record), pieces, pieces)):
        return record
    return record._replace(quarantined_at=now, signs=(*record.signs, trust.AGAIN), cleared=None)


def new_words(line: Line, before: Decision | None) -> Words:
    """What a decision's line says, but for what the record has."""
    said = [one for one in (line["title"], line["content"], line["rationale"]) if one]
    labels = [doubt.spelled(one) for one in (*line["tags"], *line["applies_to"])]
    here = set() if before is None else {before.title, before.content, before.rationale}
    if before is not None:
        here |= {doubt.spelled(one) for one in (*before.tags, *before.applies_to)}
    told = doubt.telling(line["content"], line["title"], line["rationale"], *labels)
    # A sentence that begins in the title and ends below it is no other sentence.
    rows = [" ".join(said[:2]), " ".join(said)] if line["content"] not in here else []
    pieces = [*said, *(one for one in labels if one)]
    return Words([*(one for one in told if one not in here), *rows], pieces, [one for one in pieces if one not in here])


def doubted_conflicts(
    conflicts: Iterable[Conflict], entries: Mapping[str, Line], held: frozenset[str], is_known: Recognise
) -> frozenset[str]:
    """The ids of entries that show what waits for a person: both sides of a conflict stand there in full.

    Another clone may have opened the entry, so those are asked as well which the files bring.
    """
    opened = (
        entry_of(one)["id"]
        for one in conflicts
        if one.lost["id"] in held or is_known(_shown(one.kept)) or is_known(_shown(one.lost))
    )
    return frozenset((*opened, *(id for id, line in entries.items() if conflict_about(line) in held)))


def _shown(line: Line) -> Words:
    title, name, rationale = (line.get(one) for one in ("title", "name", "rationale"))
    content = line["content"] or ""
    pieces = [one for one in (title, name, content, rationale) if one]
    return Words(doubt.telling(content, title, name, rationale), pieces, pieces)
