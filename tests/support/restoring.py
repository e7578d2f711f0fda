"""A database that goes back to an earlier state under those who use it, as after a restore or a failover."""

from collections.abc import Callable

import apsw

from support.raw import is_server, raw


def keep(target: str) -> Callable[[], None]:
    """Keeps the database as it stands, and returns what puts that back while others go on."""
    return _keep_server(target) if is_server(target) else _keep_file(target)


def _keep_file(target: str) -> Callable[[], None]:
    kept = apsw.Connection(":memory:")
    source = apsw.Connection(target)
    _copy(source, kept)
    source.close()

    def put_back() -> None:
        live = apsw.Connection(target)
        live.set_busy_timeout(10_000)
        _copy(kept, live)
        live.close()
        kept.close()

    return put_back


def _copy(source: apsw.Connection, target: apsw.Connection) -> None:
    with target.backup("main", source, "main") as pages:
        pages.step(-1)


def _keep_server(target: str) -> Callable[[], None]:
    with raw(target) as server:
        rows = server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'hansard'").fetchall()
        tables = [str(row[0]) for row in rows]
        server.execute("CREATE SCHEMA kept")
        for table in tables:
            server.execute(f"CREATE TABLE kept.{table} AS TABLE {table}")

    def put_back() -> None:
        with raw(target) as server:
            server.execute("BEGIN")
            # Nobody's triggers and references stand in the way of a restore.
            server.execute("SET LOCAL session_replication_role = replica")
            for table in tables:
                server.execute(f"DELETE FROM {table}")
                server.execute(f"INSERT INTO {table} SELECT * FROM kept.{table}")
            server.execute("DROP SCHEMA kept CASCADE")
            server.execute("COMMIT")

    return put_back
