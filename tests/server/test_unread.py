"""Answers that nobody reads: they neither stay in memory nor hold a place for good."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from hansard.interfaces.server import unread, wire
from hansard.interfaces.server.unread import Unread
from support.engines import on_sqlite
from support.serving import Running


class Behind:
    """A connection with so much that is not read, and what it reads in time."""

    def __init__(self, left: int) -> None:
        self.left, self.ended = left, False

    def unread(self) -> int:
        return self.left

    def abort(self) -> None:
        self.ended = True


def _in_loop(work: Callable[[Unread], list[Behind]], monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    monkeypatch.setattr(unread, "PACE_SECONDS", 0.01)

    async def run() -> list[bool]:
        several = Unread()
        readers = work(several)
        done = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.1, done.set_result, None)
        await done
        return [one.ended for one in readers]

    return asyncio.run(run())


def test_whoever_takes_nothing_of_an_answer_is_ended_and_who_took_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(several: Unread) -> list[Behind]:
        silent, done = Behind(1_000_000), Behind(1_000_000)
        for one in (silent, done):
            several.begin(one)
        several.end(done)
        return [silent, done]

    assert _in_loop(work, monkeypatch) == [True, False]


def test_all_that_is_unread_has_a_limit_and_the_longest_waiting_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread, "UNREAD_BYTES_MAX", 250)
    monkeypatch.setattr(unread, "PACE_BYTES", 0)

    def work(several: Unread) -> list[Behind]:
        readers = [Behind(100) for _ in range(4)]
        for one in readers:
            several.begin(one)
        return readers

    assert _in_loop(work, monkeypatch) == [True, True, False, False]


def test_a_single_large_answer_is_not_ended_for_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread, "UNREAD_BYTES_MAX", 250)
    monkeypatch.setattr(unread, "PACE_BYTES", 0)

    def work(several: Unread) -> list[Behind]:
        alone = Behind(1_000)
        several.begin(alone)
        return [alone]

    assert _in_loop(work, monkeypatch) == [False]


@on_sqlite
def test_a_connection_whose_answer_is_not_read_is_ended(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread, "PACE_SECONDS", 0.1)
    ended = threading.Event()
    lost = wire.Wire.connection_lost

    def noted(self: wire.Wire, exc: Exception | None) -> None:
        lost(self, exc)
        ended.set()

    monkeypatch.setattr(wire.Wire, "connection_lost", noted)
    body = json.dumps({"charter": "Keep it simple.\n" * 500_000}).encode()
    head = (
        "POST /api/v1/projects/shop/context HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {served.token('tank')}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.settimeout(30)
        host, port = served.address.removeprefix("http://").split(":")
        connection.connect((host, int(port)))
        connection.sendall(head.encode() + body)
        assert connection.recv(300).startswith(b"HTTP/1.1 200")
        ended.wait(30)
        # What the system had taken is still there; behind it the connection ends, long before the answer does.
        received = 0
        with suppress(ConnectionError):
            while piece := connection.recv(1 << 16):
                received += len(piece)

    assert received < len(body)
