"""Owns the SQL of tokens. Looking one up and listing them goes across projects, as far as the store lets it be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.tokens import Token
from hansard.domain.vocabulary import Role
from hansard.store.sql.rows import Row, decoding

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

_SELECT = """
SELECT project_id, id, digest, agent, role, created_by, created_at, expires_at, revoked_at FROM tokens"""


class SqlTokens:
    def __init__(self, connection: Connection, project_id: str, now: int) -> None:
        self._connection = connection
        self._project_id = project_id
        self._now = now

    def insert(self, token: Token) -> None:
        self._connection.execute(
            "INSERT INTO tokens (project_id, id, digest, agent, role, created_by, created_at, expires_at, revoked_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                token.project_id, token.id, token.digest, token.agent, token.role, token.created_by, token.created_at,
                token.expires_at, token.revoked_at,
            ),
        )  # fmt: skip

    def by_digest(self, digest: bytes) -> tuple[Token, ...]:
        """The rows of one token in every project that may be seen."""
        rows = self._connection.execute(f"{_SELECT} WHERE digest = ? ORDER BY project_id", (digest,))
        return tuple(map(_token, rows))

    def all(self) -> tuple[Token, ...]:
        """Every row that may be seen, oldest token first."""
        return tuple(map(_token, self._connection.execute(f"{_SELECT} ORDER BY id, project_id", ())))

    def revoke(self, token_id: str) -> bool:
        """Ends the token in this project; whether there was anything to end."""
        done = self._connection.execute(
            "UPDATE tokens SET revoked_at = ? WHERE project_id = ? AND id = ? AND revoked_at IS NULL RETURNING id",
            (self._now, self._project_id, token_id),
        )
        return done.get is not None

    def sees_all(self) -> bool:
        """Whether a look goes across all projects; row security shows those of the transaction's own only."""
        return not self._connection.is_filtered("tokens")


@decoding
def _token(row: Row) -> Token:
    project_id, id, digest, agent, role, *rest = row
    return Token(project_id, id, bytes(digest), agent, Role(role), *rest)
