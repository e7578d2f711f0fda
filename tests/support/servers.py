"""What tests do with a server besides its databases: users with limits, a replica that follows it, one that has TLS."""

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from support import postgres
from support.raw import raw

COPY_SECONDS_MAX = 120


def as_role(url: str, role: str) -> str:
    return url.replace("postgres:@", f"{role}@", 1)


@contextmanager
def limited(target: str, connections: int) -> Iterator[str]:
    """The address of a user who gets so many connections and no more."""
    with raw(target) as connection:
        connection.execute(
            f"CREATE ROLE limited LOGIN CONNECTION LIMIT {connections}; GRANT USAGE ON SCHEMA hansard TO limited;"
            " GRANT ALL ON ALL TABLES IN SCHEMA hansard TO limited"
        )
        try:
            yield as_role(target, "limited")
        finally:
            connection.execute("DROP OWNED BY limited; DROP ROLE limited")


@contextmanager
def standby(primary: Any) -> Iterator[Any]:
    """A replica that follows the server, as its operator would make one."""
    with postgres.private_folder() as folder:
        data = folder / "data"
        socket = str(primary.get_uri()).partition("host=")[2]
        program = str(primary.bin_path / "pg_basebackup")
        options = ("--write-recovery-conf", "--checkpoint=fast", "--no-sync", "-U", "postgres", "-h", socket)
        subprocess.run([program, "-D", str(data), *options], check=True, capture_output=True, timeout=COPY_SECONDS_MAX)
        # Who uses the primary, and where it listens, is no matter of the replica.
        for own in (".handle_pids.json", ".s.PGSQL.5432.lock"):
            (data / own).unlink(missing_ok=True)
        if primary.system_user is not None:
            for path in (data, *data.rglob("*")):
                shutil.chown(path, primary.system_user, primary.system_user)
        server = postgres.start(folder)
        try:
            yield server
        finally:
            server.stop()


def catch_up(primary: Any, replica: Any) -> None:
    """Waits until the replica has all that the primary has now."""
    with postgres.admin(primary) as here, postgres.admin(replica) as there:
        (wanted,) = here.execute("SELECT pg_current_wal_lsn()").fetchone() or (None,)
        while there.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", (wanted,)).fetchone() != (True,):
            pass


@contextmanager
def offering_tls(cert: Path, key: Path) -> Iterator[int]:
    """The port of a server that says yes to TLS, shows this certificate, and goes no further."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    listener = socket.create_server(("127.0.0.1", 0))

    def greet() -> None:
        with suppress(OSError):
            while True:
                caller, _ = listener.accept()
                with caller, suppress(OSError):
                    caller.recv(8)
                    caller.sendall(b"S")
                    with context.wrap_socket(caller, server_side=True) as line:
                        line.recv(1)

    thread = threading.Thread(target=greet, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        # A thread that waits for a call is not woken by closing what it waits at.
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
