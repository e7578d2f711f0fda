"""Owns the seat: one actor at one project. Every service is given one and nothing else to reach the store by."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import text
from hansard.domain.actors import Actor, key_of
from hansard.domain.errors import (
    Denied,
    HansardError,
    HiddenMemory,
    RunEnded,
    Unavailable,
    UnknownMemory,
    UnknownRun,
)
from hansard.domain.identifiers import is_uuid
from hansard.domain.ledger import Draft
from hansard.domain.limits import SALT_BYTES
from hansard.domain.policy import NO_MATTER, Act, Matter, require
from hansard.domain.projects import Project
from hansard.domain.vocabulary import Role, Subject
from hansard.index.shelf import Shelf
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
    shelf: Shelf

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with self._noting_refusals(), self.store.read(self.project.id) as tx:
            yield tx

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A write whose actor is on record before anything refers to it."""
        with self._noting_refusals(), self.store.write(self.project.id) as tx:
            register(tx, self.actor)
            yield tx

    def require(self, act: Act, matter: Matter = NO_MATTER) -> None:
        """Asks the policy before any transaction is open. Raises Denied or Impersonation."""
        with self._noting_refusals():
            require(self.actor, act, matter)

    def note_refusal(self, refusal: HansardError) -> None:
        """Keeps in the ledger that something was refused; the reader of an error learns less than the record."""
        details = {"refusal": type(refusal).__name__}
        if isinstance(refusal, Denied) and refusal.act:
            details["act"] = refusal.act
        draft = Draft(
            "policy.refused", Subject.PROJECT, self.project.id, self.actor.key, self.actor.role, None, None, details
        )
        # A store that cannot be written must not turn a refusal into another error.
        with suppress(Unavailable), self.store.write(self.project.id) as tx:
            tx.ledger.append([draft])

    @contextmanager
    def _noting_refusals(self) -> Iterator[None]:
        try:
            yield
        except Denied as refusal:
            self.note_refusal(refusal)
            raise
        except HiddenMemory as refusal:
            self.note_refusal(refusal)
            # Outside, forbidden equals missing, and so does the class of the error.
            raise UnknownMemory(refusal.message) from None


def register(tx: Transaction, actor: Actor) -> str:
    """The actor's name in the spelling first seen in this project."""
    return tx.actors.register(actor.name, min(actor.roles, default=Role.AGENT))


def register_agent(tx: Transaction, name: str) -> str:
    return tx.actors.register(name, Role.AGENT)


def fresh_salt() -> bytes:
    return os.urandom(SALT_BYTES)


def need_run(tx: Transaction, run_id: str) -> Run:
    run = find_run(tx, text.reference(run_id, field="run"))
    assert run is not None, "a run id was given, so it was found or refused"
    return run


def find_own_run(tx: Transaction, seat: Seat, run_id: str | None, agent: str) -> Run | None:
    """The open run a record is made in: the agent's own, unless a person or a service says otherwise."""
    run = find_run(tx, run_id)
    if run is None:
        return None
    if not run.is_open:
        raise RunEnded(f"The run {run.id} ended as {run.outcome} already; nothing more is made in it.")
    if key_of(run.agent) != key_of(agent):
        require(seat.actor, Act.RUN, Matter(owner=run.agent))
    return run


def find_run(tx: Transaction, run_id: str | None) -> Run | None:
    """The run a record is made in, which must exist; None for a record made outside any run."""
    if run_id is None:
        return None
    wanted = text.reference(run_id, field="run")
    run = tx.runs.get(wanted) if is_uuid(wanted) else None
    if run is None:
        raise UnknownRun(f"There is no run {wanted[:80]!r} in this project.")
    return run
