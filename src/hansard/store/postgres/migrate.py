"""Owns the version of the schema: replays the migrations that a database has not seen, and finds what was altered."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TypeAlias

from psycopg import errors as pg

from hansard.domain.errors import Invalid, StoreCorrupt, StoreNewer, StoreUnwritable, UnknownStore
from hansard.store.postgres.connection import Database, PostgresConnection
from hansard.store.postgres.line import SCHEMA

SCHEMA_VERSION = 13
"""The number of the newest migration; a test keeps it in step with the folder."""
SERVER_VERSION_MIN = 14
"""The first to have `string_to_table`. Those before it get no more mending from PostgreSQL either."""
_MIGRATION_LOCK = 0x48_4E_53_44

Thing: TypeAlias = tuple[str, str, str]
"""Kind, table and name."""
Definitions: TypeAlias = dict[Thing, str]

_NAMED = re.compile(r"^(CREATE|DROP) (?:UNIQUE )?(TABLE|INDEX|TRIGGER) (?:IF EXISTS )?(\w+)", re.MULTILINE)
_COLLATION = re.compile(r' COLLATE (?:pg_catalog\.)?"?\w+"?')
_WORKING = "working: "
# Partitions and what they inherit are left out: a table may be split by project.
_DEFINITIONS = """
WITH t AS (SELECT oid, relname, relpersistence FROM pg_class
    WHERE relnamespace = ?1::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition)
SELECT 'table', relname::text, relname::text, relpersistence::text FROM t
UNION ALL SELECT 'column', t.relname::text, a.attname::text, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
        a.attnotnull, a.attcollation::regcollation, a.attgenerated, pg_get_expr(d.adbin, d.adrelid))
    FROM t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
UNION ALL SELECT 'constraint', t.relname::text, c.conname::text, pg_get_constraintdef(c.oid)
    FROM t JOIN pg_constraint c ON c.conrelid = t.oid AND c.conparentid = 0 AND c.contype IN ('p', 'u', 'f', 'c', 'x')
UNION ALL SELECT 'index', t.relname::text, i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
    FROM t JOIN pg_index i ON i.indrelid = t.oid AND i.indisvalid
UNION ALL SELECT 'trigger', t.relname::text, g.tgname::text,
        CASE WHEN g.tgenabled IN ('O', 'A') THEN ?2 ELSE '' END || pg_get_triggerdef(g.oid)
    FROM t JOIN pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal AND g.tgparentid = 0
UNION ALL SELECT 'rule', t.relname::text, r.rulename::text, pg_get_ruledef(r.oid)
    FROM t JOIN pg_rewrite r ON r.ev_class = t.oid
UNION ALL SELECT 'function', '', p.oid::regprocedure::text, pg_get_functiondef(p.oid)
    FROM pg_proc p WHERE p.pronamespace = ?1::regnamespace AND p.prokind = 'f'"""
# A partition cannot lose what it inherits, but it can have it switched off, or get something of its own.
_PARTITIONS = """
SELECT 1 FROM pg_class c JOIN pg_trigger g ON g.tgrelid = c.oid
WHERE c.relnamespace = ?1::regnamespace AND c.relispartition AND NOT g.tgisinternal
    AND (g.tgparentid = 0 OR g.tgenabled NOT IN ('O', 'A'))
