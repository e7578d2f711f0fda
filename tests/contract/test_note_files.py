"""Which files are indexed: none that is hidden, ignored, no text, or outside the root without being named."""

import os
from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Impersonation, Invalid
from hansard.domain.notes import NoteStatus
from hansard.project import Project
from hansard.services.notes import index_notes
from support.clock import FakeClock
from support.fakes import fake_key, fake_secret
from support.note_files import Index, live, only, rows
from support.raw import everything
from support.repositories import git, repository, work_tree


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


def test_the_report_names_the_file_that_something_was_taken_out_of(root: Path, index: Index) -> None:
    (root / "docs/fine.md").write_text("Fine.")
    (root / "docs/leaking.md").write_text(f"The first is {fake_secret()}.\n\nAnd {fake_key()} is another.")

    said = {"docs/fine.md": None, "docs/leaking.md": "redacted: aws_access_key, github_token"}
    assert {path: reason for path, (_, reason) in rows(index(root / "docs")).items()} == said
    assert {path: reason for path, (_, reason) in rows(index(root / "docs")).items()} == said


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
    (root / ".hansard/notes/tank/guide.md").symlink_to(root / "docs/guide.md")
    (root / "docs/env.md").symlink_to(root / ".env")
    (root / ".env").write_text("KEY=1")
    assert rows(index()) == {
        ".hansard/notes/neo/secret.md": ("skipped", "belongs to neo"),
        ".hansard/notes/shared/link.md": ("skipped", "a link to .hansard/notes/neo/secret.md"),
        ".hansard/notes/tank/guide.md": ("skipped", "a link to docs/guide.md"),
    }
    assert only(index(root / "docs")).reason == "hidden"
    assert only(index(root / "docs/env.md")).reason == "hidden"
    (root.parent / ".key").write_text("KEY=1")
    (root.parent / "key.md").symlink_to(root.parent / ".key")
    assert only(index(root.parent / "key.md")).reason == "hidden"
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
    report = index(root / "docs", only={"docs/b.md"})
    assert rows(report) == {"docs/b.md": ("changed", None)}


def write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_rules_of_inner_folders_and_of_the_repository_count(project: Project, root: Path, index: Index) -> None:
    repository(root)
    write(root, {".git/info/exclude": "mine.md\n", ".gitignore": "*.log\n", "docs/.gitignore": "!keep.log\n/draft*\n"})
    write(root, {f"docs/{name}": f"in {name}" for name in ("a.md", "mine.md", "x.log", "keep.log", "draft.md")})
    write(root, {"docs/inner/draft.md": "a draft of its own"})
    left_out = {path: reason for path, (status, reason) in rows(index(root / "docs")).items() if status == "skipped"}
    assert left_out == {
        "docs/.gitignore": "hidden",
        "docs/draft.md": "ignored by docs/.gitignore",
        "docs/mine.md": "ignored by .git/info/exclude",
        "docs/x.log": "ignored by .gitignore",
    }
    assert [one.source_ref for one in live(project)] == ["docs/a.md", "docs/inner/draft.md", "docs/keep.log"]
    assert only(index(root / "docs/draft.md")).reason == "ignored by docs/.gitignore"


def test_in_the_note_folders_only_their_own_rules_count(project: Project, root: Path, index: Index) -> None:
    write(root, {".gitignore": "*.md\n.hansard/\n", ".hansard/.gitignore": "*\n"})
    write(root, {".hansard/notes/.gitignore": "*.tmp\n", ".hansard/notes/tank/.gitignore": "draft/\n"})
    write(root / ".hansard/notes/tank", {"a.md": "About a.", "b.tmp": "About b.", "draft/c.md": "About c."})
    index()
    assert [one.source_ref for one in live(project)] == [".hansard/notes/tank/a.md"]


