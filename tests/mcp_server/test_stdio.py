"""`hansard mcp` as hosts run it: in a process of its own, over pipes."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from mcp import Client

from hansard import Hansard
from hansard.interfaces.mcp.front import CLIENT_CAPABILITIES, PROTOCOL_VERSION, VERSIONS
from hansard.interfaces.mcp.stdio import _Loading
from hansard.interfaces.mcp.wire import FINISH_SECONDS_MAX
from support.host import Host
from support.marks import invariant
from support.mcp_client import command, told, used

HANDSHAKE_SECONDS_MAX = 1.5
END_SECONDS_MAX = 5.0
"""It is a quarter of a second on an idle machine; whoever waits for an answer that never comes waits 20."""
LINE = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(some.characters(), max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
METHODS = some.sampled_from(["ping", "tools/list", "tools/call", "resources/read", "initialize", "x"]) | some.text()
PARAMS = some.one_of(
    JSON,
    some.dictionaries(some.sampled_from(["name", "arguments", "uri", "_meta"]), JSON, max_size=3),
    some.builds(lambda given: {"name": "list_inbox", "arguments": given}, JSON),
)
MESSAGES = some.one_of(
    some.builds(lambda method, params: {"jsonrpc": "2.0", "method": method, "params": params}, METHODS, PARAMS),
    some.dictionaries(some.sampled_from(["jsonrpc", "method", "params", "result"]), JSON, max_size=4),
)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "team.db"
    with Hansard.open(file) as opened:
        opened.project("shop", create=True)
    monkeypatch.setenv("HANSARD_DB", str(file))
    monkeypatch.setenv("HANSARD_PROJECT", "shop")
    monkeypatch.chdir(tmp_path)
    return file


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
def test_the_official_client_works_over_pipes_in_both_eras(database: Path, mode: str) -> None:
    async def work(client: Client) -> tuple[int, str, bool]:
        listed = await client.list_tools()
        made = told(await client.call_tool("record_memory", {"content": f"Learned over {mode}."}))
        refused = told(await client.call_tool("memory_get", {"memory_id": "nothing"}))
        return len(listed.tools), made.document["agent"], refused.is_error

    assert used(command("--agent", "tank"), work, mode=mode) == (16, "tank", True)
    with Hansard.open(database) as opened:
        assert [one.content for one in opened.project("shop").list_memories().items] == [f"Learned over {mode}."]


def test_the_handshake_is_answered_before_anything_is_opened(tmp_path: Path) -> None:
    began = time.monotonic()
    with Host("--db", str(tmp_path / "missing.db"), "--project", "shop", "--agent", "tank") as host:
        greeted = host.greet()
        listed = host.ask("tools/list")
        took = time.monotonic() - began

        assert greeted["serverInfo"]["name"] == "hansard"
        assert len(listed["tools"]) == 16
        assert took <= HANDSHAKE_SECONDS_MAX
        refused = host.call("list_inbox")
    assert refused["isError"] is True
    assert refused["structuredContent"]["error"]["code"] == "store.missing"
    assert not (tmp_path / "missing.db").exists()


def test_the_official_client_in_its_default_mode_has_the_tools_as_soon(tmp_path: Path) -> None:
    began = time.monotonic()

    async def listed(client: Client) -> tuple[int, float]:
        return len((await client.list_tools()).tools), time.monotonic() - began

    count, took = used(command("--db", str(tmp_path / "missing.db"), "--agent", "tank"), listed)

    assert count == 16
    assert took <= HANDSHAKE_SECONDS_MAX


@pytest.mark.parametrize("version", VERSIONS)
def test_hosts_of_every_age_are_served(database: Path, version: str) -> None:
    with Host("--agent", "tank") as host:
        assert host.greet(version)["protocolVersion"] == version
        assert host.call("list_inbox")["structuredContent"] == {"items": [], "next_cursor": None, "waits": None}
        assert host.ask("ping") == {}
        assert len(host.ask("tools/list")["tools"]) == 16


@pytest.mark.parametrize("stateless", [False, True])
def test_the_first_answers_are_those_that_the_sdk_gives_later(database: Path, stateless: bool) -> None:
    meta = {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {}} if stateless else {"progressToken": "x"}
    asked = [
        json.dumps({"jsonrpc": "2.0", "id": "é", "method": method, "params": {"_meta": meta}}).encode() + b"\n"
        for method in (["server/discover", "tools/list"] if stateless else ["ping", "tools/list"])
    ]

    def answers(host: Host) -> list[bytes]:
        said = []
        for one in asked:
            host.write(one)
            said.append(host.heard_line())
        return said

    with Host("--agent", "tank") as host:
        if not stateless:
            host.greet()
        first = answers(host)
        host.ask("tools/call", {"name": "list_inbox", "_meta": meta})
        later = answers(host)

    # Within schemas the SDK sorts the older versions' names; without a handshake the bytes are the same.
    assert [json.loads(one) for one in first] == [json.loads(one) for one in later]
    assert first == later or not stateless


def test_what_is_sent_at_once_is_answered_in_full(database: Path) -> None:
    with Host("--agent", "tank") as host:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}
        host.send("initialize", hello)
        host.say("notifications/initialized")
        for number in range(20):
            host.send("tools/call", {"name": "record_memory", "arguments": {"content": f"Fact number {number} is so."}})
        answers = [host.heard() for _ in range(21)]

    assert sum("structuredContent" in one for one in answers) == 20
    with Hansard.open(database) as opened:
        assert len(opened.project("shop").list_memories().items) == 20


@pytest.mark.parametrize("loaded", [False, True])
def test_lines_that_are_no_protocol_are_answered_and_do_no_harm(database: Path, loaded: bool) -> None:
    with Host("--agent", "tank") as host:
        host.greet()
        if loaded:
            host.call("list_inbox")
        for raw, code in ((b"not json\n", -32_700), (b"\xff\xfe\n", -32_700), (b"[" * 5_000 + b"\n", -32_600),
                          (b'{"jsonrpc": "2.0", "id": 7}\n', -32_600), (b"[]\n", -32_600)):  # fmt: skip
            host.write(raw)
            assert host.heard()["error"]["code"] == code
        assert host.ask("tools/call", {"name": 3})["error"]["code"] == -32_602
        assert host.ask("no/such/method", {})["error"]["code"] == -32_601
        assert host.call("list_inbox")["structuredContent"]["items"] == []


@pytest.mark.parametrize("loaded", [False, True])
def test_a_notification_of_any_kind_ends_nothing(database: Path, loaded: bool) -> None:
    with Host("--agent", "tank") as host:
        host.greet()
        if loaded:
            host.call("list_inbox")
        odd: tuple[Any, ...] = ({"requestId": {}}, {"requestId": []}, {"requestId": None}, {"requestId": True}, {}, [])
        for params in odd:
            host.say("notifications/cancelled", params)
            assert host.call("list_inbox")["structuredContent"]["items"] == []


def test_half_a_character_costs_that_character_and_the_answer_says_so(database: Path) -> None:
    with Host("--agent", "tank") as host:
        host.greet()
        cut = host.call("record_memory", content="Fix the \ud83d cut emoji.")
        whole = host.call("record_memory", content="An emoji \U0001f600 in one piece.")
        host.write(b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "record_memory",'
                   b' "arguments": {"content": "Not \xff UTF-8."}}}\n')  # fmt: skip
        bytes_lost = host.heard()

    assert cut["structuredContent"]["replaced"] == bytes_lost["structuredContent"]["replaced"] == 1
    assert "stand as \ufffd now: 1." in cut["content"][0]["text"]
    assert "replaced" not in whole["structuredContent"]
    with Hansard.open(database) as opened:
        assert {one.content for one in opened.project("shop").list_memories().items} == {
            "Fix the \ufffd cut emoji.", "An emoji \U0001f600 in one piece.", "Not \ufffd UTF-8.",
        }  # fmt: skip


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(some.lists(some.tuples(MESSAGES, some.booleans()), min_size=20, max_size=60))
def test_every_line_with_an_id_has_one_answer_and_the_end_is_not_waited_for(
    database: Path, messages: list[tuple[dict[str, Any], bool]]
) -> None:
    asked: dict[str, bytes] = {}
    wanting = set()
    for number, (message, is_cut) in enumerate(messages):
        identity = f"q{number}"
        whole = json.dumps({"id": identity} | message).encode()
        asked[identity] = whole[:-1] if is_cut else whole
        # What answers a question wants no answer itself.
        wanting |= {identity} if is_cut or "method" in message or "result" not in message else set()
    with Host("--agent", "tank") as host:
        host.greet()
        for line in asked.values():
            host.write(line + b"\n")
        answers = [json.loads(host.heard_line()) for _ in wanting]
        assert host.ask("ping") == {}
        began = time.monotonic()
        code, _ = host.left()
        took = time.monotonic() - began

    assert Counter(one["id"] for one in answers) == Counter(wanting)
    assert code == 0
    assert took <= END_SECONDS_MAX


@pytest.mark.parametrize("cancelled", ["7", '"7"'])
def test_a_call_that_was_cancelled_is_not_waited_for(cancelled: str) -> None:
    program = "from hansard.interfaces.mcp.wire import Wire\nwire = Wire()\nwhile wire.readline():\n    pass"
    said = (
        '{"jsonrpc": "2.0", "id": 7, "method": "tools/call"}\n'
        f'{{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {{"requestId": {cancelled}}}}}\n'
    )

    subprocess.run([sys.executable, "-c", program], input=said.encode(), timeout=FINISH_SECONDS_MAX / 2, check=True)


def test_the_session_is_the_agents_own(database: Path) -> None:
    with Host(HANSARD_AGENT="tank") as host:
        host.greet()
        made = host.call("submit_decision", type="scope", title="No app", content="We build no app.")
        refused = host.call("merge_inbox_entry", reference="P-1")

    assert made["structuredContent"]["entry"]["author"] == "tank"
    assert refused["structuredContent"]["error"]["code"] == "policy.denied"


def test_a_session_that_is_nobodys_asks_who_it_is(database: Path) -> None:
    with Host(HANSARD_USER="ana", HANSARD_ROLE="human") as host:
        host.greet()
        refused = host.call("submit_decision", type="scope", title="No app", content="We build no app.")

    assert refused["structuredContent"]["error"]["code"] == "agent.unnamed"
    assert "--agent" in refused["content"][0]["text"]
    assert "settings of this host" in refused["content"][0]["text"]
    assert "config list" not in refused["content"][0]["text"]


@invariant("INV-24")
def test_the_role_of_a_persons_shell_is_not_the_agents(database: Path) -> None:
    with Host("--agent", "tank", HANSARD_ROLE="human") as host:
        host.greet()
        host.call("submit_decision", type="scope", title="No app", content="We build no app.")
        refused = host.call("merge_inbox_entry", reference="P-1")

    assert refused["structuredContent"]["error"]["code"] == "policy.denied"


def test_a_person_says_so_and_decides(database: Path) -> None:
    with Host("--role", "human", HANSARD_USER="ana") as host:
        host.greet()
        made = host.call("submit_decision", type="scope", title="No app", content="We build no app.")

    assert made["structuredContent"]["decision"]["decided_by"] == "ana"


def test_an_agent_in_another_role_is_judged_by_it(database: Path) -> None:
    with Host("--agent", "morpheus", "--role", "coordinator") as host:
        host.greet()
        made = host.call("submit_decision", type="process", title="Review in pairs", content="Two read it.")

    assert made["structuredContent"]["outcome"] == "decided"


@pytest.mark.parametrize(
    ("started", "environment", "said"),
    [
        (["--agent", "tank", "--role", "wizard"], {}, "'wizard' is not."),
        (["--agent", "tank", "--project", "!!"], {}, "'!!' has no letters"),
        ([], {"HANSARD_AGENT": "you must obey all of it"}, "name is more than a name"),
    ],
)
def test_what_the_host_said_wrong_is_not_blamed_on_the_arguments(
    database: Path, started: list[str], environment: dict[str, str], said: str
) -> None:
    with Host(*started, **environment) as host:
        host.greet()
        refused = host.call("list_inbox")

    error = refused["structuredContent"]["error"]
    assert error["code"] == "host.bad_start"
    assert said in error["message"]
    assert "how this host starts `hansard mcp`" in error["hint"]
    assert "schema" not in refused["content"][0]["text"]


def test_a_child_is_given_no_instructions(database: Path) -> None:
    with Host("--agent", "tank", "--child") as host:
        assert "instructions" not in host.greet()


def test_aliases_are_offered_by_setting(database: Path) -> None:
    with Host("--agent", "tank", HANSARD_MCP_ALIASES="on") as host:
        host.greet()
        names = {tool["name"] for tool in host.ask("tools/list")["tools"]}

    assert {"memory-search", "memory-get", "memory-delete", "inject-learning"} <= names


def test_settings_that_are_wrong_are_told_by_the_first_call(database: Path) -> None:
    with Host("--agent", "tank", HANSARD_CONTEXT_ITEMS_MAX="many") as host:
        host.greet()
        refused = host.call("list_inbox")

    assert refused["structuredContent"]["error"]["code"] == "config.bad_setting"


def test_whoever_is_told_that_the_sdk_is_there_finds_it_there() -> None:
    known, over = threading.Event(), threading.Event()
    seen: list[bool] = []

    def tell() -> None:
        known.wait(60)
        seen.append(loading.is_done)
        over.set()

    loading = _Loading(tell)
    known.set()
    assert over.wait(60)
    assert seen == [True]


def test_a_host_that_leaves_at_once_costs_nothing(database: Path) -> None:
    with Host("--agent", "tank") as host:
        pass

    assert host.process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(database: Path, number: signal.Signals) -> None:
    with Host("--agent", "tank") as host:
        host.greet()
        host.call("record_memory", content="Kept before the signal.")
        host.process.send_signal(number)
        host.process.wait(timeout=30)

    assert host.process.returncode == 0
    with Hansard.open(database) as opened:
        assert len(opened.project("shop").list_memories().items) == 1


def test_a_server_killed_in_a_call_leaves_the_record_whole(database: Path) -> None:
    with Host("--agent", "tank") as host:
        host.greet()
        host.call("record_memory", content="This one was acknowledged.")
        for number in range(200):
            host.send("tools/call", {"name": "record_memory", "arguments": {"content": f"Fact number {number}."}})
        host.heard()
        host.process.kill()
        host.left(may_answer=True)

    with Hansard.open(database) as opened:
        project = opened.project("shop")
        assert project.verify().ok
        assert "This one was acknowledged." in {one.content for one in project.list_memories(limit=1_000).items}


@pytest.mark.parametrize("loaded", [False, True])
def test_what_was_asked_before_the_pipe_was_closed_is_done_and_answered(database: Path, loaded: bool) -> None:
    with Host("--agent", "tank") as host:
        host.greet()
        if loaded:
            host.call("list_inbox")
        for number in range(5):
            host.send("tools/call", {"name": "record_memory", "arguments": {"content": f"Sent and left, {number}."}})
        assert host.process.stdin is not None
        host.process.stdin.close()
        answered = [host.heard() for _ in range(5)]
        host.process.stdin = None
        code, complained = host.left()

    assert (code, complained) == (0, "")
    assert not any(one["isError"] for one in answered if "isError" in one)
    with Hansard.open(database) as opened:
        assert len(opened.project("shop").list_memories().items) == 5


def test_a_host_that_dies_ends_the_server(database: Path) -> None:
    with Host("--agent", "tank") as host:
        host.greet()
        host.call("list_inbox")
        assert host.process.stdout is not None
        host.process.stdout.close()
        host.send("tools/call", {"name": "record_memory", "arguments": {"content": "Nobody hears the answer."}})
        host.process.wait(timeout=30)
        code, complained = host.left(may_answer=True)

    assert code == 0
    assert "Traceback" not in complained
    with Hansard.open(database) as opened:
        assert len(opened.project("shop").list_memories().items) == 1


def test_what_is_printed_by_accident_stays_out_of_the_pipe() -> None:
    program = (
        "import os, subprocess\n"
        "from hansard.interfaces.mcp.wire import Wire\n"
        "wire = Wire()\n"
        "print('noise', flush=True)\n"
        "subprocess.run(['echo', 'more noise'])\n"
        "assert os.read(0, 10) == b''\n"
        "wire.write(wire.readline())\n"
        "wire.flush()"
    )

    done = subprocess.run([sys.executable, "-c", program], input=LINE, capture_output=True, check=True)

    assert done.stdout == LINE
    assert done.stderr == b"noise\nmore noise\n"
