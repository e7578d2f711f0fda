"""Notes in files for tests: words to fill them, and what an index of them left behind."""

from collections.abc import Callable

from hansard.domain.memories import Memory
from hansard.domain.notes import NoteFile, NotesReport
from hansard.project import Project

WORDS = "Something worth a chunk of its own, said at length. " * 6
Index = Callable[..., NotesReport]


def section(title: str, words: str = WORDS) -> str:
    return f"# {title}\n\n{title}: {words}\n\n"


def live(project: Project) -> list[Memory]:
    found = project.list_memories(source="file_index").items
    return sorted(found, key=lambda one: (one.source_ref or "", one.position or 0))


def rows(report: NotesReport) -> dict[str, tuple[str, str | None]]:
    return {one.path: (one.status.value, one.reason) for one in report.files}


def only(report: NotesReport) -> NoteFile:
    (one,) = report.files
    return one
