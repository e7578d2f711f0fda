"""Plays an agent's host by hand: starts `hansard mcp` and talks to it line by line."""

import json
import subprocess
from types import TracebackType
from typing import Any, Self

from support.mcp_client import command


class Host:
    """A host and the server it started. Leaving it closes the pipe and waits for the server's end."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        started = command(*arguments, **environment)
        self.process = subprocess.Popen(
            [started.command, *started.args],
            env=started.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._number = 0
        self._has_left = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.process.kill()
        if not self._has_left:
            self.left(may_answer=kind is not None)

    def greet(self, version: str = "2025-06-18") -> dict[str, Any]:
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}
        said = self.ask("initialize", hello)
        self.say("notifications/initialized")
        return said

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """The result, or with a failure the error as it came."""
        self.send(method, params)
        return self.heard()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def send(self, method: str, params: Any = None) -> None:
        self._number += 1
        self._write({"id": self._number, "method": method} | ({} if params is None else {"params": params}))

    def say(self, method: str, params: Any = None) -> None:
        self._write({"method": method} | ({} if params is None else {"params": params}))

    def write(self, raw: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def heard(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.heard_line())
        return said.get("result", said)  # type: ignore[no-any-return]

    def heard_line(self) -> bytes:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server left"
        return line

    def left(self, *, may_answer: bool = False) -> tuple[int, str]:
        """Closes the pipe, and gives the exit code and what was said to standard error."""
        self._has_left = True
        if self.process.stdout is not None and self.process.stdout.closed:
            self.process.stdout = None
        said, complained = self.process.communicate(timeout=60)
        assert may_answer or said == b"", f"more than the protocol was printed: {said!r}"
        return self.process.returncode, complained.decode()

    def _write(self, message: dict[str, Any]) -> None:
        self.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
