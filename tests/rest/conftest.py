"""Fixtures of the REST tests: the application over a project, and callers of each role, and its folder."""

from pathlib import Path

import pytest

from hansard import Hansard
from hansard.project import Project
from support.repositories import repository
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


@pytest.fixture
def folder(hansard: Hansard, tmp_path: Path) -> Path:
    """The folder of the project on the server's machine."""
    # With a blank in it: a path is not over where a word is.
    made = tmp_path / "our work"
    made.mkdir()
    hansard.project("shop", create=True, root=made)
    return made


@pytest.fixture
def checkout(folder: Path, home: Path) -> Path:
    """The same with a repository in it."""
    (home / ".gitconfig").write_text("[user]\n\tname = ana\n\temail = ana@example.org\n")
    repository(folder)
    return folder
