"""Owns the connections to a server: kept open, used by many threads, and made again when one is lost."""

from __future__ import annotations

import json
import select
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from hansard.client.exchange import Received, exchange
from hansard.client.problems import code_of, error_of
from hansard.domain.errors import HansardError, Invalid, KeyInFlight, NotFound, ServerUnreachable

ROOT = "/api/v1"
TIMEOUT_SECONDS = 60.0
PAUSES_SECONDS = (0.1, 0.4, 1.0, 2.0)
"""How long to wait before each further try. Together they outlast a restart of the server."""
IDLE_CONNECTIONS_MAX = 32
RATE_CODE = "request.rate"
REDACTED = "hansard-redacted"
HELD = "hansard-held"

Query = Mapping[str, Any]


class Answer(NamedTuple):
    """What the server said: the JSON of its body, what it took out of the request, and how much it holds for review."""

    json: Any
    redacted: str | None
    held: int = 0


class _Request(NamedTuple):
    written: bytes
    repeatable: bool
    """Whether sending it again does nothing twice, so that it may be sent again when nobody knows what came of it."""


class _Lost(Exception):
    """The connection ended before there was an answer. `sent` tells whether the server may have seen the request."""

    def __init__(self, cause: BaseException, *, sent: bool) -> None:
        super().__init__(str(cause) or type(cause).__name__)
        self.sent = sent


