"""Owns the SQL of earlier versions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.chain import canonical
from hansard.domain.ledger import Revision
from hansard.domain.vocabulary import Subject
from hansard.store.sql.rows import Row, decoding

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

_SELECT = """
SELECT r.subject, r.subject_id, r.version, r.valid_from, r.valid_until, coalesce(a.name, r.changed_by_key), r.body
FROM revisions r
LEFT JOIN actors a ON a.project_id = r.project_id AND a.key = r.changed_by_key
WHERE r.project_id = ?"""


class SqlRevisions:
    def __init__(self, connection: Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def insert(self, subject: Subject, subject_id: str, revision: Revision) -> None:
        self._connection.execute(
            "INSERT INTO revisions (project_id, subject, subject_id, version, valid_from, valid_until, changed_by_key,"
            " body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._project_id, subject, subject_id, revision.version, revision.valid_from, revision.valid_until,
                key_of(revision.changed_by), canonical(revision.body),
            ),
        )  # fmt: skip

    def of(self, subject: Subject, subject_id: str) -> tuple[Revision, ...]:
        """The versions before the current one, oldest first."""
        rows = self._connection.execute(
            f"{_SELECT} AND r.subject = ? AND r.subject_id = ? ORDER BY r.valid_until, r.version",
            (self._project_id, subject, subject_id),
        )
        return tuple(_revision(row[2:]) for row in rows)

    def last_end(self, subject: Subject, subject_id: str) -> int:
        """When the last of the earlier versions ended; 0 if there is none."""
        ended = self._connection.execute(
            "SELECT max(valid_until) FROM revisions WHERE project_id = ? AND subject = ? AND subject_id = ?",
            (self._project_id, subject, subject_id),
        ).get
        return ended if isinstance(ended, int) else 0

    def walk(self) -> Iterator[tuple[Subject, str, Revision]]:
        """Every earlier version of every record, without holding them all."""
        rows = self._connection.stream(_SELECT, (self._project_id,))
        return ((Subject(row[0]), row[1], _revision(row[2:])) for row in rows)

    def erase(self, subject: Subject, subject_id: str) -> None:
        self._connection.execute(
            "DELETE FROM revisions WHERE project_id = ? AND subject = ? AND subject_id = ?",
            (self._project_id, subject, subject_id),
        )


@decoding
def _revision(row: Row) -> Revision:
    version, valid_from, valid_until, changed_by, body = row
    said = json.loads(body)
    if not isinstance(said, dict):
        raise TypeError("a version is kept as its fields")
    return Revision(version, valid_from, valid_until, changed_by, said)
