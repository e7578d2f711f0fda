"""Owns the process: the address is bound, requests are served, and a stop finishes what is held."""

from __future__ import annotations

import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn

from hansard.domain.errors import Invalid
from hansard.interfaces.server import access_log
from hansard.interfaces.server.app import build
from hansard.interfaces.server.options import Options, checked
from hansard.interfaces.server.wire import Wire

if TYPE_CHECKING:
    from fastapi import FastAPI

    from hansard.app import Hansard

CONNECTIONS_MAX = 1_000
KEEP_ALIVE_SECONDS = 15
GARBAGE_OBJECTS = 20_000
SWITCH_SECONDS = 0.0005
"""How long one thread computes while others wait. Each statement of a write ends in such a wait, with the file locked;
at Python's own 5 ms a write took ten times as long as soon as somebody searched."""
ServeReady = Callable[[str, str], None]
"""Is told the address, and a code to sign in with, once requests are answered."""


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
        app, http=Wire, ws="none", log_config=None, access_log=False, server_header=False,
        proxy_headers=False, limit_concurrency=CONNECTIONS_MAX, timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=options.stop_seconds,
        ssl_certfile=options.tls_cert, ssl_keyfile=options.tls_key, **changes,
    )  # fmt: skip
    return Server(config, app, ready)


def serve(hansard: Hansard, options: Options, listening: socket.socket, ready: ServeReady) -> None:
    """Serves until the process is asked to stop. What was begun is finished first."""
    access_log.begin()
    sys.setswitchinterval(SWITCH_SECONDS)
    port = listening.getsockname()[1]

    def is_up() -> None:
        # What was loaded so far stays for good; looking at it again and again would only cost time.
        gc.collect()
        gc.freeze()
        gc.set_threshold(GARBAGE_OBJECTS)
        ready(options.address(port), server.new_link())

    server = server_of(hansard, options, is_up)
    server.run(sockets=[listening])
