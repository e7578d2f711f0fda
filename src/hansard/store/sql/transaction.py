"""Owns a transaction: one project, one instant, and the tables as the services see them.

A table's module is imported when the table is first used: a command that lists decisions loads nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hansard.domain.identifiers import IdMaker

if TYPE_CHECKING:
    from hansard.store.sql.actors import SqlActors
    from hansard.store.sql.connection import Connection
    from hansard.store.sql.decisions import SqlDecisions
    from hansard.store.sql.guard import SqlGuard
    from hansard.store.sql.idempotency import SqlAnswers
    from hansard.store.sql.inbox import SqlInbox
    from hansard.store.sql.jobs import SqlJobs
    from hansard.store.sql.ledger import SqlLedger
    from hansard.store.sql.memories import SqlMemories
    from hansard.store.sql.past import SqlPast
    from hansard.store.sql.projects import SqlProjects
    from hansard.store.sql.receipts import SqlReceipts
    from hansard.store.sql.revisions import SqlRevisions
    from hansard.store.sql.runs import SqlRuns
    from hansard.store.sql.sessions import SqlSessions
    from hansard.store.sql.tables import SqlTables
    from hansard.store.sql.tokens import SqlTokens
    from hansard.store.sql.units import SqlUnits
    from hansard.store.sql.usage import SqlUsage
    from hansard.store.sql.vectors import SqlVectors


Part = TypeVar("Part")


class _part(Generic[Part]):  # noqa: N801 - it stands where a property would
    """A part that is made when it is first asked for. A transaction is one thread's, so nothing is locked for it."""

    def __init__(self, make: Callable[[Any], Part]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, transaction: Any, owner: type | None = None) -> Part:
        made = transaction.__dict__[self._name] = self._make(transaction)
        return made


class SqlTransaction:
    """A view of one project on one connection."""

    def __init__(self, connection: Connection, project_id: str, now: int, clock: int, clock_behind: int) -> None:
        self._connection = connection
        self.project_id = project_id
        self.now = now
        self._clock, self._clock_behind = clock, clock_behind

    @_part
    def clock(self) -> int:
        return self._connection.shared_clock(self._clock)

    @_part
    def _ids(self) -> IdMaker:
        return IdMaker(self.now)

    def new_id(self) -> str:
        return self._ids.next()

    @_part
    def projects(self) -> SqlProjects:
        from hansard.store.sql.projects import SqlProjects

        return SqlProjects(self._connection)

    @_part
    def actors(self) -> SqlActors:
        from hansard.store.sql.actors import SqlActors

        return SqlActors(self._connection, self.project_id, self.now)

    @_part
    def inbox(self) -> SqlInbox:
        from hansard.store.sql.inbox import SqlInbox

        return SqlInbox(self._connection, self.project_id)

    @_part
    def decisions(self) -> SqlDecisions:
        from hansard.store.sql.decisions import SqlDecisions

        return SqlDecisions(self._connection, self.project_id)

    @_part
    def memories(self) -> SqlMemories:
        from hansard.store.sql.memories import SqlMemories

        return SqlMemories(self._connection, self.project_id)

    @_part
    def units(self) -> SqlUnits:
        from hansard.store.sql.units import SqlUnits

        return SqlUnits(self._connection, self.project_id)

    @_part
    def vectors(self) -> SqlVectors:
        from hansard.store.sql.vectors import SqlVectors

        return SqlVectors(self._connection, self.project_id)

    @_part
    def usage(self) -> SqlUsage:
        from hansard.store.sql.usage import SqlUsage

        return SqlUsage(self._connection, self.project_id)

    @_part
    def sessions(self) -> SqlSessions:
        from hansard.store.sql.sessions import SqlSessions

        return SqlSessions(self._connection, self.project_id)

    @_part
    def runs(self) -> SqlRuns:
        from hansard.store.sql.runs import SqlRuns

        return SqlRuns(self._connection, self.project_id)

    @_part
    def revisions(self) -> SqlRevisions:
        from hansard.store.sql.revisions import SqlRevisions

        return SqlRevisions(self._connection, self.project_id)

    @_part
    def jobs(self) -> SqlJobs:
        from hansard.store.sql.jobs import SqlJobs

        return SqlJobs(self._connection, self.project_id, self.clock)

    @_part
    def receipts(self) -> SqlReceipts:
        from hansard.store.sql.receipts import SqlReceipts

        return SqlReceipts(self._connection, self.project_id)

    @_part
    def guard(self) -> SqlGuard:
        from hansard.store.sql.guard import SqlGuard

        return SqlGuard(self._connection, self.project_id, self.now)

    @_part
    def answers(self) -> SqlAnswers:
        from hansard.store.sql.idempotency import SqlAnswers

        return SqlAnswers(self._connection, self.project_id, self.clock, self.ledger.emptied)

    @_part
    def tokens(self) -> SqlTokens:
        from hansard.store.sql.tokens import SqlTokens

        return SqlTokens(self._connection, self.project_id, self.now)

    def past(self, at: int, now: int) -> SqlPast:
        from hansard.store.sql.past import SqlPast

        return SqlPast(self._connection, self.project_id, at, now)

    @_part
    def tables(self) -> SqlTables:
        from hansard.store.sql.tables import SqlTables

        return SqlTables(self._connection, self.project_id)

    @_part
    def ledger(self) -> SqlLedger:
        from hansard.store.sql.ledger import SqlLedger

        return SqlLedger(self._connection, self.project_id, self.now, self._clock_behind)


def at_clock(connection: Connection, project_id: str, clock: int, last: int, *, writes: bool = False) -> SqlTransaction:
    """A transaction at this instant: the clock's, or right after the last change if that lies ahead of the clock."""
    now = max(clock, last + 1) if writes else max(clock, last)
    return SqlTransaction(connection, project_id, now, clock, max(0, last - clock))
