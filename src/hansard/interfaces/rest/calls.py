"""Owns how a request reaches a project: as the caller that its token names, and nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Path, Request

from hansard.domain.policy import Act, may
from hansard.interfaces.server.auth import Caller, bearer_of, bound_project, caller_of
from hansard.services import grant

if TYPE_CHECKING:
    from hansard.app import Hansard
    from hansard.project import Project

Key = Annotated[str, Path(description="The project's key.", examples=["shop"])]


def opened(request: Request, key: str) -> Project:
    """The project, acted in as the caller. Raises UnknownProject if it is not there for this caller."""
    known: Project | None = getattr(request.state, "opened", None)
    if known is not None and known.key == key:
        return known
    request.state.opened = at = bound_project(request, caller_of(request), key)
    return at


def redacted(request: Request) -> str | None:
    """What the guard took out of what the request brought, as `field=kind`; None if it took nothing."""
    at: Project | None = getattr(request.state, "opened", None)
    told = dict.fromkeys(f"{one.field}={one.kind}" for one in at.redactions) if at is not None else ()
    return ", ".join(told) or None


def held_back(request: Request) -> int:
    """How many of the records that the request wrote wait for review now."""
    at: Project | None = getattr(request.state, "opened", None)
    return at.held_back if at is not None else 0


def placeless(request: Request, shape: dict[str, Any]) -> dict[str, Any]:
    """The shape without where the folder is and what a write there failed of, unless the caller sets projects up."""
    if may(caller_of(request).actor, Act.SET_UP):
        return shape
    return {name: None if name in {"root", "error"} else value for name, value in shape.items()}


def caller(request: Request) -> Caller:
    return caller_of(request)


def hansard_of(request: Request) -> Hansard:
    found: Hansard = request.app.state.hansard
    return found


def is_still_known(request: Request) -> bool:
    """Whether the caller of a request that goes on and on is still one. The store is asked again."""
    shown = bearer_of(request)
    return shown is not None and grant.whose(hansard_of(request).store, shown) is not None
