"""Who a file may name as its author, and how a reviewer sees that a proposal came in by a file."""

from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.mirror import ImportReport
from hansard.project import Project
from hansard.services import keep_up, mirror
from hansard.settings import Settings
from support.marks import invariant

INBOX = ".squad/decisions/inbox"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / INBOX).mkdir(parents=True)
    return folder


@pytest.fixture
def web(hansard: Hansard, root: Path) -> Project:
    made = hansard.project("web", create=True, root=root)
    made.decide(type="scope", title="No billing", content="Billing is out.", by="bob")
    return made


def drop(root: Path, slug: str, agent: str) -> None:
    text = f"---\nagent: {agent}\nslug: {slug}\ntype: technical\n---\n\nDo it.\n"
    (root / INBOX / f"{slug}.md").write_text(text)


def reasons(report: ImportReport) -> dict[str, str]:
    return {one.path.removeprefix(f"{INBOX}/"): one.reason for one in report.skipped}


def by_file(project: Project) -> set[str]:
    return {one.slug for one in project.list_inbox(status="all").items if one.is_from_file}


@invariant("INV-24")
@pytest.mark.parametrize("name", ["Bob", "ana", "hansard", "Scribe", "exporter", "watcher"])
def test_the_export_takes_in_no_file_that_names_a_person_or_a_service(
    hansard: Hansard, web: Project, root: Path, name: str
) -> None:
    hansard.project("web", actor=Actor("watcher", role="service")).start_session(focus="Auth")
    drop(root, "forged", name)
    drop(root, "honest", "trin")
    report = mirror.export(web.seat()._replace(actor=keep_up.EXPORTER)).inbox
    assert [one.slug for one in report.imported] == ["honest"]
    told = "is a person" if name in {"Bob", "ana"} else "is no agent"
    assert reasons(report)["forged.md"].startswith(f"{name} {told}")
    assert (root / INBOX / "forged.md").exists()
    assert [one.slug for one in web.list_inbox().items] == ["honest"]
    [found] = [one for one in web.doctor() if one.check == "mirror" and "cannot be imported" in one.found]
    assert f"{INBOX}/forged.md: {name} {told}" in found.found


@invariant("INV-24")
def test_a_name_that_a_file_brought_first_is_a_persons_once_the_person_has_acted(web: Project, root: Path) -> None:
    drop(root, "early", "eve")
    drop(root, "late", "trin")
    exporter = web.seat()._replace(actor=keep_up.EXPORTER)
    assert len(mirror.export(exporter).inbox.imported) == 2
    web.decide(type="scope", title="More", content="C", by="eve")
    web.start_run(agent="trin")
    drop(root, "forged", "eve")
    drop(root, "more", "trin")
    report = mirror.export(exporter).inbox
    assert [one.slug for one in report.imported] == ["more"]
    assert reasons(report)["forged.md"].startswith("eve is a person")


def test_a_person_takes_in_a_file_of_her_own_name_and_of_no_other_person(web: Project, root: Path) -> None:
    drop(root, "mine", "Ana")
    drop(root, "his", "bob")
    drop(root, "ours", "hansard")
    report = web.import_inbox(by="ana")
    assert [one.slug for one in report.imported] == ["mine"]
    assert sorted(reasons(report)) == ["his.md", "ours.md"]


def test_what_a_person_proposed_is_known_in_its_file(hansard: Hansard, web: Project, root: Path) -> None:
    hansard.project("web", actor=Actor("bob", role="human")).propose(slug="idea", type="scope", content="Yes.")
    web.export()
    assert reasons(web.import_inbox(by="ana")) == {"idea.md": "known already as P-1 (idea, pending)"}
    (root / ".hansard/mirror.json").unlink()
    assert web.export().inbox.skipped[0].settled


def test_an_agent_is_told_who_will_take_in_what_it_may_not(web: Project, hansard: Hansard, root: Path) -> None:
    drop(root, "idea", "trin")
    report = hansard.project("web", actor=Actor("neo", role="agent")).import_inbox()
    assert reasons(report) == {
        "idea.md": (
            "neo may not propose as trin; a person imports it, or the export that follows a change, and it is marked"
            " as from a file"
        )
    }


@pytest.mark.parametrize("name", ["bob", "ana", "hansard", "scribe", "exporter"])
def test_an_agent_is_not_told_that_others_take_in_what_nobody_does(
    web: Project, hansard: Hansard, root: Path, name: str
) -> None:
    drop(root, "forged", name)
    report = hansard.project("web", actor=Actor("neo", role="agent")).import_inbox()
    told = "is a person" if name in {"bob", "ana"} else "is no agent"
    assert reasons(report)["forged.md"].startswith(f"{name} {told}")


def test_an_entry_says_that_it_came_by_a_file_whoever_revises_it(web: Project, root: Path) -> None:
    drop(root, "idea", "trin")
    drop(root, "idea--abe", "abe")
    web.propose(agent="trin", slug="said", type="technical", content="Said.")
    web.export()
    assert by_file(web) == {"idea", "idea--abe"}
    web.merge("idea--abe", by="ana")
    assert by_file(web) == {"idea", "idea--abe"}
    web.propose(agent="trin", slug="idea", type="technical", content="In other words.")
    assert by_file(web) == {"idea", "idea--abe"}
    assert web.verify().ok


@pytest.mark.parametrize("start", ["run", "session"])
def test_work_that_starts_from_python_imports_what_is_new(web: Project, root: Path, start: str) -> None:
    drop(root, "idea", "trin")
    drop(root, "theirs", "neo")
    if start == "run":
        web.start_run(agent="trin")
        assert [one.slug for one in web.list_inbox().items] == ["idea"]
    else:
        web.start_session(focus="Auth", by="ana")
        assert sorted(one.slug for one in web.list_inbox().items) == ["idea", "theirs"]


def test_work_starts_where_nothing_can_be_imported(web: Project, root: Path, target: str) -> None:
    (root / INBOX).rmdir()
    (root / INBOX).write_text("a file")
    assert web.start_run(agent="trin").is_open
    root.rename(root.with_name("moved"))
    assert web.start_session(focus="Auth", by="ana").is_open
    with Hansard.open(target, settings=Settings(user="ana")) as other:
        assert other.project("bare", create=True).start_run(agent="trin").is_open


def test_the_start_of_work_reads_no_ledger_while_the_inbox_folder_holds_only_our_own_files(
    web: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.propose(agent="trin", slug="idea", type="technical", content="Yes.")
    web.export()
    read: list[object] = []

    def noted(*given: object) -> frozenset[tuple[str, str]]:
        read.append(given)
        return frozenset()

    monkeypatch.setattr(mirror, "announced", noted)
    web.start_run(agent="trin")
    assert read == []
    drop(root, "more", "trin")
    web.start_run(agent="trin")
    assert len(read) == 1
