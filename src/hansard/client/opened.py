"""Owns an open client: a server in the place of a store, with the calls that make sense from afar."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from hansard.app import Hansard
from hansard.app import _archived as archived
from hansard.client import records
from hansard.client.connection import TIMEOUT_SECONDS, Wire
from hansard.client.project import RemoteProject
from hansard.client.refusals import OF_A_STORE, PARTS_OF_A_STORE, refusing
from hansard.client.seated import Caller, refuse_local, said
from hansard.domain.actors import Actor
from hansard.domain.errors import Impersonation, Invalid, ProjectExists, Unauthenticated, UnknownProject
from hansard.domain.projects import Project as ProjectRecord
from hansard.domain.projects import canonical_key
from hansard.settings import load

if TYPE_CHECKING:
    from hansard.clock import Clock
    from hansard.domain.findings import Finding
    from hansard.domain.paging import Page
    from hansard.services.backup import BackedUp
    from hansard.services.backup import Progress as Bar
    from hansard.settings import Settings

TOKEN_VARIABLE = "HANSARD_TOKEN"  # noqa: S105


@refusing(OF_A_STORE, PARTS_OF_A_STORE)
class Client(Hansard):
    """A server, used as a store is used. Safe to use from many threads; close it, or use it as a context manager."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._caller = Caller(wire)

    @classmethod
    def open(
        cls,
        target: str | Path | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        must_exist: bool = False,  # noqa: ARG003
        as_is: bool = False,  # noqa: ARG003
        token: str | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> Self:
        """Opens the server at `http://…` or `https://…`. Nothing is sent before the first call.

        The token is given here or in HANSARD_TOKEN; it says who acts.
        """
        refuse_local(settings=settings, clock=clock)
        shown = token if token is not None else os.environ.get(TOKEN_VARIABLE)
        if not shown:
            raise Unauthenticated(
                f"Give a token: token=… or {TOKEN_VARIABLE}. `hansard token create` makes one on the server's machine."
            )
        if not isinstance(target, str):
            raise Invalid("Give the server's address as http://host:port or https://host.")
        return cls(Wire(target, shown, timeout_seconds=timeout_seconds))

    @property
    def actor(self) -> Actor:
        """Whom the token speaks for."""
        return self._caller.actor

    def project(
        self,
        key: str | None = None,
        *,
        create: bool = False,
        root: str | Path | None = None,
        name: str | None = None,
        actor: Actor | None = None,
        cwd: str | Path | None = None,
    ) -> RemoteProject:
        """The project with this key. An actor may be named, and must be the one that the token speaks for."""
        refuse_local(root=root, cwd=cwd)
        if key is None:
            raise Invalid("Say which project is meant: a server has no working directory.")
        if actor is not None and (actor.key, actor.roles) != (self.actor.key, self.actor.roles):
            raise Impersonation(f"The token is {self.actor.name}'s ({self.actor.role}); it cannot act as {actor.name}.")
        return RemoteProject(self._wire, self._found(key, name, create=create), self._caller)

    def projects(self) -> tuple[ProjectRecord, ...]:
        def fetched(cursor: str | None) -> Page[ProjectRecord]:
            return records.page(ProjectRecord, self._wire.ask("GET", ["projects"], query={"cursor": cursor}).json)

        return tuple(one for page in records.pages(fetched) for one in page.items)

    def doctor(
        self, keys: Iterable[str] | None = None, *, full: bool = False, progress: Bar | None = None
    ) -> tuple[Finding, ...]:
        refuse_local(keys=keys, progress=progress)
        found: tuple[Finding, ...] = records.findings(self._wire.ask("GET", ["doctor"], query={"full": full}).json)
        return found

    def backup(self, path: str | Path, *, replace: bool = False, progress: Bar | None = None) -> BackedUp:
        """Downloads everything that the server's store holds to one file, and verifies the file here too."""
        from hansard.services import backup

        refuse_local(progress=progress)
        file = Path(path).absolute()
        with backup.in_place(file, replace=replace) as temporary:
            with (
                self._wire.streamed(["backup"], accept="application/vnd.sqlite3") as answer,
                temporary.open("wb") as into,
            ):
                into.writelines(answer)
            with backup.scratch("hansard-backup-") as folder:
                kept = Hansard._unpacked(temporary, folder / "archive.db", load(), None)  # noqa: SLF001
            settings = archived(temporary)
        return backup.BackedUp(str(file), file.stat().st_size, kept, settings)

    def close(self) -> None:
        self._wire.close()

    def _found(self, key: str, name: str | None, *, create: bool) -> ProjectRecord:
        try:
            return self._record(key)
        except UnknownProject:
            if not create:
                raise
        try:
            return records.read(ProjectRecord, self._wire.ask("POST", ["projects"], body=said(key=key, name=name)).json)
        except ProjectExists:
            # Somebody else may have been first; then theirs is the one meant.
            return self._record(key)

    def _record(self, key: str) -> ProjectRecord:
        return records.read(ProjectRecord, self._wire.ask("GET", ["projects", canonical_key(key)]).json)
