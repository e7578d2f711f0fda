"""Owns the gate that every request passes: name and origin, who calls, how often, how large, and what is told of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection

from hansard.domain import tokens
from hansard.domain.errors import HansardError
from hansard.interfaces.rest import problems
from hansard.interfaces.server import access_log, limits
from hansard.interfaces.server.auth import STATE, bearer_of

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from hansard.interfaces.server.auth import Caller, Callers
    from hansard.interfaces.server.metrics import Metrics
    from hansard.interfaces.server.options import Options
    from hansard.interfaces.server.signin import Sessions

HEALTH = "/health/"
POLICY = (
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)  # fmt: skip
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
STRICT = "max-age=31536000"
log = logging.getLogger("hansard.server")


class Gate:
    """The outermost layer of the server."""

    def __init__(
        self, app: ASGIApp, *, options: Options, callers: Callers, sessions: Sessions, metrics: Metrics
    ) -> None:
        self._app = app
        self._options = options
        self._names = options.names()
        self._callers = callers
        self._sessions = sessions
        self._metrics = metrics
        self._rates = limits.Rates(options.requests_per_second, max(1.0, 2 * options.requests_per_second))
        self._failures = limits.Rates(limits.FAILURES_PER_SECOND, limits.FAILURES_AT_ONCE)

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
                self._dress(MutableHeaders(scope=message), id)
            await send(message)

        caller: Caller | None = None
        try:
            refusal = self._misled(scope, headers)
            if refusal is None:
                caller, refusal = await self._admitted(scope, headers)
            if refusal is not None:
                await refusal(scope, receive, sent)
            else:
                state[STATE] = caller
                await self._passed(scope, receive, sent, lambda: status != 0)
        except Exception as error:
            # Whatever it is, the caller gets an answer of the usual form, and the log says where it came from.
            log.exception("request %s failed", id)
            if status:
                raise
            await problems.unexpected(HTTPConnection(scope), error)(scope, receive, sent)  # type: ignore[arg-type]
        finally:
            seconds = time.perf_counter() - began
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
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._options.body_bytes_max:
            return _too_large(self._options.body_bytes_max)
        return None

    async def _admitted(self, scope: Scope, headers: Headers) -> tuple[Caller | None, Response | None]:
        """Who calls, or the answer to somebody who comes too often. Nobody at all is for the routes to refuse."""
        connection = HTTPConnection(scope)
        shown = bearer_of(connection)
        address = connection.client.host if connection.client else ""
        try:
            if shown is not None:
                caller = await self._of_token(shown)
                # Counted after the look: behind a proxy all share an address, and a good token always gets in.
                wait = self._failures.take(address) if caller is None else 0
                if wait:
                    return None, _too_often(wait)
            else:
                caller = await self._of_session(connection, headers)
        except HansardError as error:
            return None, problems.refused(connection, error)  # type: ignore[arg-type]
        wait = self._rates.take(caller.token_id) if caller is not None else 0
        return caller, _too_often(wait) if wait else None

    async def _of_token(self, shown: str) -> Caller | None:
        if not tokens.looks_right(shown):
            return None
        return await self._of_digest(tokens.digest_of(shown))

    async def _of_session(self, connection: HTTPConnection, headers: Headers) -> Caller | None:
        session = self._sessions.of(connection)
        if session is None:
            return None
        if connection.scope["method"] not in limits.SAFE_METHODS and not limits.is_own_page(headers):
            # A cookie comes along whoever sends the request; only our own page may change something by it.
            return None
        return session.caller if session.digest is None else await self._of_digest(session.digest)

    async def _of_digest(self, digest: bytes) -> Caller | None:
        fresh, caller = self._callers.known(digest)
        return caller if fresh else await anyio.to_thread.run_sync(self._callers.of_digest, digest)

    async def _passed(self, scope: Scope, receive: Receive, send: Send, begun: Callable[[], bool]) -> None:
        try:
            await self._app(scope, limits.bounded(receive, self._options.body_bytes_max), send)
        except limits.BodyRefused as refusal:
            if begun():
                raise
            await _refused_body(refusal)(scope, receive, send)

    def _dress(self, headers: MutableHeaders, id: str) -> None:
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        if self._options.has_tls:
            headers["Strict-Transport-Security"] = STRICT
        headers["X-Request-Id"] = id


def _refused_body(refusal: limits.BodyRefused) -> Response:
    code = "request.too_large" if refusal.status_code == 413 else "request.timeout"
    return problems.problem(refusal.status_code, code, "The body was not taken.", str(refusal.detail))


def _too_large(bytes_max: int) -> Response:
    return _refused_body(limits.BodyRefused(413, f"The body is larger than {bytes_max:,} bytes."))


def _too_often(wait_seconds: int) -> Response:
    return problems.problem(
        429, "request.rate", "Requests come too often.", f"Try again in {wait_seconds} s.",
        headers={"Retry-After": str(wait_seconds)},
    )  # fmt: skip
