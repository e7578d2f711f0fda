"""A team that meets by git: who is believed, what git makes of files, and whose words are whose."""

import json
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.errors import GitFailed
from hansard.domain.mirror import BOUNDARIES, DECISIONS, INBOX_FOLDER, LEDGER, NOW, ImportReport
from hansard.domain.vocabulary import Subject
from hansard.project import Project
from hansard.workspace.git import LINES, Change, changes, unmerged
from hansard.workspace.git import commit as commit_only
from support.marks import invariant
from support.repositories import git

MERGE = ("-c", "pull.rebase=false", "pull", "--quiet", "--no-edit")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The repository of this clone, with our lines for git."""
    folder = tmp_path / "clone"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    for name, text in LINES.items():
        (folder / name).write_text(text)
    commit(folder)
    return folder


@pytest.fixture
def other(root: Path, tmp_path: Path) -> Path:
    """The repository of a teammate's clone."""
    git(tmp_path, "clone", "--quiet", str(root), "other")
    return tmp_path / "other"


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "what we did")


def publish(project: Project, folder: Path) -> None:
    project.export(folder)
    commit(folder)


def pull(folder: Path, source: Path) -> None:
    git(folder, *MERGE, str(source), "main")


def say_who(folder: Path, role: str | None) -> None:
    """Has the lines of decisions say that they were decided in this role, or nothing of it, as older ones do."""
    file = folder / LEDGER[Subject.DECISION]
    said = [json.loads(one) for one in file.read_text().splitlines()]
    for one in said:
        one.pop("decided_as", None)
        one.update({"decided_as": role} if role else {})
    file.write_text("".join(f"{json.dumps(one)}\n" for one in said))
    commit(folder)


def kept(folder: Path) -> list[str]:
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*.kept-*"))


def is_clean(report: ImportReport) -> bool:
    return all(one.known for one in (*report.skipped, *report.ledger.skipped)) and not report.warnings


@invariant("INV-24")
def test_what_a_person_proposed_and_accepted_is_taken_in_by_a_teammate(
    project: Project, theirs: Project, root: Path, other: Path
) -> None:
    theirs.propose(agent="carl", slug="use-pg", type="architectural", content="All data in PG.")
    publish(theirs, other)
    pull(root, other)
    project.import_inbox(root)
    theirs.merge("use-pg", by="carl")
    publish(theirs, other)
    pull(root, other)
    report = project.import_inbox(root)
    assert (report.ledger.decisions, report.ledger.skipped) == (1, ())
    assert [one.content for one in project.list_decisions().items] == ["All data in PG."]


@invariant("INV-24")
def test_a_boundary_that_a_coordinator_finalised_is_taken_in_by_a_teammate(
    mate: Hansard, project: Project, theirs: Project, root: Path, other: Path
) -> None:
    lead = mate.project("shop", actor=Actor("morpheus", role="coordinator"))
    run = lead.start_run(agent="morpheus")
    lead.propose(agent="morpheus", slug="k1", type="scope", content="A scope.", run_id=run.id)
    publish(theirs, other)
    pull(root, other)
    project.import_inbox(root)
    lead.finalize_run(run.id)
    publish(theirs, other)
    pull(root, other)
    assert project.import_inbox(root).ledger.decisions == 1


@invariant("INV-24")
@pytest.mark.parametrize(("role", "taken"), [("agent", 0), ("coordinator", 1), ("human", 1)])
def test_whoever_was_seen_here_is_judged_by_the_roles_it_was_seen_in(
    hansard: Hansard, project: Project, theirs: Project, root: Path, other: Path, role: str, taken: int
) -> None:
    hansard.project("shop", actor=Actor("tank", role="agent")).remember("Seen here.", agent="tank")
    if role != "agent":
        hansard.project("shop", actor=Actor("tank", role=role)).remember("Seen again.", agent="tank")
    theirs.propose(agent="tank", slug="mine", type="scope", content="All mine.")
    theirs.merge("mine", by="tank")
    publish(theirs, other)
    say_who(other, None)
    pull(root, other)
    assert project.import_inbox(root).ledger.decisions == taken


@invariant("INV-24")
def test_a_coordinator_who_is_an_agent_here_is_believed_and_named(
    hansard: Hansard, mate: Hansard, project: Project, theirs: Project, root: Path, other: Path
) -> None:
    hansard.project("shop", actor=Actor("morpheus", role="agent")).remember("Seen here.", agent="morpheus")
    lead = mate.project("shop", actor=Actor("morpheus", role="coordinator"))
    run = lead.start_run(agent="morpheus")
    lead.propose(agent="morpheus", slug="k1", type="scope", content="A scope.", run_id=run.id)
    lead.finalize_run(run.id)
    publish(theirs, other)
    pull(root, other)
    report = project.import_inbox(root).ledger
    assert (report.decisions, report.skipped) == (1, ())
    (told,) = report.warnings
    assert "morpheus" in told.problem
    assert "only as an agent" in told.problem
    assert project.export(root).set_aside == ()
    assert project.import_inbox(root).ledger.warnings == ()
    assert git(root, "status", "--porcelain") == b"", "the line is the same in both clones"


