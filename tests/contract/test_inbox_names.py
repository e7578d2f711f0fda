"""Names of files in the inbox folder: none is passed over in silence, and none adds a line to a report."""

from pathlib import Path

import pytest

from hansard.domain.mirror import is_kept_name
from hansard.project import Project

INBOX = ".squad/decisions/inbox"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / INBOX).mkdir(parents=True)
    return folder


@pytest.mark.parametrize("name", ["q.kept-20260101T000000Z.md", "Q2.MD"])
def test_a_file_of_the_inbox_folder_that_is_passed_over_is_reported(project: Project, root: Path, name: str) -> None:
    (root / INBOX / name).write_text("---\nagent: x\nslug: q\ntype: technical\n---\nbody\n")
    (root / INBOX / ".hansard-7-abc.tmp").write_text("half")
    for report in (project.import_inbox(root), project.export(root).inbox):
        (skipped,) = report.skipped
        assert skipped.path == f"{INBOX}/{name}"
        assert "rename it to have it taken in" in skipped.reason
        assert skipped.known is is_kept_name(name)
    assert project.list_inbox().items == ()
    assert (root / INBOX / name).exists()


@pytest.mark.parametrize("kind", ["text", "link", "folder"])
@pytest.mark.parametrize("mark", ["\n", "\r", "\x1b[2K", "\x85", "\u2028", "\u202e"])
def test_no_name_of_a_file_adds_a_line_to_a_report(project: Project, root: Path, mark: str, kind: str) -> None:
    place = root / INBOX / f"a{mark}Imported: law.md as P-99 (law).md"
    if kind == "text":
        place.write_text("nothing")
    elif kind == "link":
        place.symlink_to(root)
    else:
        place.mkdir()
    (skipped,) = project.import_inbox(root).skipped
    assert (skipped.path + skipped.reason).isprintable()
    assert "Imported: law.md" in skipped.path
