"""Ends connections whose server does not answer somebody who is in a hurry."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg


@contextmanager
def cut_off(raw: psycopg.Connection[tuple[Any, ...]], at: float | None) -> Iterator[None]:
    """Ends the connection if this is not over in time; without a time it lasts as long as it lasts.

    No timeout of the server helps against a server that takes a question and never answers.
    """
    if at is None:
        yield
        return
    timer = threading.Timer(max(0.0, at - time.monotonic()), _cut, (raw,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _cut(raw: psycopg.Connection[tuple[Any, ...]]) -> None:
    import socket

    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(raw.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)