@invariant("INV-24")
@pytest.mark.parametrize("entry", [True, False], ids=["proposed", "decided at once"])
@pytest.mark.parametrize(
    ("seen", "role", "taken"),
    [(True, None, 0), (False, None, 1), (True, "agent", 0), (False, "agent", 0), (False, "service", 0),
     (True, "human", 1), (True, "coordinator", 1), (True, "decider", 1)],
)  # fmt: skip
def test_what_a_line_says_of_its_decider_counts_before_what_is_known_here(
    hansard: Hansard, project: Project, theirs: Project, root: Path, other: Path, *,
    entry: bool, seen: bool, role: str | None, taken: int,
) -> None:  # fmt: skip
    if seen:
        hansard.project("shop", actor=Actor("tank", role="agent")).remember("Seen here.", agent="tank")
    if entry:
        theirs.propose(agent="tank", slug="mine", type="scope", content="All mine.")
        theirs.merge("mine", by="tank")
    else:
        theirs.decide(type="scope", title="Mine", content="All mine.", by="tank")
    publish(theirs, other)
    say_who(other, role)
    pull(root, other)
    report = project.import_inbox(root).ledger
    assert report.decisions == taken
    assert bool(report.warnings) == (seen and bool(taken))
    assert any("may not accept its own" in one.reason for one in report.skipped) == (not taken)
    told = project.export(root)
    assert (told.waiting, told.failed) == ((), ())


def test_a_role_that_there_is_not_is_a_fault_of_its_line(
    project: Project, theirs: Project, root: Path, other: Path
) -> None:
    theirs.decide(type="scope", title="Mine", content="All mine.", by="tank")
    publish(theirs, other)
    say_who(other, "emperor")
    pull(root, other)
    report = project.import_inbox(root).ledger
    assert (report.decisions, ["decided_as" in one.problem for one in report.warnings]) == (0, [True])


@invariant("INV-24")
def test_a_line_that_an_import_refuses_stops_no_export(
    project: Project, theirs: Project, root: Path, other: Path
) -> None:
    project.remember("Seen here.", agent="tank")
    publish(project, root)
    theirs.propose(agent="tank", slug="mine", type="scope", content="All mine.")
    theirs.merge("mine", by="tank")
    publish(theirs, other)
    say_who(other, None)
    pull(root, other)
    report = project.import_inbox(root)
    assert any("may not accept its own" in one.reason for one in report.ledger.skipped)
    own = project.decide(type="scope", title="Own", content="C", by="ana")
    told = project.export(root)
    assert (told.waiting, told.failed) == ((), ())
    said = [json.loads(one)["id"] for one in (root / LEDGER[Subject.DECISION]).read_text().splitlines()]
    assert said == [own.id]
    assert any("All mine." in (root / one.kept).read_text() for one in told.set_aside), "nothing is lost"
    assert project.export(root).set_aside == ()


@invariant("INV-01")
def test_what_git_joined_is_rebuilt_without_a_copy_and_blames_nobody(
    project: Project, theirs: Project, root: Path, other: Path
) -> None:
    for clone, folder, name in ((project, root, "tank"), (theirs, other, "beta")):
        clone.decide(type="scope", title=f"By {name}", content=f"{name} said so.", by=name)
        clone.propose(agent=name, slug="same", type="scope", content=f"{name} proposes.", rationale=f"{name} knows.")
        clone.propose(agent="neo", slug="both", type="learning", content=f"{name} wrote it for neo.")
        clone.remember(f"{name} learned.", agent="neo", scope="team")
        clone.remember(f"{name} sees.", agent="neo", scope="team", type="pattern")
        publish(clone, folder)
    pull(root, other)
    joined = (root / INBOX_FOLDER / "same.md").read_text()
    assert "agent: tank" in joined
    assert "agent: beta" in joined
    report = project.import_inbox(root)
    assert is_clean(report), report
    told = project.export(root)
    assert (told.set_aside, told.failed, told.waiting) == ((), (), ())
    assert is_clean(told.inbox), told.inbox
    assert kept(root) == []
    commit(root)
    pull(other, root)
    assert is_clean(theirs.import_inbox(other))
    theirs.export(other)
    assert kept(other) == []
    assert git(other, "status", "--porcelain") == b""
    assert {one.content for one in theirs.list_inbox().items} == {one.content for one in project.list_inbox().items}


