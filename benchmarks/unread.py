"""Measures the first reading of each hostile text, in a process that scanned a few small texts before and nothing else.

An automaton that knows its way through a text hides what it took to learn it. `python -m benchmarks.unread` prints it.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial

from benchmarks.stalling import stalling
from hansard.guard.secrets import scan

SMALL_SCANS = 30
"""From the twentieth on the scanner asks of each text first whether it holds anything."""
SMALL = "pass" + "word = a1"
Measure = Callable[[Callable[[], object]], float]


def first_readings(texts: Mapping[str, str], measure: Measure) -> dict[str, float]:
    """What a measure says of the first scan of each text, each in a process of its own. Nothing large may have been
    scanned in this one."""
    for _ in range(SMALL_SCANS):
        scan(SMALL)
    return {name: forked(partial(measure, partial(scan, text))) for name, text in texts.items()}


def forked(work: Callable[[], float]) -> float:
    """What the work says in a process of its own."""
    source, target = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(target, str(work()).encode())
        os._exit(0)
    os.close(target)
    with os.fdopen(source) as told:
        figure = float(told.read())
    os.waitpid(child, 0)
    return figure


def _milliseconds(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return (time.thread_time() - start) * 1000


if __name__ == "__main__":
    sys.stdout.write(json.dumps(first_readings(stalling(int(sys.argv[1])), _milliseconds)))
