"""Restoring: a verified backup comes back into an empty place of either engine, whole or not at all."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import (
    BackupBroken,
    BackupExists,
    CopyDiffers,
    HansardError,
    StoreCorrupt,
    StoreNewer,
    StoreNotEmpty,
    StoreUnwritable,
    UnknownStore,
)
from hansard.project import Project
from hansard.services import found
from hansard.settings import Settings
from hansard.store.sqlite.migrate import APPLICATION_ID, SCHEMA_VERSION, migrations
from support import postgres
from support.archives import assert_same, files_beside, fill, stopped, unhinge
from support.engines import on_postgres, on_sqlite
from support.processes import finished, started
from support.raw import raw, sabotage

ME = Settings(user="ana")
NOBODY = "65534"


@pytest.fixture(params=["a file", "a server"])
def elsewhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty place of each engine."""
    if request.param == "a file":
        yield str(tmp_path / "restored" / "new.db")
        return
    url = postgres.empty_database()
    yield url
    postgres.drop(url)


def test_a_restore_that_goes_on_compares_what_is_there_already(
    filled: Project, hansard: Hansard, file: Path, elsewhere: str, tmp_path: Path
) -> None:
    (tmp_path / "zoo").mkdir()
    fill(hansard, "zoo", tmp_path / "zoo")
    hansard.backup(file)
    with Hansard.open(elsewhere, settings=ME) as there:
        assert len(list(hansard.copy_to(there, keys=["shop"]))) == 1
    with raw(elsewhere) as connection:
        connection.execute("UPDATE memories SET content = 'never' WHERE content LIKE 'zeppelin 3 %'")
    with pytest.raises(CopyDiffers, match="shop"):
        Hansard.restore(file, elsewhere, settings=ME)
    with Hansard.open(elsewhere, settings=ME) as there:
        assert [one.key for one in there.projects()] == ["shop"]
    with raw(elsewhere) as connection:
        connection.execute("UPDATE memories SET content = 'zeppelin 3 lands at gate 3' WHERE content = 'never'")
    Hansard.restore(file, elsewhere, settings=ME)
    with Hansard.open(elsewhere, settings=ME) as there:
        assert_same(hansard, there)


def spoiled(saved: Path, content: Callable[[bytes], bytes]) -> Path:
    path = saved.with_name("spoiled.db")
    path.write_bytes(content(saved.read_bytes()))
    return path


def assert_untouched(place: str) -> None:
    if place.startswith("postgresql:"):
        with pytest.raises(UnknownStore):
            Hansard.open(place, settings=ME, must_exist=True)
    else:
        assert not Path(place).parent.exists() or files_beside(Path(place)) == []


def test_a_backup_restores_into_either_engine(
    filled: Project, hansard: Hansard, saved: Path, elsewhere: str, tmp_path: Path
) -> None:
    before, beside = (saved.read_bytes(), saved.stat().st_mtime_ns), files_beside(saved)
    done = Hansard.restore(saved, elsewhere, settings=ME)
    assert [(one.project.key, one.events) for one in done.projects] == [("shop", filled.verify().events)]
    assert (saved.read_bytes(), saved.stat().st_mtime_ns) == before
    assert files_beside(saved) == beside
    with Hansard.open(elsewhere, settings=ME) as there:
        assert_same(hansard, there)
        project = there.project("shop")
        made = project.remember("a new zeppelin", agent="tank")
        assert project.recall("new zeppelin", agent="tank", limit=1)[0].memory.id == made.id
        assert project.verify().ok
        there.backup(tmp_path / "again.db")
    back = tmp_path / "back.db"
    Hansard.restore(tmp_path / "again.db", back, settings=ME)
    with Hansard.open(back, settings=ME) as there:
        assert there.project("shop").get_memory(made.id, agent="tank") == made


