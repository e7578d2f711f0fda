"""The bars of PostgreSQL: many projects in one database, beside the same searches in a SQLite file without the rest."""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.bar import Bar
from benchmarks.servers import running
from benchmarks.texts import AGENT, items, questions
from hansard import Hansard
from hansard.project import Project
from hansard.settings import Settings

PROJECTS = 100
SIZES = (10_000, 100_000)
HUGE = 1_000_000
TOTAL, TOTAL_FULL = 200_000, 1_000_000
QUERIES = 200
WARM_QUERIES = 10
COMPILES = 100
LIMIT = 10
BATCH = 10_000
FOUND_AT_ONCE = 20
P50_MILLISECONDS_MAX = {10_000: 20, 100_000: 60}
COMPILE_MILLISECONDS_MAX = 15
WRITES_MIN = 2_000
WRITES = 3
FULL_COSTS = (
    "`postgres` makes 2.0 million memories on a server (5 GB) and 1.1 million in a file (2 GB), which takes a quarter"
    " of an hour before it searches the largest project; `recall` makes 1.1 million in files"
)
BESIDE = "SQLite, without the other projects"
"""A file has the projects that are searched and written; the server has all the others as well."""


class Pair(NamedTuple):
    """The same measured on the server and on a file, in seconds."""

    server: float
    file: float


def measure(folder: Path) -> Iterator[Bar]:
    yield from _measure(folder, total=TOTAL, sizes=SIZES)


def measure_full(folder: Path) -> Iterator[Bar]:
    """With a million memories over a hundred projects, and with a million in one."""
    yield from _measure(folder, total=TOTAL_FULL, sizes=(*SIZES, HUGE))


def _measure(folder: Path, *, total: int, sizes: Sequence[int]) -> Iterator[Bar]:
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    settings = Settings(user="ana")
    with (
        running(folder) as url,
        Hansard.open(url, settings=settings) as server,
        Hansard.open(folder / "file.db", settings=settings) as file,
    ):
        engines = {"server": server, "file": file}
        yield many_writes(engines)
        yield from found_at_once(server, url)
        # On the server only: the question is what others cost those who share it, and a file has one team's projects.
        fill_others(server, total - sum(SIZES))
        medians: dict[int, Pair] = {}
        for size in sizes:
            for hansard in engines.values():
                filled(hansard.project(f"of-{size}", create=True), size)
            medians[size] = asked(engines, size)
            yield from speed(size, medians[size])
        yield from growth(medians)
        yield from compiled(engines)


def many_writes(engines: Mapping[str, Hansard]) -> Bar:
    """One batch with vectors into a new project, on both engines in turn."""
    times: dict[str, list[float]] = {name: [] for name in engines}
    for run in range(WRITES):
        for name, hansard in engines.items():
            project = hansard.project(f"written-{run}", create=True)
            times[name].append(seconds(partial(project.remember_many, items(BATCH))))
    rate, plain = (BATCH / statistics.median(times[name]) for name in ("server", "file"))
    return Bar(
        f"{BATCH:,} memories in one remember_many", f"{rate:,.0f}/s", f"SQLite: {plain:,.0f}/s", plain / rate, rate,
        "at least", WRITES_MIN, "/s",
    )  # fmt: skip


def found_at_once(server: Hansard, url: str) -> Iterator[Bar]:
    """What another process wrote is found by words and by meaning with the next search, not later."""
    with Hansard.open(url, settings=server.settings) as other:
        here, there = server.project("written-0"), other.project("written-0")
        there.recall("warm", agent=AGENT)
        found = 0
        for number in range(FOUND_AT_ONCE):
            made = here.remember(f"The quokka number {number} sleeps in hangar {number}.", agent=AGENT)
            hits = there.recall(f"where does quokka {number} sleep?", agent=AGENT, limit=1)
            found += bool(hits) and hits[0].memory.id == made.id and hits[0].cosine > 0 and hits[0].coverage > 0
    yield Bar("written in one process, found by the next search in another", f"{found} of {FOUND_AT_ONCE}", "", None,
              found, "exactly", FOUND_AT_ONCE, "found")  # fmt: skip


def fill_others(server: Hansard, count: int) -> None:
    """The rest of the database: memories of other projects, which nobody searches."""
    share = count // (PROJECTS - 5)
    given = items(share)
    for number in range(PROJECTS - 5):
        filled(server.project(f"other-{number}", create=True), share, given)


def filled(project: Project, size: int, given: list[dict[str, object]] | None = None) -> None:
    every = given or items(size)
    for start in range(0, size, BATCH):
        project.remember_many(every[start : start + BATCH])


def asked(engines: Mapping[str, Hansard], size: int) -> Pair:
    times: dict[str, list[float]] = {name: [] for name in engines}
    projects = {name: hansard.project(f"of-{size}") for name, hansard in engines.items()}
    for project in projects.values():
        for question in questions(WARM_QUERIES, seed=1):
            project.recall(question, agent=AGENT, limit=LIMIT)
    for name, project in projects.items():
        for question in questions(QUERIES, seed=2):
            times[name].append(seconds(partial(project.recall, question, agent=AGENT, limit=LIMIT)))
    return Pair(*(statistics.median(times[name]) for name in ("server", "file")))


def speed(size: int, pair: Pair) -> Iterator[Bar]:
    if size in P50_MILLISECONDS_MAX:
        yield Bar(
            f"recall in a project of {size:,}, p50", milliseconds(pair.server), f"{BESIDE}: {milliseconds(pair.file)}",
            pair.server / pair.file, pair.server * 1000, "at most", P50_MILLISECONDS_MAX[size], "ms",
        )  # fmt: skip


def growth(medians: Mapping[int, Pair]) -> Iterator[Bar]:
    sizes = sorted(medians)
    for small, large in pairwise(sizes):
        factor = medians[large].server / medians[small].server
        beside = medians[large].file / medians[small].file
        yield Bar(
            f"growth {small:,} → {large:,}, p50", milliseconds(medians[large].server),
            f"{BESIDE}: {milliseconds(medians[large].file)}, grown {beside:.2f} ×", factor, factor, "at most",
            large / small,
        )  # fmt: skip


def compiled(engines: Mapping[str, Hansard]) -> Iterator[Bar]:
    times: dict[str, list[float]] = {name: [] for name in engines}
    with_task: dict[str, list[float]] = {name: [] for name in engines}
    for name, hansard in engines.items():
        project = hansard.project(f"of-{SIZES[0]}")
        for number in range(20):
            project.decide(type="architectural", title=f"Rule {number}", content="Keep it simple. " * 10, by="ana")
            project.remember(f"Know this: {number}", agent=AGENT, type="core_context", importance="high")
        for _ in range(COMPILES):
            times[name].append(seconds(partial(project.compile, agent=AGENT)))
        for question in questions(COMPILES, seed=11):
            with_task[name].append(seconds(partial(project.compile, agent=AGENT, task=question)))
    for what, taken in (("compile, p50", times), (f"compile with a task, {SIZES[0]:,} memories, p50", with_task)):
        server, file = (statistics.median(taken[name]) for name in ("server", "file"))
        yield Bar(
            what, milliseconds(server), f"{BESIDE}: {milliseconds(file)}", server / file, server * 1000, "at most",
            COMPILE_MILLISECONDS_MAX, "ms",
        )  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def milliseconds(taken: float) -> str:
    return f"{taken * 1000:.2f} ms"
