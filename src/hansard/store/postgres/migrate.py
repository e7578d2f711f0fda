"""Owns the version of the schema: replays the numbered migrations that a database has not seen yet."""

from __future__ import annotations

import re

from hansard.domain.errors import Invalid, StoreNewer, UnknownStore
from hansard.store.postgres.connection import SCHEMA, Database, PostgresConnection

SCHEMA_VERSION = 2
"""The number of the newest migration; a test keeps it in step with the folder."""
_MIGRATION_LOCK = 0x48_4E_53_44
_NAMED = re.compile(r"^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER) (\w+)", re.MULTILINE)


def migrations() -> tuple[tuple[int, str], ...]:
    """Number and SQL of every migration, in order."""
    from importlib import resources

    folder = resources.files("hansard.store.postgres") / "migrations"
    files = sorted((item for item in folder.iterdir() if item.name.endswith(".sql")), key=lambda item: item.name)
    return tuple((int(item.name[:4]), item.read_text(encoding="utf-8")) for item in files)


def named() -> frozenset[tuple[str, str]]:
    """Kind and name of everything that the migrations make."""
    return frozenset((kind.lower(), name) for _, sql in migrations() for kind, name in _NAMED.findall(sql))


def present(connection: PostgresConnection) -> frozenset[tuple[str, str]]:
    """Kind and name of every table, index and working trigger of the schema."""
    rows = connection.execute(
        "SELECT CASE relkind WHEN 'i' THEN 'index' WHEN 'I' THEN 'index' ELSE 'table' END, relname FROM pg_class"
        " WHERE relnamespace = ?::regnamespace AND relkind IN ('r', 'p', 'i', 'I')"
        " UNION SELECT 'trigger', t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
        " WHERE c.relnamespace = ?1::regnamespace AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')",
        (SCHEMA,),
    )
    return frozenset((kind, name) for kind, name in rows)


def prepare(database: Database, *, must_exist: bool) -> None:
    """Brings a new or older database up to date, or raises UnknownStore, StoreNewer or Invalid and changes nothing."""
    with database.bare() as connection:
        encoding = connection.raw.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise Invalid(f"{database.place} keeps text as {encoding}; make a database with ENCODING 'UTF8' instead.")
        found = _version(connection)
        if found == SCHEMA_VERSION:
            return
        if found == 0 and must_exist:
            raise UnknownStore(f"There is no Hansard in {database.place}. Run `hansard init` first.")
        with connection.raw.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(?)", (_MIGRATION_LOCK,))
            # Another process may have migrated while this one waited for the lock.
            found = _version(connection)
            if found > SCHEMA_VERSION:
                raise StoreNewer(
                    f"{database.place} has schema version {found}; this Hansard knows up to {SCHEMA_VERSION}."
                    " Upgrade Hansard."
                )
            if found == 0:
                connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
                connection.execute("CREATE TABLE schema_version (version BIGINT NOT NULL)")
                connection.execute("INSERT INTO schema_version (version) VALUES (0)")
            for number, sql in migrations():
                if number > found:
                    connection.raw.execute(sql.encode())
            connection.execute("UPDATE schema_version SET version = ?", (SCHEMA_VERSION,))


def _version(connection: PostgresConnection) -> int:
    there = connection.execute("SELECT to_regclass(?) IS NOT NULL", (f"{SCHEMA}.schema_version",)).get
    version = connection.execute("SELECT version FROM schema_version").get if there else 0
    assert isinstance(version, int)
    return version
