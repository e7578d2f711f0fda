"""Notes in files become memories that follow their text: edits, renames, deletion, and nothing that is not theirs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hansard.domain.errors import Impersonation, Invalid, StoreCorrupt
from hansard.domain.memories import MICROSECONDS_PER_DAY, Memory
from hansard.domain.notes import NoteFile, NotesReport, NoteStatus
from hansard.project import Project
from hansard.services.notes import index_notes
from support.clock import FakeClock
from support.raw import everything, raw

WORDS = "Something worth a chunk of its own, said at length. " * 6
Index = Callable[..., NotesReport]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".hansard/notes/tank").mkdir(parents=True)
    (folder / ".hansard/notes/shared").mkdir()
    (folder / "docs").mkdir()
    return folder


@pytest.fixture
def index(project: Project, root: Path) -> Index:
    def run(*paths: Path | str, agent: str | None = "tank", **options: object) -> NotesReport:
        return index_notes(project.seat(agent=agent), paths, agent=agent, root=root, **options)  # type: ignore[arg-type]

    return run


def section(title: str, words: str = WORDS) -> str:
    return f"# {title}\n\n{title}: {words}\n\n"


def live(project: Project) -> list[Memory]:
    found = project.list_memories(source="file_index").items
    return sorted(found, key=lambda one: (one.source_ref or "", one.position or 0))


def rows(report: NotesReport) -> dict[str, tuple[str, str | None]]:
    return {one.path: (one.status.value, one.reason) for one in report.files}


def only(report: NotesReport) -> NoteFile:
    (one,) = report.files
    return one


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
    with pytest.raises(Invalid, match=r"Say which agent docs/guide\.md is for"):
        index(file, agent=None)
    index(file)
    assert [(one.agent, one.scope) for one in live(project)] == [("tank", "agent")]
    index(file, scope="team")
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
    file.write_text(section("A") + section("B", "Quite another story about zebras. " * 9) + section("C"))
    report = only(index(file))
    assert (report.status, report.created, report.edited, report.kept, report.ended) == ("changed", 0, 1, 2, 0)
    after = live(project)
    assert [one.id for one in after] == [one.id for one in before]
    assert [one.version for one in after] == [1, 2, 1]
    assert after[1].access_count == 1
    assert project.recall("zebras", agent="tank")[0].memory.id == before[1].id
    assert [one.version for one in project.memory_versions(after[1].id, agent="tank")[1]] == [1]
    assert project.verify().ok


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
    file.write_text("Worth telling.")
    index()
    (first,) = live(project)
    project.share_memory(first.id, agent="tank")
    index()
    assert [one.scope for one in live(project)] == ["team"]
    file.write_text("A secret that nobody else should see.")
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
