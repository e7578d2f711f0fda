"""What compaction writes: spilled files inside the root only, and failures that every process sees."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hansard.domain.compaction.ladder import Spill
from hansard.domain.errors import Invalid
from hansard.workspace import spills
from support.marks import invariant

PATH = ".cache/tool-output/login/0123456789abcdef.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


def test_a_spilled_file_is_there_and_git_does_not_see_it(root: Path) -> None:
    spills.write(root, Spill(PATH, "a\u2028b"))

    assert (root / PATH).read_text(encoding="utf-8") == "a\u2028b"
    assert (root / ".cache/tool-output/.gitignore").read_text() == "*\n"


def test_the_ignore_file_of_somebody_else_stays(root: Path) -> None:
    ignore = root / ".cache/tool-output/.gitignore"
    ignore.parent.mkdir(parents=True)
    ignore.write_text("mine\n")
    spills.write(root, Spill(PATH, "a"))

    assert ignore.read_text() == "mine\n"


@invariant("INV-13")
@pytest.mark.parametrize("link", [".cache", ".cache/tool-output", ".cache/tool-output/login"])
def test_nothing_is_spilled_or_purged_through_a_link(root: Path, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    (outside / "tool-output" / "login").mkdir(parents=True)
    (outside / "login").mkdir()
    victims = [outside / inner / "0123456789abcdef.md" for inner in ("tool-output/login", "login", ".")]
    for victim in victims:
        victim.write_text("kept")
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(outside)

    with pytest.raises(Invalid):
        spills.write(root, Spill(PATH, "a"))
    with pytest.raises(Invalid):
        spills.purge(root, "login")
    assert [victim.read_text() for victim in victims] == ["kept"] * 3


@invariant("INV-13")
def test_a_task_cannot_lead_out_of_the_folder(root: Path) -> None:
    with pytest.raises(Invalid):
        spills.purge(root, "../..")


def test_a_purge_removes_the_files_of_its_task_and_no_others(root: Path) -> None:
    other = PATH.replace("login", "logout")
    for path in (PATH, other):
        spills.write(root, Spill(path, "a"))
    mine = root / ".cache/tool-output/login/notes.md"
    mine.write_text("mine")

    assert spills.purge(root, "login") == [PATH]
    assert spills.purge(root, "login") == []
    assert (mine.exists(), (root / other).exists(), (root / PATH).exists()) == (True, True, False)
    assert spills.purge(root, "unknown") == []


def test_failures_are_remembered_for_each_task(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "project"
    with spills.attempts(folder) as known:
        known.keep("login", 2)
        known.keep("logout", 1)
    with spills.attempts(folder) as known:
        assert (known.failures("login"), known.failures("logout"), known.failures("other")) == (2, 1, 0)
        known.keep("login", 0)
    assert '"login"' not in (folder / spills.ATTEMPTS).read_text()


def test_two_at_once_lose_no_failure(tmp_path: Path) -> None:
    def fail(_: int) -> None:
        with spills.attempts(tmp_path) as known:
            known.keep("login", known.failures("login") + 1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(fail, range(40)))
    with spills.attempts(tmp_path) as known:
        assert known.failures("login") == 40


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"failures": {"a": "x"}}', '{"failures": 3}', "[" * 100_000,
                                    '{"failures": {"a": Infinity}}', '{"failures": {"a": NaN}}',
                                    '{"failures": {"a": -1}}',
                                    '{"failures": {"a": true}}', '{"failures": {"a": 1.5}}',
                                    '{"failures": {"a": 1' + "0" * 30 + "}}"])  # fmt: skip
def test_a_damaged_count_is_told_and_does_not_pass_for_none(tmp_path: Path, damage: str) -> None:
    (tmp_path / spills.ATTEMPTS).write_text(damage)
    with pytest.raises(Invalid, match="damaged"), spills.attempts(tmp_path):
        pass


def test_what_is_damaged_can_be_mended_and_the_rest_stays(tmp_path: Path) -> None:
    (tmp_path / spills.ATTEMPTS).write_text('{"failures": {"a": Infinity, "b": 2}}')
    with spills.attempts(tmp_path, mending=True) as known:
        known.keep("a", 0)
    with spills.attempts(tmp_path) as known:
        assert (known.failures("a"), known.failures("b")) == (0, 2)