@invariant("INV-01")
@pytest.mark.parametrize("path", [DECISIONS, BOUNDARIES, f"{INBOX_FOLDER}/same.md"])
def test_a_line_that_somebody_added_to_what_git_joined_is_kept(
    project: Project, theirs: Project, root: Path, other: Path, path: str
) -> None:
    for clone, folder, name in ((project, root, "tank"), (theirs, other, "beta")):
        clone.decide(type="scope", title=f"By {name}", content=f"{name} said so.", by=name)
        clone.propose(agent=name, slug="same", type="scope", content=f"{name} proposes.")
        publish(clone, folder)
    pull(root, other)
    file = root / path
    file.write_text(file.read_text() + "My own words.\n")
    project.import_inbox(root)
    project.export(root)
    held = [one for one in root.rglob("*.md") if "My own words." in one.read_text()]
    assert held, "nothing that a person wrote is lost"


@invariant("INV-01")
def test_a_file_that_somebody_cut_is_set_aside_when_nothing_was_pulled(project: Project, root: Path) -> None:
    for title in ("One", "Two"):
        project.decide(type="scope", title=title, content=f"{title}.", by="ana")
    project.export(root)
    file = root / DECISIONS
    file.write_text(file.read_text().partition("## Two")[0])
    assert [one.path for one in project.export(root).set_aside] == [DECISIONS]


def test_two_clones_with_a_session_each_come_to_rest(
    project: Project, theirs: Project, root: Path, other: Path
) -> None:
    for clone, folder, focus in ((project, root, "Ours"), (theirs, other, "Theirs")):
        clone.start_session(focus=focus)
        publish(clone, folder)
    pull(root, other)
    project.import_inbox(root)
    publish(project, root)
    pull(other, root)
    theirs.import_inbox(other)
    theirs.export(other)
    for folder, focus in ((root, "Ours"), (other, "Theirs")):
        assert git(folder, "status", "--porcelain") == b""
        assert focus in (folder / NOW).read_text()
        assert kept(folder) == []


def test_a_session_that_an_older_project_committed_leaves_no_copy_of_what_git_joined(
    project: Project, theirs: Project, root: Path, other: Path
) -> None:
    for clone, folder, focus in ((project, root, "Ours"), (theirs, other, "Theirs")):
        clone.start_session(focus=focus)
        clone.decide(type="scope", title=focus, content="C", by="ana")
        clone.export(folder)
        git(folder, "add", "--force", NOW)
        commit(folder)
    pull(root, other)
    assert (root / NOW).read_text().count("updated_at:") == 2
    project.import_inbox(root)
    assert project.export(root).set_aside == ()
    assert "Theirs" not in (root / NOW).read_text()


def test_a_sync_leaves_the_session_out_even_where_it_was_committed_before(project: Project, root: Path) -> None:
    project.start_session(focus="Ours")
    project.export(root)
    assert NOW not in {one.path for one in changes(root)}
    git(root, "add", "--force", NOW)
    commit(root)
    project.update_session("More.")
    project.export(root)
    assert b"now.md" in git(root, "status", "--porcelain")
    assert NOW not in {one.path for one in changes(root)}


@invariant("INV-01")
@pytest.mark.parametrize("words", ["Words of a person.", "> Quoted.", "# My heading"])
def test_words_that_a_person_added_to_two_sessions_are_kept(
    project: Project, theirs: Project, root: Path, other: Path, words: str
) -> None:
    project.start_session(focus="Ours")
    publish(project, root)
    theirs.decide(type="scope", title="Theirs", content="C", by="ana")
    publish(theirs, other)
    pull(root, other)
    file = root / NOW
    file.write_text(f'{file.read_text()}updated_at: "2026-01-01T00:00:00Z"\n{words}\n')
    project.import_inbox(root)
    assert [one.path for one in project.export(root).set_aside] == [NOW]
    assert any(words in (root / one).read_text() for one in kept(root))


@invariant("INV-01")
def test_the_words_of_one_proposal_in_the_file_of_another_are_somebodys_own(
    project: Project, theirs: Project, root: Path, other: Path
) -> None:
    for slug in ("one", "two"):
        project.propose(agent="tank", slug=slug, type="scope", title="T", content=f"Body {slug}.")
    publish(project, root)
    theirs.decide(type="scope", title="Theirs", content="C", by="ana")
    publish(theirs, other)
    pull(root, other)
    file = root / INBOX_FOLDER / "one.md"
    file.write_text(file.read_text().replace("Body one.", "Body two."))
    project.import_inbox(root)
    assert [one.path for one in project.export(root).set_aside] == [f"{INBOX_FOLDER}/one.md"]


