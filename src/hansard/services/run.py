"""Starts and finishes runs: one execution of an agent."""

from collections.abc import Iterable

from hansard.domain import runs, tags
from hansard.domain.actors import clean_name, filter_key
from hansard.domain.errors import RunEnded
from hansard.domain.paging import Page, Window
from hansard.domain.policy import Act, Matter, require
from hansard.domain.runs import Run
from hansard.domain.vocabulary import RunOutcome, Subject, parse
from hansard.services import chronicle
from hansard.services.seat import Seat, find_run, fresh_salt, need_run, register_agent


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
    seat.require(Act.RUN, Matter(owner=owner))
    said = (runs.clean_task(task), runs.clean_task_type(task_type), tags.normalise(tag_values))
    with seat.writing() as tx:
        parent = find_run(tx, parent_id)
        name = register_agent(tx, owner)
        run = Run(
            tx.new_id(), name, parent.id if parent else None, *said, None, None, 1, tx.now, None, tx.now, fresh_salt()
        )
        tx.runs.insert(run)
        chronicle.created(tx, seat.actor, "run.started", Subject.RUN, [run])
        return run


def finish_run(seat: Seat, run_id: str, *, outcome: str, reason: str | None = None) -> Run:
    """Closes a run with its outcome. Raises RunEnded if it was closed before."""
    ending = parse(RunOutcome, outcome, field="outcome")
    why = runs.clean_reason(reason)
    with seat.writing() as tx:
        before = need_run(tx, run_id)
        require(seat.actor, Act.RUN, Matter(owner=before.agent))
        if not before.is_open:
            raise RunEnded(f"The run {run_id} ended as {before.outcome} already.")
        after = before._replace(
            outcome=ending, reason=why, ended_at=tx.now, version=before.version + 1, updated_at=tx.now
        )
        tx.runs.update(after)
        chronicle.changed(tx, seat.actor, "run.finished", Subject.RUN, before, after, {"outcome": ending.value})
        return after


def get_run(seat: Seat, run_id: str) -> Run:
    seat.require(Act.READ)
    with seat.reading() as tx:
        return need_run(tx, run_id)


def list_runs(seat: Seat, window: Window, *, agent: str | None = None, open_only: bool = False) -> Page[Run]:
    seat.require(Act.READ)
    with seat.reading() as tx:
        return tx.runs.page(agent_key=filter_key(agent), open_only=open_only, window=window)
