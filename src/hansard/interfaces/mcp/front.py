"""Owns the first answers of a session: a host is greeted and told the tools while the SDK is still being loaded.

Loading the SDK takes a second, and hosts wait for each of their servers at start. What is said here is what the SDK
would have said; a test compares the two word for word.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import hansard
from hansard.domain.protocol import MEMORY_PROTOCOL
from hansard.interfaces.mcp.calling import Tool

NAME = "hansard"
TITLE = "Hansard: the team's memory"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions that begin with a handshake. A newer one has none, and is left to the SDK."""
HELD_LINES_MAX = 1_000
CAPABILITIES: dict[str, Any] = {
    "completions": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}


class Front:
    """Answers what it is sure of, and keeps every other line for the SDK, in order."""

    def __init__(self, offered: Callable[[], dict[str, Tool]], *, child: bool = False) -> None:
        self._offered = offered
        self._instructions = None if child else MEMORY_PROTOCOL
        self._greeting: str | None = None
        self.greeted: Any = None
        """The id of the handshake that was answered here."""
        self._held: list[str] = []

    @property
    def held(self) -> list[str]:
        """What the SDK has still to read. It is greeted as well, or it would serve nobody."""
        return [*([self._greeting] if self._greeting else []), *self._held]

    @property
    def is_full(self) -> bool:
        return len(self._held) >= HELD_LINES_MAX

    @property
    def is_idle(self) -> bool:
        """Whether nothing that was kept wants an answer."""
        return not any(_asks(line) for line in self._held)

    def answer(self, line: str) -> str | None:
        """The answer as a line, or None if the line is kept."""
        asked = _request(line)
        result = None if asked is None else self._result(asked)
        if asked is None or result is None:
            self._held.append(line)
            return None
        return json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}) + "\n"

    def _result(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        params = asked.get("params", {})
        match asked["method"]:
            case "initialize" if self._greeting is None and not self._held and _is_handshake(params):
                self._greeting, self.greeted = _plain(asked), asked["id"]
                return self._greet(params["protocolVersion"])
            case "ping" if params.keys() <= {"_meta"}:
                return {}
            case "tools/list" if self._greeting is not None and params.keys() <= {"_meta"}:
                return {"tools": [tool.told() for tool in self._offered().values()]}
        return None

    def _greet(self, version: str) -> dict[str, Any]:
        said = {
            "protocolVersion": version if version in VERSIONS else VERSIONS[-1],
            "capabilities": CAPABILITIES,
            "serverInfo": {"name": NAME, "title": TITLE, "version": hansard.__version__},
        }
        return said if self._instructions is None else said | {"instructions": self._instructions}


def _request(line: str) -> dict[str, Any] | None:
    """The request in a line, if it is a plain one."""
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(asked, dict) or asked.get("jsonrpc") != "2.0" or not isinstance(asked.get("method"), str):
        return None
    identity = asked.get("id")
    is_named = isinstance(identity, str | int) and not isinstance(identity, bool)
    return asked if is_named and isinstance(asked.get("params", {}), dict) else None


def _asks(line: str) -> bool:
    """Whether a line wants an answer, or might."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return bool(line.strip())
    return not isinstance(said, dict) or "id" in said


def _is_handshake(params: dict[str, Any]) -> bool:
    client = params.get("clientInfo")
    return (
        isinstance(params.get("protocolVersion"), str)
        and isinstance(params.get("capabilities"), dict)
        and isinstance(client, dict)
        and all(isinstance(client.get(name), str) for name in ("name", "version"))
    )


def _plain(asked: dict[str, Any]) -> str:
    """The handshake as the SDK gets it: it must not refuse, for a word it does not know, what was accepted here.

    What the host can do is left out. Nothing is ever asked of a host.
    """
    given = asked["params"]
    client = {name: given["clientInfo"][name] for name in ("name", "version")}
    params = {"protocolVersion": given["protocolVersion"], "capabilities": {}, "clientInfo": client}
    return json.dumps({"jsonrpc": "2.0", "id": asked["id"], "method": "initialize", "params": params}) + "\n"
