"""Who may read a file of settings that `hansard config` writes: keys may stand in it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.conftest import Cli
from support.fakes import fake_secret


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def file(home: Path) -> Path:
    return home / "config" / "hansard" / "config.yml"


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_a_file_of_ones_own_that_is_made_is_read_by_its_owner_alone(cli: Cli, file: Path) -> None:
    assert cli("config", "set", "embedding.key", fake_secret()).code == 0

    assert mode(file) == 0o600
    assert [one.name for one in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("before", [0o600, 0o640, 0o644])
def test_a_file_that_was_there_keeps_its_mode(cli: Cli, file: Path, before: int) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("user: bo\n")
    file.chmod(before)

    cli("config", "set", "context.items_max", "8")
    assert mode(file) == before
    cli("config", "unset", "context.items_max")
    assert mode(file) == before


def test_a_file_of_the_project_is_read_by_whoever_works_in_its_folder(project_cli: Cli, shop: Path) -> None:
    project_cli("config", "set", "context.items_max", "22", "--for-project")

    assert mode(shop / ".hansard" / "config.yml") == 0o644
