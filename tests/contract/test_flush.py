"""Flushing on a file: nothing is acknowledged before it is on the disk, and those who wait together share a flush."""

import errno
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import StoreUnwritable
from hansard.settings import Settings
from hansard.store.sqlite import flush
from support.engines import on_sqlite

pytestmark = on_sqlite


class Disk:
    """Notes what is flushed, and is as slow or as broken as a test wants it."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.ready = threading.Event()
        self.ready.set()
        self.arrived = threading.Event()
        self.broken = False

    def flush(self, descriptor: int) -> None:
        self.sizes.append(os.fstat(descriptor).st_size)
        self.arrived.set()
        assert self.ready.wait(10)
        if self.broken:
            raise OSError(errno.EIO, "no such luck")


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    found = Disk()
    monkeypatch.setattr(flush, "_synchronise", found.flush)
    return found


def test_a_write_is_on_the_disk_before_it_is_acknowledged(hansard: Hansard, target: str, disk: Disk) -> None:
    project = hansard.project("shop", create=True)
    before = len(disk.sizes)

    project.remember("Uploads fail above 5 MB.", agent="tank")

    assert len(disk.sizes) == before + 1
    # What is committed stands in the log by then, and nothing comes after it.
    assert disk.sizes[-1] == Path(f"{target}-wal").stat().st_size


def test_a_database_behind_a_link_is_flushed_like_any(target: str, tmp_path: Path, disk: Disk) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(target)
    with Hansard.open(link, settings=Settings(user="ana")) as hansard:
        project = hansard.project("shop", create=True)
        before = len(disk.sizes)
        project.remember("Uploads fail above 5 MB.", agent="tank")

    assert len(disk.sizes) == before + 1


def test_nobody_waits_for_a_read_to_be_flushed(hansard: Hansard, disk: Disk) -> None:
    project = hansard.project("shop", create=True)
    before = len(disk.sizes)

    project.list_memories(agent="tank")

    assert len(disk.sizes) == before


def test_others_write_while_one_waits_for_the_disk_and_share_the_next_flush(hansard: Hansard, disk: Disk) -> None:
    project = hansard.project("shop", create=True)
    writers = 8
    disk.ready.clear()
    disk.arrived.clear()
    before = len(disk.sizes)
    with ThreadPoolExecutor(writers) as pool:
        first = pool.submit(project.remember, "The first note of all.", agent="tank")
        assert disk.arrived.wait(30)
        others = [pool.submit(project.remember, f"Note number {one}.", agent=f"a{one}") for one in range(writers - 1)]
        while len(project.list_memories(limit=50).items) < writers:
            assert not first.done()
        # All are committed, and none is acknowledged.
        acknowledged = [one for one in (first, *others) if one.done()]
        disk.ready.set()
        for one in (first, *others):
            one.result(30)

    assert not acknowledged
    assert len(disk.sizes) - before < writers


def test_a_disk_that_fails_is_told_to_everybody_who_waited_for_it(hansard: Hansard, disk: Disk) -> None:
    project = hansard.project("shop", create=True)
    disk.broken = True

    with pytest.raises(StoreUnwritable, match="could not be flushed"):
        project.remember("Uploads fail above 5 MB.", agent="tank")

    disk.broken = False
    assert project.remember("Downloads fail above 5 MB.", agent="tank").id
