"""Export: the files follow the record, what others wrote is never lost, and nothing is written outside the root."""

import fcntl
import os
import shutil
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.errors import Denied, Invalid, MirrorBusy, ProjectExists
from hansard.domain.mirror import ExportReport, is_kept_name
from hansard.project import Project
from hansard.services import mirror
from support import processes
from support.clock import FakeClock
from support.marks import invariant

INBOX = Path(".squad/decisions/inbox")
FILES = 9
"""How many files show the filled project."""
DROPPED = "---\nagent: beta\nslug: my-idea\ntype: scope\ntitle: My idea\n---\n\nDo it.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def filled(project: Project) -> Project:
    project.decide(type="scope", title="No billing", content="Billing is out.", by="ana")
    project.propose(agent="tank", slug="use-postgres", type="architectural", content="All data.")
    project.remember("open", agent="tank", scope="team")
    project.remember("hush", agent="tank")
    project.start_session(focus="Auth")
    return project


def drop(root: Path, name: str, text: str = DROPPED) -> Path:
    path = root / INBOX / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def kept(root: Path) -> list[Path]:
    return sorted(one for one in root.rglob("*") if is_kept_name(one.name))


def contents(root: Path) -> dict[str, bytes]:
    own = {"mirror.json", "mirror.lock"}
    files = (one for one in root.rglob("*") if one.is_file() and one.name not in own)
    return {str(one.relative_to(root)): one.read_bytes() for one in files}


def test_an_export_writes_every_file_and_says_so(filled: Project, root: Path) -> None:
    report = filled.export(root)
    assert sorted(report.written) == sorted(contents(root)) == sorted(
        [
            ".agentweaver/context/boundaries.md", ".agentweaver/context/patterns.md", ".squad/agents/tank/history.md",
            ".squad/decisions.md", ".squad/decisions/inbox/use-postgres.md", ".squad/identity/now.md",
            ".hansard/ledger/decisions.jsonl", ".hansard/ledger/inbox.jsonl", ".hansard/ledger/memories.jsonl",
        ]
    )  # fmt: skip
    assert (report.failed, report.set_aside, report.removed, report.unchanged) == ((), (), (), ())
    assert not any(b"hush" in one for one in contents(root).values())


@invariant("INV-01")
def test_files_that_were_deleted_are_rebuilt_byte_for_byte(filled: Project, root: Path) -> None:
    filled.export(root)
    before = contents(root)
    for path in before:
        (root / path).unlink()
    assert sorted(filled.export(root).written) == sorted(before)
    assert contents(root) == before


def test_an_unchanged_file_is_not_touched(filled: Project, root: Path) -> None:
    filled.export(root)
    for path in contents(root):
        os.utime(root / path, ns=(1, 1))
    assert filled.export(root).written == ()
    filled.update_session("More.")
    assert filled.export(root).written == (".squad/identity/now.md",)
    touched = [path for path in contents(root) if (root / path).stat().st_mtime_ns != 1]
    assert touched == [".squad/identity/now.md"]


def test_the_time_of_now_is_that_of_the_session(filled: Project, root: Path, clock: FakeClock) -> None:
    filled.export(root)
    before = contents(root)
    clock.advance(days=1)
    filled.remember("unrelated", agent="tank")
    filled.export(root)
    assert contents(root) == before


def test_a_state_that_was_forgotten_is_rendered_anew(filled: Project, root: Path) -> None:
    """The shortcut holds for the state it was taken from, and for no other project."""
    filled.export(root)
    text = (root / ".hansard/mirror.json").read_text()
    (root / ".hansard/mirror.json").write_text(text.replace(filled.id, "another"))
    assert len(filled.export(root).unchanged) == FILES
    assert (root / ".hansard/mirror.json").read_text() == text


def test_a_closed_session_clears_the_focus(filled: Project, root: Path) -> None:
    filled.export(root)
    filled.end_session()
    filled.export(root)
    text = (root / ".squad/identity/now.md").read_text()
    assert 'updated_at: "2026-01-01T00:00:00Z"' in text
    assert "Auth" not in text
    assert "No session is open." in text


def test_a_reviewed_entry_leaves_the_inbox_folder(filled: Project, root: Path) -> None:
    filled.export(root)
    filled.merge("use-postgres", by="ana")
    report = filled.export(root)
    assert report.removed == (".squad/decisions/inbox/use-postgres.md",)
    assert not (root / INBOX / "use-postgres.md").exists()
    assert "All data." in (root / ".agentweaver/context/boundaries.md").read_text()


