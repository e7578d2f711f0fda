"""Servers that answer what they were told to, whatever they are asked."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Script = Callable[[socket.socket], None]
JSON = "application/json"


def answer(body: str | bytes, status: int = 200, kind: str = JSON) -> bytes:
    data = body.encode() if isinstance(body, str) else body
    head = f"HTTP/1.1 {status} Said\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n\r\n"
    return head.encode() + data


def saying(*pieces: bytes) -> Script:
    """Sends these, and ends the connection."""

    def script(on: socket.socket) -> None:
        on.sendall(b"".join(pieces))

    return script


def waiting(*pieces: bytes) -> Script:
    """Sends these, and is silent until the other side has had enough."""

    def script(on: socket.socket) -> None:
        on.sendall(b"".join(pieces))
        while on.recv(65_536):
            pass

    return script


@contextmanager
def lying(*scripts: Script) -> Iterator[str]:
    """The address of a server that does with each connection what its script says, the last one for all further."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_serve, args=(listening, list(scripts)))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(listening: socket.socket, scripts: list[Script]) -> None:
    while True:
        try:
            on, _ = listening.accept()
        except OSError:
            return
        with on, suppress(OSError):
            # A connection on which nothing is asked must not keep the others.
            on.settimeout(5)
            if on.recv(65_536):
                (scripts.pop(0) if len(scripts) > 1 else scripts[0])(on)
