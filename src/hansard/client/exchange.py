"""Owns one request and its answer on an open connection. The standard library's reader takes ten times as long."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

READ_BYTES = 64 * 1024
"""Room for more than that is asked of the system anew for each answer, which takes longer than reading it."""
ANSWER_BYTES_MAX = 256 * 1024 * 1024
"""More than any call answers with. A backup is no answer that is kept in memory, so it may be longer."""
INTERIM_MAX = 200
"""Answers below this status say that the real one is still to come."""


class NoAnswer(ConnectionError):
    """What came was no answer, or ended in the middle of one."""


class NotHttp(NoAnswer):
    """Who answered speaks another language."""


class TooMuch(Exception):
    """The answer is longer than any of Hansard's. To ask again would only bring as much again."""


class Received(NamedTuple):
    """An answer: its headers by their names in small letters, and whether the connection can be used again."""

    status: int
    headers: Mapping[str, str]
    data: bytes
    reusable: bool


class _Reading:
    """What the parser tells of an answer."""

    def __init__(self) -> None:
        self.parser = HttpResponseParser(self)
        self.status = 0
        self.headers: dict[str, str] = {}
        self.pieces: list[bytes] = []
        self.has_headers = False
        self.is_complete = False
        self.is_reusable = False

    def on_message_begin(self) -> None:
        if self.is_complete:
            raise NoAnswer("more than one answer came")
        self.headers = {}
        self.pieces = []

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self.status = self.parser.get_status_code()
        self.is_reusable = self.parser.should_keep_alive()
        self.has_headers = self.status >= INTERIM_MAX

    def on_body(self, body: bytes) -> None:
        self.pieces.append(body)

    def on_message_complete(self) -> None:
        self.is_complete = self.status >= INTERIM_MAX

    def receive(self, on: socket.socket) -> int:
        """Reads what has come, and says how much. Raises OSError."""
        data = on.recv(READ_BYTES)
        if not data:
            if not self._ends_with_connection:
                raise NoAnswer("the connection ended before the answer did")
            self.is_complete = True
            return 0
        try:
            self.parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            raise NotHttp(f"what came is no answer of HTTP ({error})") from error
        return len(data)

    @property
    def _ends_with_connection(self) -> bool:
        """Whether an answer that says no length has come as far as its body."""
        return self.has_headers and not self.headers.keys() & {"content-length", "transfer-encoding"}


class Stream:
    """An answer that is read as it comes. Its status and headers are there; what follows them may take any time."""

    def __init__(self, on: socket.socket, reading: _Reading) -> None:
        self._on = on
        self._reading = reading
        self.status = reading.status
        self.headers: Mapping[str, str] = reading.headers

    def pieces(self) -> Iterator[bytes]:
        """The body. Each wait for more of it is as long as the connection's timeout at most. Raises OSError."""
        while True:
            yield from self._taken()
            if self._reading.is_complete:
                return
            self._reading.receive(self._on)

    def whole(self) -> bytes:
        """The body at once, within the timeout and the limit of any other answer. Raises OSError and TooMuch."""
        with _within_timeout(self._on) as deadline:
            _finish(self._on, self._reading, deadline)
        return b"".join(self._taken())

    def _taken(self) -> list[bytes]:
        taken, self._reading.pieces = self._reading.pieces, []
        return taken


class _Deadline:
    """The end of the time that a whole answer may take, however it is cut into pieces."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def hold(self, on: socket.socket) -> None:
        """Lets the next wait last until the end at most."""
        if self._end is None:
            return
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        on.settimeout(left)


def exchange(on: socket.socket, request: bytes) -> Received:
    """Sends a request and reads the answer to it, both within the connection's timeout. Raises OSError and TooMuch."""
    reading = _Reading()
    with _within_timeout(on) as deadline:
        _send(on, request, deadline)
        _finish(on, reading, deadline)
    return Received(reading.status, reading.headers, b"".join(reading.pieces), reading.is_reusable)


def begun(on: socket.socket, request: bytes) -> Stream:
    """Sends a request and reads the answer as far as its headers. Raises OSError and TooMuch."""
    reading = _Reading()
    with _within_timeout(on) as deadline:
        _send(on, request, deadline)
        _finish(on, reading, deadline, headers_only=True)
    return Stream(on, reading)


@contextmanager
def _within_timeout(on: socket.socket) -> Iterator[_Deadline]:
    seconds = on.gettimeout()
    try:
        yield _Deadline(seconds)
    finally:
        on.settimeout(seconds)


def _send(on: socket.socket, request: bytes, deadline: _Deadline) -> None:
    # Over TLS, sendall would wait as long as the timeout for each piece anew.
    left = memoryview(request)
    while left:
        deadline.hold(on)
        left = left[on.send(left) :]


def _finish(on: socket.socket, reading: _Reading, deadline: _Deadline, *, headers_only: bool = False) -> None:
    came = 0
    while not reading.is_complete:
        deadline.hold(on)
        came += reading.receive(on)
        if headers_only and reading.has_headers:
            return
        if came > ANSWER_BYTES_MAX:
            raise TooMuch
