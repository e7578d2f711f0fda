"""The path of a project's folder is stored too, so that no secret stands in it."""

from pathlib import Path

import pytest

from contract.test_secrets import TOKEN, holds
from hansard import Hansard
from hansard.domain.errors import GuardRefused
from hansard.domain.projects import Root
from hansard.project import Project
from hansard.settings import data_folder
from hansard.workspace.roots import machine_id
from support.marks import invariant


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / f"w-{TOKEN}" / "shop"
    made.mkdir(parents=True)
    return made


@invariant("INV-20")
def test_no_project_is_founded_in_a_folder_whose_path_holds_a_secret(
    hansard: Hansard, project: Project, target: str, folder: Path
) -> None:
    with pytest.raises(GuardRefused) as refusal:
        hansard.project("vault", create=True, root=folder)

    assert "The path of the folder holds a secret" in refusal.value.message
    assert TOKEN not in refusal.value.message
    assert [one.key for one in hansard.projects()] == [project.key]
    assert not holds(target, project, TOKEN)


@invariant("INV-20")
def test_nor_does_such_a_folder_join_one(hansard: Hansard, project: Project, target: str, folder: Path) -> None:
    with pytest.raises(GuardRefused, match="The path of the folder holds a secret"):
        hansard.begin(folder, key=project.key, name=None, join=True)

    assert not holds(target, project, TOKEN)


def test_a_scan_tells_of_a_folder_that_was_registered_before_there_was_a_guard(
    hansard: Hansard, project: Project
) -> None:
    with hansard.store.write(project.id, founding=True) as tx:
        tx.projects.add_root(project.id, Root("elsewhere", f"/shops/w-{TOKEN}"), now=tx.now)

    (found,) = project.scan(by="ana").findings

    assert (found.place, found.field, found.kind, found.stays) == ("name", "folder", "github_token", True)
    assert "rename it" in found.fix


def test_a_folder_that_is_registered_already_goes_on_being_found(
    hansard: Hansard, project: Project, folder: Path
) -> None:
    with hansard.store.write(project.id, founding=True) as tx:
        tx.projects.add_root(project.id, Root(machine_id(data_folder()), str(folder)), now=tx.now)

    assert hansard.project(cwd=folder).key == project.key
    assert hansard.begin(folder, key=project.key, name=None, join=True).key == project.key
