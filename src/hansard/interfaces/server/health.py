"""Owns how the server is: whether it lives, and whether what it needs is there. It names no project and no path."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from hansard.domain.errors import HansardError
from hansard.services import found, keep_up
from hansard.services.seat import Seat

if TYPE_CHECKING:
    from hansard.app import Hansard

OK, OFF, DOWN, BEHIND, SILENT = "ok", "off", "down", "behind", "silent"
"""The file is not at its place any more, or another one is: what is written now would be lost to everybody else."""
DATABASE = "database"
BELIEVED_SECONDS = 1.0
LOOK_SECONDS = 1.5
"""How long a part may take to show how it is. Whoever asks gives a probe two seconds or little more."""
SLOW_SECONDS = 60.0
"""How long the last answer of a part counts that needs longer than that for the next one."""
EMBEDDER_SECONDS = 30.0
"""How long an answer counts: anybody may ask, and a provider elsewhere may charge for each question."""
BEHIND_SECONDS = 60.0
"""How long files may differ from the record before that is told: a change is exported a moment after it."""


class Mirrors:
    """How the files of all projects on this machine stand. Used by one thread at a time, whoever asks."""

    def __init__(self, hansard: Hansard) -> None:
        self._hansard = hansard
        self._behind_since: dict[tuple[str, str], float] = {}

    def behind(self) -> int:
        """How many folders are gone, could not be written, or have waited for long. Raises what the store raises."""
        opened, now = self._hansard, time.monotonic()
        since: dict[tuple[str, str], float] = {}
        count = 0
        for record in found.list_projects(opened.store, wait_seconds=LOOK_SECONDS):
            seat = Seat(opened.store, record, keep_up.EXPORTER, opened.settings, opened.shelf)
            for state in keep_up.states(seat._replace(wait_seconds=LOOK_SECONDS)):
                lost = state.error is not None or not Path(state.root).is_dir()
                if not state.is_in_step:
                    at = since[record.id, state.root] = self._behind_since.get((record.id, state.root), now)
                    lost = lost or now - at > BEHIND_SECONDS
                count += lost
        self._behind_since = since
        return count


class Health:
    """Looks at the parts side by side, not more often than once a second, whoever asks. For the server's loop."""

    def __init__(self, hansard: Hansard, *, follows_files: bool) -> None:
        self._hansard = hansard
        self._follows_files = follows_files
        self._mirrors = Mirrors(hansard)
        self._parts: tuple[float, Mapping[str, str]] = (0.0, {})
        self._embedder: tuple[float, str] = (0.0, OK)
        self._looking: asyncio.Task[Mapping[str, str]] | None = None
        self._busy: set[str] = set()
        self._last: dict[str, tuple[float, str]] = {}
        self._threads = anyio.CapacityLimiter(3)

    async def parts(self) -> Mapping[str, str]:
        """Each part and its state. Only without its database the server cannot serve."""
        at, known = self._parts
        if known and time.monotonic() - at < BELIEVED_SECONDS:
            return known
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())
        # Others wait for the same look, so one of them that goes away must not end it.
        return await asyncio.shield(self._looking)

    async def _look(self) -> Mapping[str, str]:
        checks = {DATABASE: self._database, "mirror": self._mirror, "embedder": self._embedding}
        states = await asyncio.gather(*(self._state(name, check) for name, check in checks.items()))
        parts = dict(zip(checks, states, strict=True))
        self._parts = (time.monotonic(), parts)
        return parts

    async def _state(self, name: str, check: Callable[[], str]) -> str:
        """What the check says, in a thread of its own; one that does not come to an end is not begun again."""

        def checked() -> str:
            try:
                state = check()
                self._last[name] = time.monotonic(), state
                return state
            finally:
                self._busy.discard(name)

        if name not in self._busy:
            self._busy.add(name)
            with anyio.move_on_after(LOOK_SECONDS):
                return await anyio.to_thread.run_sync(checked, limiter=self._threads, abandon_on_cancel=True)
        at, last = self._last.get(name, (0.0, SILENT))
        # Files of many projects take their time, and so does a provider; a database that does is as good as none.
        return last if name != DATABASE and time.monotonic() - at < SLOW_SECONDS else SILENT

    def _database(self) -> str:
        try:
            found.list_projects(self._hansard.store, wait_seconds=LOOK_SECONDS)
        except HansardError as error:
            return error.code
        return OK

    def _mirror(self) -> str:
        if not self._follows_files:
            return OFF
        try:
            return BEHIND if self._mirrors.behind() else OK
        except HansardError as error:
            return error.code

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

    @routes.api_route("/live", methods=["GET", "HEAD"])
    async def live() -> Response:
        return JSONResponse({"status": OK})

    @routes.api_route("/ready", methods=["GET", "HEAD"])
    async def ready() -> Response:
        parts = await health.parts()
        serves = parts[DATABASE] == OK
        whole = all(state in {OK, OFF} for state in parts.values())
        status = OK if whole else "degraded" if serves else DOWN
        return JSONResponse({"status": status, "parts": parts}, 200 if serves else 503)

    return routes
