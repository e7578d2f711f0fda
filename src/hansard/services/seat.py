"""Owns the seat: one actor at one project. Every service is given one and nothing else to reach the store by."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import actors, text
from hansard.domain.actors import Actor, key_of, shape_of
from hansard.domain.errors import (
    Denied,
    HansardError,
    HiddenMemory,
    Invalid,
    RunEnded,
    UnknownMemory,
    UnknownRun,
    quoted,
)
from hansard.domain.identifiers import is_uuid
from hansard.domain.limits import SALT_BYTES
from hansard.domain.policy import NO_MATTER, Act, Matter, require
from hansard.domain.projects import Project
from hansard.domain.vocabulary import Role
from hansard.index.shelf import Shelf
from hansard.settings import Settings

if TYPE_CHECKING:
    from hansard.domain.runs import Run
    from hansard.guard.gate import Redaction
    from hansard.store.ports import Store, Transaction


CLOCK_BEHIND_US_MAX = 5 * 60 * 1_000_000
"""Clocks of a team differ by less. With more, times say little until the clock has caught up."""
NAMES_REMEMBERED_MAX = 8_192
"""Names come again with every write, and are looked at once."""
HARMLESS = re.compile(r"[A-Za-z0-9._-]{1,15}|[a-z]{1,10}(?:[._-][a-z]{1,10}){0,4}(?:[._-]?[0-9]{1,3})?")
"""Names that are too short for any secret, or of too common words. The scanner is not loaded for them."""
SALTS_DRAWN = 64
_warned: set[str] = set()


class Seat(NamedTuple):
    """Who acts, in which project, on which store, under which settings."""

    store: Store
    project: Project
    actor: Actor
    settings: Settings
    shelf: Shelf
    changed: Callable[[Project], None] | None = None
    """Is told after a change is committed; files follow the record by it."""
    wait_seconds: float | None = None
    """The longest wait for a store that does not answer; without one, as long as the store waits by itself."""
    told: Callable[[Redaction], None] | None = None
    """Is told of every secret that was taken out of what is about to be written."""
    waits: Callable[[int], None] | None = None
    """Is told after a write how many records it put into quarantine."""

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with self._noting_refusals(), self.store.read(self.project.id, wait_seconds=self.wait_seconds) as tx:
            yield tx

    @contextmanager
    def writing(self, *, ends: bool = False) -> Iterator[Transaction]:
        """A write whose actor is on record before anything refers to it.

        One that only `ends` something is counted, and goes through however much was written in the minute.
        """
        with self._noting_refusals(), self.store.write(self.project.id, wait_seconds=self.wait_seconds) as tx:
            if tx.ledger.clock_behind > CLOCK_BEHIND_US_MAX:
                _warn_of_clock(self.project, tx.ledger.clock_behind)
            register(tx, self.actor)
            yield tx
            grown = tx.ledger.has_grown
            if grown:
                # Imported here because most commands only read.
                from hansard.services.limit import count_write
                from hansard.services.repeat import note_work

                count_write(tx, self, ends=ends)
                note_work(self.store, tx)
        if grown and self.waits is not None:
            held = sum(since == tx.now for found in (tx.memories.held, tx.inbox.held) for since in found.values())
            if held:
                self.waits(held)
        if grown and self.changed is not None:
            self.changed(self.project)

    def require(self, act: Act, matter: Matter = NO_MATTER) -> None:
        """Asks the policy before any transaction is open. Raises Denied or Impersonation."""
        with self._noting_refusals():
            require(self.actor, act, matter)

    def note_refusal(self, refusal: HansardError) -> None:
        # Imported here because hardly anybody is refused.
        from hansard.services.turn_away import note_refusal

        note_refusal(self, refusal)

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


def lived_until(tx: Transaction) -> int:
    """The time by which a memory has expired or not: that of this clock, if the record's lies far ahead of it.

    One machine that was ahead once must not make the memories of all others expire.
    """
    behind = tx.ledger.clock_behind
    return tx.now - behind if behind > CLOCK_BEHIND_US_MAX else tx.now


def clock_told(project: Project, behind_us: int) -> str:
    """What it means that the last change of a project lies ahead of the clock."""
    return (
        f"The last change of the project {project.key!r} lies {behind_us // 60_000_000:,} minutes ahead of this clock;"
        " until the clock is past it, all changes get that time, in the right order."
    )


def _warn_of_clock(project: Project, behind_us: int) -> None:
    if project.id in _warned:
        return
    _warned.add(project.id)
    # Imported here because few processes have anything to say.
    import logging

    logging.getLogger("hansard").warning("%s `hansard doctor` says what to do.", clock_told(project, behind_us))


def register(tx: Transaction, actor: Actor) -> str:
    """The actor's name in the spelling first seen in this project.

    Raises GuardRefused if it is a secret, and Invalid if it only looks like the name of somebody else.
    """
    refuse_name(tx, actor)
    return tx.actors.register(actor.name, min(actor.roles, default=Role.AGENT))


def refuse_name(tx: Transaction, actor: Actor) -> None:
    """The same before anything is written that has the name, whether or not the actor is registered by it."""
    refuse_secret_name(actor.name)
    refuse_unfit(tx, actor.name, actor.roles)


@lru_cache(maxsize=NAMES_REMEMBERED_MAX)
def refuse_secret_name(name: str) -> None:
    """Raises GuardRefused if the name is a secret, whatever its bearer is about to do."""
    if HARMLESS.fullmatch(name):
        return
    # Imported here because most commands only read, under a name that nobody has to scan.
    from hansard.services.admission import refuse_marks

    refuse_marks({"name": name})


def register_agent(tx: Transaction, name: str) -> str:
    refuse_secret_name(name)
    refuse_unfit(tx, name)
    return tx.actors.register(name, Role.AGENT)


def lookalike_of(tx: Transaction, name: str) -> str | None:
    """The name of somebody known here that this new one looks like, letter by letter; None if there is none."""
    if name.isascii():
        return None
    key, shape = key_of(name), shape_of(name)
    if shape == key or not shape.isascii():
        return None
    known = {one.key: one.name for one in tx.actors.all()}
    return None if key in known else known.get(shape)


def unfit(tx: Transaction, name: str, roles: Collection[Role] = (Role.AGENT,)) -> str | None:
    """Why this is no name for anybody new; None if it is one, or is known here from earlier."""
    why = actors.unfit(name, roles)
    if why is None:
        return None
    # A service in Hansard's own name is Hansard, and no sign that somebody else had it.
    key, any_role = key_of(name), why != actors.HANSARDS
    return None if any(one.key == key and (any_role or one.role != Role.SERVICE) for one in tx.actors.all()) else why


def refuse_unfit(tx: Transaction, name: str, roles: Collection[Role] = (Role.AGENT,)) -> None:
    if why := unfit(tx, name, roles):
        raise Invalid(f"The name {name!r} {why}; choose another.")
    other = lookalike_of(tx, name)
    if other is not None:
        raise Invalid(
            f"The name {name!r} looks like {other!r}, in letters of another script; choose one that does not."
        )


def fresh_salt() -> bytes:
    """Random bytes that nobody else has. Drawn for many at once: a batch needs ten thousand."""
    try:
        return _salts.pop()
    except IndexError:
        drawn = os.urandom(SALT_BYTES * SALTS_DRAWN)
        first, *others = (drawn[place : place + SALT_BYTES] for place in range(0, len(drawn), SALT_BYTES))
        _salts.extend(others)
        return first


_salts: deque[bytes] = deque()
# A forked process draws its own.
os.register_at_fork(after_in_child=_salts.clear)


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
        raise UnknownRun(f"There is no run {quoted(wanted)} in this project.")
    return run
