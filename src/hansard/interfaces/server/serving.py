"""Owns the process: the address is bound, requests are served, and a stop finishes what is held."""

from __future__ import annotations

import gc
import ipaddress
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn

from hansard.domain.errors import Invalid
from hansard.interfaces.server import access_log
from hansard.interfaces.server.app import build
from hansard.interfaces.server.doors import Doors
from hansard.interfaces.server.options import Options, checked
from hansard.interfaces.server.unread import Unread
from hansard.interfaces.server.wire import Wire

if TYPE_CHECKING:
    from fastapi import FastAPI

    from hansard.app import Hansard

KEEP_ALIVE_SECONDS = 15
FILES_MAX = 4_096
"""How many files and connections the process may have open, if the system lets it: often it is 1,024 at first."""
GARBAGE_OBJECTS = 20_000
POOLS_MAX = 2
PIECE_BYTES_MAX = 4 * 1024 * 1024
"""For glibc: threads share two pools of memory instead of having one each, and what is larger than a piece goes back to
the system when it is freed. After a dozen batches of 7 MB the server held 430 MB instead of 610."""
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
        self._app.state.hansard.store.stop_waiting()
        super().handle_exit(sig, frame)

    def stop(self) -> None:
        """What a signal does, for whoever runs the server in a thread."""
        self._app.state.stopping.set()
        self.should_exit = True


def bind(options: Options) -> socket.socket:
    """A socket at the address. Raises Invalid if the address cannot be had, or must not be."""
    checked(options)
    _check_tls(options)
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # Named, or asyncio leaves small packets waiting: every answer would take 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((options.host.strip("[]"), options.port))
    except OSError as error:
        listening.close()
        raise Invalid(
            f"{options.host}:{options.port} cannot be used: {error.strerror}. Choose another --port. If Hansard serves"
            " there already, `hansard token create --agent NAME --role human --all-projects --expires 12h` makes a"
            " token to sign in with."
        ) from error
    return listening


def addresses(listening: socket.socket) -> list[str]:
    """The addresses that a socket listens at; one that stands for all of them is spelled out as far as it is known."""
    host, port = listening.getsockname()[:2]
    several = [host]
    if ipaddress.ip_address(host).is_unspecified:
        with suppress(OSError):
            found = socket.getaddrinfo(socket.gethostname(), None, listening.family, socket.SOCK_STREAM)
            several += sorted({str(one[4][0]) for one in found})
    return [f"[{one}]:{port}" if ":" in one else f"{one}:{port}" for one in several]


def _check_tls(options: Options) -> None:
    """Looks at certificate and key before anybody is let in. Raises Invalid, and says which of them is wrong."""
    if options.tls_cert is None or options.tls_key is None:
        return
    import ssl

    def refuse_password() -> str:
        raise Invalid("--tls-key is protected by a password. Give a key without one, readable by its owner alone.")

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_verify_locations(options.tls_cert)
    except OSError as error:
        raise Invalid(f"--tls-cert cannot be used: {_why(error, 'it holds no certificate as PEM')}.") from error
    try:
        context.load_cert_chain(options.tls_cert, options.tls_key, refuse_password)
    except OSError as error:
        if getattr(error, "reason", None) == "KEY_VALUES_MISMATCH":
            raise Invalid("--tls-key is not the key of the certificate in --tls-cert.") from error
        raise Invalid(f"--tls-key cannot be used: {_why(error, 'it holds no key as PEM')}.") from error


def _why(error: OSError, otherwise: str) -> str:
    """What the system says of a file; what the cipher library says of its contents helps nobody."""
    return otherwise if hasattr(error, "reason") or error.strerror is None else error.strerror


def server_of(hansard: Hansard, options: Options, ready: Callable[[], None], **changes: Any) -> Server:
    app = build(hansard, options)
    doors = Doors(options.connections_per_address)
    wire: Any = partial(Wire, doors=doors, unread=Unread(), has_tls=options.has_tls)
    config = uvicorn.Config(
        app, http=wire, ws="none", log_config=None, access_log=False, server_header=False,
        proxy_headers=False, timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=options.stop_seconds,
        ssl_certfile=options.tls_cert, ssl_keyfile=options.tls_key, **changes,
    )  # fmt: skip
    return Server(config, app, ready)


def serve(hansard: Hansard, options: Options, listening: socket.socket, ready: ServeReady) -> None:
    """Serves until the process is asked to stop. What was begun is finished first."""
    access_log.begin()
    make_room()
    hold_little()
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


def make_room() -> None:
    """Lets the process have a file for each connection that it takes."""
    try:
        import resource
    except ImportError:
        return  # A system without such limits.
    given, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_MAX if most == resource.RLIM_INFINITY else min(FILES_MAX, most)
    if given != resource.RLIM_INFINITY and given < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def hold_little() -> None:
    """Keeps memory that was freed from staying with the process, where the allocator can be told."""
    import ctypes

    try:
        tell = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return  # Another system's allocator, which has its own ways.
    pools, piece = -8, -3
    tell(pools, POOLS_MAX)
    tell(piece, PIECE_BYTES_MAX)
