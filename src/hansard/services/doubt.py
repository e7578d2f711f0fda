"""Doubts words, whoever says them next: what an author brought from outside or a person turned down is known again."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain.actors import key_of
from hansard.domain.ledger import Draft
from hansard.domain.memories import is_redacted
from hansard.domain.paging import Window
from hansard.domain.trust import AGAIN_WORDS_MIN, LABEL_WORDS_MIN, less_trusted
from hansard.domain.vocabulary import Origin, Subject

if TYPE_CHECKING:
    from hansard.domain.ledger import Event
    from hansard.services.seat import Seat
    from hansard.store.ports import Transaction

DOUBTED = "words.doubted"
TURNED_DOWN = "words.turned_down"
VOUCHED = "words.vouched"
"""What the history says of words: a digest stands for them, in this project, of this author or of everybody."""
EVERYBODY = ""
"""Stands for all authors: what a person turned down is known again whoever says it. No author has such a name."""
LAST = Window(1)
LAST_TWO = Window(2)
PIECES_MAX = 12
RUN_PIECES_MAX = 4
"""A sentence in pieces is looked for in every row of few fields; of more than these, in four at a time and in all."""
_BESIDE_WORDS = re.compile(r"[\W_]+")


class Doubt(NamedTuple):
    """What is known of some words: the least trusted place they came from, and whether a person turned them down."""

    origin: Origin | None = None
    turned_down: bool = False


class Brought(NamedTuple):
    """Words that an author brought from somewhere."""

    author: str
    texts: Sequence[str]
    origin: Origin


NO_DOUBT = Doubt()


def letters_of(text: str) -> tuple[str, ...]:
    """What words are compared by: letters and digits. Another full stop does not make other words of them.

    Nor does an entity, an escape, a tag, a digit for a letter, or a letter that looks like another.
    """
    from hansard.domain.tricks.rewritings import rewritings_of

    return tuple(dict.fromkeys(map(_letters, rewritings_of(text))))


def _letters(text: str) -> str:
    folded = text.casefold()
    if not folded.isascii():
        from unicodedata import normalize

        folded = normalize("NFKC", folded).casefold()
    return _BESIDE_WORDS.sub("", folded) or folded


def spelled(label: str) -> str:
    """A tag, a slug or a path as the words that somebody reads in it: dashes and slashes are its blanks."""
    return _BESIDE_WORDS.sub(" ", label).strip()


def telling(content: str, *beside: str | None, labels: Iterable[str | None] = ()) -> list[str]:
    """The texts that are known again: the content, and beside it what is long enough to say something by itself.

    Labels name a place or a topic, which many memories share. So they have to be longer to count as words.
    """
    said = [one for one in beside if one and len(one.split()) >= AGAIN_WORDS_MIN]
    return [content, *said, *(one for one in labels if one and len(one.split()) >= LABEL_WORDS_MIN)]


def has_doubts(tx: Transaction, author: str) -> bool:
    """Whether any words of the author are doubted, or of anybody turned down. Asked first: mostly none are."""
    return _is_watched(tx, author, EVERYBODY)


def has_turned_down(tx: Transaction) -> bool:
    """Whether a person ever held or turned down anything in this project."""
    return _is_watched(tx, EVERYBODY)


def doubt_of(tx: Transaction, author: str, texts: Iterable[str]) -> Doubt:
    """What is known of these words, of an author who has doubts: the worst of each."""
    found = NO_DOUBT
    for letters in dict.fromkeys(one for text in texts for one in letters_of(text)):
        one, of_all = _last(tx, _mark(tx, author, letters)), _last(tx, _mark(tx, EVERYBODY, letters))
        turned_down = found.turned_down or one.turned_down or of_all.turned_down
        found = Doubt(less_trusted(found.origin, one.origin), turned_down)
    return found


def is_turned_down(tx: Transaction, texts: Iterable[str]) -> bool:
    """Whether a person turned one of these words down, whoever said them."""
    return any(_last(tx, mark).turned_down for one in texts for mark in _marks(tx, one, EVERYBODY))


def is_vouched_for(tx: Transaction, author: str, text: str) -> bool:
    """Whether somebody vouched for these words of the author since they were last doubted."""
    told = (event for mark in _marks(tx, text, author) for event in tx.ledger.page(LAST, subject_id=mark).items)
    return any(event.action == VOUCHED for event in told)


def rows_of(pieces: Sequence[str], fresh: Collection[str] | None = None) -> Iterator[Sequence[str]]:
    """What the fields of a record say one after another: a sentence that is cut in two is no other sentence.

    Two of few fields are also read the other way round. With `fresh`, only rows with one of these count: what stands
    there already is not said by whoever adds to it.
    """
    count = len(pieces)
    few = count <= PIECES_MAX
    spans = [
        pieces[start : start + length]
        for length in range(2, count + 1)
        if few or length <= RUN_PIECES_MAX or length == count
        for start in range(count - length + 1)
    ]
    if few:
        spans += [
            (pieces[one], pieces[two]) for one in range(count) for two in range(count) if two not in (one, one + 1)
        ]
    for span in spans:
        if (fresh is None or any(one in fresh for one in span)) and _has_words(span):
            yield span


def _has_words(span: Sequence[str]) -> bool:
    """Whether a row has enough words to be known again. So has every long piece, or its words are very long."""
    words = 0
    for one in span:
        words += len(one.split(maxsplit=AGAIN_WORDS_MIN))
        if words >= AGAIN_WORDS_MIN:
            return True
    return False


def told_together(
    tx: Transaction, authors: Iterable[str], pieces: Sequence[str], fresh: Collection[str] | None = None
) -> list[str]:
    """The rows of these pieces of which something is known, of these authors or of everybody."""
    voices = list(dict.fromkeys((*authors, EVERYBODY)))
    # Each piece is read once, however many rows it stands in: it may be as long as a memory is.
    read = {one: tuple(_BESIDE_WORDS.sub("", letters) for letters in letters_of(one)) for one in dict.fromkeys(pieces)}
    marks = {
        " ".join(row): [_mark(tx, voice, letters) for letters in _in_a_row(row, read) for voice in voices]
        for row in rows_of(pieces, fresh)
    }
    # One question for all of them: mostly nothing is known of any.
    if not marks or not tx.ledger.tells_of(*(mark for group in marks.values() for mark in group)):
        return []
    return [row for row, group in marks.items() if tx.ledger.tells_of(*group)]


def _in_a_row(row: Sequence[str], read: Mapping[str, Sequence[str]]) -> list[str]:
    """What a row of pieces is compared by: as they are, and in their other spellings all at once."""
    most = max(len(read[one]) for one in row)
    told = ("".join(read[one][min(place, len(read[one]) - 1)] for one in row) for place in range(most))
    return [letters for letters in dict.fromkeys(told) if letters]


def keep_origins(tx: Transaction, seat: Seat, brought: Iterable[Brought]) -> None:
    """Keeps where words came from, unless that is known."""
    new: dict[str, Doubt] = {}
    known: dict[str, bool] = {}
    for author, texts, origin in brought:
        every = _mark(tx, author, "")
        if every not in known:
            known[every] = _is_watched(tx, author)
            if not known[every]:
                new[every] = Doubt(origin)
        for mark in (mark for text in texts for mark in _marks(tx, text, author)):
            before = new.get(mark) or (_last(tx, mark) if known[every] else NO_DOUBT)
            after = before._replace(origin=less_trusted(before.origin, origin))
            if after != before:
                new[mark] = after
    _tell(tx, seat, new)


def turn_down(tx: Transaction, seat: Seat, author: str, texts: Iterable[str]) -> None:
    """Keeps that a person turned these words down, also when the words themselves are gone.

    All that anybody writes from now on is compared with them, and with what people hold.
    """
    unwatched = [one for one in (author, EVERYBODY) if not _is_watched(tx, one)]
    _tell(tx, seat, {_mark(tx, one, ""): Doubt(turned_down=True) for one in unwatched})
    told = [text for text in texts if not is_redacted(text)]
    marks = sorted({mark for text in told for mark in _marks(tx, text, author, EVERYBODY)})
    _tell(tx, seat, {one: _last(tx, one)._replace(turned_down=True) for one in marks})


def take_back(tx: Transaction, seat: Seat, author: str, texts: Iterable[str]) -> None:
    """Keeps that a person let go what was held. Where the words came from stays known."""
    marks = dict.fromkeys(mark for one in texts for mark in _marks(tx, one, author, EVERYBODY))
    last = {one: _last(tx, one) for one in marks}
    _tell(tx, seat, {mark: one._replace(turned_down=False) for mark, one in last.items() if one.turned_down})


def vouch(tx: Transaction, seat: Seat, author: str, texts: Iterable[str]) -> None:
    """Keeps that a person vouched for these words, if they were doubted: from now on they are like any others."""
    if has_doubts(tx, author):
        marks = [mark for one in texts for mark in _marks(tx, one, author, EVERYBODY)]
        _tell(tx, seat, {one: NO_DOUBT for one in marks if _last(tx, one) != NO_DOUBT})


def doubt_again(tx: Transaction, seat: Seat, author: str, texts: Iterable[str]) -> None:
    """Doubts words again as they were doubted before a person vouched for them; others are left as they are."""
    doubts: dict[str, Doubt] = {}
    for mark in dict.fromkeys(mark for one in texts for mark in _marks(tx, one, author, EVERYBODY)):
        told = tx.ledger.page(LAST_TWO, subject_id=mark).items
        # Nobody vouches for what is not doubted, so a doubt stands right before it.
        if len(told) > 1 and told[0].action == VOUCHED:
            doubts[mark] = _said(told[1])
    _tell(tx, seat, doubts)


def _is_watched(tx: Transaction, *authors: str) -> bool:
    return tx.ledger.tells_of(*(_watch(tx.project_id, one) for one in authors))


@lru_cache(maxsize=1024)
def _watch(project_id: str, author: str) -> str:
    """The mark of all words of an author. Every write asks for it."""
    return _marked(project_id, author, "")


def _marks(tx: Transaction, text: str, *authors: str) -> list[str]:
    return [_mark(tx, one, letters) for letters in letters_of(text) for one in authors]


def _mark(tx: Transaction, author: str, letters: str) -> str:
    return _marked(tx.project_id, author, letters)


def _marked(project_id: str, author: str, letters: str) -> str:
    from hashlib import blake2b

    key = blake2b(project_id.encode(), digest_size=32).digest()
    said = f"{key_of(author)}\n{letters}"
    return f"words-{blake2b(said.encode(), digest_size=12, key=key).hexdigest()}"


def _last(tx: Transaction, mark: str) -> Doubt:
    for event in tx.ledger.page(LAST, subject_id=mark).items:
        return _said(event)
    return NO_DOUBT


def _said(event: Event) -> Doubt:
    origin = event.details.get("origin")
    return Doubt(Origin(origin) if origin else None, event.action == TURNED_DOWN)


def _tell(tx: Transaction, seat: Seat, doubts: dict[str, Doubt]) -> None:
    actor = seat.actor
    if not doubts:
        return
    tx.ledger.append(
        Draft(
            TURNED_DOWN if one.turned_down else DOUBTED if one.origin else VOUCHED,
            Subject.PROJECT, mark, actor.key, actor.role, None, None, {"origin": one.origin} if one.origin else {},
        )
        for mark, one in doubts.items()
    )  # fmt: skip
