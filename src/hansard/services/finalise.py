"""Finalises a run: the boundaries that its coordinator proposed in it become decisions, all or none."""

from __future__ import annotations

from hansard.domain.errors import RunEnded
from hansard.domain.policy import Act, Matter, require
from hansard.domain.vocabulary import BOUNDARY_TYPES, RunOutcome
from hansard.services.review import Promotion, promote
from hansard.services.scribe import left_by
from hansard.services.seat import Seat, need_run


def finalise(seat: Seat, run_id: str) -> list[Promotion]:
    """Accepts, in one transaction, the architectural and scope entries that a run's own agent left in it.

    This is the one way for a coordinator to accept what it wrote itself. Running it again adds nothing. Raises RunEnded
    if the run failed or was declined: then a person reviews what it proposed.
    """
    with seat.writing() as tx:
        run = need_run(tx, run_id)
        require(seat.actor, Act.FINALISE, Matter(owner=run.agent))
        if run.outcome in {RunOutcome.FAILED, RunOutcome.DECLINED}:
            raise RunEnded(f"The run {run.id} ended as {run.outcome}; what it proposed waits for a review.")
        pending = [one for one in left_by(tx, [run]) if one.type in BOUNDARY_TYPES]
        for entry in pending:
            require(seat.actor, Act.ACCEPT, Matter(owner=entry.author, type=entry.type, finalising=True))
        return [promote(tx, seat, entry, note="finalised with its run") for entry in pending]