def test_rules_count_in_a_folder_outside_of_the_root_too(project: Project, root: Path, index: Index) -> None:
    outside = root.parent / "elsewhere"
    write(outside, {".gitignore": "*.log\n", "a.md": "About a.", "in/.gitignore": "b.md", "in/b.md": "b", "x.log": "x"})
    index(outside)
    assert [one.source_ref for one in live(project)] == [(outside / "a.md").resolve().as_posix()]


def test_what_was_indexed_below_a_folder_that_is_ignored_now_ends(project: Project, root: Path, index: Index) -> None:
    write(root, {"docs/gen/a.md": "About a.", "docs/b.md": "About b."})
    index(root / "docs")
    write(root, {"docs/.gitignore": "gen/\n"})
    assert rows(index(root / "docs"))["docs/gen/a.md"] == ("ended", "ignored by docs/.gitignore")
    assert [one.source_ref for one in live(project)] == ["docs/b.md"]


def test_what_another_folder_of_the_project_has_not_does_not_end(
    hansard: Hansard, project: Project, root: Path, tmp_path: Path, target: str
) -> None:
    write(root, {"docs/a.md": "About a.", ".hansard/notes/tank/n.md": "A note."})
    clone = tmp_path / "clone"
    write(clone, {"docs/b.md": "About b.", "docs/.gitignore": "a.md", "docs/a.md": ""})
    # No agent says which folders are the project's; a service may.
    seat = hansard.project(project.key, actor=Actor("tank", "service")).seat()
    for folder in (root, clone):
        index_notes(seat, [folder], root=folder)
    before = everything(target)
    for folder in (clone, root, clone / "docs", tmp_path):
        for paths in ([folder], []):
            assert index_notes(seat, paths, root=folder).count(NoteStatus.ENDED) == 0
        assert {one.source_ref for one in live(project)} >= {".hansard/notes/tank/n.md", "docs/a.md", "docs/b.md"}
    assert [row[-1] for row in everything(target)["heads"]] == [row[-1] for row in before["heads"]]
    (root / "docs/a.md").unlink()
    assert rows(index_notes(seat, [root], root=root))["docs/a.md"] == ("ended", "the file is gone")


def test_what_another_machine_indexed_does_not_end(
    project: Project, root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"docs/a.md": "About a."})
    index(root)
    (root / "docs/a.md").unlink()
    here = os.environ["XDG_DATA_HOME"]
    monkeypatch.setenv("XDG_DATA_HOME", f"{here}-of-another")
    assert index(root).count(NoteStatus.ENDED) == 0
    with pytest.raises(Invalid, match="no file or folder"):
        index(root / "docs/a.md")
    monkeypatch.setenv("XDG_DATA_HOME", here)
    assert index(root).count(NoteStatus.ENDED) == 1


def test_the_folder_that_indexed_a_file_last_is_the_one_that_ends_it(
    project: Project, root: Path, tmp_path: Path
) -> None:
    write(root, {"docs/a.md": "About a and its neighbours."})
    write(tmp_path / "clone", {"docs/a.md": "About a and all its neighbours."})
    seat = project.seat(agent="tank")
    for folder in (root, tmp_path / "clone"):
        index_notes(seat, [folder], root=folder)
    (root / "docs/a.md").unlink()
    assert index_notes(seat, [root], root=root).count(NoteStatus.ENDED) == 0
    (tmp_path / "clone/docs/a.md").unlink()
    assert index_notes(seat, [tmp_path / "clone"], root=tmp_path / "clone").count(NoteStatus.ENDED) == 1


def test_a_file_that_is_renewed_belongs_to_the_folder_it_was_found_in(
    project: Project, root: Path, tmp_path: Path, clock: FakeClock
) -> None:
    seat = project.seat(agent="tank")
    for folder in (root, tmp_path / "clone"):
        write(folder, {"docs/a.md": "About a."})
        index_notes(seat, [folder], root=folder)
        clock.advance(days=2)
    (root / "docs/a.md").unlink()
    assert index_notes(seat, [root], root=root).count(NoteStatus.ENDED) == 0
    (tmp_path / "clone/docs/a.md").unlink()
    assert index_notes(seat, [tmp_path / "clone"], root=tmp_path / "clone").count(NoteStatus.ENDED) == 1


