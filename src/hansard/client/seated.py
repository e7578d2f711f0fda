"""Owns who is calling and how a call reaches its project on the server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from hansard.client import records
from hansard.domain.actors import filter_key
from hansard.domain.errors import Impersonation, Unsupported
from hansard.domain.vocabulary import FactKind, Importance, MemoryType, Origin, Role, Scope, Source, parse
from hansard.facade.seated import REDACTIONS_MAX, SeatedProject

if TYPE_CHECKING:
    from hansard.client.connection import Query, Wire
    from hansard.domain.actors import Actor
    from hansard.domain.projects import Project as ProjectRecord
    from hansard.guard.gate import Redaction


VOCABULARIES: Mapping[str, type[StrEnum]] = {
    "type": MemoryType, "importance": Importance, "scope": Scope, "source": Source, "kind": FactKind, "origin": Origin,
}  # fmt: skip
"""The fields of a memory that have a word of a closed vocabulary. An address takes it in its exact spelling only."""


class Caller:
    """Whom the token speaks for, asked once and only if a call names somebody."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._actor: Actor | None = None

    @property
    def actor(self) -> Actor:
        if self._actor is None:
            self._actor = records.actor(self._wire.ask("GET", ["caller"]).json)
        return self._actor


class RemoteSeat(SeatedProject):
    """One project of a server, acted in as the actor whom the token names."""

    def __init__(self, wire: Wire, record: ProjectRecord, caller: Caller) -> None:
        self._wire = wire
        self._record = record
        self._caller = caller
        self._redactions: list[Redaction] = []
        self._held_back = 0

    def owner(self, agent: str | None) -> str:
        return agent if agent is not None else self._caller.actor.name

    def _ask(
        self, method: str, *parts: str, query: Query | None = None, body: Any = None, version: int | None = None,
        writes: bool = True,
    ) -> Any:  # fmt: skip
        answer = self._wire.ask(
            method, ["projects", self.key, *parts], query=query, body=body, version=version, writes=writes
        )
        for one in records.redactions(answer.redacted):
            if len(self._redactions) < REDACTIONS_MAX:
                self._redactions.append(one)
        self._held_back += answer.held
        return answer.json

    def _named(self, *, agent: str | None = None, by: str | None = None) -> None:
        """Refuses a name that is not the caller's, where the request has no room for it; the server judges the rest."""
        if agent is None and by is None:
            return
        actor = self._caller.actor
        acts_for_others = bool(actor.roles & {Role.HUMAN, Role.SERVICE})
        for claimed, allowed in ((by, False), (agent, acts_for_others)):
            if claimed is not None and not allowed and filter_key(claimed) != actor.key:
                raise Impersonation(f"This caller is {actor.name} and cannot act as {claimed}.")


def said(**fields: Any) -> dict[str, Any]:
    """The fields of a request without those that were left out."""
    return {name: value for name, value in fields.items() if value is not None}


def words(values: Iterable[str] | str | None, *, separated: bool = False) -> Any:
    """A list as JSON has it. Tags may be given as one text with commas."""
    if values is None:
        return None
    if isinstance(values, str):
        return values.split(",") if separated else [values]
    return list(values) if isinstance(values, Iterable) else values


def refuse_local(**given: object) -> None:
    """Refuses what only makes sense on the machine of the server."""
    for name, value in given.items():
        if value is not None:
            raise Unsupported(f"{name} cannot be given to a server; leave it out.")


def fields_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a memory as a request has them: lists of words, and times as people read them."""
    from hansard.clock import iso

    fields = {name: value for name, value in item.items() if value is not None}
    for name in VOCABULARIES.keys() & fields:
        fields[name] = parse(VOCABULARIES[name], fields[name], field=name)
    for name in ("tags", "citations"):
        if name in fields:
            fields[name] = words(fields[name], separated=name == "tags")
    if isinstance(fields.get("occurred_at"), int) and not isinstance(fields["occurred_at"], bool):
        fields["occurred_at"] = iso(fields["occurred_at"])
    return fields
