"""The bars of recall: how fast it finds, how it grows, what it costs to write, to start and to keep in memory."""

import compileall
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import apsw
import numpy as np
from numpy.typing import NDArray

from benchmarks.bar import Bar
from benchmarks.texts import AGENT, items, questions
from hansard import Hansard
from hansard.domain.questions import STOP_WORDS
from hansard.embedding.static import bundled
from hansard.index.project import Sight
from hansard.index.search import nearest
from hansard.project import Project
from hansard.settings import Settings

PROJECT = "shop"
PACKAGE = Path(sys.modules[Hansard.__module__].__file__ or "").parent
SIZES = (1_000, 10_000, 100_000)
FULL_SIZE = 1_000_000
QUERIES = 400
ROUND_QUERIES = 50
WARM_QUERIES = 20
LIMIT = 10
ARM_DEPTH = 200
WRITE_MANY = 10_000
WRITE_RUNS = 3
SINGLE_WRITES = 400
COLD_RUNS = 15
AGREEMENT_QUERIES = 100
AGREEMENT_DEPTHS = (200, 300)
BATCH = 50_000
P50_SECONDS_MAX = {10_000: 0.003, 100_000: 0.010}
P99_SECONDS_MAX = {100_000: 0.030}

_COLD = """
import sys
from hansard import Hansard
from hansard.settings import Settings
with Hansard.open(sys.argv[1], settings=Settings(user="ana")) as hansard:
    print(len(hansard.project("shop").recall(sys.argv[2], agent=sys.argv[3])))
"""
_RESIDENT = """
import json, sys
from hansard import Hansard
from hansard.settings import Settings
with Hansard.open(sys.argv[1], settings=Settings(user="ana")) as hansard:
    project = hansard.project("shop")
    for question in json.load(sys.stdin):
        project.recall(question, agent=sys.argv[2], limit=10)
    with open("/proc/self/status") as status:
        lines = [line.split() for line in status]
print(json.dumps({line[0]: int(line[1]) for line in lines if line[0] in ("VmHWM:", "VmRSS:")}))
"""


class Timed(NamedTuple):
    """The same questions put to the product and to both references, in turn."""

    recall: list[float]
    scan: list[float]
    keywords: list[float]


def measure(folder: Path, *, full: bool = False) -> Iterator[Bar]:
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    medians: list[tuple[int, float]] = []
    for size in (*SIZES, FULL_SIZE) if full else SIZES:
        database = filled(folder / f"recall-{size}.db", size)
        timed = asked(database, size)
        medians.append((size, statistics.median(timed.recall)))
        yield from speed(size, timed)
    yield from growth(medians)
    yield many_writes(folder)
    yield single_write(folder)
    yield cold(folder / f"recall-{SIZES[1]}.db")
    yield from resident(folder / f"recall-{SIZES[2]}.db")
    yield from agreement(folder / f"recall-{SIZES[1]}.db", SIZES[1])


def measure_full(folder: Path) -> Iterator[Bar]:
    """The same with a million memories."""
    yield from measure(folder, full=True)


def asked(database: Path, size: int) -> Timed:
    timed = Timed([], [], [])
    contents = [str(item["content"]) for item in items(size)]
    vectors = embedded(contents)
    fts = keyword_table(contents)
    model = bundled()
    with opened(database) as hansard:
        project = hansard.project(PROJECT)
        for question in questions(WARM_QUERIES, seed=1):
            project.recall(question, agent=AGENT, limit=LIMIT)
        every = questions(QUERIES, seed=2)
        # In turn by rounds: after each single question the references would leave nothing in the processor's cache.
        for start in range(0, QUERIES, ROUND_QUERIES):
            some = every[start : start + ROUND_QUERIES]
            embeddings = model.embed(some)
            timed.recall.extend(seconds(partial(project.recall, one, agent=AGENT, limit=LIMIT)) for one in some)
            timed.scan.extend(seconds(partial(scan, vectors, embedding)) for embedding in embeddings)
            timed.keywords.extend(seconds(partial(keyword_search, fts, one)) for one in some)
    fts.close()
    return timed


