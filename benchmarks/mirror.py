"""The bars of the mirror: how long an export and an import take, and what a write costs while files follow it."""

import json
import os
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from itertools import count, islice
from pathlib import Path

import yaml

from benchmarks.bar import Bar
from benchmarks.texts import items, texts
from hansard import Hansard
from hansard.project import Project
from hansard.services import keep_up
from hansard.settings import Settings

PROJECT = "shop"
DECISIONS = 2_000
MEMORIES = 10_000
PENDING = 200
FILES = 1_000
RUNS = 5
COLD_SECONDS_MAX = 1.5
SETTLED_SECONDS_MAX = 0.1
IMPORT_SECONDS_MAX = 2.0
LEDGER_SECONDS_MAX = 3.0
LEDGER_RUNS = 3
ROUNDS = 8
WRITES_A_ROUND = 400
WRITE_RATIO_MAX = 1.2
BURST = 1_000
BURST_EXPORTS_MAX = 5
LOOK_SECONDS = 0.02
_numbers = count(1)
TYPES = ("architectural", "scope", "process", "technical")


def measure(folder: Path) -> Iterator[Bar]:
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    with opened(folder / "mirror.db") as hansard:
        project = filled(hansard)
        roots = [folder / f"root-{run}" for run in range(RUNS)]
        yield cold(project, roots, folder)
        yield settled(project, roots[0])
        yield reunited(folder)
    yield imported(folder)
    yield from followed(folder)


def cold(project: Project, roots: list[Path], folder: Path) -> Bar:
    """The first export into an empty folder, against writing the same bytes, in turn."""
    exports: list[float] = []
    writes: list[float] = []
    for run, root in enumerate(roots):
        root.mkdir()
        exports.append(seconds(partial(project.export, root)))
        writes.append(seconds(partial(write_plainly, read_all(root), folder / f"plain-{run}")))
    figure, reference = statistics.median(exports), statistics.median(writes)
    return Bar(
        f"export of {DECISIONS:,} decisions, {MEMORIES:,} memories, {PENDING} pending, cold", milliseconds(figure),
        f"the same bytes written: {milliseconds(reference)}", figure / reference, figure, "at most", COLD_SECONDS_MAX,
        "s",
    )  # fmt: skip


def settled(project: Project, root: Path) -> Bar:
    """An export that finds nothing to do, against hashing the same files, in turn."""
    exports: list[float] = []
    hashes: list[float] = []
    for _ in range(RUNS):
        exports.append(seconds(partial(project.export, root)))
        hashes.append(seconds(partial(hash_all, root)))
    figure, reference = statistics.median(exports), statistics.median(hashes)
    return Bar(
        "export of the same when nothing changed", milliseconds(figure), f"hashing: {milliseconds(reference)}",
        figure / reference, figure * 1000, "at most", SETTLED_SECONDS_MAX * 1000, "ms",
    )  # fmt: skip


def imported(folder: Path) -> Bar:
    """Many new files into an empty project, against reading their front matter with PyYAML, in turn."""
    inbox = folder / "many" / ".squad" / "decisions" / "inbox"
    inbox.mkdir(parents=True)
    for number, content in enumerate(texts(FILES)):
        front = f"---\nagent: agent-{number % 20}\nslug: idea-{number}-x\ntype: scope\ntitle: Idea {number}\n---\n\n"
        (inbox / f"idea-{number}-x.md").write_text(front + content + "\n", encoding="utf-8")
    imports: list[float] = []
    parses: list[float] = []
    for run in range(RUNS):
        with opened(folder / f"import-{run}.db") as hansard:
            project = hansard.project(PROJECT, create=True)
            imports.append(seconds(partial(project.import_inbox, folder / "many")))
            assert len(project.list_inbox(limit=1000).items) == FILES
        parses.append(seconds(partial(parse_all, inbox)))
    figure, reference = statistics.median(imports), statistics.median(parses)
    return Bar(
        f"import of {FILES:,} files", milliseconds(figure), f"PyYAML alone: {milliseconds(reference)}",
        figure / reference, figure, "at most", IMPORT_SECONDS_MAX, "s",
    )  # fmt: skip


