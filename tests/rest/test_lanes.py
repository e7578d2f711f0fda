"""Lanes: short reads and writes queue for few threads, and long work holds up neither."""

import itertools
import threading
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from hansard import Hansard
from hansard.domain.errors import StoreBusy
from hansard.interfaces.rest.operations import in_lane
from hansard.interfaces.server import lanes
from hansard.interfaces.server.lanes import ASKING_A_SERVER, LONG, READERS, RELIEVED_MAX, WRITERS, Lane, Lanes

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
        (Lane.READ, False, READERS + RELIEVED_MAX),
        (Lane.WRITE, False, WRITERS),
        (Lane.READ, True, ASKING_A_SERVER),
        (Lane.WRITE, True, ASKING_A_SERVER),
        (Lane.LONG, False, LONG),
        (Lane.LONG, True, LONG),
    ],
)
def test_so_much_that_takes_long_is_worked_on_at_once(
    lane: Lane, remote: bool, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One is relieved after the other, and all of them while the first is still at it.
    monkeypatch.setattr(lanes, "LONG_SECONDS", 0.002)
    assert at_once(lane, store_is_remote=remote) == expected


def test_reads_of_a_file_that_are_short_are_done_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "LONG_SECONDS", 60.0)

    assert at_once(Lane.READ, store_is_remote=False) == READERS == 1


def test_whoever_took_long_leaves_so_that_one_reads_after_the_other_again() -> None:
    release = threading.Event()

    async def everybody() -> set[int]:
        mine = Lanes(store_is_remote=False)
        async with anyio.create_task_group() as tasks:
            for _ in range(RELIEVED_MAX):
                tasks.start_soon(mine.run, Lane.READ, lambda: release.wait(30))
            assert await mine.run(Lane.READ, lambda: "short") == "short"
            release.set()
        return {await mine.run(Lane.READ, threading.get_ident) for _ in range(50)}

    assert len(anyio.run(everybody)) <= 2


def test_what_has_begun_is_finished_before_the_lanes_end_and_what_has_not_is_left() -> None:
    everybody_began, release = threading.Barrier(LONG + 1), threading.Event()
    done: list[int] = []

    def work(number: int) -> None:
        everybody_began.wait(30)
        release.wait(30)
        done.append(number)

    async def everybody() -> None:
        mine = Lanes(store_is_remote=False)
        async with anyio.create_task_group() as tasks:
            for number in range(LONG + 1):
                tasks.start_soon(mine.run, Lane.LONG, partial(work, number))
            await anyio.to_thread.run_sync(everybody_began.wait, 30)
            tasks.cancel_scope.cancel()
        threading.Timer(0.05, release.set).start()
        await mine.end()

    anyio.run(everybody)

    assert sorted(done) == list(range(LONG))


@pytest.mark.parametrize("error", [KeyError("no"), StopIteration(), SystemExit(3)])
def test_whoever_waits_is_told_how_it_failed(error: BaseException) -> None:
    def fail() -> None:
        raise error

    async def one() -> None:
        await Lanes(store_is_remote=False).run(Lane.READ, fail)

    with pytest.raises(RuntimeError if isinstance(error, StopIteration) else type(error)):
        anyio.run(one)


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


def test_whoever_asks_for_much_holds_nobody_else_up() -> None:
    release = threading.Event()

    async def everybody() -> tuple[int, list[int]]:
        mine = Lanes(store_is_remote=False)
        begun = itertools.count()
        finished: list[int] = []

        async def ask(caller: str, work: Callable[[], int]) -> None:
            lanes.CALLER.set(caller)
            finished.append(await mine.run(Lane.READ, work))

        def long() -> int:
            next(begun)
            release.wait(30)
            return 1

        async with anyio.create_task_group() as tasks:
            for _ in range(40):
                tasks.start_soon(ask, "tank", long)
            await anyio.lowlevel.checkpoint()
            with anyio.fail_after(10):
                await ask("neo", lambda: 2)
            at_work = next(begun)
            release.set()
        return at_work, finished

    at_work, finished = anyio.run(everybody)

    assert at_work <= lanes.SHARE
    assert finished == [2, *[1] * 40]


def test_a_share_that_nobody_waits_for_any_more_goes_to_the_next() -> None:
    async def everybody() -> list[int]:
        mine = Lanes(store_is_remote=False)
        finished: list[int] = []
        release = threading.Event()
        lanes.CALLER.set("tank")

        async def ask(number: int, scope: anyio.CancelScope) -> None:
            with scope:
                await mine.run(Lane.LONG, lambda: release.wait(30))
                finished.append(number)

        scopes = [anyio.CancelScope() for _ in range(6)]
        async with anyio.create_task_group() as tasks:
            for number, scope in enumerate(scopes):
                tasks.start_soon(ask, number, scope)
            await anyio.lowlevel.checkpoint()
            for given_up in scopes[3:5]:
                given_up.cancel()
            await anyio.lowlevel.checkpoint()
            release.set()
        return sorted(finished)

    assert anyio.run(everybody) == [0, 1, 2, 5]
