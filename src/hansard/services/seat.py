"""Owns the seat: one actor at one project. Every service is given one and nothing else to reach the store by."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain.actors import Actor
from hansard.domain.errors import UnknownRun
from hansard.domain.identifiers import is_uuid
from hansard.domain.limits import SALT_BYTES
from hansard.domain.projects import Project
from hansard.domain.vocabulary import Role
from hansard.settings import Settings

if TYPE_CHECKING:
    from hansard.domain.runs import Run
    from hansard.store.ports import Store, Transaction


class Seat(NamedTuple):
    """Who acts, in which project, on which store, under which settings."""

    store: Store
    project: Project
    actor: Actor
    settings: Settings

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with self.store.read(self.project.id) as tx:
            yield tx

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A write whose actor is on record before anything refers to it."""
        with self.store.write(self.project.id) as tx:
            register(tx, self.actor)
            yield tx


def register(tx: Transaction, actor: Actor) -> str:
    """The actor's name in the spelling first seen in this project."""
    return tx.actors.register(actor.name, min(actor.roles, default=Role.AGENT))


def register_agent(tx: Transaction, name: str) -> str:
    return tx.actors.register(name, Role.AGENT)


def fresh_salt() -> bytes:
    return os.urandom(SALT_BYTES)


def find_run(tx: Transaction, run_id: str | None) -> Run | None:
    """The run a record is made in, which must exist; None for a record made outside any run."""
    if run_id is None:
        return None
    run = tx.runs.get(run_id) if is_uuid(run_id) else None
    if run is None:
        raise UnknownRun(f"There is no run {run_id[:80]!r} in this project.")
    return run
