"""Owns the addresses of runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from hansard.interfaces import shapes
from hansard.interfaces.rest import bodies, examples, filters, models
from hansard.interfaces.rest.answers import answer, place
from hansard.interfaces.rest.calls import Key, opened
from hansard.interfaces.rest.etags import IfMatch, expected
from hansard.interfaces.rest.operations import Example, in_project, operation
from hansard.interfaces.server.lanes import Lane

runs = in_project("runs")


@operation(runs, "POST", "/runs", Example("The run has begun.", models.Run, examples.RUN), status=201)
def start(request: Request, project: Key, body: bodies.NewRun) -> Response:
    """Start a run of an agent."""
    made = opened(request, project).start_run(**body.given())
    return answer(shapes.record(made), status=201, location=place(project, "runs", made.id), version=made.version)


@operation(runs, "GET", "/runs", Example("A page of runs, newest first.", models.Runs, examples.RUNS))
def list_(request: Request, project: Key, wanted: Annotated[filters.RunFilter, Query()]) -> Response:
    """List runs, newest first."""
    return answer(shapes.page(opened(request, project).list_runs(**wanted.given())))


@operation(runs, "GET", "/runs/{run_id}", Example("The run.", models.Run, examples.RUN))
def get(request: Request, project: Key, run_id: str) -> Response:
    """Show a run."""
    found = opened(request, project).get_run(run_id)
    return answer(shapes.record(found), version=found.version)


@operation(
    runs,
    "POST",
    "/runs/{run_id}/finish",
    Example("The run as it ended.", models.FinishedRun, examples.FINISHED),
    problems=(412,),
    lane=Lane.LONG,
)
def finish(request: Request, project: Key, run_id: str, body: bodies.RunEnd, if_match: IfMatch = None) -> Response:
    """Finish a run; what came of its task is remembered, and the Scribe follows."""
    version = expected(if_match)
    done = opened(request, project).finish_run(run_id, expected_version=version, **body.given())
    return answer(shapes.finished(done), version=done.version)


@operation(
    runs,
    "POST",
    "/runs/{run_id}/scribe",
    Example("What the Scribe did.", models.ScribeReport, examples.SCRIBED),
    lane=Lane.LONG,
)
def scribe(request: Request, project: Key, run_id: str) -> Response:
    """Have the Scribe look at a finished run again; what it did before is not done twice."""
    return answer(shapes.scribed(opened(request, project).scribe(run_id)))


@operation(
    runs,
    "POST",
    "/runs/{run_id}/finalize",
    Example("What was accepted.", models.Finalized, examples.FINALIZED),
    lane=Lane.LONG,
)
def finalize(request: Request, project: Key, run_id: str) -> Response:
    """Accept the binding entries that a coordinator proposed in its own run."""
    done = opened(request, project).finalize_run(run_id)
    return answer({"items": [shapes.promotion(one) for one in done]})
