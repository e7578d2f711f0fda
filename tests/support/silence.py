"""A network between a client and a server that can fall silent: what is sent is taken, and nothing comes back."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from support import postgres


class Network:
    """Leads from a port of this machine to the tests' server."""

    def __init__(self, socket_file: str) -> None:
        self._socket_file = socket_file
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self.carries = threading.Event()
        self.carries.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def address(self, url: str, hosts: int = 1) -> str:
        """The address of a database; with several hosts, all of them are this network."""
        place = f"127.0.0.1:{self._listener.getsockname()[1]}"
        return f"postgresql://postgres@{','.join([place] * hosts)}/{postgres.name_of(url)}"

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                there = socket.socket(socket.AF_UNIX)
                there.connect(self._socket_file)
                self._ends += [here, there]
                for one, other in ((here, there), (there, here)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while sent := one.recv(65_536):
                self.carries.wait()
                other.sendall(sent)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.carries.set()
        # A thread that waits for a call is not woken by closing what it waits at.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for end in self._ends:
            end.close()


@contextmanager
def network() -> Iterator[Network]:
    folder = str(postgres.server().get_uri()).partition("host=")[2]
    made = Network(f"{folder}/.s.PGSQL.5432")
    try:
        yield made
    finally:
        made.close()
