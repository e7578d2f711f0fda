"""Backups: everything in one verified file, as of one moment, while others write."""

import os
import stat
from pathlib import Path

import apsw
import pytest

from hansard import Hansard
from hansard.domain.errors import (
    BackupBroken,
    BackupExists,
    Invalid,
    StoreUnwritable,
)
from hansard.project import Project
from hansard.services import backup as backups
from hansard.settings import Settings
from hansard.store.sql.tables import TABLES
from hansard.store.sqlite import store as sqlite_store
from hansard.store.sqlite.store import ARCHIVED_SETTINGS
from support.archives import assert_same, files_beside, stopped
from support.engines import on_sqlite
from support.processes import finished, started, writer
from support.raw import raw

ME = Settings(user="ana")


def test_everything_is_in_a_backup(filled: Project, hansard: Hansard, file: Path) -> None:
    hansard.project("empty", create=True)
    done = hansard.backup(file)
    assert (done.place, done.size_bytes) == (str(file), file.stat().st_size)
    assert [one.project.key for one in done.projects] == ["empty", "shop"]
    assert done.projects[1].events == filled.verify().events
    with raw(file) as connection:
        listing = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        names = {str(name) for (name,) in connection.execute(listing)} - {ARCHIVED_SETTINGS}
        counts = {name: connection.execute(f"SELECT count(*) FROM {name}").get for name in names}
    assert names - {"idempotency_keys"} == set(TABLES), "a table that is not copied from a server"
    assert counts.pop("idempotency_keys") == 0, "answers that are kept for repeats"
    assert [name for name, count in counts.items() if not count] == []
    assert done.rows == sum(counts.values())
    with Hansard.open(file, settings=ME) as copy:
        assert_same(hansard, copy)


def test_a_backup_is_one_private_file(saved: Path) -> None:
    assert files_beside(saved) == ["backup.db"]
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    connection = apsw.Connection(str(saved), flags=apsw.SQLITE_OPEN_READONLY)
    assert connection.execute("SELECT key FROM projects").get == "shop"
    assert files_beside(saved) == ["backup.db"], "reading it needs a file beside it"
    connection.close()


def test_a_backup_holds_one_moment_while_others_write(
    filled: Project, hansard: Hansard, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_store, "PAGES_A_STEP", 4)
    before = filled.list_memories(limit=1_000).items
    events = filled.verify().events
    steps: list[str] = []

    def meanwhile(label: str, done: int, total: int) -> None:
        steps.append(label)
        assert len(steps) < 1_000, "every write begins the copy anew"
        filled.remember(f"written at step {len(steps)}", agent="tank", force=True)

    done = hansard.backup(file, progress=meanwhile)
    assert len(steps) > 10
    assert [one.events for one in done.projects] == [events]
    with Hansard.open(file, settings=ME) as copy:
        assert copy.project("shop").list_memories(limit=1_000).items == before
        assert copy.project("shop").verify().ok


def test_what_another_process_had_confirmed_is_in_the_backup(
    filled: Project, hansard: Hansard, target: str, file: Path
) -> None:
    process = writer("acknowledge", target)
    try:
        assert process.stdout is not None
        confirmed = [process.stdout.readline().split() for _ in range(5)]
        hansard.backup(file)
    finally:
        process.kill()
        process.communicate()
    with Hansard.open(file, settings=ME) as copy:
        project = copy.project("shop")
        for memory, entry, decision in confirmed:
            assert project.get_memory(memory, agent="tank").id == memory
            assert project.get_entry(entry).decision_id == decision
        assert project.verify().ok


def test_a_file_that_is_there_is_replaced_only_on_request(filled: Project, hansard: Hansard, saved: Path) -> None:
    before = saved.read_bytes()
    filled.remember("later", agent="tank")
    with pytest.raises(BackupExists, match="--force"):
        hansard.backup(saved)
    assert saved.read_bytes() == before
    hansard.backup(saved, replace=True)
    with Hansard.open(saved, settings=ME) as copy:
        assert_same(hansard, copy)


def test_a_file_that_appears_meanwhile_is_left_alone(filled: Project, hansard: Hansard, file: Path) -> None:
    def rival(label: str, done: int, total: int) -> None:
        if label == "verifying":
            file.write_text("mine")

    with pytest.raises(BackupExists):
        hansard.backup(file, progress=rival)
    assert file.read_text() == "mine"
    assert files_beside(file) == ["backup.db"]


def test_a_database_that_appears_meanwhile_is_never_replaced(filled: Project, hansard: Hansard, file: Path) -> None:
    def rival(label: str, done: int, total: int) -> None:
        file.write_text("mine")
        file.with_name("backup.db-wal").write_text("mine too")

    with pytest.raises(BackupExists, match="in use"):
        hansard.backup(file, replace=True, progress=rival)
    assert file.read_text() == "mine"


@on_sqlite
def test_a_database_in_use_is_never_replaced(filled: Project, hansard: Hansard, target: str) -> None:
    with pytest.raises(BackupExists, match="in use"):
        hansard.backup(target, replace=True)
    assert filled.verify().ok


