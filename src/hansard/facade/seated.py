"""Owns who is calling: a trusted caller who says who acts, or an actor that was bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hansard.domain.actors import Actor, filter_key
from hansard.domain.errors import Impersonation, Invalid
from hansard.domain.vocabulary import Role
from hansard.index.shelf import Shelf
from hansard.services.seat import Seat
from hansard.settings import Settings, login_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from hansard.domain.projects import Project as ProjectRecord
    from hansard.guard.gate import Redaction
    from hansard.store.ports import Store


REDACTIONS_MAX = 1_000
"""How many a project object remembers; a program that never asks must not fill its memory with them."""


class SeatedProject:
    """One project, as a trusted caller or, with an actor bound, as that actor.

    A trusted caller says who acts: `agent` names an agent, `by` a person; neither means the local user. A bound
    actor may repeat its own name and never another agent's.
    """

    def __init__(
        self,
        store: Store,
        record: ProjectRecord,
        settings: Settings,
        shelf: Shelf,
        actor: Actor | None = None,
        changed: Callable[[ProjectRecord], None] | None = None,
    ) -> None:
        self._store = store
        self._shelf = shelf
        self._record = record
        self._settings = settings
        self._actor = actor
        self._changed = changed
        self._redactions: list[Redaction] = []
        self._held_back = 0

    @property
    def id(self) -> str:
        return self._record.id

    @property
    def key(self) -> str:
        return self._record.key

    @property
    def record(self) -> ProjectRecord:
        return self._record

    @property
    def redactions(self) -> tuple[Redaction, ...]:
        """The secrets that were taken out of what was written through this object, oldest first: field and kind.

        Of all writes since it was made, or since `clear_told`, up to 1,000.
        """
        return tuple(self._redactions)

    @property
    def held_back(self) -> int:
        """How many of the records that were written through this object were held back for review by it.

        Of all writes since it was made, or since `clear_told`.
        """
        return self._held_back

    def clear_told(self) -> None:
        """Lets `redactions` and `held_back` begin anew. Called before a write, they speak of that write alone."""
        self._redactions.clear()
        self._held_back = 0

    def _held(self, count: int) -> None:
        self._held_back += count

    def _told(self, redaction: Redaction) -> None:
        if len(self._redactions) < REDACTIONS_MAX:
            self._redactions.append(redaction)

    def seat(self, *, agent: str | None = None, by: str | None = None) -> Seat:
        """The seat a call acts from. Raises Impersonation if `by` is not the bound actor."""
        actor = self._actor
        if actor is None:
            if by is not None:
                actor = Actor(by, Role.HUMAN)
            elif agent is not None:
                actor = Actor(agent, Role.AGENT)
            else:
                actor = Actor(self._settings.user or login_name(), Role.HUMAN)
        seat = Seat(
            self._store, self._record, actor, self._settings, self._shelf, self._changed, told=self._told,
            waits=self._held,
        )  # fmt: skip
        if self._actor is not None:
            self._refuse_other_name(seat, agent, by)
        return seat

    @staticmethod
    def _refuse_other_name(seat: Seat, agent: str | None, by: str | None) -> None:
        """A bound actor acts as itself. People and services may name the agent they act for, nobody another person."""
        actor = seat.actor
        acts_for_others = bool(actor.roles & {Role.HUMAN, Role.SERVICE})
        for claimed, allowed in ((by, False), (agent, acts_for_others)):
            if claimed is not None and not allowed and filter_key(claimed) != actor.key:
                refusal = Impersonation(f"This caller is {actor.name} and cannot act as {claimed}.")
                seat.note_refusal(refusal)
                raise refusal

    def owner(self, agent: str | None) -> str:
        if agent is not None:
            return agent
        if self._actor is not None:
            return self._actor.name
        if self._settings.agent is not None:
            return self._settings.agent
        raise Invalid("Say which agent this is for: name it, or set HANSARD_AGENT.")
