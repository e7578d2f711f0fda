"""Owns connections to the server: the pool, what a session sets, losing the server, and what its faults mean."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from typing import Any, TypeAlias

import psycopg
from psycopg import errors as pg
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format, TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper

from hansard.domain.errors import (
    HansardError,
    Invalid,
    StoreBusy,
    StoreCorrupt,
    StoreFull,
    StoreUnreachable,
    StoreUnwritable,
    TooLarge,
    Unavailable,
)

SCHEMA = "hansard"
CHANNEL = "hansard"
LOOK_SECONDS = 5.0
"""How often whoever waits for a call looks by itself: a call is lost with the process that should have made it."""
CONNECTIONS_MAX = 16
CONNECT_SECONDS_MIN = 2
RETRY_SECONDS = 0.1
STREAM_ROWS = 2_000
_MARK = re.compile(r"\?(\d*)")
_streams = count(1)
_log = logging.getLogger("hansard")

RawConnection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

_BUSY = (
    pg.LockNotAvailable, pg.QueryCanceled, pg.DeadlockDetected, pg.SerializationFailure, pg.TooManyConnections,
    pg.IdleInTransactionSessionTimeout, pg.TransactionTimeout,
)  # fmt: skip
_FAULTS: tuple[tuple[tuple[type[psycopg.Error], ...], type[Unavailable], str], ...] = (
    (_BUSY, StoreBusy, "{place} is busy; try again."),
    ((pg.DiskFull, pg.OutOfMemory), StoreFull, "There is no space left for {place}; nothing was changed."),
    (
        (pg.InsufficientPrivilege, pg.ReadOnlySqlTransaction, pg.InvalidAuthorizationSpecification),
        StoreUnwritable,
        "{place} does not let this user do that; check the user's rights.",
    ),
    # Every statement is tested against the schema and keeps every constraint, so one that the server refuses met
    # tables that are not as Hansard left them.
    (
        (psycopg.ProgrammingError, psycopg.IntegrityError, psycopg.InternalError, psycopg.DataError),
        StoreCorrupt,
        "{place} holds something Hansard did not write; restore a backup.",
    ),
)
_BAD_VALUES = (pg.NumericValueOutOfRange, pg.CharacterNotInRepertoire, pg.UntranslatableCharacter)


class _JsonText(Loader):
    """JSON as it is written: fingerprints are made of its letters. In both formats it is sent as text."""

    def load(self, data: Any) -> str:
        return bytes(data).decode()


class _JsonBinary(_JsonText):
    format = Format.BINARY


@lru_cache(maxsize=1024)
def numbered(sql: str) -> str:
    """The statement with its values numbered as the server wants them: `?` is the next one, `?2` the second."""
    highest = 0

    def number(mark: re.Match[str]) -> str:
        nonlocal highest
        place = int(mark.group(1)) if mark.group(1) else highest + 1
        highest = max(highest, place)
        return f"${place}"

    return _MARK.sub(number, sql)


class PostgresRows:
    """The rows of a statement that was run."""

    __slots__ = ("_cursor",)

    def __init__(self, cursor: psycopg.Cursor[tuple[Any, ...]]) -> None:
        self._cursor = cursor

    @property
    def get(self) -> Any:
        row = self._cursor.fetchone()
        return None if row is None else row[0]

    def fetchone(self) -> Any:
        return self._cursor.fetchone()

    def fetchall(self) -> list[Any]:
        return self._cursor.fetchall()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cursor)


class PostgresConnection:
    """A connection, and what PostgreSQL says in its own way."""

    unindexed = ""
    no_bytes = "''::bytea"
    defer_checks = "SET CONSTRAINTS ALL DEFERRED"

    def __init__(self, raw: RawConnection) -> None:
        self.raw = raw
        self.announced: str | None = None

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> PostgresRows:
        return PostgresRows(self.raw.execute(numbered(sql), values, binary=True))

    def executemany(self, sql: str, rows: Iterable[Any], /) -> None:
        with self.raw.cursor() as cursor:
            cursor.executemany(numbered(sql), rows)

    def stream(self, sql: str, values: Sequence[Any]) -> Iterator[Any]:
        # A name of its own: one that was left half read is closed late, and must not take another with it.
        with self.raw.cursor(f"stream_{next(_streams)}", withhold=False) as cursor:
            cursor.itersize = STREAM_ROWS
            cursor.execute(numbered(sql), values, binary=True)
            yield from cursor

    def among(self, column: str, values: Sequence[int]) -> tuple[str, Any]:
        return f"{column} = ANY(?::bigint[])", list(values)

    def elements(self, column: str, name: str) -> str:
        return f"elements({column}) AS {name}(value)"

    def take_numbers(self, project_id: str, count: int) -> int:
        last = self.execute(
            "UPDATE heads SET memories = memories + ? WHERE project_id = ? RETURNING memories", (count, project_id)
        ).get
        assert isinstance(last, int)
        return last - count + 1

    def taken_numbers(self, project_id: str) -> int:  # noqa: ARG002 - every project counts for itself
        return 0

    def columns(self, table: str) -> tuple[str, ...]:
        rows = self.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped"
            " ORDER BY attnum",
            (table,),
        )
        return tuple(str(row[0]) for row in rows)

    def announce(self, project_id: str) -> None:
        self.announced = project_id

    def schema_problems(self) -> Iterator[str]:
        from hansard.store.postgres import migrate

        wanted, there = migrate.named(), migrate.present(self)
        if not wanted <= there:
            yield "the tables, indexes and triggers are not what they should be"
        if any(kind == "trigger" for kind, _ in there - wanted):
            yield "there is a trigger that is not Hansard's"


class Database:
    """A pool of connections to one database. Writers of different projects never wait for each other."""

    def __init__(self, url: str, *, busy_seconds: float) -> None:
        self.place, self._url, self._wait_seconds = _place(url), url, busy_seconds
        self._idle: list[RawConnection] = []
        self._free = threading.Semaphore(CONNECTIONS_MAX)
        self._guard = threading.Lock()
        self._lost_at: float | None = None
        self._closed = False

    def open(self) -> None:
        """Reaches the server once, so that a wrong address, name or password is told for what it is."""
        with self._faults():
            self._take_back(self._connected())

    @contextmanager
    def reading(self) -> Iterator[PostgresConnection]:
        with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[PostgresConnection]:
        with self._transaction("BEGIN ISOLATION LEVEL READ COMMITTED") as connection:
            yield connection

    @contextmanager
    def bare(self) -> Iterator[PostgresConnection]:
        """A connection outside any transaction, for migrations, cleaning and listening."""
        with self._faults(), self._lent() as raw:
            yield PostgresConnection(raw)

    def close(self) -> None:
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for raw in idle:
            raw.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[PostgresConnection]:
        with self._faults(), self._lent(begin) as raw:
            connection = PostgresConnection(raw)
            try:
                yield connection
                raw.execute("COMMIT")
            except BaseException:
                # Where the server was lost there is nothing to undo, and the first fault is the one to tell.
                with suppress(psycopg.Error):
                    raw.execute("ROLLBACK")
                raise
            if connection.announced is not None:
                # After the commit: inside it, writers of all projects would queue for the channel until the disk
                # has answered. Whoever misses a call looks again by itself.
                with suppress(psycopg.Error):
                    raw.execute("SELECT pg_notify($1, $2)", (CHANNEL, connection.announced))

    def listen(self, project_id: str, timeout_seconds: float, is_over: Callable[[], bool]) -> None:
        """Waits for a call about the project. Asks once more after it began to listen, so that none is missed."""
        with self._faults(), self._connected() as raw:
            raw.execute(f"LISTEN {CHANNEL}")
            until = time.monotonic() + timeout_seconds
            while not is_over() and (left := until - time.monotonic()) > 0:
                for call in raw.notifies(timeout=min(left, LOOK_SECONDS)):
                    if call.payload == project_id:
                        return

    @contextmanager
    def _lent(self, begin: str = "SELECT 1") -> Iterator[RawConnection]:
        if not self._free.acquire(timeout=self._wait_seconds):
            raise StoreBusy(f"All {CONNECTIONS_MAX} connections to {self.place} are in use; try again.")
        try:
            raw = self._begun(begin)
            try:
                yield raw
            finally:
                self._take_back(raw)
        finally:
            self._free.release()

    def _begun(self, begin: str) -> RawConnection:
        """A connection that answers. After a restart of the server every idle one is dead, and is replaced."""
        while True:
            with self._guard:
                if self._closed:
                    raise Unavailable("This Hansard was closed; open it again.")
                raw = self._idle.pop() if self._idle else None
            fresh = raw is None
            raw = raw or self._reached()
            try:
                raw.execute(begin)
            except psycopg.OperationalError:
                raw.close()
                self._note_loss()
                if fresh:
                    raise
            else:
                self._note_recovery()
                return raw

    def _take_back(self, raw: RawConnection) -> None:
        with self._guard:
            keep = not self._closed and raw.info.transaction_status == TransactionStatus.IDLE
            if keep:
                self._idle.append(raw)
        if not keep:
            raw.close()

    def _reached(self) -> RawConnection:
        """A new connection. A server that does not answer may just be starting again, so it is waited for."""
        give_up_at = time.monotonic() + self._wait_seconds
        while True:
            try:
                return self._connected()
            except StoreUnreachable:
                self._note_loss()
                if time.monotonic() + RETRY_SECONDS > give_up_at:
                    raise
            time.sleep(RETRY_SECONDS)

    def _connected(self) -> RawConnection:
        patience = max(CONNECT_SECONDS_MIN, int(self._wait_seconds))
        try:
            raw = psycopg.connect(
                self._url, autocommit=True, cursor_factory=psycopg.RawCursor, connect_timeout=patience
            )
        except psycopg.OperationalError as error:
            raise StoreUnreachable(f"{self.place} cannot be reached: {_reason(error)}.") from error
        raw.server_cursor_factory = psycopg.RawServerCursor
        raw.adapters.register_loader("json", _JsonText)
        raw.adapters.register_loader("json", _JsonBinary)
        # A number that does not fit is refused here; as NUMERIC it would be compared and simply not be found.
        raw.adapters.register_dumper(int, Int8BinaryDumper)
        # To the server, 0 is no limit.
        raw.execute(f"SET search_path = {SCHEMA}; SET lock_timeout = {max(1, int(self._wait_seconds * 1000))}")
        return raw

    def _note_loss(self) -> None:
        with self._guard:
            if self._lost_at is None:
                self._lost_at = time.monotonic()
                _log.warning("%s does not answer; trying again.", self.place)

    def _note_recovery(self) -> None:
        if self._lost_at is not None:
            with self._guard:
                lost_at, self._lost_at = self._lost_at, None
            if lost_at is not None:
                _log.warning("%s answers again after %.1f s.", self.place, time.monotonic() - lost_at)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except HansardError:
            raise
        except UnicodeError:
            raise Invalid("The text of the request is not valid Unicode.") from None
        except OverflowError:
            raise Invalid("A number of the request is out of range.") from None
        except psycopg.Error as error:
            raise self._translated(error) from error

    def _translated(self, error: psycopg.Error) -> HansardError:
        if isinstance(error, psycopg.DataError) and (error.sqlstate is None or isinstance(error, _BAD_VALUES)):
            return Invalid("A value of the request cannot be stored: it holds a NUL byte or is out of range.")
        if isinstance(error, pg.ProgramLimitExceeded):
            return TooLarge("A name or path of the request is longer than PostgreSQL can look up.")
        for kinds, fault, message in _FAULTS:
            if isinstance(error, kinds):
                return fault(message.format(place=self.place))
        self._note_loss()
        return StoreUnreachable(
            f"{self.place} does not answer: {_reason(error)}. What was not confirmed may be missing."
        )


def _reason(error: psycopg.Error) -> str:
    """The first line of what the server or the driver said; neither repeats a password."""
    said = str(error).strip().splitlines() or [type(error).__name__]
    return re.sub(r"^connection (failed|is bad): ", "", " ".join(said[0].split())).rstrip(".")


def _place(url: str) -> str:
    """The database's address without the password. A part of a password must not be taken for a host either."""
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except psycopg.Error:
        parts = {"host": "@"}
    host, port, name = (parts.get(part, "") for part in ("host", "port", "dbname"))
    if "@" in host + name or (port and not port.replace(",", "").isdecimal()):
        raise Invalid(
            "db is no PostgreSQL address; write it as postgresql://user@host:5432/database,"
            " and special characters of a password as %40 for @, %2F for / and so on."
        )
    return f"PostgreSQL {name} at {host or 'this machine'}{port and f':{port}'}"
