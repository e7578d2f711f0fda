"""Owns serving many clients over HTTP: every request carries its own token, and none is remembered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import anyio.to_thread
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hansard.domain.errors import HansardError
from hansard.interfaces.mcp.calling import Calling
from hansard.interfaces.mcp.posts import looked_at
from hansard.interfaces.mcp.refusals import ManyProjects
from hansard.interfaces.mcp.server import InThread, build

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from hansard.app import Hansard
    from hansard.project import Project

PATH = "/mcp"
PROJECTS_NAMED_MAX = 20


class Entitled(Protocol):
    """A caller, as far as it matters here: the keys of its projects, or None for all of them."""

    @property
    def projects(self) -> frozenset[str] | None: ...


Caller = TypeVar("Caller", bound=Entitled)


class Mounted(Generic[Caller]):
    """The routes of the protocol, and what runs while they are served.

    `caller_of` says who a request is from and raises if nobody may ask, `bound_project` gives the project of a key with
    the caller bound, and `refused` makes a response of what one of them raised.
    """

    def __init__(
        self,
        hansard: Hansard,
        *,
        caller_of: Callable[[Request], Caller],
        bound_project: Callable[[Request, Caller, str], Project],
        refused: Callable[[Request, HansardError], Response],
        body_bytes_max: int = DEFAULT_MAX_REQUEST_BODY_SIZE,
        reading: InThread | None = None,
        writing: InThread | None = None,
    ) -> None:
        self._hansard = hansard
        self._caller_of = caller_of
        self._bound_project = bound_project
        self._refused = refused
        self._body_bytes_max = body_bytes_max
        self._servers = {
            child: build(
                self._calling,
                aliases=lambda: hansard.settings.mcp_aliases == "on",
                child=child,
                reading=reading,
                writing=writing,
            )
            for child in (False, True)
        }
        self._managers: dict[bool, StreamableHTTPSessionManager] = {}

    @property
    def routes(self) -> list[Route]:
        # A class as the endpoint would be taken for one of starlette's own; an object is called as it is.
        return [Route(PATH, self), Route(f"{PATH}/{{project}}", self)]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves while it is entered. The application's lifespan enters it."""
        async with AsyncExitStack() as stack:
            for child, server in self._servers.items():
                manager = StreamableHTTPSessionManager(
                    server, json_response=True, stateless=True, max_request_body_size=self._body_bytes_max
                )
                await stack.enter_async_context(manager.run())
                self._managers[child] = manager
            try:
                yield
            finally:
                self._managers.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = await self._stopped(request)
        if response is not None:
            await response(scope, receive, send)
            return
        assert self._managers, "the lifespan of the application enters running()"
        manager = self._managers[_is_child(request)]
        await looked_at(manager.handle_request, self._body_bytes_max)(scope, receive, send)

    async def _stopped(self, request: Request) -> Response | None:
        """What is answered instead of serving the request."""
        try:
            await anyio.to_thread.run_sync(self._caller_of, request)
        except HansardError as error:
            return self._refused(request, error)
        if request.method != "POST":
            # Nothing is ever sent unasked, and there is no session to end: a stream would only be held open.
            return Response(status_code=405, headers={"Allow": "POST"})
        return None

    def _calling(self, request: Request) -> Calling:
        caller = self._caller_of(request)
        named: str | None = request.path_params.get("project")
        project = self._bound_project(request, caller, named or self._only(caller.projects))
        return Calling(project, child=_is_child(request))

    def _only(self, projects: frozenset[str] | None) -> str:
        """The project of a caller that has one. Raises ManyProjects, and names them, if there are more."""
        known: Sequence[str] = (
            sorted(projects) if projects is not None else [one.key for one in self._hansard.projects()]
        )
        if len(known) == 1:
            return known[0]
        named = ", ".join(known[:PROJECTS_NAMED_MAX]) or "none yet"
        raise ManyProjects(f"Which project? Connect to {PATH}/<project>; the token is for {named}.")


def _is_child(request: Request) -> bool:
    """Whether the address says that a child run calls: `/mcp?child`, as `hansard mcp --child` does on a pipe."""
    return request.query_params.get("child", "no").lower() not in ("no", "false", "0")
