"""A team without a server: the ledger travels with the repository, and every clone comes to the same record."""

import json
import subprocess
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.mirror import LEDGER, LedgerReport, digest
from hansard.domain.vocabulary import Subject
from hansard.project import Project
from support.clock import FakeClock
from support.marks import invariant

OWN = {"mirror.json", "mirror.lock"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    return folder


def contents(root: Path) -> dict[str, bytes]:
    files = (one for one in root.rglob("*") if one.is_file() and one.name not in OWN and ".git" not in one.parts)
    return {str(one.relative_to(root)): one.read_bytes() for one in files}


def fill(project: Project) -> None:
    old = project.decide(type="scope", title="No billing", content="Billing is out.", by="bob", tags=["money"])
    new = project.decide(type="scope", title="Billing", content="Billing is in.", by="bob", applies_to=["src/**"])
    project.supersede(old.id, new.id, by="bob")
    project.propose(agent="Tank", slug="use-postgres", type="architectural", content="All data.", rationale="One.")
    project.propose(agent="Tank", slug="retry", type="learning", content="Retry thrice.", importance="low")
    project.merge("retry", by="bob", note="Yes.")
    project.propose(agent="beta", slug="use-mongo", type="architectural", content="No.")
    project.reject("use-mongo", by="bob", reason="No.")
    project.remember("The api wants a bearer prefix.", agent="Tank", scope="team", kind="project", citations=["a.py:1"])
    project.remember("hush", agent="Tank")
    project.remember("about bob", agent="Tank", scope="team", kind="user")
    gone = project.remember("to be forgotten", agent="Tank", scope="team")
    project.forget(gone.id)


def carry(source: Project, target: Project, root: Path) -> LedgerReport:
    """What one clone exports is pulled and imported by the other."""
    source.export(root)
    (root / ".hansard/mirror.json").unlink(missing_ok=True)
    return target.import_inbox(root).ledger


@invariant("INV-01")
def test_a_teammate_starts_with_what_the_team_decided_and_changes_no_file(
    project: Project, theirs: Project, root: Path
) -> None:
    fill(theirs)
    report = carry(theirs, project, root)
    before = contents(root)
    assert (report.decisions, report.proposals, report.memories) == (3, 3, 2)
    assert (report.updated, report.conflicts, report.skipped, report.warnings) == (0, (), (), ())
    told = project.export(root)
    assert (told.written, told.removed, told.set_aside, told.failed, told.waiting) == ((), (), (), (), ())
    assert contents(root) == before
    ours, mates = project.list_decisions(status="all").items, theirs.list_decisions(status="all").items
    assert [one.body() for one in ours] == [one.body() for one in mates]
    assert [one.author for one in ours] == [one.author for one in mates]
    entries = [(one.id, one.ref, one.slug, one.author, one.status, one.reviewer, one.created_at) for one in
               project.list_inbox(status="all").items]  # fmt: skip
    assert entries == [(one.id, one.ref, one.slug, one.author, one.status, one.reviewer, one.created_at) for one in
                       theirs.list_inbox(status="all").items]  # fmt: skip
    assert project.verify().ok


def test_nothing_private_and_nothing_forgotten_is_in_the_ledger(theirs: Project, root: Path) -> None:
    fill(theirs)
    theirs.export(root)
    said = b"".join((root / path).read_bytes() for path in LEDGER.values())
    for word in (b"hush", b"about bob", b"to be forgotten"):
        assert word not in said
    lines = [json.loads(one) for one in (root / LEDGER[Subject.MEMORY]).read_text().splitlines()]
    assert [one["id"] for one in lines] == sorted(one["id"] for one in lines)
    assert [one["state"] for one in lines] == ["active", "active", "forgotten"]
    assert "content" not in lines[-1]


def test_recall_finds_what_was_taken_in(project: Project, theirs: Project, root: Path) -> None:
    fill(theirs)
    carry(theirs, project, root)
    assert [hit.memory.agent for hit in project.recall("bearer prefix of the api", agent="neo", limit=1)] == ["Tank"]


def test_what_a_clone_takes_in_is_in_its_history_and_its_numbers_go_on(
    project: Project, theirs: Project, root: Path
) -> None:
    fill(theirs)
    carry(theirs, project, root)
    actions = {one.action for one in project.list_events().items}
    assert actions >= {"decision.imported", "entry.imported", "memory.imported"}
    assert project.decide(type="scope", title="T", content="C", by="ana").ref == "D-4"
    assert project.propose(agent="neo", slug="more", type="scope", content="C").ref == "P-4"
    assert project.verify().ok


def test_importing_twice_changes_nothing(project: Project, theirs: Project, root: Path) -> None:
    fill(theirs)
    carry(theirs, project, root)
    events = project.list_events().items
    assert project.import_inbox(root).ledger == LedgerReport()
    assert project.list_events().items == events


@invariant("INV-12")
def test_the_higher_version_wins_and_the_lower_one_stays_among_the_versions(
    project: Project, theirs: Project, root: Path
) -> None:
    made = theirs.decide(type="scope", title="T", content="First.", by="bob")
    carry(theirs, project, root)
    project.update_decision(made.id, by="ana", content="Ours.")
    theirs.update_decision(made.id, by="bob", content="Theirs.")
    theirs.update_decision(made.id, by="bob", content="Theirs again.")
    report = carry(theirs, project, root)
    assert (report.updated, report.conflicts) == (1, ())
    history = project.decision_history(made.id)
    assert (history.decision.content, history.decision.version) == ("Theirs again.", 3)
    assert [one.body["content"] for one in history.revisions] == ["First.", "Ours."]
    project.update_decision(made.id, by="ana", content="Both.")
    assert project.verify().ok
    assert [one.content for one in project.list_decisions(as_of=2**61).items] == ["Both."]


@invariant("INV-12")
def test_a_conflict_keeps_both_and_opens_one_entry_in_every_clone(
    project: Project, theirs: Project, root: Path, tmp_path: Path
) -> None:
    made = theirs.decide(type="scope", title="Billing", content="First.", by="bob")
    carry(theirs, project, root)
    project.update_decision(made.id, by="ana", content="Ours.")
    theirs.update_decision(made.id, by="bob", content="Theirs.")
    (other := tmp_path / "other").mkdir()
    project.export(other)
    report = carry(theirs, project, root)
    assert len(report.conflicts) == 1
    entry = project.get_entry(report.conflicts[0])
    assert (entry.author, entry.status, entry.type) == ("hansard", "pending", "scope")
    assert "by ana\nTitle: Billing\n\nOurs." in entry.content
    assert "in another clone\nTitle: Billing\n\nTheirs." in entry.content
    assert project.get_decision(made.id).content == "Theirs.", "the later one stands"
    assert "Ours." in [one.body["content"] for one in project.decision_history(made.id).revisions]
    assert theirs.import_inbox(other).ledger.conflicts == report.conflicts
    carry(theirs, project, root)
    carry(project, theirs, other)
    assert [one.body() for one in theirs.list_inbox().items] == [one.body() for one in project.list_inbox().items]
    assert carry(theirs, project, root) == LedgerReport()
    project.update_decision(made.id, by="ana", content="Agreed.")
    assert project.verify().ok


@invariant("INV-05")
def test_a_review_stands_over_a_change_and_an_acceptance_over_a_rejection(
    project: Project, theirs: Project, root: Path
) -> None:
    for slug in ("changed", "both"):
        theirs.propose(agent="tank", slug=slug, type="scope", content="First.")
    carry(theirs, project, root)
    project.propose(agent="tank", slug="changed", type="scope", content="Second.")
    project.propose(agent="tank", slug="changed", type="scope", content="Third.")
    theirs.reject("changed", by="bob")
    project.reject("both", by="ana")
    theirs.merge("both", by="bob")
    report = carry(theirs, project, root)
    assert len(report.conflicts) == 2
    changed, both = project.get_entry("changed"), project.get_entry("both")
    assert (changed.status, changed.content, changed.reviewer) == ("rejected", "First.", "bob")
    assert (both.status, both.reviewer) == ("merged", "bob")
    assert project.get_decision(both.decision_id or "").content == "First."
    assert any("Third." in project.get_entry(one).content for one in report.conflicts)
    assert project.verify().ok


@invariant("INV-07")
def test_a_proposal_merged_in_two_clones_is_one_decision_and_one_memory(
    project: Project, theirs: Project, root: Path, clock: FakeClock
) -> None:
    theirs.propose(agent="tank", slug="retry", type="learning", content="Retry thrice.")
    carry(theirs, project, root)
    project.merge("retry", by="ana")
    theirs.merge("retry", by="bob")
    carry(theirs, project, root)
    clock.advance(seconds=2)
    active = project.list_decisions().items
    entry = project.get_entry("retry")
    assert [one.id for one in active] == [entry.decision_id]
    assert [one.id for one in project.list_memories().items] == [entry.memory_id]
    [retired] = project.list_decisions(status="superseded").items
    assert retired.superseded_by == active[0].id
    assert project.verify().ok


@invariant("INV-02")
@invariant("INV-04")
def test_numbers_and_slugs_given_out_twice_are_told_apart(project: Project, theirs: Project, root: Path) -> None:
    for ours, name in ((project, "tank"), (theirs, "beta")):
        ours.decide(type="scope", title=name, content="C", by="ana")
        ours.propose(agent=name, slug="idea", type="scope", content=name)
        ours.propose(agent="neo", slug="same", type="scope", content=name)
    carry(theirs, project, root)
    assert {(one.number, one.title) for one in project.list_decisions().items} == {(1, "tank"), (2, "beta")}
    found = {one.slug: (one.number, one.content) for one in project.list_inbox().items}
    assert found == {"idea": (1, "tank"), "same": (2, "tank"), "idea--beta": (3, "beta"), "same--neo": (4, "beta")}
    assert project.propose(agent="neo", slug="same--neo", type="scope", content="more").slug == "same--neo"
    assert project.verify().ok


def test_decisions_that_replaced_each_other_leave_the_newer_one_standing(
    project: Project, theirs: Project, root: Path
) -> None:
    one = theirs.decide(type="scope", title="One", content="C", by="bob")
    two = theirs.decide(type="scope", title="Two", content="C", by="bob")
    carry(theirs, project, root)
    project.supersede(one.id, two.id, by="ana")
    theirs.supersede(two.id, one.id, by="bob")
    carry(theirs, project, root)
    assert [each.title for each in project.list_decisions().items] == ["Two"]
    assert project.verify().ok


def test_forgetting_travels_and_nothing_is_brought_back(project: Project, theirs: Project, root: Path) -> None:
    kept = theirs.remember("a secret plan", agent="tank", scope="team")
    theirs.propose(agent="tank", slug="retry", type="learning", content="a secret plan too")
    theirs.merge("retry", by="bob")
    carry(theirs, project, root)
    old = {path: (root / path).read_bytes() for path in LEDGER.values()}
    project.edit_memory(kept.id, by="ana", content="a secret plan, edited")
    project.edit_memory(kept.id, by="ana", content="a secret plan, edited again")
    theirs.forget(kept.id)
    theirs.forget(theirs.get_entry("retry").memory_id or "")
    report = carry(theirs, project, root)
    assert report.forgotten == 2
    assert project.recall("a secret plan", agent="tank") == ()
    assert project.get_memory(kept.id).is_forgotten
    assert project.get_decision("D-1").is_forgotten
    for path, data in old.items():
        (root / path).write_bytes((root / path).read_bytes() + data)
    project.import_inbox(root)
    (root / "again").mkdir()
    project.export(root / "again")
    assert not any(b"secret plan" in data for data in contents(root / "again").values())
    assert project.verify().ok


def test_forgetting_takes_the_entry_of_a_conflict_with_it(project: Project, theirs: Project, root: Path) -> None:
    kept = theirs.remember("plan", agent="tank", scope="team")
    carry(theirs, project, root)
    project.edit_memory(kept.id, by="ana", content="our hidden plan")
    theirs.edit_memory(kept.id, by="bob", content="their hidden plan")
    assert len(carry(theirs, project, root).conflicts) == 1
    project.forget(kept.id)
    assert project.list_inbox().items == ()
    (root / "again").mkdir()
    project.export(root / "again")
    assert not any(b"hidden plan" in data for data in contents(root / "again").values())
    assert project.verify().ok


@invariant("INV-24")
def test_an_agent_takes_in_its_own_pending_proposals_and_nothing_that_was_decided(
    hansard: Hansard, theirs: Project, root: Path
) -> None:
    fill(theirs)
    theirs.export(root)
    hansard.project("shop", create=True, root=root)
    agent = hansard.project("shop", actor=Actor("tank", role="agent"))
    report = agent.import_inbox(root)
    assert (report.ledger.decisions, report.ledger.proposals, report.ledger.memories) == (0, 1, 0)
    assert any("wait for a person" in one.reason for one in report.ledger.skipped)
    assert [one.id for one in agent.list_inbox(status="all").items] == [theirs.get_entry("use-postgres").id]
    assert agent.list_decisions(status="all").items == ()
    before = contents(root)
    assert {one.path for one in agent.export(root).waiting} >= set(LEDGER.values())
    assert {path: data for path, data in contents(root).items() if "ledger" in path} == {
        path: data for path, data in before.items() if "ledger" in path
    }


@invariant("INV-01")
def test_an_export_after_a_pull_loses_no_line_of_another_clone(project: Project, theirs: Project, root: Path) -> None:
    project.export(root)
    ours = project.decide(type="scope", title="Ours", content="C", by="ana")
    project.export(root)
    pulled = root / LEDGER[Subject.DECISION]
    made = theirs.decide(type="scope", title="Theirs", content="C", by="bob")
    theirs.propose(agent="tank", slug="idea", type="scope", content="C")
    other = root.parent / "other"
    other.mkdir()
    theirs.export(other)
    pulled.write_bytes(pulled.read_bytes() + (other / LEDGER[Subject.DECISION]).read_bytes())
    for path in (LEDGER[Subject.ENTRY], ".squad/decisions/inbox/idea.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes((other / path).read_bytes())
    before = pulled.read_bytes()
    project.decide(type="scope", title="More", content="C", by="ana")
    report = project.export(root)
    assert [one.path for one in report.waiting] == [LEDGER[Subject.DECISION], LEDGER[Subject.ENTRY]]
    assert pulled.read_bytes() == before
    assert report.inbox.imported == (), "the ledger brings the proposal with its id"
    assert project.import_inbox(root).ledger.decisions == 1
    told = project.export(root)
    assert (told.waiting, told.failed) == ((), ())
    assert {one.id for one in project.list_decisions().items} >= {ours.id, made.id}
    assert [one.id for one in project.list_inbox().items] == [theirs.get_entry("idea").id]
    assert pulled.read_bytes().count(b"\n") == 3


@invariant("INV-12")
def test_bad_lines_are_reported_and_stop_nothing(project: Project, theirs: Project, root: Path) -> None:
    fill(theirs)
    theirs.export(root)
    (root / ".hansard/mirror.json").unlink()
    path = root / LEDGER[Subject.DECISION]
    good = path.read_bytes().splitlines()
    first = json.loads(good[0])
    bad = [
        b"{", b"[]", b"\xff", b"[" * 200_000, b"<<<<<<< HEAD", b"=======", b">>>>>>> x", b"1" * 5_000,
        json.dumps({**first, "type": "mood"}).encode(), json.dumps({**first, "number": 2**80}).encode(),
        json.dumps({**first, "title": "a\0b"}).encode(), json.dumps({**first, "id": "../x"}).encode(),
        b'{"x":"' + b"y" * 2_000_000 + b'"}',
    ]  # fmt: skip
    dangling = {**first, "id": first["id"][:-4] + "0000", "superseded_by": first["id"][:-4] + "1111"}
    extra = json.dumps({**first, "colour": "red"}).encode()
    path.write_bytes(b"\r\n".join([*bad, json.dumps(dangling).encode(), extra, b"", *good]) + b"\r\n")
    report = project.import_inbox(root).ledger
    assert (report.decisions, report.memories) == (3, 2)
    lines = {one.line for one in report.warnings}
    assert lines == {*range(1, len(bad) + 1), len(bad) + 2}
    assert all(one.problem and one.fix for one in report.warnings)
    reasons = [one.reason for one in report.skipped]
    assert f"{len(bad)} of its lines cannot be read" in reasons
    assert any("which is not here" in one for one in reasons)
    told = project.export(root)
    assert [one.path for one in told.set_aside] == [LEDGER[Subject.DECISION]], "what cannot be read is kept"
    assert project.verify().ok


@pytest.mark.parametrize("place", ["link", "folder", "large"])
def test_a_ledger_that_cannot_be_read_is_reported(project: Project, root: Path, tmp_path: Path, place: str) -> None:
    path = root / LEDGER[Subject.DECISION]
    path.parent.mkdir(parents=True)
    if place == "link":
        (tmp_path / "x").write_text("{}")
        path.symlink_to(tmp_path / "x")
    elif place == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"x" * 50_000_000)
    report = project.import_inbox(root).ledger
    assert [one.path for one in report.skipped] == [LEDGER[Subject.DECISION]]


def test_a_line_with_the_id_of_a_private_memory_does_not_touch_it(
    project: Project, theirs: Project, root: Path
) -> None:
    private = project.remember("mine alone", agent="tank")
    theirs.remember("shared", agent="tank", scope="team")
    theirs.export(root)
    path = root / LEDGER[Subject.MEMORY]
    line = json.loads(path.read_text())
    path.write_text(json.dumps({**line, "id": private.id, "version": 9}) + "\n")
    report = project.import_inbox(root).ledger
    assert [one.reason for one in report.skipped] == ["the memory of this id is private here"]
    assert project.get_memory(private.id) == private


@invariant("INV-01")
def test_an_export_before_the_first_import_touches_nothing_that_came_with_the_clone(
    project: Project, theirs: Project, root: Path
) -> None:
    fill(theirs)
    theirs.export(root)
    (root / ".hansard/mirror.json").unlink()
    before = contents(root)
    report = project.export(root)
    assert (report.written, report.set_aside, report.removed) == ((), (), ())
    assert ".squad/decisions.md" in [one.path for one in report.waiting]
    assert contents(root) == before
    project.import_inbox(root)
    assert project.export(root).written == ()
    assert contents(root) == before


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    ran = subprocess.run(["git", *identity, *arguments], cwd=root, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr + ran.stdout
    return ran.stdout


def test_two_clones_that_merge_by_git_end_with_the_same_files(
    project: Project, theirs: Project, root: Path, tmp_path: Path
) -> None:
    from hansard.workspace.git import LINES

    git(root, "init", "--quiet")
    for name, text in LINES.items():
        (root / name).write_text(text)
    made = project.decide(type="scope", title="First", content="C", by="ana")
    project.export(root)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "one")
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", str(root), str(other))
    theirs.import_inbox(other)
    theirs.export(other)
    assert git(other, "status", "--porcelain") == ""
    project.update_decision(made.id, by="ana", content="Ours.")
    theirs.update_decision(made.id, by="bob", content="Theirs.")
    for clone, folder, name in ((project, root, "tank"), (theirs, other, "beta")):
        clone.decide(type="scope", title=name, content="C", by=name)
        clone.propose(agent=name, slug="idea", type="learning", content=name)
        clone.remember(f"{name} learned", agent=name, scope="team")
        clone.export(folder)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "-m", name)
    git(other, "pull", "--quiet", "--no-rebase", "origin", "main")
    theirs.import_inbox(other)
    theirs.export(other)
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "-m", "joined")
    git(root, "pull", "--quiet", "--no-rebase", str(other), "main")
    project.import_inbox(root)
    project.export(root)
    assert git(root, "status", "--porcelain") == ""
    assert len(project.list_decisions().items) == 3
    assert [one.body() for one in project.list_inbox().items] == [one.body() for one in theirs.list_inbox().items]


