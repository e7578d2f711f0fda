"""The bars of verification: what checking claims against a fresh checkout costs, and checking them again."""

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.bar import Bar
from hansard.domain.claims import Claim, ClaimKind, ClaimStatus
from hansard.workspace.evidence import Evidence

FILES = 5_000
FOLDERS = 50
FUNCTIONS_A_FILE = 40
CLAIMS = 200
GONE = 10
"""How many of the claims do not hold: while one is missing, no search may end early."""
RUNS = 7
WARM_RUNS = 50
COLD_MILLISECONDS_MAX = 300.0
WARM_MILLISECONDS_MAX = 2.0
SEED = 6

ONE_PROCESS = """
import json, sys, time
start = time.perf_counter()
from pathlib import Path
from hansard.workspace.evidence import Claim, ClaimKind, Evidence
root, cache = Path(sys.argv[1]), Path(sys.argv[2])
claims = [Claim(ClaimKind(kind), name) for kind, name, *_ in json.loads(sys.stdin.read())]
found = Evidence(root, cache).check(claims)
took = time.perf_counter() - start
print(json.dumps([took, sum(one.status == "stale" for one in found.values())]))
"""


def measure(folder: Path) -> Iterator[Bar]:
    root, claims = checkout(folder), claimed()
    yield cold(root, claims, folder / "cache")
    yield from warm(root, claims, folder / "cache")


def cold(root: Path, claims: Sequence[Claim], cache: Path) -> Bar:
    """A process that knows nothing yet, its imports included, against one search by git alone, in turn."""
    checks: list[float] = []
    searches: list[float] = []
    command = raw_search(claims)
    for _ in range(RUNS):
        shutil.rmtree(cache, ignore_errors=True)
        checks.append(one_process(root, claims, cache))
        searches.append(seconds(partial(subprocess.run, command, cwd=root, capture_output=True, check=False)))
    figure, reference = statistics.median(checks), statistics.median(searches)
    return Bar(
        f"{CLAIMS} claims in a fresh checkout of {FILES:,} files, cold process", milliseconds(figure),
        f"git grep, one alternation: {milliseconds(reference)}", figure / reference, figure * 1000, "at most",
        COLD_MILLISECONDS_MAX, "ms",
    )  # fmt: skip


def warm(root: Path, claims: Sequence[Claim], cache: Path) -> Iterator[Bar]:
    """The same claims again: in the same process, and in another one by the file, against a stat of each file."""
    evidence = Evidence(root, cache)
    settled = evidence.check(claims)
    assert sum(one.status is ClaimStatus.STALE for one in settled.values()) == GONE
    again: list[float] = []
    stats: list[float] = []
    for _ in range(WARM_RUNS):
        again.append(seconds(partial(evidence.check, claims)))
        stats.append(seconds(partial(stat_all, root)))
    assert evidence.check(claims) == settled
    reference = statistics.median(stats)
    other = statistics.median(seconds(partial(Evidence(root, cache).check, claims)) for _ in range(WARM_RUNS))
    for what, figure in (("again", statistics.median(again)), ("again, from the file of another process", other)):
        yield Bar(
            f"the same claims {what}", milliseconds(figure), f"{CLAIMS} stats: {milliseconds(reference)}",
            figure / reference, figure * 1000, "at most", WARM_MILLISECONDS_MAX, "ms",
        )  # fmt: skip


def checkout(folder: Path) -> Path:
    """A fresh clone of a repository with many small files."""
    origin = folder / "origin"
    chance = random.Random(SEED)
    verbs = "read write load save parse check build merge find list drop open close send".split()
    nouns = "user order item price cart page token model file event state group key value".split()
    for number in range(FILES):
        file = origin / place(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        names = [f"{chance.choice(verbs)}_{chance.choice(nouns)}_{number}" for _ in range(FUNCTIONS_A_FILE)]
        body = "".join(f"def {one}(name, data):\n    return data[name]\n\n\n" for one in names)
        file.write_text(f"{body}def special_{number}():\n    pass\n", encoding="utf-8")
    git(origin, "init", "--quiet")
    git(origin, "add", "--all")
    git(origin, "-c", "user.name=ana", "-c", "user.email=ana@example.org", "commit", "--quiet", "--message", "all")
    git(folder, "clone", "--quiet", str(origin), "clone")
    return folder / "clone"


def claimed() -> list[Claim]:
    """Half files, half symbols, spread over the tree, and some of both that are gone."""
    step = FILES // CLAIMS
    some = range(0, FILES, step)
    paths = [Claim(ClaimKind.PATH, place(number)) for number in some[: CLAIMS // 2 - GONE // 2]]
    symbols = [Claim(ClaimKind.SYMBOL, f"special_{number}") for number in some[CLAIMS // 2 + GONE // 2 :]]
    gone = [Claim(ClaimKind.PATH, f"src/gone_{number}.py") for number in range(GONE // 2)]
    gone += [Claim(ClaimKind.SYMBOL, f"gone_{number}") for number in range(GONE // 2)]
    return paths + symbols + gone


def place(number: int) -> str:
    return f"src/package_{number % FOLDERS}/part_{number % 7}/file_{number}.py"


def raw_search(claims: Sequence[Claim]) -> list[str]:
    words = "|".join(one.name for one in claims if one.kind is ClaimKind.SYMBOL)
    return ["git", "grep", "--untracked", "-w", "-o", "-h", "-E", "-e", words]


def stat_all(root: Path) -> None:
    for number in range(0, FILES, FILES // CLAIMS):
        os.stat(f"{root}/{place(number)}")  # noqa: PTH116 - as raw as it gets


def one_process(root: Path, claims: Sequence[Claim], cache: Path) -> float:
    ran = subprocess.run(
        [sys.executable, "-c", ONE_PROCESS, str(root), str(cache)],
        input=json.dumps(claims), capture_output=True, text=True, check=True,
    )  # fmt: skip
    took, stale = json.loads(ran.stdout)
    assert stale == GONE
    return float(took)


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def milliseconds(value: float) -> str:
    return f"{value * 1000:.2f} ms"
