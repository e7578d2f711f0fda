"""Explains why a server did not let somebody in, by the codes of the server and of libpq and never by their words."""

from __future__ import annotations

import os
import re
import select
import time
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import make_conninfo
from psycopg.pq import ConnStatus, PGconn, Ping, PollingStatus, Trace

from hansard.domain.errors import HansardError, Invalid, StoreBusy, StoreStarting, StoreUnreachable

if TYPE_CHECKING:
    from psycopg.pq.abc import PGconn as Trial

LOOK_SECONDS_MAX = 2
TRACE_BYTES_MAX = 65_536
KNOWN_MAX = 64
_CODE = re.compile(rb'^B\t\d+\tErrorResponse\t.*? C "([0-9A-Z]{5})"', re.MULTILINE)
_TLS = re.compile(rb"^B\t\d+\tSSLResponse\t (\w)\s*\Z", re.MULTILINE)
"""The server's last word, if the try ended there: N for no TLS, S for one that came to nothing."""
_GOT_IN = "00000"
_UNREADABLE, _SILENT, _UNKNOWN = "unreadable", "silent", "unknown"
_NO_TLS, _BAD_TLS = "no TLS", "bad TLS"
"""What libpq tells of a try without a code of the server."""
_NOT_READY = "57P03"
_ADVICE = {
    "28P01": "Check the user and the password: in PGPASSWORD, in .pgpass, or in the address",
    "28000": "Check the user's name, and whether the server's pg_hba.conf lets this user in from here",
    "3D000": "Check the database's name, or make it with `createdb`",
    "42501": "Have an administrator GRANT CONNECT ON DATABASE to this user",
    _NO_TLS: "This server offers no TLS. Set it up there, or change sslmode in the address",
    _BAD_TLS: (
        "The server answers, but TLS with it fails. Check sslrootcert and sslmode in the address, and whether the"
        " server's certificate is for this host"
    ),
    _SILENT: "Check host and port, and whether the server runs and can be reached from here",
    _NOT_READY: "It is starting or stopping; try again",
}


class Refusals:
    """Refusals of one address."""

    def __init__(self, url: str, place: str) -> None:
        self._url, self._place = url, place
        self._known: dict[str, str] = {}

    def explained(self, error: psycopg.OperationalError) -> HansardError:
        """The error to raise: what is wrong, and what to do."""
        reason = reason_of(error)
        code = self._code(error, reason)
        if code in {_GOT_IN, "53300"}:
            # Whoever is let in at the second try came when there was no place.
            return StoreBusy(f"{self._place} gives no more connections: {reason}; try again.")
        if code == _UNREADABLE:
            # A password with a ? in it makes the rest of itself a parameter, which libpq would repeat.
            told = "" if "@" in reason else f": {reason}"
            return Invalid(f"db has a parameter that cannot be used{told}. Correct the address.")
        if error.pgconn is not None and error.pgconn.needs_password:
            return StoreUnreachable(
                f"{self._place} cannot be reached: it wants a password."
                " Give it in PGPASSWORD, in .pgpass, or in the address."
            )
        advice = f" {_ADVICE[code]}." if code in _ADVICE else ""
        kind = StoreStarting if code == _NOT_READY else StoreUnreachable
        return kind(f"{self._place} cannot be reached: {reason}.{advice}")

    def _code(self, error: psycopg.OperationalError, reason: str) -> str:
        """The server's code, or what libpq tells. The same words of the same server mean the same each time."""
        if error.pgconn is None or isinstance(error, pg.ConnectionTimeout):
            return _SILENT
        code = self._known.get(reason) or self._asked()
        if code != _GOT_IN:
            if len(self._known) >= KNOWN_MAX:
                self._known.clear()
            self._known[reason] = code
        return code

    def _asked(self) -> str:
        address = make_conninfo(self._url, connect_timeout=LOOK_SECONDS_MAX).encode()
        code = _sqlstate(address)
        if code != _UNKNOWN:
            return code
        # Only without a code: a ping keeps all threads of the process waiting for as long as it lasts.
        found = Ping(PGconn.ping(address))
        return {Ping.OK: _UNKNOWN, Ping.NO_ATTEMPT: _UNREADABLE, Ping.REJECT: _NOT_READY}.get(found, _SILENT)


def _sqlstate(address: bytes) -> str:
    """The code with which the server refuses, from a second try.

    libpq keeps the words of a refused connection and drops the code; only a trace of what the server sends has it.
    The trace goes to a pipe, so that nothing of it is ever on a disk. Where the driver cannot trace, which is
    everywhere but on Linux, there is no code, and the server's own words have to do.
    """
    connection = PGconn.connect_start(address)
    reader, writer = os.pipe()
    try:
        os.set_blocking(reader, False)
        connection.trace(writer)
        connection.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS)
        tried = _tried(connection)
        connection.untrace()
        if tried == PollingStatus.OK:
            return _GOT_IN
        told = os.read(reader, TRACE_BYTES_MAX)
        if ended := _TLS.search(told):
            return _NO_TLS if ended[1] == b"N" else _BAD_TLS
        codes = _CODE.findall(told)
        return codes[-1].decode() if codes else _UNKNOWN
    except (psycopg.Error, OSError):
        return _UNKNOWN
    finally:
        connection.finish()
        os.close(reader)
        os.close(writer)


def _tried(connection: Trial) -> int:
    until = time.monotonic() + LOOK_SECONDS_MAX
    status: int = PollingStatus.WRITING
    while connection.status != ConnStatus.BAD and (left := until - time.monotonic()) > 0:
        sockets = [connection.socket]
        if status == PollingStatus.READING:
            select.select(sockets, [], [], left)
        else:
            select.select([], sockets, [], left)
        status = connection.connect_poll()
        if status in {PollingStatus.OK, PollingStatus.FAILED}:
            break
    return status


def reason_of(error: psycopg.Error) -> str:
    """The first line of what the server or the driver said; neither repeats a password."""
    said = str(error).strip().splitlines() or [type(error).__name__]
    return re.sub(r"^connection (failed|is bad): ", "", " ".join(said[0].split())).rstrip(".")
