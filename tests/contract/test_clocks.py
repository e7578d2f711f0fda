"""Clocks that are wrong: what is ended is gone for everybody at once, and what lives lives as long as it should."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hansard import Hansard
from hansard.domain.errors import ClockDoubtful
from hansard.domain.memories import MICROSECONDS_PER_DAY, Memory
from hansard.project import Project
from hansard.settings import Settings
from support.clock import START
from support.engines import on_postgres, on_sqlite
from support.marks import invariant

YEAR = 365 * MICROSECONDS_PER_DAY


class Still:
    """A clock that stands still where it is put."""

    def __init__(self, at: int) -> None:
        self.at = at

    def now(self) -> int:
        return self.at


class Two(NamedTuple):
    """The same project on a machine whose clock is right, and on one that is a year ahead."""

    clock: Still
    right: Project
    fast: Project

    def jump(self) -> None:
        """The fast machine writes once, so that the record lies ahead of every right clock."""
        self.fast.remember("Lamps are lit.", agent="mule")


@pytest.fixture
def two(target: str) -> Iterator[Two]:
    clock, ahead, settings = Still(START), Still(START + YEAR), Settings(user="ana")
    with (
        Hansard.open(target, settings=settings, clock=clock) as one,
        Hansard.open(target, settings=settings, clock=ahead) as another,
    ):
        project = one.project("shop", create=True)
        yield Two(clock, project, another.project("shop"))


def told(project: Project, question: str) -> bool:
    """Whether anything tells it: a search, a list, or a block with or without a task."""
    blocks = [project.compile(agent="tank"), project.compile(agent="tank", task=question)]
    shown = [block.text for block in blocks if block is not None]
    listed = [one.content for one in project.list_memories(limit=100).items]
    hits = [hit.memory.content for hit in project.recall(question, agent="tank")]
    return any("zeppelin" in text for text in (*shown, *listed, *hits))


def lives_for(two: Two, memory: Memory) -> int:
    """In days, by the right clock."""
    return ((memory.expires_at or 0) - two.clock.at) // MICROSECONDS_PER_DAY


def learn(project: Project) -> str:
    project.propose(agent="tank", slug="z", type="learning", content="The zeppelin lands on friday.")
    return project.merge("z", by="ana").id


@invariant("INV-15")
@pytest.mark.parametrize("jumps", ["before", "never", "between"])
@pytest.mark.parametrize("who", ["right", "fast"])
def test_the_memory_of_an_archived_decision_is_told_to_nobody(two: Two, jumps: str, who: str) -> None:
    if jumps == "before":
        two.jump()
    decision = learn(two.right)
    if jumps == "between":
        two.jump()
    assert told(two.right, "zeppelin friday")
    acting: Project = getattr(two, who)
    acting.archive(decision, by="ana")
    for project in (two.right, two.fast):
        assert not told(project, "zeppelin friday")
        (memory,) = [one for one in project.list_memories(expired=True).items if "zeppelin" in one.content]
        assert project.get_memory(memory.id).is_ended
    acting.restore(decision, by="ana")
    for project in (two.right, two.fast):
        assert told(project, "zeppelin friday")


@invariant("INV-15")
def test_the_memories_of_a_deleted_note_are_told_to_nobody(two: Two, tmp_path: Path) -> None:
    note = tmp_path / "work" / "landing.md"
    note.parent.mkdir()
    note.write_text("# Landing\n\nThe zeppelin lands on friday.\n")
    two.jump()
    two.right.index_notes([note], root=note.parent, agent="tank")
    assert told(two.right, "zeppelin friday")
    again = two.right.index_notes([note], root=note.parent, agent="tank")
    assert [one.status for one in again.files] == ["unchanged"]
    note.unlink()
    two.right.index_notes([note], root=note.parent, agent="tank")
    assert not told(two.right, "zeppelin friday")
    assert not told(two.fast, "zeppelin friday")
    note.write_text("# Landing\n\nThe zeppelin lands on friday.\n")
    two.right.index_notes([note], root=note.parent, agent="tank")
    assert told(two.right, "zeppelin friday")


@pytest.mark.parametrize(("source", "days"), [("file_index", 30), ("task_completion", 7), ("session_summary", 3)])
def test_what_is_recorded_after_a_jump_lives_as_long_as_it_should(two: Two, source: str, days: int) -> None:
    two.jump()
    memory = two.right.remember("The zeppelin is late.", agent="tank", source=source)
    assert lives_for(two, memory) == days
    assert told(two.right, "zeppelin late")
    two.clock.at = memory.expires_at or 0
    assert not told(two.right, "zeppelin late")
    assert two.right.get_memory(memory.id).content == "The zeppelin is late."


def test_a_block_tells_what_is_recorded_after_a_jump(two: Two) -> None:
    two.jump()
    two.right.remember("The zeppelin is late.", agent="tank", source="session_summary", importance="high")
    block = two.right.compile(agent="tank")
    assert block is not None
    assert "zeppelin" in block.text


def test_a_note_that_is_edited_after_a_jump_keeps_its_memory(two: Two, tmp_path: Path) -> None:
    note = tmp_path / "work" / "landing.md"
    note.parent.mkdir()
    two.jump()
    ids = []
    for day in ("friday", "monday"):
        note.write_text(f"# Landing\n\nThe big zeppelin of the company always lands on {day}.\n")
        two.right.index_notes([note], root=note.parent, agent="tank")
        ids += [one.id for one in two.right.list_memories(source="file_index").items]
    assert len(ids) == 2
    assert ids[0] == ids[1]


def test_what_a_run_leaves_after_a_jump_lives_for_a_week(two: Two) -> None:
    two.jump()
    run = two.right.start_run(agent="tank", task="Paint the zeppelin")
    two.right.finish_run(run.id, outcome="completed", output="The zeppelin is red now, and it took three days to dry.")
    (memory,) = two.right.list_memories(source="task_completion").items
    assert lives_for(two, memory) == 7


def test_the_same_words_are_known_after_a_jump(two: Two) -> None:
    two.jump()
    first = two.right.remember("The zeppelin is late.", agent="tank", source="session_summary")
    assert two.right.remember("The zeppelin is late.", agent="tank", source="session_summary").id == first.id
    two.clock.at += 4 * MICROSECONDS_PER_DAY
    assert two.right.remember("The zeppelin is late.", agent="tank", source="session_summary").id != first.id


def test_what_was_known_before_a_jump_is_not_old_because_of_it(two: Two) -> None:
    two.right.remember("The zeppelin is late.", agent="tank")
    two.jump()
    (hit,) = [one for one in two.right.recall("zeppelin late", agent="tank") if "zeppelin" in one.memory.content]
    assert hit.factors.recency == 1.0


def test_a_block_as_of_now_tells_what_a_block_tells(two: Two) -> None:
    two.jump()
    two.right.remember("The zeppelin is late.", agent="tank", source="session_summary", importance="high")
    at = two.right.list_events(limit=1).items[0].at
    block = two.right.compile(agent="tank", as_of=at)
    assert block is not None
    assert "zeppelin" in block.text


@on_postgres
def test_a_machine_that_is_ahead_of_the_server_purges_nothing(target: str) -> None:
    clock, settings = Still(START), Settings(user="ana")
    with Hansard.open(target, settings=settings, clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        memory = project.remember("zeppelin", agent="tank", source="session_summary")
        clock.at = START + 100 * YEAR
        project.remember("by the wrong clock", agent="tank")
        assert project.purge(dry_run=True) == 1
        with pytest.raises(ClockDoubtful, match="ahead of the database server's"):
            project.purge()
        assert project.get_memory(memory.id).content == "zeppelin"
        assert project.purge(trust_clock=True) == 1


@on_postgres
def test_a_project_on_a_server_may_rest_for_long(target: str) -> None:
    clock, settings = Still(START - 3 * YEAR), Settings(user="ana")
    with Hansard.open(target, settings=settings, clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        project.remember("zeppelin", agent="tank", source="session_summary")
        clock.at = START
        assert project.purge() == 1


@on_sqlite
def test_a_file_that_rested_is_purged_once_somebody_vouches_for_the_clock(target: str) -> None:
    clock, settings = Still(START), Settings(user="ana")
    with Hansard.open(target, settings=settings, clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        memory = project.remember("zeppelin", agent="tank", source="session_summary")
        clock.at = memory.created_at + YEAR
        assert project.purge(dry_run=True) == 1
        with pytest.raises(ClockDoubtful, match=r"'shop' was 365 days ago.*If the project rested.*trust_clock"):
            project.purge()
        assert project.get_memory(memory.id).content == "zeppelin"
        assert project.purge(trust_clock=True) == 1
        clock.at += YEAR
        assert project.purge() == 0


@on_sqlite
@pytest.mark.parametrize(("source", "days"), [("file_index", 34), ("task_completion", 11), ("session_summary", 7)])
def test_a_clock_that_is_ahead_for_longer_than_anything_lives_purges_nothing(
    target: str, source: str, days: int
) -> None:
    clock, settings = Still(START), Settings(user="ana")
    with Hansard.open(target, settings=settings, clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        memory = project.remember("zeppelin", agent="tank", source=source)
        for ahead in (days, 40, 60):
            clock.at = memory.created_at + ahead * MICROSECONDS_PER_DAY
            with pytest.raises(ClockDoubtful, match=f"{ahead} days ago"):
                project.purge()
        assert project.get_memory(memory.id).content == "zeppelin"


def test_what_had_expired_when_the_project_was_last_changed_is_purged_without_doubt(target: str) -> None:
    clock, settings = Still(START), Settings(user="ana")
    with Hansard.open(target, settings=settings, clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        project.remember("zeppelin", agent="tank", source="session_summary")
        decision = learn(project)
        clock.at = START + 40 * MICROSECONDS_PER_DAY
        project.archive(decision, by="ana")
        clock.at = START + 80 * MICROSECONDS_PER_DAY
        assert project.purge() == 2


def test_whoever_purges_every_night_is_never_asked_however_long_the_project_rests(target: str) -> None:
    clock, settings = Still(START), Settings(user="ana")
    with Hansard.open(target, settings=settings, clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        for source in ("session_summary", "task_completion", "file_index"):
            project.remember(f"zeppelin by {source}", agent="tank", source=source)
        purged = 0
        for _ in range(60):
            clock.at += MICROSECONDS_PER_DAY + 1
            purged += project.purge()
        assert purged == 3
