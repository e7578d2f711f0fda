"""Files that an old branch brings back: what the record no longer has stands in no mirror, and nobody loses it."""

import shutil
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import Invalid
from hansard.domain.findings import Finding, Severity
from hansard.domain.jobs import JobKind
from hansard.domain.mirror import is_kept_name
from hansard.project import Project
from hansard.services import keep_up, mirror
from hansard.services.dispatch import subject_of
from hansard.settings import data_folder
from hansard.workspace import process, roots
from hansard.workspace.files import Enclosure
from support.marks import invariant

INBOX = ".squad/decisions/inbox"
HISTORY = ".squad/agents/tank/history.md"


class Killed(BaseException):
    """Nothing catches it, as nothing catches a kill."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def web(hansard: Hansard, root: Path) -> Project:
    """A project with a folder on this machine, and its files in step."""
    made = hansard.project("web", create=True, root=root)
    made.decide(type="scope", title="No billing", content="Billing is out.", by="ana")
    made.export()
    return made


def brought_back(web: Project, root: Path) -> str:
    """The history of an agent of whom the record has nothing, as an old commit has it. Returns its words."""
    words = "# tank History\n\n### [learning] 2026-01-01\nTEAMFORGET words\n"
    assert not (root / HISTORY).exists()
    (root / HISTORY).parent.mkdir(parents=True, exist_ok=True)
    (root / HISTORY).write_text(words)
    return words


def mirrored(project: Project) -> list[Finding]:
    return [one for one in project.doctor() if one.check == "mirror" and one.severity is not Severity.OK]


def kept(root: Path) -> list[str]:
    return sorted(one.read_text() for one in root.rglob("*") if is_kept_name(one.name))


@invariant("INV-01")
@pytest.mark.parametrize("changed", [True, False], ids=["after a change", "without a change"])
def test_a_history_that_nobody_knows_is_shown_by_the_doctor_and_set_aside(
    web: Project, root: Path, *, changed: bool
) -> None:
    words = brought_back(web, root)
    if changed:
        web.decide(type="scope", title="More", content="C", by="ana")
        web.export(root.parent / "home")
    assert HISTORY in keep_up.drifted(web.seat(), str(root))
    assert any(HISTORY in one.found for one in mirrored(web))
    report = web.export()
    assert [one.path for one in report.set_aside] == [HISTORY]
    assert (kept(root), (root / HISTORY).exists()) == ([words], False)
    assert web.export().set_aside == ()
    assert keep_up.drifted(web.seat(), str(root)) == ()


def test_a_history_in_a_folder_that_no_agent_can_have_is_left_alone(web: Project, root: Path) -> None:
    for name in ("Tank", "my agent"):
        (root / ".squad/agents" / name).mkdir(parents=True)
        (root / ".squad/agents" / name / "history.md").write_text("mine\n")
    (root / ".squad/agents/neo").mkdir()
    (root / ".squad/agents/neo/charter.md").write_text("mine\n")
    (root / ".squad/agents/abe/history.md").mkdir(parents=True)
    report = web.export()
    assert (report.set_aside, report.failed, kept(root)) == ((), (), [])


@invariant("INV-01")
def test_an_export_that_is_killed_while_it_sets_a_stray_file_aside_hides_nothing(
    web: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = brought_back(web, root)
    take_away = Enclosure.take_away

    def killed(files: Enclosure, inside: str) -> str:
        take_away(files, inside)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Enclosure, "take_away", killed)
        with pytest.raises(Killed):
            web.export()
    assert kept(root) == []
    assert [one.path for one in web.export().set_aside] == [HISTORY]
    assert kept(root) == [words]


@pytest.mark.parametrize("review", ["merged", "rejected"])
def test_the_file_of_a_reviewed_proposal_with_other_words_is_named_and_set_aside(
    web: Project, root: Path, review: str
) -> None:
    web.propose(agent="tank", slug="idea", type="learning", content="First.")
    web.export()
    words = (root / INBOX / "idea.md").read_text()
    if review == "rejected":
        web.reject("idea", by="ana")
    else:
        web.merge("idea", by="ana")
    words = words.replace("First.", "Second.")
    web.export()
    (root / INBOX).mkdir(exist_ok=True)
    (root / INBOX / "idea.md").write_text(words)
    [found] = mirrored(web)
    assert found.found == f"Files in {root} of proposals that were reviewed: 1 ({INBOX}/idea.md)."
    report = web.export()
    assert [one.path for one in report.set_aside] == [f"{INBOX}/idea.md"]
    assert (kept(root), (root / INBOX / "idea.md").exists()) == ([words], False)
    assert web.export().set_aside == ()


def test_the_file_of_a_reviewed_proposal_with_the_words_of_the_record_goes(web: Project, root: Path) -> None:
    web.propose(agent="tank", slug="idea", type="scope", content="First.")
    web.export()
    shutil.copy(root / INBOX / "idea.md", root / "old.md")
    web.merge("idea", by="ana")
    web.export()
    (root / INBOX).mkdir(exist_ok=True)
    shutil.copy(root / "old.md", root / INBOX / "idea.md")
    report = web.export()
    assert (report.removed, report.set_aside) == ((f"{INBOX}/idea.md",), ())


def test_the_file_of_a_forgotten_proposal_is_a_proposal_again_that_says_where_it_came_from(
    web: Project, root: Path
) -> None:
    web.propose(agent="tank", slug="idea", type="learning", content="First.")
    web.export()
    words = (root / INBOX / "idea.md").read_text()
    web.merge("idea", by="ana")
    web.forget(str(web.get_entry("idea").memory_id), by="ana")
    web.export()
    (root / INBOX).mkdir(exist_ok=True)
    (root / INBOX / "idea.md").write_text(words)
    assert [one.slug for one in web.export().inbox.imported] == ["idea"]
    [entry] = web.list_inbox().items
    assert entry.is_from_file


def test_a_dropped_file_that_takes_up_a_reviewed_slug_stays_and_the_doctor_names_it(web: Project, root: Path) -> None:
    web.propose(agent="tank", slug="idea", type="scope", content="First.")
    web.reject("idea", by="ana")
    (root / INBOX).mkdir(parents=True, exist_ok=True)
    dropped = root / INBOX / "second-try.md"
    dropped.write_text("---\nagent: tank\nslug: idea\ntype: scope\n---\n\nSecond.\n")
    told = f"{INBOX}/second-try.md: differs from P-1 (idea, rejected); propose it under a new slug"
    assert web.export().set_aside == ()
    assert dropped.exists()
    [found] = mirrored(web)
    assert found.found == f"Files in {root} that differ from the record: 1 ({told})."


def test_the_doctor_looks_into_the_folder_while_an_exporter_is_at_work(web: Project, root: Path) -> None:
    (root / ".squad/decisions.md").write_text("mine\n")
    [aside] = web.export().set_aside
    (root / ".squad/decisions.md").write_text("mine again\n")
    seat = web.seat()
    subject = subject_of(roots.machine_id(data_folder()), str(root))
    with seat.store.write(web.id) as tx:
        assert seat.store.jobs(tx).take(JobKind.EXPORT, subject, process.name(), lease_us=60_000_000)
    assert keep_up.states(seat)[0].at_work
    [found] = mirrored(web)
    assert found.found == f"Copies that were set aside in {root}: 1 ({aside.kept})."


def test_a_folder_that_vanished_is_told_of_in_the_same_words_everywhere(web: Project, root: Path) -> None:
    web.decide(type="scope", title="More", content="C", by="ana")
    root.rename(root.with_name("moved"))
    told = f"{root} is gone. If it was moved, run `hansard init --project web --join` where it is now."
    for given in (None, root):
        with pytest.raises(Invalid) as refused:
            web.export(given)
        assert refused.value.message == told
        with pytest.raises(Invalid) as refused:
            web.import_inbox(given)
        assert refused.value.message == told
    with pytest.raises(Invalid) as refused:
        mirror.home(web.seat())
    assert refused.value.message == told
    [found] = [one for one in web.doctor() if one.check == "folders"]
    assert f"{found.found} {found.advice}" == told
    assert keep_up.keep_up(web.seat()._replace(actor=keep_up.EXPORTER), str(root)) == told