def followed(folder: Path) -> Iterator[Bar]:
    """A write while the files follow by themselves, against one that nothing follows, round by round."""
    with opened(folder / "off.db", auto="off") as off, opened(folder / "on.db") as on:
        alone, mirrored = rooted(off, folder / "alone"), rooted(on, folder / "mirrored")
        plain: list[float] = []
        watched: list[float] = []
        for _ in range(ROUNDS):
            plain += write_times(alone, WRITES_A_ROUND)
            watched += write_times(mirrored, WRITES_A_ROUND)
            until_calm(mirrored)
        figure, reference = statistics.median(watched), statistics.median(plain)
        yield Bar(
            f"a durable write with the mirror on, p50 of {len(watched):,}", milliseconds(figure),
            f"mirror off: {milliseconds(reference)}", figure / reference, figure / reference, "at most",
            WRITE_RATIO_MAX,
        )  # fmt: skip
        before = exports(mirrored)
        took = sum(write_times(mirrored, BURST))
        until_calm(mirrored)
        made = exports(mirrored) - before
        yield Bar(
            f"exports of a burst of {BURST:,} writes", str(made), f"in {took:.1f} s", None, made, "at most",
            BURST_EXPORTS_MAX, "exports",
        )  # fmt: skip


def rooted(hansard: Hansard, root: Path) -> Project:
    root.mkdir()
    return hansard.project(PROJECT, create=True, root=root)


def write_times(project: Project, writes: int) -> list[float]:
    return [
        seconds(partial(project.propose, agent="tank", slug=f"idea-{number}-x", type="scope", content="Yes."))
        for number in islice(_numbers, writes)
    ]


def until_calm(project: Project) -> None:
    """Returns when the files are in step and the exporter has gone."""
    while any(one.at_work or not one.is_in_step for one in keep_up.states(project.seat())):
        threading.Event().wait(LOOK_SECONDS)


def exports(project: Project) -> int:
    return sum(one.attempts for one in keep_up.states(project.seat()))


def reunited(folder: Path) -> Bar:
    """The ledger of the same project, taken in by a fresh clone, against reading the lines as JSON, in turn."""
    root = folder / "root-0"
    lines = [line for one in sorted((root / ".hansard/ledger").iterdir()) for line in one.read_bytes().splitlines()]
    imports: list[float] = []
    parses: list[float] = []
    for run in range(LEDGER_RUNS):
        with opened(folder / f"clone-{run}.db") as hansard:
            clone = hansard.project(PROJECT, create=True)
            imports.append(seconds(partial(clone.import_inbox, root)))
            assert len(clone.list_decisions(limit=1000).items) == min(DECISIONS, 1000)
        parses.append(seconds(partial(parse_lines, lines)))
    figure, reference = statistics.median(imports), statistics.median(parses)
    return Bar(
        f"import of a ledger with {len(lines):,} lines into a fresh clone", milliseconds(figure),
        f"JSON alone: {milliseconds(reference)}", figure / reference, figure, "at most", LEDGER_SECONDS_MAX, "s",
    )  # fmt: skip


def parse_lines(lines: list[bytes]) -> list[object]:
    return [json.loads(one) for one in lines]


def opened(database: Path, *, auto: str = "on") -> Hansard:
    settings = Settings(user="ana", embedding_provider="none", mirror_auto=auto)
    return Hansard.open(database, settings=settings)


def filled(hansard: Hansard) -> Project:
    project = hansard.project(PROJECT, create=True)
    project.remember_many(items(MEMORIES))
    words = texts(DECISIONS + PENDING)
    for number, content in enumerate(islice(words, DECISIONS)):
        project.decide(type=TYPES[number % len(TYPES)], title=f"Decision {number}", content=content, by="ana")
    for number, content in enumerate(words):
        project.propose(agent=f"agent-{number % 20}", slug=f"idea-{number}-x", type="scope", content=content)
    return project


def read_all(root: Path) -> dict[Path, bytes]:
    return {one.relative_to(root): one.read_bytes() for one in sorted(root.rglob("*")) if one.is_file()}


def write_plainly(files: dict[Path, bytes], root: Path) -> None:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def hash_all(root: Path) -> list[str]:
    return [sha256(data).hexdigest() for data in read_all(root).values()]


def parse_all(inbox: Path) -> list[object]:
    return [yaml.safe_load(one.read_text(encoding="utf-8").split("---")[1]) for one in sorted(inbox.iterdir())]


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def milliseconds(value: float) -> str:
    return f"{value * 1000:.1f} ms"
