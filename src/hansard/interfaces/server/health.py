"""Owns how the server is: whether it lives, and whether what it needs is there. It names no project and no path."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from hansard.domain.errors import HansardError
from hansard.services import found, keep_up
from hansard.services.seat import Seat

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hansard.app import Hansard

OK, OFF, DOWN, BEHIND = "ok", "off", "down", "behind"
BELIEVED_SECONDS = 1.0
EMBEDDER_SECONDS = 30.0
"""How long an answer counts: anybody may ask, and a provider elsewhere may charge for each question."""


class Health:
    """Looks at the parts, not more often than once a second, whoever asks."""

    def __init__(self, hansard: Hansard, *, follows_files: bool) -> None:
        self._hansard = hansard
        self._follows_files = follows_files
        self._lock = threading.Lock()
        self._parts: tuple[float, Mapping[str, str]] = (0.0, {})
        self._embedder: tuple[float, str] = (0.0, OK)

    def parts(self) -> Mapping[str, str]:
        """Each part and its state. Only without its database the server cannot serve."""
        with self._lock:
            at, known = self._parts
            if known and time.monotonic() - at < BELIEVED_SECONDS:
                return known
            found = {"database": self._database(), "mirror": self._mirror(), "embedder": self._embedding()}
            self._parts = (time.monotonic(), found)
            return found

    def _database(self) -> str:
        try:
            found.list_projects(self._hansard.store)
        except HansardError as error:
            return error.code
        return OK

    def _mirror(self) -> str:
        if not self._follows_files:
            return OFF
        opened = self._hansard
        try:
            for record in found.list_projects(opened.store):
                seat = Seat(opened.store, record, keep_up.EXPORTER, opened.settings, opened.shelf)
                if any(state.error is not None for state in keep_up.states(seat)):
                    return BEHIND
        except HansardError as error:
            return error.code
        return OK

    def _embedding(self) -> str:
        at, known = self._embedder
        if at and time.monotonic() - at < EMBEDDER_SECONDS:
            return known
        try:
            embedder = self._hansard.shelf.embedder
            state = OFF if embedder is None else OK
            if embedder is not None:
                embedder.embed_query("health")
        except HansardError:
            state = DOWN
        self._embedder = (time.monotonic(), state)
        return state


def router(health: Health) -> APIRouter:
    routes = APIRouter(prefix="/health", include_in_schema=False)

    @routes.get("/live")
    async def live() -> Response:
        return JSONResponse({"status": OK})

    @routes.get("/ready")
    def ready() -> Response:
        parts = health.parts()
        serves = parts["database"] == OK
        whole = all(state in {OK, OFF} for state in parts.values())
        status = OK if whole else "degraded" if serves else DOWN
        return JSONResponse({"status": status, "parts": parts}, 200 if serves else 503)

    return routes
