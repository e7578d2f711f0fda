"""A further clone of a project that the database has: it joins, and makes no second project by its folder's name."""

from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.errors import Denied, ProjectExists, UnknownProject
from hansard.domain.mirror import LEDGER
from hansard.domain.vocabulary import Role, Subject
from hansard.interfaces.cli import main
from hansard.project import Project
from hansard.services import find_shared
from hansard.settings import Settings
from support.clock import FakeClock
from support.repositories import git, repository

JOIN = "hansard init --project ledshop --join"


def decide(project: Project, slug: str) -> None:
    entry = project.propose(agent="tank", slug=slug, type="architectural", content=f"We agreed on {slug}.")
    project.merge(entry.id, by="ana")


@pytest.fixture
def clone(hansard: Hansard, tmp_path: Path) -> Path:
    """A clone of a repository whose project, with one decision, is in the database."""
    hansard.project("aaa", create=True)
    origin = tmp_path / "origin"
    origin.mkdir()
    project = hansard.project("ledshop", create=True, root=origin)
    decide(project, "use-postgres")
    project.remember("The API needs a Bearer prefix.", agent="tank", tags=["cross-team"])
    project.export(origin)
    repository(origin)
    git(tmp_path, "clone", "--quiet", str(origin), "B2")
    return tmp_path / "B2"


def test_a_clone_of_a_project_that_the_database_has_is_told_to_join(hansard: Hansard, clone: Path) -> None:
    with pytest.raises(ProjectExists, match=JOIN):
        hansard.project(create=True, cwd=clone)
    assert [one.key for one in hansard.projects()] == ["aaa", "ledshop"]
    made = hansard.begin(clone, key="ledshop", name=None, join=True)
    assert made.key == "ledshop"
    assert [one.content for one in hansard.project(cwd=clone).list_decisions().items] == ["We agreed on use-postgres."]


@pytest.mark.parametrize("kind", list(LEDGER))
def test_one_ledger_file_is_enough_to_know_the_project_by(hansard: Hansard, clone: Path, kind: Subject) -> None:
    for other, path in LEDGER.items():
        if other is not kind:
            (clone / path).unlink()
    with pytest.raises(ProjectExists, match=JOIN):
        hansard.project(create=True, cwd=clone)


def test_a_key_of_its_own_makes_a_second_project_of_a_clone(hansard: Hansard, clone: Path) -> None:
    made = hansard.begin(clone, key="fork", name=None, join=False)
    assert made.key == "fork"
    assert hansard.project(cwd=clone).key == "fork"


def test_the_oldest_of_several_projects_with_the_records_is_named(
    hansard: Hansard, clone: Path, clock: FakeClock, tmp_path: Path
) -> None:
    clock.advance(seconds=60)
    hansard.begin(clone, key="a-fork", name=None, join=False)
    hansard.project("a-fork").import_inbox(clone)
    git(tmp_path, "clone", "--quiet", str(clone), "third")
    with pytest.raises(ProjectExists, match=JOIN):
        hansard.project(create=True, cwd=tmp_path / "third")


def test_a_ledger_that_the_database_does_not_know_makes_a_new_project(hansard: Hansard, tmp_path: Path) -> None:
    folder = tmp_path / "far"
    folder.mkdir()
    with Hansard.open(tmp_path / "far.db", settings=Settings(user="ana")) as elsewhere:
        far = elsewhere.project("far-away", create=True, root=folder)
        decide(far, "use-sqlite")
        far.export(folder)
    decide(hansard.project("ledshop", create=True), "use-postgres")
    assert hansard.project(create=True, cwd=folder).key == "far"


def test_a_ledger_that_nobody_can_read_stops_no_project(hansard: Hansard, clone: Path) -> None:
    for path in LEDGER.values():
        (clone / path).unlink(missing_ok=True)
        (clone / path).mkdir()
    assert hansard.project(create=True, cwd=clone).key == "b2"


def test_another_machine_is_led_to_the_memory_that_it_is_to_share(
    clone: Path, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HANSARD_DB", target)
    monkeypatch.setenv("HANSARD_USER", "bob")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "another-machine"))
    monkeypatch.chdir(clone)
    assert main(["context", "--agent", "tank"]) == 3
    assert "hansard init --project KEY --join" in capsys.readouterr().err
    assert main(["init"]) == 4
    assert JOIN in capsys.readouterr().err
    assert main(JOIN.split()[1:]) == 0
    assert main(["context", "--agent", "tank"]) == 0
    assert "We agreed on use-postgres." in capsys.readouterr().out


@pytest.mark.parametrize("key", [None, "nope"], ids=["by-its-folder", "misspelt"])
def test_who_joins_a_project_that_there_is_not_is_told_whose_records_the_clone_has(
    hansard: Hansard, clone: Path, key: str | None
) -> None:
    with pytest.raises(UnknownProject, match=f"to join.*`{JOIN}`") as refused:
        hansard.begin(clone, key=key, name=None, join=True)
    assert "Create it" not in refused.value.message
    assert [one.key for one in hansard.projects()] == ["aaa", "ledshop"]


def test_who_joins_a_project_that_there_is_not_is_led_to_the_list(hansard: Hansard, tmp_path: Path) -> None:
    with pytest.raises(UnknownProject, match="none yet: check that it is the team's, or make the first"):
        hansard.begin(tmp_path, key="nope", name=None, join=True)
    hansard.project("aaa", create=True)
    with pytest.raises(UnknownProject, match=r"`hansard projects` lists .* `hansard init --project KEY --join`"):
        hansard.begin(tmp_path, key="nope", name=None, join=True)
    assert hansard.begin(tmp_path, key="AAA", name=None, join=True).key == "aaa"


def test_an_agent_that_joins_does_not_learn_what_there_is(hansard: Hansard, clone: Path) -> None:
    with pytest.raises(Denied):
        hansard.begin(clone, key="nope", name=None, join=True, actor=Actor("tank", role=Role.AGENT))


def test_no_more_than_so_many_projects_are_asked(
    hansard: Hansard, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_shared.PROJECTS_MAX == 1_000
    monkeypatch.setattr(find_shared, "PROJECTS_MAX", 1)
    assert hansard.project(create=True, cwd=clone).key == "b2"


def test_an_agent_does_not_learn_whose_records_a_folder_has(hansard: Hansard, clone: Path) -> None:
    with pytest.raises(Denied):
        hansard.project(create=True, cwd=clone, actor=Actor("tank", role=Role.AGENT))
