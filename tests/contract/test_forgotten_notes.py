"""Forgotten notes: the file still says it, and the next index leaves it out."""

from pathlib import Path

from hansard.project import Project
from support.clock import FakeClock
from support.note_files import WORDS, Index, live, only


def test_what_was_forgotten_of_a_file_is_not_indexed_again(project: Project, root: Path, index: Index) -> None:
    file = root / "docs/a.md"
    first, second = (f"# {name}\n\n{' '.join(f'{name}{n}' for n in range(60))}\n\n" for name in ("Left", "Right"))
    file.write_text(first + second)
    index(file)
    left, right = live(project)
    project.forget(left.id, agent="tank")
    for _ in range(2):
        report = only(index(file))
        assert (report.created, report.kept, report.reason) == (0, 1, "left out what was forgotten: 1")
        assert [one.id for one in live(project)] == [right.id]
    file.write_text(f"{first.upper()}{second}\n\nA word more.\n")
    index(file)
    assert not any("left8" in one.content.lower() for one in live(project))
    file.write_text(first.replace("Left7", "lamp") + second)
    assert only(index(file)).created == 1
    assert project.verify().ok


def test_a_forgotten_note_of_one_agent_is_no_reason_to_leave_out_anothers(project: Project, root: Path) -> None:
    for agent in ("tank", "neo"):
        folder = root / ".hansard/notes" / agent
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "a.md").write_text(f"# Head\n\n{WORDS}\n")
    project.index_notes(root=root)
    mine, other = sorted(live(project), key=lambda one: one.agent != "tank")
    project.forget(mine.id, agent="tank")
    project.index_notes(root=root)
    assert [one.id for one in live(project)] == [other.id]


def test_what_only_expired_and_was_purged_is_indexed_again(
    project: Project, root: Path, index: Index, clock: FakeClock
) -> None:
    file = root / "docs/a.md"
    file.write_text(f"# Head\n\n{WORDS}\n")
    index(file)
    clock.advance(days=31)
    assert project.purge() == 1
    assert only(index(file)).created == 1
