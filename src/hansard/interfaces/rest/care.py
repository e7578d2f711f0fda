"""Owns the addresses of care: what is wrong, and a copy of everything."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, BinaryIO

from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from hansard.domain.errors import Denied
from hansard.domain.findings import Finding
from hansard.domain.policy import Act, may, require
from hansard.domain.whereabouts import without_places
from hansard.interfaces import shapes
from hansard.interfaces.rest import examples, models
from hansard.interfaces.rest.answers import answer
from hansard.interfaces.rest.calls import Key, caller, hansard_of, opened
from hansard.interfaces.rest.operations import Example, in_project, operation, router
from hansard.interfaces.server.lanes import Lane
from hansard.services.found import roots_of

doctor = in_project("doctor")
care = router("care")
CHUNK_BYTES = 1 << 18
BACKUP = "application/vnd.sqlite3"
Full = Annotated[bool, Query(description="Also do what is slow: every index, every reference, every history.")]


@operation(doctor, "GET", "/doctor", Example("What was found.", models.Findings, examples.FINDINGS), lane=Lane.LONG)
def examine_project(request: Request, project: Key, *, full: Full = False) -> Response:
    """Find what is wrong with a project, and say what to do about it. Where its folder is, people and services hear."""
    at = opened(request, project)
    found = at.doctor(full=full)
    if not may(caller(request).actor, Act.SET_UP):
        found = _placeless(found, [one.path for one in roots_of(at.seat().store, at.seat().project)])
    return answer(shapes.findings(found))


@operation(care, "GET", "/doctor", Example("What was found.", models.Findings, examples.FINDINGS), lane=Lane.LONG)
def examine(request: Request, *, full: Full = False) -> Response:
    """Find what is wrong with the store and all its projects. People and services may."""
    _require_all(request)
    return answer(shapes.findings(hansard_of(request).doctor(full=full)))


@operation(
    care,
    "GET",
    "/backup",
    Example("One file with everything, verified.", None, "SQLite format 3 …", BACKUP),
    lane=Lane.LONG,
)
def backup(request: Request) -> Response:
    """Download everything as one verified file. Private memories are in it. People and services may.

    `hansard restore` brings it into an empty database.
    """
    from hansard.services.backup import scratch

    _require_all(request)
    with scratch("hansard-backup-") as folder:
        file = folder / "hansard.db"
        hansard_of(request).backup(file)
        # Opened, the file needs no name: whether the download ends well, is given up or the server dies, nothing stays.
        stream = file.open("rb")
    size = os.fstat(stream.fileno()).st_size
    headers = {"Content-Disposition": 'attachment; filename="hansard.db"', "Content-Length": str(size)}
    return Download(stream, headers)


class Download(StreamingResponse):
    """The bytes of an open file, which is closed however the download ends."""

    def __init__(self, stream: BinaryIO, headers: dict[str, str]) -> None:
        super().__init__(iter(lambda: stream.read(CHUNK_BYTES), b""), headers=headers, media_type=BACKUP)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stream.close()


def _placeless(found: Sequence[Finding], folders: Sequence[str]) -> tuple[Finding, ...]:
    """What was found, told without where the folders are and where a link leads that took the place of one."""
    places = [*folders, *map(os.path.realpath, folders)]
    return tuple(
        one._replace(found=without_places(one.found, places), advice=without_places(one.advice, places))
        for one in found
    )


def _require_all(request: Request) -> None:
    who = caller(request)
    require(who.actor, Act.SET_UP)
    if who.projects is not None:
        raise Denied(f"{who.actor.name}'s token is for some projects only, and this is about all of them.")
