"""Owns transactions on the server: one project, one instant, all or nothing, and one writer a project."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hansard.clock import Clock, SystemClock
from hansard.domain.errors import Unavailable
from hansard.domain.identifiers import IdMaker
from hansard.store.postgres import migrate
from hansard.store.postgres.connection import Database, PostgresConnection
from hansard.store.postgres.server_time import SERVER_TIME, ServerTime
from hansard.store.sql.transaction import SqlTransaction, at_clock

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

LOOK_AGAIN_SECONDS = 0.5
ERASE_WAIT_MILLISECONDS = 200
_FOUNDING_LOCK = 0x48_4E_53_46
_CLEANING_LOCK = 0x48_4E_53_43
_CLEANED = (
    "memories, memory_tags, units, vectors, revisions, inbox, decisions, runs, retrievals, ratings, receipts, sessions,"
    " jobs, idempotency_keys"
)
"""The tables that forgetting takes words out of."""
_MAY_CLEAN = """
SELECT bool_and(CASE WHEN current_setting('server_version_num')::int >= 170000
    THEN has_table_privilege(oid, 'MAINTAIN') ELSE pg_has_role(relowner, 'USAGE') END)
FROM pg_class WHERE oid = ANY (SELECT to_regclass(trim(name)) FROM string_to_table(?, ',') name)"""
"""A user without the right is only warned, and nothing is cleaned."""
_PIECES = """
SELECT trim(name), piece.relid::regclass::text, coalesce(pg_get_partition_constraintdef(piece.relid), 'true')
FROM string_to_table(?, ',') name, pg_partition_tree(to_regclass(trim(name))) piece WHERE piece.isleaf"""
"""The partitions of tables, and which rows each of them takes. A table that is whole has none."""
_STILL_SEEN = """
SELECT 1 FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type IS DISTINCT FROM 'autovacuum worker'
    AND (datname = current_database() OR datname IS NULL)
    AND (age(backend_xmin) >= age(?1::xid) OR age(backend_xid) >= age(?1::xid)) LIMIT 1"""
"""Somebody whose view of the data is as old as the transaction that forgot; rows that it may see stay."""


class PostgresStore:
    """The store in one database of a server."""

    is_remote = True

    def __init__(
        self,
        url: str,
        *,
        clock: Clock,
        busy_seconds: float,
        connections_max: int,
        answer_seconds: float | None,
        must_exist: bool,
        as_is: bool = False,
    ) -> None:
        """With `answer_seconds`, no answer is waited for any longer, and opening takes no longer either.

        As it is, opening changes nothing: an older one stays older, and what waits to be cleaned out goes on waiting.
        """
        self._clock, self._answer_seconds = clock, answer_seconds
        # A clock that is not the machine's has nothing to be compared with.
        there = ServerTime() if isinstance(clock, SystemClock) else None
        self._database = Database(url, busy_seconds=busy_seconds, connections_max=connections_max, server_time=there)
        try:
            with self._database.opening(answer_seconds):
                found = migrate.prepare(self._database, must_exist=must_exist, as_is=as_is)
                self.is_new = found == 0
                self.brought_from = found if not as_is and 0 < found < migrate.SCHEMA_VERSION else None
                if answer_seconds is None and not as_is:
                    # Whoever is in a hurry leaves the cleaning to others.
                    self._finish_erasing()
        except BaseException:
            self._database.close()
            raise

    @contextmanager
    def read(self, project_id: str, *, wait_seconds: float | None = None) -> Iterator[SqlTransaction]:
        wait = self._answer_seconds if wait_seconds is None else wait_seconds
        with self._database.reading(wait, project_id=project_id) as connection:
            (last,) = connection.told or (0,)
            yield at_clock(connection, project_id, self._clock.now(), last)

    @contextmanager
    def write(
        self, project_id: str, *, founding: bool = False, wait_seconds: float | None = None, flushed: bool = True
    ) -> Iterator[SqlTransaction]:
        wait = self._answer_seconds if wait_seconds is None else wait_seconds
        with self._database.writing(project_id, wait, flushed=flushed) as connection:
            # Writers of a project queue at its head: each sees all that the one before it wrote.
            head = connection.execute("SELECT at, erasing FROM heads WHERE project_id = ? FOR UPDATE", (project_id,))
            last, erasing = head.fetchone() or (0, 0)
            if founding:
                # Keys and folders of projects are taken one at a time in the whole store. After the head, always:
                # whoever waits for a busy project must not keep the founders of all others waiting.
                connection.execute("SELECT pg_advisory_xact_lock(?)", (_FOUNDING_LOCK,))
            yield at_clock(connection, project_id, self._clock.now(), last, writes=True)
        if erasing:
            # An earlier forgetting, of whichever process, could not be cleaned out then.
            self.erase_traces(project_id, wait_milliseconds=0)

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

    def own_clock(self) -> int:
        with self._database.reading(self._answer_seconds) as connection:
            return int(connection.execute(SERVER_TIME).get)

    def new_id(self) -> str:
        return IdMaker(self._clock.now()).next()

    def erase_traces(self, project_id: str, *, wait_milliseconds: int = ERASE_WAIT_MILLISECONDS) -> bool:
        """Takes what was forgotten out of the tables and indexes.

        No statement can read it after the commit. Its bytes leave the rows and keys with this cleaning, the free space
        of pages as it is filled again, and the server's write-ahead log and its archives as these are recycled; the
        operator's guide says how to hurry that. While somebody reads as of an earlier time, this cannot finish; then
        it stays marked, and the next one to open the store or to write to the project tries again. It raises nothing:
        the change itself is committed, whatever becomes of the cleaning.
        """
        try:
            with self._database.hurried(wait_milliseconds) as connection:
                return _erase(connection, project_id)
        except Unavailable:
            return False

    def _finish_erasing(self) -> None:
        """Tries again what an earlier forgetting could not clean out, as far as this user sees it."""
        with self._database.bare() as connection, connection.promptly():
            rows = connection.execute("SELECT project_id FROM heads WHERE erasing <> 0").fetchall()
        for (project_id,) in rows:
            self.erase_traces(project_id)

    def wait(self, project_id: str, seen: int, timeout_seconds: float) -> None:
        def has_changed() -> bool:
            # One small question: whoever waits for news must not hang on a server that fell silent at it.
            with self.read(project_id, wait_seconds=self._database.patience()) as tx:
                return tx.ledger.head()[0] > seen

        try:
            self._database.listen(project_id, timeout_seconds, has_changed)
        except Unavailable:
            # The server went away, has no connection left, or lets nobody listen, as a replica does; the caller looks
            # again, and learns if it is gone.
            time.sleep(min(LOOK_AGAIN_SECONDS, timeout_seconds))

    def save_to(self, path: str, counted: Counted | None = None) -> None:
        """Writes nothing: a server has no file to copy, so whoever wants one copies the projects."""

    def is_same(self, other: PostgresStore) -> bool:
        """Whether both are one database, whatever their addresses say: only there is a lock met that is held here.

        It takes no right, and a copy of a database on another server has no lock in common with it.
        """
        key = int.from_bytes(os.urandom(8), "big", signed=True)
        with self._database.reading() as ours, other._database.reading() as theirs:
            ours.execute("SELECT pg_advisory_xact_lock(?)", (key,))
            return not theirs.execute("SELECT pg_try_advisory_xact_lock(?)", (key,)).get

    def examine(self, *, full: bool) -> Examined:  # noqa: ARG002 - a server checks its own pages
        from hansard.store.postgres.examine import examine

        return examine(self._database)

    def give_up_after(self, seconds: float) -> None:
        self._database.reach_seconds = seconds

    def stop_waiting(self) -> None:
        self._database.stop_waiting()

    def close(self) -> None:
        self._database.close()


def _enter(connection: PostgresConnection, project_id: str) -> None:
    """Says which project this transaction is about; row-level security, where it is on, shows nothing else."""
    connection.execute("SELECT set_config('hansard.project', ?, true)", (project_id,))


def _places(connection: PostgresConnection, project_id: str) -> str:
    """The tables that forgetting takes words out of; of one that is split, only the part where the project's rows are.

    That the project has no row there now says nothing: those that were deleted are what has to go.
    """
    pieces = connection.execute(_PIECES, (_CLEANED,)).fetchall()
    if not pieces:
        return _CLEANED
    tests = ", ".join(test for *_, test in pieces)
    takes = connection.execute(f'SELECT {tests} FROM (SELECT ?::text COLLATE "C" AS project_id) p', (project_id,))
    mine = [piece for (_, piece, _), hit in zip(pieces, takes.fetchone(), strict=True) if hit is not False]
    split = {table for table, *_ in pieces}
    return ", ".join([table for table in _CLEANED.split(", ") if table not in split] + mine)


def _erase(connection: PostgresConnection, project_id: str) -> bool:
    mine = (project_id,)
    with connection.promptly(), connection.raw.transaction():
        _enter(connection, project_id)
        forgot = connection.execute("SELECT xmin::text FROM heads WHERE project_id = ? AND erasing <> 0", mine).get
        if forgot is None:
            return True
        places = _places(connection, project_id)
        if not connection.execute(_MAY_CLEAN, (places,)).get:
            return False
        if connection.execute(_STILL_SEEN, (forgot,)).get is not None:
            return False
        # Whatever is forgotten during the cleaning sets the mark back, and so is not taken for cleaned.
        connection.execute("UPDATE heads SET erasing = 2 WHERE project_id = ? AND erasing = 1", mine)
    with connection.promptly():
        if not connection.execute("SELECT pg_try_advisory_lock(?)", (_CLEANING_LOCK,)).get:
            return False  # Somebody is cleaning these tables right now; the mark stays for what came meanwhile.
    try:
        # With fresh figures about the tables, or the server plans for empty ones from now on.
        connection.execute(f"VACUUM (ANALYZE, INDEX_CLEANUP ON) {places}")
    finally:
        with connection.promptly():
            connection.execute("SELECT pg_advisory_unlock(?)", (_CLEANING_LOCK,))
    with connection.promptly(), connection.raw.transaction():
        _enter(connection, project_id)
        connection.execute("UPDATE heads SET erasing = 0 WHERE project_id = ? AND erasing = 2", mine)
    return True
