"""Owns how a command that stays is stopped."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_SECONDS = 1.0


@contextmanager
def stoppable() -> Iterator[None]:
    """Lets a request of the system to end be what Ctrl-C is, and neither be lost, for as long as somebody watches."""
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread is told of signals.
        yield
        return
    asked = [signal.SIGINT, signal.SIGTERM]
    repeats = hasattr(signal, "SIGALRM")
    if repeats:
        asked.append(signal.SIGALRM)
    before = {one: signal.signal(one, _repeated if repeats else _interrupt) for one in asked}
    try:
        yield
    finally:
        if repeats:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for one, handler in before.items():
            signal.signal(one, handler)


def _repeated(number: int, frame: FrameType | None) -> None:
    # What is raised while an object is taken down goes nowhere. So it comes again until it has arrived.
    signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    _interrupt(number, frame)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
