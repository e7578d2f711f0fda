"""The first answers are given without the SDK, and are those that the SDK gives."""

import json
import subprocess
import sys
from typing import Any

import pytest
from mcp import Client, types
from mcp.server.lowlevel import Server
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from hansard.interfaces.mcp.front import STATELESS_VERSIONS, VERSIONS, Front
from hansard.interfaces.mcp.tools import offered
from hansard.project import Project
from support.mcp_client import seated, used

HELLO: dict[str, Any] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"roots": {"listChanged": True}, "something-new": {}},
    "clientInfo": {"name": "host", "version": "1"},
}
META: dict[str, Any] = {
    PROTOCOL_VERSION_META_KEY: "2026-07-28",
    CLIENT_CAPABILITIES_META_KEY: {"something-new": {}},
    CLIENT_INFO_META_KEY: {"name": "host", "version": "1"},
}


@pytest.fixture
def front() -> Front:
    return Front(lambda: offered(aliases=False))


def line(method: str, params: Any = None, **rest: Any) -> str:
    said = {"jsonrpc": "2.0", "id": 1, "method": method, **({} if params is None else {"params": params}), **rest}
    return json.dumps(said) + "\n"


def result(answer: str | None) -> dict[str, Any]:
    assert answer is not None
    found: dict[str, Any] = json.loads(answer)["result"]
    return found


def test_the_versions_are_those_of_the_sdk() -> None:
    assert VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert STATELESS_VERSIONS == MODERN_PROTOCOL_VERSIONS


@pytest.mark.parametrize("child", [False, True])
def test_the_greeting_is_the_sdks_own(child: bool) -> None:
    async def greeted(client: Client) -> types.InitializeResult:
        assert client.server_info is not None
        return types.InitializeResult(
            protocol_version="2025-06-18",
            capabilities=client.server_capabilities,
            server_info=client.server_info,
            instructions=client.instructions,
        )

    said = result(Front(dict, child=child).answer(line("initialize", HELLO)))

    assert types.InitializeResult.model_validate(said, by_name=False) == used(
        _server(child=child), greeted, mode="legacy"
    )


def test_the_tools_are_told_as_the_sdk_tells_them(front: Front) -> None:
    front.answer(line("initialize", HELLO))
    listed = used(_server(), lambda client: client.list_tools(), mode="legacy")

    assert result(front.answer(line("tools/list"))) == listed.model_dump(
        by_alias=True, mode="json", exclude_none=True, include={"tools"}
    )


@pytest.mark.parametrize(
    ("asked", "answered"),
    [*((version, version) for version in VERSIONS), ("2026-07-28", VERSIONS[-1]), ("x", VERSIONS[-1])],
)
def test_a_version_that_is_not_known_is_negotiated_down(front: Front, asked: str, answered: str) -> None:
    assert result(front.answer(line("initialize", HELLO | {"protocolVersion": asked})))["protocolVersion"] == answered


@pytest.mark.parametrize("method", ["server/discover", "tools/list"])
@pytest.mark.parametrize("more", [{}, {"progressToken": 1, "traceparent": "00-a-b-00"}])
def test_a_client_without_a_handshake_is_answered_too(front: Front, method: str, more: dict[str, Any]) -> None:
    said = result(front.answer(line(method, {"_meta": META | more}, id="first")))

    assert said["resultType"] == "complete"
    assert front.opened == "first"
    [opening] = front.held
    assert json.loads(opening)["params"]["_meta"].keys() <= META.keys()
    assert front.answer(line("tools/list", {"_meta": META})) is not None
    assert front.is_idle


def test_how_the_first_request_speaks_settles_how_all_are_answered(front: Front) -> None:
    assert front.answer(line("server/discover", {"_meta": META})) is not None
    for later in (line("initialize", HELLO), line("ping"), line("ping", {"_meta": META}), line("tools/list")):
        assert front.answer(later) is None

    other = Front(lambda: offered(aliases=False))
    assert other.answer(line("initialize", HELLO)) is not None
    for later in (line("tools/list", {"_meta": META}), line("server/discover", {"_meta": META})):
        assert other.answer(later) is None


def test_a_ping_is_answered_before_everything_else(front: Front) -> None:
    assert result(front.answer(line("ping"))) == {}


@pytest.mark.parametrize(
    "kept",
    [
        line("tools/list"),
        line("tools/call", {"name": "list_inbox"}),
        line("server/discover"),
        line("server/discover", {"_meta": META | {PROTOCOL_VERSION_META_KEY: "2099-01-01"}}),
        line("server/discover", {"_meta": {PROTOCOL_VERSION_META_KEY: "2026-07-28"}}),
        line("server/discover", {"_meta": META | {CLIENT_INFO_META_KEY: "host"}}),
        line("server/discover", {"_meta": META | {"io.modelcontextprotocol/something": 1}}),
        line("tools/list", {"_meta": META, "cursor": "x"}),
        line("tools/call", {"_meta": META, "name": "list_inbox"}),
        line("initialize", {}),
        line("initialize", HELLO | {"clientInfo": "host"}),
        line("initialize", HELLO, id=None),
        line("initialize", HELLO, id=True),
        line("initialize", HELLO, jsonrpc="1.0"),
        line("initialize", [HELLO]),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}\n',
        "[" * 10_000 + "\n",
        "not JSON\n",
        "[]\n",
        "null\n",
    ],
)
def test_what_it_is_not_sure_of_is_kept_for_the_sdk(front: Front, kept: str) -> None:
    assert front.answer(kept) is None
    assert front.held == [kept]


def test_the_sdk_is_greeted_once_more_with_words_it_knows(front: Front) -> None:
    front.answer(line("initialize", HELLO, id="first"))
    front.answer(line("tools/list"))
    front.answer(line("tools/call", {"name": "list_inbox"}))

    greeting, call = front.held

    types.InitializeRequestParams.model_validate(json.loads(greeting)["params"], by_name=False)
    assert json.loads(greeting)["id"] == front.opened == "first"
    assert json.loads(call)["method"] == "tools/call"


def test_a_second_greeting_is_left_to_the_sdk(front: Front) -> None:
    assert front.answer(line("initialize", HELLO)) is not None
    assert front.answer(line("initialize", HELLO)) is None


def test_nothing_that_waits_for_an_answer_is_idle(front: Front) -> None:
    front.answer(line("initialize", HELLO))
    front.answer('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    assert front.is_idle
    front.answer(line("tools/call", {"name": "list_inbox"}))
    assert not front.is_idle


def test_the_front_loads_neither_the_sdk_nor_a_store() -> None:
    program = (
        "import sys, hansard.interfaces.cli.mcp, hansard.interfaces.mcp.stdio\n"
        "heavy = {'mcp', 'pydantic', 'starlette', 'anyio', 'apsw', 'numpy'}\n"
        "print([name for name in sys.modules if name.split('.')[0] in heavy])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def _server(*, child: bool = False) -> Server[Any]:
    def nobody() -> Project:
        raise AssertionError("nothing is opened for this")

    return seated(nobody, child=child)
