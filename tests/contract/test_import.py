"""Import: files only add to the record; who wrote what, what is skipped and what is wrong is told file by file."""

import os
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.mirror import ImportReport
from hansard.project import Project
from hansard.services.adopt import BATCH, FILE_BYTES_MAX
from hansard.settings import Settings
from support.marks import invariant

INBOX = ".squad/decisions/inbox"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / INBOX).mkdir(parents=True)
    return folder


def text(slug: str = "my-idea", *, agent: str = "beta", content: str = "Do it.", type: str = "scope") -> str:
    return f"---\nagent: {agent}\nslug: {slug}\ntype: {type}\ntitle: My idea\n---\n\n{content}\n"


def drop(root: Path, name: str, said: str | bytes) -> Path:
    path = root / INBOX / name
    path.write_bytes(said if isinstance(said, bytes) else said.encode())
    return path


def reasons(report: ImportReport) -> dict[str, str]:
    return {one.path.removeprefix(f"{INBOX}/"): one.reason for one in report.skipped}


def test_a_file_becomes_a_pending_entry_of_its_author(project: Project, root: Path) -> None:
    drop(root, "x.md", text(content="Do it.\n\n**Rationale:** Why not.") + "\n")
    report = project.import_inbox(root)
    assert [(one.path, one.slug, one.ref) for one in report.imported] == [(f"{INBOX}/x.md", "my-idea", "P-1")]
    entry = project.get_entry("my-idea")
    assert (entry.author, entry.type, entry.title, entry.content, entry.rationale, entry.status) == (
        "beta", "scope", "My idea", "Do it.", "Why not.", "pending",
    )  # fmt: skip
    event = project.list_events(limit=1).items[0]
    assert (event.action, event.actor_key) == ("entry.proposed", "ana")


@invariant("INV-12")
@pytest.mark.parametrize("review", ["pending", "merged", "rejected"])
def test_a_known_slug_is_left_alone(project: Project, root: Path, review: str) -> None:
    project.propose(agent="beta", slug="my-idea", type="scope", content="First.")
    if review == "merged":
        project.merge("my-idea", by="ana")
    if review == "rejected":
        project.reject("my-idea", by="ana")
    before = project.get_entry("my-idea")
    path = drop(root, "my-idea.md", text(content="Second."))
    events = project.list_events().items
    report = project.import_inbox(root)
    assert report.imported == ()
    advice = "propose the slug again to change it" if review == "pending" else "propose it under a new slug"
    assert reasons(report) == {"my-idea.md": f"differs from P-1 (my-idea, {review}); {advice}"}
    assert (report.skipped[0].known, report.skipped[0].settled) == (True, False)
    assert project.get_entry("my-idea") == before
    assert project.list_events().items == events
    assert path.read_text() == text(content="Second.")


@invariant("INV-12")
def test_a_slug_that_another_author_holds_is_told_apart_once(project: Project, root: Path) -> None:
    project.propose(agent="alpha", slug="my-idea", type="scope", content="Mine.")
    drop(root, "my-idea.md", text())
    assert [one.slug for one in project.import_inbox(root).imported] == ["my-idea--beta"]
    again = project.import_inbox(root)
    assert again.imported == ()
    assert reasons(again) == {"my-idea.md": "known already as P-2 (my-idea--beta, pending)"}
    assert project.get_entry("my-idea").content == "Mine."


def test_a_slug_that_was_given_out_keeps_its_parts_and_its_author(project: Project, root: Path) -> None:
    drop(root, "a.md", text("use-postgres--beta--2"))
    drop(root, "b.md", text("use-postgres--gamma"))
    assert [one.slug for one in project.import_inbox(root).imported] == ["use-postgres--beta--2", "use-postgres--gamma"]
    updated = project.propose(agent="beta", slug="use-postgres", type="scope", content="More.")
    assert updated.slug == "use-postgres--beta--2"


def test_a_given_out_slug_that_another_author_holds_is_told_apart(project: Project, root: Path) -> None:
    drop(root, "a.md", text("x--beta", agent="beta"))
    project.import_inbox(root)
    drop(root, "a.md", text("x--beta", agent="gamma"))
    assert [one.slug for one in project.import_inbox(root).imported] == ["x-beta"]
    assert project.import_inbox(root).imported == ()


def test_a_given_out_slug_is_added_beside_the_plain_one_of_the_same_author(project: Project, root: Path) -> None:
    project.propose(agent="beta", slug="x", type="scope", content="Here first.")
    drop(root, "a.md", text("x--beta", agent="beta"))
    assert [one.slug for one in project.import_inbox(root).imported] == ["x--beta"]
    assert project.propose(agent="beta", slug="x", type="scope", content="Mine.").slug == "x"
    assert project.propose(agent="beta", slug="x--beta", type="scope", content="Mine too.").slug == "x--beta"
    assert project.import_inbox(root).imported == ()


def test_a_plain_slug_is_imported_before_the_ones_that_were_given_out_after_it(project: Project, root: Path) -> None:
    drop(root, "x--beta.md", text("x--beta", agent="beta"))
    drop(root, "x.md", text("x", agent="beta"))
    assert [one.slug for one in project.import_inbox(root).imported] == ["x", "x--beta"]


def test_a_slug_is_brought_into_its_one_spelling(project: Project, root: Path) -> None:
    drop(root, "a.md", text("'My Idea'"))
    assert [one.slug for one in project.import_inbox(root).imported] == ["my-idea"]


def test_two_files_of_one_slug_are_one_entry(project: Project, root: Path) -> None:
    drop(root, "a.md", text(content="One."))
    drop(root, "b.md", text(content="Two."))
    report = project.import_inbox(root)
    assert [one.path for one in report.imported] == [f"{INBOX}/a.md"]
    assert list(reasons(report)) == ["b.md"]
    assert project.get_entry("my-idea").content == "One."


