"""The bars of the ledger: a cold command, a durable proposal, many memories at once, many writers at once."""

import multiprocessing
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import apsw

from benchmarks.bar import Bar
from hansard import Hansard, HansardError
from hansard.domain.errors import AlreadyReviewed
from hansard.project import Project
from hansard.settings import Settings
from hansard.store.sqlite.migrate import migrations

PROJECT = "shop"
DECISIONS = 1_000
COLD_RUNS = 21
COMMITS = 400
MEMORIES = 10_000
MEMORY_RUNS = 5
PROCESSES = 8
PROPOSALS_PER_PROCESS = 250
THREADS = 20

TEXT = (
    "Payments go through the outbox table. A worker reads it in order and calls the provider, so a crash between the "
    "two never loses an order and never charges twice. Whoever adds a call to the provider writes to the outbox "
    "inside the transaction of the order and leaves the rest to the worker."
)


def measure(folder: Path) -> Iterator[Bar]:
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    yield from cold_list(folder)
    commit_seconds: list[float] = []
    yield durable_proposal(folder, commit_seconds)
    yield many_memories(folder)
    yield from many_writers(folder, statistics.median(commit_seconds))
    yield one_merge_wins(folder)


def cold_list(folder: Path) -> Iterator[Bar]:
    """A command in a fresh process against an interpreter that does nothing, in turn."""
    database = folder / "cold.db"
    with opened(database) as hansard:
        project = hansard.project(PROJECT, create=True)
        for number in range(DECISIONS):
            project.decide(type="technical", title=f"Decision {number}", content=TEXT, by="ana")
    script = str(Path(sys.executable).with_name("hansard"))
    listing = [script, "--db", str(database), "--project", PROJECT, "decisions", "list", "--json"]
    nothing = [sys.executable, "-c", "pass"]
    everything = [*listing, "--limit", str(DECISIONS)]
    for command in (listing, everything, nothing):
        process_seconds(command)
    times: dict[str, list[float]] = {"list": [], "all": [], "nothing": []}
    for _ in range(COLD_RUNS):
        times["nothing"].append(process_seconds(nothing))
        times["list"].append(process_seconds(listing))
        times["all"].append(process_seconds(everything))
    reference = statistics.median(times["nothing"])
    for name, what in (("list", "cold `decisions list --json`"), ("all", f"the same with --limit {DECISIONS}")):
        figure = statistics.median(times[name])
        ratio = figure / reference
        yield Bar(
            f"{what}, {DECISIONS:,} decisions", milliseconds(figure), f"python -c pass: {milliseconds(reference)}",
            ratio, ratio, "at most", 8,
        )  # fmt: skip


def durable_proposal(folder: Path, commit_seconds: list[float]) -> Bar:
    """One proposal through the API against one row through apsw, in turn, each flushed to the same disk."""
    raw = raw_connection(folder / "raw.db")
    raw.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT")
    propose_seconds: list[float] = []
    with opened(folder / "propose.db") as hansard:
        project = hansard.project(PROJECT, create=True)
        for number in range(COMMITS):
            pair: list[tuple[list[float], Callable[[], object]]] = [
                (commit_seconds, partial(raw.execute, "INSERT INTO rows (content) VALUES (?)", (TEXT,))),
                (propose_seconds, partial(propose, project, "tank", f"topic-{number}")),
            ]
            # Each goes first every second time: a disk that flushes at intervals favours whoever comes second.
            for times, work in pair if number % 2 else reversed(pair):
                times.append(seconds(work))
    raw.close()
    figure, reference = statistics.median(propose_seconds), statistics.median(commit_seconds)
    ratio = figure / reference
    return Bar(
        "one durable propose, p50", milliseconds(figure), f"one raw commit: {milliseconds(reference)}", ratio, ratio,
        "at most", 3,
    )  # fmt: skip


def many_memories(folder: Path) -> Bar:
    """All memories in one call against the same rows through apsw into an equal table, in turn."""
    items = [
        {"content": f"{number}: {TEXT}", "agent": "tank", "source_ref": "chat-7", "position": number}
        for number in range(MEMORIES)
    ]
    call_seconds: list[float] = []
    raw_seconds: list[float] = []
    for run in range(MEMORY_RUNS):
        database = folder / f"memories-{run}.db"
        with opened(database) as hansard:
            project = hansard.project(PROJECT, create=True)
            call_seconds.append(seconds(partial(project.remember_many, items)))
        raw_seconds.append(raw_copy_seconds(database, folder / f"rows-{run}.db"))
    figure, reference = statistics.median(call_seconds), statistics.median(raw_seconds)
    rate, raw_rate = MEMORIES / figure, MEMORIES / reference
    return Bar(
        f"{MEMORIES:,} memories in one remember_many", f"{rate:,.0f}/s", f"raw executemany: {raw_rate:,.0f}/s",
        figure / reference, rate, "at least", 20_000, "/s",
    )  # fmt: skip


