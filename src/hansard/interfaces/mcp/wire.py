"""Owns the two pipes to a host: nothing but the protocol's lines ever passes through them."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections import deque
from typing import Any

FINISH_SECONDS_MAX = 20.0
"""How long open requests are waited for after the host closed its end."""


class Wire:
    """Standard input and output, taken away from everything else in this process and its children.

    What is printed by accident goes to standard error. It is read and written as a text file is.
    """

    def __init__(self) -> None:
        self._incoming = os.fdopen(os.dup(0), "rb")
        self._outgoing = os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        # A simple one: a signal's handler may put into it while its own thread does.
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._first: deque[str] = deque()
        self._unsaid: Any = None
        self._open: set[Any] = set()
        self._settled = threading.Condition()
        threading.Thread(target=self._read, name="hansard-mcp-reader", daemon=True).start()

    def take(self) -> str | None:
        """The next line, empty when the host has closed its end; None if somebody only knocked."""
        return self._lines.get()

    def knock(self) -> None:
        """Wakes whoever waits for a line."""
        self._lines.put(None)

    def end(self) -> None:
        """As if the host had closed its end. Lines that wait are read first."""
        self._lines.put("")

    def hand_over(self, lines: list[str], unsaid: Any) -> None:
        """What the next reader reads before everything else, and the id of the request that was answered already."""
        self._first.extend(lines)
        self._unsaid = unsaid

    def readline(self) -> str:
        line: str | None = self._first.popleft() if self._first else None
        while line is None:
            line = self.take()
        if line:
            self._note(line)
        else:
            self._finish()
        return line

    def write(self, text: str) -> int:
        said = _message(text)
        if self._unsaid is not None and "result" in said and said.get("id") == self._unsaid:
            self._unsaid = None
        else:
            self._outgoing.write(text.encode("utf-8", "replace"))
        with self._settled:
            self._open.discard(said.get("id"))
            self._settled.notify_all()
        return len(text)

    def flush(self) -> None:
        try:
            self._outgoing.flush()
        except BrokenPipeError:
            # The host is gone, and what it asked for is done. What is left of it goes nowhere.
            os.dup2(2, self._outgoing.fileno())
            self.end()

    def _note(self, line: str) -> None:
        """Keeps which requests wait for an answer."""
        said = _message(line)
        with self._settled:
            if said.get("method") == "notifications/cancelled" and isinstance(said.get("params"), dict):
                self._open.discard(said["params"].get("requestId"))
            elif "method" in said and isinstance(said.get("id"), str | int):
                self._open.add(said["id"])

    def _finish(self) -> None:
        """Waits until all that was asked is answered. The end of the input would end what is being done."""
        with self._settled:
            self._settled.wait_for(lambda: not self._open, FINISH_SECONDS_MAX)

    def _read(self) -> None:
        try:
            for line in self._incoming:
                self._lines.put(line.decode("utf-8", "replace"))
        except OSError as error:
            print(f"The host's end cannot be read: {error}", file=sys.stderr)
        finally:
            self.end()


def _message(line: str) -> dict[str, Any]:
    """The message in a line; an empty one if there is none."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) and isinstance(said.get("id"), str | int | None) else {}
