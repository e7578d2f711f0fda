"""Lanes: short reads and writes queue for few threads, and long work holds up neither."""

import threading
from types import SimpleNamespace

import anyio
import pytest

from hansard import Hansard
from hansard.domain.errors import StoreBusy
from hansard.interfaces.rest.operations import in_lane
from hansard.interfaces.server import lanes
from hansard.interfaces.server.lanes import ASKING_A_SERVER, LONG, READERS, WRITERS, Lane, Lanes

REQUESTS = 24


def at_once(lane: Lane, *, store_is_remote: bool) -> int:
    """How many of many requests were worked on at the same time."""
    lock = threading.Lock()
    enough = threading.Event()
    here = most = 0

    def work(request: object) -> None:
        nonlocal here, most
        with lock:
            here += 1
            most = max(most, here)
            if most == REQUESTS:
                enough.set()
        # Whoever may come along has come by then.
        enough.wait(0.2)
        with lock:
            here -= 1

    async def everybody() -> None:
        state = SimpleNamespace(lanes=Lanes(store_is_remote=store_is_remote))
        done = in_lane(work, lane)
        request = SimpleNamespace(app=SimpleNamespace(state=state))
        async with anyio.create_task_group() as tasks:
            for _ in range(REQUESTS):
                tasks.start_soon(lambda: done(request=request))

    anyio.run(everybody)
    return most


@pytest.mark.parametrize(
    ("lane", "remote", "expected"),
    [
        (Lane.READ, False, READERS),
        (Lane.WRITE, False, WRITERS),
        (Lane.READ, True, ASKING_A_SERVER),
        (Lane.WRITE, True, ASKING_A_SERVER),
        (Lane.LONG, False, LONG),
        (Lane.LONG, True, LONG),
    ],
)
def test_so_many_are_worked_on_at_once(lane: Lane, remote: bool, expected: int) -> None:
    assert at_once(lane, store_is_remote=remote) == expected


def test_whoever_does_not_get_its_turn_is_told_so_and_those_who_have_it_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lanes, "TURN_SECONDS_MAX", 0.05)
    release = threading.Event()
    told: list[str] = []

    async def one(mine: Lanes) -> None:
        try:
            told.append(str(await mine.run(Lane.WRITE, lambda: release.wait(30))))
        except StoreBusy as error:
            told.append(error.code)
            if len(told) == 1:
                release.set()

    async def everybody() -> None:
        mine = Lanes(store_is_remote=False)
        async with anyio.create_task_group() as tasks:
            for _ in range(WRITERS + 1):
                tasks.start_soon(one, mine)
        assert await mine.run(Lane.WRITE, lambda: 7) == 7

    anyio.run(everybody)

    assert sorted(told) == ["True"] * WRITERS + [StoreBusy.code]


def test_readers_have_their_turn_while_all_writers_wait() -> None:
    release = threading.Event()

    async def everybody() -> None:
        mine = Lanes(store_is_remote=False)
        async with anyio.create_task_group() as tasks:
            for _ in range(WRITERS * 12):
                tasks.start_soon(mine.run, Lane.WRITE, lambda: release.wait(30))
            assert await mine.run(Lane.READ, lambda: "read") == "read"
            release.set()

    anyio.run(everybody)


def test_a_store_says_whether_it_is_on_another_machine(hansard: Hansard, engine: str) -> None:
    assert hansard.store.is_remote is (engine == "postgres")
