"""What was seen before: when it is believed, when it is looked at again, and what a file of it is good for."""

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from hansard.domain.claims import ClaimStatus, claims_of
from hansard.workspace.evidence import ROOTS_MAX, Evidence, _sight, evidence_of
from hansard.workspace.sightings import ENTRIES_MAX, FILES_MAX, Sight, Sighting, Sightings
from support.claims import STALE, VERIFIED, calls, path, symbol
from support.clock import FakeClock
from support.marks import invariant
from support.repositories import git


def test_warm_nothing_is_asked_of_git(claimed: Path, git_calls: Path) -> None:
    evidence = Evidence(claimed)
    claims = [symbol("do_it"), symbol("gone_name"), path("src/x.py"), path("rows.py"), path("gone.py")]
    first = evidence.check(claims)
    asked = calls(git_calls)

    assert evidence.check(claims) == first
    assert calls(git_calls) == asked > 0


def test_a_file_that_changed_is_read_again_without_asking_git(claimed: Path, git_calls: Path) -> None:
    evidence = Evidence(claimed)
    evidence.check([symbol("do_it")])
    asked = calls(git_calls)
    (claimed / "src" / "x.py").write_text("# moved down\n\n\ndef do_it(): pass\n")

    assert evidence.check([symbol("do_it")])[symbol("do_it")].status is VERIFIED
    assert calls(git_calls) == asked


