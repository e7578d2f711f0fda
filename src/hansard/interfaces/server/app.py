"""Owns the assembly of the server: REST, MCP, pages, health and metrics behind one gate."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio.to_thread
from fastapi import FastAPI

import hansard as package
from hansard import settings as settings_module
from hansard.domain.actors import Actor
from hansard.domain.vocabulary import Role
from hansard.interfaces.rest import problems
from hansard.interfaces.rest.routes import documented, routers
from hansard.interfaces.rest.shortcut import Shortcut
from hansard.interfaces.server import auth, health, metrics, signin
from hansard.interfaces.server.background import Background
from hansard.interfaces.server.gate import Gate
from hansard.interfaces.server.lanes import Lanes
from hansard.interfaces.server.late import LateMcp
from hansard.services import observe

if TYPE_CHECKING:
    from hansard.app import Hansard
    from hansard.interfaces.server.options import Options

OPENAPI = "/api/v1/openapi.json"
REACH_SECONDS = 2.0
"""How long a database that does not answer is waited for: whoever calls is to hear soon that it does not."""
ABOUT = "Governed memory for teams of AI agents: proposals, decisions, memories, sessions and compiled context."


def build(hansard: Hansard, options: Options) -> FastAPI:
    """The server as one application. Whoever calls it has the store open, and closes it."""
    hansard.store.give_up_after(REACH_SECONDS)
    callers = auth.Callers(hansard)
    settings = hansard.settings
    person = Actor(settings.user or settings_module.login_name(), Role.HUMAN)
    sessions = signin.Sessions(callers, person)
    measured = metrics.Metrics(hansard, follows_files=options.follows_files)
    state_of_parts = health.Health(hansard, follows_files=options.follows_files)
    background = Background(hansard, follows_files=options.follows_files)
    lanes = Lanes(store_is_remote=hansard.store.is_remote)
    mcp = LateMcp(hansard, lanes, body_bytes_max=options.body_bytes_max)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        end = observe.listen(measured.heard)
        background.start()
        try:
            async with mcp.running():
                yield
        finally:
            app.state.stopping.set()
            await lanes.end()
            await anyio.to_thread.run_sync(background.stop, float(options.stop_seconds))
            end()

    # Pages that describe the interface would load scripts from elsewhere, so there are none.
    app = FastAPI(
        title="Hansard", version=package.__version__, description=ABOUT, openapi_url=OPENAPI, docs_url=None,
        redoc_url=None, lifespan=lifespan,
        # Another address is another one, and a redirection would name it as the request did.
        redirect_slashes=False,
    )  # fmt: skip
    app.state.hansard = hansard
    app.state.sessions = sessions
    app.state.stopping = threading.Event()
    app.state.lanes = lanes
    problems.install(app)
    pages = signin.router(sessions, state_of_parts, secure=options.has_tls)
    for router in (*routers(), health.router(state_of_parts), metrics.router(measured), pages):
        # One flat list: a router inside another is searched twice for each request.
        app.router.routes.extend(router.routes)
    app.router.routes.extend(mcp.routes)
    app.openapi = lambda: documented(app)  # type: ignore[method-assign]
    app.add_middleware(Shortcut, routes=app.router.routes)
    app.add_middleware(
        Gate, options=options, callers=callers, sessions=sessions, metrics=measured, routes=app.router.routes
    )
    return app