@invariant("INV-01")
def test_a_record_that_went_back_to_a_backup_does_not_write_over_what_it_has_lost(
    hansard: Hansard, project: Project, root: Path, tmp_path: Path
) -> None:
    project.decide(type="scope", title="One", content="Before the backup.", by="ana")
    project.export(root)
    hansard.backup(tmp_path / "backup.db")
    project.decide(type="scope", title="Two", content="After the backup.", by="ana")
    project.export(root)
    before = contents(root)
    Hansard.restore(tmp_path / "backup.db", tmp_path / "restored.db", settings=hansard.settings)
    with Hansard.open(tmp_path / "restored.db", settings=hansard.settings) as restored:
        older = restored.project("shop")
        older.remember("Something private.", agent="tank")
        report = older.export(root)
        assert LEDGER[Subject.DECISION] in {one.path for one in report.waiting}
        assert contents(root) == before
        assert older.import_inbox(root).ledger.decisions == 1
        assert [one.title for one in older.list_decisions().items] == ["Two", "One"]
        assert older.export(root).waiting == ()
        assert contents(root) == before


@invariant("INV-01")
def test_a_list_of_files_that_another_project_left_is_not_believed(project: Project, root: Path) -> None:
    squad = root / ".squad"
    squad.mkdir()
    (squad / "decisions.md").write_bytes(b"Written by hand.\n")
    (root / ".hansard").mkdir()
    hashed = {".squad/decisions.md": digest(b"Written by hand.\n")}
    (root / ".hansard/mirror.json").write_text(json.dumps({"project": "zzz", "state": "", "files": hashed}))
    project.decide(type="scope", title="One", content="c", by="ana")
    (aside,) = project.export(root).set_aside
    assert (root / aside.kept).read_bytes() == b"Written by hand.\n"
