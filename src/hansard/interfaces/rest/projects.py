"""Owns the addresses of projects and of who acts in them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from hansard.domain.errors import Denied
from hansard.interfaces import shapes
from hansard.interfaces.rest import bodies, examples, filters, models
from hansard.interfaces.rest.answers import answer, place
from hansard.interfaces.rest.calls import Key, caller, hansard_of, opened
from hansard.interfaces.rest.operations import Example, in_project, operation, router
from hansard.services import found

projects = router("projects")
agents = in_project("agents")


@operation(projects, "GET", "/projects", Example("A page of projects, by key.", models.Projects, examples.PROJECTS))
def list_(request: Request, wanted: Annotated[filters.Paged, Query()]) -> Response:
    """List the projects that the caller may enter."""
    who = caller(request)
    known = [one for one in hansard_of(request).projects() if who.may_enter(one.key)]
    rest = sorted((one for one in known if one.key > (wanted.cursor or "")), key=lambda one: one.key)
    shown = rest[: wanted.limit]
    more = shown[-1].key if len(rest) > len(shown) else None
    return answer({"items": [shapes.record(one) for one in shown], "next_cursor": more})


@operation(
    projects,
    "POST",
    "/projects",
    Example("The project was made.", models.Project, examples.PROJECT),
    status=201,
)
def create(request: Request, body: bodies.NewProject) -> Response:
    """Make a project. People and services may, with a token for all projects.

    Its folder is named on the server's machine, with `hansard init`.
    """
    who = caller(request)
    if who.projects is not None:
        raise Denied(f"{who.actor.name}'s token is for some projects only, and cannot make another one.")
    made = found.found(hansard_of(request).store, who.actor, key=body.key, name=body.name)
    return answer(shapes.record(made), status=201, location=place(made.key))


@operation(projects, "GET", "/projects/{project}", Example("The project.", models.Project, examples.PROJECT))
def get(request: Request, project: Key) -> Response:
    """Show a project."""
    return answer(shapes.record(opened(request, project).record))


@operation(
    projects,
    "GET",
    "/caller",
    Example("The caller.", models.CallerSeen, {"name": "tank", "roles": ["agent"], "projects": ["shop"]}),
)
def whoami(request: Request) -> Response:
    """Say who the caller is by its token: its name, its roles, and the projects it may enter; null is all."""
    who = caller(request)
    projects = None if who.projects is None else sorted(who.projects)
    return answer({"name": who.actor.name, "roles": sorted(who.actor.roles), "projects": projects})


@operation(agents, "GET", "/agents", Example("Everybody.", models.Agents, examples.AGENTS))
def list_agents(request: Request, project: Key) -> Response:
    """List every name that acted in the project, in the spelling first seen."""
    known = opened(request, project).list_agents()
    return answer({"items": [shapes.record(one) for one in known], "next_cursor": None})
