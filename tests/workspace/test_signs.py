"""How long a miss holds: while nothing changes that is looked at, and no longer."""

from pathlib import Path

import pytest

from hansard.domain.claims import Claim, ClaimKind, ClaimStatus
from hansard.workspace import signs
from hansard.workspace.evidence import ABSENCE_SECONDS, ABSENCE_SECONDS_MAX, Evidence
from hansard.workspace.signs import FOLDERS_MAX, PLACES_MAX, Watch, sign_of, watch_for
from support.claims import STALE, VERIFIED, calls, path, symbol
from support.clock import FakeClock
from support.marks import invariant

LATE = symbol("late_name")


@pytest.fixture
def clock(claimed: Path) -> FakeClock:
    """An hour after the files were written: what changed just now is not trusted."""
    return FakeClock((claimed / "src" / "x.py").stat().st_mtime_ns // 1000 + 3_600_000_000)


def status(evidence: Evidence, claim: Claim = LATE) -> ClaimStatus:
    return evidence.check([claim])[claim].status


def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on a tree has more places than a turn looks at."""
    monkeypatch.setattr(signs, "PLACES_MAX", 2)


def test_turns_that_are_minutes_apart_ask_git_once_if_nothing_changes(
    claimed: Path, clock: FakeClock, git_calls: Path
) -> None:
    evidence = Evidence(claimed, clock=clock)
    assert status(evidence) is STALE
    asked = calls(git_calls)

    for _ in range(4):
        clock.advance(seconds=60)
        assert status(evidence) is STALE
    assert calls(git_calls) == asked > 0
    clock.advance(seconds=ABSENCE_SECONDS_MAX)
    status(evidence)
    assert calls(git_calls) > asked


@invariant("INV-19")
@pytest.mark.parametrize("file", ["late.py", "src/store/late.py", "new/deep/late.py", "src/x.py", "README"])
def test_a_name_that_was_just_written_is_found_at_once(claimed: Path, clock: FakeClock, file: str) -> None:
    evidence = Evidence(claimed, clock=clock)
    assert status(evidence) is STALE
    (claimed / file).parent.mkdir(parents=True, exist_ok=True)
    with (claimed / file).open("a") as writer:
        writer.write("late_name = 1\n")

    assert status(evidence) is VERIFIED


def test_in_a_large_tree_a_miss_holds_twice_as_long_each_time(
    claimed: Path, clock: FakeClock, git_calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large(monkeypatch)
    evidence = Evidence(claimed, clock=clock)
    searches = 0
    for _ in range(60):
        before = calls(git_calls)
        assert status(evidence) is STALE
        searches += calls(git_calls) > before
        clock.advance(seconds=30)

    assert searches == 11, "after 0, 30, 60, 90, 150 and 330 seconds, and then each time five minutes have passed"


def test_in_a_large_tree_an_edit_that_nothing_shows_is_seen_later(
    claimed: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    large(monkeypatch)
    evidence = Evidence(claimed, clock=clock)
    assert status(evidence) is STALE
    (claimed / "src" / "store" / "rows.py").write_text("late_name = 1\n")
    assert status(evidence) is STALE
    assert evidence.check([LATE], fresh=True)[LATE].status is VERIFIED
    (claimed / "src" / "store" / "rows.py").write_text("nothing = 1\n")
    assert status(evidence) is STALE
    (claimed / "src" / "store" / "rows.py").write_text("late_name = 1\n")
    clock.advance(seconds=ABSENCE_SECONDS + 1)
    assert status(evidence) is VERIFIED


def test_in_a_large_tree_a_new_file_in_a_folder_near_the_top_is_seen_at_once(
    claimed: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    large(monkeypatch)
    evidence = Evidence(claimed, clock=clock)
    assert status(evidence) is STALE
    (claimed / "src" / "late.py").write_text("late_name = 1\n")

    assert status(evidence) is VERIFIED


@invariant("INV-19")
def test_the_file_that_is_cited_with_a_name_is_looked_at_every_time(
    claimed: Path, clock: FakeClock, git_calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large(monkeypatch)
    evidence = Evidence(claimed, clock=clock)
    cited = Claim(ClaimKind.SYMBOL, "late_name", ("src/store/rows.py",))
    assert status(evidence, cited) is STALE
    asked = calls(git_calls)
    rows = claimed / "src" / "store" / "rows.py"
    rows.write_text("other = 1\n")
    assert status(evidence, cited) is STALE
    rows.write_text("late_name = 1\n")

    assert status(evidence, cited) is VERIFIED
    assert calls(git_calls) == asked


def test_what_changed_while_git_searched_is_not_trusted_for_long(claimed: Path, git_calls: Path) -> None:
    clock = FakeClock((claimed / "src" / "x.py").stat().st_mtime_ns // 1000)
    evidence = Evidence(claimed, clock=clock)
    status(evidence)
    asked = calls(git_calls)
    clock.advance(seconds=ABSENCE_SECONDS + 1)
    status(evidence)

    assert calls(git_calls) > asked


def test_a_missing_path_holds_as_a_missing_name_does(claimed: Path, clock: FakeClock, git_calls: Path) -> None:
    evidence = Evidence(claimed, clock=clock)
    assert status(evidence, path("late.py")) is STALE
    asked = calls(git_calls)
    clock.advance(seconds=100)
    assert status(evidence, path("late.py")) is STALE
    assert calls(git_calls) == asked
    (claimed / "src" / "late.py").touch()
    assert status(evidence, path("late.py")) is VERIFIED


def test_folders_near_the_top_are_watched_first_and_files_only_if_all_fit() -> None:
    assert watch_for(["b/c/d.py", "a.py"]) == Watch(("", "b", "b/c", "a.py", "b/c/d.py"), is_whole=True)
    many = watch_for([f"f{number}/deep/x.py" for number in range(PLACES_MAX)])

    assert (len(many.places), many.is_whole, many.places[:2]) == (FOLDERS_MAX, False, ("", "f0"))


def test_a_tree_that_nobody_could_list_has_no_sign(tmp_path: Path) -> None:
    assert sign_of(str(tmp_path), Watch(), 0).value == ""
    gone = sign_of(str(tmp_path), Watch(("gone",)), 0)
    (tmp_path / "gone").touch()
    assert gone.value != sign_of(str(tmp_path), Watch(("gone",)), 0).value


def test_a_file_made_in_a_folder_that_held_none_is_noticed(tmp_path: Path) -> None:
    for folder in ("src/new", "build"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "src/a.py").write_text("x = 1\n")
    watch = watch_for(["src/a.py"], str(tmp_path))
    assert watch.is_whole
    for place in ("src/new/x.py", "build/y.py"):
        before = sign_of(str(tmp_path), watch, 0).value
        (tmp_path / place).write_text("y = 1\n")
        assert sign_of(str(tmp_path), watch, 0).value != before


def test_folders_in_a_folder_without_files_make_the_look_partial(tmp_path: Path) -> None:
    (tmp_path / "deep/deeper").mkdir(parents=True)
    (tmp_path / "a.py").write_text("x = 1\n")
    assert not watch_for(["a.py"], str(tmp_path)).is_whole