UNION ALL SELECT 1 FROM pg_class c JOIN pg_rewrite r ON r.ev_class = c.oid
WHERE c.relnamespace = ?1::regnamespace AND c.relispartition LIMIT 1"""
_ROLES = "docs/postgres.md has it under Roles with least rights"
_OWNER = "SELECT pg_get_userbyid(nspowner)::text FROM pg_namespace WHERE nspname = ?"
_MAY_SKETCH = """
SELECT current_setting('transaction_read_only') = 'off' AND has_database_privilege(current_database(), 'CREATE')"""
_made: dict[tuple[int, int], Definitions] = {}
"""What the migrations up to one make on a server of a version; it takes a server to know how that one writes it."""


def migrations() -> tuple[tuple[int, str], ...]:
    """Number and SQL of every migration, in order."""
    from importlib import resources

    folder = resources.files("hansard.store.postgres") / "migrations"
    files = sorted((item for item in folder.iterdir() if item.name.endswith(".sql")), key=lambda item: item.name)
    return tuple((int(item.name[:4]), item.read_text(encoding="utf-8")) for item in files)


def refuse_old(server_version: int, place: str) -> None:
    """Raises Invalid for a server that does not know all that the statements say. 140003 is version 14.3."""
    major, minor = divmod(server_version, 10_000)
    if major < SERVER_VERSION_MIN:
        raise Invalid(
            f"{place} is a server of version {major}.{minor}; Hansard needs PostgreSQL {SERVER_VERSION_MIN} or newer."
            " Upgrade the server."
        )


def prepare(database: Database, *, must_exist: bool, as_is: bool = False) -> int:
    """Brings a new or older database up to date, and says which version it had, 0 if none. As it is, it only looks.

    Raises UnknownStore, StoreNewer, StoreUnwritable or Invalid, and changes nothing then.
    """
    with database.bare() as connection:
        refuse_old(connection.raw.info.server_version, database.place)
        encoding = connection.raw.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise Invalid(f"{database.place} keeps text as {encoding}; make a database with ENCODING 'UTF8' instead.")
        with connection.promptly():
            found = _found(connection, database.place)
        if found == SCHEMA_VERSION:
            return found
        if found == 0 and must_exist:
            raise UnknownStore(f"There is no Hansard in {database.place}. Run `hansard init` first.")
        if as_is:
            _refuse_newer(database.place, found)
            _refuse_foreign(connection, database.place, found)
            return found
        try:
            return _migrate(connection, database.place)
        except (pg.InsufficientPrivilege, pg.ReadOnlySqlTransaction) as error:
            if found == 0 and isinstance(error, pg.InsufficientPrivilege):
                raise StoreUnwritable(
                    f"There is no Hansard in {database.place}, and this user may not make one. Let the owner run"
                    f" `hansard init` there first; {_ROLES}."
                ) from error
            if found == 0:
                raise
            raise _older(database.place, found, on_replica=isinstance(error, pg.ReadOnlySqlTransaction)) from error


def _found(connection: PostgresConnection, place: str) -> int:
    try:
        return version(connection, place)
    except pg.InsufficientPrivilege as error:
        # Who owns it anybody may read. It need not be the role that is meant to: who began with one role made it so.
        owner = connection.execute(_OWNER, (SCHEMA,)).get
        raise StoreUnwritable(
            f"There is a schema {SCHEMA} in {place}, but this user has no rights to it. Let the owner run grants.sql"
            f" there, which is {owner}; or have an administrator give it to another role with hand_over.sql; {_ROLES}."
        ) from error


def _migrate(connection: PostgresConnection, place: str) -> int:
    """Brings it up to date, one process at a time, and says which version it had."""
    with connection.raw.transaction():
        with connection.promptly():
            connection.execute("SELECT pg_advisory_xact_lock(?)", (_MIGRATION_LOCK,))
            # Another process may have migrated while this one waited for the lock.
            found = version(connection, place)
        _refuse_newer(place, found)
        _refuse_foreign(connection, place, found)
        if found == 0:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            connection.execute("CREATE TABLE schema_version (version BIGINT NOT NULL)")
            connection.execute("INSERT INTO schema_version (version) VALUES (0)")
        for number, sql in migrations():
            if number > found:
                connection.raw.execute(sql.encode())
        connection.execute("UPDATE schema_version SET version = ?", (SCHEMA_VERSION,))
    return found


def _older(place: str, found: int, *, on_replica: bool) -> StoreUnwritable:
    """What to tell somebody who may not migrate: the rights are as they should be, and another has to go first."""
    why = "nothing can be migrated on a replica" if on_replica else "this user may not migrate it"
    where = " on the primary" if on_replica else ""
    return StoreUnwritable(
        f"{place} has schema version {found}, this Hansard needs {SCHEMA_VERSION}, and {why}. Nothing was changed."
        f" Let the owner of the schema run `hansard projects` once with this version{where}, and then grants.sql;"
        " docs/postgres.md has the steps under Upgrades."
    )


def _refuse_newer(place: str, found: int) -> None:
    if found > SCHEMA_VERSION:
        raise StoreNewer(
            f"{place} has schema version {found}; this Hansard knows up to {SCHEMA_VERSION}. Upgrade Hansard."
        )


def _refuse_foreign(connection: PostgresConnection, place: str, found: int) -> None:
    """A new Hansard wants an empty schema, and an older one its own tables: others number their versions as well."""
    held = {
        str(name)
        for (name,) in connection.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ?",
            (SCHEMA,),
        )
    }
    own = {name for kind, name in _names(found) if kind == "table"}
    if own - held if found > 0 else held:
        raise StoreCorrupt(f"{place} has a schema {SCHEMA} of another program; make a database for Hansard alone.")


def version(connection: PostgresConnection, place: str) -> int:
    there = connection.execute("SELECT to_regclass(?) IS NOT NULL", (f"{SCHEMA}.schema_version",)).get
    version = connection.execute("SELECT version FROM schema_version").get if there else 0
    if not isinstance(version, int):
        raise StoreCorrupt(f"{place} holds something Hansard did not write; restore a backup.")
    return version


def problems(connection: PostgresConnection, database: Database, last: int = SCHEMA_VERSION) -> Iterator[str]:
    """What is not as the migrations up to this one left it; each is one sentence."""
    there, wanted = _definitions(connection, SCHEMA), _wanted(database, connection.raw.info.server_version, last)
    if wanted is None:
        # Somebody who may not make a schema cannot know how this server would write one: then by name.
        working = {(kind, name) for (kind, _, name), text in there.items() if kind != "trigger" or _works(text)}
        altered = sorted((kind, "", name) for kind, name in _names(last) - working)
        strange = sorted({name for kind, _, name in there if kind == "trigger"} - {name for _, name in _names(last)})
    else:
        altered = sorted(one for one, text in wanted.items() if there.get(one) != text)
        strange = sorted(name for kind, table, name in there if kind == "trigger" and (kind, table, name) not in wanted)
    if altered:
        # A table that is missing says more than the first of its columns.
        kind, table, name = min(altered, key=lambda one: one[0] != "table")
        first = f"the {kind} {name} of {table}" if table not in ("", name) else f"the {kind} {name}"
        yield f"the tables, indexes and triggers are not what they should be: {first} is missing or another one"
    if strange:
        yield "there is a trigger that is not Hansard's"
    if any(kind == "rule" for kind, _, _ in there):
        yield "there is a rule that is not Hansard's"
    if connection.execute(_PARTITIONS, (SCHEMA,)).get is not None:
        yield "a partition has a trigger or a rule that is not Hansard's, or one of Hansard's is switched off"


def _works(trigger: str) -> bool:
    return trigger.startswith(_WORKING)


def _names(last: int) -> frozenset[tuple[str, str]]:
    """Kind and name of everything that the migrations up to this one make and leave."""
    last_said: dict[tuple[str, str], str] = {}
    for number, sql in migrations():
        if number <= last:
            last_said |= {(kind.lower(), name): verb for verb, kind, name in _NAMED.findall(sql)}
    return frozenset(one for one, verb in last_said.items() if verb == "CREATE")


def _definitions(connection: PostgresConnection, schema: str) -> Definitions:
    found = connection.execute(_DEFINITIONS, (schema, _WORKING))
    return {(kind, table, name): _plain(kind, text, schema) for kind, table, name, text in found}


def _plain(kind: str, text: str, schema: str) -> str:
    """The definition without the name of the schema, and without what differs between databases that are alright."""
    text = text.replace(f"{schema}.", "").replace(" ON ONLY ", " ON ")
    # Letters are folded by the best collation that the server had when the schema was made.
    return _COLLATION.sub("", text) if kind == "function" else text


def _wanted(database: Database, server_version: int, last: int) -> Definitions | None:
    """What the migrations up to this one make on this server, or None if this user cannot have it made to look at."""
    try:
        # Never less than the whole comparison because others are at work: whoever gets no connection is told so.
        with database.sketching:
            made = (server_version, last)
            if made not in _made:
                with database.apart() as connection:
                    if not connection.execute(_MAY_SKETCH).get:
                        return None
                    _made[made] = _sketch(connection, last)
            return _made[made]
    except StoreUnwritable:
        return None


def _sketch(connection: PostgresConnection, last: int) -> Definitions:
    """Runs the migrations in a schema that nobody else sees and that is gone afterwards."""
    name = f"{SCHEMA}_{os.urandom(8).hex()}"
    with connection.raw.transaction(force_rollback=True):
        connection.raw.execute(f"CREATE SCHEMA {name}; SET LOCAL search_path = {name}".encode())
        for number, sql in migrations():
            if number <= last:
                connection.raw.execute(sql.encode())
        return _definitions(connection, name)
