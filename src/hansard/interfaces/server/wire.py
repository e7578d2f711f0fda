"""Owns one connection to the server: a request has to say what it wants soon, and in few words."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hansard.interfaces.rest import problems

HEAD_SECONDS_MAX = 15.0
HEAD_BYTES_MAX = 64 * 1024
REFUSAL = "The request line and the headers are longer than the server takes."


class LongHead(Exception):
    """A request line or headers without an end."""


class Wire(HttpToolsProtocol):
    """Ends a connection whose request does not begin, or does not get past its headers: each open one costs something.

    The parser itself takes heads of any length, and takes trailers for headers after all have been looked at.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._in_head = True
        self._received = self._taken = 0
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._received += len(data)
        # What the parser keeps of a name or a value that has not ended is told to nobody.
        if self._in_head and self._received > HEAD_BYTES_MAX and not self.transport.is_closing():
            self.send_400_response(REFUSAL)

    def send_400_response(self, msg: str) -> None:
        """As a problem, like every other refusal."""
        code, about = problems.HTTP_CODES[400]
        refusal = problems.problem(400, code, about, msg, headers={"Connection": "close"})
        head = b"".join(b"%s: %s\r\n" % one for one in refusal.raw_headers)
        self.transport.write(b"HTTP/1.1 400 Bad Request\r\n" + head + b"\r\n" + bytes(refusal.body))
        self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        self._received = self._taken = 0
        self._wait()

    def on_url(self, url: bytes) -> None:
        self._take(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:
            self._take(len(name) + len(value))
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._wait_no_more()
        super().on_headers_complete()

    def _take(self, size: int) -> None:
        self._taken += size
        if self._taken > HEAD_BYTES_MAX:
            raise LongHead

    def _wait(self) -> None:
        self._wait_no_more()
        self._waiting = self.loop.call_later(HEAD_SECONDS_MAX, self._give_up)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
