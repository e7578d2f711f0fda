"""Measures a piece of work in the time of this thread, as it would be if nobody else were at work on the machine."""

import time
from collections.abc import Callable

TURNS = 100_000
ALONE_MILLISECONDS = 6.5
"""What the turns of `_yardstick` take on two quiet cores, for which the bars of the product are written."""


def milliseconds(work: Callable[[], object], tries: int = 3) -> float:
    """The best of a few, each divided by how much slower the machine was before and behind it than when left alone. A
    core that is shared makes all work slower, whoever it belongs to; one that is faster makes no bar easier."""
    return min(_one(work) for _ in range(tries))


def _one(work: Callable[[], object]) -> float:
    before = _yardstick()
    start = time.thread_time()
    work()
    took = (time.thread_time() - start) * 1000
    return took / max(1.0, min(before, _yardstick()) / ALONE_MILLISECONDS)


def _yardstick() -> float:
    start = time.thread_time()
    total = 0
    for turn in range(TURNS):
        total += turn * turn % 7
    return (time.thread_time() - start) * 1000