def speed(size: int, timed: Timed) -> Iterator[Bar]:
    p50, p99 = statistics.median(timed.recall), percentile(timed.recall)
    reference = (
        f"numpy scan {milliseconds(statistics.median(timed.scan))}, "
        f"FTS5 {milliseconds(statistics.median(timed.keywords))}"
    )
    ratio = p50 / statistics.median(timed.scan)
    what = f"recall of {size:,} memories"
    if size in P50_SECONDS_MAX:
        limit = P50_SECONDS_MAX[size] * 1000
        yield Bar(f"{what}, p50", milliseconds(p50), reference, ratio, p50 * 1000, "at most", limit, "ms")
    if size in P99_SECONDS_MAX:
        limit = P99_SECONDS_MAX[size] * 1000
        slow = f"numpy scan {milliseconds(percentile(timed.scan))}, FTS5 {milliseconds(percentile(timed.keywords))}"
        yield Bar(
            f"{what}, p99", milliseconds(p99), slow, p99 / percentile(timed.scan), p99 * 1000, "at most", limit, "ms"
        )


def growth(medians: Sequence[tuple[int, float]]) -> Iterator[Bar]:
    """Ten times the memories never cost more than ten times the time."""
    for (small, before), (large, after) in pairwise(medians):
        factor = after / before
        yield Bar(
            f"growth {small:,} → {large:,}, p50", milliseconds(after), milliseconds(before), factor, factor, "at most",
            large / small,
        )  # fmt: skip


def many_writes(folder: Path) -> Bar:
    """All memories in one call, with vectors and without, in turn."""
    given = items(WRITE_MANY)
    times: dict[str, list[float]] = {"bundled": [], "none": []}
    for run in range(WRITE_RUNS):
        for provider, taken in times.items():
            with opened(folder / f"many-{provider}-{run}.db", provider) as hansard:
                project = hansard.project(PROJECT, create=True)
                taken.append(seconds(partial(project.remember_many, given)))
    rate, plain = (WRITE_MANY / statistics.median(times[name]) for name in ("bundled", "none"))
    return Bar(
        f"{WRITE_MANY:,} memories in one remember_many, embedded", f"{rate:,.0f}/s", f"without: {plain:,.0f}/s",
        plain / rate, rate, "at least", 5_000, "/s",
    )  # fmt: skip


def single_write(folder: Path) -> Bar:
    """One memory at a time, with vectors and without, in turn."""
    times: dict[str, list[float]] = {"bundled": [], "none": []}
    with opened(folder / "single.db") as embedding, opened(folder / "single-none.db", "none") as plain:
        projects = {
            "bundled": embedding.project(PROJECT, create=True),
            "none": plain.project(PROJECT, create=True),
        }
        for number, item in enumerate(items(SINGLE_WRITES)):
            pair = list(projects.items())
            # Each goes first every second time: a disk that flushes at intervals favours whoever comes second.
            for name, project in pair if number % 2 else reversed(pair):
                times[name].append(seconds(partial(remember, project, str(item["content"]))))
    figure, reference = statistics.median(times["bundled"]), statistics.median(times["none"])
    ratio = figure / reference
    return Bar(
        "one remember, embedded, p50", milliseconds(figure), f"without: {milliseconds(reference)}", ratio, ratio,
        "at most", 1.5,
    )  # fmt: skip


def cold(database: Path) -> Bar:
    """A fresh process to its first answer, against an interpreter that does nothing, in turn."""
    question = questions(1, seed=3)[0]
    script = str(Path(sys.executable).with_name("hansard"))
    search = [script, "--db", str(database), "--project", PROJECT, "memory", "search", question, "--json"]
    if subprocess.run(search, check=False, capture_output=True).returncode != 0:
        search = [sys.executable, "-c", _COLD, str(database), question, AGENT]
    nothing = [sys.executable, "-c", "pass"]
    # As an installed package is; some environments forbid a process to do it by itself.
    compileall.compile_dir(str(PACKAGE), quiet=1)
    times: dict[str, list[float]] = {"search": [], "nothing": []}
    for _ in range(COLD_RUNS):
        times["nothing"].append(seconds(partial(run_process, nothing)))
        times["search"].append(seconds(partial(run_process, search)))
    figure, reference = statistics.median(times["search"]), statistics.median(times["nothing"])
    return Bar(
        "cold process to first recall, 10,000 memories", milliseconds(figure),
        f"python -c pass: {milliseconds(reference)}", figure / reference, figure * 1000, "at most", 300, "ms",
    )  # fmt: skip


