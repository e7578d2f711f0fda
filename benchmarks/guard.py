"""The bars of the secret scan: what it finds, what it leaves alone, and what it costs, also at its worst."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.bar import Bar
from benchmarks.leaks import fakes
from benchmarks.lookalikes import lookalikes
from benchmarks.neighbours import BESIDE, beside
from benchmarks.texts import texts
from hansard.guard.secrets import redact, scan

MEMORIES = 2_000
PROSE_CHARACTERS = 4_000_000
WORST_CHARACTERS = 1_000_000
SIGNED = 10
"""Every how many sentences one has signs that are not ASCII."""
RUNS = 3
RECALL_PERCENT_MIN = 97.0
FALSE_PERCENT_MAX = 1.0
PROSE_MEGABYTES_MIN = 20.0
MEMORY_MILLISECONDS_MAX = 0.05
WORST_MILLISECONDS_MAX = 200.0


def measure(_folder: Path) -> Iterator[Bar]:
    scan("password=")
    yield recall()
    yield recall_beside()
    yield false_positives()
    yield from speed()
    yield worst()


def recall() -> Bar:
    """The reference is what one pattern for every long word would find, as agent hosts have it."""
    made = fakes()
    missed = sum(survives(one.secret, redact(one.text)) for one in made)
    naive = sum(one.secret not in one.text.replace(longest_word(one.text), "") for one in made)
    share = 100 * (1 - missed / len(made))
    return Bar(
        f"fake secrets found, {len(made)} of {len({one.kind for one in made})} kinds", f"{share:.1f} %",
        f"the longest word of each text: {100 * naive / len(made):.1f} %", None, share, "at least",
        RECALL_PERCENT_MIN, "%",
    )  # fmt: skip


def recall_beside() -> Bar:
    """The reference is what is found of the same secrets without company."""
    company = list(beside())
    alone = fakes()
    share = 100 * (1 - sum(survives(one.secret, redact(one.text)) for one in company) / len(company))
    reference = 100 * (1 - sum(survives(one.secret, redact(one.text)) for one in alone) / len(alone))
    return Bar(
        f"found beside harmless text, {len(company)} in {len(BESIDE)} kinds of company", f"{share:.1f} %",
        f"the same secrets alone: {reference:.1f} %", None, share, "at least", RECALL_PERCENT_MIN, "%",
    )  # fmt: skip


def false_positives() -> Bar:
    harmless = lookalikes()
    found = sum(bool(scan(text)) for text in harmless)
    naive = sum(len(longest_word(text)) >= 20 for text in harmless)
    share = 100 * found / len(harmless)
    return Bar(
        f"harmless look-alikes taken for secrets, of {len(harmless)}", f"{share:.2f} %",
        f"with a word of 20 characters: {100 * naive / len(harmless):.1f} %", None, share, "at most",
        FALSE_PERCENT_MAX, "%",
    )  # fmt: skip


def speed() -> Iterator[Bar]:
    memories = list(texts(MEMORIES))
    prose = written(PROSE_CHARACTERS)
    figure, reference = seconds(partial(scan, prose)), seconds(prose.split)
    rate = len(prose) / figure / 1e6
    yield Bar(
        "prose", f"{rate:.1f} MB/s", f"split into words: {len(prose) / reference / 1e6:.1f} MB/s", figure / reference,
        rate, "at least", PROSE_MEGABYTES_MIN, "MB/s",
    )  # fmt: skip
    each = seconds(lambda: [scan(one) for one in memories]) / MEMORIES * 1000
    split = seconds(lambda: [one.split() for one in memories]) / MEMORIES * 1000
    yield Bar(
        f"a typical memory, {sum(map(len, memories)) // MEMORIES} characters", f"{each:.4f} ms",
        f"split into words: {split:.4f} ms", each / split, each, "at most", MEMORY_MILLISECONDS_MAX, "ms",
    )  # fmt: skip


def worst() -> Bar:
    """The slowest of many inputs made to be slow, against the same length of plain prose. Each is read once, in a
    process that read nothing like it: the second time an automaton knows its way through it."""
    command = [sys.executable, "-m", "benchmarks.unread", str(WORST_CHARACTERS)]
    took: dict[str, float] = json.loads(subprocess.check_output(command))
    name = max(took, key=lambda one: took[one])
    prose = written(WORST_CHARACTERS)
    reference = seconds(partial(scan, prose)) * 1000
    return Bar(
        f"the worst of {len(took)} hostile inputs of 1 MB, never read before ({name})", f"{took[name]:.0f} ms",
        f"prose: {reference:.0f} ms", took[name] / reference, took[name], "at most", WORST_MILLISECONDS_MAX, "ms",
    )  # fmt: skip


def written(size: int) -> str:
    """Prose as people write it: sentences with commas and full stops, here and there a dash and a curly quote."""
    sentences = (f"{text[0].upper()}{text[1:]}".replace(" the ", ", the ", 1) for text in texts(size // 120))
    signed = (f"{one} — it’s so." if place % SIGNED == 0 else f"{one}." for place, one in enumerate(sentences))
    return " ".join(signed)[:size]


def survives(secret: str, text: str) -> bool:
    """Whether the secret, or both its ends, can still be read."""
    return secret in text or (len(secret) > 24 and secret[:12] in text and secret[-12:] in text)


def longest_word(text: str) -> str:
    return max(text.split(), key=len)


def seconds(work: Callable[[], object], runs: int = RUNS) -> float:
    """Of this thread alone, the median of a few: other work on the machine is no part of the figure."""
    took: list[float] = []
    for _ in range(runs):
        start = time.thread_time()
        work()
        took.append(time.thread_time() - start)
    return statistics.median(took)
