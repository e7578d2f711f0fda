"""Owns flushing: what was committed is on the disk before it is acknowledged, with one flush for all who wait."""

import os
import threading

from hansard.domain.errors import StoreReplaced, StoreUnwritable

# Not every system can leave out the times of a file.
_synchronise = getattr(os, "fdatasync", os.fsync)


class Log:
    """The write-ahead log of a database. Safe to use from many threads."""

    def __init__(self, database: str) -> None:
        self._database = database
        # The engine follows links, and keeps its log beside the file itself.
        self._path = f"{os.path.realpath(database)}-wal"
        self._guard = threading.Lock()
        self._turn = threading.Lock()
        self._asked = self._flushed = self._failed = 0
        self._file: tuple[int, int] | None = None

    def flush(self) -> None:
        """Returns when all that was committed before is on the disk.

        Raises StoreUnwritable if it may not be, and StoreReplaced if the log is not the one that was written to: while
        a connection is open only somebody else can have deleted it, and what was written is lost with it.
        """
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
            raise self._lost() from None
        try:
            found = os.fstat(log)
            self._file = self._file or (found.st_dev, found.st_ino)
            if self._file != (found.st_dev, found.st_ino):
                raise self._lost()
            _synchronise(log)
        finally:
            os.close(log)

    def _lost(self) -> StoreReplaced:
        return StoreReplaced(f"{self._path} was deleted or replaced while it was open; start again.")
