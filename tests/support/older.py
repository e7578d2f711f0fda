"""Databases as an earlier version of Hansard made them."""

from pathlib import Path

import apsw
import psycopg

from hansard.store.postgres import migrate as of_servers
from hansard.store.postgres.line import SCHEMA
from hansard.store.sqlite import migrate as of_files

OLDER_VERSION = 9


def make_older_file(path: Path) -> str:
    connection = apsw.Connection(str(path))
    for number, sql in of_files.migrations():
        if number <= OLDER_VERSION:
            connection.execute(sql)
    connection.execute(f"PRAGMA application_id = {of_files.APPLICATION_ID}; PRAGMA user_version = {OLDER_VERSION}")
    connection.close()
    return str(path)


def make_older_server(url: str) -> str:
    """The database must be empty."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {SCHEMA}; SET search_path = {SCHEMA}".encode())
        connection.execute("CREATE TABLE schema_version (version BIGINT NOT NULL)")
        connection.execute("INSERT INTO schema_version (version) VALUES (%s)", (OLDER_VERSION,))
        for number, sql in of_servers.migrations():
            if number <= OLDER_VERSION:
                connection.execute(sql.encode())
    return url
