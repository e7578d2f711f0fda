"""Owns MCP inside the server: it is loaded when somebody asks for it, and the first request waits until it is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from starlette.routing import Route

from hansard.interfaces.rest import problems
from hansard.interfaces.server import auth
from hansard.interfaces.server.lanes import Lane, Lanes

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from hansard.app import Hansard
    from hansard.interfaces.mcp.http import Mounted

PATH = "/mcp"


class LateMcp:
    """The routes of MCP. Loading its package takes a second and 25 MB, which nobody who calls REST is to pay for."""

    def __init__(self, hansard: Hansard, lanes: Lanes, *, body_bytes_max: int) -> None:
        self._hansard = hansard
        self._lanes = lanes
        self._body_bytes_max = body_bytes_max
        self._mounted: Mounted[auth.Caller] | None = None
        self._wanted = anyio.Event()
        self._loaded = anyio.Event()
        self.routes = [Route(PATH, self), Route(f"{PATH}/{{project}}", self)]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Loads and serves while it is entered. The application's lifespan enters it."""
        ending = anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._serve, ending)
            try:
                yield
            finally:
                self._wanted.set()
                ending.set()

    async def _serve(self, ending: anyio.Event) -> None:
        await self._wanted.wait()
        if ending.is_set():
            return
        mounted = await anyio.to_thread.run_sync(self._load)
        async with mounted.running():
            self._mounted = mounted
            self._loaded.set()
            await ending.wait()

    def _load(self) -> Mounted[auth.Caller]:
        from hansard.interfaces.mcp.http import Mounted

        return Mounted(
            self._hansard,
            caller_of=auth.caller_of,
            bound_project=auth.bound_project,
            refused=problems.refused,
            body_bytes_max=self._body_bytes_max,
            reading=partial(self._lanes.run, Lane.READ),
            writing=partial(self._lanes.run, Lane.WRITE),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Plain routes do not say which one was taken; the log and the metrics want to know.
        scope["route"] = self.routes["project" in scope["path_params"]]
        self._wanted.set()
        await self._loaded.wait()
        assert self._mounted is not None, "it is set before anybody is told"
        await self._mounted(scope, receive, send)
