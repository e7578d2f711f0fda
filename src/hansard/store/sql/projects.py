"""Owns the SQL of projects and their folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.ledger import GENESIS
from hansard.domain.projects import Project, Root

if TYPE_CHECKING:
    from hansard.store.sql.connection import Connection

_COLUMNS = "p.id, p.key, p.name, p.created_at"


class SqlProjects:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def insert(self, project: Project) -> None:
        self._connection.execute(
            "INSERT INTO projects (id, key, name, created_at) VALUES (?, ?, ?, ?)",
            (project.id, project.key, project.name, project.created_at),
        )
        self._connection.execute(
            "INSERT INTO heads (project_id, seq, hash, at, entries, decisions) VALUES (?, 0, ?, 0, 0, 0)",
            (project.id, GENESIS),
        )

    def by_key(self, key: str) -> Project | None:
        row = self._connection.execute(f"SELECT {_COLUMNS} FROM projects p WHERE p.key = ?", (key,)).fetchone()
        return Project(*row) if row else None

    def by_root(self, root: Root) -> Project | None:
        row = self._connection.execute(
            f"SELECT {_COLUMNS} FROM project_roots r JOIN projects p ON p.id = r.project_id"
            " WHERE r.machine = ? AND r.path = ?",
            (root.machine, root.path),
        ).fetchone()
        return Project(*row) if row else None

    def all(self) -> tuple[Project, ...]:
        rows = self._connection.execute(f"SELECT {_COLUMNS} FROM projects p ORDER BY p.key")
        return tuple(Project(*row) for row in rows)

    def add_root(self, project_id: str, root: Root, *, now: int) -> None:
        self._connection.execute(
            "INSERT INTO project_roots (project_id, machine, path, added_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (project_id, root.machine, root.path, now),
        )

    def roots(self, project_id: str) -> tuple[Root, ...]:
        rows = self._connection.execute(
            "SELECT machine, path FROM project_roots WHERE project_id = ? ORDER BY added_at, machine, path",
            (project_id,),
        )
        return tuple(Root(*row) for row in rows)
