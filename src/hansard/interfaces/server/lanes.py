"""Owns how many requests compute at once. More threads than that would only take the interpreter from each other."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar, copy_context
from enum import Enum
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from hansard.domain.errors import StoreBusy

READERS, WRITERS, LONG = 1, 4, 4
"""Of a file. Readers compute; of the writers one computes, and the others wait for the disk."""
RELIEVED_MAX = 16
"""How many readers of a file may take long beside the one that does not. Some wait for a writer: a refusal is noted."""
ASKING_A_SERVER = 16
"""Who asks a database server mostly waits for it, and does not compute meanwhile."""
LONG_SECONDS = 0.025
"""What takes longer than that is not what others are to stand behind; most reads take two milliseconds."""
TURN_SECONDS_MAX = 15.0
"""How long a request waits for its turn. While another process holds the file, all who write stand in line."""
END_SECONDS_MAX = 5.0
"""How long the end waits for what was begun, beyond what requests have for it."""
SHARE, SHARE_LONG = 8, 3
"""How many requests of one caller stand in a line at once, or in that of what is long. The others wait by themselves:
nobody stands behind all that somebody else has asked."""
CALLER: ContextVar[str] = ContextVar("hansard-caller", default="")
"""Whose request this is; nobody's waits for no share."""
BUSY = "The server has more to do than it can; try again in a moment."

Result = TypeVar("Result")


class Lane(Enum):
    """What a request does: a short read, a short write, or something long that must not hold up either.

    A long look only reads. It stands in line with all that is long.
    """

    READ = "read"
    WRITE = "write"
    LONG = "long"
    LOOK = "look"


READING = frozenset({Lane.READ, Lane.LOOK})


class Lanes:
    """A queue for each kind of request, in the order of their coming. Used from one event loop."""

    def __init__(self, *, store_is_remote: bool) -> None:
        readers, writers = (ASKING_A_SERVER, ASKING_A_SERVER) if store_is_remote else (READERS, WRITERS)
        spare = 0 if store_is_remote else RELIEVED_MAX
        long = _Line(LONG, 0, SHARE_LONG)
        self._lines = {
            Lane.READ: _Line(readers, spare),
            Lane.WRITE: _Line(writers, 0),
            Lane.LONG: long,
            Lane.LOOK: long,
        }

    async def run(self, lane: Lane, work: Callable[[], Result]) -> Result:
        """Does the work in a thread, in turn. Raises StoreBusy if its turn does not come.

        What has begun is finished, also if nobody waits for it any more.
        """
        line = self._lines[lane]
        async with line.shares.one_of(CALLER.get()):
            job = line.join(copy_context().run, work)
            try:
                result: Result = await job.answer
            except asyncio.CancelledError:
                line.leave(job)
                raise
            return result

    async def end(self) -> bool:
        """Waits until all that has begun is finished, and says whether it is: what waits for a lock is given up."""
        try:
            async with asyncio.timeout(END_SECONDS_MAX):
                for line in self._lines.values():
                    await line.end()
        except TimeoutError:
            return False
        return True


class _Shares:
    """How much of a line each caller has, and who waits for more of it."""

    def __init__(self, share: int) -> None:
        self._share = share
        self._held: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def one_of(self, caller: str) -> AsyncIterator[None]:
        """A place in the line, as soon as the caller has one to spare. Raises StoreBusy if that takes too long."""
        if not caller:
            yield
            return
        if self._held.get(caller, 0) >= self._share:
            await self._turn(caller)
        else:
            self._held[caller] = self._held.get(caller, 0) + 1
        try:
            yield
        finally:
            self._give(caller)

    async def _turn(self, caller: str) -> None:
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(caller, deque())
        waiting.append(place)
        try:
            async with asyncio.timeout(TURN_SECONDS_MAX):
                await place
        except BaseException as error:
            if place.done() and not place.cancelled():
                self._give(caller)
            elif place in waiting:
                waiting.remove(place)
            if isinstance(error, TimeoutError):
                raise StoreBusy(BUSY) from None
            raise

    def _give(self, caller: str) -> None:
        waiting = self._waiting.get(caller)
        while waiting:
            place = waiting.popleft()
            if not place.done():
                place.set_result(None)
                return
        self._waiting.pop(caller, None)
        self._held[caller] -= 1
        if not self._held[caller]:
            del self._held[caller]


