"""Owns the addresses of the mirror: the files of the project's folder on the server's machine."""

from __future__ import annotations

from fastapi import Request, Response

from hansard.interfaces import shapes
from hansard.interfaces.rest import examples, models
from hansard.interfaces.rest.answers import answer
from hansard.interfaces.rest.calls import Key, opened, placeless
from hansard.interfaces.rest.operations import Example, in_project, operation
from hansard.interfaces.server.lanes import Lane
from hansard.services import keep_up

mirror = in_project("mirror")


@operation(mirror, "GET", "/mirror", Example("Each folder.", models.MirrorStatus, examples.MIRROR))
def status(request: Request, project: Key) -> Response:
    """Say how the files of each folder of the project stand.

    Where they are, and why a write failed, is for those who look after the project: an agent is told null.
    """
    at = opened(request, project)
    told = [shapes.mirror_state(one) for one in keep_up.states(at.seat())]
    return answer({"items": [placeless(request, one) for one in told]})


@operation(
    mirror, "POST", "/mirror/export", Example("What was written.", models.Exported, examples.EXPORTED), lane=Lane.LONG
)
def export(request: Request, project: Key) -> Response:
    """Write decisions, proposals, shared memories and the session to files now."""
    return answer(placeless(request, shapes.exported(opened(request, project).export())))


@operation(
    mirror, "POST", "/mirror/import", Example("What was taken in.", models.Imported, examples.IMPORTED), lane=Lane.LONG
)
def import_(request: Request, project: Key) -> Response:
    """Take in what other clones and files of the inbox folder bring; what cannot be read is reported."""
    return answer(shapes.imported(opened(request, project).import_inbox()))
