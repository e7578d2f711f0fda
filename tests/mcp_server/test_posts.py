"""A body posted to MCP is a message, or is refused in words: never in silence, and never with what was sent."""

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from hansard import Hansard
from hansard.interfaces.mcp import posts
from hansard.interfaces.mcp.front import VERSIONS
from hansard.project import Project
from support.engines import on_sqlite
from support.serving import Running, running

pytestmark = on_sqlite
SECRET = "ghp_" + "0123456789abcdefABCDEF" + "0123456789abcd"
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "host", "version": "1"},
}


@pytest.fixture
def served(hansard: Hansard, project: Project) -> Iterator[Running]:
    assert project.key == "shop"
    with running(hansard) as one:
        yield one


def posted(served: Running, body: Any, **headers: str) -> Any:
    carried = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "Authorization": f"Bearer {served.token('tank')}",
    }
    with httpx2.Client(base_url=served.address) as client:
        content = body if isinstance(body, bytes) else json.dumps(body)
        return client.post("/mcp", headers=carried | headers, content=content)


@pytest.mark.parametrize("version", [VERSIONS[0], MODERN])
@pytest.mark.parametrize("identity", [1.5, None, True, [1], {}])
def test_a_request_whose_id_is_no_text_or_whole_number_is_refused_and_not_passed_over(
    served: Running, identity: Any, version: str
) -> None:
    wanted = {"jsonrpc": "2.0", "id": identity, "method": "tools/list", "params": {}}

    refused = posted(served, wanted, **{"MCP-Protocol-Version": version})

    assert refused.status_code == 400
    assert refused.headers["content-type"] == "application/json"
    assert refused.json()["error"] == {"code": -32600, "message": "id must be a text or a whole number."}
    assert refused.json()["id"] == (1.5 if identity == 1.5 else None)


@pytest.mark.parametrize("version", [VERSIONS[0], MODERN])
@pytest.mark.parametrize(
    "body",
    [
        SECRET, [SECRET], {SECRET: 1}, SECRET.encode(), f'{{"id": 1, "{SECRET}'.encode(),
        {"jsonrpc": SECRET, "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 1, "method": [SECRET]},
        {"jsonrpc": SECRET, "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/initialized", "params": SECRET},
        {"jsonrpc": "2.0", "id": 1, "method": SECRET}, {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": SECRET},
        {"jsonrpc": "2.0", "id": 1, "method": SECRET, "params": {"_meta": META}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": [SECRET], "_meta": META}},
        {"jsonrpc": "2.0", "id": [SECRET], "method": "ping"},
    ],
)  # fmt: skip
def test_no_refusal_repeats_what_was_sent(served: Running, body: Any, version: str) -> None:
    method = body.get("method") if isinstance(body, dict) else None
    named = {"Mcp-Method": method} if isinstance(method, str) else {}

    refused = posted(served, body, **{"MCP-Protocol-Version": version}, **named)

    assert refused.status_code in {200, 400, 404}
    assert refused.json()["error"]["code"] < 0
    assert SECRET not in refused.text
    assert "pydantic" not in refused.text


def test_an_unknown_method_is_refused_without_its_name(served: Running) -> None:
    refused = posted(served, {"jsonrpc": "2.0", "id": 7, "method": SECRET})

    assert refused.json() == {
        "jsonrpc": "2.0", "id": 7, "error": {"code": -32601, "message": "There is no such method."}
    }  # fmt: skip


@pytest.mark.parametrize("said", [{"result": SECRET}, {"result": {}}, {"error": {"code": SECRET}}])
def test_an_answer_to_nothing_that_was_asked_is_taken_and_forgotten(served: Running, said: dict[str, Any]) -> None:
    taken = posted(served, {"jsonrpc": "2.0", "id": 1} | said)

    assert (taken.status_code, taken.content) == (202, b"")


def test_a_notification_is_taken_and_an_empty_body_is_not(served: Running) -> None:
    assert posted(served, {"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202
    assert [posted(served, one).status_code for one in (b"", b" \n")] == [400, 400]


def test_a_large_message_is_looked_at_like_a_small_one(served: Running, project: Project) -> None:
    padding = "x" * posts.AT_ONCE_BYTES_MAX
    said = {
        "name": "record_memory",
        "arguments": {"content": "The API needs a Bearer prefix."},
        "_meta": {"x": padding},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": said}

    assert posted(served, message | {"id": 1.5}).status_code == 400
    assert posted(served, message).json()["result"]["structuredContent"]["agent"] == "tank"
    assert len(project.list_memories().items) == 1


def test_half_a_character_is_replaced_and_told_over_http_too(served: Running, project: Project) -> None:
    said = {"name": "record_memory", "arguments": {"content": "Cut in two: \ud83d"}}

    done = posted(served, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": said}).json()["result"]

    assert done["structuredContent"]["replaced"] == 1
    assert [one.content for one in project.list_memories().items] == ["Cut in two: \ufffd"]
