"""Notes in files become memories that follow their text: edits, renames, deletion, and nothing that is not theirs."""

from pathlib import Path
from typing import Any

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Impersonation, Invalid, StoreCorrupt
from hansard.domain.memories import MICROSECONDS_PER_DAY
from hansard.domain.notes import NoteFile, NoteStatus
from hansard.domain.vocabulary import Scope
from hansard.project import Project
from hansard.services import notes, reindex
from hansard.services.notes import index_notes
from support.clock import FakeClock
from support.note_files import WORDS, Index, live, only, rows, section
from support.raw import everything, raw


def test_a_private_note_is_its_agents_and_a_shared_one_the_teams(project: Project, root: Path, index: Index) -> None:
    (root / ".hansard/notes/tank/quirks.md").write_text("statx lies on overlay mounts.")
    (root / ".hansard/notes/shared/rules.md").write_text("Deploy on Mondays only.")
    report = index()
    assert rows(report) == {
        ".hansard/notes/shared/rules.md": ("new", None), ".hansard/notes/tank/quirks.md": ("new", None),
    }  # fmt: skip
    shared, own = live(project)
    assert (own.agent, own.scope, own.source, own.name) == ("tank", "agent", "file_index", "quirks")
    assert (own.source_ref, own.position) == (".hansard/notes/tank/quirks.md", 0)
    assert (shared.agent, shared.scope, shared.tags) == ("tank", "team", ("cross-team",))
    assert [hit.memory.id for hit in project.recall("which day to deploy", agent="neo")] == [shared.id]
    assert own.id in [hit.memory.id for hit in project.recall("overlay mounts", agent="tank")]
    assert project.verify().ok


def test_chunks_are_named_by_their_headings_and_placed_by_number(project: Project, root: Path, index: Index) -> None:
    (root / "docs/ops.md").write_text(section("Deploy") + "#" + section("Roll back"))
    index(root / "docs")
    first, second = live(project)
    assert (first.name, first.position) == ("ops: Deploy", 0)
    assert (second.name, second.position) == ("ops: Deploy > Roll back", 1)
    assert second.content.startswith("Deploy\n\n## Roll back\n")


def test_a_person_indexes_every_agents_notes_and_an_agent_only_its_own(
    project: Project, root: Path, index: Index
) -> None:
    (root / ".hansard/notes/neo").mkdir()
    (root / ".hansard/notes/neo/secret.md").write_text("neo's secret")
    (root / ".hansard/notes/tank/a.md").write_text("tank's own")
    (root / ".hansard/notes/shared/s.md").write_text("for all")
    report = rows(index())
    assert report[".hansard/notes/neo/secret.md"] == ("skipped", "belongs to neo")
    assert {one.agent for one in live(project)} == {"tank"}
    with pytest.raises(Impersonation):
        index(root / ".hansard/notes/neo/secret.md")
    assert rows(index(agent=None))[".hansard/notes/neo/secret.md"] == ("new", None)
    assert {(one.agent, one.scope) for one in live(project)} == {("neo", "agent"), ("tank", "agent"), ("tank", "team")}
    assert {hit.memory.agent for hit in project.recall("secret", agent="tank", limit=20)} == {"tank"}


def test_other_files_need_an_agent_and_are_private_unless_said(project: Project, root: Path, index: Index) -> None:
    file = root / "docs/guide.md"
    file.write_text("How it is done.")
    (root / "docs/a.png").write_bytes(b"\0")
    with pytest.raises(Invalid, match=r"^Say whose notes these are: name the agent, or set HANSARD_AGENT\.$"):
        index(root / "docs", agent=None)
    assert only(index(root / "docs/a.png", agent=None)).reason == "binary"
    index(file)
    assert [(one.agent, one.scope) for one in live(project)] == [("tank", "agent")]
    index(file, by="ana", scope="team")
    assert [(one.agent, one.scope, one.tags) for one in live(project)] == [("tank", "team", ("cross-team",))]
    assert only(index(file, agent="neo", scope="swarm")).status is NoteStatus.UNCHANGED
    index(file, agent="neo")
    assert {(one.agent, one.scope) for one in live(project)} == {("tank", "team"), ("neo", "agent")}


