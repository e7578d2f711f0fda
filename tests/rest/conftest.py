"""Fixtures of the REST tests: the application over a project, and callers of each role."""

import pytest

from hansard import Hansard
from hansard.project import Project
from support.rest import Client, Server


@pytest.fixture
def server(hansard: Hansard, project: Project) -> Server:
    assert project.key == "shop"
    return Server(hansard)


@pytest.fixture
def ana(server: Server) -> Client:
    """A person, with a token for all projects."""
    return server.client("ana", "human")


@pytest.fixture
def tank(server: Server) -> Client:
    """An agent, with a token for the project alone."""
    return server.client("tank", "agent", ["shop"])


@pytest.fixture
def neo(server: Server) -> Client:
    """A coordinator."""
    return server.client("neo", "coordinator", ["shop"])
