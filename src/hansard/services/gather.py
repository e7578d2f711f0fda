"""Gathers the state that a block is made of, in one transaction, and reads nothing that the turn does not want."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hansard.domain.errors import StoreBusy, StoreUnreachable, Unavailable
from hansard.domain.paging import Window
from hansard.domain.turns import Mode
from hansard.services.seat import Seat, find_run, lived_until
from hansard.store.filters import MemoryFilter

if TYPE_CHECKING:
    from hansard.domain.decisions import Decision
    from hansard.domain.memories import Memory
    from hansard.domain.projects import Root
    from hansard.domain.runs import Run
    from hansard.domain.sessions import Session
    from hansard.settings import Settings
    from hansard.store.ports import Transaction

OPEN_RUNS_READ_MAX = 200
"""Runs that nobody closed pile up; older ones than these are not even counted."""

QUARANTINED_READ_MAX = 20
"""The receipt names the newest of what waits for review; `hansard guard list` has the rest."""
CORE_READ_MAX = 200
"""The receipt names each of so many; by importance and age, whatever comes after them is only counted."""


class Turn(NamedTuple):
    """What somebody asks a block for, checked and in normal form."""

    agent: str
    reader_key: str
    mode: Mode
    task: str | None
    prompt: str | None
    charter: str | None
    cwd: Path | None
    run_id: str | None
    notes: tuple[str, ...] = ()
    """What was done to make it usable."""

    @property
    def wants_memory(self) -> bool:
        return self.mode is Mode.FULL

    @property
    def wants_session(self) -> bool:
        return self.mode in {Mode.FULL, Mode.COORDINATOR}


class State(NamedTuple):
    """Everything of the record that a block may show, as it was at one moment."""

    now: int = 0
    seq: int = 0
    decisions: tuple[Decision, ...] = ()
    superseded: int = 0
    memories: tuple[Memory, ...] = ()
    """The agent's core context."""
    learnings: tuple[Memory, ...] = ()
    """The newest learnings and patterns of high importance that the agent may see."""
    more_memories: int = 0
    """Core memories that were counted and not read."""
    quarantined: tuple[Memory, ...] = ()
    """Memories that the agent would see, if they did not wait for review."""
    session: Session | None = None
    runs: tuple[Run, ...] = ()
    citations: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 - never changed
    roots: tuple[Root, ...] = ()
    notes: tuple[str, ...] = ()
    lost: bool = False
    """Whether the store did not answer; then nothing more is asked of it."""


def gather(seat: Seat, turn: Turn) -> State:
    """The state for this turn. What cannot be read is missing, and a note says so."""
    parts: list[tuple[str, _Part]] = [("The record", _record)]
    if turn.wants_memory:
        parts += [("Memory", _memory), ("The list of folders", _roots)]
    if turn.wants_session:
        parts += [("The session", _session), ("The list of runs", _runs)]
    try:
        with seat.reading() as tx:
            return State(**{name: value for _, part in parts for name, value in part(tx, seat, turn).items()})
    except (StoreUnreachable, StoreBusy) as error:
        # Each part would wait as long again, and the turn with it.
        return State(notes=(f"The record could not be read: {error.message}",), lost=True)
    except Unavailable:
        return _one_by_one(seat, turn, parts)


_Part = Callable[["Transaction", Seat, Turn], dict[str, Any]]


def _one_by_one(seat: Seat, turn: Turn, parts: list[tuple[str, _Part]]) -> State:
    """The same with a transaction for each part: on a server, one that has failed reads nothing more."""
    found: dict[str, Any] = {}
    notes: list[str] = []
    for name, part in parts:
        try:
            with seat.reading() as tx:
                found |= part(tx, seat, turn)
        except Unavailable as error:
            notes.append(f"{name} could not be read: {error.message}")
    return State(**found, notes=tuple(notes))


def _record(tx: Transaction, seat: Seat, turn: Turn) -> dict[str, Any]:  # noqa: ARG001
    bound = seat.shelf.binding.of(tx)
    return {"now": tx.now, "seq": bound.head[0], "decisions": bound.decisions, "superseded": bound.superseded}


def _memory(tx: Transaction, seat: Seat, turn: Turn) -> dict[str, Any]:
    now = lived_until(tx)
    core, more = tx.memories.core(turn.reader_key, now=now, limit=core_max(seat.settings))
    learnings = tx.memories.top_learnings(turn.reader_key, now=now, limit=seat.settings.context_learnings_max)
    waiting = MemoryFilter(reader_key=turn.reader_key, live_at=now, quarantined=True)
    held = tx.memories.page(waiting, Window(QUARANTINED_READ_MAX)).items
    return {"memories": core, "learnings": learnings, "more_memories": more, "quarantined": held}


def core_max(settings: Settings) -> int:
    """How many core memories are candidates: more than a block could show, though one after the other is too long."""
    return max(CORE_READ_MAX, settings.context_items_max * 2)


def _roots(tx: Transaction, seat: Seat, turn: Turn) -> dict[str, Any]:  # noqa: ARG001
    if seat.settings.context_stale == "off":
        return {}
    return {"roots": tx.projects.roots(tx.project_id)}


def _session(tx: Transaction, seat: Seat, turn: Turn) -> dict[str, Any]:  # noqa: ARG001
    return {"session": tx.sessions.current()}


def _runs(tx: Transaction, seat: Seat, turn: Turn) -> dict[str, Any]:
    own = find_run(tx, turn.run_id)
    found = tx.runs.page(agent_key=None, open_only=True, window=Window(OPEN_RUNS_READ_MAX, None)).items
    others = [one for one in found if not _is_own(one, own, turn)]
    looked_at = compared(others, turn, seat.settings)
    return {
        "runs": tuple(others),
        "citations": tx.runs.citations([one.id for one in looked_at], reader_key=turn.reader_key),
    }


def compared(others: Sequence[Run], turn: Turn, settings: Settings) -> Sequence[Run]:
    """The runs whose files are wanted: all, if one of them may be at this task, else those that will be told."""
    asked = turn.task is not None or turn.prompt is not None
    return others if asked else others[: settings.context_runs_max]


def _is_own(run: Run, own: Run | None, turn: Turn) -> bool:
    from hansard.domain.actors import key_of

    return run.id == own.id if own is not None else key_of(run.agent) == turn.reader_key
