"""Expiry: how long each source is found, to the microsecond, and what purging does."""

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Denied
from hansard.domain.memories import MICROSECONDS_PER_DAY
from hansard.project import Project
from hansard.settings import Settings
from support.clock import START, FakeClock
from support.marks import invariant
from support.raw import bytes_on_disk

TTL = {"task_completion": 7, "session_summary": 3, "file_index": 30, "manual": None, "extraction": None}


class Still:
    """A clock that stands still where it is put."""

    def __init__(self, at: int) -> None:
        self.at = at

    def now(self) -> int:
        return self.at


def found(project: Project, query: str = "zeppelin") -> list[str]:
    return [hit.memory.id for hit in project.recall(query, agent="tank")]


@pytest.mark.parametrize(("source", "days"), TTL.items())
def test_each_source_has_its_time_to_live(project: Project, source: str, days: int | None) -> None:
    memory = project.remember("zeppelin", agent="tank", source=source)
    expected = None if days is None else memory.created_at + days * MICROSECONDS_PER_DAY
    assert memory.expires_at == expected


@invariant("INV-15")
@pytest.mark.parametrize("source", ["task_completion", "session_summary", "file_index"])
def test_a_memory_expires_to_the_microsecond(target: str, source: str) -> None:
    clock = Still(1_800_000_000_000_000)
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        memory = project.remember("zeppelin", agent="tank", source=source)
        assert memory.expires_at is not None
        clock.at = memory.expires_at - 1
        assert found(project) == [memory.id]
        assert project.list_memories().items == (memory,)
        clock.at = memory.expires_at
        assert found(project) == []
        assert project.list_memories().items == ()
        assert project.list_memories(expired=True).items == (memory,)
        assert project.get_memory(memory.id, agent="tank") == memory
        assert project.use_memory(memory.id, agent="tank").access_count == 1


@invariant("INV-15")
def test_what_never_expires_is_found_after_years(project: Project, clock: FakeClock) -> None:
    memory = project.remember("zeppelin", agent="tank")
    clock.advance(days=3_650)
    assert found(project) == [memory.id]


@invariant("INV-15")
def test_neither_reading_nor_editing_nor_sharing_makes_it_live_longer(project: Project, clock: FakeClock) -> None:
    memory = project.remember("zeppelin", agent="tank", source="session_summary")
    clock.advance(days=2)
    project.use_memory(memory.id, agent="tank")
    project.edit_memory(memory.id, agent="tank", content="zeppelin again")
    project.share_memory(memory.id, agent="tank")
    assert project.get_memory(memory.id).expires_at == memory.expires_at
    assert found(project) == [memory.id]
    clock.advance(days=1)
    assert found(project) == []


@invariant("INV-15")
def test_it_expires_also_for_a_process_that_has_it_in_its_index(
    hansard: Hansard, project: Project, clock: FakeClock
) -> None:
    project.remember("zeppelin", agent="tank", source="session_summary", scope="team")
    kept = project.remember("zeppelin of iron", agent="tank")
    assert len(found(project)) == 2
    clock.advance(days=3)
    assert found(project) == [kept.id]
    assert [hit.memory.id for hit in project.recall("zeppelin", scope="team")] == []


def test_purging_forgets_what_has_expired_and_nothing_else(project: Project, clock: FakeClock, target: str) -> None:
    gone = project.remember("zeppelin quicksilver", agent="tank", source="session_summary", tags="x", name="purged")
    later = project.remember("zeppelin of paper", agent="tank", source="file_index")
    kept = project.remember("zeppelin of iron", agent="tank")
    assert project.purge(dry_run=True) == project.purge() == 0
    clock.advance(days=3)
    assert project.purge(dry_run=True) == 1
    assert project.get_memory(gone.id).content == "zeppelin quicksilver"
    assert project.purge() == 1
    assert project.purge() == 0
    tombstone = project.get_memory(gone.id)
    assert tombstone.is_forgotten
    assert (tombstone.content, tombstone.name, tombstone.tags) == ("", None, ())
    assert set(found(project)) == {later.id, kept.id}
    assert project.list_memories(expired=True).items == (kept, later)
    assert project.list_events(subject_id=gone.id).items[0].action == "memory.forgotten"
    assert project.verify().ok
    assert b"quicksilver" not in bytes_on_disk(target)


def test_purging_goes_through_any_number(project: Project, clock: FakeClock) -> None:
    project.remember_many(
        [{"content": f"note {number}", "agent": "tank", "source": "session_summary"} for number in range(1_001)]
    )
    clock.advance(days=3)
    assert project.purge(dry_run=True) == 1_001
    assert project.purge() == 1_001
    assert project.list_memories(expired=True).items == ()
    assert project.verify().ok


def test_only_people_and_services_purge(hansard: Hansard, project: Project, clock: FakeClock) -> None:
    memory = project.remember("zeppelin", agent="tank", source="session_summary")
    clock.advance(days=4)
    for actor in (Actor("tank"), Actor("morpheus", role="lead")):
        for dry_run in (True, False):
            with pytest.raises(Denied):
                hansard.project("shop", actor=actor).purge(dry_run=dry_run)
    assert not project.get_memory(memory.id).is_forgotten
    assert hansard.project("shop", actor=Actor("sweeper", role="service")).purge() == 1


def test_a_machine_whose_clock_is_ahead_makes_nothing_expire_for_the_others(target: str) -> None:
    clock, ahead = Still(START), Still(START + 200 * MICROSECONDS_PER_DAY)
    settings = Settings(user="ana")
    with Hansard.open(target, settings=settings, clock=clock) as hansard:
        project = hansard.project("shop", create=True)
        memory = project.remember("zeppelin", agent="tank", source="session_summary")
        with Hansard.open(target, settings=settings, clock=ahead) as another:
            another.project("shop").remember("Lamps are lit.", agent="mule")
        assert found(project) == [memory.id]
        assert memory in project.list_memories(agent="tank").items
        assert project.purge(dry_run=True) == 0
        assert project.purge() == 0
        assert project.get_memory(memory.id, agent="tank").content == "zeppelin"
        assert memory.expires_at is not None
        clock.at = memory.expires_at
        assert found(project) == []
        assert project.purge() == 1