def test_what_is_forgotten_leaves_the_files(filled: Project, root: Path) -> None:
    memory = filled.remember("regretted", agent="neo", scope="team")
    filled.export(root)
    filled.forget(memory.id, by="ana")
    report = filled.export(root)
    # An empty file stays: a teammate who changed it could not pull if it were gone.
    assert report.removed == ()
    assert ".squad/agents/neo/history.md" in report.written
    assert "### [" not in (root / ".squad/agents/neo/history.md").read_text()
    assert not any(b"regretted" in one for one in contents(root).values())


@invariant("INV-01")
@pytest.mark.parametrize(
    "name", [".squad/decisions.md", ".squad/agents/tank/history.md", ".squad/identity/now.md",
             ".agentweaver/context/boundaries.md", ".agentweaver/context/patterns.md"]
)  # fmt: skip
def test_an_edit_by_hand_is_set_aside_every_time(filled: Project, root: Path, name: str) -> None:
    filled.export(root)
    ours = (root / name).read_bytes()
    for number in (1, 2):
        (root / name).write_bytes(f"mine {number}\n".encode())
        report = filled.export(root)
        assert [one.path for one in report.set_aside] == [name]
        assert (root / report.set_aside[0].kept).read_bytes() == f"mine {number}\n".encode()
        assert (root / name).read_bytes() == ours
    assert len(kept(root)) == 2


@invariant("INV-01")
def test_a_file_from_before_the_first_export_is_set_aside(filled: Project, root: Path) -> None:
    (root / ".squad").mkdir()
    (root / ".squad/decisions.md").write_text("# Squad Decisions\n")
    report = filled.export(root)
    assert [(root / one.kept).read_text() for one in report.set_aside] == ["# Squad Decisions\n"]


def test_a_file_that_says_the_same_already_is_not_set_aside(filled: Project, root: Path, tmp_path: Path) -> None:
    filled.export(root)
    (root / ".hansard/mirror.json").unlink()
    report = filled.export(root)
    assert (report.set_aside, report.written) == ((), ())
    assert len(report.unchanged) == FILES


def test_an_edited_history_is_set_aside_before_it_becomes_empty(filled: Project, root: Path) -> None:
    memory = filled.remember("x", agent="neo", scope="team")
    filled.export(root)
    (root / ".squad/agents/neo/history.md").write_text("mine\n")
    filled.forget(memory.id, by="ana")
    report = filled.export(root)
    assert [one.path for one in report.set_aside] == [".squad/agents/neo/history.md"]
    assert [one.read_text() for one in kept(root)] == ["mine\n"]


def test_a_proposal_dropped_into_the_folder_is_imported_first(filled: Project, root: Path) -> None:
    drop(root, "whatever.md")
    report = filled.export(root)
    assert [(one.path, one.slug) for one in report.inbox.imported] == [(str(INBOX / "whatever.md"), "my-idea")]
    assert filled.get_entry("my-idea").author == "beta"
    assert sorted(one.name for one in (root / INBOX).iterdir()) == ["my-idea.md", "use-postgres.md"]
    assert kept(root) == []


def test_a_dropped_file_with_more_than_the_record_takes_is_kept(filled: Project, root: Path) -> None:
    text = DROPPED.replace("type:", "mood: good\ntype:")
    drop(root, "my-idea.md", text)
    report = filled.export(root)
    assert [one.problem for one in report.inbox.warnings] == ["the key 'mood' is not known"]
    assert [one.read_text() for one in kept(root)] == [text]
    assert [(one.path, one.known) for one in filled.export(root).inbox.skipped] == [
        (str(kept(root)[0].relative_to(root)), True)
    ]


def test_an_edited_proposal_is_set_aside_and_the_record_stays(filled: Project, root: Path) -> None:
    filled.export(root)
    edited = (root / INBOX / "use-postgres.md").read_text().replace("All data.", "No data.")
    (root / INBOX / "use-postgres.md").write_text(edited)
    report = filled.export(root)
    assert [one.path for one in report.set_aside] == [str(INBOX / "use-postgres.md")]
    assert [one.read_text() for one in kept(root)] == [edited]
    assert filled.get_entry("use-postgres").content == "All data."