@pytest.mark.parametrize("reason", ["empty", "ignored by docs/.gitignore", "a link that leads out of the project"])
def test_a_named_file_that_is_no_text_ends_wherever_it_was_indexed(
    project: Project, root: Path, tmp_path: Path, reason: str
) -> None:
    write(root, {"docs/a.md": "About a."})
    clone = tmp_path / "clone"
    write(clone, {"docs/.gitignore": "a.md" if reason.startswith("ignored") else "", "docs/a.md": ""})
    if reason.startswith("a link"):
        (clone / "docs/a.md").unlink()
        (clone / "docs/a.md").symlink_to(root / "docs/a.md")
    seat = project.seat(agent="tank")
    index_notes(seat, [root], root=root)
    for named, ended in ((clone, 0), (clone / "docs/a.md", 1)):
        (found,) = (one for one in index_notes(seat, [named], root=clone).files if one.path == "docs/a.md")
        assert (found.reason, found.ended) == (reason, ended)


def test_a_note_that_is_named_beside_its_folder_counts_as_named(project: Project, root: Path, index: Index) -> None:
    write(root, {".hansard/notes/neo/secret.md": "neo's secret"})
    with pytest.raises(Impersonation):
        index(root / ".hansard/notes", root / ".hansard/notes/neo/secret.md")


def test_a_named_file_that_is_gone_is_given_up(project: Project, root: Path, index: Index) -> None:
    write(root, {"docs/a.md": "About a.", "docs/b.md": "About b."})
    index(root / "docs")
    (root / "docs/a.md").unlink()
    assert rows(index(root / "docs/a.md")) == {"docs/a.md": ("ended", "the file is gone")}
    assert [one.source_ref for one in live(project)] == ["docs/b.md"]
    with pytest.raises(Invalid, match="no file or folder"):
        index(root / "docs/a.md")


@pytest.fixture
def feature(root: Path) -> Path:
    """A work tree of the project's repository, which has two documents."""
    write(root, {"docs/a.md": "About a.", "docs/b.md": "About b."})
    return work_tree(root.parent / "feature", of=repository(root))


def test_a_file_has_one_name_in_every_work_tree(project: Project, root: Path, index: Index, feature: Path) -> None:
    index(root / "docs")
    before = live(project)
    assert {one.status for one in index(feature / "docs").files} == {NoteStatus.UNCHANGED}
    inner = work_tree(root / "trees/inner", of=root)
    for base, named in ((feature, feature / "docs"), (inner, inner), (root, inner / "docs"), (root, feature / "docs")):
        report = index_notes(project.seat(agent="tank"), [named], root=base)
        assert {one.path for one in report.files} == {"docs/a.md", "docs/b.md"}
    assert live(project) == before
    walked = rows(index(root))
    assert walked["trees/inner"] == ("skipped", "another work tree of the repository")
    assert live(project) == before


def test_what_one_work_tree_lacks_does_not_end(project: Project, root: Path, index: Index, feature: Path) -> None:
    index(root / "docs")
    (feature / "docs/a.md").unlink()
    (feature / "docs/b.md").write_text("")
    for base in (root, feature):
        report = index_notes(project.seat(agent="tank"), [feature], root=base)
        assert (report.count(NoteStatus.ENDED), only(report).reason, only(report).ended) == (0, "empty", 0)
    (root / "docs/a.md").rename(feature / "docs/a.md")
    assert rows(index(feature / "docs"))["docs/a.md"] == ("unchanged", None)
    assert rows(index(root / "docs"))["docs/a.md"] == ("ended", "the file is gone")
    assert only(index(feature / "docs/b.md")).ended == 1
    assert live(project) == []


