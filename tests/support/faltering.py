"""Networks to a server that is still starting, and to one that falls silent in the middle of a conversation."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from support import postgres
from support.silence import Network

_ASKS_FOR_ENCRYPTION = (80_877_103, 80_877_104)
_STARTING = ("57P03", "the database system is starting up")


class Faltering(Network):
    """Refuses everybody until the server has started; falls silent after so many bytes, or at a word of the client.

    With a last word, that is a code and what it means, it says that at the word, and ends the connection.
    """

    last_word: tuple[str, str] | None = None

    def __init__(self, socket_file: str, *, bytes_max: int | None, word: bytes | None, started: bool) -> None:
        self._bytes_max, self._word = bytes_max, word
        self.started = threading.Event()
        if started:
            self.started.set()
        super().__init__(socket_file)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                self._ends.append(here)
                if not self.started.is_set():
                    threading.Thread(target=self._refuse, args=(here,), daemon=True).start()
                    continue
                there = socket.socket(socket.AF_UNIX)
                there.connect(self._socket_file)
                self._ends.append(there)
                silent = threading.Event()
                threading.Thread(target=self._ask, args=(here, there, silent), daemon=True).start()
                threading.Thread(target=self._answer, args=(there, here, silent), daemon=True).start()

    def _refuse(self, here: socket.socket) -> None:
        with suppress(OSError):
            while int.from_bytes(here.recv(65_536)[4:8], "big") in _ASKS_FOR_ENCRYPTION:
                here.sendall(b"N")
            here.sendall(_fatal(*_STARTING))
            here.shutdown(socket.SHUT_RDWR)

    def _ask(self, here: socket.socket, there: socket.socket, silent: threading.Event) -> None:
        with suppress(OSError):
            while sent := here.recv(65_536):
                if self._word is not None and self._word in sent:
                    silent.set()
                    if self.last_word is not None:
                        here.sendall(_fatal(*self.last_word))
                        here.shutdown(socket.SHUT_RDWR)
                        break
                there.sendall(sent)
            there.shutdown(socket.SHUT_RDWR)

    def _answer(self, there: socket.socket, here: socket.socket, silent: threading.Event) -> None:
        carried = 0
        with suppress(OSError):
            while sent := there.recv(65_536):
                carried += len(sent)
                if self._bytes_max is not None and carried >= self._bytes_max:
                    silent.set()
                if not silent.is_set():
                    here.sendall(sent)


def _fatal(code: str, meaning: str) -> bytes:
    said = f"SFATAL\0VFATAL\0C{code}\0M{meaning}\0\0".encode()
    return b"E" + (len(said) + 4).to_bytes(4, "big") + said


@contextmanager
def faltering(*, bytes_max: int | None = None, word: bytes | None = None, started: bool = True) -> Iterator[Faltering]:
    folder = str(postgres.server().get_uri()).partition("host=")[2]
    made = Faltering(f"{folder}/.s.PGSQL.5432", bytes_max=bytes_max, word=word, started=started)
    try:
        yield made
    finally:
        made.close()
