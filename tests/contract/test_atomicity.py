"""All or nothing: a fault in the middle leaves no trace, and what was acknowledged survives a kill."""

import signal
from collections.abc import Callable

import pytest

from hansard import Hansard
from hansard.domain.errors import StoreCorrupt, StoreFull
from hansard.domain.inbox import Entry
from hansard.project import Project
from hansard.settings import Settings
from support.engines import on_postgres, on_sqlite
from support.marks import invariant
from support.processes import writer
from support.raw import everything, mend, raw, sabotage

ACKNOWLEDGED_LINES = 15


@pytest.fixture
def entry(project: Project) -> Entry:
    return project.propose(agent="tank", slug="a", type="learning", content="c", tags="x")


@invariant("INV-07")
@pytest.mark.parametrize(
    "point",
    [
        "INSERT ON decisions",
        "INSERT ON memories",
        "INSERT ON memory_tags",
        "UPDATE ON inbox",
        "INSERT ON revisions",
        "INSERT ON events WHEN NEW.action = 'decision.made'",
        "INSERT ON events WHEN NEW.action = 'memory.recorded'",
        "INSERT ON events WHEN NEW.action = 'entry.merged'",
        "UPDATE OF seq ON heads",
    ],
)
def test_a_promotion_that_fails_in_the_middle_leaves_nothing(
    project: Project, entry: Entry, target: str, point: str
) -> None:
    before = everything(target)
    sabotage(target, point)
    with pytest.raises(StoreCorrupt):
        project.merge(entry.id, by="somebody new")
    assert everything(target) == before
    mend(target)
    assert project.verify().ok
    decision = project.merge(entry.id, by="ana")
    assert (decision.number, project.get_entry(entry.id).status) == (1, "merged")
    assert project.verify().ok


@invariant("INV-07")
def test_a_promotion_is_a_decision_an_entry_a_memory_and_their_events_at_one_instant(
    project: Project, entry: Entry
) -> None:
    decision = project.merge(entry.id, by="ana")
    merged = project.get_entry(entry.id)
    assert merged.memory_id is not None
    memory = project.get_memory(merged.memory_id)
    events = project.list_events(limit=3).items
    assert [one.action for one in events] == ["entry.merged", "memory.recorded", "decision.made"]
    assert {one.at for one in events} == {decision.created_at, memory.created_at, merged.reviewed_at}
    assert {one.subject_id for one in events} == {decision.id, memory.id, merged.id}


@pytest.mark.parametrize(
    ("point", "change"),
    [
        ("INSERT ON events", lambda project: project.propose(agent="z", slug="z", type="scope", content="c")),
        ("INSERT ON events", lambda project: project.reject("a", by="ana")),
        ("INSERT ON events", lambda project: project.remember_many([{"content": "x", "agent": "z", "tags": "t"}] * 3)),
        ("INSERT ON sessions", lambda project: project.start_session(focus="next")),
        ("INSERT ON events", lambda project: project.start_run(agent="z")),
        ("INSERT ON events", lambda project: project.decide(type="scope", title="t", content="c")),
    ],
    ids=["propose", "reject", "remember", "session", "run", "decide"],
)
def test_every_change_and_its_event_share_one_fate(
    project: Project, entry: Entry, target: str, point: str, change: Callable[[Project], object]
) -> None:
    project.start_session(focus="open")
    before = everything(target)
    sabotage(target, point)
    with pytest.raises(StoreCorrupt):
        change(project)
    assert everything(target) == before


def test_forgetting_that_fails_in_the_middle_forgets_nothing(project: Project, entry: Entry, target: str) -> None:
    project.merge(entry.id, by="ana")
    (memory,) = project.list_memories().items
    before = everything(target)
    sabotage(target, "INSERT ON events WHEN NEW.action = 'decision.forgotten'")
    with pytest.raises(StoreCorrupt):
        project.forget(memory.id, by="ana")
    assert everything(target) == before


@invariant("INV-07")
@on_sqlite
def test_a_full_disk_changes_nothing_and_says_so(hansard: Hansard, project: Project, entry: Entry, target: str) -> None:
    before = everything(target)
    # The limit belongs to one connection, and a store used by one thread has only that one.
    with hansard.store._database.bare() as connection:  # type: ignore[attr-defined]
        pages = connection.execute("PRAGMA page_count").get
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreFull) as caught:
        project.merge(entry.id, by="ana", content="x" * 60_000)
    assert caught.value.code == "store.full"
    with pytest.raises(StoreFull):
        project.remember_many([{"content": f"{n} {'y' * 5_000}", "agent": "tank"} for n in range(20)])
    assert everything(target) == before
    with hansard.store._database.bare() as connection:  # type: ignore[attr-defined]
        connection.execute("PRAGMA max_page_count = 1000000")
    assert project.merge(entry.id, by="ana", content="x" * 60_000).number == 1
    assert project.verify().ok


@invariant("INV-07")
@on_postgres
def test_a_server_without_space_changes_nothing_and_says_so(project: Project, entry: Entry, target: str) -> None:
    before = everything(target)
    with raw(target) as connection:
        # What the server says when a file cannot grow; to fill a disk of its own takes the rights to mount one.
        connection.execute(
            "CREATE FUNCTION full_disk() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN"
            " RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;"
            " CREATE TRIGGER sabotage BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION full_disk()"
        )
    with pytest.raises(StoreFull) as caught:
        project.merge(entry.id, by="ana")
    assert caught.value.code == "store.full"
    assert everything(target) == before
    mend(target)
    assert project.merge(entry.id, by="ana").number == 1
    assert project.verify().ok


@invariant("INV-22")
def test_an_acknowledged_write_survives_a_kill(target: str) -> None:
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        hansard.project("shop", create=True)
    process = writer("acknowledge", target)
    assert process.stdout is not None
    acknowledged = [process.stdout.readline().split() for _ in range(ACKNOWLEDGED_LINES)]
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate(timeout=60)
    acknowledged += [line.split() for line in rest.splitlines() if len(line.split()) == 3]
    assert process.returncode == -signal.SIGKILL
    assert len(acknowledged) >= ACKNOWLEDGED_LINES
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        project = hansard.project("shop")
        for memory_id, entry_id, decision_id in acknowledged:
            assert project.get_memory(memory_id).id == memory_id
            assert project.get_entry(entry_id).decision_id == decision_id
        assert project.verify().ok