@on_sqlite
@pytest.mark.parametrize("name", ["a b.db", "100%20?.db", "#1 [x]*.db", "größe.db", "-rf"])
def test_a_backup_may_have_any_name(filled: Project, hansard: Hansard, file: Path, name: str) -> None:
    hansard.backup(file.with_name(name))
    Hansard.restore(file.with_name(name), file.with_name(f"new {name}"), settings=ME)
    assert files_beside(file) == sorted([name, f"new {name}"])
    with Hansard.open(file.with_name(f"new {name}"), settings=ME) as there:
        assert_same(hansard, there)


@on_sqlite
def test_a_restored_file_serves_readers_beside_a_writer(saved: Path, tmp_path: Path) -> None:
    Hansard.restore(saved, tmp_path / "new.db", settings=ME)
    assert files_beside(tmp_path / "new.db").count("new.db") == 1
    with raw(tmp_path / "new.db") as connection:
        assert connection.execute("PRAGMA journal_mode").get == "wal"


@on_sqlite
def test_a_database_that_was_closed_is_as_good_as_a_backup_and_is_not_touched(
    filled: Project, hansard: Hansard, target: str, tmp_path: Path
) -> None:
    hansard.close()
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / "plain.db").write_bytes(Path(target).read_bytes())
    before = (folder / "plain.db").read_bytes()
    Hansard.restore(folder / "plain.db", tmp_path / "new.db", settings=ME)
    assert [one.name for one in folder.iterdir()] == ["plain.db"]
    assert (folder / "plain.db").read_bytes() == before


def test_a_place_with_a_project_is_refused_and_left_alone(saved: Path, elsewhere: str) -> None:
    with Hansard.open(elsewhere, settings=ME) as there:
        there.project("other", create=True).remember("mine", agent="tank")
    with pytest.raises(StoreNotEmpty, match="'other'"):
        Hansard.restore(saved, elsewhere, settings=ME)
    with Hansard.open(elsewhere, settings=ME) as there:
        assert [one.key for one in there.projects()] == ["other"]


def test_a_backup_does_not_come_back_into_the_place_it_was_made_of(
    filled: Project, hansard: Hansard, saved: Path, target: str
) -> None:
    with pytest.raises(StoreNotEmpty):
        Hansard.restore(saved, target, settings=ME)
    filled.remember("and on it goes", agent="tank")
    with pytest.raises(StoreNotEmpty):
        Hansard.restore(saved, target, settings=ME)
    assert filled.verify().ok


def test_a_place_without_a_project_takes_a_backup(hansard: Hansard, saved: Path, elsewhere: str) -> None:
    with Hansard.open(elsewhere, settings=ME) as there:
        assert there.projects() == ()
    Hansard.restore(saved, elsewhere, settings=ME)
    with Hansard.open(elsewhere, settings=ME) as there:
        assert_same(hansard, there)


