"""Many at once: threads and processes on one store lose nothing and never both win."""

import threading
from collections import Counter
from collections.abc import Callable

import pytest

from hansard import Hansard
from hansard.domain.errors import AlreadyReviewed, HansardError
from hansard.domain.inbox import Entry
from hansard.project import Project
from hansard.settings import Settings
from support.marks import invariant
from support.processes import finished, writer

PROCESSES = 8
PROPOSALS = 250
SLUGS = 40


def at_once(count: int, work: Callable[[int], object]) -> list[object]:
    """The results, or errors, of `count` threads that start together."""
    barrier = threading.Barrier(count)
    results: list[object] = [None] * count

    def start(number: int) -> None:
        barrier.wait()
        try:
            results[number] = work(number)
        except HansardError as error:
            results[number] = error

    threads = [threading.Thread(target=start, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_of_twenty_threads_that_merge_one_entry_exactly_one_succeeds(project: Project) -> None:
    entry = project.propose(agent="tank", slug="a", type="learning", content="c")
    results = at_once(20, lambda number: project.merge(entry.id, by=f"reviewer {number}"))
    assert sum(isinstance(one, AlreadyReviewed) for one in results) == 19
    assert len(project.list_decisions().items) == len(project.list_memories().items) == 1
    assert project.verify().ok


def test_of_twenty_threads_that_merge_or_reject_exactly_one_succeeds(project: Project) -> None:
    entry = project.propose(agent="tank", slug="a", type="scope", content="c")
    results = at_once(20, lambda number: (project.merge if number % 2 else project.reject)(entry.id, by="ana"))
    assert sum(isinstance(one, AlreadyReviewed) for one in results) == 19
    assert len(project.list_decisions().items) == (project.get_entry(entry.id).status == "merged")


@invariant("INV-02")
@invariant("INV-04")
def test_concurrent_proposals_of_one_slug_all_succeed_with_different_slugs(project: Project) -> None:
    at_once(12, lambda number: project.propose(agent=f"agent {number}", slug="same", type="scope", content="c"))
    slugs = [one.slug for one in project.list_inbox().items]
    assert len(slugs) == len(set(slugs)) == 12
    assert "same" in slugs


@invariant("INV-03")
def test_concurrent_retries_of_one_author_are_one_entry(project: Project) -> None:
    at_once(12, lambda number: project.propose(agent="tank", slug="same", type="scope", content=str(number)))
    entry, revisions = project.entry_versions("same")
    assert len(project.list_inbox(status="all").items) == 1
    assert entry.version == len(revisions) + 1 == 12


@invariant("INV-11")
@pytest.mark.parametrize("count", [2, 8])
def test_threads_that_start_sessions_leave_exactly_one_open(project: Project, count: int) -> None:
    at_once(count, lambda number: project.start_session(focus=str(number)))
    sessions = project.list_sessions().items
    assert len(sessions) == count
    assert [one.is_open for one in sessions].count(True) == 1
    assert project.verify().ok


def test_of_threads_that_start_one_session_id_one_succeeds(project: Project) -> None:
    results = at_once(6, lambda number: project.start_session(focus=str(number), id="same"))
    assert sum(isinstance(one, HansardError) for one in results) == 5
    assert len(project.list_sessions().items) == 1


@invariant("INV-02")
@invariant("INV-23")
def test_eight_processes_on_one_store_lose_nothing(target: str) -> None:
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        project = hansard.project("shop", create=True)
        running = [writer("proposals", target, str(number), str(PROPOSALS), str(SLUGS)) for number in range(PROCESSES)]
        for process in running:
            finished(process)
        entries: list[Entry] = []
        cursor: str | None = None
        while True:
            page = project.list_inbox(status="all", limit=1_000, cursor=cursor)
            entries += page.items
            cursor = page.next_cursor
            if cursor is None:
                break
        assert len(entries) == PROCESSES * PROPOSALS
        assert len({one.slug for one in entries}) == len({one.content for one in entries}) == len(entries)
        assert sorted(one.number for one in entries) == list(range(1, len(entries) + 1))
        assert set(Counter(one.requested_slug for one in entries)) == {f"topic-{number}" for number in range(SLUGS)}
        verification = project.verify()
        assert verification.broken is None
        assert verification.events == len(entries) + 1


def test_processes_that_open_a_new_store_together_all_find_the_same_project(target: str) -> None:
    running = [writer("open", target) for _ in range(PROCESSES)]
    assert [finished(process) for process in running] == ["ok"] * PROCESSES
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        assert len(hansard.projects()) == 1
        project = hansard.project("shop")
        assert len(project.list_memories().items) == PROCESSES
        assert project.verify().ok


def test_a_reader_sees_whole_promotions_only(project: Project) -> None:
    entries = [
        project.propose(agent="tank", slug=f"s{number}", type="learning", content="c").id for number in range(10)
    ]
    torn: list[str] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            verification = project.verify()
            if not verification.ok:
                torn.append(repr(verification))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for entry in entries:
        project.merge(entry, by="ana")
    done.set()
    watcher.join()
    assert torn == []