class Wire:
    """Asks one server as the holder of one token. Safe to use from many threads."""

    def __init__(self, address: str, token: str, *, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self.address = address
        self._timeout = timeout_seconds
        self._secure, self._host, self._port, self._prefix = _taken_apart(address)
        if not token or not token.isascii() or not token.isprintable():
            raise Invalid("A token is printable ASCII text; `hansard token create` makes one.")
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        self._place = urlsplit(address).netloc.lower()
        self._idle: list[HTTPConnection] = []
        self._lock = threading.Lock()
        self._closed = False

    def ask(
        self,
        method: str,
        parts: Sequence[str],
        *,
        query: Query | None = None,
        body: Any = None,
        version: int | None = None,
        writes: bool = True,
    ) -> Answer:
        """The answer. Raises what the embedded call raises, or ServerUnreachable.

        A POST that writes has a key, by which the server knows it again.
        """
        headers = {"Host": self._place, **self._headers}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        keyed = method == "POST" and writes
        if keyed:
            from uuid import uuid4

            headers["Idempotency-Key"] = uuid4().hex
        sent = b""
        if body is not None:
            headers["Content-Type"] = "application/json"
            sent = _written(body)
        if method != "GET":
            headers["Content-Length"] = str(len(sent))
        head = "\r\n".join(
            [f"{method} {self._target(parts, query)} HTTP/1.1", *map(": ".join, headers.items()), "\r\n"]
        )
        answer = self._answered(_Request(head.encode("ascii") + sent, keyed or method == "GET" or not writes))
        if answer.status >= 300:
            raise error_of(answer.status, answer.data)
        try:
            return Answer(json.loads(answer.data), answer.headers.get(REDACTED), int(answer.headers.get(HELD, 0)))
        except ValueError:
            raise ServerUnreachable(f"{self.address} answered something that is no JSON. Is it Hansard?") from None

    @contextmanager
    def streamed(self, parts: Sequence[str], *, query: Query | None = None, accept: str) -> Iterator[HTTPResponse]:
        """An answer that is read as it comes, on a connection of its own."""
        headers = {**self._headers, "Accept": accept}
        connection = self._connected()
        try:
            try:
                connection.request("GET", self._target(parts, query), headers=headers)
                answer = connection.getresponse()
            except (OSError, HTTPException) as error:
                raise _unreachable(self.address, error) from error
            if answer.status >= 300:
                raise error_of(answer.status, answer.read())
            yield answer
        finally:
            connection.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _target(self, parts: Sequence[str], query: Query | None) -> str:
        path = "/".join([self._prefix + ROOT, *(_part(one) for one in parts)])
        said = _pairs(query or {})
        return f"{path}?{urlencode(said)}" if said else path

    def _answered(self, asked: _Request) -> Received:
        for pause in (*PAUSES_SECONDS, None):
            try:
                answer = self._once(asked)
            except _Lost as lost:
                if pause is None or (lost.sent and not asked.repeatable):
                    raise _unreachable(self.address, lost) from lost
                time.sleep(pause)
                continue
            wait = _wait(answer, pause)
            if wait is None:
                return answer
            time.sleep(wait)
        raise AssertionError("the last try answers or raises")

    def _once(self, asked: _Request) -> Received:
        """One try. Raises _Lost, or ServerUnreachable if the server took too long."""
        connection = self._taken()
        try:
            answer = exchange(connection.sock, asked.written)
        except TimeoutError as error:
            connection.close()
            raise ServerUnreachable(
                f"{self.address} did not answer in {self._timeout:g} s. What was asked for may still be done."
            ) from error
        except OSError as error:
            connection.close()
            raise _Lost(error, sent=True) from error
        except BaseException:
            connection.close()
            raise
        self._give_back(connection, reusable=answer.reusable)
        return answer

    def _taken(self) -> HTTPConnection:
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                try:
                    return self._connected()
                except ServerUnreachable as error:
                    raise _Lost(error, sent=False) from error
            if _is_silent(connection):
                return connection
            connection.close()

    def _connected(self) -> HTTPConnection:
        if self._closed:
            raise Invalid("This client was closed. Open another one.")
        kind = HTTPSConnection if self._secure else HTTPConnection
        connection = kind(self._host, self._port, timeout=self._timeout)
        try:
            connection.connect()
        except OSError as error:
            raise _unreachable(self.address, error) from error
        return connection

    def _give_back(self, connection: HTTPConnection, *, reusable: bool) -> None:
        with self._lock:
            if reusable and not self._closed and len(self._idle) < IDLE_CONNECTIONS_MAX:
                self._idle.append(connection)
                return
        connection.close()


def _taken_apart(address: str) -> tuple[bool, str, int | None, str]:
    if not isinstance(address, str):
        raise Invalid(f"address must be text, not {type(address).__name__}.")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in {"http", "https"} or not host or parts.query or parts.fragment:
        raise Invalid("Give the server's address as http://host:port or https://host.")
    if not address.isascii() or not address.isprintable() or " " in address:
        raise Invalid("An address has no blanks, and only letters of ASCII; write a name of other letters as xn--…")
    if parts.username is not None or parts.password is not None:
        raise Invalid("An address has no name and no password in it; give the token as token=… or HANSARD_TOKEN.")
    prefix = parts.path.rstrip("/")
    if prefix.endswith((ROOT, "/mcp")) or f"{ROOT}/" in prefix:
        raise Invalid(f"Give the address of the server itself, without {prefix}: the client adds {ROOT} by itself.")
    return parts.scheme == "https", host, port, prefix


def _part(value: str) -> str:
    if not isinstance(value, str):
        raise Invalid(f"a reference must be text, not {type(value).__name__}.")
    if not value.strip():
        raise NotFound("There is nothing without a name.")
    return quote(value, safe="", errors="surrogatepass")


def _pairs(query: Query) -> list[tuple[str, str]]:
    """What is asked for, without what was left out. A list is said once for each of its items."""
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        if isinstance(value, list | tuple):
            pairs += [(name, str(one)) for one in value]
        elif isinstance(value, bool):
            pairs.append((name, "true" if value else "false"))
        elif value is not None:
            pairs.append((name, str(value)))
    return pairs


def _written(body: Any) -> bytes:
    try:
        return json.dumps(body, separators=(",", ":")).encode()
    except (TypeError, ValueError):
        raise Invalid("Only text, numbers, true, false, None and lists or tables of them can be sent.") from None


def _wait(answer: Received, pause: float | None) -> float | None:
    """How long to wait before the same is asked again; None if the answer is one."""
    if pause is None or answer.status not in {409, 429}:
        return None
    code = code_of(answer.data)
    if answer.status == 409:
        # The first try is still being answered, so its answer is the one to wait for.
        return pause if code == KeyInFlight.code else None
    given = answer.headers.get("retry-after", "")
    return float(given) if code == RATE_CODE and given.isdecimal() and int(given) <= max(PAUSES_SECONDS) else None


def _is_silent(connection: HTTPConnection) -> bool:
    """Whether an idle connection is still open: one that the server closed has something to read, its end."""
    if connection.sock is None:
        return False
    look = select.poll()
    with suppress(OSError, ValueError):
        look.register(connection.sock, select.POLLIN)
        return not look.poll(0)
    return False


def _unreachable(address: str, error: BaseException) -> HansardError:
    if isinstance(error.__cause__, ServerUnreachable):
        # It says so already: the server could not even be connected to.
        return error.__cause__
    return ServerUnreachable(f"{address} cannot be reached: {str(error) or type(error).__name__}.")
