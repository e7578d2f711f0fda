"""Owns the SQL of names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.actors import KnownActor, key_of
from hansard.domain.vocabulary import Role

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection


class SqlActors:
    def __init__(self, connection: Connection, project_id: str, now: int) -> None:
        self._connection = connection
        self._project_id = project_id
        self._now = now
        self._names: dict[str, str] = {}

    def register(self, name: str, role: Role) -> str:
        """The spelling first seen of this name, which may be this one."""
        key = key_of(name)
        known = self._names.get(key)
        if known is None:
            found = self._connection.execute(
                "SELECT name FROM actors WHERE project_id = ? AND key = ?", (self._project_id, key)
            ).get
            if found is None:
                self._connection.execute(
                    "INSERT INTO actors (project_id, key, name, role, created_at) VALUES (?, ?, ?, ?, ?)",
                    (self._project_id, key, name, role.value, self._now),
                )
            known = self._names[key] = name if found is None else str(found)
        return known

    def respell(self, name: str) -> None:
        """Shows a known name in this spelling from now on."""
        key = key_of(name)
        self._names[key] = name
        self._connection.execute(
            "UPDATE actors SET name = ? WHERE project_id = ? AND key = ?", (name, self._project_id, key)
        )

    def all(self) -> tuple[KnownActor, ...]:
        rows = self._connection.execute(
            "SELECT key, name, role, created_at FROM actors WHERE project_id = ? ORDER BY key",
            (self._project_id,),
        )
        return tuple(KnownActor(*row) for row in rows)