def test_what_one_work_tree_ignores_does_not_end(project: Project, root: Path, index: Index, feature: Path) -> None:
    write(root, {"docs/gen/a.md": "About a."})
    index(root / "docs")
    write(feature, {"docs/gen/a.md": "About a.", "docs/.gitignore": "gen/\n"})
    assert (index(feature / "docs").count(NoteStatus.ENDED), len(live(project))) == (0, 3)
    write(feature, {"docs/new.md": "About something new."})
    index(feature / "docs")
    write(feature, {"docs/new.md": ""})
    # The main checkout has none that could be meant.
    assert [one.ended for one in index(feature / "docs").files if one.path == "docs/new.md"] == [1]


@pytest.mark.parametrize(("base", "inner"), [(".", "docs/tree"), ("docs", "docs/tree"), ("..", "../tree")])
def test_a_walk_leaves_other_work_trees_of_the_same_repository_out(
    project: Project, root: Path, feature: Path, base: str, inner: str
) -> None:
    work_tree((root / inner).resolve(), of=root)
    repository(root.parent / "stranger")
    work_tree(root / "docs/vendor", of=root.parent / "stranger")
    write(root, {"docs/vendor/v.md": "About v."})
    report = index_notes(project.seat(agent="tank"), [root / base], root=root / base)
    found = {one.path: one.reason for one in report.files}
    assert [reason for path, reason in found.items() if path.endswith("tree")] == [
        "another work tree of the repository"
    ]
    assert [path for path in found if path.endswith("a.md") and "notes" not in path] == [
        (root / "docs/a.md").relative_to((root / base).resolve()).as_posix()
    ]
    if base != "..":
        assert any(path.endswith("vendor/v.md") for path in found)


def test_what_only_a_work_tree_has_ends_when_it_goes_there(
    project: Project, root: Path, index: Index, feature: Path
) -> None:
    write(feature, {"docs/new.md": "About something new.", "docs/more.md": "About more."})
    index(feature / "docs")
    for _ in range(2):
        assert index(root).count(NoteStatus.ENDED) == 0
        assert index(feature).count(NoteStatus.ENDED) == 0
    (feature / "docs/new.md").unlink()
    assert rows(index(feature))["docs/new.md"] == ("ended", "the file is gone")
    git(root, "worktree", "remove", "--force", str(feature))
    assert rows(index(root / "docs"))["docs/more.md"] == ("ended", "the file is gone")


def test_the_notes_of_a_work_tree_come_before_those_of_the_main_checkout(
    hansard: Hansard, project: Project, root: Path, feature: Path
) -> None:
    hansard.project(project.key, create=True, root=root)
    write(root / ".hansard/notes/tank", {"a.md": "Main says a.", "b.md": "Main says b."})
    write(feature / ".hansard/notes/tank", {"a.md": "Feature says a.", "c.md": "Feature says c."})
    seat = project.seat(agent="tank")
    index_notes(seat, root=feature)
    assert [one.content for one in live(project)] == ["Feature says a.", "Main says b.", "Feature says c."]
    index_notes(seat, root=root)
    assert [one.content for one in live(project)] == ["Main says a.", "Main says b.", "Feature says c."]


def test_a_repository_without_a_main_checkout_has_the_names_of_its_trees(
    project: Project, root: Path, feature: Path
) -> None:
    bare = root.parent / "shop.git"
    git(root.parent, "clone", "--quiet", "--bare", str(root), str(bare))
    tree = work_tree(root.parent / "only", of=bare)
    seat = project.seat(agent="tank")
    assert set(rows(index_notes(seat, [tree / "docs"], root=bare))) == {"docs/a.md", "docs/b.md"}
    (tree / "docs/a.md").unlink()
    assert rows(index_notes(seat, [tree], root=tree))["docs/a.md"] == ("ended", "the file is gone")


def test_a_link_into_another_work_tree_leads_out(project: Project, root: Path, index: Index, feature: Path) -> None:
    (root / "docs/link.md").symlink_to(feature / "docs/a.md")
    assert only(index(root / "docs/link.md")).reason == "a link that leads out of the project"
    (root.parent / "way").symlink_to(feature / "docs")
    assert set(rows(index(root.parent / "way"))) == {"docs/a.md", "docs/b.md"}
