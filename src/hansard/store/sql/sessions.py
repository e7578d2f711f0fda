"""Owns the SQL of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.paging import Page, Window
from hansard.domain.sessions import Session
from hansard.domain.vocabulary import Origin
from hansard.store.sql.rows import Row, Where, decoding, never_given, packed, page, text_cursor, unpacked

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

SELECT = """
SELECT s.id, s.focus, s.issues, s.summary, s.state, a.name, s.run_id, s.version, s.started_at, s.ended_at,
       s.updated_at, s.salt, s.origin
FROM sessions s
JOIN actors a ON a.project_id = s.project_id AND a.key = s.opened_by_key
WHERE """
_INSERT = """
INSERT INTO sessions (project_id, id, focus, issues, summary, state, opened_by_key, run_id, version, started_at,
    ended_at, updated_at, salt, origin)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_UPDATE = """
UPDATE sessions SET focus = ?, issues = ?, summary = ?, state = ?, version = ?, ended_at = ?, updated_at = ?,
    salt = ?, origin = ?
WHERE project_id = ? AND id = ?"""


class SqlSessions:
    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def insert(self, session: Session) -> None:
        self._connection.execute(
            _INSERT,
            (
                self._project_id, session.id, session.focus, packed(session.issues), session.summary, session.state,
                key_of(session.opened_by), session.run_id, session.version, session.started_at, session.ended_at,
                session.updated_at, session.salt, session.origin,
            ),
        )  # fmt: skip

    def update(self, session: Session) -> None:
        self._connection.execute(
            _UPDATE,
            (
                session.focus, packed(session.issues), session.summary, session.state, session.version,
                session.ended_at, session.updated_at, session.salt, session.origin, self._project_id, session.id,
            ),
        )  # fmt: skip

    def get(self, session_id: str) -> Session | None:
        return self._one("s.id = ?", session_id)

    def current(self) -> Session | None:
        return self._one("s.ended_at IS NULL")

    def page(self, window: Window) -> Page[Session]:
        where = Where("s.project_id = ?", self._project_id)
        if window.cursor:
            if self.get(text_cursor(window.cursor)) is None:
                raise never_given(window.cursor)
            where.add(
                "(s.started_at, s.id) <"
                " (SELECT started_at, id FROM sessions WHERE project_id = s.project_id AND id = ?)",
                window.cursor,
            )
        rows = self._connection.execute(
            f"{SELECT}{where} ORDER BY s.started_at DESC, s.id DESC LIMIT ?",
            (*where.values, window.limit + 1),
        )
        return page(rows, window, session_of, lambda session: session.id)

    def _one(self, condition: str, *values: str) -> Session | None:
        row = self._connection.execute(
            f"{SELECT}s.project_id = ? AND {condition}", (self._project_id, *values)
        ).fetchone()
        return session_of(row) if row else None


@decoding
def session_of(row: Row) -> Session:
    id, focus, issues, *rest = row[:-1]
    return Session(id, focus, unpacked(issues), *rest)._replace(origin=Origin(row[-1]) if row[-1] else None)
