"""Owns what the query of a request may say: which records are wanted, and which page of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import Field

from hansard.domain.limits import PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX
from hansard.domain.turns import Mode
from hansard.domain.vocabulary import DecisionType, Importance, MemoryType, Scope, Source
from hansard.interfaces.rest.bodies import AsOf, Body


class Paged(Body):
    """Where a page begins, and how many items it may hold."""

    limit: Annotated[int, Field(ge=1, le=PAGE_ITEMS_MAX)] = PAGE_ITEMS_DEFAULT
    cursor: Annotated[str | None, Field(description="`next_cursor` of the page before.")] = None


class RunFilter(Paged):
    agent: str | None = None
    open_only: bool = False


class EntryFilter(Paged):
    status: Annotated[str, Field(description="pending, merged, rejected or all.")] = "pending"
    type: DecisionType | None = None
    agent: Annotated[str | None, Field(description="Only of this author.")] = None
    text: Annotated[str | None, Field(description="Only with this text in slug, title or content.")] = None


class DecisionFilter(Paged):
    status: Annotated[str, Field(description="active, superseded, archived or all.")] = "active"
    type: DecisionType | None = None
    agent: str | None = None
    text: Annotated[str | None, Field(description="Only with this text in title or content.")] = None
    as_of: AsOf = None


class MemoryFilter(Paged):
    agent: Annotated[str | None, Field(description="Only memories of this agent.")] = None
    type: MemoryType | None = None
    importance: Importance | None = None
    scope: Scope | None = None
    source: Source | None = None
    tags: list[str] = Field([], description="Only with one of these tags.")
    text: Annotated[str | None, Field(description="Only with this text in name or content.")] = None
    expired: Annotated[bool, Field(description="Show expired ones too.")] = False


class UsageFilter(Body):
    days: Annotated[int, Field(ge=1, le=3_650)] = 30


class SightingFilter(UsageFilter, Paged):
    memory_id: str | None = None
    task: Annotated[str | None, Field(description="Only for tasks with this text.")] = None


class ReceiptFilter(Paged):
    agent: Annotated[str | None, Field(description="Only receipts of this agent's blocks.")] = None


class TurnFilter(Body):
    """The turn that a block is made for, where nothing long is to be said and nothing is kept."""

    agent: str | None = None
    task: str | None = None
    mode: Mode = Mode.FULL
    run_id: str | None = None
    as_of: AsOf = None


class EventFilter(Paged):
    subject: Annotated[str | None, Field(description="Only events about this record: D-3, P-7, a slug or an id.")] = (
        None
    )


async def refuse_unknown(request: Request) -> None:
    """Raises RequestValidationError for a word in the query that the operation does not take.

    The framework asks this of a filter only. It would pass a misspelt word over wherever there is none.
    """
    taken = request.scope["route"].dependant.query_params
    if not request.query_params or any(one.name == "wanted" for one in taken):
        return
    known = {one.alias for one in taken}
    faults = [
        {"type": "extra_forbidden", "loc": ("query", name), "msg": "Extra inputs are not permitted"}
        for name in request.query_params
        if name not in known
    ]
    if faults:
        raise RequestValidationError(faults)