@on_sqlite
@pytest.mark.parametrize(
    "content",
    [
        lambda _: b"just text\n" * 500,
        lambda _: b"",
        lambda _: bytes(8192),
        lambda whole: whole[:100],
        lambda whole: whole[:8192],
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[: len(whole) * 9 // 10],
        lambda whole: whole[:8192] + bytes(len(whole) - 8192),
    ],
    ids=["text", "empty", "zeros", "head", "two pages", "half", "most", "blank pages"],
)
def test_a_file_that_is_no_whole_backup_is_refused(
    saved: Path, elsewhere: str, content: Callable[[bytes], bytes]
) -> None:
    path = spoiled(saved, content)
    before = path.read_bytes()
    with pytest.raises((StoreCorrupt, BackupBroken)):
        Hansard.restore(path, elsewhere, settings=ME)
    assert path.read_bytes() == before
    assert files_beside(path) == ["backup.db", "spoiled.db"]
    assert_untouched(elsewhere)


@on_sqlite
def test_what_is_no_backup_at_all_is_told_for_what_it_is(saved: Path, tmp_path: Path) -> None:
    new = tmp_path / "restored" / "new.db"
    foreign = tmp_path / "browser.db"
    with raw(foreign) as connection:
        connection.execute("CREATE TABLE cookies (name TEXT); INSERT INTO cookies VALUES ('x')")
    with raw(tmp_path / "blank.db") as connection:
        connection.execute("VACUUM")
    # Nobody ever writes to it, so whoever opens it waits for ever.
    os.mkfifo(tmp_path / "pipe")
    for path, error, words in (
        (foreign, BackupBroken, "no backup of Hansard"),
        (tmp_path / "blank.db", BackupBroken, "no backup of Hansard"),
        (tmp_path, StoreUnwritable, "is a folder"),
        (tmp_path / "missing.db", UnknownStore, "no backup at"),
        (saved / "below.db", StoreUnwritable, "cannot be read"),
        (tmp_path / "pipe", StoreUnwritable, "name a plain file"),
        (Path(os.devnull), StoreUnwritable, "name a plain file"),
    ):
        with pytest.raises(error, match=words) as caught:
            Hansard.restore(path, new, settings=ME)
        assert str(path) in caught.value.message
        assert_untouched(str(new))
    assert not (tmp_path / "missing.db").exists()


@on_sqlite
def test_a_database_in_use_is_no_backup(filled: Project, target: str, tmp_path: Path) -> None:
    with pytest.raises(StoreCorrupt, match=r"in use.*hansard --db .* backup"):
        Hansard.restore(target, tmp_path / "restored" / "new.db", settings=ME)
    assert_untouched(str(tmp_path / "restored" / "new.db"))


@on_sqlite
def test_what_is_left_of_another_database_does_not_get_into_a_restored_one(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "new.db-wal").write_bytes(b"left over")
    with pytest.raises(BackupExists, match="not closed"):
        Hansard.restore(saved, tmp_path / "new.db", settings=ME)
    assert not (tmp_path / "new.db").exists()


@on_sqlite
def test_a_backup_whose_history_was_altered_is_not_restored(saved: Path, elsewhere: str) -> None:
    with raw(saved) as connection:
        connection.execute("UPDATE memories SET content = 'zeppelins never land' WHERE content LIKE 'zeppelin 3 %'")
    with pytest.raises(BackupBroken, match="breaks at event"):
        Hansard.restore(saved, elsewhere, settings=ME)
    assert_untouched(elsewhere)


@on_sqlite
def test_a_backup_with_a_damaged_index_is_not_restored(saved: Path, elsewhere: str) -> None:
    unhinge(saved, "retrievals_by_time", "UPDATE retrievals SET at = at + 1")
    with pytest.raises(BackupBroken, match="retrievals_by_time"):
        Hansard.restore(saved, elsewhere, settings=ME)
    assert_untouched(elsewhere)


def test_a_place_with_a_stranger_in_its_schema_is_refused_before_anything_is_written(
    saved: Path, elsewhere: str
) -> None:
    Hansard.open(elsewhere, settings=ME).close()
    sabotage(elsewhere, "UPDATE ON ratings")
    with pytest.raises(BackupBroken, match="trigger"):
        Hansard.restore(saved, elsewhere, settings=ME)
    with Hansard.open(elsewhere, settings=ME) as there:
        assert there.projects() == ()


@on_sqlite
def test_a_backup_of_a_newer_version_is_refused(saved: Path, elsewhere: str) -> None:
    with raw(saved) as connection:
        connection.execute("PRAGMA user_version = 9999")
    with pytest.raises(StoreNewer, match="has schema version 9999"):
        Hansard.restore(saved, elsewhere, settings=ME)
    assert_untouched(elsewhere)


def test_a_backup_of_an_older_version_is_brought_up_to_date(elsewhere: str, tmp_path: Path) -> None:
    with raw(tmp_path / "old.db") as connection:
        connection.execute(migrations()[0][1])
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1")
        connection.execute("INSERT INTO projects VALUES ('p1', 'shop', 'Shop', 1)")
        connection.execute("INSERT INTO heads VALUES ('p1', 0, zeroblob(32), 1, 0, 0, 0)")
    before = (tmp_path / "old.db").read_bytes()
    Hansard.restore(tmp_path / "old.db", elsewhere, settings=ME)
    assert (tmp_path / "old.db").read_bytes() == before
    with Hansard.open(elsewhere, settings=ME) as there:
        assert there.store.examine(full=True).schema == SCHEMA_VERSION
        there.project("shop").remember("x", agent="tank")
        assert there.project("shop").verify().ok


@on_sqlite
@pytest.mark.parametrize("step", ["copy", "verifying"])
def test_a_restore_into_a_new_file_that_is_killed_leaves_no_half_file(
    hansard: Hansard, saved: Path, tmp_path: Path, step: str
) -> None:
    new = tmp_path / "restored" / "new.db"
    stopped(started("support.archivist", "restore", str(new), str(saved), step), step)
    assert not new.exists()
    Hansard.restore(saved, new, settings=ME)
    with Hansard.open(new, settings=ME) as there:
        assert_same(hansard, there)


@on_postgres
def test_a_restore_into_a_server_that_is_killed_goes_on(
    filled: Project, hansard: Hansard, file: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    fill(hansard, "zoo", tmp_path / "other")
    hansard.backup(file)
    url = postgres.empty_database()
    try:
        stopped(started("support.archivist", "restore", url, str(file), "zoo: vectors"), "zoo: vectors")
        with Hansard.open(url, settings=ME) as there:
            assert [one.key for one in there.projects()] == ["shop"]
            assert there.project("shop").verify().ok
        Hansard.restore(file, url, settings=ME)
        with Hansard.open(url, settings=ME) as there:
            assert_same(hansard, there)
    finally:
        postgres.drop(url)


@on_sqlite
def test_a_file_or_a_folder_that_is_not_ours_is_refused(saved: Path, target: str) -> None:
    user = NOBODY if os.geteuid() == 0 else ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        locked = folder / "locked.db"
        locked.write_bytes(saved.read_bytes())
        locked.chmod(0o000)
        for new in (Path(target).with_name("new.db"), folder / "new.db"):
            said = finished(started("support.archivist", "restore", str(new), str(locked), "", user))
            assert said == "store.unwritable"
        locked.chmod(0o444)
        said = finished(started("support.archivist", "restore", str(folder / "new.db"), str(locked), "", user))
        assert said == "store.unwritable"
        assert [one.name for one in folder.iterdir()] == ["locked.db"]
        folder.chmod(0o755)


def test_progress_is_told_from_the_first_page_to_the_last_project(
    filled: Project, hansard: Hansard, file: Path, elsewhere: str
) -> None:
    told: dict[str, tuple[int, int]] = {}

    def progress(label: str, done: int, total: int) -> None:
        told[label] = (done, total)

    hansard.backup(file, progress=progress)
    Hansard.restore(file, elsewhere, settings=ME, progress=progress)
    assert {"copying", "verifying"} <= set(told)
    assert all(done == total for done, total in told.values())


def test_an_empty_store_makes_an_empty_backup(hansard: Hansard, file: Path, elsewhere: str) -> None:
    assert hansard.backup(file).projects == ()
    assert Hansard.restore(file, elsewhere, settings=ME).projects == ()
    with Hansard.open(elsewhere, settings=ME) as there:
        assert found.list_projects(there.store) == ()


def test_a_restore_that_finds_no_temporary_folder_says_so(
    hansard: Hansard, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hansard.projects()
    place = tmp_path / "empty.db"
    Hansard.open(place, settings=ME).close()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(StoreUnwritable, match=r"No temporary folder can be made: No such file.* TMPDIR\."):
        Hansard.restore(saved, place, settings=ME)


def test_a_password_is_not_repeated(saved: Path) -> None:
    with pytest.raises(HansardError) as caught:
        Hansard.restore(saved, "postgresql://ana:s3cret@127.0.0.1:1/team", settings=Settings(store_busy_seconds=0.0))
    assert "s3cret" not in caught.value.message
