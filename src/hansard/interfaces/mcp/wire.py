"""Owns the two pipes to a host: nothing but the protocol's lines ever passes through them."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections import Counter, deque
from typing import Any

from hansard.interfaces.mcp import lines

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
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._first: deque[str] = deque()
        self._unsaid: Any = None
        self._open: Counter[str | int] = Counter()
        self._settled = threading.Condition()
        threading.Thread(target=self._read, name="hansard-mcp-reader", daemon=True).start()

    def take(self) -> str | None:
        """The next message as a line, empty when the host has closed its end; None if there is nothing to do.

        That is so when somebody only knocked, and when a line was no message and was answered here.
        """
        raw = self._lines.get()
        if not raw:
            return None if raw is None else ""
        line = lines.checked(raw)
        if line.refusal is not None:
            self._put(line.refusal)
            self.flush()
        return line.text or None

    def knock(self) -> None:
        """Wakes whoever waits for a line."""
        self._lines.put(None)

    def end(self) -> None:
        """As if the host had closed its end. Lines that wait are read first."""
        self._lines.put(b"")

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
            self._put(text)
        with self._settled:
            self._settle(said.get("id"))
            self._settled.notify_all()
        return len(text)

    def flush(self) -> None:
        try:
            self._outgoing.flush()
        except BrokenPipeError:
            self._give_up()

    def _put(self, text: str) -> None:
        try:
            self._outgoing.write(text.encode("utf-8", "replace"))
        except BrokenPipeError:
            self._give_up()

    def _give_up(self) -> None:
        """The host is gone, and what it asked for is done. What is left of it goes nowhere."""
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self._outgoing.fileno())
        os.close(nothing)
        self.end()

    def _note(self, line: str) -> None:
        """Keeps which requests wait for an answer."""
        said = _message(line)
        with self._settled:
            if said.get("method") == "notifications/cancelled" and isinstance(said.get("params"), dict):
                self._settle(said["params"].get("requestId"))
            elif "method" in said and isinstance(said.get("id"), str | int):
                self._open[_same(said["id"])] += 1

    def _settle(self, identity: Any) -> None:
        """One request of this id waits no longer. What is no id is passed over, as the SDK does."""
        is_one = isinstance(identity, str | int) and not isinstance(identity, bool)
        if is_one and self._open[_same(identity)] > 0:
            self._open[_same(identity)] -= 1

    def _finish(self) -> None:
        """Waits until all that was asked is answered. The end of the input would end what is being done."""
        with self._settled:
            self._settled.wait_for(lambda: not self._open.total(), FINISH_SECONDS_MAX)

    def _read(self) -> None:
        try:
            for line in self._incoming:
                self._lines.put(line)
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


def _same(identity: str | int) -> str | int:
    """The SDK takes "7" and 7 for one id, when it is asked to stop."""
    try:
        return int(identity)
    except ValueError:
        return identity
