"""Owns the SQL of answers that are kept for requests that may come again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hansard.domain.idempotency import UNANSWERED, KeptAnswer
from hansard.store.sql.rows import Row, decoding

if TYPE_CHECKING:
    from collections.abc import Container

    from hansard.store.sql.connection import Connection

_ONE = " WHERE project_id = ? AND caller = ? AND key = ?"
_INSERT = """
INSERT INTO idempotency_keys (project_id, caller, key, digest, started_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING RETURNING started_at"""
_TAKE_OVER = f"UPDATE idempotency_keys SET digest = ?, started_at = ?{_ONE} AND started_at = ? AND status IS NULL"
_NOTE_WORK = f"""
UPDATE idempotency_keys SET status = {UNANSWERED}, digest = coalesce(?, digest){_ONE}
    AND started_at = ? AND coalesce(status, {UNANSWERED}) = {UNANSWERED} RETURNING started_at"""
_FINISH = f"UPDATE idempotency_keys SET status = ?, headers = ?, body = ?{_ONE} AND started_at = ?"


class SqlAnswers:
    def __init__(
        self, connection: Connection, project_id: str, now: int, emptied: Container[tuple[str, str]] = ()
    ) -> None:
        """`emptied` are the requests, by caller and key, that this transaction itself has taken the words of."""
        self._connection = connection
        self._project_id = project_id
        self._now = now
        self._emptied = emptied

    def begin(self, caller: str, key: str, digest: bytes) -> bool:
        """Notes that somebody works on the request; False if the key is known."""
        row = self._connection.execute(_INSERT, (self._project_id, caller, key, digest, self._now)).fetchone()
        return row is not None

    def get(self, caller: str, key: str) -> KeptAnswer | None:
        row = self._connection.execute(
            f"SELECT digest, started_at, status, headers, body FROM idempotency_keys{_ONE}",
            (self._project_id, caller, key),
        ).fetchone()
        return _answer(row) if row else None

    def take_over(self, caller: str, key: str, given_up: KeptAnswer, digest: bytes) -> bool:
        """Whether the request is now worked on by this caller, and not by another one that was faster."""
        row = self._connection.execute(
            f"{_TAKE_OVER} RETURNING started_at",
            (digest, self._now, self._project_id, caller, key, given_up.started_at),
        ).fetchone()
        return row is not None

    def note_work(self, caller: str, key: str, started_at: int, digest: bytes) -> bool:
        """Whether the request was still this caller's to do."""
        # What the request itself forgot is not in its answer, so that may be kept; others' forgetting stays marked.
        known = digest if (caller, key) in self._emptied else None
        row = self._connection.execute(_NOTE_WORK, (known, self._project_id, caller, key, started_at)).fetchone()
        return row is not None

    def finish(self, caller: str, key: str, answer: KeptAnswer) -> None:
        """Keeps the answer, unless the request was given up and is another's by now."""
        headers = json.dumps(dict(answer.headers), separators=(",", ":"))
        self._connection.execute(
            _FINISH,
            (answer.status, headers, answer.body, self._project_id, caller, key, answer.started_at),
        )

    def drop(self, caller: str, key: str, started_at: int) -> None:
        """Forgets a request of which nothing was done."""
        self._connection.execute(
            f"DELETE FROM idempotency_keys{_ONE} AND started_at = ? AND status IS NULL",
            (self._project_id, caller, key, started_at),
        )

    def drop_before(self, at: int) -> None:
        """Deletes what was begun before this time, in this project."""
        self._connection.execute(
            "DELETE FROM idempotency_keys WHERE project_id = ? AND started_at < ?", (self._project_id, at)
        )


@decoding
def _answer(row: Row) -> KeptAnswer:
    digest, started_at, status, headers, body = row
    told = None if body is None else bytes(body)
    return KeptAnswer(bytes(digest), started_at, status, json.loads(headers or "{}"), told)
