"""Owns the SQL of jobs and their leases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.errors import LeaseLost
from hansard.domain.jobs import Job, JobKind, Lease, told
from hansard.store.sql.rows import Row, decoding

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

_SELECT = """
SELECT kind, subject, done_position, token, holder, lease_until, attempts, failed_at, error, updated_at
FROM jobs WHERE project_id = ?"""
_ONE = f"{_SELECT} AND kind = ? AND subject = ?"
_INSERT = "INSERT INTO jobs (project_id, kind, subject, updated_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_TAKE = """
UPDATE jobs SET token = token + 1, holder = ?4, lease_until = ?5, updated_at = ?6
WHERE project_id = ?1 AND kind = ?2 AND subject = ?3 RETURNING token"""
_HELD = " WHERE project_id = ?1 AND kind = ?2 AND subject = ?3 AND holder = ?4 AND token = ?5 RETURNING token"
_RENEW = "UPDATE jobs SET lease_until = ?6, updated_at = ?7" + _HELD
_RELEASE = "UPDATE jobs SET holder = NULL, lease_until = 0, updated_at = ?6" + _HELD
_FINISH = (
    "UPDATE jobs SET done_position = ?6, lease_until = ?7, attempts = attempts + 1, failed_at = NULL, error = NULL,"
    " updated_at = ?8" + _HELD
)
_FAIL = (
    "UPDATE jobs SET holder = NULL, lease_until = 0, attempts = attempts + 1, failed_at = ?6, error = ?7,"
    " updated_at = ?6" + _HELD
)
_SETTLE = """
UPDATE jobs SET done_position = ?4, attempts = attempts + 1, failed_at = NULL, error = NULL, updated_at = ?5
WHERE project_id = ?1 AND kind = ?2 AND subject = ?3 AND done_position <= ?4"""
_BLAME = """
UPDATE jobs SET attempts = attempts + 1, failed_at = ?4, error = ?5, updated_at = ?4
WHERE project_id = ?1 AND kind = ?2 AND subject = ?3"""


class SqlJobs:
    def __init__(self, connection: Connection, project_id: str, now: int) -> None:
        self._connection = connection
        self._project_id = project_id
        self._now = now

    def get(self, kind: JobKind, subject: str) -> Job | None:
        row = self._connection.execute(_ONE, (self._project_id, kind, subject)).fetchone()
        return _job(row) if row else None

    def all(self) -> tuple[Job, ...]:
        rows = self._connection.execute(f"{_SELECT} ORDER BY kind, subject", (self._project_id,))
        return tuple(_job(row) for row in rows)

    def take(
        self, kind: JobKind, subject: str, holder: str, *, lease_us: int, instead_of: str | None = None
    ) -> Lease | None:
        """The lease, or None while another one is in force, unless its holder is the one to be replaced."""
        one = (self._project_id, kind, subject)
        self._connection.execute(_INSERT, (*one, self._now))
        row = self._connection.execute(_ONE + self._connection.unless_taken, one).fetchone()
        if row is None:
            return None
        known = _job(row)
        if known.is_leased(self._now) and known.holder != instead_of:
            return None
        token = self._connection.execute(_TAKE, (*one, holder, self._now + lease_us, self._now)).get
        return Lease(kind, subject, holder, token)

    def renew(self, lease: Lease, *, lease_us: int) -> None:
        self._change(_RENEW, lease, self._now + lease_us, self._now)

    def finish(self, lease: Lease, position: int, *, lease_us: int) -> None:
        """Notes that the work is done up to this event. The lease goes on, for more of it."""
        self._change(_FINISH, lease, position, self._now + lease_us, self._now)

    def fail(self, lease: Lease, error: str) -> None:
        """Notes how the work failed, and ends the lease."""
        self._change(_FAIL, lease, self._now, told(error))

    def release(self, lease: Lease) -> None:
        self._change(_RELEASE, lease, self._now)

    def settle(self, kind: JobKind, subject: str, position: int) -> None:
        """Notes that somebody without a lease did the work up to this event."""
        one = (self._project_id, kind, subject)
        self._connection.execute(_INSERT, (*one, self._now))
        self._connection.execute(_SETTLE, (*one, position, self._now))

    def blame(self, kind: JobKind, subject: str, error: str) -> None:
        """Notes how somebody without a lease failed."""
        one = (self._project_id, kind, subject)
        self._connection.execute(_INSERT, (*one, self._now))
        self._connection.execute(_BLAME, (*one, self._now, told(error)))

    def _change(self, sql: str, lease: Lease, *values: str | int) -> None:
        held = (self._project_id, lease.kind, lease.subject, lease.holder, lease.token)
        if self._connection.execute(sql, (*held, *values)).get is None:
            raise LeaseLost(f"Somebody else has the job {lease.kind} of {lease.subject[:200]} now; nothing was noted.")


@decoding
def _job(row: Row) -> Job:
    kind, *rest = row
    return Job(JobKind(kind), *rest)
