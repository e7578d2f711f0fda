"""Sees to it that a request with a key is done once, however often it is sent, by whichever process.

Its own changes are not flushed: the work between them is, and with it the claim. What a loss of power can take is the
answer that was kept for a repetition; that the work was done stands in the transaction of the work.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from hansard.clock import iso
from hansard.domain import text
from hansard.domain.errors import AnswerGone, KeyInFlight, KeyReused, TooManyWrites
from hansard.domain.idempotency import KEPT_SECONDS, KEY_BYTES_MAX, KeptAnswer, digest_of
from hansard.domain.policy import Act, may
from hansard.services.admission import safe
from hansard.services.limit import count_write
from hansard.store.filters import NO_PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hansard.services.seat import Seat
    from hansard.store.ports import Store, Transaction


IDLE_BYTES_MAX = 16 * 1024
"""How long an answer may be that is kept though nothing was written for the request."""
GONE = "The request with this Idempotency-Key was done, and its answer is gone; look at the record."
REUSED = "This Idempotency-Key was used for another request; use a new one."


class Claim(NamedTuple):
    """The right to work on a request: nobody else does until it is settled, let go of or given up."""

    project_id: str
    caller: str
    key: str
    digest: bytes
    started_at: int


_current: ContextVar[Claim | None] = ContextVar("request", default=None)


def kept_key(key: str) -> str:
    """What is kept of a key: it is the caller's own word and may be a secret, and only has to be known again."""
    return digest_of(key.encode()).hex()


def claim(
    store: Store,
    project_id: str | None,
    *,
    caller: str,
    key: str,
    digest: bytes,
    wait_seconds: float | None = None,
) -> Claim | KeptAnswer:
    """The right to do what the request asks for, or what it was answered before. It may be about no project.

    Raises KeyReused if the key stands for another request, KeyInFlight while somebody works on this one, and AnswerGone
    if it was done and nobody knows any more what it was answered.
    """
    wanted = kept_key(text.line(key, field="Idempotency-Key", bytes_max=KEY_BYTES_MAX))
    place = NO_PROJECT if project_id is None else project_id
    with store.write(place, wait_seconds=wait_seconds, flushed=False) as tx:
        answers, now = store.answers(tx), store.clock(tx)
        answers.drop_before(now - KEPT_SECONDS * 1_000_000)
        mine = Claim(place, caller, wanted, digest, now)
        if answers.begin(caller, wanted, digest):
            return mine
        known = answers.get(caller, wanted)
        if known is None:
            raise KeyInFlight("The request with this Idempotency-Key has just ended without an answer; repeat it.")
        # A request whose words were forgotten is known by its key alone.
        if known.digest and known.digest != digest:
            raise KeyReused(REUSED)
        if known.is_done and known.body is not None:
            return known
        if known.is_done or (known.status is not None and known.is_given_up(now)):
            raise AnswerGone(GONE)
        if known.is_given_up(now) and answers.take_over(caller, wanted, known, digest):
            return mine
    raise KeyInFlight("The request with this Idempotency-Key is being answered just now; repeat it in a moment.")


def refuse_hidden(seat: Seat, known: KeptAnswer) -> None:
    """Raises AnswerGone if what the answer tells of has gone into quarantine since, and the caller does not review it.

    An answer of which the work itself held something tells the instant of it, and has the caller's own words.
    """
    if known.body is None or may(seat.actor, Act.REVIEW_GUARD):
        return
    with seat.reading() as tx:
        held = seat.store.guard(tx).held_since(known.started_at)
    if held and any(iso(held[id]).encode() not in known.body for id in _ids_in(known.body) & held.keys()):
        raise AnswerGone(GONE)


def _ids_in(body: bytes) -> set[str]:
    from re import findall

    return {one.decode() for one in findall(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", body)}


def refuse_reused(store: Store, project_id: str | None, *, caller: str, key: str, digest: bytes) -> None:
    """Raises KeyReused if the key stands for another request. For what only reads: it may be done again any time."""
    wanted = kept_key(text.line(key, field="Idempotency-Key", bytes_max=KEY_BYTES_MAX))
    with store.read(NO_PROJECT if project_id is None else project_id) as tx:
        known = store.answers(tx).get(caller, wanted)
    if known is not None and known.digest and known.digest != digest:
        raise KeyReused(REUSED)


@contextmanager
def working_on(mine: Claim) -> Iterator[None]:
    """Meanwhile the first change to the project says with it that the request was done."""
    token = _current.set(mine)
    try:
        yield
    finally:
        _current.reset(token)


def note_work(store: Store, tx: Transaction) -> None:
    """Keeps with the work that it was done, if it is the work of a request with a key.

    A worker that dies before it has kept the answer leaves this behind, and nobody does the work again. Raises
    KeyInFlight, and the work is undone, if the request was given up meanwhile and is another's.
    """
    mine = _current.get()
    if mine is None or mine.project_id != tx.project_id:
        return
    if not store.answers(tx).note_work(mine.caller, mine.key, mine.started_at, mine.digest):
        raise KeyInFlight(
            "This attempt took so long that the request was given to another; nothing was written. Repeat it with the"
            " same Idempotency-Key."
        )


def settle(
    store: Store, mine: Claim, *, status: int, headers: Mapping[str, str], body: bytes, seat: Seat | None = None
) -> None:
    """Keeps what the request was answered, for whoever repeats it.

    An answer to what wrote nothing is itself a write of who sits on the seat. Over the limit it is not kept. Nor are
    words that may have been forgotten since the claim.
    """
    # What was asked for may stand in it; a repetition then hears that it was done.
    text = body.decode(errors="replace")
    kept = body if safe(text) == text else None
    try:
        with store.write(mine.project_id, flushed=False) as tx:
            answers = store.answers(tx)
            begun = answers.get(mine.caller, mine.key)
            if begun is None or begun.started_at != mine.started_at:
                return
            # Something was forgotten meanwhile, and the answer may repeat it.
            erased = not begun.digest
            if begun.status is None:
                if erased or len(body) > IDLE_BYTES_MAX:
                    # Who may only read could fill the disk. It is done again instead.
                    answers.drop(mine.caller, mine.key, mine.started_at)
                    return
                if seat is not None:
                    count_write(tx, seat)
            said = ({}, None) if erased else (headers, kept)
            answer = KeptAnswer(mine.digest, mine.started_at, status, *said)
            answers.finish(mine.caller, mine.key, answer)
    except TooManyWrites:
        let_go(store, mine)


def let_go(store: Store, mine: Claim) -> None:
    """Forgets the request if nothing of it was done, so that a repetition is a first attempt again."""
    with store.write(mine.project_id, flushed=False) as tx:
        store.answers(tx).drop(mine.caller, mine.key, mine.started_at)
