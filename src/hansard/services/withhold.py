"""Withholds, from what everybody reads at once, words that a person turned down or has not reviewed yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from hansard.domain import trust
from hansard.domain.actors import key_of
from hansard.domain.errors import Quarantined, TurnedDown
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.memories import digests
from hansard.domain.paging import Window
from hansard.domain.policy import Act, may
from hansard.domain.trust import Trust
from hansard.domain.vocabulary import EntryStatus, Role, Source
from hansard.services import doubt
from hansard.store.filters import EntryFilter, MemoryFilter

if TYPE_CHECKING:
    from hansard.domain.inbox import Entry
    from hansard.domain.memories import Memory
    from hansard.domain.paging import Page
    from hansard.domain.runs import Run
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction

Texts = str | Iterable[str] | None
REASON_WITHHELD = "(held back until a person has looked at it)"
COMPARED_CHARACTERS_MAX = 100_000
"""How much of what waits is cut into words for one write. It is done while others wait to write: some milliseconds."""
READ_CHARACTERS_MAX = 1_000_000
READ_ITEMS = 16
"""What waits is read in small pages, newest first, until it is this much: one record may be as long as a page."""


def refuse_turned_down(tx: Transaction, seat: Seat, texts: Mapping[str, Texts], around: Sequence[str] = ()) -> None:
    """Raises TurnedDown if a model says, in a record that everybody reads at once, what a person holds or redacted.

    `around` is all that is read in a row, these texts among it; without it, they are all.
    """
    if Role.HUMAN in seat.actor.roles or not doubt.has_turned_down(tx):
        return
    held = held_by_people(tx)
    fields = _said(texts)
    for field, said in fields.items():
        if doubt.is_turned_down(tx, said) or any(trust.repeats(one, held) for one in (*said, " ".join(said))):
            raise TurnedDown(f"A person holds or redacted what {field} says, so nothing was written. Leave it out.")
    fresh = [one for said in fields.values() for one in said]
    pieces = around or fresh
    together = doubt.told_together(tx, (), pieces, fresh)
    if doubt.is_turned_down(tx, together) or trust.say_together(pieces, fresh, held):
        named = " and ".join(fields)
        raise TurnedDown(
            f"A person holds or redacted what {named} says together with what is read beside it, so nothing was"
            " written. Leave it out."
        )


def refuse_waiting(
    tx: Transaction, seat: Seat, author: str, texts: Mapping[str, Texts], around: Sequence[str] = ()
) -> None:
    """Raises Quarantined if a model says, where everybody reads it at once, what waits for review under its name.

    So it does for what it brought from outside and reads like an order there, as long as nobody vouched for it. What
    every reader is shown as data anyway is let through.
    """
    if Role.HUMAN in seat.actor.roles:
        return
    from hansard.domain.tricks.signs import is_doubtful

    fields = {field: [one for one in said if not is_doubtful(one)] for field, said in _said(texts).items()}
    voices, waiting = _voices(tx, seat, author)
    for field, said in fields.items():
        if any(trust.repeats(one, waiting) for one in (*said, " ".join(said))) or _is_outside(tx, voices, said):
            raise _refusal(field)
    fresh = [one for said in fields.values() for one in said]
    pieces = [one for one in around if not is_doubtful(one)] or fresh
    together = doubt.told_together(tx, voices, pieces, fresh)
    if trust.say_together(pieces, fresh, waiting) or _is_outside(tx, voices, together):
        raise _refusal(" and ".join(field for field, said in fields.items() if said))


def says_what_waits(tx: Transaction, seat: Seat, author: str, texts: Iterable[str]) -> bool:
    """The same question about what can wait itself: whether it is said, however it would be shown."""
    if Role.HUMAN in seat.actor.roles:
        return False
    voices, waiting = _voices(tx, seat, author)
    said = list(texts)
    return any(trust.repeats(one, waiting) for one in said) or _is_outside(tx, voices, said)


def without_waiting(tx: Transaction, seat: Seat, found: Sequence[Run]) -> tuple[Run, ...]:
    """The runs; to whoever does not review, without a reason that says what waits for review or was turned down.

    A run ends whatever its reason says, so what it says is asked when somebody reads it.
    """
    if may(seat.actor, Act.REVIEW_GUARD) or not any(one.reason for one in found):
        return tuple(found)
    waiting: dict[str, list[trust.Said]] = {}
    turned_down = doubt.has_turned_down(tx)

    def waits(run: Run, reason: str) -> bool:
        if turned_down and doubt.is_turned_down(tx, [reason]):
            return True
        key = key_of(run.agent)
        if key not in waiting:
            waiting[key] = _cut(_waiting_of(tx, key))
        left = MemoryFilter(run_id=run.id, source=Source.TASK_COMPLETION, quarantined=True)
        return trust.repeats(reason, waiting[key]) or bool(tx.memories.page(left, Window(1)).items)

    return tuple(
        one._replace(reason=REASON_WITHHELD) if one.reason and waits(one, one.reason) else one for one in found
    )


def held_by_people(tx: Transaction) -> list[trust.Said]:
    """The words that people put into quarantine, whosever they are, as far as one write has time for them."""
    entries = EntryFilter(status=EntryStatus.PENDING, quarantined=True, sign=trust.ASKED)
    memories = MemoryFilter(quarantined=True, sign=trust.ASKED)
    return _cut(one.content for one in newest(tx, entries, memories))


def _voices(tx: Transaction, seat: Seat, author: str) -> tuple[list[str], list[trust.Said]]:
    """Who says something here, and what waits of them."""
    voices = list(dict.fromkeys((key_of(author), seat.actor.key)))
    return voices, _cut(one for voice in voices for one in _waiting_of(tx, voice))


def _said(texts: Mapping[str, Texts]) -> dict[str, list[str]]:
    """The texts of each field that has any, by the name that a user knows."""
    told = {name: [value] if isinstance(value, str) else list(value or ()) for name, value in texts.items()}
    return {name: said for name, said in told.items() if said}


def _waiting_of(tx: Transaction, author_key: str) -> list[str]:
    """What waits of an author for its words or where they came from. A secret that was taken out is no reason."""
    entries = EntryFilter(status=EntryStatus.PENDING, author_key=author_key, quarantined=True)
    memories = MemoryFilter(agent_key=author_key, quarantined=True)
    return [one.content for one in newest(tx, entries, memories) if {*one.signs} != {trust.SECRET_SIGN}]


def newest(tx: Transaction, entries: EntryFilter, memories: MemoryFilter) -> Iterator[Entry | Memory]:
    """The newest of these proposals and of these memories, by number and by how much there is to read."""
    for page in (partial(tx.inbox.page, entries), partial(tx.memories.page, memories)):
        items, characters, cursor = 0, 0, None
        while items < PAGE_ITEMS_MAX and characters < READ_CHARACTERS_MAX:
            found: Page[Entry] | Page[Memory] = page(Window(READ_ITEMS, cursor))
            yield from found.items
            if found.next_cursor is None:
                break
            items, cursor = items + len(found.items), found.next_cursor
            characters += sum(len(one.content) for one in found.items)


def _cut(texts: Iterable[str]) -> list[trust.Said]:
    """The texts ready to be compared, the shortest first, so that no long one takes the time for all others.

    Whatever is left out is known again by its digest, if it comes word for word.
    """
    spare = COMPARED_CHARACTERS_MAX
    ready: list[trust.Said] = []
    for text in sorted(dict.fromkeys(texts), key=len):
        spare -= len(text)
        if spare < 0:
            break
        ready += trust.said(text)
    return ready


def _is_outside(tx: Transaction, voices: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether one of these texts came from outside by one of these, and is no plain fact there, or waits.

    More can wait of an author than is compared word by word; the same words are found among any number.
    """
    if not texts:
        return False
    from hansard.domain.tricks.rewritings import rewritings_of

    written = [one for text in texts for one in rewritings_of(text)]
    same = (one for group in tx.memories.with_digests(digests(written)).values() for one in group)
    if any(one.is_quarantined and key_of(one.agent) in voices and {*one.signs} != {trust.SECRET_SIGN} for one in same):
        return True
    from hansard.domain.tricks.signs import remembered_signs

    # Asked first where they came from: to read a long text as an order takes far longer, and mostly nobody brought any.
    brought = [one for one in texts if any(_came_from_outside(tx, voice, one) for voice in voices)]
    return any(remembered_signs(one, outside=True) for one in brought)


def _came_from_outside(tx: Transaction, voice: str, said: str) -> bool:
    origin = doubt.doubt_of(tx, voice, [said]).origin
    return origin is not None and trust.trust_of(origin) is Trust.OUTSIDE


def _refusal(field: str) -> Quarantined:
    return Quarantined(
        f"What {field} says waits for review or came from outside, so nothing was written: everybody would read it at"
        " once. Say it in your own words, or have a person confirm it."
    )
