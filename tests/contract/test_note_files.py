"""Which files are indexed: none that is hidden, ignored, no text, or outside the root without being named."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Impersonation, Invalid
from hansard.domain.memories import Memory
from hansard.domain.notes import NoteFile, NotesReport, NoteStatus
from hansard.project import Project
from hansard.services.notes import index_notes
from hansard.workspace.ignored import Ignored

WORDS = "Something worth a chunk of its own, said at length. " * 6
Index = Callable[..., NotesReport]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".hansard/notes/tank").mkdir(parents=True)
    (folder / ".hansard/notes/shared").mkdir()
    (folder / "docs").mkdir()
    return folder


@pytest.fixture
def index(project: Project, root: Path) -> Index:
    def run(*paths: Path | str, agent: str | None = "tank", **options: object) -> NotesReport:
        return index_notes(project.seat(agent=agent), paths, agent=agent, root=root, **options)  # type: ignore[arg-type]

    return run


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


def test_what_cannot_be_indexed_is_skipped_with_its_reason(project: Project, root: Path, index: Index) -> None:
    docs = root / "docs"
    (docs / "image.png").write_bytes(b"\x89PNG\0\0")
    (docs / "latin.txt").write_bytes("caf\xe9".encode("latin-1"))
    (docs / "late.txt").write_bytes(b"x" * 9_000 + b"\0")
    (docs / "huge.txt").write_bytes(b"x" * 1_048_577)
    (docs / "empty.md").write_text(" \n\n")
    (docs / ".hidden.md").write_text("hidden")
    (docs / "copy.md~").write_text("an editor's")
    (docs / "debug.log").write_text("noise")
    (root / ".gitignore").write_text("*.log\n")
    (root / "secret.txt").write_text("outside of docs")
    (root.parent / "outside.md").write_text("outside of the project")
    (docs / "link.md").symlink_to(root.parent / "outside.md")
    (docs / "broken.md").symlink_to(docs / "nowhere.md")
    (docs / "loop.md").symlink_to(docs / "loop.md")
    os.mkfifo(docs / "pipe")
    (docs / "fine.md").write_text("Fine.")
    (docs / "inner.md").symlink_to(docs / "fine.md")
    assert rows(index(docs)) == {
        "docs/.hidden.md": ("skipped", "hidden"),
        "docs/copy.md~": ("skipped", "hidden"),
        "docs/debug.log": ("skipped", "ignored by .gitignore"),
        "docs/empty.md": ("skipped", "empty"),
        "docs/fine.md": ("new", None),
        "docs/huge.txt": ("skipped", "larger than 1,048,576 bytes"),
        "docs/image.png": ("skipped", "binary"),
        "docs/late.txt": ("skipped", "binary"),
        "docs/latin.txt": ("skipped", "not UTF-8 text"),
        "docs/link.md": ("skipped", "a link that leads out of the project"),
        "docs/loop.md": ("skipped", "cannot be read"),
        "docs/nowhere.md": ("skipped", "the file is gone"),
        "docs/pipe": ("skipped", "not a plain file"),
    }
    assert [one.content for one in live(project)] == ["Fine."]


def test_a_file_that_stops_being_text_gives_its_memories_up(project: Project, root: Path, index: Index) -> None:
    file = root / "docs/a.md"
    for unusable in (b"", b"\0binary", b"x" * 1_048_577):
        file.write_text("About a.")
        index(file)
        assert len(live(project)) == 1
        file.write_bytes(unusable)
        assert only(index(file))[1:9:7] == ("skipped", 1)
        assert live(project) == []
    file.write_text("About a.")
    index(file)
    (root / ".gitignore").write_text("/docs/a.md\n")
    assert only(index(root / "docs")).ended == 1


def test_a_whole_project_is_read_without_its_hidden_and_ignored_parts(
    project: Project, root: Path, index: Index
) -> None:
    (root / ".gitignore").write_text("build/\n.hansard/\n/top.md\n!keep.log\n")
    for name in (".git/config", ".venv/x.md", "build/out.md", "top.md", "src/build.md", ".hansard/config.yml"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"in {name}")
    (root / ".hansard/notes/tank/n.md").write_text("a note")
    index(root)
    assert [one.source_ref for one in live(project)] == [".hansard/notes/tank/n.md", "src/build.md"]
    refused = rows(index(root / "build/out.md", root / ".hansard/config.yml"))
    assert refused == {
        ".hansard/config.yml": ("skipped", "hidden"), "build/out.md": ("skipped", "ignored by .gitignore"),
    }  # fmt: skip
    assert rows(index(root / ".venv/x.md")) == {".venv/x.md": ("new", None)}
    assert ".venv/x.md" not in [one.path for one in index(root).files]
    assert ".venv/x.md" in [one.source_ref for one in live(project)]


def test_nothing_outside_the_root_is_read_unless_it_was_named(project: Project, root: Path, index: Index) -> None:
    outside = root.parent / "elsewhere"
    outside.mkdir()
    (outside / "a.md").write_text("From outside.")
    (root / "link").symlink_to(outside)
    (root / "file.md").symlink_to(outside / "a.md")
    for named in (root / "link", root / "link/a.md", root / "file.md"):
        assert only(index(named)).reason == "a link that leads out of the project"
    assert {one.status for one in index(root).files} == {NoteStatus.SKIPPED}
    assert only(index(outside / "a.md")).status is NoteStatus.NEW
    assert live(project)[0].source_ref == (outside / "a.md").resolve().as_posix()
    (outside / "a.md").unlink()
    assert index(root).count(NoteStatus.ENDED) == 0
    assert only(index(outside)).status is NoteStatus.ENDED


def test_a_link_to_another_agents_note_reads_nothing_of_it(project: Project, root: Path, index: Index) -> None:
    (root / ".hansard/notes/neo").mkdir()
    (root / ".hansard/notes/neo/secret.md").write_text("neo's secret")
    (root / ".hansard/notes/shared/link.md").symlink_to(root / ".hansard/notes/neo/secret.md")
    (root / "docs/env.md").symlink_to(root / ".env")
    (root / ".env").write_text("KEY=1")
    assert {one.status for one in index().files} == {NoteStatus.SKIPPED}
    assert only(index(root / "docs")).reason == "hidden"
    assert only(index(root / "docs/env.md")).reason == "hidden"
    assert live(project) == []


def test_one_agent_never_ends_what_is_private_to_another(project: Project, root: Path, index: Index) -> None:
    (root / ".hansard/notes/tank/a.md").write_text("tank's own")
    (root / ".hansard/notes/shared/s.md").write_text("for all")
    index()
    (root / ".hansard/notes/tank/a.md").unlink()
    (root / ".hansard/notes/shared/s.md").unlink()
    assert rows(index(agent="neo")) == {".hansard/notes/shared/s.md": ("ended", "the file is gone")}
    assert [one.content for one in live(project)] == ["tank's own"]
    assert len(index(agent=None).files) == 1
    assert live(project) == []


def test_an_agent_does_not_index_under_another_name(hansard: Hansard, project: Project, root: Path) -> None:
    bound = hansard.project("shop", actor=Actor("tank"))
    with pytest.raises(Impersonation):
        index_notes(bound.seat(), (), agent="neo", root=root)


def test_a_missing_path_is_refused_before_anything_is_indexed(project: Project, root: Path, index: Index) -> None:
    (root / "docs/a.md").write_text("About a.")
    with pytest.raises(Invalid, match="no file or folder"):
        index(root / "docs", root / "nowhere")
    with pytest.raises(Invalid):
        index("bad\0name")
    assert live(project) == []


def test_without_note_folders_there_is_nothing_to_index(index: Index, project: Project, tmp_path: Path) -> None:
    assert index_notes(project.seat(agent="tank"), (), root=tmp_path / "shop").files == ()


def test_odd_files_are_taken_as_they_are(project: Project, root: Path, index: Index) -> None:
    (root / "docs/bom.md").write_bytes(b"\xef\xbb\xbf# Title\r\n\r\nText\x1b[0m.\r\n")
    (root / ("docs/" + "d" * 120)).mkdir()
    (root / ("docs/" + "d" * 120) / ("長" * 50 + ".md")).write_text("長い話。" * 2_000)
    (root / "docs/x").mkdir()
    Path(os.fsdecode(os.fsencode(root / "docs/x") + b"/bad\xff.md")).write_text("bad name")
    report = index(root / "docs")
    assert report.count(NoteStatus.NEW) == 2
    assert report.files[-1].reason == "its name is not usable text"
    report.files[-1].path.encode()
    found = live(project)
    assert found[0].content == "# Title\n\nText␛[0m."
    assert "".join(one.content for one in found[1:]) == "長い話。" * 2_000


def test_what_is_known_to_be_unchanged_is_not_read(project: Project, root: Path, index: Index) -> None:
    (root / "docs/a.md").write_text("About a.")
    (root / "docs/b.md").write_text("About b.")
    index(root / "docs")
    (root / "docs/a.md").write_text("About a, again.")
    (root / "docs/b.md").write_text("About b, again.")
    report = index(root / "docs", only={str((root / "docs/b.md").resolve())})
    assert rows(report) == {"docs/b.md": ("changed", None)}


@pytest.mark.parametrize(
    ("rules", "path", "ignored"),
    [
        ("*.log", "a/b/debug.log", True),
        ("*.log\n!keep.log", "a/keep.log", False),
        ("!keep.log\n*.log", "a/keep.log", True),
        ("build/", "a/build/x.md", True),
        ("build/", "a/build", False),
        ("/top", "a/top", False),
        ("/top", "top/x", True),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/a/b.md", False),
        ("docs/**/x", "docs/a/b/x", True),
        ("docs/**/x", "docs/x", True),
        ("**/cache", "a/b/cache/c", True),
        ("gen/**", "gen/a/b", True),
        ("gen/**", "gen", False),
        ("# comment\n\n  ", "# comment", False),
        ("\\#real", "#real", True),
        ("[", "[", True),
        ("/", "a", False),
        ("/".join(["**", "a"] * 40), "/".join(["a"] * 200) + "/b", True),
        ("/".join(["**", "a"] * 40) + "/c", "/".join(["a"] * 400) + "/b", False),
    ],
)
def test_the_rules_of_a_gitignore_are_read_as_git_reads_them(rules: str, path: str, ignored: bool) -> None:
    assert Ignored(rules.split("\n")).ignores(path, is_folder=False) is ignored