def test_a_change_that_leaves_time_and_size_alone_is_seen(claimed: Path) -> None:
    evidence = Evidence(claimed)
    file = claimed / "src" / "x.py"
    before = file.stat()
    assert evidence.check([symbol("do_it")])[symbol("do_it")].status is VERIFIED
    file.write_text(file.read_text().replace("do_it", "do_at"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert evidence.check([symbol("do_it")])[symbol("do_it")].status is STALE


def test_a_file_that_may_change_again_within_a_tick_is_read_again(claimed: Path) -> None:
    at = (claimed / "src" / "x.py").stat().st_mtime_ns // 1000
    fresh, settled = (Evidence(claimed, clock=FakeClock(at + later)) for later in (0, 3_000_000))
    for evidence in (fresh, settled):
        assert evidence.check([symbol("do_it")])[symbol("do_it")].status is VERIFIED

    seen = [next(iter(one._known.words.values())).sight for one in (fresh, settled) if one._known is not None]

    assert seen == [Sight(0, 0, 0), _sight((claimed / "src" / "x.py").stat())]


@pytest.mark.parametrize("change", ["add", "commit", "checkout"])
def test_a_miss_ends_with_the_state_of_the_repository(claimed: Path, change: str) -> None:
    git(claimed, "checkout", "--quiet", "-b", "side")
    (claimed / "late.py").write_text("late_name = 1\n")
    git(claimed, "add", "late.py")
    git(claimed, "commit", "--quiet", "--message", "late")
    git(claimed, "checkout", "--quiet", "-")
    evidence = Evidence(claimed)
    claim = symbol("late_name")
    assert evidence.check([claim])[claim].status is STALE
    if change == "checkout":
        git(claimed, "checkout", "--quiet", "side")
    else:
        (claimed / "late.py").write_text("late_name = 1\n")
        git(claimed, "add", "late.py")
        if change == "commit":
            git(claimed, "commit", "--quiet", "--message", "here")

    assert evidence.check([claim])[claim].status is VERIFIED


def test_a_path_that_appears_is_seen_at_once(claimed: Path) -> None:
    evidence = Evidence(claimed)
    assert evidence.check([path("src/late.py")])[path("src/late.py")].status is STALE
    (claimed / "src" / "late.py").touch()

    assert evidence.check([path("src/late.py")])[path("src/late.py")].status is VERIFIED


def test_another_process_goes_on_from_the_file(claimed: Path, tmp_path: Path, git_calls: Path) -> None:
    cache = tmp_path / "cache"
    claims = [symbol("do_it"), symbol("gone_name"), path("rows.py"), path("gone.py"), symbol("src.rows")]
    first = Evidence(claimed, cache).check(claims)
    asked = calls(git_calls)

    assert Evidence(claimed, cache).check(claims) == first
    assert calls(git_calls) == asked
    (file,) = cache.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_nothing_that_a_memory_says_is_in_the_file(claimed: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    private = claims_of("`acme_merger_zebra` in `acme/merger.py`, `acme.xlsx`, and `do_it`.", ["zebra/plan.md::buy_it"])
    Evidence(claimed, cache).check(private)
    (file,) = cache.iterdir()

    said = file.read_text()
    for word in ("acme", "zebra", "merger", "buy_it", "do_it", "plan"):
        assert word not in said
    assert json.loads(said)["salt"] not in (json.loads(other)["salt"] for other in [_fresh_file(claimed, tmp_path)])


def _fresh_file(root: Path, folder: Path) -> str:
    Evidence(root, folder / "other").check([symbol("do_it")])
    (file,) = (folder / "other").iterdir()
    return file.read_text()


def test_a_file_of_an_older_format_is_written_over_at_once(claimed: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    Evidence(claimed, cache).check([symbol("do_it")])
    (file,) = cache.iterdir()
    older = json.loads(file.read_text()) | {"format": 1, "absences": {"symbol acme_merger_zebra": []}}
    file.write_text(json.dumps(older))
    Evidence(claimed, cache).check([path("src/x.py")])

    assert "zebra" not in file.read_text()


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b"null", b"\xff", b'{"format": 1}', b'{"format": 1, "claimed": "", "words": [], "places": 3}',
     b"[" * 100_000],
)  # fmt: skip
def test_a_damaged_cache_is_no_cache(claimed: Path, tmp_path: Path, damage: bytes) -> None:
    cache = tmp_path / "cache"
    claims = [symbol("do_it"), symbol("gone_name")]
    first = Evidence(claimed, cache).check(claims)
    (file,) = cache.iterdir()
    file.write_bytes(damage)

    assert Evidence(claimed, cache).check(claims) == first
    assert file.read_bytes() != damage


def test_a_forged_cache_leads_nowhere(claimed: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (tmp_path / "secret.py").write_text("secret_name = 1\n")
    Evidence(claimed, cache).check([symbol("do_it")])
    forged = Sightings(claimed, cache)
    forged.load()
    forged.words[forged.key("symbol secret_name")] = Sighting("../secret.py", _sight((tmp_path / "secret.py").stat()))
    forged.changed = True
    forged.save()

    assert Evidence(claimed, cache).check([symbol("secret_name")])[symbol("secret_name")].status is STALE


def test_a_cache_of_another_root_is_no_cache(tmp_path: Path) -> None:
    first, second = (Sightings(tmp_path / name, tmp_path) for name in ("first", "second"))
    for one in (first, second):
        one.places["path x.py"] = "src/x.py"
        one.changed = True
        one.save()
    files = sorted(tmp_path.glob("claims-*"))
    assert len(files) == 2
    files[1].write_bytes(files[0].read_bytes())
    loaded = [Sightings(tmp_path / name, tmp_path) for name in ("first", "second")]
    for one in loaded:
        one.load()

    assert sorted(len(one.places) for one in loaded) == [0, 1]


def test_there_is_a_limit_to_what_is_kept(tmp_path: Path) -> None:
    kept = Sightings(tmp_path / "root", tmp_path)
    kept.places = {f"path {number}": "x.py" for number in range(ENTRIES_MAX + 5)}
    kept.changed = True
    kept.save()
    again = Sightings(tmp_path / "root", tmp_path)
    again.load()

    assert list(again.places) == [f"path {number}" for number in range(5, ENTRIES_MAX + 5)]


def test_the_files_of_roots_that_nobody_asks_about_make_room(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    for number in range(FILES_MAX + 3):
        one = Sightings(tmp_path / str(number), folder)
        one.changed = True
        one.save()
        os.utime(one._file or folder, (number, number))

    first, last = (Sightings(tmp_path / str(number), folder)._file for number in (0, FILES_MAX + 2))
    assert len(list(folder.iterdir())) == FILES_MAX
    assert first is not None
    assert last is not None
    assert (first.exists(), last.exists()) == (False, True)


@invariant("INV-13")
def test_the_cache_is_never_in_the_project_and_need_not_be_anywhere(claimed: Path, tmp_path: Path) -> None:
    before = sorted(claimed.rglob("*"))
    blocked = tmp_path / "file"
    blocked.touch()
    for folder in (claimed / "cache", None, blocked, blocked / "deeper"):
        assert Evidence(claimed, folder).check([symbol("do_it")])[symbol("do_it")].status is VERIFIED

    assert sorted(claimed.rglob("*")) == before


def test_threads_share_what_was_seen(claimed: Path) -> None:
    evidence = evidence_of(claimed, None)
    claims = [symbol("do_it"), symbol("gone_name"), path("src/x.py")]
    wanted = [VERIFIED, STALE, VERIFIED]
    answers: list[list[ClaimStatus]] = []

    def ask() -> None:
        answers.append([one.status for one in evidence.check(claims).values()])

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert answers == [wanted] * 8
    assert evidence_of(claimed, None) is evidence


def test_only_so_many_roots_are_kept_in_mind(tmp_path: Path) -> None:
    first = evidence_of(tmp_path / "0", None)
    for number in range(1, ROOTS_MAX + 1):
        evidence_of(tmp_path / str(number), None)

    assert evidence_of(tmp_path / "0", None) is not first


def test_nothing_claimed_asks_nothing(claimed: Path, git_calls: Path) -> None:
    assert Evidence(claimed).check([]) == {}
    assert calls(git_calls) == 0
