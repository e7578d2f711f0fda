"""Looks back: gathers the state that a block would have been made of at an earlier time, from the record alone."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from hansard.clock import instant_of, iso
from hansard.domain.actors import key_of
from hansard.domain.budget import precedence
from hansard.domain.errors import Invalid
from hansard.domain.policy import Act, may
from hansard.services.gather import OPEN_RUNS_READ_MAX, State, Turn, compared, core_max
from hansard.services.hide import held_now
from hansard.services.seat import Seat, find_run, lived_until

if TYPE_CHECKING:
    from hansard.domain.runs import Run
    from hansard.store.ports import Past, Transaction

NOTE_WITHOUT = (
    "As the record was then: without past knowledge and guidance, which the record does not keep, and with no claim"
    " checked, because the files of then are not known."
)


def look_back(seat: Seat, turn: Turn, as_of: str | int) -> State:
    """The state at that time. Raises Invalid for a time that is none, has not come, or was before the project."""
    at = instant_of(as_of)
    with seat.reading() as tx:
        if at > tx.now and _is_today(as_of, tx.now):
            # A date is its last moment, and of today that has not come.
            at = tx.now
        if at > tx.now:
            raise Invalid(f"{iso(at)} has not come yet; as of a time in the past only.")
        past = seat.store.past(tx, at, now=min(at, lived_until(tx)))
        seq = past.last_event()
        if not seq:
            first = tx.ledger.get(1)
            began = "" if first is None else f", which began at {iso(first.at)}"
            raise Invalid(f"{iso(at)} is before the project{began}.")
        state = State(now=at, seq=seq, decisions=past.boundaries(), superseded=past.superseded_boundaries())
        notes: list[str] = []
        if turn.wants_memory:
            state = _with_memories(seat, turn, past, state, notes)
            state = _without_held(tx, seat, state)
        if turn.wants_session:
            own = find_run(tx, turn.run_id)
            state = _with_session(seat, turn, past, state, own)
    return state._replace(notes=tuple(notes))


def _with_memories(seat: Seat, turn: Turn, past: Past, state: State, notes: list[str]) -> State:
    learnings = past.top_learnings(turn.reader_key, limit=seat.settings.context_learnings_max)
    core = sorted(past.core(turn.reader_key), key=precedence)
    read = core[: core_max(seat.settings)]
    forgotten = {one.id for one in (*read, *learnings) if one.is_forgotten}
    if gone := len(forgotten):
        notes.append(f"{gone:,} of the memories of then {'was' if gone == 1 else 'were'} forgotten since.")
    unread = len(core) - len(read)
    return _without(state._replace(memories=tuple(read), learnings=learnings, more_memories=unread), forgotten)


def _without(state: State, ids: Container[str]) -> State:
    memories, learnings = (
        tuple(one for one in some if one.id not in ids) for some in (state.memories, state.learnings)
    )
    return state._replace(memories=memories, learnings=learnings)


def _without_held(tx: Transaction, seat: Seat, state: State) -> State:
    """What a reviewer holds now is not told of then either; whoever reviews may look."""
    if may(seat.actor, Act.REVIEW_GUARD):
        return state
    known = (*state.memories, *state.learnings)
    now = held_now(tx, (one.id for one in known))
    return _without(state, now)._replace(quarantined=tuple(one for one in known if one.id in now))


def _with_session(seat: Seat, turn: Turn, past: Past, state: State, own: Run | None) -> State:
    found = past.open_runs(limit=OPEN_RUNS_READ_MAX)
    others = [one for one in found if (one.id != own.id if own else key_of(one.agent) != turn.reader_key)]
    looked_at = compared(others, turn, seat.settings)
    return state._replace(
        session=past.session(),
        runs=tuple(others),
        citations=past.citations([one.id for one in looked_at], reader_key=turn.reader_key),
    )


def _is_today(as_of: str | int, now: int) -> bool:
    return isinstance(as_of, str) and as_of.strip() == iso(now)[:10]
