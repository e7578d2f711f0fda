"""The bars of the server, each in a process of its own: answers beside the embedded call, load, memory, start-up."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2

from benchmarks.bar import Bar
from benchmarks.clients import KEY, Tally, hammered
from benchmarks.texts import items
from hansard import Hansard
from hansard.client import Client
from hansard.settings import Settings

AGENT = "tank"
CALLS = 200
MEMORIES = 2_000
MANY = 100_000
BATCH = 10_000
STARTS = 5
LOAD_CLIENTS, LOAD_SECONDS = 16, 20.0
LASTING_CLIENTS, LASTING_SECONDS = 32, 30.0
STOP_SECONDS = 60
CONTEXT_MILLISECONDS_MAX = 10
WRITE_MILLISECONDS_MORE = 2
RATE_MIN = 300
P99_MILLISECONDS_MAX = 150
MEGABYTES_MAX = 250
READY_SECONDS_MAX = 2.5
SPAWN_SECONDS_MAX = 1.5
SETTINGS = Settings(user="ana", mirror_auto="off", guard_writes_per_minute=1_000_000)


class Serving(NamedTuple):
    """A server that answers, and what it costs."""

    address: str
    pid: int
    ready_seconds: float

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def measure(folder: Path) -> Iterator[Bar]:
    os.environ["XDG_DATA_HOME"] = str(folder / "data")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    token, database = made(folder / "shop.db", MEMORIES)
    yield ready(database)
    yield spawned(database)
    yield met(database)
    with serving(database) as server:
        yield from answers(server, token, database)
        yield from load(server, token)
    token, database = made(folder / "lasting.db", MEMORIES)
    with serving(database) as server:
        tally = hammered(server.address, token, clients=LASTING_CLIENTS, seconds=LASTING_SECONDS)
    yield from lasting(tally, database)
    token, database = made(folder / "many.db", MANY)
    with serving(database) as server:
        yield grown(server, token)


def made(path: Path, size: int) -> tuple[str, str]:
    """A store with a project of so many memories, and a token of its agent."""
    with Hansard.open(path, settings=SETTINGS) as hansard:
        project = hansard.project(KEY, create=True)
        every = items(size)
        for start in range(0, size, BATCH):
            project.remember_many(every[start : start + BATCH])
        return hansard.create_token(agent=AGENT, projects=[KEY])[1], str(path)


@contextmanager
def serving(database: str) -> Iterator[Serving]:
    began = time.perf_counter()
    command = [sys.executable, "-m", "hansard", "--db", database, "serve", "--port", "0", "--rate", "100000", "--json"]
    own = {**os.environ, "HANSARD_MIRROR_AUTO": "off", "HANSARD_GUARD_WRITES_PER_MINUTE": "1000000"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=own) as process:
        assert process.stdout is not None
        try:
            address = json.loads(process.stdout.readline())["address"]
            yield Serving(address, process.pid, time.perf_counter() - began)
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)


def ready(database: str) -> Bar:
    """From the start of the process to the line that says the server answers."""
    times = []
    for _ in range(STARTS):
        with serving(database) as server:
            times.append(server.ready_seconds)
    plain = _started("pass")
    took = statistics.median(times)
    return Bar("cold `hansard serve` to ready", f"{took:.2f} s", f"python -c pass: {plain:.3f} s", took / plain, took,
               "at most", READY_SECONDS_MAX, "s")  # fmt: skip


def spawned(database: str) -> Bar:
    """From the start of `hansard mcp` to its list of tools, over pipes."""
    times = [_spawned(database) for _ in range(STARTS)]
    plain = _started("import mcp.server.lowlevel")
    took = statistics.median(times)
    return Bar("`hansard mcp`: spawn, initialize, tools/list", f"{took:.2f} s", f"importing the SDK: {plain:.2f} s",
               took / plain, took, "at most", SPAWN_SECONDS_MAX, "s")  # fmt: skip


def met(database: str) -> Bar:
    """The same for the official client as it comes, which opens without a handshake."""
    # Here, so that nothing else that is measured in this process carries it.
    import anyio

    times = [anyio.run(_met, database) for _ in range(STARTS)]
    plain = _started("import mcp.server.lowlevel")
    took = statistics.median(times)
    what = "`hansard mcp`: spawn, the SDK's client, tools/list"
    return Bar(what, f"{took:.2f} s", f"importing the SDK: {plain:.2f} s", took / plain, took, "at most",
               SPAWN_SECONDS_MAX, "s")  # fmt: skip


def answers(server: Serving, token: str, database: str) -> Iterator[Bar]:
    """The same calls over REST and embedded, in turn."""
    number = count()
    with Client.open(server.address, token=token) as client, Hansard.open(database, settings=SETTINGS) as own:
        remote, here = client.project(KEY), own.project(KEY)
        far, near = _medians(partial(remote.compile), partial(here.compile, agent=AGENT))
        yield Bar("GET context, p50", f"{far:.1f} ms", f"embedded: {near:.1f} ms", far / near, far, "at most",
                  CONTEXT_MILLISECONDS_MAX, "ms")  # fmt: skip
        far, near = _medians(
            lambda: remote.remember(f"Remote note {next(number)} about uploads."),
            lambda: here.remember(f"Own note {next(number)} about uploads.", agent=AGENT),
        )
        yield Bar("POST memories with a key: p50 above the embedded call", f"{far:.1f} ms", f"embedded: {near:.1f} ms",
                  far / near, far - near, "at most", WRITE_MILLISECONDS_MORE, "ms")  # fmt: skip


def load(server: Serving, token: str) -> Iterator[Bar]:
    """Mixed reads and writes of many clients; they need a core of their own."""
    before = server.cpu_seconds()
    tally = hammered(server.address, token, clients=LOAD_CLIENTS, seconds=LOAD_SECONDS)
    calls = tally.calls
    cost = (server.cpu_seconds() - before) / len(calls) * 1_000
    rate = len(calls) / tally.lasted
    what = f"{LOAD_CLIENTS} clients, one write in five"
    told = ", ".join(f"{name} {statistics.median(times) * 1_000:.0f}" for name, times in sorted(tally.seconds.items()))
    yield Bar(f"{what}: requests per second", f"{rate:,.0f}/s", f"server's CPU: {cost:.2f} ms each", None, rate,
              "at least", RATE_MIN, "/s")  # fmt: skip
    p99 = calls[int(len(calls) * 0.99)] * 1_000
    yield Bar(f"{what}: p99", f"{p99:.0f} ms", f"p50 in ms: {told}", None, p99, "at most", P99_MILLISECONDS_MAX, "ms")
    yield Bar(f"{what}: errors", "; ".join(tally.errors[:2]) or "none", "", None, len(tally.errors), "exactly", 0,
              "errors")  # fmt: skip


def lasting(tally: Tally, database: str) -> Iterator[Bar]:
    """What the clients were promised, looked for in the file when the server is gone."""
    what = f"{LASTING_CLIENTS} clients for {LASTING_SECONDS:g} s"
    lost, whole = missing(tally, database)
    done = f"{len(tally.recorded):,} writes of {len(tally.calls):,} calls"
    yield Bar(f"{what}: errors", "; ".join(tally.errors[:2]) or "none", done, None, len(tally.errors), "exactly", 0,
              "errors")  # fmt: skip
    yield Bar(f"{what}: acknowledged writes lost", f"{lost}", done, None, lost, "exactly", 0, "writes")
    yield Bar(f"{what}: histories that verify", f"{whole}", "", None, whole, "exactly", 1, "histories")


def missing(tally: Tally, database: str) -> tuple[int, int]:
    """How many promised memories are not there, or there twice, and whether the history is whole."""
    found: dict[str, str] = {}
    with Hansard.open(database, settings=SETTINGS) as hansard:
        project = hansard.project(KEY)
        cursor = None
        while True:
            page = project.list_memories(agent=AGENT, limit=200, cursor=cursor)
            found |= {one.id: one.content for one in page.items}
            cursor = page.next_cursor
            if cursor is None:
                break
        whole = project.verify().ok
    said = [content for content in found.values() if content.startswith("Client ")]
    return len(set(tally.recorded) - set(found)) + len(said) - len(set(said)), int(whole)


def grown(server: Serving, token: str) -> Bar:
    """The server's memory when it has searched, compiled and written in a large project, over REST and MCP."""
    with Client.open(server.address, token=token) as client:
        project = client.project(KEY)
        for number in range(20):
            project.recall(f"what about upload {number}?")
            project.compile()
            project.remember(f"Large note {number}.")
    before = server.megabytes()
    anyio.run(_used, server.address, token)
    used = server.megabytes()
    return Bar(f"memory of the server at {MANY:,} memories, all of it in use", f"{used:.0f} MB",
               f"before MCP and the OpenAPI document: {before:.0f} MB", used / before, used, "at most", MEGABYTES_MAX,
               "MB")  # fmt: skip


