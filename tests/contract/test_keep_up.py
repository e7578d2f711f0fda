"""The automatic export: files follow every change by themselves, off the write path, one exporter at a time."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied
from hansard.domain.findings import Severity
from hansard.domain.inbox import Entry
from hansard.project import Project
from hansard.services import keep_up
from hansard.services.keep_up import MirrorState
from hansard.settings import Settings
from support.fakes import fake_secret
from support.marks import invariant
from support.mirrors import (
    command_of,
    environment_of,
    exporters,
    locked,
    pass_by,
    state,
    until,
    until_in_step,
)
from support.processes import finished, started, writer

SETTINGS = Settings(user="ana", embedding_provider="none")
WRITES = 1_000
PROCESSES = 4
EXPORTS_MAX = 6
"""What a burst may make. Without merging it would be hundreds."""
DROPPED = "---\nagent: beta\nslug: my-idea\ntype: scope\n---\n\nDo it.\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose files follow by themselves. No test leaves an exporter behind."""
    monkeypatch.setenv("HANSARD_MIRROR_AUTO", "on")
    folder = tmp_path / "root"
    folder.mkdir()
    yield folder
    until(lambda: not exporters(tmp_path), "every exporter ends")


@pytest.fixture
def opened(target: str, root: Path) -> Iterator[Hansard]:
    with Hansard.open(target, settings=SETTINGS) as hansard:
        yield hansard


@pytest.fixture
def shop(opened: Hansard, root: Path) -> Project:
    return opened.project("shop", create=True, root=root)


def propose(project: Project, slug: str) -> None:
    project.propose(agent="tank", slug=slug, type="scope", content=f"About {slug}.")


def file_of(root: Path, slug: str) -> Path:
    return root / ".squad" / "decisions" / "inbox" / f"{slug}.md"


def at_work(project: Project, root: Path) -> int:
    """The process of the exporter that has the lease."""
    until(lambda: state(project).at_work, "an exporter is at work")
    (process,) = exporters(root)
    return process


def mirror_findings(hansard: Hansard) -> list[tuple[Severity, str]]:
    return [(one.severity, one.found) for one in hansard.doctor(["shop"]) if one.check == "mirror"]


def test_a_change_reaches_the_files_while_the_program_goes_on(shop: Project, root: Path) -> None:
    propose(shop, "first")
    until(file_of(root, "first").exists, "the file is there")
    propose(shop, "second")
    until(file_of(root, "second").exists, "the file is there")
    until_in_step(shop, root)
    assert not state(shop).abandoned
    assert not state(shop).at_work


def test_a_change_while_the_exporter_stays_is_not_missed(target: str, root: Path) -> None:
    with Hansard.open(target, settings=SETTINGS) as hansard:
        propose(hansard.project("shop", create=True, root=root), "first")
    with Hansard.open(target, settings=SETTINGS._replace(mirror_auto="off")) as looking:
        project = looking.project("shop")
        until(lambda: state(project).at_work and state(project).is_in_step, "it exported and stays a moment")
        before = set(exporters(root))
        with Hansard.open(target, settings=SETTINGS) as hansard:
            propose(hansard.project("shop"), "second")
        assert set(exporters(root)) <= before
        until(file_of(root, "second").exists, "the file is there")
        until_in_step(project, root)


def test_closing_starts_the_export_and_does_not_wait_for_it(target: str, root: Path) -> None:
    with locked(root):
        with Hansard.open(target, settings=SETTINGS) as hansard:
            propose(hansard.project("shop", create=True, root=root), "first")
        until(lambda: exporters(root), "an exporter was started")
        assert not file_of(root, "first").exists()
    until(file_of(root, "first").exists, "the file is there")
    until(lambda: not exporters(root), "the exporter ends")
    with Hansard.open(target, settings=SETTINGS) as hansard:
        assert state(hansard.project("shop")).is_in_step


def test_a_program_that_ends_without_closing_is_followed_too(target: str, shop: Project, root: Path) -> None:
    finished(started("support.forgetful", target))
    until(file_of(root, "forgotten-to-close").exists, "the file is there")


