"""Owns the process: the address is bound, requests are served, and a stop finishes what is held."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from hansard.domain.errors import Invalid
from hansard.interfaces.server import access_log
from hansard.interfaces.server.app import build
from hansard.interfaces.server.options import Options, checked

if TYPE_CHECKING:
    from fastapi import FastAPI

    from hansard.app import Hansard

CONNECTIONS_MAX = 1_000
HEADER_SECONDS_MAX = 15.0
KEEP_ALIVE_SECONDS = 15
HEADER_BYTES_MAX = 64 * 1024
GARBAGE_OBJECTS = 20_000
ServeReady = Callable[[str, str], None]
"""Is told the address, and a code to sign in with, once requests are answered."""


class TimedProtocol(H11Protocol):
    """Ends a connection that does not say what it wants: each one that is open costs something."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._waiting = self.loop.call_later(HEADER_SECONDS_MAX, self._end_silent)

    def connection_lost(self, exc: Exception | None) -> None:
        self._waiting.cancel()
        super().connection_lost(exc)

    def _end_silent(self) -> None:
        if self.scope is None and not self.transport.is_closing():
            self.transport.close()


class Server(uvicorn.Server):
    """A server that tells when it is up, and that ends streams first when it is asked to stop."""

    def __init__(self, config: uvicorn.Config, app: FastAPI, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._app, self._ready = app, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    def new_link(self) -> str:
        code: str = self._app.state.sessions.new_link()
        return code

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As the original, but the signal is not raised again: the store is still to be closed after this."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._app.state.stopping.set()
        super().handle_exit(sig, frame)

    def stop(self) -> None:
        """What a signal does, for whoever runs the server in a thread."""
        self._app.state.stopping.set()
        self.should_exit = True


def bind(options: Options) -> socket.socket:
    """A socket at the address. Raises Invalid if the address cannot be had, or must not be."""
    checked(options)
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # Named, or asyncio leaves small packets waiting: every answer would take 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((options.host.strip("[]"), options.port))
    except OSError as error:
        listening.close()
        raise Invalid(
            f"{options.host}:{options.port} cannot be used: {error.strerror}. Choose another --port."
        ) from error
    return listening


def server_of(hansard: Hansard, options: Options, ready: Callable[[], None], **changes: Any) -> Server:
    app = build(hansard, options)
    config = uvicorn.Config(
        app, http=TimedProtocol, ws="none", log_config=None, access_log=False, server_header=False,
        proxy_headers=False, limit_concurrency=CONNECTIONS_MAX, timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=options.stop_seconds, h11_max_incomplete_event_size=HEADER_BYTES_MAX,
        ssl_certfile=options.tls_cert, ssl_keyfile=options.tls_key, **changes,
    )  # fmt: skip
    return Server(config, app, ready)


def serve(hansard: Hansard, options: Options, listening: socket.socket, ready: ServeReady) -> None:
    """Serves until the process is asked to stop. What was begun is finished first."""
    access_log.begin()
    port = listening.getsockname()[1]

    def is_up() -> None:
        # What was loaded so far stays for good; looking at it again and again would only cost time.
        gc.collect()
        gc.freeze()
        gc.set_threshold(GARBAGE_OBJECTS)
        ready(options.address(port), server.new_link())

    server = server_of(hansard, options, is_up)
    server.run(sockets=[listening])
