"""Watching files: a change is told of, also below what is made later, and a signal ends the wait."""

import os
import signal
import threading
from pathlib import Path

import pytest

from hansard.domain.errors import Invalid
from hansard.workspace.watching import BLIND_WAITS, Lookout, sights, steps

LONG_SECONDS = 30.0
SHORT_SECONDS = 0.001
FOLDERS = ("a/b", "c")


def test_the_way_to_each_folder_is_watched_once(tmp_path: Path) -> None:
    assert steps(tmp_path, ("a/b", "a/c")) == [tmp_path, tmp_path / "a", tmp_path / "a/b", tmp_path / "a/c"]


def test_the_first_wait_ends_at_once_so_that_nothing_before_it_is_missed(tmp_path: Path) -> None:
    with Lookout(lambda: [tmp_path], deep=False) as lookout:
        assert lookout.wait(LONG_SECONDS)
        assert not lookout.wait(SHORT_SECONDS)


def test_a_change_ends_the_wait(tmp_path: Path) -> None:
    with Lookout(lambda: [tmp_path], deep=False) as lookout:
        lookout.wait(LONG_SECONDS)
        (tmp_path / "x.md").write_text("x")
        assert lookout.wait(LONG_SECONDS)


def test_a_change_further_down_ends_the_wait_of_a_deep_look_only(tmp_path: Path) -> None:
    (tmp_path / "deep/down").mkdir(parents=True)
    with Lookout(lambda: [tmp_path], deep=True) as deep, Lookout(lambda: [tmp_path], deep=False) as flat:
        deep.wait(LONG_SECONDS)
        flat.wait(LONG_SECONDS)
        (tmp_path / "deep/down/x.md").write_text("x")
        assert deep.wait(LONG_SECONDS)
        assert not flat.wait(SHORT_SECONDS)


def test_a_folder_that_is_made_later_or_again_is_watched(tmp_path: Path) -> None:
    with Lookout(lambda: steps(tmp_path, FOLDERS), deep=False) as lookout:
        lookout.wait(LONG_SECONDS)
        (tmp_path / "a/b").mkdir(parents=True)
        assert lookout.wait(LONG_SECONDS)
        (tmp_path / "a/b/x.md").write_text("x")
        assert lookout.wait(LONG_SECONDS)
        (tmp_path / "a/b").rename(tmp_path / "a/old")
        (tmp_path / "a/b").mkdir()
        assert lookout.wait(LONG_SECONDS)
        (tmp_path / "a/b/y.md").write_text("y")
        assert lookout.wait(LONG_SECONDS)


def test_a_folder_that_is_not_there_is_looked_for_at_every_wait(tmp_path: Path) -> None:
    with Lookout(lambda: [tmp_path / "nowhere"], deep=False) as lookout:
        assert lookout.wait(SHORT_SECONDS)
        (tmp_path / "nowhere").mkdir()
        assert lookout.wait(LONG_SECONDS)
        assert not lookout.wait(SHORT_SECONDS)


def test_a_file_system_that_tells_nothing_is_looked_at_now_and_then(tmp_path: Path) -> None:
    with Lookout(lambda: [tmp_path], deep=False) as lookout:
        lookout.wait(LONG_SECONDS)
        told = [lookout.wait(SHORT_SECONDS) for _ in range(2 * BLIND_WAITS)]
    assert [number for number, one in enumerate(told, 1) if one] == [BLIND_WAITS, 2 * BLIND_WAITS]


def test_a_signal_ends_the_wait(tmp_path: Path) -> None:
    with Lookout(lambda: [tmp_path], deep=False) as lookout:
        lookout.wait(LONG_SECONDS)
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            lookout.wait(LONG_SECONDS)
        timer.join()


def test_what_stands_in_a_folder_is_told_apart_without_reading_it(tmp_path: Path) -> None:
    assert sights(tmp_path, FOLDERS) == {}
    (tmp_path / "c").mkdir()
    (tmp_path / "c/x.md").write_text("one")
    before = sights(tmp_path, FOLDERS)
    assert list(before) == ["c/x.md"]
    assert sights(tmp_path, FOLDERS) == before
    (tmp_path / "c/x.md").write_text("longer")
    (tmp_path / "c/link.md").symlink_to("/nowhere")
    after = sights(tmp_path, FOLDERS)
    assert after["c/x.md"] != before["c/x.md"]
    assert "c/link.md" in after


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_root_that_is_no_folder_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(Invalid, match="not there"):
        sights(tmp_path / name, FOLDERS)