def many_writers(folder: Path, commit_seconds: float) -> Iterator[Bar]:
    """Several processes propose the same slugs into one file; every one of them has to be there afterwards."""
    database = folder / "writers.db"
    wanted = PROCESSES * PROPOSALS_PER_PROCESS
    with opened(database) as hansard:
        hansard.project(PROJECT, create=True)
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(PROCESSES) as pool:
        pool.map(warm, range(PROCESSES), chunksize=1)
        start = time.perf_counter()
        problems = [
            problem
            for found in pool.starmap(writer, [(str(database), one) for one in range(PROCESSES)], chunksize=1)
            for problem in found
        ]
        total = time.perf_counter() - start
    with opened(database) as hansard:
        project = hansard.project(PROJECT)
        slugs = all_slugs(project)
        verified = project.verify().ok
    alone = wanted * commit_seconds
    reference = f"{wanted:,} raw commits: {alone:.1f} s"
    what = f"{PROCESSES} processes × {PROPOSALS_PER_PROCESS} proposals"
    yield Bar(f"{what}: errors", f"{len(problems)}", "", None, len(problems), "exactly", 0, "errors")
    kept = f"{len(slugs):,} in {total:.1f} s"
    yield Bar(f"{what}: kept", kept, reference, total / alone, len(slugs), "exactly", wanted, "entries")
    yield Bar(f"{what}: different slugs", f"{len(set(slugs)):,}", "", None, len(set(slugs)), "exactly", wanted, "slugs")
    yield Bar(f"{what}: the chain verifies", "yes" if verified else "no", "", None, verified, "exactly", 1, "chain")


def one_merge_wins(folder: Path) -> Bar:
    """Many threads merge one entry at the same moment."""
    with opened(folder / "merge.db") as hansard:
        project = hansard.project(PROJECT, create=True)
        propose(project, "tank", "use-postgres")
        barrier = threading.Barrier(THREADS)

        def merge(number: int) -> str:
            barrier.wait()
            try:
                project.merge("use-postgres", by=f"reviewer {number}")
            except AlreadyReviewed:
                return "refused"
            return "merged"

        with ThreadPoolExecutor(THREADS) as pool:
            outcomes = list(pool.map(merge, range(THREADS)))
        decisions = len(project.list_decisions(status="all").items)
    won = outcomes.count("merged")
    refused = f"{outcomes.count('refused')} refused, {decisions} decision"
    return Bar(f"{THREADS} threads merging one entry", f"{won} merged", refused, None, won, "exactly", 1, "merge")


def opened(database: Path) -> Hansard:
    # Without vectors: what recall adds to a write is measured by benchmarks.recall.
    return Hansard.open(database, settings=Settings(user="ana", embedding_provider="none"))


def propose(project: Project, agent: str, slug: str) -> None:
    project.propose(agent=agent, slug=slug, type="technical", content=TEXT, title="The outbox")


def warm(number: int) -> int:
    """Makes sure that a worker process has started and imported everything before the clock runs."""
    return number


def writer(database: str, number: int) -> list[str]:
    """What one process does, and every error it met."""
    problems: list[str] = []
    with opened(Path(database)) as hansard:
        project = hansard.project(PROJECT)
        for topic in range(PROPOSALS_PER_PROCESS):
            try:
                propose(project, f"agent-{number}", f"topic-{topic}")
            except HansardError as error:
                problems.append(f"{error.code}: {error}")
    return problems


def all_slugs(project: Project) -> list[str]:
    slugs: list[str] = []
    cursor: str | None = None
    while True:
        page = project.list_inbox(status="all", limit=1_000, cursor=cursor)
        slugs += [entry.slug for entry in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return slugs


def raw_connection(database: Path) -> apsw.Connection:
    """A connection with the pragmas of the store."""
    connection = apsw.Connection(str(database))
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def raw_copy_seconds(source: Path, target: Path) -> float:
    """How long the memories of one database take into an equal, empty table of another, in one transaction."""
    connection = raw_connection(target)
    for _, sql in migrations():
        connection.execute(sql)
    connection.execute("ATTACH ? AS source", (str(source),))
    for table in ("projects", "actors"):
        connection.execute(f"INSERT INTO main.{table} SELECT * FROM source.{table}")
    rows = connection.execute("SELECT * FROM source.memories ORDER BY seq").fetchall()
    connection.execute("DETACH source")
    marks = ", ".join("?" * len(rows[0]))

    def copy() -> None:
        with connection:
            connection.executemany(f"INSERT INTO memories VALUES ({marks})", rows)

    taken = seconds(copy)
    connection.close()
    return taken


def process_seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def milliseconds(value: float) -> str:
    return f"{value * 1000:.2f} ms"
