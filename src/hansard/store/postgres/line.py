"""Owns the line to a server: the types it speaks, and that it does not hang on a server that fell silent."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg import waiting
from psycopg.adapt import Dumper, Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryDumper

SCHEMA = "hansard"
WAKE_SECONDS = 0.1
LASTING: dict[str, int] = {
    "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 25_000,
}  # fmt: skip
"""A network that vanished is noticed within half a minute, instead of the quarter of an hour that a system takes."""
SESSION = f"""
SET search_path = {SCHEMA};
SET standard_conforming_strings = on;
SET quote_all_identifiers = off;
SET default_transaction_isolation = 'read committed'"""
"""What statements rely on, whatever the database or the role has as a default."""
_Answer = TypeVar("_Answer")
# What the driver says when it gives up names users and hosts, and is told in our own words by whoever meets it.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class _JsonText(Loader):
    """JSON as it is written: fingerprints are made of its letters. In both formats it is sent as text."""

    def load(self, data: Any) -> str:
        return bytes(data).decode()


class _JsonBinary(_JsonText):
    format = Format.BINARY


class _NoTruth(Dumper):
    """No column holds a truth value. The server would call the statement wrong, and not the value."""

    def dump(self, obj: Any) -> Any:
        raise psycopg.ProgrammingError(f"cannot adapt {obj!r}")


class Line(psycopg.Connection[tuple[Any, ...]]):
    """A connection on which single answers may be waited for no longer than some seconds.

    No timeout of the server helps against one that takes a question and never answers.
    """

    _give_up_at: float | None = None
    idle_since = 0.0
    told: tuple[Any, ...] | None = None
    """What was answered to the statements that began the transaction."""

    def use_own_types(self) -> None:
        self.server_cursor_factory = psycopg.RawServerCursor
        self.adapters.register_loader("json", _JsonText)
        self.adapters.register_loader("json", _JsonBinary)
        # A number that does not fit is refused here; as NUMERIC it would be compared and simply not be found.
        self.adapters.register_dumper(int, Int8BinaryDumper)
        self.adapters.register_dumper(bool, _NoTruth)

    def begin(self, statements: str) -> None:
        """Begins a transaction in one way to the server and back, and keeps the last row that was answered."""
        self.told, answers = None, self.execute(statements)
        while True:
            if answers.description:
                self.told = answers.fetchone()
            if not answers.nextset():
                return

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Whatever is asked meanwhile raises OperationalError if it is not answered in time; then close the line.

        For questions that a server answers at once: one that works for long is silent as well.
        """
        before, at = self._give_up_at, time.monotonic() + seconds
        self._give_up_at = at if before is None else min(before, at)
        try:
            yield
        finally:
            self._give_up_at = before

    def wait(self, gen: Generator[Any, Any, _Answer], *options: Any, **named: Any) -> _Answer:
        if self._give_up_at is None:
            return super().wait(gen, *options, **named)
        try:
            return waiting.wait(_until(gen, self._give_up_at), self.pgconn.socket, WAKE_SECONDS)
        except KeyboardInterrupt:
            # The driver would first wait for what the server says to a cancellation.
            self.pgconn.finish()
            raise


def lasting(url: str) -> str:
    """The address with what keeps a line from hanging, as far as it does not say that itself."""
    given = conninfo_to_dict(url)
    if "service" in given or "PGSERVICE" in os.environ:
        return url
    return make_conninfo(url, **{name: value for name, value in LASTING.items() if name not in given})


def hosts_of(url: str) -> int:
    """How many hosts are tried, one after the other: the driver's timeout is for each of them."""
    given = conninfo_to_dict(url)
    return str(given.get("hostaddr") or given.get("host") or os.environ.get("PGHOST", "")).count(",") + 1


def _until(gen: Generator[Any, Any, _Answer], give_up_at: float) -> Generator[Any, Any, _Answer]:
    """The same conversation, which ends when nothing has come by then."""
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if not ready and time.monotonic() >= give_up_at:
                raise psycopg.OperationalError("it was silent for too long")
            wanted = gen.send(ready)
    except StopIteration as end:
        answer: _Answer = end.value
        return answer


def lock_timeout(milliseconds: int, reach: str = "") -> str:
    # To the server, 0 is no limit.
    return f"SET {reach}lock_timeout = {max(1, milliseconds)}"
