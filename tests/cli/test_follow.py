"""`hansard history follow` in a process of its own: a server that goes away and comes back costs it no event."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from hansard import Hansard
from hansard.interfaces.cli import EXIT_INTERRUPTED
from hansard.settings import Settings
from support import postgres
from support.faltering import faltering
from support.servers import limited
from support.silence import network

PROGRAM = Path(sys.executable).with_name("hansard")
ME = Settings(user="ana")
WAIT_SECONDS = 60.0
QUIET_SECONDS = 3.0


@pytest.fixture
def own() -> Iterator[Any]:
    """A server that the test may stop."""
    with postgres.private_folder() as folder:
        server = postgres.start(folder)
        yield server
        server.stop()


def lines_of(stream: IO[str]) -> queue.Queue[str]:
    """Every line of a stream, as it comes."""
    told: queue.Queue[str] = queue.Queue()

    def read() -> None:
        for line in stream:
            told.put(line)

    threading.Thread(target=read, daemon=True).start()
    return told


def remember(url: str, content: str) -> None:
    with Hansard.open(url, settings=ME) as hansard:
        hansard.project("shop", create=True).remember(content, agent="tank")


@contextmanager
def following(url: str) -> Iterator[tuple[subprocess.Popen[str], queue.Queue[str], queue.Queue[str]]]:
    """A follower with little patience, its events and what it says beside them."""
    follower = subprocess.Popen(
        [str(PROGRAM), "history", "follow", "--project", "shop", "--json"],
        env=os.environ | {"HANSARD_DB": url, "HANSARD_USER": "ana", "HANSARD_STORE_BUSY_SECONDS": "0.2"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert follower.stdout is not None
    assert follower.stderr is not None
    try:
        yield follower, lines_of(follower.stdout), lines_of(follower.stderr)
    finally:
        follower.kill()
        follower.wait()
        follower.stdout.close()
        follower.stderr.close()


def wait_until_it_listens(server: Any = None) -> None:
    with postgres.admin(server) as connection:
        while connection.execute("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'").fetchone() == (0,):
            pass


def numbers(events: queue.Queue[str], count: int) -> list[int]:
    return [json.loads(events.get(timeout=WAIT_SECONDS))["seq"] for _ in range(count)]


def test_a_follower_outlives_a_server_that_is_away_longer_than_it_is_waited_for(own: Any) -> None:
    url = postgres.address("postgres", own)
    remember(url, "before")
    with following(url) as (follower, events, notes):
        wait_until_it_listens(own)
        remember(url, "while it follows")
        assert numbers(events, 1) == [3]
        own.stop()
        assert "does not answer; trying again." in notes.get(timeout=WAIT_SECONDS)
        # Longer than it waits for a server; another call that fails says nothing more.
        with pytest.raises(queue.Empty):
            notes.get(timeout=QUIET_SECONDS)
        assert follower.poll() is None
        own.start()
        for number in range(3):
            remember(url, f"after it {number}")
        assert numbers(events, 3) == [4, 5, 6]
        assert "answers again after" in notes.get(timeout=WAIT_SECONDS)
        follower.send_signal(signal.SIGINT)
        assert follower.wait(WAIT_SECONDS) == EXIT_INTERRUPTED
        assert notes.get(timeout=WAIT_SECONDS) == "Stopped.\n"
        assert (events.empty(), notes.empty()) == (True, True)


def test_a_follower_that_gets_no_connection_says_so_once_and_misses_nothing() -> None:
    target = postgres.fresh_database()
    remember(target, "before")
    with limited(target, 3) as url, following(url) as (follower, events, notes), postgres.admin() as connection:
        wait_until_it_listens()
        connection.execute("ALTER ROLE limited CONNECTION LIMIT 0")
        connection.execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'limited'")
        said = [notes.get(timeout=WAIT_SECONDS)]
        if "does not answer" in said[0]:
            said.append(notes.get(timeout=WAIT_SECONDS))
        assert "gives no more connections" in said[-1]
        with pytest.raises(queue.Empty):
            notes.get(timeout=QUIET_SECONDS)
        remember(target, "while it was shut out")
        connection.execute("ALTER ROLE limited CONNECTION LIMIT 3")
        assert numbers(events, 1) == [3]
        assert follower.poll() is None
    postgres.give_back(target)


def listener_of(connection: Any, target: str) -> Any:
    return connection.execute(
        "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%%' AND datname = %s", (postgres.name_of(target),)
    ).fetchone()


def test_a_follower_whose_idle_connections_are_closed_says_nothing_and_misses_nothing() -> None:
    target = postgres.fresh_database()
    remember(target, "before")
    with postgres.admin() as connection:
        connection.execute(f"ALTER DATABASE {postgres.name_of(target)} SET idle_session_timeout = '300ms'")
        with following(target) as (follower, events, notes):
            for number in (3, 4, 5):
                while (listener := listener_of(connection, target)) is None:
                    pass
                remember(target, f"memory {number}")
                assert numbers(events, 1) == [number]
                while listener_of(connection, target) == listener:
                    pass
            follower.send_signal(signal.SIGINT)
            assert follower.wait(WAIT_SECONDS) == EXIT_INTERRUPTED
            assert notes.get(timeout=WAIT_SECONDS) == "Stopped.\n"
    postgres.drop(target)


def test_a_follower_of_a_silent_server_says_so_and_can_be_stopped() -> None:
    target = postgres.fresh_database()
    remember(target, "before")
    with network() as net, following(net.address(target)) as (follower, events, notes):
        wait_until_it_listens()
        remember(target, "while it follows")
        assert numbers(events, 1) == [3]
        net.carries.clear()
        assert "does not answer; trying again." in notes.get(timeout=WAIT_SECONDS)
        follower.send_signal(signal.SIGINT)
        assert follower.wait(WAIT_SECONDS) == EXIT_INTERRUPTED
    postgres.give_back(target)


def test_a_follower_that_starts_while_the_server_recovers_waits_for_it_without_end() -> None:
    target = postgres.fresh_database()
    remember(target, "before")
    with faltering(started=False) as net, following(net.address(target)) as (follower, events, notes):
        said = ""
        while "Trying again until stopped." not in said:
            said = notes.get(timeout=WAIT_SECONDS)
        assert follower.poll() is None
        net.started.set()
        wait_until_it_listens()
        remember(target, "after it")
        assert numbers(events, 1) == [3]
    postgres.give_back(target)
