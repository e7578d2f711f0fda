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
"""The versions that begin with a handshake."""
STATELESS_VERSIONS = ("2026-07-28",)
"""The versions without one. Each of their requests says which it is."""
LIST_MILLISECONDS = 300_000
"""How long a client may go by a list that changes only with the version."""
HELD_LINES_MAX = 1_000
_NAMES = "io.modelcontextprotocol/"
PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, SERVER_INFO = (
    f"{_NAMES}{name}" for name in ("protocolVersion", "clientCapabilities", "clientInfo", "serverInfo")
)
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
        self._instructions = {} if child else {"instructions": MEMORY_PROTOCOL}
        self._opening: str | None = None
        self._is_stateless = False
        self.opened: Any = None
        """The id of the request that opened the session and was answered here."""
        self._held: list[str] = []

    @property
    def held(self) -> list[str]:
        """What the SDK has still to read. The opening is among it, or it would not know how it is spoken to."""
        return [*([self._opening] if self._opening else []), *self._held]

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
        said = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
        return json.dumps(said, ensure_ascii=False, separators=(",", ":")) + "\n"

    def _result(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        params = asked.get("params", {})
        if _is_stateless(params):
            return self._stateless(asked) if _is_plain(params) else None
        if self._is_stateless:
            return None
        match asked["method"]:
            case "initialize" if self._opening is None and not self._held and _is_handshake(params):
                self._open(asked, _plain(asked))
                return self._greet(params["protocolVersion"])
            case "ping" if params.keys() <= {"_meta"}:
                return {}
            case "tools/list" if self._opening is not None and params.keys() <= {"_meta"}:
                return {"tools": self._tools()}
        return None

    def _stateless(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        """The answer to a request that says its version itself. The first request settles how all are spoken to."""
        is_first = self._opening is None and not self._held
        if asked["method"] not in {"server/discover", "tools/list"} or not (is_first or self._is_stateless):
            return None
        if is_first:
            self._is_stateless = True
            self._open(asked, _bare(asked))
        told: dict[str, Any] = {"cacheScope": "public"}
        if asked["method"] == "server/discover":
            told |= {"capabilities": CAPABILITIES, **self._instructions, "resultType": "complete"}
            told |= {"supportedVersions": list(STATELESS_VERSIONS)}
        else:
            told |= {"resultType": "complete", "tools": self._tools()}
        return told | {"ttlMs": LIST_MILLISECONDS, "_meta": {SERVER_INFO: _server_info()}}

    def _open(self, asked: dict[str, Any], line: str) -> None:
        self._opening, self.opened = line, asked["id"]

    def _tools(self) -> list[dict[str, Any]]:
        return [tool.told() for tool in self._offered().values()]

    def _greet(self, version: str) -> dict[str, Any]:
        return {
            "capabilities": CAPABILITIES,
            **self._instructions,
            "protocolVersion": version if version in VERSIONS else VERSIONS[-1],
            "serverInfo": _server_info(),
        }


def _server_info() -> dict[str, str]:
    return {"name": NAME, "title": TITLE, "version": hansard.__version__}


def _is_stateless(params: dict[str, Any]) -> bool:
    meta = params.get("_meta")
    return isinstance(meta, dict) and PROTOCOL_VERSION in meta


def _is_plain(params: dict[str, Any]) -> bool:
    """Whether a request without a handshake says nothing but who asks, and says it as the SDK takes it."""
    meta = params["_meta"]
    client = meta.get(CLIENT_INFO)
    more = meta.keys() - {PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO}
    return (
        params.keys() == {"_meta"}
        and not any(name.startswith(_NAMES) for name in more)
        and isinstance(meta.get("progressToken", ""), str | int)
        and meta[PROTOCOL_VERSION] in STATELESS_VERSIONS
        and isinstance(meta.get(CLIENT_CAPABILITIES), dict)
        and (client is None or _is_client(client))
    )


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
    return (
        isinstance(params.get("protocolVersion"), str)
        and isinstance(params.get("capabilities"), dict)
        and _is_client(params.get("clientInfo"))
    )


def _is_client(client: Any) -> bool:
    return isinstance(client, dict) and all(isinstance(client.get(name), str) for name in ("name", "version"))


def _plain(asked: dict[str, Any]) -> str:
    """The handshake as the SDK gets it: it must not refuse, for a word it does not know, what was accepted here.

    What the host can do is left out. Nothing is ever asked of a host.
    """
    given = asked["params"]
    client = {name: given["clientInfo"][name] for name in ("name", "version")}
    params = {"protocolVersion": given["protocolVersion"], "capabilities": {}, "clientInfo": client}
    return json.dumps({"jsonrpc": "2.0", "id": asked["id"], "method": "initialize", "params": params}) + "\n"


def _bare(asked: dict[str, Any]) -> str:
    """A request without a handshake as the SDK gets it, for the same reason."""
    meta = {PROTOCOL_VERSION: asked["params"]["_meta"][PROTOCOL_VERSION], CLIENT_CAPABILITIES: {}}
    said = {"jsonrpc": "2.0", "id": asked["id"], "method": asked["method"], "params": {"_meta": meta}}
    return json.dumps(said) + "\n"