def resident(database: Path) -> Iterator[Bar]:
    """What a fresh process holds after it answered questions, and the most it held at any time."""
    asked = json.dumps(questions(100, seed=4))
    command = [sys.executable, "-c", _RESIDENT, str(database), AGENT]
    done = subprocess.run(command, check=True, capture_output=True, text=True, input=asked)
    for field, what in (("VmRSS:", "after queries"), ("VmHWM:", "at its highest")):
        megabytes = json.loads(done.stdout)[field] / 1024
        yield Bar(
            f"resident memory at 100,000 memories, {what}", f"{megabytes:.0f} MB", "", None, megabytes, "at most",
            250, "MB",
        )  # fmt: skip


def agreement(database: Path, size: int) -> Iterator[Bar]:
    """What the vector arm finds against a scan of the model's own vectors in double precision."""
    exact = embedded([str(item["content"]) for item in items(size)]).astype(np.float64)
    shares: dict[int, list[float]] = {depth: [] for depth in AGREEMENT_DEPTHS}
    with opened(database) as hansard:
        project = hansard.project(PROJECT)
        with hansard.store.read(project.id) as tx:
            held = hansard.shelf.index_of(tx)
            assert held is not None
            view = held.units.view(Sight(agent=None, now=tx.now))
        seqs = view.columns.memory[: view.rows]
        for question in questions(AGREEMENT_QUERIES, seed=5):
            vector = bundled().embed([question])[0]
            # The memories were stored in the order of the texts, so a number tells which text it is.
            truth = np.argsort(-(exact @ vector.astype(np.float64)), kind="stable")
            for depth, several in shares.items():
                found = seqs[nearest(view, vector, depth)] - int(seqs.min())
                several.append(len(set(found.tolist()) & set(truth[:depth].tolist())) / depth)
    for depth, several in shares.items():
        share = statistics.fmean(several) * 100
        yield Bar(
            f"vector arm: first {depth} of {size:,} as in float64", f"{share:.2f} %", "", None, share, "at least",
            99, "%",
        )  # fmt: skip


def opened(database: Path, provider: str = "bundled") -> Hansard:
    return Hansard.open(database, settings=Settings(user="ana", embedding_provider=provider))


def filled(database: Path, size: int) -> Path:
    """The database with so many memories in one project."""
    given = items(size)
    with opened(database) as hansard:
        project = hansard.project(PROJECT, create=True)
        for start in range(0, size, BATCH):
            project.remember_many(given[start : start + BATCH])
    return database


def embedded(contents: Sequence[str]) -> NDArray[np.float32]:
    parts = [bundled().embed(contents[start : start + BATCH]) for start in range(0, len(contents), BATCH)]
    return np.concatenate(parts)


def scan(vectors: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.int64]:
    """The exact scan alone: every vector, and the nearest of them."""
    return np.argpartition(np.vecdot(vectors, vector), len(vectors) - ARM_DEPTH)[-ARM_DEPTH:]


def keyword_table(contents: Sequence[str]) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5 (content, tokenize = 'porter unicode61')")
    with connection:
        connection.executemany("INSERT INTO texts (content) VALUES (?)", ((content,) for content in contents))
    return connection


def keyword_search(connection: apsw.Connection, question: str) -> list[tuple[object, ...]]:
    """What FTS5 finds with the telling words of the question."""
    words = [word for word in question.strip("?").split() if word not in STOP_WORDS]
    wanted = " OR ".join(f'"{word}"' for word in words)
    sql = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
    return connection.execute(sql, (wanted, ARM_DEPTH)).fetchall()


def remember(project: Project, content: str) -> None:
    project.remember(content, agent=AGENT, scope="team")


def run_process(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def percentile(values: Sequence[float], share: float = 0.99) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


def milliseconds(value: float) -> str:
    return f"{value * 1000:.2f} ms"
