"""Sees to it that a request with a key is done once, however often it is sent, by whichever process.

Its own changes are not flushed: the work between them is, and with it the claim. What a loss of power can take is the
answer that was kept for a repetition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import text
from hansard.domain.errors import KeyInFlight, KeyReused
from hansard.domain.idempotency import KEPT_SECONDS, KEY_BYTES_MAX, KeptAnswer
from hansard.store.filters import NO_PROJECT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hansard.store.ports import Store


class Claim(NamedTuple):
    """The right to work on a request: nobody else does until it is settled, let go of or given up."""

    project_id: str
    caller: str
    key: str
    digest: bytes
    started_at: int


def claim(store: Store, project_id: str | None, *, caller: str, key: str, digest: bytes) -> Claim | KeptAnswer:
    """The right to do what the request asks for, or what it was answered before. It may be about no project.

    Raises KeyReused if the key stands for another request, and KeyInFlight while somebody works on this one.
    """
    wanted = text.line(key, field="Idempotency-Key", bytes_max=KEY_BYTES_MAX)
    place = NO_PROJECT if project_id is None else project_id
    with store.write(place, flushed=False) as tx:
        answers = store.answers(tx)
        answers.drop_before(tx.now - KEPT_SECONDS * 1_000_000)
        mine = Claim(place, caller, wanted, digest, tx.now)
        if answers.begin(caller, wanted, digest):
            return mine
        known = answers.get(caller, wanted)
        if known is None:
            raise KeyInFlight("The request with this Idempotency-Key has just ended without an answer; repeat it.")
        if known.digest != digest:
            raise KeyReused("This Idempotency-Key was used for another request; use a new one.")
        if known.status is not None:
            return known
        if known.is_given_up(tx.now) and answers.take_over(caller, wanted, known, digest):
            return mine
    raise KeyInFlight("The request with this Idempotency-Key is being answered just now; repeat it in a moment.")


def settle(store: Store, mine: Claim, *, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Keeps what the request was answered, for whoever repeats it."""
    with store.write(mine.project_id, flushed=False) as tx:
        answer = KeptAnswer(mine.digest, mine.started_at, status, headers, body)
        store.answers(tx).finish(mine.caller, mine.key, answer)


def let_go(store: Store, mine: Claim) -> None:
    """Forgets the request, so that a repetition is a first attempt again."""
    with store.write(mine.project_id, flushed=False) as tx:
        store.answers(tx).drop(mine.caller, mine.key, mine.started_at)
