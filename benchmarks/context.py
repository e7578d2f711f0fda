"""The bars of the context compiler: a warm block with and without a task, and a cold process before a turn."""

import compileall
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.bar import Bar
from benchmarks.foundation import milliseconds, process_seconds, seconds
from benchmarks.texts import AGENT, items, questions
from hansard import Hansard
from hansard.domain.receipts import Block
from hansard.project import Project
from hansard.settings import Settings

PROJECT = "shop"
PACKAGE = Path(sys.modules[Hansard.__module__].__file__ or "").parent
DECISIONS = 1_000
BINDING_EACH = 20
"""Every twentieth decision binds, which makes fifty."""
MEMORIES = 10_000
CORE_EACH, HIGH_EACH = 500, 50
FILES = 190
"""Fewer than are claimed, so that some claims are stale."""
RUNS = 4
BLOCKS = 200
COLD_RUNS = 21
TASK_SECONDS_MAX = 0.008
PLAIN_SECONDS_MAX = 0.003
COLD_RATIO_MAX = 8
RULE = (
    "Payments go through the outbox table. A worker reads it in order and calls the provider, so a crash between the "
    "two never loses an order and never charges twice."
)


def measure(folder: Path) -> Iterator[Bar]:
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    os.environ["HANSARD_MIRROR_AUTO"] = "off"
    database, tree = folder / "context.db", folder / "shop"
    repository(tree)
    with opened(database) as hansard:
        fill(hansard.project(PROJECT, create=True, root=tree))
    with opened(database) as hansard:
        yield from warm(hansard.project(PROJECT))
    yield cold(database, tree)


def warm(project: Project) -> Iterator[Bar]:
    """Blocks in an open process against what they are made of: recall of the same task, and the decisions alone."""
    tasks = questions(BLOCKS, seed=7)
    refuse_partial(project.compile(agent=AGENT))
    # The second turn at a task is the usual one: what its memories claim was looked up before.
    first = [seconds(partial(whole_block, project, task)) for task in tasks]
    times: dict[str, list[float]] = {"task": [], "recall": [], "plain": [], "child": []}
    for task in tasks:
        times["task"].append(seconds(partial(project.compile, agent=AGENT, task=task)))
        times["recall"].append(seconds(partial(project.recall, task, agent=AGENT, limit=5)))
        times["plain"].append(seconds(partial(project.compile, agent=AGENT)))
        times["child"].append(seconds(partial(project.compile, agent=AGENT, mode="child")))
    recalled = statistics.median(times["recall"])
    yield Bar(
        "first block at a new task, p50", milliseconds(statistics.median(first)),
        f"recall alone: {milliseconds(recalled)}", statistics.median(first) / recalled,
        statistics.median(first) * 1000, "at most", None, "ms",
    )  # fmt: skip
    for name, other, told, what, limit in (
        ("task", "recall", "recall alone", "block with a task", TASK_SECONDS_MAX),
        ("plain", "child", "decisions alone", "block without a task", PLAIN_SECONDS_MAX),
    ):
        figure, reference = statistics.median(times[name]), statistics.median(times[other])
        yield Bar(
            f"{what}, p50, {DECISIONS:,} decisions and {MEMORIES:,} memories", milliseconds(figure),
            f"{told}: {milliseconds(reference)}", figure / reference, figure * 1000, "at most", limit * 1000, "ms",
        )  # fmt: skip


def whole_block(project: Project, task: str) -> None:
    refuse_partial(project.compile(agent=AGENT, task=task))


def refuse_partial(block: Block | None) -> None:
    """A block that lacks a part is fast for nothing."""
    if block is None or block.receipt.notes or "(stale: " not in block.text:
        raise SystemExit(f"The block is not whole: {block and block.receipt.notes}")


def cold(database: Path, tree: Path) -> Bar:
    """A block in a fresh process, its claims checked, against an interpreter that does nothing, in turn."""
    compileall.compile_dir(str(PACKAGE), quiet=2)
    script = str(Path(sys.executable).with_name("hansard"))
    block = [script, "--db", str(database), "--project", PROJECT, "context", "--agent", AGENT, "--cwd", str(tree)]
    nothing = [sys.executable, "-c", "pass"]
    times: dict[str, list[float]] = {"block": [], "nothing": []}
    for command in (block, nothing):
        process_seconds(command)
    for _ in range(COLD_RUNS):
        times["nothing"].append(process_seconds(nothing))
        times["block"].append(process_seconds(block))
    figure, reference = statistics.median(times["block"]), statistics.median(times["nothing"])
    ratio = figure / reference
    return Bar(
        "cold `hansard context`, no task, claims checked", milliseconds(figure),
        f"python -c pass: {milliseconds(reference)}", ratio, ratio, "at most", COLD_RATIO_MAX,
    )  # fmt: skip


def repository(tree: Path) -> None:
    """A repository with the files that memories claim, and some that are gone."""
    (tree / "src").mkdir(parents=True)
    for number in range(FILES):
        (tree / "src" / f"part_{number}.py").write_text(f"def step_{number}() -> int:\n    return {number}\n")
    for command in (
        ["init", "--quiet"],
        ["add", "."],
        ["-c", "user.name=ana", "-c", "user.email=ana@localhost", "commit", "--quiet", "-m", "Begin"],
    ):
        subprocess.run(["git", *command], cwd=tree, check=True)


def fill(project: Project) -> None:
    for number in range(DECISIONS):
        binds = number % BINDING_EACH == 0
        project.decide(
            type="architectural" if binds else "technical", title=f"Decision {number}", content=RULE, by="ana"
        )
    project.remember_many(claiming(number, item) for number, item in enumerate(items(MEMORIES)))
    project.start_session(focus="Payments", issues=["#12"], summary="The outbox is in.")
    for number in range(RUNS):
        project.start_run(agent=f"worker-{number}", task=f"Move step_{number} to src/part_{number}.py")


def claiming(number: int, item: dict[str, object]) -> dict[str, object]:
    """The item; some are core context or of high importance, and these name a file and a symbol."""
    if number % HIGH_EACH:
        return item
    place = number // HIGH_EACH
    words = f"{item['content']} See `src/part_{place}.py` and `step_{place}()`."
    kind = "core_context" if number % CORE_EACH == 0 else "learning"
    own = {"agent": AGENT} if kind == "core_context" else {}
    return {**item, **own, "content": words, "importance": "high", "type": kind}


def opened(database: Path) -> Hansard:
    return Hansard.open(database, settings=Settings(user="ana", mirror_auto="off"))
