"""Owns transactions on the SQLite file: one project, one instant, all or nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from hansard.clock import Clock
from hansard.domain.errors import StoreUnwritable
from hansard.domain.identifiers import IdMaker
from hansard.store.sql.transaction import SqlTransaction
from hansard.store.sqlite import migrate
from hansard.store.sqlite.connection import MEMORY_PATH, Database

if TYPE_CHECKING:
    from hansard.store.ports import Transaction
    from hansard.store.sql.tables import SqlTables

ERASE_WAIT_MILLISECONDS = 2_000
LOOK_SECONDS = 0.2


class SqliteStore:
    """The store on one file, or in memory."""

    def __init__(self, path: str, *, clock: Clock, busy_seconds: float) -> None:
        self._clock = clock
        self._unfinished: set[str] = set()
        self._database = Database(_usable(path), busy_seconds=busy_seconds)
        migrate.prepare(self._database)
        self.finish_erasing()

    @contextmanager
    def read(self, project_id: str) -> Iterator[SqlTransaction]:
        with self._database.reading() as connection:
            yield SqlTransaction(
                connection, project_id, max(self._clock.now(), self._last_change(connection, project_id))
            )

    @contextmanager
    def write(self, project_id: str, *, founding: bool = False) -> Iterator[SqlTransaction]:  # noqa: ARG002
        # Founding needs no lock of its own: a file has one writer for all projects.
        with self._database.writing() as connection:
            now = max(self._clock.now(), self._last_change(connection, project_id) + 1)
            yield SqlTransaction(connection, project_id, now)
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

    def new_id(self) -> str:
        return IdMaker(self._clock.now()).next()

    def erase_traces(self, project_id: str, *, wait_milliseconds: int = ERASE_WAIT_MILLISECONDS) -> bool:
        """Rewrites the file without what was forgotten, and empties the write-ahead log.

        Overwriting freed bytes is not enough: pages that were rebalanced keep old ones in their slack. While another
        process reads, this cannot finish; then it stays marked, and the next one to open or to forget tries again.
        """
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
                if busy:
                    self._unfinished.add(project_id)
                    return False
                connection.execute("UPDATE heads SET erasing = 0 WHERE project_id = ? AND erasing = 2", (project_id,))
                self._unfinished.discard(project_id)
            except apsw.BusyError:
                self._unfinished.add(project_id)
                return False
            finally:
                self._database.restore_wait(connection)
        return True

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
            if seq is None or seq > seen:
                return
            time.sleep(min(LOOK_SECONDS, max(0.0, until - time.monotonic())))

    def close(self) -> None:
        self._database.close()


def _usable(path: str) -> str:
    if path == MEMORY_PATH:
        return path
    file = Path(path)
    try:
        if file.is_dir():
            raise StoreUnwritable(f"{path} is a folder; name a file in it.")
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnwritable(f"{path} cannot be used: {error.strerror}.") from error
    return str(file.absolute())
