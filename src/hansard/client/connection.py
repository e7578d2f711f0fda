"""Owns the connections to a server: kept open, used by many threads, and made again when one is lost."""

from __future__ import annotations

import json
import select
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from hansard.client import exchange
from hansard.client.exchange import NotHttp, Received, TooMuch
from hansard.client.problems import code_of, error_of, foreign
from hansard.domain.errors import HansardError, Invalid, KeyInFlight, ServerUnreachable, StaleVersion, shown
from hansard.domain.numbers import refuse_truth

ROOT = "/api/v1"
TIMEOUT_SECONDS = 60.0
PAUSES_SECONDS = (0.1, 0.4, 1.0, 2.0)
"""How long to wait before each further try. Together they outlast a restart of the server."""
IDLE_CONNECTIONS_MAX = 32
VERSION_MAX = 999_999_999
RATE_CODE = "request.rate"
STOPPED_CODE = "request.stopped"
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
        headers = dict(self._headers)
        if version is not None:
            headers["If-Match"] = f'"{_version(version)}"'
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
        head = self._head(method, self._target(parts, query), headers)
        answer = self._answered(_Request(head + sent, keyed or method == "GET" or not writes))
        if answer.status >= 300:
            raise error_of(answer.status, answer.data)
        return self._understood(answer)

    @contextmanager
    def streamed(
        self, parts: Sequence[str], *, query: Query | None = None, accept: str, silence_seconds: float = 0.0
    ) -> Iterator[Iterator[bytes]]:
        """The pieces of an answer as they come, on a connection of its own. To read them raises ServerUnreachable.

        Once it has begun, it may be silent for as long as the timeout, or for `silence_seconds` if that is longer.
        """
        head = self._head("GET", self._target(parts, query), {**self._headers, "Accept": accept})
        connection = self._connected()
        try:
            with self._explained(self._timeout):
                answer = exchange.begun(connection.sock, head)
                if answer.status >= 300:
                    raise error_of(answer.status, answer.whole())
            if not answer.headers.get("content-type", "").lower().startswith(accept):
                raise foreign(self.address, f"no {accept}")
            silence = max(self._timeout, silence_seconds)
            connection.sock.settimeout(silence)
            yield self._read(answer, silence)
        finally:
            connection.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _head(self, method: str, target: str, headers: Mapping[str, str]) -> bytes:
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self._place}", *map(": ".join, headers.items()), "\r\n"]
        return "\r\n".join(lines).encode("ascii")

    def _understood(self, answer: Received) -> Answer:
        try:
            told = json.loads(answer.data)
            held = int(answer.headers.get(HELD, 0))
        except (ValueError, RecursionError):
            raise foreign(self.address, "no JSON") from None
        if not isinstance(told, dict):
            raise foreign(self.address, "no record")
        return Answer(told, answer.headers.get(REDACTED), held)

    def _read(self, answer: exchange.Stream, silence_seconds: float) -> Iterator[bytes]:
        with self._explained(silence_seconds):
            yield from answer.pieces()

    @contextmanager
    def _explained(self, seconds: float) -> Iterator[None]:
        """Says of what goes wrong on a connection which server it was."""
        try:
            yield
        except TimeoutError as error:
            raise self._silent(seconds) from error
        except TooMuch as error:
            raise self._too_much() from error
        except OSError as error:
            raise _unreachable(self.address, error) from error

    def _silent(self, seconds: float) -> ServerUnreachable:
        return ServerUnreachable(
            f"{self.address} did not answer in {seconds:g} s. What was asked for may still be done."
        )

    def _too_much(self) -> ServerUnreachable:
        return foreign(self.address, f"more than {exchange.ANSWER_BYTES_MAX:,} bytes")

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
            wait = _wait(answer, pause, repeatable=asked.repeatable)
            if wait is None:
                return answer
            time.sleep(wait)
        raise AssertionError("the last try answers or raises")

    def _once(self, asked: _Request) -> Received:
        """One try. Raises _Lost, or ServerUnreachable if the server took too long or said too much."""
        connection = self._taken()
        try:
            answer = exchange.exchange(connection.sock, asked.written)
        except TimeoutError as error:
            connection.close()
            raise self._silent(self._timeout) from error
        except TooMuch as error:
            connection.close()
            raise self._too_much() from error
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
                    if isinstance(error.__cause__, TimeoutError):
                        # It had its time. To wait as long again, four times, would keep the caller for minutes.
                        raise
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
        except TimeoutError as error:
            raise self._silent(self._timeout) from error
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
    return quote(value, safe="", errors="surrogatepass")


def _pairs(query: Query) -> list[tuple[str, str]]:
    """What is asked for, without what was left out. A list is said once for each of its items."""
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        if isinstance(value, list | tuple):
            # Each of several tags is a tag.
            pairs += [(name, _valid(str(one), name.removesuffix("s"))) for one in value]
        elif isinstance(value, bool):
            pairs.append((name, "true" if value else "false"))
        elif value is not None:
            pairs.append((name, _valid(str(value), name)))
    return pairs


def _valid(text: str, field: str) -> str:
    """The text, if it can be part of an address. Raises Invalid as the embedded call does."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Invalid(f"{field} is not valid Unicode at position {error.start}.") from None
    return text


def _version(expected: int) -> int:
    """A version as a header may have it: a text could bring headers of its own."""
    refuse_truth(expected, "expected_version")
    if not isinstance(expected, int) or not 0 <= expected <= VERSION_MAX:
        raise StaleVersion(f"No record is at version {shown(expected)}; read it again.")
    return int(expected)


def _written(body: Any) -> bytes:
    try:
        return json.dumps(body, separators=(",", ":")).encode()
    except (TypeError, ValueError):
        raise Invalid("Only text, numbers, true, false, None and lists or tables of them can be sent.") from None


def _wait(answer: Received, pause: float | None, *, repeatable: bool) -> float | None:
    """How long to wait before the same is asked again; None if the answer is one."""
    if pause is None or answer.status not in {409, 429, 503}:
        return None
    code = code_of(answer.data)
    if answer.status == 503:
        # The server stops; the next one knows by the key whether it was done.
        return pause if code == STOPPED_CODE and repeatable else None
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
    if isinstance(error, NotHttp) or isinstance(error.__cause__, NotHttp):
        return foreign(address, "no HTTP")
    return ServerUnreachable(f"{address} cannot be reached: {str(error) or type(error).__name__}.")
