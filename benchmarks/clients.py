"""Many clients of one server at once, each with its own connection: what they were promised, and how long it took."""

import random
import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple

from hansard.client import Client
from hansard.domain.errors import HansardError
from hansard.project import Project

KEY = "shop"
QUESTIONS = ("how do uploads fail?", "which prefix does the API need?", "where is the login?", "what times out?")
READS = 4
"""How many reads come with each write."""


class Tally(NamedTuple):
    """What the clients of one run saw: seconds by kind of call, the ids that were promised, and each error."""

    seconds: dict[str, list[float]]
    recorded: list[str]
    errors: list[str]
    lasted: float

    @property
    def calls(self) -> list[float]:
        return sorted(one for several in self.seconds.values() for one in several)


def hammered(address: str, token: str, *, clients: int, seconds: float) -> Tally:
    """Has so many clients read and write for so long, and collects what they were told."""
    seen = Tally({}, [], [], 0.0)
    lock = threading.Lock()
    gate = threading.Barrier(clients + 1)
    threads = [
        threading.Thread(target=_one, args=(address, token, number, seconds, gate, seen, lock))
        for number in range(clients)
    ]
    for thread in threads:
        thread.start()
    gate.wait()
    began = time.monotonic()
    for thread in threads:
        thread.join()
    return seen._replace(lasted=time.monotonic() - began)


def _one(
    address: str, token: str, number: int, seconds: float, gate: threading.Barrier, seen: Tally, lock: threading.Lock
) -> None:
    mine: dict[str, list[float]] = {}
    recorded: list[str] = []
    errors: list[str] = []
    with closing(Client.open(address, token=token)) as client:
        project = client.project(KEY)
        gate.wait()
        until = time.monotonic() + seconds
        dice = random.Random(number)
        count = 0
        while time.monotonic() < until:
            count += 1
            name, call = _next(project, dice, number, count, recorded)
            began = time.perf_counter()
            try:
                call()
            except HansardError as error:
                errors.append(f"{name}: {error.code}: {error}")
            mine.setdefault(name, []).append(time.perf_counter() - began)
    with lock:
        seen.recorded.extend(recorded)
        seen.errors.extend(errors)
        for name, several in mine.items():
            seen.seconds.setdefault(name, []).extend(several)


def _next(
    project: Project, dice: random.Random, number: int, count: int, recorded: list[str]
) -> tuple[str, Callable[[], object]]:
    """One write in five calls; of the reads, the block and the search are what agents do most."""
    pick = dice.randrange(READS + 1)
    if pick == 0:

        def remember() -> None:
            recorded.append(project.remember(f"Client {number} saw upload {count} fail after {dice.random()} s.").id)

        return "POST memories", remember
    if pick == 1:
        return "POST search", lambda: project.recall(dice.choice(QUESTIONS))
    if pick == 2:
        return "GET memories", lambda: project.list_memories(limit=10)
    if pick == 3 and recorded:
        return "GET memory", lambda: project.get_memory(recorded[-1])
    return "GET context", project.compile
