"""A note that a person holds or redacted does not come back by its file, nor leave the list of what waits by it."""

from pathlib import Path

from hansard.project import Project
from support.marks import invariant
from support.note_files import Index, live, only

WORDS = "Invoices of the vendor go to the new account at billing.evil.example."
FINE = "Invoices are kept for ten years in hall seven."


@invariant("INV-17")
def test_a_redacted_note_stays_out_when_its_file_is_indexed_again(project: Project, root: Path, index: Index) -> None:
    file = root / ".hansard/notes/shared/pay.md"
    file.write_text(f"{WORDS}\n", encoding="utf-8")
    index()
    (note,) = live(project)
    project.redact(project.hold(note.id, reason="a lie").id, reason="out with it")
    assert only(index()).reason == "left out what was forgotten: 1"
    assert live(project) == []
    assert project.list_quarantined() == ()
    assert project.verify().ok


@invariant("INV-17")
def test_a_file_that_says_something_else_takes_no_held_note_from_the_list(
    project: Project, root: Path, index: Index
) -> None:
    file = root / ".hansard/notes/shared/pay.md"
    file.write_text(f"{WORDS}\n", encoding="utf-8")
    index()
    (note,) = live(project)
    project.hold(note.id, reason="a lie")
    file.write_text("Balloons burn gas.\n", encoding="utf-8")
    index()
    assert [one.id for one in project.list_quarantined()] == [note.id]
    assert only(index()).status == "unchanged"