def test_an_edited_proposal_that_was_reviewed_stays_where_it_is(filled: Project, root: Path) -> None:
    filled.export(root)
    (root / INBOX / "use-postgres.md").write_text("mine\n")
    filled.merge("use-postgres", by="ana")
    report = filled.export(root)
    assert report.removed == ()
    assert [one.path for one in report.inbox.skipped] == [str(INBOX / "use-postgres.md")]
    assert (root / INBOX / "use-postgres.md").read_text() == "mine\n"


@invariant("INV-12")
def test_an_unreadable_file_stays_and_is_reported_each_time(filled: Project, root: Path) -> None:
    path = drop(root, "broken.md", "hello\n")
    for _ in range(2):
        report = filled.export(root)
        assert [one.path for one in report.inbox.skipped] == [str(INBOX / "broken.md")]
        assert [(one.line, one.problem) for one in report.inbox.warnings] == [
            (1, "the file does not begin with front matter")
        ]
        assert path.read_text() == "hello\n"


def test_a_file_that_cannot_be_written_does_not_stop_the_others(filled: Project, root: Path) -> None:
    (root / ".squad/decisions.md").mkdir(parents=True)
    report = filled.export(root)
    assert [one.path for one in report.failed] == [".squad/decisions.md"]
    assert "not a plain file" in report.failed[0].reason
    assert len(report.written) == FILES - 1
    (root / ".squad/decisions.md").rmdir()
    assert filled.export(root).written == (".squad/decisions.md",)


