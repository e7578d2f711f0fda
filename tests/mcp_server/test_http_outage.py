"""MCP over HTTP when a request is turned away before a tool is asked: the client is told why, as over pipes."""

from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from hansard import Hansard
from hansard.domain.errors import StoreUnreachable
from hansard.interfaces.server import auth, rpc
from hansard.interfaces.server.late import LateMcp
from hansard.interfaces.server.options import Options
from hansard.project import Project
from support.mcp_client import transport, used
from support.serving import Running, running

PLACE = "10.0.0.7"
CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "list_inbox", "arguments": {}}}
ACCEPTED = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


def take_away(served: Running) -> None:
    """Has the store behave as one whose server was stopped."""

    def gone(*_: object, **__: object) -> None:
        raise StoreUnreachable(f"PostgreSQL at {PLACE} cannot be reached.")

    served.hansard.store.read = gone  # type: ignore[method-assign, assignment]


def is_explained(answer: Any, status: int, code: str) -> bool:
    body = answer.json()
    said = body["error"]["message"]
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-length"] == str(len(answer.content))
    assert (body["jsonrpc"], body["id"], body["error"]["data"]["code"]) == ("2.0", None, code)
    return f"[{code}]\nWhat to do: {rpc.HINTS[status]}" in said


@pytest.mark.parametrize("path", ["/mcp", "/mcp/shop"])
def test_the_official_client_says_that_the_database_is_away(
    served: Running, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Else a token that was just used is believed, and the tool itself says it.
    monkeypatch.setattr(auth, "BELIEVED_SECONDS", 0.0)
    token = served.token("tank")

    async def search(client: Client) -> Any:
        await client.list_tools()
        take_away(served)
        return await client.call_tool("memory_search", {"query": "prefix"})

    with pytest.raises(MCPError) as refused:
        used(transport(served.address + path, token), search)

    assert "[store.unreachable]" in str(refused.value)
    assert "What to do: Try again in a moment." in str(refused.value)
    assert PLACE not in str(refused.value)


def test_the_answer_is_an_error_of_the_protocol_and_keeps_its_status(served: Running) -> None:
    with served.client() as tank:
        take_away(served)
        answer = tank.post("/mcp", json=CALL, headers=ACCEPTED)

    assert is_explained(answer, 503, "store.unreachable")
    assert answer.headers["retry-after"] == "1"
    assert PLACE not in answer.text


def test_who_calls_too_often_or_sends_too_much_is_told_so_too(hansard: Hansard, project: Project) -> None:
    assert project.key == "shop"
    with running(hansard, Options(requests_per_second=0.01, body_bytes_max=2_000)) as one, one.client() as tank:
        large = tank.post("/mcp/shop", json=CALL | {"padding": "x" * 3_000}, headers=ACCEPTED)
        often = tank.post("/mcp/shop", json=CALL, headers=ACCEPTED)

    assert is_explained(large, 413, "request.too_large")
    assert is_explained(often, 429, "request.rate")
    assert int(often.headers["retry-after"]) >= 1


def test_a_body_that_turns_out_too_large_is_told_so_too(hansard: Hansard, project: Project) -> None:
    assert project.key == "shop"
    with running(hansard, Options(body_bytes_max=2_000)) as one, one.client() as tank:
        pieces = (b"x" * 1_000 for _ in range(5))
        typed = ACCEPTED | {"Content-Type": "application/json"}
        answer = tank.post("/mcp/shop", content=pieces, headers=typed)

    assert is_explained(answer, 413, "request.too_large")


def test_a_fault_of_the_server_itself_is_told_without_what_it_was(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError(PLACE)

    with served.client() as tank:
        monkeypatch.setattr(LateMcp, "__call__", broken)
        answer = tank.post("/mcp/shop", json=CALL, headers=ACCEPTED)

    assert is_explained(answer, 500, "hansard.unexpected")
    assert PLACE not in answer.text


def test_only_requests_to_mcp_are_answered_in_its_protocol(served: Running) -> None:
    with served.client() as tank, served.nobody() as nobody:
        stranger = nobody.post("/mcp", json=CALL, headers=ACCEPTED)
        take_away(served)
        others = [tank.get("/api/v1/projects/shop"), tank.get("/mcp"), tank.post("/mcpx", json=CALL)]

    assert (stranger.status_code, stranger.json()["code"]) == (401, "auth.needed")
    assert {(one.status_code, one.json()["code"]) for one in others} == {(503, "store.unreachable")}
    assert {one.headers["content-type"] for one in (stranger, *others)} == {"application/problem+json"}
