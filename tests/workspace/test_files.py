"""Files below one folder: no path, link or race leads anywhere else."""

import os
from pathlib import Path

import pytest

from hansard.domain.errors import Invalid
from hansard.workspace import renaming
from hansard.workspace.files import Enclosure
from support.marks import invariant


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture(params=["exchange", "link"])
def plain_renames(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once as this system can rename, and once as one can that knows no exchange."""
    if request.param == "link":
        monkeypatch.setattr(renaming, "_system_call", lambda: None)


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


def test_a_file_gets_another_name_unless_that_is_taken(root: Path, plain_renames: None) -> None:
    with Enclosure(root) as files:
        files.write("a.md", b"1")
        files.move("a.md", "b.md")
        files.write("a.md", b"2")
        with pytest.raises(FileExistsError):
            files.move("a.md", "b.md")
        assert (files.read("a.md", bytes_max=9), files.read("b.md", bytes_max=9)) == (b"2", b"1")


def test_a_file_is_swapped_for_another_and_what_stood_there_is_handed_over(root: Path, plain_renames: None) -> None:
    with Enclosure(root) as files:
        assert files.swap("a/b.md", b"1") is None
        displaced = files.swap("a/b.md", b"2")
        assert displaced == "a/.hansard-old-b.md.tmp"
        assert (files.read("a/b.md", bytes_max=9), files.read(displaced, bytes_max=9)) == (b"2", b"1")
        assert files.sweep("a") == [".hansard-old-b.md.tmp"]
        with pytest.raises(FileExistsError):
            files.swap("a/b.md", b"3")
        assert (files.read("a/b.md", bytes_max=9), files.read(displaced, bytes_max=9)) == (b"2", b"1")
        files.remove(displaced)
        assert files.take_away("a/b.md") == displaced
        assert files.names("a") == [".hansard-old-b.md.tmp"]
        with pytest.raises(FileNotFoundError):
            files.take_away("a/b.md")


def test_a_name_as_long_as_can_be_is_moved_out_of_the_way(root: Path) -> None:
    name = "n" * 255
    with Enclosure(root) as files:
        files.write(f"a/{name}", b"1")
        displaced = files.take_away(f"a/{name}")
        assert files.names("a") == [Path(displaced).name]


def test_two_long_names_with_one_beginning_are_moved_to_places_of_their_own(root: Path) -> None:
    first, second = (f"a/{'n' * 240}{end}.md" for end in "12")
    with Enclosure(root) as files:
        files.write(first, b"1")
        files.write(second, b"2")
        moved = [files.take_away(first), files.take_away(second)]
        assert [files.read(one, bytes_max=9) for one in moved] == [b"1", b"2"]
        assert sorted(files.sweep("a")) == sorted(Path(one).name for one in moved)


def test_a_file_that_is_written_anew_keeps_its_mode(root: Path) -> None:
    (root / "a.md").write_text("1")
    (root / "a.md").chmod(0o640)
    with Enclosure(root) as files:
        files.write("a.md", b"2")
        assert (root / "a.md").stat().st_mode & 0o777 == 0o640
        files.swap("a.md", b"3")
        assert (root / "a.md").stat().st_mode & 0o777 == 0o640


@invariant("INV-13")
@pytest.mark.parametrize("link", ["root", "above"])
def test_a_root_that_became_a_link_is_refused_if_it_must_be_none(root: Path, tmp_path: Path, link: str) -> None:
    outside, place = tmp_path / "outside", root / "inner"
    (outside / "inner").mkdir(parents=True)
    if link == "root":
        place.symlink_to(outside)
    else:
        root.rmdir()
        root.symlink_to(outside)
    with pytest.raises(Invalid, match=r"through a link; nothing is read or written"):
        Enclosure(place, unlinked=True)
    with Enclosure(place) as files:
        assert files.read("x", bytes_max=1) is None


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