def test_the_same_file_again_changes_nothing(project: Project, root: Path, index: Index, target: str) -> None:
    (root / "docs/a.md").write_text(section("A") + section("B"))
    index(root / "docs")
    before = everything(target)
    report = index(root / "docs")
    assert only(report)[5:] == (0, 0, 2, 0)
    assert only(report).status is NoteStatus.UNCHANGED
    assert everything(target) == before


def test_an_edited_chunk_keeps_its_memory_and_the_others_are_untouched(
    project: Project, root: Path, index: Index
) -> None:
    file = root / "docs/a.md"
    file.write_text(section("A") + section("B") + section("C"))
    index(file)
    before = live(project)
    project.use_memory(before[1].id, agent="tank")
    file.write_text(section("A") + section("B", f"{WORDS} Zebras stand in line.") + section("C"))
    report = only(index(file))
    assert (report.status, report.created, report.edited, report.kept, report.ended) == ("changed", 0, 1, 2, 0)
    after = live(project)
    assert [one.id for one in after] == [one.id for one in before]
    assert [one.version for one in after] == [1, 2, 1]
    assert after[1].access_count == 1
    assert project.recall("zebras", agent="tank")[0].memory.id == before[1].id
    assert [one.version for one in project.memory_versions(after[1].id, agent="tank")[1]] == [1]
    assert project.verify().ok


def test_a_rating_stays_with_the_words_that_were_rated(project: Project, root: Path, index: Index) -> None:
    """A lead paragraph and a word in each section once moved every memory one section up."""
    file = root / "docs/a.md"
    first, second = (f"# {name}\n\n{' '.join(f'{name}{n}' for n in range(60))}\n\n" for name in ("Left", "Right"))
    file.write_text(first + second)
    index(file)
    left, right = live(project)
    project.rate_memory(right.id, useful=True)
    file.write_text(f"{WORDS}\n\n{first.replace('Left7', 'lamp')}{second.replace('Right7', 'lamp')}")
    report = only(index(file))
    assert (report.created, report.edited, report.kept, report.ended) == (1, 2, 0, 0)
    left_now, right_now = live(project)[1:]
    assert (left_now.id, right_now.id) == (left.id, right.id)
    assert "Right8" in right_now.content
    assert right_now.alpha > left_now.alpha


def test_other_words_in_the_same_place_are_another_memory(project: Project, root: Path, index: Index) -> None:
    file = root / "docs/a.md"
    file.write_text("# Deploy\n\nOn Mondays, by two people, with a plan, before lunch, at noon, slowly.")
    index(file)
    (first,) = live(project)
    file.write_text("# Deploy\n\nOn Mondays, by two people, after a review, never late, never alone, gladly.")
    assert only(index(file)).edited == 1
    (first,) = live(project)
    file.write_text("# Deploy\n\nZebras stand in line and sing.")
    report = only(index(file))
    assert (report.status, report.created, report.edited, report.ended) == ("changed", 1, 0, 1)
    (second,) = live(project)
    assert second.id != first.id
    assert project.get_memory(first.id, agent="tank").content == first.content


def test_a_chunk_that_moved_in_its_file_keeps_its_memory(project: Project, root: Path, index: Index) -> None:
    file = root / "docs/a.md"
    file.write_text(section("A") + section("B") + section("C"))
    index(file)
    a, b, c = live(project)
    file.write_text(section("New") + section("A") + section("Changed b") + section("C"))
    index(file)
    assert [one.id for one in live(project)][1:] == [a.id, b.id, c.id]
    assert [one.position for one in live(project)] == [0, 1, 2, 3]


def test_a_removed_chunk_ends_and_can_come_back(project: Project, root: Path, index: Index) -> None:
    file = root / "docs/a.md"
    file.write_text(section("A") + section("Zebra"))
    index(file)
    kept, gone = live(project)
    file.write_text(section("A"))
    assert only(index(file)).ended == 1
    assert live(project) == [kept]
    assert project.get_memory(gone.id, agent="tank").content == gone.content
    assert gone.id not in [hit.memory.id for hit in project.recall("Zebra", agent="tank")]
    file.write_text(section("A") + section("Zebra"))
    index(file)
    assert [one.id for one in live(project)] == [kept.id, gone.id]
    assert project.recall("Zebra", agent="tank")[0].memory.id == gone.id
    assert project.verify().ok


