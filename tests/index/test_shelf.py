"""The indexes a process holds: as many as fit, the ones it used last."""

import pytest

from hansard import Hansard
from hansard.index import shelf
from hansard.project import Project


def test_the_indexes_used_longest_ago_are_given_up_and_read_again(
    hansard: Hansard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "UNITS_HELD_MAX", 25)
    projects: list[Project] = []
    for key in ("one", "two", "three", "four"):
        project = hansard.project(key, create=True)
        project.remember_many([{"content": f"{key} zeppelin {n}", "agent": "tank"} for n in range(10)])
        projects.append(project)
    for project in projects:
        assert len(project.recall("zeppelin", agent="tank", limit=20)) == 10
    assert projects[3].id in hansard.shelf._held
    assert projects[0].id not in hansard.shelf._held
    assert len(projects[0].recall("zeppelin", agent="tank", limit=20)) == 10
