"""A database that goes away under a server: every request hears so soon, and one that is only slow is not cut."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

from hansard import Hansard
from hansard.domain.errors import StoreBusy, StoreStarting, StoreUnreachable
from hansard.interfaces.server.app import REACH_SECONDS
from hansard.project import Project
from hansard.settings import Settings
from hansard.store.postgres import outage
from hansard.store.postgres.outage import Outage
from hansard.store.postgres.slots import Slots
from support.raw import raw
from support.serving import Running, running
from support.silence import Network, network

SHOP = "/api/v1/projects/shop"
ACCEPTED = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
BUSY_SECONDS = 20.0
SECONDS_MAX = 8.0
"""Reaching the database, and a machine that has other things to do; far less than a busy one is waited for."""
HELD_SECONDS = REACH_SECONDS + 1.5
BACK_SECONDS_MAX = 30.0


def tool(client: httpx.Client, name: str, given: dict[str, str]) -> httpx.Response:
    params = {"name": name, "arguments": given}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return client.post("/mcp/shop", json=body, headers=ACCEPTED)


REQUESTS: dict[str, Callable[[httpx.Client], httpx.Response]] = {
    "context": lambda client: client.get(f"{SHOP}/context"),
    "list": lambda client: client.get(f"{SHOP}/decisions"),
    "search": lambda client: client.post(f"{SHOP}/memories/search", json={"query": "otters"}),
    "record": lambda client: client.post(f"{SHOP}/memories", json={"content": "Walruses dive."}),
    "tool that reads": lambda client: tool(client, "memory_search", {"query": "otters"}),
    "tool that writes": lambda client: tool(client, "record_memory", {"content": "Seals sing."}),
}
LOSSES: dict[str, Callable[[Network], None]] = {"silent": lambda net: net.carries.clear(), "gone": Network.close}


@pytest.fixture
def engine() -> str:
    """All of this is about one engine."""
    return "postgres"


@contextmanager
def far(target: str, net: Network) -> Iterator[Running]:
    """A server whose database is behind a network, and is waited for much longer than it may be away."""
    settings = Settings(user="ana", store_busy_seconds=BUSY_SECONDS)
    with Hansard.open(net.address(target), settings=settings) as hansard, running(hansard) as one:
        yield one


def timed(client: httpx.Client, name: str) -> tuple[str, bool, float]:
    began = time.monotonic()
    answer = REQUESTS[name](client)
    return name, "store.unreachable" in answer.text, time.monotonic() - began


@pytest.mark.parametrize("loss", LOSSES)
def test_whoever_was_just_known_hears_soon_that_the_database_is_away_and_then_at_once(
    project: Project, target: str, loss: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is, what comes next comes in time.
    monkeypatch.setattr(outage, "AGAIN_SECONDS", BACK_SECONDS_MAX)
    project.remember("Otters swim.", agent="tank")
    with network() as net, far(target, net) as served, served.client() as tank, ThreadPoolExecutor(8) as pool:
        tool(tank, "memory_search", {"query": "otters"})
        assert REQUESTS["list"](tank).status_code == 200
        LOSSES[loss](net)
        waiting = [pool.submit(timed, tank, name) for name in REQUESTS]
        heard = [one.result() for one in waiting]
        after = [timed(tank, name) for name in ("list", "record")]

    assert {name: is_told for name, is_told, _ in (*heard, *after)} == dict.fromkeys(REQUESTS, True)
    assert {name: took for name, _, took in heard if took > SECONDS_MAX} == {}
    assert {name: took for name, _, took in after if took > REACH_SECONDS / 2} == {}


def test_a_server_whose_database_answers_again_serves_again(project: Project, target: str) -> None:
    project.remember("Otters swim.", agent="tank")
    with network() as net, far(target, net) as served, served.client() as tank:
        net.carries.clear()
        assert REQUESTS["list"](tank).status_code == 503
        net.carries.set()
        until = time.monotonic() + BACK_SECONDS_MAX
        while (answer := REQUESTS["record"](tank)).status_code == 503 and time.monotonic() < until:
            pass
    assert answer.status_code == 201


def test_a_write_that_waits_for_another_writer_is_not_cut(hansard: Hansard, project: Project, target: str) -> None:
    assert project.key == "shop"
    with running(hansard) as served, served.client() as tank, raw(target) as other:
        other.execute("BEGIN; SELECT FROM heads FOR UPDATE")
        timer = threading.Timer(HELD_SECONDS, lambda: other.execute("COMMIT"))
        began = time.monotonic()
        timer.start()
        answer = REQUESTS["record"](tank)
        timer.join()
    assert answer.status_code == 201
    assert time.monotonic() - began > REACH_SECONDS


@pytest.mark.parametrize("name", ["list", "record", "search"])
def test_a_table_that_somebody_locks_is_no_silence(hansard: Hansard, project: Project, target: str, name: str) -> None:
    project.remember("Otters swim.", agent="tank")
    with running(hansard) as served, served.client() as tank, raw(target) as other:
        assert REQUESTS[name](tank).is_success
        other.execute("BEGIN; LOCK TABLE heads IN ACCESS EXCLUSIVE MODE")
        timer = threading.Timer(HELD_SECONDS, lambda: other.execute("COMMIT"))
        timer.start()
        answer = REQUESTS[name](tank)
        timer.join()
    assert answer.is_success


def asked(away: Outage, error: Exception | None = None) -> bool:
    """Whether the server was asked, which then behaves like that."""
    is_asked = False
    try:
        with away.shared(REACH_SECONDS):
            is_asked = True
            if error is not None:
                raise error
    except (StoreUnreachable, StoreBusy):
        pass
    return is_asked


def test_while_a_server_is_away_one_asks_it_now_and_then_and_the_others_hear_what_that_one_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    away = Outage("db")
    assert asked(away, StoreStarting("It starts."))
    assert not asked(away)
    with pytest.raises(StoreStarting, match="It starts"), away.shared(REACH_SECONDS):
        pass

    monkeypatch.setattr(outage, "AGAIN_SECONDS", 0.0)
    away = Outage("db")
    assert asked(away, StoreUnreachable("It is gone."))
    with away.shared(REACH_SECONDS):
        assert not asked(away), "somebody is asking"
    assert asked(away)


def test_whoever_waits_for_a_connection_hears_that_the_server_is_away() -> None:
    away, slots = Outage("db"), Slots(1, "db")
    with slots.held(0, away.look, writes=True):
        with pytest.raises(StoreBusy, match="All 1 connections"), slots.held(0.1, away.look, writes=False):
            pass
        assert asked(away, StoreUnreachable("It is gone."))
        with pytest.raises(StoreUnreachable, match="It is gone"), slots.held(SECONDS_MAX, away.look, writes=False):
            pass
    with slots.held(0, away.look, writes=True):
        pass


def test_a_server_that_has_no_place_left_is_not_away() -> None:
    away = Outage("db")
    assert asked(away, StoreBusy("It is full."))
    assert asked(away)