def test_indexing_again_lets_memories_live_longer(project: Project, root: Path, index: Index, clock: FakeClock) -> None:
    file = root / "docs/a.md"
    file.write_text("A fact to keep.")
    index(file)
    (first,) = live(project)
    clock.advance(days=20)
    index(file)
    (renewed,) = live(project)
    assert renewed.id == first.id
    assert renewed.expires_at is not None
    assert renewed.expires_at - renewed.updated_at == 30 * MICROSECONDS_PER_DAY
    clock.advance(days=31)
    assert live(project) == []
    assert only(index(file)).status is NoteStatus.NEW
    assert [one.id for one in live(project)] == [first.id]


def test_the_memories_of_a_deleted_file_end_with_its_folder(project: Project, root: Path, index: Index) -> None:
    (root / "docs/a.md").write_text("About a.")
    (root / "docs/b.md").write_text("About b.")
    (root / "docs.md").write_text("Beside the folder.")
    index(root / "docs", root / "docs.md")
    (root / "docs/a.md").unlink()
    (root / "docs.md").unlink()
    report = index(root / "docs")
    assert rows(report) == {"docs/a.md": ("ended", "the file is gone"), "docs/b.md": ("unchanged", None)}
    assert [one.source_ref for one in live(project)] == ["docs.md", "docs/b.md"]
    assert rows(index(root / "docs")) == {"docs/b.md": ("unchanged", None)}


def test_a_renamed_file_takes_its_memories_along(project: Project, root: Path, index: Index) -> None:
    (root / "docs/old.md").write_text(section("A") + section("B") + section("C"))
    index(root / "docs")
    before = live(project)
    (root / "docs/old.md").unlink()
    (root / "docs/new.md").write_text(section("A") + section("B") + section("Different c"))
    assert rows(index(root / "docs")) == {"docs/new.md": ("moved", "was docs/old.md")}
    after = live(project)
    assert [one.id for one in after] == [one.id for one in before]
    assert {one.source_ref for one in after} == {"docs/new.md"}
    assert after[0].name == "new: A"
    assert project.verify().ok


def test_a_copy_is_not_a_rename_and_neither_is_another_text(project: Project, root: Path, index: Index) -> None:
    (root / "docs/a.md").write_text(section("A"))
    index(root / "docs")
    (root / "docs/copy.md").write_text(section("A"))
    assert rows(index(root / "docs"))["docs/copy.md"] == ("new", None)
    (root / "docs/a.md").unlink()
    (root / "docs/other.md").write_text(section("Other"))
    assert rows(index(root / "docs"))["docs/a.md"][0] == "ended"


def test_moving_a_file_between_private_and_shared_changes_who_sees_it(
    project: Project, root: Path, index: Index
) -> None:
    private, shared = root / ".hansard/notes/tank/n.md", root / ".hansard/notes/shared/n.md"
    private.write_text("Zebras are striped.")
    index()
    (first,) = live(project)
    private.rename(shared)
    index()
    assert [(one.id, one.scope) for one in live(project)] == [(first.id, "team")]
    shared.rename(private)
    index()
    assert [(one.id, one.scope, one.tags) for one in live(project)] == [(first.id, "agent", ())]
    assert project.recall("zebras", agent="neo") == ()


def test_a_shared_chunk_stays_shared_until_its_words_change(project: Project, root: Path, index: Index) -> None:
    file = root / ".hansard/notes/tank/n.md"
    file.write_text("The key opens the cellar.")
    index()
    (first,) = live(project)
    project.share_memory(first.id, agent="tank")
    index()
    assert [one.scope for one in live(project)] == ["team"]
    file.write_text("The key to the cellar hangs behind the door.")
    index()
    assert [(one.id, one.scope) for one in live(project)] == [(first.id, "agent")]


def test_a_fault_in_the_middle_leaves_the_file_as_it_was(
    project: Project, root: Path, index: Index, target: str
) -> None:
    file = root / "docs/a.md"
    file.write_text(section("A") + section("B"))
    index(file)
    before = everything(target)
    file.write_text(section("Changed") + section("B") + section("C"))
    with raw(target) as connection:
        connection.execute(
            "CREATE TRIGGER sabotage BEFORE INSERT ON events WHEN NEW.action = 'memory.recorded'"
            " BEGIN SELECT RAISE (ABORT, 'sabotage'); END"
        )
    with pytest.raises(StoreCorrupt):
        index(file)
    assert everything(target) == before


