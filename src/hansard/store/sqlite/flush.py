"""Owns flushing: what was committed is on the disk before it is acknowledged, with one flush for all who wait."""

import os
import threading

from hansard.domain.errors import StoreUnwritable

# Not every system can leave out the times of a file.
_synchronise = getattr(os, "fdatasync", os.fsync)


class Log:
    """The write-ahead log of a database. Safe to use from many threads."""

    def __init__(self, database: str) -> None:
        self._database = database
        self._path = f"{database}-wal"
        self._guard = threading.Lock()
        self._turn = threading.Lock()
        self._asked = self._flushed = self._failed = 0

    def flush(self) -> None:
        """Returns when all that was committed before is on the disk. Raises StoreUnwritable if it may not be."""
        with self._guard:
            self._asked += 1
            mine = self._asked
        with self._turn:
            if mine > self._flushed:
                # Whoever asked until now had committed before, so that this flush is theirs as well.
                reached = self._asked
                try:
                    self._synchronise()
                except OSError:
                    # The system tells of lost pages once; a second flush would seem to succeed.
                    self._failed = reached
                self._flushed = reached
            if mine <= self._failed:
                raise StoreUnwritable(
                    f"{self._database} could not be flushed to its disk;"
                    " what was written may not outlast a loss of power."
                )

    def _synchronise(self) -> None:
        try:
            log = os.open(self._path, os.O_RDWR)
        except FileNotFoundError:
            # It is gone when its content was brought into the database, flushed.
            return
        try:
            _synchronise(log)
        finally:
            os.close(log)
