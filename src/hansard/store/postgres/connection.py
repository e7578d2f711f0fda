"""Owns connections to the server: the pool, what a session sets, losing the server, and what its faults mean."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from itertools import count
from typing import Any, TypeAlias
from weakref import WeakSet

import psycopg
from psycopg import errors as pg
from psycopg.pq import TransactionStatus
from psycopg.sql import Literal

from hansard.domain.errors import (
    Invalid,
    StoreBusy,
    StoreStarting,
    StoreUnreachable,
    StoreUnwritable,
    Unavailable,
)
from hansard.store.postgres import forks
from hansard.store.postgres.address import place_of
from hansard.store.postgres.faults import explained, translating
from hansard.store.postgres.idle import Idle
from hansard.store.postgres.line import SESSION, Line, hosts_of, lasting, lock_timeout
from hansard.store.postgres.outage import Outage
from hansard.store.postgres.refusal import Refusals, reason_of
from hansard.store.postgres.rows import PostgresRows, execute_all, numbered
from hansard.store.postgres.server_time import ServerTime
from hansard.store.postgres.slots import Slots
from hansard.store.sql.connection import Pool
from hansard.store.sql.rows import lost_head

CHANNEL = "hansard"
LOOK_SECONDS = 5.0
"""How often whoever waits for a call looks by itself: a call is lost with the process that should have made it."""
CONNECT_SECONDS_MIN = 2
DEAF_SECONDS = 60.0
"""How long a standby, which lets nobody listen, is not asked again."""
STALE_SHARE = 1 / 3
"""Of the time to wait, what an idle connection gets to answer; the rest is for a new one. A network drops idle ones."""
RETRY_SECONDS, LIMIT_RETRY_SECONDS = 0.1, 0.5
STREAM_ROWS = 2_000
WRITER_IDLE_SECONDS_MAX = 25
"""A writer that stands still for longer, as on a machine that was suspended, is undone by the server. It is less than
others wait for a project by default, so that they go on instead of giving up."""
_ENTER = "SELECT set_config('hansard.project', {}, true)"
"""Says which project a transaction is about; row-level security, where it is on, shows nothing else."""
_LOCK_SHORTLY = lock_timeout(300, "LOCAL ")
"""A table that somebody locks is no silence: the server says so before it is given up, and is asked again."""
_PATIENT: AbstractContextManager[None] = nullcontext()
_streams = count(1)

RawConnection: TypeAlias = Line


class PostgresConnection:
    """A connection, and what PostgreSQL says in its own way."""

    unindexed = ""
    no_bytes = "''::bytea"
    defer_checks = "SET CONSTRAINTS ALL DEFERRED"
    unless_taken = " FOR UPDATE SKIP LOCKED"
    refusals: tuple[type[Exception], ...] = (
        psycopg.DataError,
        psycopg.IntegrityError,
        pg.CannotCoerce,
        pg.DatatypeMismatch,
        UnicodeError,
        OverflowError,
    )

    def __init__(self, raw: RawConnection, database: Database, wait_seconds: float | None = None) -> None:
        self.raw, self._database, self._wait_seconds = raw, database, wait_seconds
        self.announced: str | None = None
        self.told: tuple[Any, ...] | None = None
        """What the server answered when the transaction began."""

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> PostgresRows:
        with self.awaiting():
            return PostgresRows(self.raw.execute(numbered(sql), values, binary=True))

    def executemany(self, sql: str, rows: Iterable[Any], /) -> None:
        with self.awaiting(), self.raw.cursor() as cursor:
            execute_all(cursor, sql, rows)

    def promptly(self) -> AbstractContextManager[None]:
        """Around questions to the server that need no work: a silent one is given up."""
        return self.raw.within(self._database.patience())

    def awaiting(self) -> AbstractContextManager[None]:
        """Around each question to the server: whoever is in a hurry waits only so long for its answer."""
        if self._wait_seconds is None:
            return _PATIENT
        return self.raw.within(self._wait_seconds)

    def stream(self, sql: str, values: Sequence[Any]) -> Iterator[Any]:
        # A name of its own: one that was left half read is closed late, and must not take another with it.
        with self.raw.cursor(f"stream_{next(_streams)}", withhold=False) as cursor:
            with self.awaiting():
                cursor.execute(numbered(sql), values, binary=True)
            while True:
                with self.awaiting():
                    rows = cursor.fetchmany(STREAM_ROWS)
                if not rows:
                    break
                yield from rows

    def among(self, column: str, values: Sequence[int]) -> tuple[str, Any]:
        return f"{column} = ANY(?::bigint[])", list(values)

    def numbered_memories(self, seqs: Sequence[int]) -> tuple[str, str, Any]:
        # The project as a row, too: of a constant that statistics do not know no rows are expected, whatever the index.
        wanted = 'unnest(?::bigint[]) AS w(seq) CROSS JOIN (SELECT ?::text COLLATE "C" AS id OFFSET 0) p JOIN '
        return wanted + self.row_of("memories", "m", "m.seq = w.seq AND m.project_id = p.id"), "TRUE", list(seqs)

    def shared_clock(self, clock: int) -> int:
        time_there = self._database.server_time
        return clock if time_there is None else time_there.now(self)

    def is_filtered(self, table: str) -> bool:
        return bool(self.execute("SELECT row_security_active(?::regclass)", (table,)).get)

    def row_of(self, table: str, name: str, test: str) -> str:
        # OFFSET 0 keeps the planner from joining in another way. Of a project that is newer than its statistics it
        # expects no rows, and then takes comparing all with all for the cheapest join.
        return f"LATERAL (SELECT * FROM {table} {name} WHERE {test} OFFSET 0) {name} ON TRUE"

    def elements(self, column: str, name: str) -> str:
        return f"elements({column}) AS {name}(value)"

    def take_numbers(self, project_id: str, count: int) -> int:
        last = self.execute(
            "UPDATE heads SET memories = memories + ? WHERE project_id = ? RETURNING memories", (count, project_id)
        ).get
        if not isinstance(last, int):
            raise lost_head()
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
        from hansard.store.postgres.migrate import problems

        return problems(self, self._database)


class Database(Pool[RawConnection]):
    """A pool of connections to one database. Writers of different projects never wait for each other.

    A process that was forked begins with an empty pool, and cannot reach the connections of its parent.
    """

    def __init__(
        self, url: str, *, busy_seconds: float, connections_max: int, server_time: ServerTime | None = None
    ) -> None:
        self.place, self._url, self._wait_seconds = place_of(url), url, busy_seconds
        self._connections_max, self.server_time = connections_max, server_time
        self._refusals = Refusals(url, self.place)
        self._closed = self._waits_no_more = False
        self.reach_seconds: float | None = None
        """How long a server that does not answer is waited for, if that is less than for one that is busy."""
        self._made: WeakSet[RawConnection] = WeakSet()
        self._start_pool()
        forks.watch(self)

    def _start_pool(self) -> None:
        self._idle = []
        self._slots = Slots(self._connections_max, self.place)
        self._guard = threading.Lock()
        self._resting = Idle(self._guard, self._idle)
        self._deaf_until = 0.0
        self._open_by: float | None = None
        self.sketching = threading.Lock()
        """Held by whoever has the server make a schema to look at: once is enough for a process."""
        self._returned = threading.Condition(self._guard)
        self._outage = Outage(self.place)

    def part_from_parent(self) -> None:
        """In a forked child: two processes on one connection would read each other's answers."""
        # The locks are new as well: threads that the child lacks may hold them.
        forks.let_go(self._made)
        self._made = WeakSet()
        self._start_pool()

    @contextmanager
    def opening(self, seconds: float | None) -> Iterator[None]:
        """Reaches the server once, so that a wrong address, name or password is told for what it is.

        All that is asked until it is open shares one time: a server that falls silent now and then adds no waits up.
        """
        if seconds is None:
            seconds = self._wait_seconds + CONNECT_SECONDS_MIN
        self._open_by = time.monotonic() + seconds
        with self._faults():
            by = time.monotonic() + self._wait_seconds
            self._take_back(self._reached(by, by, (StoreBusy, StoreStarting))[0])
        yield
        self._open_by = None

    def stop_waiting(self) -> None:
        """From now on nobody waits for a server that is away. It takes no lock: a signal may call it."""
        self._waits_no_more = True

    def close(self) -> None:
        self.stop_waiting()
        with self._guard:
            self._closed = True
            idle = self._resting.clear()
        for raw in idle:
            raw.close()

    @contextmanager
    def reading(
        self, wait_seconds: float | None = None, *, project_id: str | None = None
    ) -> Iterator[PostgresConnection]:
        """One about a project has asked when that last changed, as it began: each question is a way to go."""
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        if project_id is not None:
            place = Literal(project_id).as_string()
            begin += f"; {_LOCK_SHORTLY}; {_ENTER.format(place)}; SELECT at FROM heads WHERE project_id = {place}"
            begin += f"; {lock_timeout(self._wait_milliseconds, 'LOCAL ')}"
        with self._transaction(begin, wait_seconds, reads=True) as connection:
            yield connection

    @contextmanager
    def writing(
        self, project_id: str, wait_seconds: float | None = None, *, flushed: bool = True
    ) -> Iterator[PostgresConnection]:
        begin = (
            f"BEGIN ISOLATION LEVEL READ COMMITTED; {_ENTER.format(Literal(project_id).as_string())};"
            f" SET LOCAL idle_in_transaction_session_timeout = {int(WRITER_IDLE_SECONDS_MAX * 1000)}"
        )
        if not flushed:
            begin += "; SET LOCAL synchronous_commit = off"
        with self._transaction(begin, wait_seconds) as connection:
            yield connection

    @contextmanager
    def bare(self) -> Iterator[PostgresConnection]:
        """A connection outside any transaction, for migrations, cleaning and listening."""
        with self._faults(), self._lent() as raw:
            yield PostgresConnection(raw, self)

    @contextmanager
    def apart(self) -> Iterator[PostgresConnection]:
        """One more, for somebody who holds one: where all who hold one waited for another, nobody would go on."""
        with self._faults():
            raw = self._begun("SELECT 1", self._wait_seconds, None)
            try:
                yield PostgresConnection(raw, self)
            finally:
                self._take_back(raw)

    @contextmanager
    def hurried(self, wait_milliseconds: int) -> Iterator[PostgresConnection]:
        """A bare connection for somebody who would rather give up than wait longer than this for anything."""
        with self._faults(), self._lent(wait_seconds=wait_milliseconds / 1000) as raw:
            with raw.within(self.patience()):
                raw.execute(lock_timeout(wait_milliseconds))
            try:
                yield PostgresConnection(raw, self)
            finally:
                # A connection that was lost meanwhile is not lent again.
                with suppress(psycopg.Error), raw.within(self.patience()):
                    raw.execute(lock_timeout(self._wait_milliseconds))

    @contextmanager
    def _transaction(
        self, begin: str, wait_seconds: float | None, *, reads: bool = False
    ) -> Iterator[PostgresConnection]:
        cut_at = None
        if wait_seconds is not None:
            cut_at = time.monotonic() + wait_seconds
            # Sooner than the cut: a lock that somebody holds is told as what it is, and the connection lives on.
            begin += f"; {lock_timeout(int(min(wait_seconds * 0.8, self._wait_seconds) * 1000), 'LOCAL ')}"
        with self._faults(), self._lent(begin, wait_seconds, cut_at, writes=not reads) as raw:
            connection = PostgresConnection(raw, self, wait_seconds)
            connection.told = raw.told
            try:
                yield connection
                # The end of a reader needs no work; that of a writer may wait for a disk, or for a replica.
                with connection.promptly() if reads and wait_seconds is None else connection.awaiting():
                    raw.execute("COMMIT")
            except BaseException:
                # Where the server was lost there is nothing to undo, and the first fault is the one to tell.
                with suppress(psycopg.Error), raw.within(self.patience()):
                    raw.execute("ROLLBACK")
                raise
            if connection.announced is not None:
                # After the commit: inside it, writers of all projects would queue for the channel until the disk
                # has answered. Whoever misses a call looks again by itself.
                with suppress(psycopg.Error), raw.within(self.patience(wait_seconds)):
                    raw.execute("SELECT pg_notify($1, $2)", (CHANNEL, connection.announced))

    def listen(self, project_id: str, timeout_seconds: float, is_over: Callable[[], bool]) -> None:
        """Waits for a call about the project. Asks once more after it began to listen, so that none is missed.

        Raises StoreUnreachable if the line was lost. It is idle all the time, so that says nothing of the server.
        """
        with translating(self.place):
            raw = self._listener()
            try:
                # What came between two waits is looked for in the record.
                for _ in raw.notifies(timeout=0):
                    pass
                until = time.monotonic() + timeout_seconds
                while not is_over() and (left := until - time.monotonic()) > 0:
                    # Closed here and not by chance: until then it holds the lock of the line that the next wait takes.
                    with closing(raw.notifies(timeout=min(left, LOOK_SECONDS))) as calls:
                        if any(call.payload == project_id for call in calls):
                            break
            except BaseException:
                raw.close()
                raise
            self._take_back(raw, listens=True)

    def _listener(self) -> RawConnection:
        """A connection that listens. It is kept between waits: there may be one wait for each event."""
        with self._guard:
            raw = self._resting.take_listener()
        if raw is not None:
            return raw
        if time.monotonic() < self._deaf_until:
            raise StoreUnwritable(f"{self.place} is a replica, where nobody can listen.")
        raw = self._connected()
        try:
            with raw.within(self.patience()):
                raw.execute(f"LISTEN {CHANNEL}")
        except BaseException as error:
            raw.close()
            if isinstance(error, pg.ReadOnlySqlTransaction):
                self._deaf_until = time.monotonic() + DEAF_SECONDS
            raise
        return raw

    @contextmanager
    def _lent(
        self,
        begin: str = "SELECT 1",
        wait_seconds: float | None = None,
        cut_at: float | None = None,
        *,
        writes: bool = False,
    ) -> Iterator[RawConnection]:
        wait_seconds = self._wait_seconds if wait_seconds is None else wait_seconds
        with self._slots.held(wait_seconds, self._outage.look, writes=writes):
            raw = self._begun(begin, wait_seconds, cut_at)
            try:
                yield raw
            finally:
                self._take_back(raw)

    def _begun(self, begin: str, wait_seconds: float, cut_at: float | None) -> RawConnection:
        """A connection that answers. Where others wait for the caller, what one of them heard is enough for all."""
        reach = self.reach_seconds
        with nullcontext() if reach is None else self._outage.shared(reach), self._faults():
            raw = self._answering(begin, wait_seconds, cut_at)
        self._outage.end()
        return raw

    def _answering(self, begin: str, wait_seconds: float, cut_at: float | None) -> RawConnection:
        """After a restart of the server every idle connection is dead, and is replaced.

        An idle one that is silent, a new one and its first answer share one time.
        """
        began, reach = time.monotonic(), self.reach_seconds
        busy_by, away_by = began + wait_seconds, began + (wait_seconds if reach is None else min(wait_seconds, reach))
        while True:
            raw, fresh = self._reached(busy_by, away_by, (StoreBusy, StoreUnreachable))
            left = self.patience(away_by - time.monotonic())
            try:
                with raw.within(left if fresh else self.patience(wait_seconds) * STALE_SHARE):
                    raw.begin(begin)
            except pg.LockNotAvailable:
                with raw.within(left):
                    raw.execute("ROLLBACK")
                self._take_back(raw)
                if time.monotonic() >= (busy_by if cut_at is None else min(busy_by, cut_at)):
                    raise
            except psycopg.OperationalError as error:
                raw.close()
                if explained(error, self.place) is not None:
                    raise
                self._drop_idle()
                if fresh or (cut_at is not None and time.monotonic() >= cut_at):
                    raise
            except BaseException:
                raw.close()
                raise
            else:
                return raw

    def _drop_idle(self) -> None:
        """Closes what was idle while one of them was lost: each would have to be waited for."""
        with self._guard:
            lost, self._idle[:] = list(self._idle), []
        for raw in lost:
            raw.close()

    def _take_back(self, raw: RawConnection, *, listens: bool = False) -> None:
        with self._guard:
            keep = not self._closed and raw.info.transaction_status == TransactionStatus.IDLE
            if keep:
                self._resting.add(raw, listens=listens)
                self._returned.notify()
        if not keep:
            raw.close()

    def _taken(self) -> RawConnection | None:
        if self._closed:
            raise Unavailable("This Hansard was closed; open it again.")
        return self._idle.pop() if self._idle else None

    def _reached(
        self, busy_by: float, away_by: float, waits_for: tuple[type[Unavailable], ...]
    ) -> tuple[RawConnection, bool]:
        """An idle connection or a new one, whichever comes first, and whether it is new.

        A server that does not answer may just be starting again, and one that gives no more connections may get some
        back: both are waited for.
        """
        with self._guard:
            raw = self._taken()
        while raw is None:
            tried_at = time.monotonic()
            try:
                return self._connected(away_by - tried_at), True
            except waits_for as error:
                busy = isinstance(error, StoreBusy)
                if not busy:
                    self._outage.begin()
                now = time.monotonic()
                left = (busy_by if busy else away_by) - now
                # The next try may take as long as this one: to a silent server it is the last.
                if left < max(RETRY_SECONDS, now - tried_at) or self._waits_no_more:
                    raise
            with self._returned:
                # Asking again is dear where there is a limit, and one that comes back wakes somebody at once.
                self._returned.wait_for(lambda: self._idle, min(left, LIMIT_RETRY_SECONDS if busy else RETRY_SECONDS))
                raw = self._taken()
        return raw, False

    def _connected(self, wait_seconds: float | None = None) -> RawConnection:
        began, patience = time.monotonic(), self.patience(wait_seconds)
        if not patience:
            raise StoreUnreachable(f"{self.place} does not answer: it was silent for too long.")
        try:
            # Whatever the address or the environment says: text is sent and read as UTF-8.
            raw = Line.connect(
                lasting(self._url), autocommit=True, cursor_factory=psycopg.RawCursor, client_encoding="UTF8",
                connect_timeout=max(CONNECT_SECONDS_MIN, int(patience / hosts_of(self._url))),
            )  # fmt: skip
        except psycopg.OperationalError as error:
            raise self._refusals.explained(error) from error
        except psycopg.ProgrammingError as error:
            # The driver checks a few parameters itself.
            raise Invalid(f"db has a parameter that cannot be used: {reason_of(error)}. Correct the address.") from None
        self._made.add(raw)
        raw.use_own_types()
        try:
            with raw.within(self.patience(began + patience - time.monotonic())):
                raw.execute(f"{SESSION}; {lock_timeout(self._wait_milliseconds)}")
        except BaseException:
            raw.close()
            raise
        return raw

    def patience(self, wait_seconds: float | None = None) -> float:
        """How long an answer is waited for that needs no work."""
        wait = self._wait_seconds if wait_seconds is None else wait_seconds
        patience = max(CONNECT_SECONDS_MIN, wait if self.reach_seconds is None else min(wait, self.reach_seconds))
        if self._open_by is None:
            return patience
        return max(0.0, min(patience, self._open_by - time.monotonic()))

    @property
    def _wait_milliseconds(self) -> int:
        return int(self._wait_seconds * 1000)

    def _faults(self) -> AbstractContextManager[None]:
        return translating(self.place, self._outage)
