"""Owns what the shared SQL expects of a connection: to run it, to say what engines say differently, and to end.

Statements number their values as SQLite does: `?` is the next one, `?2` the second.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar


class Rows(Protocol):
    """The rows of a statement that was run."""

    @property
    def get(self) -> Any:
        """The only value of the first row; None if there is no row."""
        ...

    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """One connection inside a transaction."""

    unindexed: str
    """Written before a column so that no index is chosen for it."""
    no_bytes: str
    """A literal of no bytes."""
    defer_checks: str
    """A statement that has foreign keys checked at the end of the transaction."""
    unless_taken: str
    """Written after a query so that it locks its rows, and passes over those that somebody else has locked."""

    refusals: tuple[type[Exception], ...]
    """What the engine or its driver raises at a row that the table does not take, or that cannot be read."""

    def execute(self, statements: str, bindings: Any = ..., /) -> Rows: ...
    def executemany(self, statements: str, sequenceofbindings: Iterable[Any], /) -> Any: ...

    def stream(self, sql: str, values: Sequence[Any]) -> Iterator[Any]:
        """The rows of a query that may be larger than memory should be."""
        ...

    def among(self, column: str, values: Sequence[int]) -> tuple[str, Any]:
        """A test whether a column is one of any number of values, and what to bind to it."""
        ...

    def numbered_memories(self, seqs: Sequence[int]) -> tuple[str, str, Any]:
        """What FROM and WHERE say for the memories `m` with these numbers, and what to bind; the project comes second.

        By the key of each, whatever statistics say: they know nothing of a project that was filled a moment ago, and
        then all of it would be walked for these few.
        """
        ...

    def shared_clock(self, clock: int) -> int:
        """What time it is by the clock that all processes on the store share, if this machine's says that."""
        ...

    def is_filtered(self, table: str) -> bool:
        """Whether the store shows the rows of the transaction's own project only, whatever is asked for."""
        ...

    def row_of(self, table: str, name: str, test: str) -> str:
        """What JOIN says to find the row of a table that belongs to each row, by its key, whatever statistics say."""
        ...

    def elements(self, column: str, name: str) -> str:
        """A source of rows with a name: each `value` in a column that holds a JSON array; none if it holds none."""
        ...

    def take_numbers(self, project_id: str, count: int) -> int:
        """The first of so many consecutive numbers for new memories. None of them was ever given out before."""
        ...

    def taken_numbers(self, project_id: str) -> int:
        """The highest number that memories of other projects, or of none any more, keep from being given out."""
        ...

    def columns(self, table: str) -> tuple[str, ...]: ...

    def announce(self, project_id: str) -> None:
        """Tells whoever waits for a change of the project, once this one is committed."""
        ...

    def schema_problems(self) -> Iterator[str]:
        """What is not as the migrations left it; each is one sentence."""
        ...


class Closable(Protocol):
    """A connection, as far as a pool has to know it."""

    def close(self) -> None: ...


Kept = TypeVar("Kept", bound=Closable)


class Pool(Generic[Kept]):
    """What the pools of all engines have alike: those that nobody uses are closed at once, others as they come back."""

    _guard: threading.Lock
    _idle: list[Kept]
    _closed: bool

    def close(self) -> None:
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
