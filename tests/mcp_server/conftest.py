"""Callers of different roles, each with the tools as the official client sees them; and a server to ask over HTTP."""

from collections.abc import Callable, Iterator

import pytest

from hansard import Hansard
from hansard.project import Project
from support.mcp_client import Desk, actor
from support.serving import Running, running

Seat = Callable[..., Desk]


@pytest.fixture
def desk_of(hansard: Hansard, project: Project) -> Seat:
    def seated(name: str, role: str = "agent", **options: bool) -> Desk:
        return Desk(lambda: hansard.project(project.key, actor=actor(name, role)), **options)

    return seated


@pytest.fixture
def tank(desk_of: Seat) -> Desk:
    return desk_of("tank")


@pytest.fixture
def ana(desk_of: Seat) -> Desk:
    return desk_of("ana", "human")


@pytest.fixture
def served(hansard: Hansard, project: Project) -> Iterator[Running]:
    assert project.key == "shop"
    with running(hansard) as one:
        yield one