class _Job(NamedTuple):
    work: Callable[[], Any]
    answer: asyncio.Future[Any]
    joined: float
    claim: threading.Lock
    """Taken once: by the thread that begins the work, or by whoever sees to it that it never begins."""


class _Worker(threading.Thread):
    """Does what stands in a line, one after the other, until it is relieved or the line ends."""

    def __init__(self, line: _Line) -> None:
        super().__init__(name="hansard-lane", daemon=True)
        self._line = line
        self.began: float | None = None
        self.is_relieved = False

    def run(self) -> None:
        line = self._line
        while not self.is_relieved:
            job = line.jobs.get()
            if job is None:
                return
            if not job.claim.acquire(blocking=False):
                continue
            self.began = time.monotonic()
            result, error = None, None
            try:
                result = job.work()
            except BaseException as caught:  # noqa: BLE001 - it belongs to whoever waits for the answer
                # A future takes every error but this one, and its waiter would wait for ever.
                error = RuntimeError("the work ended by StopIteration") if isinstance(caught, StopIteration) else caught
            self.began = None
            line.loop.call_soon_threadsafe(line.finished, job, result, error)


class _Line:
    """One lane: a queue and the threads at its head.

    A thread that takes long is relieved: another takes its place, and it leaves when it is done. So a long search does
    not hold up short ones, and without one there are no more threads than are of use.
    """

    def __init__(self, size: int, relieved_max: int, share: int = SHARE) -> None:
        self.loop: asyncio.AbstractEventLoop
        self.shares = _Shares(share)
        self.jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._size, self._relieved_max = size, relieved_max
        self._workers: list[_Worker] = []
        self._relieved: list[_Worker] = []
        self._waiting: deque[_Job] = deque()
        self._open = 0
        self._watch: asyncio.TimerHandle | None = None
        self._empty: asyncio.Event | None = None

    def join(self, run: Callable[..., Any], work: Callable[[], Any]) -> _Job:
        self.loop = asyncio.get_running_loop()
        job = _Job(lambda: run(work), self.loop.create_future(), time.monotonic(), threading.Lock())
        self._open += 1
        if self._open > len(self._workers):
            if len(self._workers) < self._size:
                self._hire()
            else:
                self._waiting.append(job)
                self._watch = self._watch or self.loop.call_later(LONG_SECONDS, self._look)
        self.jobs.put(job)
        return job

    def leave(self, job: _Job) -> None:
        """Takes it out of the line, unless it has begun."""
        if job.claim.acquire(blocking=False):
            self._done()

    def finished(self, job: _Job, result: Any, error: BaseException | None) -> None:
        self._done()
        if job.answer.done():
            return
        if error is None:
            job.answer.set_result(result)
        else:
            job.answer.set_exception(error)

    async def end(self) -> None:
        self._empty = asyncio.Event()
        if self._open:
            await self._empty.wait()
        for _ in (*self._workers, *self._relieved):
            self.jobs.put(None)
        self._workers.clear()

    def _done(self) -> None:
        self._open -= 1
        if not self._open and self._empty is not None:
            self._empty.set()

    def _hire(self) -> None:
        worker = _Worker(self)
        self._workers.append(worker)
        worker.start()

    def _look(self) -> None:
        """Sees to it, while somebody waits, that nobody waits behind something long, or for ever."""
        self._watch = None
        now = time.monotonic()
        waiting = self._waiting
        while waiting and (waiting[0].claim.locked() or now - waiting[0].joined > TURN_SECONDS_MAX):
            job = waiting.popleft()
            if job.claim.acquire(blocking=False):
                self.finished(job, None, StoreBusy(BUSY))
        if waiting:
            self._relieve(now)
            self._watch = self.loop.call_later(LONG_SECONDS, self._look)

    def _relieve(self, now: float) -> None:
        self._relieved = [one for one in self._relieved if one.is_alive()]
        for worker in list(self._workers):
            began = worker.began
            if began is not None and now - began > LONG_SECONDS and len(self._relieved) < self._relieved_max:
                worker.is_relieved = True
                self._workers.remove(worker)
                self._relieved.append(worker)
                self._hire()
