"""Owns the version of the schema: replays the numbered migrations that a database has not seen yet."""

import apsw

from hansard.domain.errors import StoreCorrupt, StoreNewer, StoreUnwritable, UnknownStore
from hansard.store.sqlite.connection import MEMORY_PATH, Database

APPLICATION_ID = 0x48_4E_53_44  # "HNSD"


def migrations() -> tuple[tuple[int, str], ...]:
    """Number and SQL of every migration, in order."""
    from importlib import resources

    folder = resources.files("hansard.store.sqlite") / "migrations"
    files = sorted((item for item in folder.iterdir() if item.name.endswith(".sql")), key=lambda item: item.name)
    return tuple((int(item.name[:4]), item.read_text(encoding="utf-8")) for item in files)


SCHEMA_VERSION = 13
"""The number of the newest migration; a test keeps it in step with the folder."""


def fresh(last: int = SCHEMA_VERSION) -> apsw.Connection:
    """An empty database with the schema that the migrations up to this one make, to compare others with."""
    connection = apsw.Connection(MEMORY_PATH)
    for number, sql in migrations():
        if number <= last:
            connection.execute(sql)
    return connection


def prepare(database: Database, *, as_is: bool = False) -> int:
    """Brings a new or older database up to date, and says which version it had, 0 if none. As it is, it only looks.

    Raises StoreNewer, StoreCorrupt or UnknownStore and changes nothing else.
    """
    with database.bare() as connection:
        found = version(connection, database.path)
        if found == SCHEMA_VERSION:
            return found
        if as_is:
            if found == 0:
                raise UnknownStore(f"{database.path} is empty and no database. `hansard init` makes it one.")
            return found
        if database.read_only:
            raise StoreUnwritable(
                f"{database.path} has schema version {found} and may only be read; whoever may write it opens it first."
            )
        if found == 0 and database.path != MEMORY_PATH:
            _write_ahead(connection)
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have migrated while this one waited for the lock.
            found = version(connection, database.path)
            for number, sql in migrations():
                if number > found:
                    connection.execute(sql)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return found


def version(connection: apsw.Connection, path: str) -> int:
    # In one statement: between two of them another process may make its schema in a file that was empty before.
    [(version, application, tables)] = connection.execute(
        "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)"
        " FROM pragma_user_version, pragma_application_id"
    )
    assert isinstance(version, int)
    if application != APPLICATION_ID and (application != 0 or version != 0 or tables != 0):
        raise StoreCorrupt(f"{path} is a database of another program; choose another path.")
    if version > SCHEMA_VERSION:
        raise StoreNewer(
            f"{path} has schema version {version}; this Hansard knows up to {SCHEMA_VERSION}. Upgrade Hansard."
        )
    return version


def _write_ahead(connection: apsw.Connection) -> None:
    # The busy handler is not asked for this change of mode, so the wait for another starter is by a lock.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("COMMIT")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except apsw.BusyError:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