def test_a_forgotten_chunk_is_no_longer_followed(project: Project, root: Path, index: Index) -> None:
    file = root / "docs/a.md"
    file.write_text("To be forgotten.")
    index(file)
    (first,) = live(project)
    project.forget(first.id, agent="tank")
    file.write_text("Something else.")
    index(file)
    assert [one.content for one in live(project)] == ["Something else."]
    assert project.get_memory(first.id, agent="tank").content == ""


def test_a_note_of_the_team_is_followed_whoever_indexes_it(project: Project, root: Path, index: Index) -> None:
    file = root / ".hansard/notes/shared/rules.md"
    file.write_text("Deploy on Mondays only.")
    index()
    (first,) = live(project)
    file.write_text("Deploy on Tuesdays only.")
    assert only(index(agent="neo")).edited == 1
    assert [(one.id, one.agent, one.version) for one in live(project)] == [(first.id, "tank", 2)]
    event = project.list_events(limit=1).items[0]
    assert (event.action, event.actor) == ("memory.edited", "neo")


def test_another_agents_team_file_is_left_alone(project: Project, root: Path, index: Index, target: str) -> None:
    file = root / "docs/d.md"
    file.write_text("Backups run at noon.")
    index(file, agent="bob", by="ana", scope="team")
    (first,) = live(project)
    same = only(index(file, agent="alice", scope="team"))
    assert (same.status, same.agent, same.scope, same.kept) == ("unchanged", "bob", "team", 1)
    file.write_text("Backups run at midnight.")
    before = everything(target)
    kept = only(index(file, agent="alice", scope="team"))
    assert kept == NoteFile(
        "docs/d.md", NoteStatus.SKIPPED, "kept: indexed by bob", "bob", Scope.TEAM, created=0, edited=0, kept=1, ended=0
    )
    file.unlink()
    assert only(index(root / "docs", agent="alice")) == kept
    assert everything(target) == before
    assert live(project) == [first]


def test_whoever_may_edit_a_team_file_brings_it_in_step_for_its_owner(
    hansard: Hansard, project: Project, root: Path, index: Index
) -> None:
    file = root / "docs/d.md"
    file.write_text(section("Backups"))
    index(file, agent="bob", by="ana", scope="team")
    (first,) = live(project)
    for number, role in enumerate(("human", "service"), 2):
        file.write_text("".join(section(f"Backups {one}") for one in range(number)))
        seat = hansard.project("shop", actor=Actor("ana", role=role)).seat()
        report = only(index_notes(seat, [file], agent="alice", scope="team", root=root))
        assert (report.status, report.agent) == ("changed", "bob")
        assert {one.agent for one in live(project)} == {"bob"}
    assert first.id in [one.id for one in live(project)]
    lead = hansard.project("shop", actor=Actor("lead", role="coordinator")).seat()
    file.write_text("Something else.")
    assert (
        only(index_notes(lead, [file], scope="team", root=root)).reason == "kept: indexed by bob; waits for review: 1"
    )
    file.unlink()
    # A coordinator forgets what is the team's, so it also ends it.
    assert only(index_notes(lead, [root / "docs"], root=root)).status is NoteStatus.ENDED
    file.write_text("Something else.")
    index(file, agent="bob", by="ana", scope="team")
    file.unlink()
    service = hansard.project("shop", actor=Actor("watcher", role="service")).seat()
    assert only(index_notes(service, [root / "docs"], root=root)).status is NoteStatus.ENDED


def test_what_is_private_in_a_file_of_the_team_stays_unknown_to_others(
    project: Project, root: Path, index: Index
) -> None:
    file = root / "docs/d.md"
    file.write_text(section("A") + section("B"))
    index(file, agent="bob", by="ana", scope="team")
    file.write_text(section("A") + section("B in private"))
    index(file, agent="bob")
    assert only(index(file, agent="alice", scope="team"))[2:] == ("kept: indexed by bob", "bob", "team", 0, 0, 1, 0)


def test_moving_a_file_to_the_teams_folder_takes_no_memory_from_another_agent(
    hansard: Hansard, project: Project, root: Path, index: Index
) -> None:
    file = root / "docs/d.md"
    file.write_text("Backups run at noon.")
    index(file, agent="bob", by="ana", scope="team")
    (first,) = live(project)
    file.rename(root / ".hansard/notes/shared/d.md")
    lead = hansard.project("shop", actor=Actor("lead", role="coordinator")).seat()
    report = index_notes(lead, [root], root=root)
    assert rows(report) == {".hansard/notes/shared/d.md": ("new", None), "docs/d.md": ("ended", "the file is gone")}
    assert [(one.agent, one.id == first.id) for one in live(project)] == [("lead", False)]


