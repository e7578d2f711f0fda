"""Bad stores: a file that is damaged, newer, foreign or out of reach gets one clear sentence and stays as it is."""

import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from hansard import Hansard
from hansard.domain.errors import (
    HansardError,
    Invalid,
    StoreBusy,
    StoreCorrupt,
    StoreNewer,
    StoreUnwritable,
    UnknownStore,
)
from hansard.settings import Settings
from support.processes import finished, started, writer
from support.raw import raw

ME = Settings(user="ana")
NOBODY = "65534"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A good database with enough in it to be worth damaging."""
    path = tmp_path / "good.db"
    with Hansard.open(path, settings=ME) as hansard:
        project = hansard.project("shop", create=True)
        project.remember_many({"content": f"memory {number}", "agent": "tank"} for number in range(200))
    with raw(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def use(path: Path | str) -> None:
    with Hansard.open(path, settings=ME) as hansard:
        project = hansard.project("shop")
        project.verify()
        project.remember("one more", agent="tank")


def assert_refused(path: Path, error: type[HansardError]) -> None:
    before = path.read_bytes()
    with pytest.raises(error) as caught:
        use(path)
    assert str(path) in caught.value.message
    assert path.read_bytes() == before


def test_a_database_of_a_newer_version_is_left_alone(file: Path) -> None:
    with raw(file) as connection:
        connection.execute("PRAGMA user_version = 9999")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert_refused(file, StoreNewer)


@pytest.mark.parametrize(
    "content",
    [b"just text\n" * 500, bytes(8192), bytes(range(255, 0, -1)) * 40, b"hi\n"],
    ids=["text", "zeros", "noise", "short"],
)
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    assert_refused(path, StoreCorrupt)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "browser.db"
    with raw(path) as connection:
        connection.execute("CREATE TABLE cookies (name TEXT); INSERT INTO cookies VALUES ('x')")
    assert_refused(path, StoreCorrupt)
    with raw(path) as connection:
        connection.execute("PRAGMA application_id = 7")
    assert_refused(path, StoreCorrupt)


@pytest.mark.parametrize("keep", [50, 100, 4096, 5000, 12288, 0.5, 0.9])
def test_a_truncated_database_is_reported_as_damaged(file: Path, keep: float) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: keep if isinstance(keep, int) else int(len(whole) * keep)])
    with pytest.raises(StoreCorrupt):
        use(file)


def test_a_database_with_damaged_pages_is_reported_as_damaged(file: Path) -> None:
    whole = bytearray(file.read_bytes())
    whole[4096:] = bytes(len(whole) - 4096)
    file.write_bytes(whole)
    with pytest.raises(StoreCorrupt):
        use(file)


def test_a_database_that_lost_a_table_is_reported_as_damaged(file: Path) -> None:
    with raw(file) as connection:
        connection.execute("PRAGMA foreign_keys = OFF; DROP TABLE memory_tags; DROP TABLE memories")
    with pytest.raises(StoreCorrupt):
        use(file)


def test_a_database_whose_head_is_gone_is_reported(file: Path) -> None:
    with raw(file) as connection:
        connection.execute("DELETE FROM heads")
    with pytest.raises(HansardError):
        use(file)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreUnwritable, match="is a folder"):
        use(tmp_path)
    assert list(tmp_path.iterdir()) == [tmp_path / "home"]


def test_a_path_below_a_file_is_refused(file: Path) -> None:
    with pytest.raises(StoreUnwritable):
        use(file / "below.db")


def test_a_name_too_long_for_the_disk_is_refused(tmp_path: Path) -> None:
    with pytest.raises((StoreUnwritable, Invalid)):
        use(tmp_path / ("n" * 300))


@pytest.mark.parametrize("path", ["a\x00b", "", " ", "a\nb", "\ud800", "x" * 5_000, "mysql://host/db"], ids=range(7))
def test_a_path_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(Invalid):
        use(path)


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    path.touch()
    with Hansard.open(path, settings=ME) as hansard:
        assert hansard.projects() == ()


def test_a_store_in_folders_that_do_not_exist_makes_them(tmp_path: Path) -> None:
    with Hansard.open(tmp_path / "a" / "b" / "c.db", settings=ME) as hansard:
        assert hansard.projects() == ()


def as_nobody(path: Path) -> str:
    """What a user is told who may write none of root's files; this user where the tests do not run as root."""
    return finished(writer("open", str(path), *([NOBODY] if os.geteuid() == 0 else [])))


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that another user can enter, unlike the private ones of pytest."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.parametrize(
    "lock",
    [
        lambda folder: folder.chmod(0o555),
        lambda folder: folder.chmod(0o000),
    ],
    ids=["read-only", "unreachable"],
)
@pytest.mark.parametrize("existing", [False, True])
def test_a_folder_that_may_not_be_written_is_refused(
    reachable: Path, lock: Callable[[Path], None], existing: bool
) -> None:
    folder = reachable / "locked"
    folder.mkdir()
    if existing:
        with Hansard.open(folder / "hansard.db", settings=ME) as hansard:
            hansard.project("shop", create=True)
    before = sorted(path.name for path in folder.iterdir())
    lock(folder)
    try:
        assert as_nobody(folder / "hansard.db") == "store.unwritable"
        assert as_nobody(folder / "below" / "hansard.db") == "store.unwritable"
    finally:
        folder.chmod(0o755)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_file_that_may_not_be_written_is_refused(reachable: Path, file: Path) -> None:
    locked = reachable / "hansard.db"
    locked.write_bytes(file.read_bytes())
    locked.chmod(0o444)
    assert as_nobody(locked) == "store.unwritable"
    assert locked.read_bytes() == file.read_bytes()