@invariant("INV-13")
@pytest.mark.parametrize("link", [".squad", ".squad/decisions", ".squad/agents/tank", ".agentweaver", INBOX])
def test_nothing_is_written_through_a_linked_folder(filled: Project, root: Path, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(outside)
    report = filled.export(root)
    assert list(outside.iterdir()) == []
    assert report.failed
    assert all("is a link" in one.reason for one in report.failed)
    assert len(report.failed) + len(report.written) == FILES


@invariant("INV-13")
def test_nothing_is_written_through_a_linked_file(filled: Project, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("theirs")
    (root / ".squad").mkdir()
    (root / ".squad/decisions.md").symlink_to(outside)
    report = filled.export(root)
    assert [one.path for one in report.failed] == [".squad/decisions.md"]
    assert outside.read_text() == "theirs"
    assert (root / ".squad/decisions.md").is_symlink()


@invariant("INV-13")
@pytest.mark.parametrize("place", [".hansard", ".hansard/mirror.lock", ".hansard/mirror.json"])
def test_what_hansard_keeps_for_itself_is_not_written_through_a_link(
    filled: Project, root: Path, tmp_path: Path, place: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    (root / place).symlink_to(outside / "x" if "." in Path(place).name[1:] else outside)
    filled.export(root)
    assert list(outside.iterdir()) == []


@invariant("INV-13")
def test_a_list_of_files_that_came_with_a_repository_removes_nothing(filled: Project, root: Path) -> None:
    victim = root / "main.py"
    victim.write_text("x")
    (root / ".hansard").mkdir()
    digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    paths = ", ".join(f'"{one}": "{digest}"' for one in ("main.py", "../root/main.py", str(victim)))
    (root / ".hansard/mirror.json").write_text(f'{{"project": "{filled.id}", "state": "", "files": {{{paths}}}}}')
    assert filled.export(root).removed == ()
    assert victim.read_text() == "x"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": 1}', '{"files": {"a": 1}, "project": 7}', "[" * 100_000])
def test_a_damaged_list_of_files_is_no_reason_to_fail(filled: Project, root: Path, text: str) -> None:
    filled.export(root)
    (root / ".hansard/mirror.json").write_text(text)
    assert len(filled.export(root).unchanged) == FILES


@invariant("INV-13")
@pytest.mark.parametrize("agent", ["../x", "a/b", "CON", "😀" * 50, ".."], ids=["up", "slash", "con", "emoji", "dots"])
def test_no_name_leads_out_of_the_folder(project: Project, root: Path, tmp_path: Path, agent: str) -> None:
    project.remember("x", agent=agent, scope="team")
    project.propose(agent=agent, slug="../../x", type="scope", content="x")
    before = {one for one in tmp_path.rglob("*") if "home" not in one.relative_to(tmp_path).parts}
    report = project.export(root)
    assert report.failed == ()
    assert {
        one for one in tmp_path.rglob("*") if not {"home", "root"} & set(one.relative_to(tmp_path).parts)
    } == before - {root}


def test_a_pipe_or_a_device_is_neither_read_nor_replaced(filled: Project, root: Path) -> None:
    (root / ".squad").mkdir()
    os.mkfifo(root / ".squad/decisions.md")
    (root / INBOX).mkdir(parents=True)
    os.mkfifo(root / INBOX / "pipe.md")
    report = filled.export(root)
    assert [one.path for one in report.failed] == [".squad/decisions.md"]
    assert [one.path for one in report.inbox.skipped] == [str(INBOX / "pipe.md")]
    assert (root / ".squad/decisions.md").is_fifo()


def test_a_folder_that_cannot_be_locked_is_a_failure_that_is_reported(filled: Project, root: Path) -> None:
    (root / ".hansard").write_text("a file")
    report = filled.export(root)
    assert [one.path for one in report.failed] == [".hansard/mirror.lock"]
    assert [one.name for one in root.iterdir()] == [".hansard"]


def test_a_root_that_vanished_is_an_error(filled: Project, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="not a folder"):
        filled.export(tmp_path / "nowhere")
    with pytest.raises(Invalid, match="must be the path"):
        filled.export(7)  # type: ignore[arg-type]


def test_two_exports_never_run_at_once_for_one_root(filled: Project, root: Path) -> None:
    filled.export(root)
    with (root / ".hansard/mirror.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(MirrorBusy):
            mirror.export(filled.seat(), root, wait_seconds=0)
    assert filled.export(root).failed == ()


@invariant("INV-01")
def test_exports_of_several_processes_leave_one_whole_mirror(filled: Project, target: str, root: Path) -> None:
    started = [processes.started("support.exporter", target, str(root), name, "8") for name in ("a", "b", "c")]
    assert [processes.finished(one) for one in started] == ["0 0\n"] * 3
    last = filled.export(root)
    assert (last.written, last.removed, last.set_aside, last.failed) == ((), (), (), ())
    assert len(list((root / INBOX).iterdir())) == 3 * 8 + 1
    assert list(root.rglob("*.tmp")) == []


def test_a_tree_that_cannot_be_written_is_reported(filled: Project) -> None:
    report = filled.export("/proc/self")
    assert [one.path for one in report.failed] == [".hansard/mirror.lock"]
    assert report.written == ()


def test_the_root_is_the_folder_of_the_project_on_this_machine(hansard: Hansard, root: Path) -> None:
    assert hansard.project("web", create=True, root=root).export().root == str(root)


def test_a_project_without_a_folder_says_how_to_name_one(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Invalid, match="hansard init"):
        project.export()


def test_an_agent_exports_only_to_a_folder_of_the_project(hansard: Hansard, root: Path, tmp_path: Path) -> None:
    hansard.project("web", create=True, root=root)
    bound = hansard.project("web", actor=Actor("tank", role="agent"))
    assert bound.export().failed == ()
    assert bound.export(root).failed == ()
    with pytest.raises(Denied):
        bound.export(tmp_path)


def test_a_folder_of_another_project_is_not_written(hansard: Hansard, filled: Project, root: Path) -> None:
    hansard.project("web", create=True, root=root)
    with pytest.raises(ProjectExists, match="'web'"):
        filled.export(root)
    assert list(root.iterdir()) == []


def test_proposals_of_another_project_in_the_folder_are_imported_not_removed(
    hansard: Hansard, filled: Project, root: Path
) -> None:
    filled.export(root)
    shutil.rmtree(root / ".hansard")
    other = hansard.project("web", create=True)
    assert [one.slug for one in other.export(root).inbox.imported] == ["use-postgres"]
    assert (root / INBOX / "use-postgres.md").exists()


def test_what_a_killed_export_left_is_swept_away(filled: Project, root: Path) -> None:
    filled.export(root)
    (root / ".squad/.hansard-7-abc.tmp").write_text("half")
    filled.update_session("More.")
    filled.export(root)
    assert not (root / ".squad/.hansard-7-abc.tmp").exists()


def test_every_export_of_one_state_is_the_same_on_every_machine(filled: Project, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    reports: list[ExportReport] = [filled.export(root), filled.export(other)]
    assert reports[0].written == reports[1].written
    assert contents(root) == contents(other)
