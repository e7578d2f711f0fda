"""Owns connections to the file: opening, pragmas, pooling, and what the engine's faults mean."""

import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from hansard.domain.errors import (
    HansardError,
    Invalid,
    StoreBusy,
    StoreCorrupt,
    StoreFull,
    StoreReplaced,
    StoreUnwritable,
    Unavailable,
)
from hansard.store.sql.connection import Pool
from hansard.store.sqlite.flush import Log

MEMORY_PATH = ":memory:"
IDLE_CONNECTIONS_MAX = 16
WRITER_PAGES = 4_096
WHOLE_WAIT = 0.99
"""Whoever had its turn at once waits for the file as connections do anyway."""
_FAULTS: tuple[tuple[tuple[type[apsw.Error], ...], type[Unavailable], str], ...] = (
    ((apsw.BusyError, apsw.LockedError), StoreBusy, "{path} is locked by another process; try again."),
    ((apsw.FullError,), StoreFull, "There is no space left for {path}; nothing was changed."),
    ((apsw.NotADBError,), StoreCorrupt, "{path} is not a Hansard database; choose another path."),
    # Every statement is tested against the schema, so one that the engine refuses met a schema that is not ours.
    ((apsw.CorruptError, apsw.SQLError), StoreCorrupt, "{path} is damaged; restore a backup."),
    (
        (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError, apsw.IOError, apsw.AuthError),
        StoreUnwritable,
        "{path} cannot be opened for writing; check that the folder exists and that you may write there.",
    ),
)
_NO_ROOM_FOR_LOCKS = frozenset({apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_SHMOPEN})


class SqliteConnection(apsw.Connection):
    """A connection, and what SQLite says in its own way."""

    unindexed = "+"
    no_bytes = "x''"
    defer_checks = "PRAGMA defer_foreign_keys = ON"
    unless_taken = ""
    is_makeshift = False
    """Whether it reads without locks because there is no room for them; then it is used once."""
    is_logged: bool | None = None
    """Whether changes go to a log; None until it was asked."""
    refusals: tuple[type[Exception], ...] = (
        apsw.ConstraintError,
        apsw.MismatchError,
        apsw.RangeError,
        UnicodeError,
        OverflowError,
        TypeError,
    )

    def leaves_flushing(self) -> bool:
        """Whether its commits return before they are on the disk, and leave it to the `Log` to see to that."""
        if self.is_logged is None:
            self.is_logged = self.execute("PRAGMA journal_mode").get == "wal"
            if self.is_logged:
                self.execute("PRAGMA synchronous = NORMAL")
        return self.is_logged

    def stream(self, sql: str, values: Sequence[Any]) -> Iterator[Any]:
        return iter(self.execute(sql, values))

    def among(self, column: str, values: Sequence[int]) -> tuple[str, str]:
        return f"{column} IN (SELECT value FROM json_each(?))", json.dumps(list(values))

    def numbered_memories(self, seqs: Sequence[int]) -> tuple[str, str, str]:
        test, bound = self.among("m.seq", seqs)
        return "memories m", f"{test} AND {self.unindexed}m.project_id = ?", bound

    def shared_clock(self, clock: int) -> int:
        """A file is used by one machine, and that has one clock."""
        return clock

    def is_filtered(self, table: str) -> bool:  # noqa: ARG002 - a file knows no row security
        return False

    def row_of(self, table: str, name: str, test: str) -> str:
        return f"{table} {name} ON {test}"

    def elements(self, column: str, name: str) -> str:
        return f"json_each(CASE WHEN json_valid({column}) THEN {column} ELSE '[]' END) {name}"

    def take_numbers(self, project_id: str, count: int) -> int:  # noqa: ARG002 - the insert itself takes them
        return self.taken_numbers(project_id) + 1

    def taken_numbers(self, project_id: str) -> int:  # noqa: ARG002 - all projects share one row of numbers
        last = self.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memories'").get
        return last if isinstance(last, int) else 0

    def columns(self, table: str) -> tuple[str, ...]:
        return tuple(str(row[1]) for row in self.execute(f"PRAGMA table_info({table})"))

    def announce(self, project_id: str) -> None:
        """Nobody is told: whoever waits looks at the file."""

    def schema_problems(self) -> Iterator[str]:
        from hansard.store.sqlite.migrate import SCHEMA_VERSION

        return self.schema_problems_of(SCHEMA_VERSION)

    def schema_problems_of(self, last: int) -> Iterator[str]:
        """What is not as the migrations up to this one left it; each is one sentence."""
        from hansard.store.sqlite import migrate

        wanted, there = _schema(migrate.fresh(last)), _schema(self)
        if not wanted.items() <= there.items():
            yield "the tables, indexes and triggers are not what they should be"
        if any(kind == "trigger" for kind, name in there if (kind, name) not in wanted):
            yield "there is a trigger that is not Hansard's"


