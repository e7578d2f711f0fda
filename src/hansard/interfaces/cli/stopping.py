"""Owns how a command that stays is stopped."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stoppable() -> Iterator[None]:
    """Lets a request of the system to end be what Ctrl-C is, for as long as somebody watches."""
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread is told of signals.
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
