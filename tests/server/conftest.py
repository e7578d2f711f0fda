"""A server over the project of each test."""

from collections.abc import Iterator

import pytest

from hansard import Hansard
from hansard.project import Project
from support.serving import Running, running


@pytest.fixture
def served(hansard: Hansard, project: Project) -> Iterator[Running]:
    assert project.key == "shop"
    with running(hansard) as one:
        yield one
