"""Owns the gate that every request passes: name and origin, who calls, how often, how large, and what is told of it."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.routing import Match

from hansard.domain import tokens
from hansard.domain.errors import HansardError, Unauthenticated
from hansard.interfaces.rest import problems
from hansard.interfaces.server import access_log, limits, weigh
from hansard.interfaces.server.auth import NEEDED, STATE, bearer_of
from hansard.interfaces.server.doors import place_of
from hansard.interfaces.server.dress import dress
from hansard.interfaces.server.lanes import CALLER
from hansard.interfaces.server.rpc import phrased
from hansard.interfaces.server.wire import WIRE

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from hansard.interfaces.server.auth import Caller, Callers
    from hansard.interfaces.server.metrics import Metrics
    from hansard.interfaces.server.options import Options
    from hansard.interfaces.server.signin import Sessions

HEALTH = "/health/"
SIGN_IN = frozenset({"/", "/signin", "/signout", "/page.css"})
CLOSED = ("/api/", "/mcp/", "/metrics/")
"""Where nobody gets any further without a token; `/mcp` and `/metrics` themselves are meant too."""
STRANGERS_BODY_BYTES_MAX = 4 * 1024
"""Only the form of the page to sign in at is read of somebody who is not known."""
LENGTH_DIGITS_MAX = 18
BODY_CODES = {408: "request.timeout", 413: "request.too_large", 429: "request.rate"}
HUNG_UP = 499
"""The status in the log and the metrics of a request whose caller did not wait for the answer."""
log = logging.getLogger("hansard.server")


class Gate:
    """The outermost layer of the server."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        options: Options,
        callers: Callers,
        sessions: Sessions,
        metrics: Metrics,
        routes: Sequence[BaseRoute],
    ) -> None:
        self._app = app
        self._routes = routes
        self._options = options
        self._names = options.names()
        self._callers = callers
        self._sessions = sessions
        self._metrics = metrics
        self._held = limits.Held()
        self._rates = limits.Rates(options.requests_per_second, max(1.0, 2 * options.requests_per_second))
        self._failures = limits.Rates(limits.FAILURES_PER_SECOND, limits.FAILURES_AT_ONCE)
        self._strangers = limits.Rates(limits.STRANGERS_PER_SECOND, limits.STRANGERS_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        began = time.perf_counter()
        headers = Headers(scope=scope)
        id = access_log.request_id(headers.get("x-request-id"))
        state = scope.setdefault("state", {})
        state["hansard.request_id"] = id
        status = 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = headers_sent = list(message.get("headers", ()))
                dress(headers_sent, id, has_tls=self._options.has_tls)
            await send(message)

        caller: Caller | None = None
        try:
            refusal = self._misled(scope, headers)
            if refusal is None:
                caller, refusal = await self._admitted(scope, headers)
            if refusal is not None:
                await phrased(scope, refusal)(scope, receive, sent)
            else:
                state[STATE] = caller
                CALLER.set(caller.token_id if caller is not None else "")
                if caller is not None and WIRE in state:
                    state[WIRE].know()
                await self._passed(scope, receive, sent, lambda: status != 0)
        except asyncio.CancelledError:
            # The server stops, and has waited as long as it may. What was begun is finished all the same.
            if status:
                raise
            await phrased(scope, _stopping())(scope, receive, sent)
        except ClientDisconnect:
            # Nobody is there to be answered, whatever was said after that.
            status = HUNG_UP
        except Exception as error:
            # Whatever it is, the caller gets an answer of the usual form, and the log says where it came from.
            log.exception("request %s failed", id)
            if status:
                raise
            failed = problems.unexpected(HTTPConnection(scope), error)  # type: ignore[arg-type]
            await phrased(scope, failed)(scope, receive, sent)
        finally:
            seconds = time.perf_counter() - began
            if "route" not in scope:
                scope["route"] = self._route_of(scope)
            self._metrics.count(scope, status or 500, seconds)
            access_log.note(
                scope, id=id, status=status or 500, seconds=seconds, caller=caller.token_id if caller else None
            )

    def _misled(self, scope: Scope, headers: Headers) -> Response | None:
        """A browser can be made to send requests here by any page; such a request names another host or origin."""
        hosts = headers.getlist("host")
        named = len(hosts) == 1 and limits.host_of(hosts[0]) in self._names
        # Whoever asks whether the server lives knows it by a number, and learns nothing else.
        if not named and not scope["path"].startswith(HEALTH):
            detail = "The server is not known by this name. Start it with --allowed-host to add one."
            return problems.problem(421, "request.host", "The request names another host.", detail)
        if limits.is_foreign(headers):
            detail = "Pages of other sites may not call this server."
            return problems.problem(403, "request.origin", "The request comes from another site.", detail)
        return None

    def _route_of(self, scope: Scope) -> BaseRoute | None:
        """Where a request was going that did not get there, or went where nothing notes it."""
        found = ((route.matches(scope)[0], route) for route in self._routes)
        return next((route for match, route in found if match is not Match.NONE), None)

    async def _admitted(self, scope: Scope, headers: Headers) -> tuple[Caller | None, Response | None]:
        """Who calls, or the answer to somebody who gets no further: nothing of a body has been read yet."""
        path: str = scope["path"]
        connection = HTTPConnection(scope)
        # Whether the server lives must not depend on the store that knows the tokens.
        free = path.startswith(HEALTH)
        try:
            caller, wait = (None, 0) if free else await self._recognised(connection)
        except HansardError as error:
            return None, problems.refused(connection, error)  # type: ignore[arg-type]
        if caller is not None:
            wait = self._rates.take(caller.token_id)
        elif not wait and not free and path not in SIGN_IN:
            wait = self._strangers.take(_place(connection))
        if wait:
            return caller, _too_often(wait)
        if caller is None and f"{path}/".startswith(CLOSED):
            return None, problems.refused(connection, Unauthenticated(NEEDED))  # type: ignore[arg-type]
        bytes_max = self._bytes_max(caller)
        return caller, None if _length_of(headers) <= bytes_max else _too_large(bytes_max)

    def _bytes_max(self, caller: Caller | None) -> int:
        known = self._options.body_bytes_max
        return known if caller is not None else min(known, STRANGERS_BODY_BYTES_MAX)

    async def _recognised(self, connection: HTTPConnection) -> tuple[Caller | None, int]:
        """Who calls, and how long somebody must wait who tried too many wrong tokens."""
        shown = bearer_of(connection)
        if shown is None:
            # A browser sends a cookie to every port of the machine, so all that it opens is the page.
            return await self._of_session(connection) if connection.scope["path"] in SIGN_IN else None, 0
        caller = await self._of_token(shown)
        # Counted after the look: behind a proxy all share an address, and a good token always gets in.
        return caller, self._failures.take(_place(connection)) if caller is None else 0

    async def _of_token(self, shown: str) -> Caller | None:
        if not tokens.looks_right(shown):
            return None
        return await self._of_digest(tokens.digest_of(shown))

    async def _of_session(self, connection: HTTPConnection) -> Caller | None:
        session = self._sessions.of(connection)
        if session is None:
            return None
        return session.caller if session.digest is None else await self._of_digest(session.digest)

    async def _of_digest(self, digest: bytes) -> Caller | None:
        fresh, caller = self._callers.known(digest)
        return caller if fresh else await anyio.to_thread.run_sync(self._callers.of_digest, digest)

    async def _passed(self, scope: Scope, receive: Receive, send: Send, begun: Callable[[], bool]) -> None:
        caller: Caller | None = scope["state"][STATE]
        taken = limits.Taken(self._held, caller.token_id if caller is not None else "")
        body = limits.bounded(receive, self._bytes_max(caller), taken)
        try:
            if _may_be_large(Headers(scope=scope)):
                body = await _weighed(body)
            await self._app(scope, body, send)
        except limits.BodyRefused as refusal:
            if begun():
                raise
            await phrased(scope, _refused_body(refusal))(scope, receive, send)
        finally:
            taken.end()


def _place(connection: HTTPConnection) -> str:
    return place_of(connection.client.host) if connection.client else ""


async def _weighed(receive: Receive) -> Receive:
    """The same body. Raises BodyRefused if reading it would take long."""
    read, again = await limits.gathered(receive)
    if len(read) > weigh.WEIGHED_BYTES:
        fault = await anyio.to_thread.run_sync(weigh.fault_of, read, limiter=_SCALES)
        if fault is not None:
            raise limits.BodyRefused(413, fault)
    return again


_SCALES = anyio.CapacityLimiter(1)
"""One large body after the other: weighing computes all the time, and small requests are not to wait for it."""


def _may_be_large(headers: Headers) -> bool:
    if "json" not in headers.get("content-type", "").lower():
        return False
    return "transfer-encoding" in headers or _length_of(headers) > weigh.WEIGHED_BYTES


def _length_of(headers: Headers) -> float:
    """How long the body says it is; what is no length, or too long to be one, is too much for anybody."""
    said = headers.get("content-length", "0")
    return int(said) if said.isdecimal() and len(said) <= LENGTH_DIGITS_MAX else math.inf


def _stopping() -> Response:
    detail = "The server stops. What was asked for may still be done; ask again with the same Idempotency-Key."
    return problems.problem(503, "request.stopped", "The server stops.", detail, headers={"Connection": "close"})


def _refused_body(refusal: limits.BodyRefused) -> Response:
    code = BODY_CODES[refusal.status_code]
    return problems.problem(
        refusal.status_code, code, "The body was not taken.", str(refusal.detail),
        headers={"Retry-After": "1"} if refusal.status_code == 429 else None,
    )  # fmt: skip


def _too_large(bytes_max: int) -> Response:
    return _refused_body(limits.BodyRefused(413, f"The body is larger than {bytes_max:,} bytes."))


def _too_often(wait_seconds: int) -> Response:
    return problems.problem(
        429, "request.rate", "Requests come too often.", f"Try again in {wait_seconds} s.",
        headers={"Retry-After": str(wait_seconds)},
    )  # fmt: skip
