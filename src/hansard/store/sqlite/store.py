"""Owns transactions on the SQLite file: one project, one instant, all or nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from hansard.clock import Clock
from hansard.domain.errors import StoreCorrupt, StoreFull, StoreUnwritable, Unavailable
from hansard.domain.identifiers import IdMaker
from hansard.domain.places import SIDE_FILES
from hansard.store.sql.rows import lost_head
from hansard.store.sql.tables import TABLES
from hansard.store.sql.transaction import SqlTransaction, at_clock
from hansard.store.sqlite import migrate
from hansard.store.sqlite.connection import MEMORY_PATH, Database

if TYPE_CHECKING:
    from hansard.domain.findings import Examined
    from hansard.store.ports import Counted, Transaction
    from hansard.store.sql.guard import SqlGuard
    from hansard.store.sql.idempotency import SqlAnswers
    from hansard.store.sql.jobs import SqlJobs
    from hansard.store.sql.past import SqlPast
    from hansard.store.sql.receipts import SqlReceipts
    from hansard.store.sql.tables import SqlTables
    from hansard.store.sql.tokens import SqlTokens

ERASE_WAIT_MILLISECONDS = 2_000
LOOK_SECONDS = 0.2
PAGES_A_STEP = 1_024
ARCHIVED_SETTINGS = "archived_settings"
"""A table that only backups have."""
ARCHIVED_SETTINGS_MAX = 1_000


class SqliteStore:
    """The store on one file, or in memory."""

    is_remote = False

    def __init__(self, path: str, *, clock: Clock, busy_seconds: float, as_is: bool = False) -> None:
        """As it is, opening changes nothing: an older one stays older, and nothing is cleaned out."""
        self._clock = clock
        self._unfinished: set[str] = set()
        self._database = Database(_usable(path), busy_seconds=busy_seconds)
        found = migrate.prepare(self._database, as_is=as_is)
        self.is_new = found == 0
        self.brought_from = found if not as_is and 0 < found < migrate.SCHEMA_VERSION else None
        if not (as_is or self._database.read_only):
            self.finish_erasing()

    @contextmanager
    def read(self, project_id: str, *, wait_seconds: float | None = None) -> Iterator[SqlTransaction]:  # noqa: ARG002
        # Readers of a file wait for nobody.
        with self._database.reading() as connection:
            yield at_clock(connection, project_id, self._clock.now(), self._last_change(connection, project_id))

    @contextmanager
    def write(
        self,
        project_id: str,
        *,
        founding: bool = False,  # noqa: ARG002
        wait_seconds: float | None = None,
        flushed: bool = True,
    ) -> Iterator[SqlTransaction]:
        # Founding needs no lock of its own: a file has one writer for all projects.
        with self._database.writing(wait_seconds, flushed=flushed) as connection:
            last = self._last_change(connection, project_id)
            yield at_clock(connection, project_id, self._clock.now(), last, writes=True)
        if project_id in self._unfinished:
            self.erase_traces(project_id, wait_milliseconds=0)

    @staticmethod
    def _last_change(connection: apsw.Connection, project_id: str) -> int:
        """When the project last changed: a clock that was set back must not put anything before it."""
        last = connection.execute("SELECT at FROM heads WHERE project_id = ?", (project_id,)).get
        return last if isinstance(last, int) else 0

    def tables(self, tx: Transaction) -> SqlTables:
        assert isinstance(tx, SqlTransaction), "a transaction of this store"
        return tx.tables

    def jobs(self, tx: Transaction) -> SqlJobs:
        assert isinstance(tx, SqlTransaction), "a transaction of this store"
        return tx.jobs

    def receipts(self, tx: Transaction) -> SqlReceipts:
        assert isinstance(tx, SqlTransaction), "a transaction of this store"
        return tx.receipts

    def guard(self, tx: Transaction) -> SqlGuard:
        assert isinstance(tx, SqlTransaction), "a transaction of this store"
        return tx.guard

    def answers(self, tx: Transaction) -> SqlAnswers:
        assert isinstance(tx, SqlTransaction), "a transaction of this store"
        return tx.answers

    def tokens(self, tx: Transaction) -> SqlTokens:
        assert isinstance(tx, SqlTransaction), "a transaction of this store"
        return tx.tokens

    def clock(self, tx: Transaction) -> int:
        assert isinstance(tx, SqlTransaction), "a transaction of this store"
        return tx.clock

    def past(self, tx: Transaction, at: int, *, now: int) -> SqlPast:
        assert isinstance(tx, SqlTransaction), "a transaction of this store"
        return tx.past(at, now)

    def own_clock(self) -> int | None:
        """None: a file has no clock."""

    def new_id(self) -> str:
        return IdMaker(self._clock.now()).next()

    def erase_traces(self, project_id: str, *, wait_milliseconds: int = ERASE_WAIT_MILLISECONDS) -> bool:
        """Rewrites the file without what was forgotten, and empties the write-ahead log.

        Overwriting freed bytes is not enough: pages that were rebalanced keep old ones in their slack. While another
        process reads, this cannot finish; then it stays marked, and the next one to open or to forget tries again. It
        raises nothing: the change itself is committed, whatever becomes of the cleaning.
        """
        try:
            finished = self._erase(project_id, wait_milliseconds)
        except Unavailable:
            finished = False
        (self._unfinished.discard if finished else self._unfinished.add)(project_id)
        return finished

    def _erase(self, project_id: str, wait_milliseconds: int) -> bool:
        with self._database.bare() as connection:
            marked = "SELECT 1 FROM heads WHERE project_id = ? AND erasing <> 0"
            if connection.execute(marked, (project_id,)).get is None:
                return True
            try:
                connection.set_busy_timeout(wait_milliseconds)
                # Whatever is forgotten during the cleaning sets the mark back, and so is not taken for cleaned.
                connection.execute("UPDATE heads SET erasing = 2 WHERE project_id = ?", (project_id,))
                connection.execute("VACUUM")
                busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
                if not busy:
                    done = "UPDATE heads SET erasing = 0 WHERE project_id = ? AND erasing = 2"
                    connection.execute(done, (project_id,))
                return not busy
            finally:
                self._database.restore_wait(connection)

    def finish_erasing(self) -> None:
        """Tries again what an earlier forgetting could not clean out."""
        with self._database.bare() as connection:
            rows = connection.execute("SELECT project_id FROM heads WHERE erasing <> 0").fetchall()
        for row in rows:
            self.erase_traces(str(row[0]))

    def wait(self, project_id: str, seen: int, timeout_seconds: float) -> None:
        until = time.monotonic() + timeout_seconds
        while time.monotonic() < until:
            with self._database.reading() as connection:
                seq = connection.execute("SELECT seq FROM heads WHERE project_id = ?", (project_id,)).get
            if seq is None:
                raise lost_head()
            if seq > seen:
                return
            time.sleep(min(LOOK_SECONDS, max(0.0, until - time.monotonic())))

    def save_to(self, path: str, counted: Counted | None = None) -> dict[str, int]:
        """Copies the whole database to a new file as it stands now, while others write, and counts its rows."""
        with self._database.reading() as source:
            # The first read fixes what is seen: else every write of another process would begin the copy again.
            rows = _rows(source)
            with _target(path) as copy:
                _copy_pages(source, copy, counted)
                _end_leases(copy)
                _drop_answers(copy)
        return rows

    def examine(self, *, full: bool) -> Examined:
        from hansard.store.sqlite.examine import examine

        return examine(self._database, full=full)

    def give_up_after(self, seconds: float) -> None:
        """A file answers."""

    def stop_waiting(self) -> None:
        """A file is never away."""

    def close(self) -> None:
        self._database.close()


def load_archive(archive: str, path: str, counted: Counted | None = None) -> dict[str, int]:
    """Copies a backup to a new file, ready for use, and counts its rows. The backup is not touched, not even locked.

    Raises StoreUnwritable, StoreCorrupt or StoreNewer if it cannot be read, is none, or is not whole.
    """
    database = Database(archive, busy_seconds=0, archive=True)
    with closing(database), database.reading() as source:
        if migrate.version(source, archive) == 0:
            raise StoreCorrupt(f"{archive} holds nothing; it is no backup of Hansard.")
        rows = _rows(source)
        with _target(path) as copy:
            _copy_pages(source, copy, counted)
            _end_leases(copy)
            copy.execute(f"DROP TABLE IF EXISTS {ARCHIVED_SETTINGS}")
            copy.execute("PRAGMA journal_mode = WAL")
    return rows


def seal_archive(path: str, settings: Mapping[str, str]) -> None:
    """Makes the database one file that needs no other beside it, not even to be read, and lays settings into it."""
    with _target(path) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {ARCHIVED_SETTINGS}")
        connection.execute(f"CREATE TABLE {ARCHIVED_SETTINGS} (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        connection.executemany(f"INSERT INTO {ARCHIVED_SETTINGS} (name, value) VALUES (?, ?)", settings.items())
        connection.execute("PRAGMA journal_mode = DELETE")


def archived_settings(archive: str) -> dict[str, str]:
    """What `seal_archive` laid in; nothing in a database that is no backup."""
    database = Database(archive, busy_seconds=0, archive=True)
    with closing(database), database.reading() as source:
        if source.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (ARCHIVED_SETTINGS,)).get is None:
            return {}
        rows = source.execute(
            f"SELECT name, value FROM {ARCHIVED_SETTINGS} ORDER BY name LIMIT {ARCHIVED_SETTINGS_MAX}"
        )
        return {str(name): str(value) for name, value in rows}


@contextmanager
def _target(path: str) -> Iterator[apsw.Connection]:
    """A connection to a file that nobody else has; what the disk says of it is told as such."""
    folder = Path(path).parent
    try:
        _reserve(Path(path))
    except OSError as error:
        raise StoreUnwritable(f"{folder} cannot be written: {error.strerror}.") from error
    try:
        with closing(apsw.Connection(path)) as connection:
            yield connection
    except apsw.FullError as error:
        raise StoreFull(f"There is no space left in {folder}; nothing was changed.") from error
    except (apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError) as error:
        raise StoreUnwritable(f"{folder} cannot be written: {error}.") from error


def _rows(connection: apsw.Connection) -> dict[str, int]:
    """How many rows each table has, of those that this version of the schema has."""
    there = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    # A token for all projects belongs to none of them, and copies are counted by project.
    only = {"tokens": " WHERE project_id <> ''"}
    return {
        name: int(str(connection.execute(f"SELECT count(*) FROM {name}{only.get(name, '')}").get))
        for name in TABLES
        if name in there
    }


def _end_leases(copy: apsw.Connection) -> None:
    """Nobody is at work on a copy, whoever was at work on the original."""
    if copy.execute("SELECT 1 FROM sqlite_schema WHERE name = 'jobs'").get is not None:
        copy.execute("UPDATE jobs SET holder = NULL, lease_until = 0 WHERE holder IS NOT NULL")


def _drop_answers(copy: apsw.Connection) -> None:
    """Nobody repeats a request to a copy, and the answers repeat what the records say."""
    if copy.execute("SELECT 1 FROM sqlite_schema WHERE name = 'idempotency_keys'").get is not None:
        copy.execute("PRAGMA secure_delete = ON").fetchall()
        copy.execute("DELETE FROM idempotency_keys")


def _copy_pages(source: apsw.Connection, copy: apsw.Connection, counted: Counted | None) -> None:
    with copy.backup("main", source, "main") as pages:
        while not pages.done:
            pages.step(PAGES_A_STEP)
            if counted is not None:
                counted(pages.page_count - pages.remaining, pages.page_count)


def _usable(path: str) -> str:
    if path == MEMORY_PATH:
        return path
    file = Path(path)
    try:
        if file.is_dir():
            raise StoreUnwritable(f"{path} is a folder; name a file in it.")
        for side in SIDE_FILES:
            owner = path.removesuffix(side)
            if owner != path and Path(owner).is_file():
                raise StoreUnwritable(f"{path} would be a part of the database {owner}; choose another name.")
        if not file.parent.is_dir():
            file.parent.parent.mkdir(parents=True, exist_ok=True)
            file.parent.mkdir(mode=0o700, exist_ok=True)
        _reserve(file)
    except OSError as error:
        raise StoreUnwritable(f"{path} cannot be used: {error.strerror}.") from error
    return str(file.absolute())


def _reserve(file: Path) -> None:
    """Makes a missing file one that only its owner reads; SQLite gives the files beside it the same rights."""
    if file.exists():
        return
    with suppress(FileExistsError):
        # A link to a file that is not there yet: SQLite would make it, and for everybody to read.
        real = os.path.realpath(file)
        os.close(os.open(real, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