def test_a_process_that_forks_is_followed_on_both_sides(target: str, shop: Project, root: Path) -> None:
    process = started("support.preforked", target)
    assert process.stdin is not None
    until(file_of(root, "by-the-parent").exists, "the file is there")
    until(lambda: not exporters(root), "the exporter ends")
    process.stdin.write("go\n")
    process.stdin.flush()
    until(file_of(root, "by-the-child").exists, "the file is there while both go on")
    finished(process)
    until_in_step(shop, root)


def test_an_exporter_that_ended_leaves_nothing_in_a_process_that_lives_on(target: str, root: Path) -> None:
    with locked(root), Hansard.open(target, settings=SETTINGS) as hansard:
        propose(hansard.project("shop", create=True, root=root), "first")
        hansard.close()
        until(lambda: exporters(root), "an exporter was started")
        seen = exporters(root)
    until(lambda: not any(Path(f"/proc/{one}").exists() for one in seen), "its remains are gone")


def test_a_burst_of_one_process_makes_a_few_exports(shop: Project, root: Path) -> None:
    for number in range(WRITES):
        propose(shop, f"idea-{number}")
    until_in_step(shop, root)
    assert 1 <= state(shop).attempts <= EXPORTS_MAX
    assert len(list(file_of(root, "x").parent.iterdir())) == WRITES


