"""Owns what is known of the server's clock, which is the one that all machines on it share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hansard.store.postgres.connection import PostgresConnection

ASKED_SECONDS = 60.0
SERVER_TIME = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Nobody sets this clock, and it goes on while the machine sleeps, where the system has such a one."""


class ServerTime:
    """What the server's clock says: what it said within the last minute, and what has passed since.

    This machine's clock has no part in it. Whoever sets that makes nothing end that another holds.
    """

    def __init__(self) -> None:
        self._asked: tuple[int, float] | None = None

    def now(self, connection: PostgresConnection) -> int:
        """In microseconds. It is behind by the time that the answer took: nothing ends too early."""
        asked = self._asked
        if asked is None or time.clock_gettime(_STEADY) - asked[1] >= ASKED_SECONDS:
            asked = self._asked = int(connection.execute(SERVER_TIME).get), time.clock_gettime(_STEADY)
        said, at = asked
        return said + int((time.clock_gettime(_STEADY) - at) * 1_000_000)