@invariant("INV-01")
@pytest.mark.parametrize("deed", ["archive", "edit", "forget"])
def test_what_ended_or_was_changed_there_leaves_no_copy_here(
    project: Project, theirs: Project, root: Path, other: Path, deed: str
) -> None:
    one = theirs.decide(type="scope", title="One", content="Old words of one.", by="ana")
    memory = theirs.remember("Old words.", agent="tank", scope="team")
    publish(theirs, other)
    pull(root, other)
    project.import_inbox(root)
    publish(project, root)
    if deed == "archive":
        theirs.archive(one.id, by="ana")
    elif deed == "edit":
        theirs.update_decision(one.id, by="ana", content="New words of one.")
        theirs.edit_memory(memory.id, content="New words.")
    else:
        theirs.forget(memory.id, by="ana")
    project.decide(type="scope", title="Two", content="Two.", by="ana")
    project.remember("tank learned more.", agent="tank", scope="team")
    publish(theirs, other)
    publish(project, root)
    pull(root, other)
    assert is_clean(project.import_inbox(root))
    report = project.export(root)
    assert (report.set_aside, report.failed, kept(root)) == ((), (), [])
    if deed == "forget":
        assert not any("Old words.\n" in file.read_text() for file in root.rglob("*.md"))


def test_a_pull_that_stopped_at_a_reviewed_proposal_is_named_and_can_be_finished(
    hansard: Hansard, theirs: Project, root: Path, other: Path
) -> None:
    project = hansard.project("here", create=True, root=root)
    theirs.propose(agent="tank", slug="use-pg", type="scope", content="First.")
    publish(theirs, other)
    pull(root, other)
    project.import_inbox()
    publish(project, root)
    theirs.merge("use-pg", by="ana")
    publish(theirs, other)
    project.propose(agent="tank", slug="use-pg", type="scope", content="Second.")
    publish(project, root)
    path = f"{INBOX_FOLDER}/use-pg.md"
    git(root, *MERGE, str(other), "main", codes=(1,))
    assert Change(path, "unmerged") in changes(root)
    assert unmerged(root) == [path]
    assert any(path in one.found for one in project.doctor() if one.check == "mirror")
    project.import_inbox()
    assert project.export().failed == ()
    with pytest.raises(GitFailed, match=f"Unmerged in .*{path}.*git add"):
        commit_only(root, [one.path for one in changes(root)], "What we decided")
    # As the message says.
    git(root, "add", ".squad", ".agentweaver", ".hansard/ledger")
    git(root, "commit", "--quiet", "--no-edit")
    assert (unmerged(root), git(root, "status", "--porcelain")) == ([], b"")
    assert not any(path in one.found for one in project.doctor() if one.check == "mirror")


def test_that_words_came_from_a_file_travels_with_them(
    project: Project, theirs: Project, root: Path, other: Path
) -> None:
    dropped = other / INBOX_FOLDER / "any.md"
    dropped.parent.mkdir(parents=True)
    dropped.write_text("---\nagent: trin\nslug: by-trin\ntype: architectural\n---\n\nBody.\n")
    publish(theirs, other)
    theirs.propose(agent="trin", slug="own", type="architectural", content="Vouched for.")
    publish(theirs, other)
    pull(root, other)
    project.import_inbox(root)
    assert [(slug, project.get_entry(slug).is_from_file) for slug in ("by-trin", "own")] == [
        ("by-trin", True), ("own", False),
    ]  # fmt: skip
    assert project.export(root).written == ()


def test_the_entry_of_a_conflict_says_who_wrote_which_words(
    project: Project, theirs: Project, root: Path, other: Path
) -> None:
    made = theirs.decide(type="scope", title="Billing", content="First.", by="zoe")
    publish(theirs, other)
    pull(root, other)
    project.import_inbox(root)
    publish(project, root)
    project.update_decision(made.id, by="ana", content="Ours.")
    theirs.update_decision(made.id, by="bob", content="Theirs.")
    publish(project, root)
    publish(theirs, other)
    pull(root, other)
    (slug,) = project.import_inbox(root).ledger.conflicts
    said = project.get_entry(slug).content
    assert "Stands: version 2, active, written in another clone\nTitle: Billing\n\nTheirs." in said
    assert "Kept here: version 2, active, written by ana\nTitle: Billing\n\nOurs." in said
    assert "zoe" not in said, "who decided first wrote neither of the two"