class Database(Pool[SqliteConnection]):
    """A pool of connections to one database. One writer at a time inside the process, readers beside it."""

    def __init__(self, path: str, *, busy_seconds: float, archive: bool = False) -> None:
        self.path = path
        self._archive = archive
        # Asked once: what may only be read is not to become writable in the midst of it.
        self.read_only = archive or (path != MEMORY_PATH and _only_readable(path))
        self._busy_seconds = busy_seconds
        self._busy_milliseconds = int(busy_seconds * 1000)
        self._file: tuple[int, int] | None = None
        self._log = Log(path)
        self._idle = []
        self._guard = threading.Lock()
        # An in-memory database lives in its one connection, so its readers queue as well.
        self._reader_gate: threading.Lock | None = threading.Lock() if path == MEMORY_PATH else None
        self._writer_gate = self._reader_gate or threading.Lock()
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[SqliteConnection]:
        if self._reader_gate is None:
            with self._faults(), self._lent() as connection, self._begun(connection, "BEGIN"):
                yield connection
        else:
            with self._reader_gate, self._faults(), self._lent() as connection, self._begun(connection, "BEGIN"):
                yield connection

    @contextmanager
    def writing(self, wait_seconds: float | None = None, *, flushed: bool = True) -> Iterator[SqliteConnection]:
        if self.read_only:
            raise StoreUnwritable(
                f"{self.path} can only be read: the file or its folder is write-protected for you. Nothing was changed."
            )
        # The turn inside the process and the lock on the file are one wait, and end together.
        until = time.monotonic() + (self._busy_seconds if wait_seconds is None else wait_seconds)
        with self._gate_open(until), self._faults(), self._lent(writes=True) as connection:
            is_flushed = not connection.leaves_flushing()
            shortened = wait_seconds is not None or until - time.monotonic() < self._busy_seconds * WHOLE_WAIT
            with self._begun(connection, "BEGIN IMMEDIATE", until if shortened else None):
                yield connection
        if flushed and not is_flushed:
            # Past the gate: the next one writes while this one waits for the disk, and may share its flush.
            self._log.flush()

    @contextmanager
    def _gate_open(self, until: float) -> Iterator[None]:
        if not self._writer_gate.acquire(timeout=max(until - time.monotonic(), 0)):
            raise StoreBusy(f"{self.path} is being written to by another thread; try again.")
        try:
            yield
        finally:
            self._writer_gate.release()

    @contextmanager
    def bare(self) -> Iterator[SqliteConnection]:
        """A connection outside any transaction, for pragmas and migrations."""
        with self._writer_gate, self._faults(), self._lent() as connection:
            yield connection

    def restore_wait(self, connection: apsw.Connection) -> None:
        connection.set_busy_timeout(self._busy_milliseconds)

    @contextmanager
    def _begun(self, connection: SqliteConnection, begin: str, until: float | None = None) -> Iterator[None]:
        if until is None:
            connection.execute(begin)
        else:
            connection.set_busy_timeout(min(int((until - time.monotonic()) * 1000), self._busy_milliseconds))
            try:
                connection.execute(begin)
            finally:
                self.restore_wait(connection)
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            # SQLite rolls back by itself on some faults, a full disk among them.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _lent(self, *, writes: bool = False) -> Iterator[SqliteConnection]:
        with self._guard:
            if self._closed:
                raise Unavailable("This Hansard was closed; open it again.")
            # Looked at each time: what is written to a file that has no name any more is lost.
            if self._file is not None and self._file != _identity(self.path):
                raise StoreReplaced(f"{self.path} was moved, deleted or replaced while it was open; start again.")
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = self._connect(writes=writes)
            self._file = self._file or _identity(self.path)
        try:
            yield connection
            if connection.is_makeshift and _has_content(f"{self.path}-wal"):
                raise StoreBusy(f"{self.path} was written while it was read without locks; try again.")
        finally:
            with self._guard:
                keep = not self._closed and not connection.is_makeshift and len(self._idle) < IDLE_CONNECTIONS_MAX
                if keep:
                    self._idle.append(connection)
            if not keep:
                connection.close()

    def _connect(self, *, writes: bool) -> SqliteConnection:
        if self.read_only or writes or self.path == MEMORY_PATH:
            return self._ready(self._unwritable() if self.read_only else SqliteConnection(self.path))
        connection = SqliteConnection(self.path)
        try:
            self._ready(connection)
            # Nothing is opened before it is read.
            connection.execute("PRAGMA schema_version")
        except (apsw.IOError, apsw.FullError, apsw.CantOpenError):
            connection.close()
            # What stands in the log only can be read by nobody who has no room for the locks.
            if not _has_content(self.path) or _has_content(f"{self.path}-wal"):
                raise
            connection = self._ready(self._immutable())
            connection.is_makeshift = True
        return connection

    def _ready(self, connection: SqliteConnection) -> SqliteConnection:
        connection.set_busy_timeout(self._busy_milliseconds)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        # Freed bytes are overwritten, so that what was forgotten is gone from the file as well.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        # Changes to ten thousand memories fit; by default pages are written and read again before the commit. It is no
        # larger cache: a server has many connections, and each would keep what it has.
        connection.execute(f"PRAGMA cache_spill = {WRITER_PAGES}")
        # Nor are they copied from the log into the file before whoever wrote them goes on.
        connection.execute(f"PRAGMA wal_autocheckpoint = {WRITER_PAGES}")
        # A plan is made once. Otherwise it is made for every call with other values where a table has an index of some
        # rows only: 30 µs instead of 4 for a row by its key.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        connection.create_scalar_function("fold", _fold, 1, deterministic=True)
        return connection

    def _unwritable(self) -> SqliteConnection:
        """The file for reading. Without a lock if nobody can be writing: nothing stands beside it, and nothing can."""
        beside = Path(f"{self.path}-wal")
        if self._archive or not (beside.exists() or os.access(beside.parent, os.W_OK)):
            return self._immutable()
        return SqliteConnection(self.path, flags=apsw.SQLITE_OPEN_READONLY)

    def _immutable(self) -> SqliteConnection:
        where = Path(self.path).absolute().as_uri() + "?immutable=1"
        return SqliteConnection(where, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except HansardError:
            raise
        except (UnicodeDecodeError, apsw.ConstraintError) as error:
            # Our own writes keep every constraint, so a row that breaks one met a database that was changed by hand.
            raise StoreCorrupt(f"{self.path} holds something Hansard did not write; restore a backup.") from error
        except UnicodeEncodeError:
            raise Invalid("The text of the request is not valid Unicode.") from None
        except OverflowError:
            raise Invalid("A number of the request is out of range.") from None
        except apsw.Error as error:
            translated = self._translate(error)
            if translated is None:
                raise
            raise translated from error

    def _translate(self, error: apsw.Error) -> Unavailable | None:
        if getattr(error, "extendedresult", None) in _NO_ROOM_FOR_LOCKS:
            told = f"There is no space left beside {Path(self.path)}; nothing was changed."
            if _has_content(f"{self.path}-wal"):
                told += " Its log holds changes that cannot be read until there is some."
            return StoreFull(told)
        for kinds, fault, message in _FAULTS:
            if isinstance(error, kinds):
                return fault(message.format(path=Path(self.path)))
        return None


def _only_readable(path: str) -> bool:
    """Whether there is a file that may be read and not written. A write needs the folder too: its log goes there."""
    file = Path(path)
    if not file.is_file() or not os.access(file, os.R_OK):
        return False
    return not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))


def _identity(path: str) -> tuple[int, int] | None:
    """Which file is at the path; None if there is none, as for a database in memory."""
    try:
        found = os.stat(path)  # noqa: PTH116 - before every transaction, and twice as fast
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _has_content(path: str) -> bool:
    try:
        return Path(path).stat().st_size > 0
    except OSError:
        return False


def _fold(*arguments: Any) -> str | None:
    return str(arguments[0]).lower() if arguments[0] is not None else None


def _schema(connection: apsw.Connection) -> dict[tuple[str, str], str | None]:
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema")
    return {(kind, name): sql for kind, name, sql in rows}
