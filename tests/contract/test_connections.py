"""Connections to a server: how many there are, what becomes of idle ones, and that opening never hangs."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress

import pytest

from hansard import Hansard
from hansard.domain.errors import StoreBusy, StoreStarting, StoreUnreachable
from hansard.project import Project
from hansard.settings import Settings
from hansard.store.postgres import idle, migrate
from support import postgres
from support.clock import START, FakeClock
from support.faltering import faltering
from support.raw import Raw, raw
from support.servers import limited

ME = Settings(user="ana")
BUSY_SECONDS = 2.0
OPENING_SECONDS_MAX = 10.0
"""What opening may take, and a machine that has other things to do."""
SOON_SECONDS = 20.0
HOUR = 3_600_000_000
OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_type = 'client backend'"
)
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
LISTENERS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"


@pytest.fixture
def engine() -> str:
    """All of this is about one engine."""
    return "postgres"


def settles(connection: Raw, expected: int) -> bool:
    """Whether so many connections of others are left, before long."""
    until = time.monotonic() + SOON_SECONDS
    while connection.execute(OTHERS).get != expected:
        if time.monotonic() > until:
            return False
    return True


def burst(hansard: Hansard, project: Project, connections: int) -> None:
    with ExitStack() as held:
        for _ in range(connections):
            held.enter_context(hansard.store.read(project.id))


def test_connections_that_are_idle_are_given_back_but_for_one(
    project: Project, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle, "IDLE_SECONDS_MAX", 0.3)
    with raw(target) as connection, Hansard.open(target, settings=ME) as hansard:
        before = connection.execute(OTHERS).get
        burst(hansard, project, 6)
        assert connection.execute(OTHERS).get > before
        assert settles(connection, before)
        burst(hansard, project, 6)
        assert settles(connection, before)
        assert hansard.project("shop").remember("x", agent="tank").content == "x"


def test_a_closed_hansard_leaves_no_connection(project: Project, target: str) -> None:
    with raw(target) as connection:
        before = connection.execute(OTHERS).get
        with Hansard.open(target, settings=ME) as hansard:
            burst(hansard, project, 3)
            assert list(hansard.project("shop").follow(idle_seconds=0.1)) == []
        assert settles(connection, before)


def test_a_process_takes_no_more_connections_than_the_setting_says(project: Project, target: str) -> None:
    settings = Settings(user="ana", store_busy_seconds=0.0, store_connections_max=3)
    with Hansard.open(target, settings=settings) as hansard:
        burst(hansard, project, 3)
        with pytest.raises(StoreBusy, match="All 3 connections"):
            burst(hansard, project, 4)


def test_writers_that_wait_for_a_project_leave_a_connection_to_readers(project: Project, target: str) -> None:
    settings = Settings(user="ana", store_connections_max=4, store_busy_seconds=SOON_SECONDS)
    with raw(target) as other, Hansard.open(target, settings=settings) as hansard, ThreadPoolExecutor(8) as pool:
        shared = hansard.project(project.key)
        other.execute("BEGIN; SELECT FROM heads FOR UPDATE")
        written = [pool.submit(shared.remember, f"Note {number}.", agent="tank") for number in range(8)]
        # Well before the writers give up.
        until = time.monotonic() + SOON_SECONDS / 4
        while other.execute(WAITING).get < 3 and time.monotonic() < until:
            pass
        assert shared.list_memories().items == ()
        assert other.execute(WAITING).get <= 3
        other.execute("COMMIT")
        assert len({one.result().id for one in written}) == 8


def test_a_reader_in_a_hurry_knows_when_the_project_last_changed(project: Project, target: str) -> None:
    ahead = FakeClock(START + HOUR)
    with Hansard.open(target, settings=ME, clock=ahead) as other:
        other.project(project.key).remember("From the future.", agent="tank")
    with Hansard.open(target, settings=ME, clock=FakeClock(START)) as hansard:
        with hansard.store.read(project.id) as tx:
            patient = tx.now
        with hansard.store.read(project.id, wait_seconds=5.0) as tx:
            assert (tx.now, tx.ledger.clock_behind > 0) == (patient, True)


def test_a_follower_listens_on_one_connection_however_many_events_come(project: Project, target: str) -> None:
    seen: set[int] = set()
    with raw(target) as connection, Hansard.open(target, settings=ME) as other:
        events = other.project("shop").follow(idle_seconds=SOON_SECONDS)

        def heard() -> None:
            for _ in range(8):
                next(events)

        listening = threading.Thread(target=heard)
        listening.start()
        for number in range(8):
            while not (now := connection.execute(LISTENERS).fetchall()):
                pass
            seen.update(pid for (pid,) in now)
            project.remember(f"memory {number}", agent="tank")
        listening.join(SOON_SECONDS)
        assert not listening.is_alive()
    assert len(seen) == 1


def test_a_listener_that_nobody_uses_any_more_is_given_back(
    project: Project, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle, "IDLE_SECONDS_MAX", 0.3)
    with raw(target) as connection:
        assert list(project.follow(idle_seconds=0.1)) == []
        until = time.monotonic() + SOON_SECONDS
        while connection.execute(LISTENERS).fetchall():
            assert time.monotonic() < until


def test_whoever_opens_while_the_server_recovers_waits_for_it(project: Project, target: str) -> None:
    settings = Settings(user="ana", store_busy_seconds=SOON_SECONDS)
    with faltering(started=False) as net:
        threading.Timer(1.0, net.started.set).start()
        with Hansard.open(net.address(target), settings=settings) as hansard:
            assert [one.key for one in hansard.projects()] == ["shop"]


def test_a_server_that_recovers_for_too_long_is_told_as_that(target: str) -> None:
    with faltering(started=False) as net, pytest.raises(StoreStarting, match="starting up") as caught:
        Hansard.open(net.address(target), settings=Settings(user="ana", store_busy_seconds=0.3))
    assert caught.value.code == "store.starting"
    assert isinstance(caught.value, StoreUnreachable)


@pytest.mark.parametrize("bytes_max", [1, 450, 600, 700, 800, 1_000, 1_400])
def test_opening_a_store_whose_server_falls_silent_ends(project: Project, target: str, bytes_max: int) -> None:
    settings = Settings(user="ana", store_busy_seconds=BUSY_SECONDS)
    begun = time.monotonic()
    with faltering(bytes_max=bytes_max) as net, suppress(StoreUnreachable):
        Hansard.open(net.address(target), settings=settings).close()
    assert time.monotonic() - begun < OPENING_SECONDS_MAX


@pytest.mark.parametrize("word", [b"to_regclass", b"schema_version", b"erasing <> 0"])
def test_a_server_that_falls_silent_at_a_question_of_opening_is_given_up(
    project: Project, target: str, word: bytes
) -> None:
    settings = Settings(user="ana", store_busy_seconds=BUSY_SECONDS)
    begun = time.monotonic()
    with faltering(word=word) as net, pytest.raises(StoreUnreachable, match="silent"):
        Hansard.open(net.address(target), settings=settings)
    assert time.monotonic() - begun < OPENING_SECONDS_MAX


def test_a_call_to_others_that_is_not_answered_keeps_no_writer(project: Project, target: str) -> None:
    settings = Settings(user="ana", store_busy_seconds=BUSY_SECONDS)
    with faltering(word=b"pg_notify") as net, Hansard.open(net.address(target), settings=settings) as far:
        begun = time.monotonic()
        far.project("shop").remember("Otters swim.", agent="tank")
        assert time.monotonic() - begun < OPENING_SECONDS_MAX
    assert [one.content for one in project.list_memories(agent="tank").items] == ["Otters swim."]


def test_however_many_verify_at_once_each_finds_what_was_altered(
    project: Project, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "_made", {})
    with raw(target) as connection:
        connection.execute("ALTER TABLE memories ALTER COLUMN content DROP NOT NULL")
    settings = Settings(user="ana", store_busy_seconds=SOON_SECONDS, store_connections_max=2)
    begun = time.monotonic()
    with Hansard.open(target, settings=settings) as hansard, ThreadPoolExecutor(6) as pool:
        shop = hansard.project("shop")
        verdicts = Counter(pool.map(lambda _: shop.verify().ok, range(6)))
    assert verdicts == {False: 6}
    assert time.monotonic() - begun < SOON_SECONDS


def test_whoever_gets_no_connection_to_compare_with_is_told_and_gets_no_verdict(
    project: Project, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "_made", {})
    impatient = Settings(user="ana", store_busy_seconds=0.0)
    with limited(target, 1) as url, Hansard.open(url, settings=impatient) as hansard, pytest.raises(StoreBusy):
        hansard.project("shop").verify()


def test_one_database_is_known_by_any_address_and_its_copy_is_another(project: Project, target: str) -> None:
    copied = postgres.empty_database(f"TEMPLATE {postgres.TEMPLATE}")
    with (
        faltering() as net,
        Hansard.open(target, settings=ME) as here,
        Hansard.open(net.address(target), settings=ME) as there,
        Hansard.open(copied, settings=ME) as copy,
    ):
        assert here.store.is_same(there.store)  # type: ignore[attr-defined]
        assert not here.store.is_same(copy.store)  # type: ignore[attr-defined]
        assert not copy.store.is_same(there.store)  # type: ignore[attr-defined]
    postgres.give_back(copied)