@pytest.mark.parametrize("lock", ["file", "folder", "both", "both, with a log"])
def test_what_may_only_be_read_is_read_and_a_write_says_why_not(tmp_path: Path, lock: str) -> None:
    folder = tmp_path / "locked"
    path = folder / "hansard.db"
    writer_ = Hansard.open(path, settings=ME)
    writer_.project("shop", create=True).remember("The API needs a Bearer prefix.", agent="tank")
    if "log" not in lock:
        writer_.close()
    path.chmod(0o600 if lock == "folder" else 0o400)
    folder.chmod(0o700 if lock == "file" else 0o500)
    said = json.loads(finished(started("support.reader", str(path), str(tmp_path / "copy.db"))))
    assert said == {
        "list": ["The API needs a Bearer prefix."], "recall": 1, "verify": True, "history": True, "backup": True,
        "refused": "store.unwritable", "why": f"{path} can only be read: the file or its folder is write-protected"
        " for you. Nothing was changed.",
    }  # fmt: skip
    folder.chmod(0o700)
    path.chmod(0o600)
    writer_.close()
    with Hansard.open(path, settings=ME) as hansard:
        assert len(hansard.project("shop").list_memories().items) == 1


def test_without_room_for_anything_the_store_is_read_and_a_write_says_why_not(tmp_path: Path) -> None:
    path = tmp_path / "hansard.db"
    with Hansard.open(path, settings=ME) as hansard:
        content = "The API needs a Bearer prefix."
        hansard.project("shop", create=True).remember(content, agent="tank", importance="high")

    assert json.loads(finished(started("support.cramped", str(path)))) == {
        "list": [content], "compile": True, "refused": "store.full",
        "why": f"There is no space left beside {path}; nothing was changed.", "later": 2,
    }  # fmt: skip


def test_without_room_changes_that_only_the_log_holds_are_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "crashed" / "hansard.db"
    path.parent.mkdir()
    with Hansard.open(tmp_path / "hansard.db", settings=ME) as hansard:
        hansard.project("shop", create=True).remember("x", agent="tank")
        for end in ("", "-wal"):
            Path(f"{path}{end}").write_bytes(Path(f"{tmp_path / 'hansard.db'}{end}").read_bytes())

    assert json.loads(finished(started("support.cramped", str(path)))) == {
        "unopened": "store.full",
        "because": f"There is no space left beside {path}; nothing was changed. Its log holds changes that cannot be"
        " read until there is some.",
    }  # fmt: skip


def test_what_hansard_makes_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        path = tmp_path / "new" / "hansard.db"
        with Hansard.open(path, settings=ME) as hansard:
            hansard.project("shop", create=True).remember("x", agent="tank")
            modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}
            assert modes == dict.fromkeys(("hansard.db", "hansard.db-wal", "hansard.db-shm"), 0o600)
            hansard.backup(tmp_path / "copy.db")
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_a_database_that_is_made_through_a_link_is_for_its_owner_alone_too(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        (tmp_path / "link.db").symlink_to(tmp_path / "further.db")
        (tmp_path / "further.db").symlink_to("real.db")
        with Hansard.open(tmp_path / "link.db", settings=ME) as hansard:
            hansard.project("shop", create=True).remember("x", agent="tank")
            modes = {one.name: stat.S_IMODE(one.lstat().st_mode) for one in tmp_path.glob("real.db*")}
            assert modes == dict.fromkeys(("real.db", "real.db-wal", "real.db-shm"), 0o600)
    finally:
        os.umask(before)


def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "circle.db").symlink_to("circle.db")
    (tmp_path / "lost.db").symlink_to("missing/real.db")
    for name in ("circle.db", "lost.db"):
        with pytest.raises(StoreUnwritable, match=name):
            Hansard.open(tmp_path / name, settings=ME)


def test_the_rights_of_what_is_there_already_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "team"
    folder.mkdir(mode=0o755)
    path = folder / "hansard.db"
    path.touch(mode=0o640)
    path.chmod(0o640)
    with Hansard.open(path, settings=ME) as hansard:
        assert hansard.projects() == ()
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(path.stat().st_mode)) == (0o755, 0o640)


def test_an_empty_file_is_no_database_to_whoever_needs_one(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with pytest.raises(UnknownStore, match="is empty and no database"):
        Hansard.open(path, settings=ME, must_exist=True)
    assert path.read_bytes() == b""


def test_a_writer_that_waits_too_long_is_told_to_try_again(file: Path) -> None:
    impatient = Settings(user="ana", store_busy_seconds=0.0)
    with Hansard.open(file, settings=impatient) as hansard, raw(file) as other:
        project = hansard.project("shop")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy) as caught:
            project.remember("x", agent="tank")
        assert caught.value.code == "store.busy"
        assert len(project.list_memories(limit=1_000).items) == 200
        other.execute("ROLLBACK")
        project.remember("x", agent="tank")


def test_a_disk_fault_is_never_a_bare_engine_error(file: Path) -> None:
    with Hansard.open(file, settings=ME) as hansard:
        project = hansard.project("shop")
        file.write_bytes(b"overwritten by something else" * 1_000)
        with pytest.raises(HansardError) as caught:
            project.verify()
        assert isinstance(caught.value.__cause__, apsw.Error)


@pytest.mark.parametrize("side", ["-wal", "-shm", "-journal"])
def test_no_database_is_made_where_another_one_keeps_a_part_of_itself(tmp_path: Path, side: str) -> None:
    place = str(tmp_path / "x.db")
    with Hansard.open(place, settings=Settings(user="ana")) as hansard:
        project = hansard.project("shop", create=True)
        with pytest.raises(StoreUnwritable, match="would be a part of the database"):
            Hansard.open(f"{place}{side}", settings=Settings(user="ana"))
        assert project.verify().ok
