"""Owns one connection to the server: a request has to say what it wants soon, and in few words."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from hansard.interfaces.rest import problems
from hansard.interfaces.server.doors import Entry, place_of
from hansard.interfaces.server.dress import dress

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from hansard.interfaces.server.doors import Doors
    from hansard.interfaces.server.unread import Unread

HEAD_SECONDS_MAX = 15.0
BRIEF_SECONDS_MAX = 2.0
"""The same for a connection that is one too many."""
DRAIN_SECONDS_MAX = 10.0
"""How long the rest of a body is passed over after its request was answered; closing at once would lose the answer."""
HEAD_BYTES_MAX = 64 * 1024
READ_BYTES = 64 * 1024
LONG = "The request line and the headers are longer than the server takes."
CROWDED = "Too many connections are open, from this address or in all. Use fewer, and try again."
LIVE = b"/health/live"
WIRE = "hansard.wire"


class Together:
    """A transport that sends in one go what is written in one go: headers and body of an answer, in one packet."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        if not self._pieces:
            self._loop.call_soon(self.send)
        self._pieces.append(data)
        self._size += len(data)
        if self._size > READ_BYTES:
            # Whoever writes much waits for the reader, and learns only from the transport that it has to.
            self.send()

    def close(self) -> None:
        self.send()
        self._transport.close()

    def send(self) -> None:
        """Sends what was written so far."""
        if self._pieces and not self._transport.is_closing():
            self._transport.write(b"".join(self._pieces))
        self._pieces, self._size = [], 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class LongHead(Exception):
    """A request line or headers without an end."""


class Wire(HttpToolsProtocol):
    """Ends a connection whose request does not begin, or does not get past its headers: each open one costs something.

    The parser itself takes heads of any length, and takes trailers for headers after all have been looked at.
    """

    def __init__(self, *given: Any, doors: Doors, unread: Unread, has_tls: bool, **named: Any) -> None:
        super().__init__(*given, **named)
        self._doors, self._unread, self._has_tls = doors, unread, has_tls
        self._served = self.app
        self._entry, self._place = Entry.SHUT, ""
        self._in_head, self._in_body = True, False
        self._received = self._taken = 0
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # As in the client: room for more takes longer to get than to fill.
        transport.max_size = READ_BYTES  # type: ignore[attr-defined]
        self._together = self.transport = Together(transport, self.loop)  # type: ignore[assignment]
        self._place = place_of(self.client[0]) if self.client else ""
        self._entry = self._doors.enter(self._place, self)
        if self._entry is Entry.SHUT:
            transport.abort()
            return
        self._wait(HEAD_SECONDS_MAX if self._entry is Entry.OPEN else BRIEF_SECONDS_MAX)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        self._unread.end(self)
        if self._entry is not Entry.SHUT:
            self._doors.leave(self._place, self)
        super().connection_lost(exc)

    def make_way(self) -> None:
        """Ends it at once: somebody else needs the room."""
        self._entry = Entry.SHUT
        self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread.begin(self)

    def resume_writing(self) -> None:
        self._unread.end(self)
        super().resume_writing()

    def unread(self) -> int:
        return int(self.transport.get_write_buffer_size())

    def abort(self) -> None:
        self.transport.abort()

    def know(self) -> None:
        """Whoever is at the other end has shown a good token."""
        self._doors.know(self)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._received += len(data)
        # What the parser keeps of a name or a value that has not ended is told to nobody.
        if self._in_head and self._received > HEAD_BYTES_MAX and not self.transport.is_closing():
            self.send_400_response(LONG)

    def send_400_response(self, msg: str) -> None:
        """As a problem, like every other refusal."""
        code, about = problems.HTTP_CODES[400]
        refusal = problems.problem(400, code, about, msg, headers={"Connection": "close"})
        dress(refusal.raw_headers, secrets.token_hex(8), has_tls=self._has_tls)
        head = b"".join(b"%s: %s\r\n" % one for one in refusal.raw_headers)
        self.transport.write(STATUS_LINE[400] + head + b"\r\n" + bytes(refusal.body))
        self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"][WIRE] = self
        self._in_head = True
        self._received = self._taken = 0
        if self._entry is Entry.OPEN:
            self._wait(HEAD_SECONDS_MAX)

    def on_url(self, url: bytes) -> None:
        self._take(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:
            self._take(len(name) + len(value))
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head, self._in_body = False, True
        self._wait_no_more()
        # Whoever asks whether the server lives gets an answer, however many there are.
        heard = self._entry is Entry.OPEN or self.url.partition(b"?")[0] == LIVE
        self.app = self._served if heard else self._crowded
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_body = False
        super().on_message_complete()
        if self.cycle.response_complete:
            self._wait(HEAD_SECONDS_MAX)

    def on_response_complete(self) -> None:
        # Before anything is counted or logged: somebody waits for it.
        self._together.send()
        super().on_response_complete()
        if self._entry is not Entry.OPEN:
            self.transport.close()
        elif self.cycle.response_complete and not self._in_head:
            # What comes meanwhile does not prolong it: a line break now and then would hold the connection for good.
            self._wait(DRAIN_SECONDS_MAX if self._in_body else HEAD_SECONDS_MAX)

    async def _crowded(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = problems.problem(
            503, "request.connections", "Too many connections.", CROWDED, headers={"Connection": "close"}
        )
        dress(refusal.raw_headers, secrets.token_hex(8), has_tls=self._has_tls)
        await refusal(scope, receive, send)

    def _take(self, size: int) -> None:
        self._taken += size
        if self._taken > HEAD_BYTES_MAX:
            raise LongHead

    def _wait(self, seconds: float) -> None:
        self._wait_no_more()
        self._waiting = self.loop.call_later(seconds, self._give_up)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        if self in self._unread:
            # Somebody reads, at a pace that is watched.
            self._wait(HEAD_SECONDS_MAX)
        elif self.unread():
            # To close it would wait for a reader that there is not.
            self.abort()
        elif not self.transport.is_closing():
            self.transport.close()