def test_a_burst_of_many_processes_makes_a_few_exports(shop: Project, target: str, root: Path) -> None:
    each = str(WRITES // PROCESSES)
    for process in [writer("proposals", target, str(number), each, "10") for number in range(PROCESSES)]:
        finished(process)
    until_in_step(shop, root)
    assert 1 <= state(shop).attempts <= EXPORTS_MAX
    assert len(list(file_of(root, "x").parent.iterdir())) == WRITES


def test_an_exporter_that_is_killed_in_the_middle_is_made_good_by_the_next_change(
    opened: Hansard, shop: Project, root: Path
) -> None:
    with locked(root):
        propose(shop, "first")
        os.kill(at_work(shop, root), signal.SIGKILL)
        until(lambda: state(shop).abandoned, "it is known to be gone")
        severity, told = mirror_findings(opened)[0]
        assert (severity, "was ended before it was done" in told) == (Severity.WARNING, True)
    propose(shop, "second")
    until_in_step(shop, root)
    assert file_of(root, "first").exists()
    assert file_of(root, "second").exists()
    assert [severity for severity, _ in mirror_findings(opened)] == [Severity.OK]


@invariant("INV-21")
def test_while_one_exporter_is_at_work_another_one_does_nothing(
    opened: Hansard, shop: Project, target: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with locked(root):
        propose(shop, "first")
        at_work(shop, root)
        before = job_of(opened, shop)
        monkeypatch.setenv("HANSARD_DB", target)
        monkeypatch.setenv("HANSARD_PROJECT", "shop")
        finished(started("hansard.interfaces.cli.keep_up", str(root)))
        assert job_of(opened, shop) == before
        with Hansard.open(target, settings=SETTINGS) as other:
            propose(other.project("shop"), "second")
        assert len(exporters(root)) == 1, "no process is started where one is at work"
    until_in_step(shop, root)
    assert file_of(root, "second").exists()


@invariant("INV-20")
@pytest.mark.parametrize(("policy", "waiting"), [("block", []), ("ask", ["my-idea"])])
def test_the_exporter_takes_dropped_files_in_by_the_policy_of_their_project(
    shop: Project, root: Path, policy: str, waiting: list[str]
) -> None:
    (root / ".hansard").mkdir(exist_ok=True)
    (root / ".hansard/config.yml").write_text(f"guard.secrets: {policy}\n")
    dropped = file_of(root, "beta-idea")
    dropped.parent.mkdir(parents=True)
    dropped.write_text(DROPPED.replace("Do it.", f"Use {fake_secret()}."))
    propose(shop, "first")
    until_in_step(shop, root)

    assert [one.slug for one in shop.list_inbox(status="all").items] == ["first"]
    assert [one.slug for one in shop.list_quarantined().items if isinstance(one, Entry)] == waiting
    assert dropped.exists() is not bool(waiting)


def job_of(hansard: Hansard, project: Project) -> tuple[str | None, int, int]:
    with hansard.store.read(project.id) as tx:
        (job,) = hansard.store.jobs(tx).all()
    return job.holder, job.token, job.attempts


def test_a_failed_export_fails_no_write_is_shown_and_is_gone_after_the_next_one(
    opened: Hansard, shop: Project, root: Path
) -> None:
    obstacle = root / ".squad" / "decisions.md"
    obstacle.mkdir(parents=True)
    propose(shop, "first")
    until(lambda: state(shop).error, "the failure is recorded")
    assert file_of(root, "first").exists(), "one file that cannot be written does not stop the others"
    severity, told = mirror_findings(opened)[0]
    assert severity is Severity.PROBLEM
    assert f"The last export to {root} failed" in told
    assert ".squad/decisions.md" in told
    assert shop.export().failed
    assert mirror_findings(opened)[0][0] is Severity.PROBLEM, "it fails by hand as well"
    obstacle.rmdir()
    propose(shop, "second")
    until_in_step(shop, root)
    assert [one for one, _ in mirror_findings(opened)] == [Severity.OK]


def test_an_export_by_hand_that_succeeds_clears_the_failure(opened: Hansard, shop: Project, root: Path) -> None:
    obstacle = root / ".squad" / "decisions.md"
    obstacle.mkdir(parents=True)
    propose(shop, "first")
    until(lambda: state(shop).error, "the failure is recorded")
    obstacle.rmdir()
    assert not shop.export(root).failed
    found = state(shop)
    assert (found.error, found.failed_at, found.done) == (None, None, found.head)


def test_after_a_failure_the_next_exporter_is_not_started_at_once(shop: Project, root: Path) -> None:
    (root / ".squad" / "decisions.md").mkdir(parents=True)
    propose(shop, "first")
    until(lambda: state(shop).error, "the failure is recorded")
    until(lambda: not exporters(root), "the exporter ends")
    for number in range(10):
        propose(shop, f"more-{number}")
        pass_by(0.05)
    assert state(shop).attempts == 1
    until(lambda: state(shop).attempts == 2, "it is tried again")


@pytest.mark.parametrize("obstacle", ["no folder", "a folder that is gone", "switched off", "only read", "refused"])
def test_nothing_is_started_where_there_is_nothing_to_do(target: str, root: Path, obstacle: str) -> None:
    place = root / "inside"
    place.mkdir()
    with Hansard.open(target, settings=SETTINGS._replace(mirror_auto="off")) as hansard:
        project = hansard.project("shop", create=True, root=None if obstacle == "no folder" else place)
        propose(project, "before")
        memory = project.remember("Read me.", agent="tank")
    if obstacle == "a folder that is gone":
        place.rmdir()
    settings = SETTINGS._replace(mirror_auto="off") if obstacle == "switched off" else SETTINGS
    hansard = Hansard.open(target, settings=settings)
    if obstacle == "only read":
        hansard.project("shop").list_inbox()
        hansard.project("shop").recall("before", agent="tank")
        hansard.project("shop").use_memory(memory.id, agent="tank")
    elif obstacle == "refused":
        with pytest.raises(Denied):
            hansard.project("shop", actor=Actor("tank", role="agent")).merge("P-1")
    else:
        propose(hansard.project("shop"), "after")
    hansard.close()
    assert exporters(root) == []
    with Hansard.open(target, settings=settings) as again, again.store.read(again.project("shop").id) as tx:
        assert again.store.jobs(tx).all() == ()


def test_the_environment_switches_it_off_for_programs_with_settings_of_their_own(
    target: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_MIRROR_AUTO", " OFF ")
    with Hansard.open(target, settings=SETTINGS) as hansard:
        propose(hansard.project("shop", create=True, root=root), "first")
    assert exporters(root) == []


def test_a_store_in_memory_is_exported_by_hand_only(root: Path) -> None:
    with Hansard.open(":memory:", settings=SETTINGS) as hansard:
        project = hansard.project("shop", create=True, root=root)
        propose(project, "first")
        assert project.export().written
        assert state(project).is_in_step
    assert exporters(root) == []


def test_nobody_can_read_the_address_of_the_store_in_the_list_of_processes(
    shop: Project, target: str, root: Path
) -> None:
    with locked(root):
        propose(shop, "first")
        process = at_work(shop, root)
        assert target not in command_of(process)
        assert "postgresql" not in command_of(process)
        assert f"HANSARD_DB={target}" in environment_of(process)
    until_in_step(shop, root)


def test_what_the_exporter_imports_does_not_keep_it_going(shop: Project, root: Path) -> None:
    dropped = file_of(root, "my-idea")
    dropped.parent.mkdir(parents=True)
    dropped.write_text(DROPPED)
    propose(shop, "first")
    until_in_step(shop, root)
    assert {one.slug for one in shop.list_inbox().items} == {"first", "my-idea"}
    assert state(shop).attempts == 1
    assert ("exporter", "service") in {(one.name, one.role) for one in shop.list_agents()}


def test_what_the_scribe_and_a_coordinator_accept_is_exported(opened: Hansard, shop: Project, root: Path) -> None:
    run = shop.start_run(agent="tank")
    shop.propose(agent="tank", slug="lesson", type="learning", content="Lock before you leap.", run_id=run.id)
    shop.finish_run(run.id, outcome="completed")
    history = root / ".squad" / "agents" / "tank" / "history.md"
    until(lambda: history.exists() and "Lock before you leap." in history.read_text(), "the lesson is in the files")
    lead = shop.start_run(agent="lead")
    shop.propose(agent="lead", slug="border", type="scope", content="No billing.", run_id=lead.id)
    shop.finish_run(lead.id, outcome="completed")
    until_in_step(shop, root)
    opened.project("shop", actor=Actor("lead", role="coordinator")).finalize_run(lead.id)
    boundaries = root / ".agentweaver" / "context" / "boundaries.md"
    until(lambda: "No billing." in boundaries.read_text(), "the boundary is in the files")
    until_in_step(shop, root)


def test_each_folder_of_a_machine_has_files_of_its_own(opened: Hansard, shop: Project, root: Path) -> None:
    other = root.with_name("other")
    other.mkdir()
    opened.project("shop", create=True, root=other)
    propose(shop, "first")
    until(lambda: all(one.is_in_step for one in keep_up.states(shop.seat())), "both are in step")
    assert file_of(root, "first").exists()
    assert file_of(other, "first").exists()
    assert [one.root for one in keep_up.states(shop.seat())] == [str(root), str(other)]


def test_files_that_differ_from_the_record_are_found_by_the_doctor(opened: Hansard, shop: Project, root: Path) -> None:
    propose(shop, "first")
    until_in_step(shop, root)
    assert mirror_findings(opened)[0][0] is Severity.OK
    (root / ".squad" / "decisions.md").write_text("Nothing was ever decided.\n")
    file_of(root, "first").unlink()
    (severity, told), *_ = mirror_findings(opened)
    assert severity is Severity.WARNING
    assert "2 (.squad/decisions.md, .squad/decisions/inbox/first.md)" in told
    (aside,) = shop.export().set_aside
    assert [aside.kept in told for _, told in mirror_findings(opened)] == [True], "a copy is to be looked at"
    (root / aside.kept).unlink()
    assert mirror_findings(opened)[0][0] is Severity.OK


def test_a_change_that_shows_in_no_file_is_no_drift(opened: Hansard, shop: Project, root: Path) -> None:
    shop.export()
    with pytest.raises(Denied):
        opened.project("shop", actor=Actor("tank", role="agent")).decide(type="scope", title="t", content="c")
    assert state(shop).head > state(shop).done, "a refusal is an event"
    assert mirror_findings(opened)[0][0] is Severity.OK


def test_the_state_of_a_folder_that_was_never_exported_is_told(shop: Project, opened: Hansard, root: Path) -> None:
    found = state(shop)
    assert found == MirrorState(str(root), found.head, 0, 0, None, None, at_work=False, abandoned=False)
    assert mirror_findings(opened)[0][0] is Severity.OK


def test_an_export_elsewhere_says_nothing_about_the_projects_folder(shop: Project, tmp_path: Path, root: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shop.export(elsewhere)
    assert state(shop).done == 0