def test_a_file_that_another_agent_indexes_meanwhile_is_left_to_it(
    project: Project, root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = root / "docs/d.md"
    file.write_text("Backups run at noon.")
    prepare = reindex.prepare_ahead

    def meanwhile(*arguments: Any) -> Any:
        monkeypatch.setattr(notes, "prepare_ahead", prepare)
        index(file, agent="bob", by="ana", scope="team")
        return prepare(*arguments)

    monkeypatch.setattr(notes, "prepare_ahead", meanwhile)
    assert only(index(file, agent="alice", scope="team")).reason == "kept: indexed by bob"
    assert [one.agent for one in live(project)] == ["bob"]


def test_a_file_of_the_team_that_two_indexed_at_once_is_followed_by_each_for_itself(
    project: Project, root: Path, index: Index
) -> None:
    file = root / "docs/d.md"
    file.write_text("Backups run at noon.")
    index(file, agent="bob")
    index(file, agent="alice")
    for one in live(project):
        project.share_memory(one.id)
    file.write_text("Backups run at midnight.")
    assert only(index(file, agent="alice", by="ana", scope="team")).agent == "alice"
    assert {(one.agent, one.content.split()[-1]) for one in live(project)} == {
        ("alice", "midnight."), ("bob", "noon."),
    }  # fmt: skip


def test_the_report_says_whose_the_memories_are_and_who_sees_them(project: Project, root: Path, index: Index) -> None:
    file, note = root / "docs/d.md", root / ".hansard/notes/shared/s.md"
    file.write_text(section("A") + section("B"))
    note.write_text("For all.")
    index(file, agent="bob", by="ana", scope="team")
    assert only(index(file, agent="bob"))[3:5] == ("bob", "team")
    file.write_text(section("A") + section("B changed"))
    assert only(index(file, agent="bob"))[3:5] == ("bob", None)
    index(agent="bob")
    assert only(index(agent="alice"))[3:5] == ("bob", "team")
    note.write_text(f"For all.\n\n{section('A')}{section('B')}")
    assert only(index(agent="alice"))[3:5] == (None, "team")
    note.unlink()
    assert only(index(agent="alice"))[:5] == (".hansard/notes/shared/s.md", "ended", "the file is gone", None, "team")


def test_an_agent_named_like_the_teams_folder_publishes_nothing(
    project: Project, root: Path, index: Index, target: str
) -> None:
    note = root / ".hansard/notes/shared/s.md"
    with pytest.raises(Invalid, match="has no notes of its own"):
        index(agent="shared")
    note.write_text("Meant to be private.")
    (root / "docs/d.md").write_text("About d.")
    before = everything(target)
    for agent in ("shared", "Shared", " SHARED "):
        for paths in ((), (note,), (root,)):
            with pytest.raises(
                Invalid, match=r"(?i)^shared has no notes of its own: \.hansard/notes/shared is the team"
            ):
                index(*paths, agent=agent)
    assert everything(target) == before
    assert only(index(root / "docs", agent="shared")).scope == "agent"


def test_a_folder_spelled_like_the_teams_is_nobodys(project: Project, root: Path, index: Index) -> None:
    (root / ".hansard/notes/SHARED").mkdir()
    (root / ".hansard/notes/SHARED/s.md").write_text("Whose?")
    report = only(index(agent=None))
    assert (report.status, report.reason) == ("skipped", "its folder names no agent: the team's is shared")


@pytest.mark.parametrize("paths", [None, 5, [5], [None], b"docs", [b"docs"], "docs", Path("docs")])
def test_paths_that_are_none_are_refused(project: Project, root: Path, paths: object) -> None:
    with pytest.raises(Invalid, match="path"):
        project.index_notes(paths, root=root, agent="tank")  # type: ignore[arg-type]


def test_a_root_that_is_no_folder_is_refused(project: Project, root: Path) -> None:
    (root / "file").write_text("x")
    for bad in (5, b"x", root / "nowhere", root / "file", "bad\0name"):
        with pytest.raises(Invalid, match=r"root|path"):
            project.index_notes(root=bad, agent="tank")  # type: ignore[arg-type]
