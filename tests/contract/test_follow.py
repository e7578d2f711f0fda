"""Following the history: events arrive in order, in other processes, and as the reader may see them."""

import gc
import math
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import EventAhead, Invalid
from hansard.domain.ledger import Event
from hansard.project import Project
from hansard.settings import Settings
from hansard.store.postgres.connection import Database
from support.engines import on_postgres
from support.raw import raw

SETTINGS = Settings(user="ana")
IDLE_SECONDS = 1.5
SOON_SECONDS = 1.5
WAIT_SECONDS = 20.0
TERMINATE_LISTENERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()"
)


def test_events_after_a_number_come_in_order_and_it_ends_when_nothing_happens(project: Project) -> None:
    for number in range(5):
        project.remember(f"memory {number}", agent="tank")
    assert [one.seq for one in project.follow(since=0, idle_seconds=0.05)] == [1, 2, 3, 4, 5, 6]
    assert [one.seq for one in project.follow(since=4, idle_seconds=0.05)] == [5, 6]
    assert list(project.follow(idle_seconds=0.05)) == []
    assert list(project.follow(since=6, idle_seconds=0.05)) == []


def test_a_number_that_the_history_does_not_have_is_refused_and_not_waited_for(project: Project) -> None:
    with pytest.raises(EventAhead, match="ends with event 1, and you begin after 99"):
        next(project.follow(since=99, idle_seconds=0.05))


@contextmanager
def followed(project: Project, since: int) -> Iterator[queue.Queue[Event]]:
    """What a follower in a thread of its own is told, for as long as the block lasts."""
    told: queue.Queue[Event] = queue.Queue()

    def listen() -> None:
        for one in project.follow(since=since, idle_seconds=IDLE_SECONDS):
            told.put(one)

    thread = threading.Thread(target=listen)
    thread.start()
    yield told
    thread.join()


def test_what_another_process_does_arrives_soon(project: Project, target: str) -> None:
    with Hansard.open(target, settings=SETTINGS) as there, followed(project, 1) as told:
        other = there.project("shop")
        for number in range(3):
            start = time.monotonic()
            other.remember(f"memory {number}", agent="neo")
            assert told.get(timeout=WAIT_SECONDS).actor == "neo"
            assert time.monotonic() - start < SOON_SECONDS


def test_a_follower_outlives_its_connections(project: Project, target: str) -> None:
    with followed(project, 0) as told:
        assert told.get(timeout=WAIT_SECONDS).seq == 1
        if target.startswith("postgres"):
            with raw(target) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        with Hansard.open(target, settings=SETTINGS) as there:
            there.project("shop").remember("after the fall", agent="neo")
        assert told.get(timeout=WAIT_SECONDS).seq == 2


def test_a_private_memory_is_followed_without_its_id(hansard: Hansard, project: Project) -> None:
    memory = project.remember("mine alone", agent="tank")
    bound = hansard.project("shop", actor=Actor("neo", role="agent"))
    told = [one for one in bound.follow(since=1, idle_seconds=0.05) if one.action == "memory.recorded"]
    assert len(told) == 1
    assert memory.id not in repr(told)


@pytest.mark.parametrize("since", [-1, "5", 1.5, True])
def test_a_wrong_place_to_begin_is_refused(project: Project, since: object) -> None:
    with pytest.raises(Invalid):
        list(project.follow(since=since, idle_seconds=0.05))  # type: ignore[arg-type]


@on_postgres
@pytest.mark.parametrize(
    "disturbance", ["NOTIFY hansard, '{project}'", TERMINATE_LISTENERS], ids=["call", "connection"]
)
def test_only_the_time_without_an_event_ends_it(project: Project, target: str, disturbance: str) -> None:
    over = threading.Event()

    def disturb() -> None:
        with raw(target) as connection:
            while not over.wait(0.02):
                connection.execute(disturbance.format(project=project.id))

    thread = threading.Thread(target=disturb)
    thread.start()
    start = time.monotonic()
    assert list(project.follow(idle_seconds=IDLE_SECONDS)) == []
    assert time.monotonic() - start >= IDLE_SECONDS
    over.set()
    thread.join()


@on_postgres
def test_every_call_is_heard_though_the_first_host_of_the_address_is_away(project: Project, target: str) -> None:
    heard: queue.Queue[float] = queue.Queue()
    database = Database(target.replace("host=", "host=/nowhere,"), busy_seconds=WAIT_SECONDS, connections_max=2)

    def listen() -> None:
        with raw(target) as connection:

            def call() -> bool:
                # Asked after it began to listen and before it waits, so this ends the wait and not the look.
                connection.execute(f"NOTIFY hansard, '{project.id}'")
                return False

            for _ in range(3):
                start = time.monotonic()
                database.listen(project.id, WAIT_SECONDS, call)
                heard.put(time.monotonic() - start)

    # What a host that is away leaves behind is kept until the collector comes, which may be never.
    gc.disable()
    try:
        threading.Thread(target=listen, daemon=True).start()
        assert max(heard.get(timeout=WAIT_SECONDS) for _ in range(3)) < SOON_SECONDS
    finally:
        gc.enable()
    database.close()


@pytest.mark.parametrize("idle", [-1, -0.5, "5", True, math.nan, [1]])
def test_a_wrong_time_to_wait_is_refused(project: Project, idle: object) -> None:
    with pytest.raises(Invalid, match="idle_seconds must be a number"):
        list(project.follow(idle_seconds=idle))  # type: ignore[arg-type]


@pytest.mark.parametrize("idle", [math.inf, 10**400])
def test_a_time_that_never_ends_is_taken(project: Project, idle: float) -> None:
    assert next(project.follow(since=0, idle_seconds=idle)).seq == 1
