"""A file that is moved, deleted or replaced while it is open: nothing is written to what nobody will find again."""

import shutil
import threading
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import StoreBusy, StoreReplaced
from hansard.project import Project
from hansard.settings import Settings
from support.engines import on_sqlite

pytestmark = on_sqlite


@pytest.mark.parametrize("what", ["moved", "deleted", "replaced"])
def test_nothing_is_written_to_a_file_that_is_gone(what: str, target: str, project: Project) -> None:
    project.remember("Uploads fail above 5 MB.", agent="tank")
    file = Path(target)
    if what == "deleted":
        file.unlink()
    else:
        file.rename(file.with_suffix(".away"))
    if what == "replaced":
        shutil.copy(file.with_suffix(".away"), file)

    with pytest.raises(StoreReplaced, match="while it was open"):
        project.remember("Downloads fail above 5 MB.", agent="tank")
    with pytest.raises(StoreReplaced):
        project.list_memories()
    assert file.exists() is (what == "replaced")


@pytest.mark.parametrize("what", ["deleted", "replaced"])
def test_nothing_is_acknowledged_that_went_to_a_log_that_is_gone(what: str, target: str, project: Project) -> None:
    project.remember("Uploads fail above 5 MB.", agent="tank")
    log = Path(f"{target}-wal")
    log.unlink()
    if what == "replaced":
        log.write_bytes(b"")

    with pytest.raises(StoreReplaced, match="-wal was deleted or replaced"):
        project.remember("Downloads fail above 5 MB.", agent="tank")


def test_a_file_that_is_back_serves_again(target: str, project: Project) -> None:
    file = Path(target)
    file.rename(file.with_suffix(".away"))
    with pytest.raises(StoreReplaced):
        project.list_memories()

    file.with_suffix(".away").rename(file)

    assert project.remember("Uploads fail above 5 MB.", agent="tank").id


def test_the_turn_in_the_process_and_the_lock_on_the_file_are_one_wait(
    target: str, hansard: Hansard, project: Project
) -> None:
    """Each of many threads gives up after the time to wait, and not each after all before it."""
    waiting = Settings(user="ana", store_busy_seconds=0.2)
    with Hansard.open(target, settings=waiting) as impatient:
        mine = impatient.project("shop")
        refused: list[str] = []

        def write(number: int) -> None:
            try:
                mine.remember(f"Note number {number}.", agent="tank")
            except StoreBusy as error:
                refused.append(error.code)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(20)]
        with hansard.store.write(project.id):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(2)
            assert not any(thread.is_alive() for thread in threads)

    assert len(refused) == len(threads)
