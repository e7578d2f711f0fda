"""The watcher: files and record are kept in step, each thing is said once, and what is away is waited for."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.mirror import LEDGER_FOLDER
from hansard.project import Project
from hansard.services import watch
from hansard.services.watch import Happening, keep_in_step
from hansard.settings import Settings
from support.marks import invariant

INBOX = ".squad/decisions/inbox"
DROPPED = "---\nagent: beta\nslug: {slug}\ntype: scope\n---\n\n{content}\n"

LOOKS_MAX = 300

Step = Callable[[], object]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def drop(root: Path, name: str, content: str = "Do it.") -> Path:
    path = root / INBOX / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(DROPPED.format(slug=path.stem, content=content))
    return path


def watched(project: Project, root: Path, *steps: Step) -> list[list[Happening]]:
    """What the watcher does at its start and after each step, with two quiet looks at the end of each."""
    told: list[list[Happening]] = [[]]
    left: Iterator[Step] = iter(steps)
    quiet = looks = 0

    def wait(seconds: float) -> bool:
        nonlocal quiet, looks
        looks += 1
        assert looks < LOOKS_MAX, "it never comes to rest"
        assert seconds in {watch.LOOK_SECONDS, watch.SETTLE_SECONDS}
        quiet = quiet + 1 if seconds == watch.LOOK_SECONDS else 0
        if quiet > 2:
            step = next(left, None)
            if step is None:
                raise KeyboardInterrupt
            told.append([])
            quiet = 0
            step()
        return True

    with suppress(KeyboardInterrupt):
        for one in keep_in_step(project.seat(), root, wait):
            told[-1].append(one)
    return told


def words(happenings: list[Happening]) -> list[str]:
    return [one.what for one in happenings]


def test_what_was_dropped_before_the_start_is_imported_at_the_start(project: Project, root: Path) -> None:
    drop(root, "first.md")
    (told,) = watched(project, root)
    assert words(told) == ["imported", "exported"]
    assert told[0].details == {"path": f"{INBOX}/first.md", "slug": "first", "ref": "P-1"}
    assert f"{INBOX}/first.md" in told[1].details["written"]
    assert project.get_entry("first").author == "beta"


def test_a_file_that_is_dropped_is_imported_and_its_own_writes_wake_nobody(project: Project, root: Path) -> None:
    start, dropped, nothing = watched(project, root, lambda: drop(root, "second.md"), lambda: None)
    assert words(start) == ["exported"]
    assert words(dropped) == ["imported", "exported"]
    assert nothing == []
    assert project.get_entry("second").content == "Do it."


def test_a_change_of_the_record_by_another_process_is_exported(project: Project, target: str, root: Path) -> None:
    with Hansard.open(target) as other:
        there = other.project("shop")
        _, told, after = watched(
            project, root,
            lambda: there.propose(agent="tank", slug="a", type="scope", content="c"),
            lambda: there.merge("a", by="bob"),
        )  # fmt: skip
    assert [f"{INBOX}/a.md" in one.details["written"] for one in told] == [True]
    assert [one.details["removed"] for one in after] == [[f"{INBOX}/a.md"]]
    assert "D-1" in (root / ".squad/decisions.md").read_text()


def test_a_burst_of_changes_is_one_export(project: Project, root: Path) -> None:
    def burst() -> None:
        for number in range(30):
            project.propose(agent="tank", slug=f"idea-{number}", type="scope", content="c")

    assert [words(told) for told in watched(project, root, burst)] == [["exported"], ["exported"]]


def test_a_file_is_read_when_it_has_come_to_rest(project: Project, root: Path) -> None:
    path = drop(root, "slow.md")
    path.unlink()
    lengths = iter([30, 45, 10_000])

    def wait(seconds: float) -> bool:
        length = next(lengths, None)
        if length is not None:
            path.write_text(DROPPED.format(slug="slow", content="Every word of it.")[:length])
        elif seconds == watch.LOOK_SECONDS:
            raise KeyboardInterrupt
        return True

    told: list[Happening] = []
    with pytest.raises(KeyboardInterrupt):
        told.extend(keep_in_step(project.seat(), root, wait))
    assert project.get_entry("slow").content == "Every word of it."


def test_changes_without_end_are_not_waited_out_for_ever(project: Project, root: Path) -> None:
    exported: list[Happening] = []
    looks = 0

    def wait(_seconds: float) -> bool:
        nonlocal looks
        looks += 1
        if looks > 2 * watch.SETTLE_LOOKS_MAX:
            raise KeyboardInterrupt
        project.propose(agent="tank", slug="idea", type="scope", content=f"{looks}")
        return True

    with pytest.raises(KeyboardInterrupt):
        exported.extend(keep_in_step(project.seat(), root, wait))
    assert len(exported) == 2


@invariant("INV-12")
def test_an_unreadable_file_is_told_of_once_and_again_when_it_changes(project: Project, root: Path) -> None:
    bad = root / INBOX / "bad.md"
    bad.parent.mkdir(parents=True)
    start, dropped, record, changed, good = watched(
        project, root,
        lambda: bad.write_text("hello\n"),
        lambda: project.decide(type="scope", title="t", content="c", by="ana"),
        lambda: bad.write_text("hello again\n"),
        lambda: drop(root, "bad.md"),
    )  # fmt: skip
    assert words(start) == ["exported"]
    assert [(one.what, one.details["path"], one.details["line"]) for one in dropped] == [
        ("skipped", f"{INBOX}/bad.md", 1)
    ]
    assert dropped[0].details["fix"] == "begin the first line with ---"
    assert words(record) == ["exported"]
    assert words(changed) == ["skipped"]
    assert words(good)[0] == "imported"


def test_an_edit_by_hand_is_set_aside_and_told_of(project: Project, root: Path) -> None:
    project.propose(agent="tank", slug="a", type="scope", content="c")
    edited = DROPPED.format(slug="a", content="Mine.").replace("beta", "tank")
    _, told = watched(project, root, lambda: (root / INBOX / "a.md").write_text(edited))
    assert words(told) == ["skipped", "set aside", "exported"]
    assert told[0].details["known"]
    assert (root / told[1].details["kept"]).read_text() == edited
    assert project.get_entry("a").content == "c"


def test_a_folder_that_vanishes_is_told_of_once_and_waited_for(project: Project, root: Path) -> None:
    _, gone, still, back = watched(
        project, root,
        lambda: shutil.rmtree(root),
        lambda: project.decide(type="scope", title="t", content="c", by="ana"),
        root.mkdir,
    )  # fmt: skip
    assert [(one.what, one.details["code"]) for one in gone] == [("waiting", "project.folder_gone")]
    assert str(root) in gone[0].details["reason"]
    assert still == []
    assert words(back) == ["back", "exported"]
    assert "D-1" in (root / ".squad/decisions.md").read_text()


def test_a_mirror_that_another_process_writes_is_waited_for(project: Project, root: Path) -> None:
    project.export(root)
    held = os.open(root / ".hansard/mirror.lock", os.O_RDONLY)

    def busy() -> None:
        fcntl.flock(held, fcntl.LOCK_EX)
        project.decide(type="scope", title="t", content="c", by="ana")

    _, told, after = watched(project, root, busy, lambda: os.close(held))
    assert [one.details["code"] for one in told] == ["mirror.busy"]
    assert words(after) == ["exported"]


def test_a_file_that_cannot_be_written_is_told_of_once_and_tried_again(project: Project, root: Path) -> None:
    blocked = root / ".squad/decisions.md"
    blocked.mkdir(parents=True)
    nothing: list[Step] = [lambda: None] * watch.RETRY_LOOKS
    start, *later = watched(project, root, *nothing, blocked.rmdir, *nothing)
    assert words(start) == ["exported", "failed"]
    assert [one.details for told in later for one in told] == [{"written": [".squad/decisions.md"], "removed": []}]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[tuple[Project, Path]]:
    """A clone of the repository with a record of its own."""
    folder = tmp_path / "clone"
    folder.mkdir()
    with Hansard.open(str(tmp_path / "clone.db"), settings=Settings(user="bob")) as other:
        yield other.project("shop", create=True), folder


def pulled(source: Path, root: Path) -> None:
    shutil.copytree(source / LEDGER_FOLDER, root / LEDGER_FOLDER, dirs_exist_ok=True)


def test_what_a_pull_brings_is_taken_in(project: Project, root: Path, elsewhere: tuple[Project, Path]) -> None:
    there, clone = elsewhere
    there.decide(type="scope", title="Theirs", content="c", by="bob")
    there.export(clone)
    start, told, nothing = watched(project, root, lambda: pulled(clone, root), lambda: None)
    assert "taken in" not in words(start)
    assert told[0].what == "taken in"
    assert (told[0].details["decisions"], told[0].details["conflicts"]) == (1, [])
    assert words(told[1:]) == ["exported"]
    assert nothing == []
    assert [one.title for one in project.list_decisions().items] == ["Theirs"]
    assert "Theirs" in (root / ".squad/decisions.md").read_text()


def test_what_a_pull_brought_before_the_start_is_taken_in(
    project: Project, root: Path, elsewhere: tuple[Project, Path]
) -> None:
    there, clone = elsewhere
    there.decide(type="scope", title="Theirs", content="c", by="bob")
    there.export(clone)
    pulled(clone, root)
    (told,) = watched(project, root)
    assert words(told) == ["taken in", "exported"]


def test_an_agent_that_watches_takes_in_no_decision_and_says_so_once(
    hansard: Hansard, project: Project, root: Path, elsewhere: tuple[Project, Path]
) -> None:
    there, clone = elsewhere
    there.decide(type="scope", title="Theirs", content="c", by="bob")
    there.export(clone)
    hansard.project("web", create=True, root=root)
    bound = hansard.project("web", actor=Actor("tank", role="agent"))
    start, told, nothing = watched(bound, root, lambda: pulled(clone, root), lambda: None)
    assert words(start) == ["exported"]
    assert "taken in" not in words(told)
    assert {one.details["path"] for one in told if one.what in {"skipped", "left alone"}}
    assert nothing == []
    assert bound.list_decisions().items == ()


def test_a_damaged_ledger_is_told_of_with_its_line_and_lost_for_nobody(project: Project, root: Path) -> None:
    path = root / LEDGER_FOLDER / "decisions.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{not json\n")
    start, nothing = watched(project, root, lambda: None)
    assert [one.details["line"] for one in start if one.what == "warned"] == [1]
    assert nothing == []
