"""Files below one folder: no path, link or race leads anywhere else."""

import os
from pathlib import Path

import pytest

from hansard.domain.errors import Invalid
from hansard.workspace.files import Enclosure
from support.marks import invariant


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def test_a_file_is_written_read_and_removed(root: Path) -> None:
    with Enclosure(root) as files:
        assert files.read("a/b.md", bytes_max=9) is None
        files.write("a/b.md", b"one")
        assert files.read("a/b.md", bytes_max=2) == b"on"
        assert files.digest("a/b.md") == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
        files.write("a/b.md", b"two")
        assert files.names("a") == ["b.md"]
        files.remove("a/b.md")
        assert files.digest("a/b.md") is None
        assert files.names("nowhere") == []


@invariant("INV-13")
@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/x", "a//b", ".", "..", "", "a/", "a\0b", "./x"])
def test_a_path_that_is_not_plainly_below_is_refused(root: Path, path: str) -> None:
    with Enclosure(root) as files, pytest.raises(Invalid, match="not a path below"):
        files.write(path, b"x")
    assert list(root.iterdir()) == []
    assert sorted(one.name for one in root.parent.iterdir()) == ["home", "root"]


@invariant("INV-13")
def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with Enclosure(root) as files:
        files.write("a/one.md", b"1")
        (root / "a").rename(root / "moved")
        (root / "a").symlink_to(outside)
        files.write("a/two.md", b"2")
    assert list(outside.iterdir()) == []
    assert (root / "moved/two.md").read_bytes() == b"2"


@invariant("INV-13")
def test_a_link_is_neither_read_nor_kept_nor_written_through(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s")
    (root / "link").symlink_to(secret)
    with Enclosure(root) as files:
        with pytest.raises(Invalid, match="is a link"):
            files.read("link", bytes_max=1)
        files.write("link", b"x")
    assert secret.read_text() == "s"
    assert (root / "link").read_text() == "x"


def test_a_file_gets_a_second_name_unless_that_is_taken(root: Path) -> None:
    with Enclosure(root) as files:
        files.write("a.md", b"1")
        files.keep_as("a.md", "b.md")
        with pytest.raises(FileExistsError):
            files.keep_as("a.md", "b.md")
        files.write("a.md", b"2")
        assert files.read("b.md", bytes_max=1) == b"1"


def test_a_failed_write_leaves_nothing_behind(root: Path) -> None:
    (root / "a").mkdir()
    with Enclosure(root) as files, pytest.raises(IsADirectoryError):
        files.write("a", b"x")
    assert [one.name for one in root.iterdir()] == ["a"]


def test_every_folder_is_closed_at_the_end(root: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with Enclosure(root) as files:
        files.write("a/b/c.md", b"x")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("name", ["nowhere", "file", "a\0b"])
def test_a_root_that_is_no_folder_is_an_error(root: Path, name: str) -> None:
    (root / "file").write_text("x")
    with pytest.raises(Invalid, match="not a folder"):
        Enclosure(root / name)


def test_a_pipe_is_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with Enclosure(root) as files, pytest.raises(Invalid, match="not a plain file"):
        files.digest("pipe")
