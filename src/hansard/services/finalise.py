"""Finalises a run: the boundaries that its coordinator proposed in it become decisions, all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.errors import Denied, RunEnded
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.paging import Window
from hansard.domain.policy import Act, Matter, require
from hansard.domain.vocabulary import BOUNDARY_TYPES, Role, RunOutcome
from hansard.services.review import Promotion, matter_of, promote
from hansard.services.scribe import left_by
from hansard.services.seat import Seat, need_run

if TYPE_CHECKING:
    from hansard.domain.runs import Run
    from hansard.store.ports import Transaction


def finalise(seat: Seat, run_id: str) -> list[Promotion]:
    """Accepts, in one transaction, the architectural and scope entries that a coordinator left in its own run.

    This is the one way for a coordinator to accept what it wrote itself. A run that is still open may be finalised,
    and again later; nothing is accepted twice. Raises Denied if no coordinator leads the run, and RunEnded if the run
    failed or was declined: then a person reviews what it proposed. What it took from outside is for a person as well.
    """
    with seat.writing() as tx:
        run = need_run(tx, run_id)
        require(seat.actor, Act.FINALISE, Matter(owner=run.agent))
        if run.outcome in {RunOutcome.FAILED, RunOutcome.DECLINED}:
            raise RunEnded(f"The run {run.id} ended as {run.outcome}; what it proposed waits for a review.")
        if not _is_led(tx, seat, run):
            raise Denied(f"{run.agent} leads nothing here; review what it proposed with `hansard inbox merge`.")
        pending = [one for one in left_by(tx, [run]) if one.type in BOUNDARY_TYPES]
        for entry in pending:
            require(seat.actor, Act.ACCEPT, matter_of(tx, entry)._replace(finalising=True))
        return [promote(tx, seat, entry, note="finalised with its run") for entry in pending]


def _is_led(tx: Transaction, seat: Seat, run: Run) -> bool:
    """Whether the run's agent is a coordinator: now, when its name was first seen, or when it began the run."""
    key = key_of(run.agent)
    if seat.actor.key == key:
        return Role.COORDINATOR in seat.actor.roles
    if any(one.key == key and one.role == Role.COORDINATOR for one in tx.actors.all()):
        return True
    first = tx.ledger.page(Window(PAGE_ITEMS_MAX), subject_id=run.id).items[-1:]
    return any(one.actor_key == key and Role.COORDINATOR in one.role.split("+") for one in first)
