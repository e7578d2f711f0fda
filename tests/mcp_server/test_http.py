"""MCP over HTTP, in the whole server: the actor is the token's, and every request carries it."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, TypeVar

import httpx2
import pytest
from mcp import Client

from hansard import Hansard
from hansard.domain.errors import StoreBusy
from hansard.interfaces.mcp.front import VERSIONS
from hansard.interfaces.server import lanes
from hansard.project import Project
from support.engines import on_sqlite
from support.marks import invariant
from support.mcp_client import Told, told, transport, used
from support.raw import raw
from support.serving import Running

Result = TypeVar("Result")
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
HOSTILE = (
    b"not json", b"", b"[]", b"null", b"[" * 10_000, b"\xff\xfe", b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 3}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "end_of_turn", "arguments": []}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "memory://\\ud800"}}',
)  # fmt: skip
HELLO: dict[str, Any] = {"capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}


def visited(
    served: Running, token: str, act: Callable[[Client], Awaitable[Result]], *, path: str = "/mcp", mode: str = "auto"
) -> Result:
    return used(transport(served.address + path, token), act, mode=mode)


def call(served: Running, token: str, tool: str, /, *, path: str = "/mcp", **arguments: Any) -> Told:
    return told(visited(served, token, lambda client: client.call_tool(tool, arguments), path=path))


def posted(served: Running, message: Any, token: str | None = None, *, path: str = "/mcp", **headers: str) -> Any:
    carried = HEADERS | ({} if token is None else {"Authorization": f"Bearer {token}"}) | headers
    body = {"jsonrpc": "2.0", "id": 1} | message if isinstance(message, dict) else message
    with httpx2.Client(base_url=served.address) as client:
        sent = {"json": body} if isinstance(body, dict | list) else {"content": body}
        return client.post(path, headers=carried, **sent)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
def test_the_official_client_works_over_http_in_both_eras(served: Running, project: Project, mode: str) -> None:
    async def work(client: Client) -> tuple[int, Told, str]:
        listed = await client.list_tools()
        made = told(await client.call_tool("record_memory", {"content": f"Learned over {mode}."}))
        [content] = (await client.read_resource(made.document["address"])).contents
        return len(listed.tools), made, content.model_dump()["text"]

    count, made, text = visited(served, served.token("tank"), work, mode=mode)

    assert count == 16
    assert made.document["agent"] == "tank"
    assert f"Learned over {mode}." in text
    assert [one.agent for one in project.list_memories().items] == ["tank"]


def test_clients_of_every_age_are_served_without_a_session(served: Running) -> None:
    token = served.token("tank")
    wanted = {"method": "tools/call", "params": {"name": "list_inbox", "arguments": {}}}

    for version in VERSIONS:
        greeted = posted(served, {"method": "initialize", "params": HELLO | {"protocolVersion": version}}, token)
        called = posted(served, wanted, token, **{"MCP-Protocol-Version": version})

        assert greeted.json()["result"]["protocolVersion"] == version
        assert "mcp-session-id" not in greeted.headers
        assert called.json()["result"]["structuredContent"]["items"] == []


@pytest.mark.parametrize("path", ["/mcp?child", "/mcp/shop?child=1"])
def test_a_child_run_is_told_its_decisions_and_nothing_else_over_http_too(
    served: Running, project: Project, path: str
) -> None:
    token = served.token("tank")
    project.remember("Know this.", agent="tank", type="core_context", importance="high")
    hello = {"method": "initialize", "params": HELLO | {"protocolVersion": VERSIONS[0]}}

    assert "instructions" not in posted(served, hello, token, path=path).json()["result"]
    assert "instructions" in posted(served, hello, token).json()["result"]
    assert "instructions" in posted(served, hello, token, path="/mcp?child=no").json()["result"]
    assert "Know this." not in call(served, token, "get_context", path=path).text
    assert "Know this." in call(served, token, "get_context").text


@invariant("INV-24")
def test_the_token_says_who_acts_and_no_argument_does(served: Running, project: Project) -> None:
    tank = served.token("tank")

    assert call(served, tank, "record_memory", content="As neo.", agent="neo").code == "policy.impersonation"
    call(served, tank, "submit_decision", type="architectural", title="Use X", content="Use X.")
    for token in (tank, served.token("neo"), served.token("cron", "service")):
        assert call(served, token, "merge_inbox_entry", reference="P-1").code == "policy.denied"
    assert project.get_entry("P-1").status == "pending"
    merged = call(served, served.token("morpheus", "coordinator"), "merge_inbox_entry", reference="P-1")
    assert merged.document["decided_by"] == "morpheus"


def test_nobody_is_served_without_a_good_token(served: Running) -> None:
    hello = {"method": "initialize", "params": HELLO | {"protocolVersion": VERSIONS[-1]}}

    for token in (None, "nonsense", "hansard_" + "a" * 43):
        refused = posted(served, hello, token)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].lower().startswith("bearer")
        assert refused.headers["content-type"] == "application/problem+json"


def test_a_web_page_elsewhere_is_turned_away(served: Running) -> None:
    token = served.token("tank")
    hello = {"method": "initialize", "params": HELLO | {"protocolVersion": VERSIONS[-1]}}

    assert posted(served, hello, token, Origin="http://evil.example").status_code == 403
    assert 400 <= posted(served, hello, token, Host="evil.example").status_code < 500
    assert posted(served, hello, token).status_code == 200


def test_the_path_names_the_project(served: Running, hansard: Hansard) -> None:
    hansard.project("web", create=True)
    token = served.token("tank", projects=("shop", "web"))

    unsure = call(served, token, "list_inbox")
    made = call(served, token, "record_memory", content="Only the web knows.", path="/mcp/web")

    assert unsure.code == "project.unnamed"
    assert "/mcp/<project>" in unsure.text
    assert "shop, web" in unsure.text
    assert "schema" not in unsure.text
    assert "server's address" in unsure.text
    assert not made.is_error
    assert len(hansard.project("web").list_memories().items) == 1
    assert len(hansard.project("shop").list_memories().items) == 0


def test_a_project_the_token_is_not_for_is_missing(served: Running, hansard: Hansard) -> None:
    hansard.project("web", create=True)
    token = served.token("tank")

    forbidden = call(served, token, "list_inbox", path="/mcp/web")
    missing = call(served, token, "list_inbox", path="/mcp/nowhere")

    assert forbidden.code == missing.code == "project.unknown"
    assert forbidden.text.replace("web", "nowhere") == missing.text


def test_nothing_is_sent_unasked_so_there_is_no_stream_to_open(served: Running) -> None:
    token = served.token("tank")
    with httpx2.Client(base_url=served.address, headers={"Authorization": f"Bearer {token}"}) as client:
        for method in ("GET", "DELETE", "PUT"):
            refused = client.request(method, "/mcp", headers={"Accept": "text/event-stream"})
            assert refused.status_code == 405
            assert refused.headers["allow"] == "POST"


def test_hostile_bodies_are_answered_and_never_fail_the_server(served: Running) -> None:
    token = served.token("tank")

    for body in HOSTILE:
        assert posted(served, body, token).status_code < 500, body[:60]
    assert posted(served, {"method": "ping"}, token).json()["result"] == {}


def test_a_client_that_leaves_in_a_call_leaves_the_record_whole(served: Running, project: Project) -> None:
    token = served.token("tank")

    async def leave() -> None:
        async with httpx2.AsyncClient(
            base_url=served.address, headers=HEADERS | {"Authorization": f"Bearer {token}"}
        ) as one:
            for number in range(10):
                arguments = {"content": f"Fact number {number} is so."}
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": {"name": "record_memory", "arguments": arguments}}  # fmt: skip
                task = asyncio.create_task(one.post("/mcp", json=message))
                await asyncio.wait([task], timeout=0.01)
                task.cancel()
                await asyncio.wait([task])

    asyncio.run(leave())

    assert not call(served, token, "record_memory", content="Still served.").is_error
    assert project.verify().ok


def test_many_clients_at_once_are_each_themselves(served: Running, project: Project) -> None:
    tokens = {f"agent-{number}": served.token(f"agent-{number}") for number in range(8)}

    async def all_of_them() -> list[int]:
        async def one(name: str, token: str) -> int:
            async with httpx2.AsyncClient(
                base_url=served.address, headers=HEADERS | {"Authorization": f"Bearer {token}"}, timeout=60
            ) as client:
                for number in range(5):
                    arguments = {"content": f"{name} learned fact {number}."}
                    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call",
                               "params": {"name": "record_memory", "arguments": arguments}}  # fmt: skip
                    said = (await client.post("/mcp", json=message)).json()
                    assert said["result"]["structuredContent"]["agent"] == name
                return 5

        return list(await asyncio.gather(*(one(name, token) for name, token in tokens.items())))

    assert asyncio.run(all_of_them()) == [5] * 8
    for name in tokens:
        mine = project.list_memories(agent=name, limit=100).items
        assert len(mine) == 5
        assert all(one.content.startswith(name) for one in mine)


@on_sqlite
def test_a_tool_whose_turn_does_not_come_says_so_like_any_refusal(
    served: Running, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "TURN_SECONDS_MAX", 0.1)
    token = served.token("tank")
    call(served, token, "list_decisions")
    with raw(target) as other, ThreadPoolExecutor(lanes.WRITERS + 1) as several:
        other.execute("BEGIN IMMEDIATE")
        calls = [
            several.submit(call, served, token, "record_memory", content=f"Note {number}.")
            for number in range(lanes.WRITERS + 1)
        ]
        refused = next(as_completed(calls)).result()
        other.execute("ROLLBACK")
        errors = [one.result().is_error for one in calls]

    assert (refused.is_error, refused.code) == (True, StoreBusy.code)
    assert "What to do:" in refused.text
    assert errors.count(True) == 1
