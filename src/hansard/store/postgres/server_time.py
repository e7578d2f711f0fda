"""Owns what is known of the server's clock, which is the one that all machines on it share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hansard.store.postgres.connection import PostgresConnection

ASKED_SECONDS = 60.0
SERVER_TIME = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"


class ServerTime:
    """By how much the server's clock is ahead of this machine's. It is asked once a minute."""

    def __init__(self) -> None:
        self._ahead, self._until = 0, 0.0

    def ahead(self, connection: PostgresConnection, clock: int) -> int:
        """So many microseconds, while this machine's clock says that."""
        if time.monotonic() >= self._until:
            self._ahead = int(connection.execute(SERVER_TIME).get) - clock
            self._until = time.monotonic() + ASKED_SECONDS
        return self._ahead
