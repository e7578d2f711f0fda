"""Starts and finishes runs: one execution of an agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import runs, tags, text
from hansard.domain.actors import clean_name, filter_key
from hansard.domain.errors import HansardError, QuotaReached, RunEnded
from hansard.domain.limits import CONTENT_BYTES_MAX
from hansard.domain.memories import Memory, Note
from hansard.domain.paging import Page, Window
from hansard.domain.policy import Act, Matter, require
from hansard.domain.runs import FinishedRun, Run
from hansard.domain.versions import refuse_stale
from hansard.domain.vocabulary import Origin, RunOutcome, Subject, parse
from hansard.services import chronicle
from hansard.services.admission import Screened, held, judged, passes_on, repeated, safe, screen, screen_all, waiting
from hansard.services.complete import OVER_LIMIT, Completion, completion
from hansard.services.reindex import insert_indexed, prepare_units
from hansard.services.remember import memory_of
from hansard.services.scribe import write_down
from hansard.services.seat import Seat, find_run, fresh_salt, need_run, register_agent
from hansard.services.speak_for import require_name

if TYPE_CHECKING:
    from hansard.store.ports import Transaction


class Ending(NamedTuple):
    """How a run ended, as its caller says, checked and in normal form."""

    outcome: RunOutcome
    reason: str | None
    output: str | None
    persist: bool
    expected_version: int | None = None
    waits: bool = False
    """Whether a reviewer is to see first what is remembered of it, because a secret was taken out."""


def start_run(
    seat: Seat,
    *,
    agent: str,
    parent_id: str | None = None,
    task: str | None = None,
    task_type: str | None = None,
    tag_values: Iterable[str] | str | None = None,
) -> Run:
    """Opens a run. A parent must be a run of the same project."""
    owner = clean_name(agent)
    require_name(seat, Act.RUN, owner)
    said = (runs.clean_task(task), runs.clean_task_type(task_type), tags.normalise(tag_values))
    with seat.writing() as tx:
        parent = find_run(tx, parent_id)
        name = register_agent(tx, owner)
        run = Run(
            tx.new_id(), name, parent.id if parent else None, *said, None, None, 1, tx.now, None, tx.now, fresh_salt()
        )
        run, _ = screen(seat, run, tx)
        tx.runs.insert(run)
        chronicle.created(tx, seat.actor, "run.started", Subject.RUN, [run])
        return run


def finish_run(
    seat: Seat,
    run_id: str,
    *,
    outcome: str,
    reason: str | None = None,
    output: str | None = None,
    persist: bool = False,
    expected_version: int | None = None,
) -> FinishedRun:
    """Closes a run with its outcome, remembers what came of its task, and has the Scribe write it down: all at once.

    Raises RunEnded if it was closed before. Tasks that nobody asked for, such as scheduled ones, leave no memory
    unless `persist` says so. What the Scribe cannot do leaves the run finished all the same: `not_scribed` says why.
    Nor does a limit keep a run open: over it nothing is remembered, and `not_remembered` says so.
    """
    ending = Ending(
        parse(RunOutcome, outcome, field="outcome"),
        runs.clean_reason(reason),
        text.optional_prose(output, field="output", bytes_max=CONTENT_BYTES_MAX),
        persist,
        expected_version,
    )
    ending, screened = screen(seat, ending)
    ending = ending._replace(waits=screened.waits)
    _refuse_anothers(seat, run_id)
    try:
        return _finish(seat, run_id, ending)
    except QuotaReached:
        # Whoever has no room left for a memory can still end what runs.
        return _finish_over_limit(seat, run_id, ending)


def _refuse_anothers(seat: Seat, run_id: str) -> None:
    """Raises Denied or Impersonation unless the caller may end the run, before the write."""
    with seat.reading() as tx:
        run = need_run(tx, run_id)
    require_name(seat, Act.RUN, run.agent)


def _finish(seat: Seat, run_id: str, ending: Ending, *, kept: bool = True) -> FinishedRun:
    scribing = False
    try:
        with seat.writing(ends=True) as tx:
            finished = _close(tx, seat, run_id, ending, kept=kept)
            scribing = True
            finished.scribed = write_down(tx, seat, finished)
            scribing = False
    except Exception as error:
        if not scribing:
            raise
        # The Scribe's fault undid everything. The run did end, and says so without it.
        with seat.writing(ends=True) as tx:
            finished = _close(tx, seat, run_id, ending, kept=kept)
        finished.not_scribed = _fault(error, run_id)
    return finished


def _finish_over_limit(seat: Seat, run_id: str, ending: Ending) -> FinishedRun:
    """Closes the run and keeps nothing of it. What the Scribe accepts may be a memory too; then it is left as well."""
    try:
        return _finish(seat, run_id, ending, kept=False)
    except QuotaReached:
        with seat.writing(ends=True) as tx:
            finished = _close(tx, seat, run_id, ending, kept=False)
        finished.not_scribed = f"Its proposals wait for review: {OVER_LIMIT}."
        return finished


def _fault(error: Exception, run_id: str) -> str:
    """Why the Scribe could not work. What nobody foresaw is in the log as well."""
    if isinstance(error, HansardError):
        return error.message
    import logging

    told = safe(f"Unexpected {type(error).__name__}: {error}.")
    log = logging.getLogger("hansard")
    log.error("The Scribe of run %s failed. %s", run_id, told)
    # Where it happened is for a developer; a person at a terminal is shown no trace.
    log.debug("The Scribe of run %s failed here.", run_id, exc_info=error)
    return told


def _close(tx: Transaction, seat: Seat, run_id: str, ending: Ending, *, kept: bool) -> FinishedRun:
    before = need_run(tx, run_id)
    require(seat.actor, Act.RUN, Matter(owner=before.agent))
    refuse_stale("The run", before.version, ending.expected_version)
    if not before.is_open:
        raise RunEnded(f"The run {run_id} ended as {before.outcome} already.")
    # While it is open: what a coordinator says of what it read is not its own.
    passed_on = passes_on(seat, tx)
    after = before._replace(
        outcome=ending.outcome, reason=ending.reason, ended_at=tx.now, version=before.version + 1, updated_at=tx.now
    )
    tx.runs.update(after)
    details = {"outcome": ending.outcome.value}
    chronicle.changed(tx, seat.actor, "run.finished", Subject.RUN, before, after, details)
    left = completion(after, output=ending.output, persist=ending.persist)
    if left.notes and not kept:
        left = Completion((), OVER_LIMIT)
    if passed_on:
        left = left._replace(notes=tuple(one._replace(origin=Origin.EXTERNAL) for one in left.notes))
    # The task was screened when the run began.
    waits = ending.waits or waiting(seat, after.task).waits
    made = _remember_completion(tx, seat, left.notes, waits=waits)
    finished = FinishedRun(*after)
    finished.memory_id = made[0].id if made else None
    finished.not_remembered = left.why_not
    return finished


def _remember_completion(tx: Transaction, seat: Seat, notes: Sequence[Note], *, waits: bool) -> list[Memory]:
    """In the run's own last transaction, so that a run is never closed without what it taught."""
    notes, found = screen_all(seat, notes)
    made = repeated(tx, seat, [judged(seat, memory_of(tx, note), tx.now) for note in notes])
    whole = Screened(waits=waits)
    made = [held(one, found.get(place, whole), tx.now) for place, one in enumerate(made)]
    insert_indexed(tx, seat, made, prepare_units(tx, seat, [one.content for one in made]))
    chronicle.created(tx, seat.actor, "memory.recorded", Subject.MEMORY, made)
    return made


def get_run(seat: Seat, run_id: str) -> Run:
    seat.require(Act.READ)
    with seat.reading() as tx:
        return need_run(tx, run_id)


def list_runs(seat: Seat, window: Window, *, agent: str | None = None, open_only: bool = False) -> Page[Run]:
    seat.require(Act.READ)
    with seat.reading() as tx:
        return tx.runs.page(agent_key=filter_key(agent), open_only=open_only, window=window)
