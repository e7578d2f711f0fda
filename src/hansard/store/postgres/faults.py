"""Explains what the server says has gone wrong, as an error that a user can act on; by class, never by words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

import psycopg
from psycopg import errors as pg

from hansard.domain.errors import (
    HansardError,
    Invalid,
    StoreBusy,
    StoreCorrupt,
    StoreFull,
    StoreUnreachable,
    StoreUnwritable,
    TooLarge,
    Unavailable,
)
from hansard.store.postgres.refusal import reason_of

if TYPE_CHECKING:
    from hansard.store.postgres.outage import Outage

_Row: TypeAlias = tuple[tuple[type[psycopg.Error], ...], type[Unavailable], str]

_BUSY = (
    pg.LockNotAvailable, pg.QueryCanceled, pg.DeadlockDetected, pg.SerializationFailure, pg.TooManyConnections,
    pg.TransactionTimeout, pg.TransactionRollback, pg.TransactionIntegrityConstraintViolation, pg.ObjectInUse,
    pg.SnapshotTooOld,
)  # fmt: skip
_DAMAGE = (
    pg.SystemError, pg.IoError, pg.UndefinedFile, pg.DuplicateFile, pg.FileNameTooLong, pg.DataCorrupted,
    pg.IndexCorrupted,
)  # fmt: skip
_FAULTS: tuple[_Row, ...] = (
    (
        (pg.IdleInTransactionSessionTimeout,),
        StoreBusy,
        "{place} has undone this change, because nothing came for too long; others were waiting. Try again.",
    ),
    (_BUSY, StoreBusy, "{place} is busy; try again."),
    ((pg.DiskFull, pg.OutOfMemory), StoreFull, "There is no space left for {place}; nothing was changed."),
    (
        (pg.InsufficientResources, pg.ConfigurationLimitExceeded),
        StoreFull,
        "{place} has no room for this{why}. Nothing was changed; look at the limits of the server.",
    ),
    (
        (pg.InsufficientPrivilege, pg.InvalidAuthorizationSpecification),
        StoreUnwritable,
        (
            "{place} does not let this user do that; check the user's rights. grants.sql of docs/postgres.md gives"
            " them, if the owner runs it."
        ),
    ),
    (
        (pg.ReadOnlySqlTransaction,),
        StoreUnwritable,
        "{place} takes no writes: it is a replica, or set to read only. Nothing was changed; write to the primary.",
    ),
    (
        (pg.DuplicatePreparedStatement, pg.InvalidSqlStatementName),
        StoreUnwritable,
        (
            "{place} does not know what this connection prepared: a pooler lends it to others in between. Nothing was"
            " changed; have the pooler use session mode."
        ),
    ),
    (
        (pg.UndefinedTable, pg.InvalidSchemaName),
        StoreCorrupt,
        (
            "{place} lacks a table of Hansard; restore a backup. Or a pooler lends the connection to others in between;"
            " then have it use session mode."
        ),
    ),
)
"""What means the same whether the server keeps the connection or ends it."""
_REFUSALS: tuple[_Row, ...] = (
    (
        _DAMAGE,
        StoreCorrupt,
        "{place} is damaged, or its disk is{why}. Look into the server's log; restore a backup if data is lost.",
    ),
    # Every statement is tested against the schema and keeps every constraint, so one that the server refuses met
    # tables that are not as Hansard left them.
    (
        (psycopg.ProgrammingError, psycopg.IntegrityError, psycopg.InternalError, psycopg.DataError),
        StoreCorrupt,
        "{place} holds something Hansard did not write; restore a backup.",
    ),
    ((psycopg.Error,), Unavailable, "{place} refused this{why}. Nothing was changed; the server's log says more."),
)
"""What a server says that stays: it would say the same to whoever asks again. The first row that fits counts."""
_GOES_AWAY = (pg.AdminShutdown, pg.CrashShutdown, pg.CannotConnectNow, pg.DatabaseDropped, pg.IdleSessionTimeout)
_CONNECTION_CODES = "08"
_ENDS_THE_LINE = frozenset({"FATAL", "PANIC"})
"""What the protocol calls an error, in every language, after which the server closes the connection."""
_BAD_VALUES = (pg.NumericValueOutOfRange, pg.CharacterNotInRepertoire, pg.UntranslatableCharacter)


def explained(error: psycopg.Error, place: str) -> HansardError | None:
    """The error to raise; None if the server was lost."""
    if isinstance(error, psycopg.DataError) and (error.sqlstate is None or isinstance(error, _BAD_VALUES)):
        return Invalid("A value of the request cannot be stored: it holds a NUL byte or is out of range.")
    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        # The driver's own word, before the server was asked.
        return Invalid("A value of the request is of a kind that cannot be stored.")
    if isinstance(error, pg.ProgramLimitExceeded):
        return TooLarge("A name or path of the request is longer than PostgreSQL can look up.")
    for kinds, fault, message in _FAULTS if _is_lost(error) else (*_FAULTS, *_REFUSALS):
        if isinstance(error, kinds):
            explanation = fault(message.format(place=place, why=f": {reason_of(error)}"))
            said = message.format(place="the database", why="")
            explanation.abroad = said[0].upper() + said[1:]
            return explanation
    return None


def _is_lost(error: psycopg.Error) -> bool:
    code = error.sqlstate
    if code is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    gone = code.startswith(_CONNECTION_CODES) or isinstance(error, _GOES_AWAY)
    return gone or error.diag.severity_nonlocalized in _ENDS_THE_LINE


@contextmanager
def translating(place: str, outage: Outage | None = None) -> Iterator[None]:
    """Around whatever asks the server. Unless it is left out, the outage begins when the server was lost."""
    try:
        yield
    except HansardError:
        raise
    except UnicodeError:
        raise Invalid("The text of the request is not valid Unicode.") from None
    except OverflowError:
        raise Invalid("A number of the request is out of range.") from None
    except psycopg.Error as error:
        explanation = explained(error, place)
        if explanation is not None:
            raise explanation from error
        if outage is not None:
            outage.begin()
        raise StoreUnreachable(
            f"{place} does not answer: {reason_of(error)}. What was not confirmed may be missing."
        ) from error