@pytest.mark.parametrize("made", ["pipe", "link", "dangling", "device"])
@pytest.mark.parametrize("replace", [False, True])
def test_only_a_plain_file_is_ever_replaced(hansard: Hansard, saved: Path, made: str, *, replace: bool) -> None:
    place = saved.with_name("special")
    if made == "pipe":
        os.mkfifo(place)
    elif made == "device":
        place = Path(os.devnull)
    else:
        place.symlink_to(saved if made == "link" else saved.with_name("nowhere"))
    before = place.lstat()
    with pytest.raises(StoreUnwritable, match=r"link|plain file"):
        hansard.backup(place, replace=replace)
    after = place.lstat()
    assert (after.st_mode, after.st_ino) == (before.st_mode, before.st_ino)
    assert not saved.with_name("nowhere").exists()


def test_a_link_that_appears_meanwhile_is_not_replaced(filled: Project, hansard: Hansard, file: Path) -> None:
    def rival(label: str, done: int, total: int) -> None:
        if not file.is_symlink():
            file.symlink_to("somewhere")

    with pytest.raises(StoreUnwritable, match="link"):
        hansard.backup(file, replace=True, progress=rival)
    assert file.is_symlink()


@pytest.mark.parametrize("place", [".", "backup.db/below.db", "n" * 300], ids=["folder", "below a file", "too long"])
def test_a_place_that_cannot_be_written_is_refused(hansard: Hansard, saved: Path, place: str) -> None:
    with pytest.raises(StoreUnwritable):
        hansard.backup(saved.parent / place)
    assert files_beside(saved) == ["backup.db"]


@pytest.mark.parametrize("path", ["", "a\x00b", "a\nb", 7])
def test_a_path_that_is_none_is_refused(hansard: Hansard, path: str) -> None:
    with pytest.raises(Invalid):
        hansard.backup(path)
    with pytest.raises(Invalid):
        Hansard.restore(path, "x.db", settings=ME)


def test_a_backup_of_a_broken_history_is_not_kept(filled: Project, hansard: Hansard, saved: Path, target: str) -> None:
    before = saved.read_bytes()
    with raw(target) as connection:
        connection.execute("UPDATE memories SET content = 'zeppelins never land' WHERE content LIKE 'zeppelin 3 %'")
    with pytest.raises(BackupBroken, match="breaks at event"):
        hansard.backup(saved, replace=True)
    assert (saved.read_bytes(), files_beside(saved)) == (before, ["backup.db"])


def test_a_copy_with_other_rows_than_the_original_is_refused(filled: Project) -> None:
    with pytest.raises(BackupBroken, match="rows of memories"):
        backups.prove([filled.seat()], {"memories": 999}, None, advice=backups.SEE_DOCTOR)


@on_sqlite
def test_a_backup_of_a_damaged_file_is_not_kept(filled: Project, hansard: Hansard, file: Path, target: str) -> None:
    with raw(target) as connection:
        connection.execute("PRAGMA foreign_keys = OFF; INSERT INTO memory_tags VALUES ('nobody', 'a', 'b')")
    with pytest.raises(BackupBroken, match="rows of memory_tags point to memories that are gone"):
        hansard.backup(file)
    assert files_beside(file) == []


@on_sqlite
def test_what_is_forgotten_but_not_cleaned_out_yet_is_not_in_a_backup(
    filled: Project, hansard: Hansard, target: str, file: Path
) -> None:
    secret = filled.remember("the vault opens with xyzzy-plugh", agent="tank")
    with raw(target) as reader:
        reader.execute("BEGIN; SELECT count(*) FROM memories")
        filled.forget(secret.id, agent="tank")
        with filled.seat().reading() as tx:
            assert tx.ledger.is_erasing()
        hansard.backup(file)
    assert b"xyzzy-plugh" not in file.read_bytes()


def test_a_store_in_memory_can_be_backed_up_and_not_restored_into(file: Path) -> None:
    with Hansard.open(":memory:", settings=ME) as hansard:
        hansard.project("shop", create=True).remember("x", agent="tank")
        hansard.backup(file)
    with Hansard.open(file, settings=ME) as copy:
        assert copy.project("shop").verify().ok
    with pytest.raises(Invalid, match=":memory:"):
        Hansard.restore(file, ":memory:", settings=ME)


@pytest.mark.parametrize("step", ["copy", "verifying"])
def test_a_backup_that_is_killed_leaves_no_half_file(
    filled: Project, hansard: Hansard, target: str, file: Path, step: str
) -> None:
    word = "shop: vectors" if step == "copy" and target.startswith("postgres") else step
    stopped(started("support.archivist", "backup", target, str(file), word), word)
    assert not file.exists()
    left = files_beside(file)
    assert [name for name in left if not name.startswith(".backup.db.")] == []
    for name in left:
        os.utime(file.parent / name, (0, 0))
    hansard.backup(file)
    assert files_beside(file) == ["backup.db"], "what was left long ago is swept away"


@on_sqlite
def test_a_full_disk_leaves_no_half_file(filled: Project, hansard: Hansard, target: str, saved: Path) -> None:
    size = str(saved.stat().st_size // 2)
    file, new = saved.with_name("second.db"), saved.with_name("new.db")
    for job in (("backup", target, str(file)), ("restore", str(new), str(saved))):
        said = finished(started("support.archivist", *job, "", "", size))
        assert said.splitlines()[-1] in ("store.full", "store.unwritable")
        assert files_beside(saved) == ["backup.db"]
