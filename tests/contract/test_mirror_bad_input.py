"""Bad trees, bad files and bad names: nothing leads out, nothing is lost, and every finding is reported."""

import json
import socket
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import Invalid
from hansard.domain.mirror import ImportReport, is_kept_name
from hansard.project import Project
from hansard.services.adopt import TOO_LARGE
from hansard.settings import Settings
from support import processes
from support.clock import FakeClock
from support.marks import invariant

INBOX = ".squad/decisions/inbox"
DECISIONS = ".squad/decisions.md"
LARGE_BYTES = 50_000_000
MANY = 10_000
LONG = "😀" * 75
"""300 bytes."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / INBOX).mkdir(parents=True)
    return folder


def text(slug: str, *, agent: str = "beta") -> str:
    return f"---\nagent: {json.dumps(agent)}\nslug: {json.dumps(slug)}\ntype: scope\n---\n\nDo it.\n"


def reasons(report: ImportReport) -> dict[str, str]:
    return {one.path.removeprefix(f"{INBOX}/"): one.reason for one in report.skipped}


def kept(root: Path) -> list[Path]:
    return sorted(one for one in root.rglob("*") if is_kept_name(one.name))


def around(tmp_path: Path) -> set[Path]:
    """Everything beside the root and the home."""
    return {one for one in tmp_path.rglob("*") if not {"home", "root"} & set(one.relative_to(tmp_path).parts)}


@invariant("INV-13")
@pytest.mark.parametrize("link", [".squad", ".squad/decisions", INBOX])
def test_nothing_is_imported_through_a_linked_folder(project: Project, tmp_path: Path, link: str) -> None:
    outside, root = tmp_path / "outside", tmp_path / "bare"
    inside = outside / Path(INBOX).relative_to(link)
    inside.mkdir(parents=True)
    (inside / "x.md").write_text(text("x"))
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside)
    report = project.import_inbox(root)
    assert (report.imported, [one.path for one in report.skipped]) == ((), [INBOX])
    assert (inside / "x.md").read_text() == text("x")


@invariant("INV-13")
@pytest.mark.parametrize(
    "said", ["../../../x", "/etc/passwd", "a/b", "CON", "C:\\x", "..", ".", "a\tb"],
    ids=["up", "absolute", "slash", "reserved", "drive", "dots", "dot", "tab"],
)  # fmt: skip
def test_no_slug_or_agent_in_a_file_leads_out_of_the_folder(
    project: Project, root: Path, tmp_path: Path, said: str
) -> None:
    (root / INBOX / "a.md").write_text(text(said))
    (root / INBOX / "b.md").write_text(text("fine", agent=said))
    before = around(tmp_path)
    report = project.export(root)
    assert report.failed == ()
    inbox = report.inbox
    paths = [one.path for one in inbox.imported] + [one.path for one in inbox.skipped]
    assert sorted(paths) == [f"{INBOX}/a.md", f"{INBOX}/b.md"]
    for entry in project.list_inbox().items:
        project.remember("x", agent=entry.author, scope="team")
    assert project.export(root).failed == ()
    assert around(tmp_path) == before
    names = [one.name for one in root.rglob("*") if one.suffix == ".md"]
    assert all(name.isascii() and "\\" not in name and name.lower() != "con.md" for name in names)


@pytest.mark.parametrize("part", ["slug", "agent"])
def test_a_name_of_300_bytes_is_refused_with_its_line_and_stays(project: Project, root: Path, part: str) -> None:
    said = text(LONG) if part == "slug" else text("fine", agent=LONG)
    (root / INBOX / "long.md").write_text(said)
    (root / INBOX / "ok.md").write_text(text("ok"))
    for report in (project.import_inbox(root), project.export(root).inbox):
        assert "long.md" in reasons(report)
        assert [one.line for one in report.warnings] == [3 if part == "slug" else 2]
    assert project.get_entry("ok").status == "pending"
    assert (root / INBOX / "long.md").read_text() == said


def test_the_longest_name_that_a_file_can_have_is_imported(project: Project, root: Path) -> None:
    name = "😀" * 63 + ".md"
    (root / INBOX / name).write_text(text("long-name"))
    report = project.export(root)
    assert [one.slug for one in report.inbox.imported] == ["long-name"]
    assert [one.name for one in (root / INBOX).iterdir()] == ["long-name.md"]


@pytest.mark.parametrize("agent", ["CON", "a/b", "../x", "😀" * 50])
def test_two_agents_with_bad_names_have_files_of_their_own(project: Project, root: Path, agent: str) -> None:
    project.remember("open", agent=agent, scope="team")
    project.remember("open too", agent="con-2", scope="team")
    assert project.export(root).failed == ()
    folders = list((root / ".squad/agents").iterdir())
    assert len(folders) == 2
    assert all((one / "history.md").is_file() for one in folders)


def test_a_socket_in_the_inbox_folder_is_reported_and_left_alone(
    project: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / INBOX)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("ear.md")
        for report in (project.import_inbox(root), project.export(root).inbox):
            assert list(reasons(report)) == ["ear.md"]
        assert (root / INBOX / "ear.md").is_socket()


@pytest.mark.parametrize("name", ["gone", "file", "a\0b", "n" * 300])
def test_a_root_that_vanished_or_cannot_be_is_an_error_for_both(project: Project, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(Invalid):
        project.export(str(tmp_path / name))
    with pytest.raises(Invalid):
        project.import_inbox(str(tmp_path / name))
    assert (tmp_path / "file").read_text() == "x"


@invariant("INV-01")
@pytest.mark.parametrize(
    "theirs", [b"\xff\xfe\0 no text", b"# Team Decisions\r\n\r\nNothing.\r\n", b"\xef\xbb\xbf# mine\n", b""],
    ids=["bytes", "windows line ends", "mark", "empty"],
)  # fmt: skip
def test_any_bytes_in_the_place_of_a_file_are_set_aside_as_they_are(
    project: Project, root: Path, theirs: bytes
) -> None:
    project.export(root)
    ours = (root / DECISIONS).read_bytes()
    (root / DECISIONS).write_bytes(theirs)
    report = project.export(root)
    assert [one.path for one in report.set_aside] == [DECISIONS]
    assert [one.read_bytes() for one in kept(root)] == [theirs]
    assert (root / DECISIONS).read_bytes() == ours


def test_a_large_file_in_the_place_of_one_of_ours_is_set_aside_whole(project: Project, root: Path) -> None:
    with (root / DECISIONS).open("wb") as file:
        file.write(b"mine")
        file.truncate(LARGE_BYTES)
    with (root / INBOX / "large.md").open("wb") as file:
        file.truncate(LARGE_BYTES)
    report = project.export(root)
    assert [one.path for one in report.set_aside] == [DECISIONS]
    assert [one.stat().st_size for one in kept(root)] == [LARGE_BYTES]
    assert reasons(report.inbox) == {"large.md": TOO_LARGE}
    assert (root / INBOX / "large.md").stat().st_size == LARGE_BYTES


def test_a_proposal_with_windows_line_ends_is_the_same_proposal(project: Project, root: Path) -> None:
    (root / INBOX / "x.md").write_bytes(text("x").replace("Do it.", "One.\n\nTwo.").replace("\n", "\r\n").encode())
    report = project.export(root)
    assert [one.slug for one in report.inbox.imported] == ["x"]
    assert project.get_entry("x").content == "One.\n\nTwo."
    assert b"\r" not in (root / INBOX / "x.md").read_bytes()
    assert project.export(root).inbox == ImportReport()


@pytest.mark.parametrize("blocked", [".squad", ".squad/identity", ".agentweaver", INBOX])
def test_a_file_in_the_place_of_a_folder_stops_only_what_would_be_in_it(
    project: Project, tmp_path: Path, blocked: str
) -> None:
    root = tmp_path / "bare"
    (root / blocked).parent.mkdir(parents=True)
    (root / blocked).write_text("mine")
    project.propose(agent="tank", slug="a", type="scope", content="c")
    project.start_session(focus="f")
    report = project.export(root)
    assert report.failed
    assert all(one.path.startswith(blocked) for one in report.failed)
    assert report.written
    assert (root / blocked).read_text() == "mine"
    unread = [one for one in project.import_inbox(root).skipped if not one.known]
    assert len(unread) == (blocked in {".squad", INBOX})


def test_a_tree_that_may_only_be_read_is_reported_and_stays_as_it_is(project: Project, target: str, root: Path) -> None:
    project.export(root)
    project.decide(type="scope", title="t", content="c", by="ana")
    (root / INBOX / "secret.md").write_text(text("secret"))
    (root / INBOX / "secret.md").chmod(0)
    folders = [one for one in (root / ".squad", *(root / ".squad").rglob("*")) if one.is_dir()]
    before = {one: one.stat().st_mtime_ns for one in root.rglob("*")}
    for folder in folders:
        folder.chmod(0o555)
    told = json.loads(processes.finished(processes.started("support.unprivileged", target, str(root))))
    for folder in folders:
        folder.chmod(0o755)
    assert told["failed"] == [[DECISIONS, "Permission denied"]]
    assert ".agentweaver/context/boundaries.md" in told["written"]
    assert [f"{INBOX}/secret.md", "Permission denied"] in told["skipped"]
    squad = {one: time for one, time in before.items() if ".squad" in one.parts}
    assert {one: one.stat().st_mtime_ns for one in squad} == squad
    (root / INBOX / "secret.md").chmod(0o644)
    report = project.export(root)
    assert (report.failed, [one.slug for one in report.inbox.imported]) == ((), ["secret"])


def test_a_whole_tree_that_may_only_be_read_is_a_failure_that_is_reported(
    project: Project, target: str, root: Path
) -> None:
    for folder in (root, *(one for one in root.rglob("*") if one.is_dir())):
        folder.chmod(0o555)
    told = json.loads(processes.finished(processes.started("support.unprivileged", target, str(root))))
    for folder in (root, *(one for one in root.rglob("*") if one.is_dir())):
        folder.chmod(0o755)
    assert told == {"written": [], "failed": [[".hansard/mirror.lock", "Permission denied"]], "skipped": []}


@pytest.mark.parametrize("review", ["pending", "merged"])
def test_a_file_whose_every_word_was_imported_before_leaves_no_copy(project: Project, root: Path, review: str) -> None:
    (root / INBOX / "mine.md").write_text(text("x"))
    project.import_inbox(root)
    if review == "merged":
        project.merge("x", by="ana")
    report = project.export(root)
    assert (report.set_aside, kept(root)) == ((), [])
    assert [one.name for one in (root / INBOX).iterdir()] == (["x.md"] if review == "pending" else [])


@invariant("INV-01")
def test_a_file_with_other_words_than_the_known_ones_is_kept(project: Project, root: Path) -> None:
    project.propose(agent="beta", slug="x", type="scope", content="Before.")
    (root / INBOX / "x.md").write_text(text("x"))
    assert [one.path for one in project.export(root).set_aside] == [f"{INBOX}/x.md"]
    assert [one.read_text() for one in kept(root)] == [text("x")]


def test_ten_thousand_files_in_the_inbox_folder_are_all_accounted_for(root: Path) -> None:
    for number in range(MANY):
        said = "no proposal\n" if number % 10 else text(f"idea-{number:05}")
        (root / INBOX / f"idea-{number:05}.md").write_text(said)
    with Hansard.open(":memory:", settings=Settings(user="ana"), clock=FakeClock()) as hansard:
        project = hansard.project("shop", create=True)
        report = project.import_inbox(root)
        assert (len(report.imported), len(report.skipped)) == (MANY // 10, MANY - MANY // 10)
        exported = project.export(root)
        assert (exported.failed, exported.set_aside, len(exported.inbox.skipped)) == ((), (), MANY)
        assert len(list((root / INBOX).iterdir())) == MANY
        assert project.export(root).written == ()
