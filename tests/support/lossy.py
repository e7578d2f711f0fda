"""A line between a client and a server that loses answers when it is told to."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


class Line:
    """Passes bytes on. `lose` so many answers: the request arrives, and the connection ends before its answer."""

    def __init__(self, listening: socket.socket, server: str) -> None:
        self._listening = listening
        self._to = (urlsplit(server).hostname or "", urlsplit(server).port or 0)
        self._open: list[socket.socket] = []
        self.lose = 0
        self.address = f"http://127.0.0.1:{listening.getsockname()[1]}"

    def cut(self) -> None:
        """Ends every connection, as a restart of the server does."""
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._open.clear()

    def run(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            far = socket.create_connection(self._to)
            self._open += [near, far]
            threading.Thread(target=self._pass, args=(near, far), daemon=True).start()
            threading.Thread(target=self._answer, args=(far, near), daemon=True).start()

    @staticmethod
    def _pass(near: socket.socket, far: socket.socket) -> None:
        with suppress(OSError):
            while data := near.recv(65_536):
                far.sendall(data)
        with suppress(OSError):
            far.shutdown(socket.SHUT_RDWR)

    def _answer(self, far: socket.socket, near: socket.socket) -> None:
        with suppress(OSError):
            while data := far.recv(65_536):
                if self.lose:
                    self.lose -= 1
                    break
                near.sendall(data)
        with suppress(OSError):
            near.shutdown(socket.SHUT_RDWR)


@contextmanager
def lossy(server: str) -> Iterator[Line]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        line = Line(listening, server)
        thread = threading.Thread(target=line.run, daemon=True)
        thread.start()
        try:
            yield line
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            line.cut()
            thread.join()