@invariant("INV-12")
def test_one_bad_file_does_not_stop_the_others_and_stays(project: Project, root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text(text("secret"))
    drop(root, "bom.md", b"\xef\xbb\xbf" + text("bom").replace("\n", "\r\n").encode())
    drop(root, "bytes.md", b"---\nagent: \xff\n")
    drop(root, "large.md", b"---\n" + b"x" * 50_000_000)
    drop(root, "nul.md", text(content="a\0b"))
    drop(root, "plain.md", "# Hello\n")
    drop(root, "type.md", text("t", type="mood"))
    drop(root, "z.md", text("z"))
    drop(root, ".gitkeep", "")
    drop(root, "notes.txt", "not ours")
    drop(root, "z.kept-20260101T000000Z.md", text("old"))
    (root / INBOX / "folder.md").mkdir()
    (root / INBOX / "link.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(root / INBOX / "pipe.md")
    before = sorted(one.name for one in (root / INBOX).iterdir())
    report = project.import_inbox(root)
    assert [one.slug for one in report.imported] == ["bom", "z"]
    found = reasons(report)
    assert sorted(found) == [
        "bytes.md", "folder.md", "large.md", "link.md", "nul.md", "pipe.md", "plain.md", "type.md",
        "z.kept-20260101T000000Z.md",
    ]  # fmt: skip
    assert [one.path for one in report.skipped if one.known] == [f"{INBOX}/z.kept-20260101T000000Z.md"]
    assert found["large.md"] == (
        f"larger than {FILE_BYTES_MAX:,} bytes; shorten it, or split it into several proposals"
    )
    assert found["link.md"] == "it is a link; nothing is read or written through it"
    assert found["pipe.md"] == "it is not a plain file; move it away"
    assert found["nul.md"] == "content contains a NUL byte at position 2"
    lines = {one.path.removeprefix(f"{INBOX}/"): (one.line, one.fix) for one in report.warnings}
    assert lines["bytes.md"] == (2, "save the file as UTF-8")
    assert lines["nul.md"][1] == "remove it"
    assert lines["type.md"] == (4, "correct it, then import again")
    assert sorted(one.name for one in (root / INBOX).iterdir()) == before


def test_a_name_that_is_no_text_is_shown_spelled_out(project: Project, root: Path) -> None:
    path = os.fsencode(root / INBOX) + b"/\xff.md"
    Path(os.fsdecode(path)).write_text(text())
    assert [one.path for one in project.import_inbox(root).imported] == [f"{INBOX}/\\udcff.md"]


@invariant("INV-13")
def test_a_linked_inbox_folder_is_not_read(project: Project, root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/x.md").write_text(text())
    (root / INBOX).rmdir()
    (root / INBOX).symlink_to(tmp_path / "elsewhere")
    report = project.import_inbox(root)
    assert report.imported == ()
    assert [one.path for one in report.skipped] == [INBOX]
    assert report.skipped[0].reason.endswith("a link or a file, not a folder; nothing is read or written there")


def test_no_folder_means_nothing_to_import(project: Project, tmp_path: Path) -> None:
    assert project.import_inbox(tmp_path) == ImportReport()


def test_an_agent_imports_only_what_it_wrote_itself(hansard: Hansard, root: Path) -> None:
    hansard.project("web", create=True, root=root)
    drop(root, "a.md", text("a", agent="Tank"))
    drop(root, "b.md", text("b"))
    bound = hansard.project("web", actor=Actor("tank", role="agent"))
    events = len(bound.list_events().items)
    report = bound.import_inbox(root)
    assert [one.slug for one in report.imported] == ["a"]
    assert reasons(report)["b.md"].startswith("tank may not propose as beta; a person imports it, or ")
    assert len(bound.list_events().items) == events + 1


def test_a_service_imports_for_every_agent(hansard: Hansard, root: Path) -> None:
    hansard.project("web", create=True, root=root)
    drop(root, "b.md", text("b"))
    assert len(hansard.project("web", actor=Actor("watcher", role="service")).import_inbox(root).imported) == 1


def test_others_may_write_between_two_batches_and_progress_is_told(project: Project, root: Path, target: str) -> None:
    for number in range(2 * BATCH + 1):
        drop(root, f"idea-{number:04}.md", text(f"idea-{number:04}-x"))
    told: list[tuple[str, int, int]] = []

    with Hansard.open(target, settings=Settings(user="bob", embedding_provider="none")) as other:

        def progress(label: str, done: int, total: int) -> None:
            told.append((label, done, total))
            other.project(project.key).decide(type="scope", title=f"After {done}", content="C", by="bob")

        project.import_inbox(root, progress=progress)
    total = 2 * BATCH + 1
    assert told == [("import", done, total) for done in (0, BATCH, 2 * BATCH)]
    assert len(project.list_decisions().items) == len(told)
    assert project.verify().ok


def test_an_export_tells_how_many_of_its_files_are_done(project: Project, root: Path) -> None:
    project.propose(agent="beta", slug="my-idea", type="scope", content="Do it.")
    told: list[tuple[str, int, int]] = []
    report = project.export(root, progress=lambda *one: told.append(one))
    count = len(report.written)
    assert told == [("export", done, count) for done in range(1, count + 1)]


def test_more_files_than_one_transaction_takes_are_all_imported(project: Project, root: Path) -> None:
    for number in range(BATCH + 3):
        drop(root, f"idea-{number:04}.md", text(f"idea-{number:04}-x"))
    assert len(project.import_inbox(root).imported) == BATCH + 3
    assert project.verify().ok