async def _used(address: str, token: str) -> None:
    """Uses what a server loads only when somebody asks for it."""
    from mcp import Client as McpClient
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        (await http.get(f"{address}/api/v1/openapi.json")).raise_for_status()
        async with McpClient(streamable_http_client(f"{address}/mcp", http_client=http)) as client:
            for number in range(5):
                told = await client.call_tool("memory_search", {"query": f"uploads {number}"})
                assert not told.is_error


def _medians(far: Callable[[], object], near: Callable[[], object]) -> tuple[float, float]:
    times: dict[str, list[float]] = {"far": [], "near": []}
    for _ in range(CALLS):
        for name, call in (("far", far), ("near", near)):
            began = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - began)
    return statistics.median(times["far"]) * 1_000, statistics.median(times["near"]) * 1_000


def _started(program: str) -> float:
    def once() -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        return time.perf_counter() - began

    return statistics.median(once() for _ in range(STARTS))


async def _met(database: str) -> float:
    from mcp import Client as McpClient
    from mcp import StdioServerParameters

    program, *arguments = _mcp(database)
    began = time.perf_counter()
    host = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    async with McpClient(host) as client:
        told = await client.list_tools()
        took = time.perf_counter() - began
        assert told.tools
        return took


def _mcp(database: str) -> list[str]:
    return [sys.executable, "-m", "hansard", "--db", database, "--project", KEY, "mcp"]


def _spawned(database: str) -> float:
    began = time.perf_counter()
    command = _mcp(database)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        for said in (
            {"id": 1, "method": "initialize", "params": client},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/list", "params": {}},
        ):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **said}) + "\n")
            process.stdin.flush()
        told: dict[str, Any] = {}
        while told.get("id") != 2:
            told = json.loads(process.stdout.readline())
        took = time.perf_counter() - began
        assert told["result"]["tools"]
        process.stdin.close()
        process.wait(STOP_SECONDS)
    return took
