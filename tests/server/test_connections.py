"""Connections themselves: TLS where it is asked for, and none that is held open for nothing."""

import json
import socket
import ssl
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from hansard import Hansard
from hansard.interfaces.server import wire
from hansard.interfaces.server.options import Options
from hansard.project import Project
from support.certificates import certificate
from support.engines import on_sqlite
from support.serving import Running, running

pytestmark = on_sqlite

LIVE = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_with_a_certificate_everything_goes_by_tls(hansard: Hansard, project: Project, tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    options = Options(tls_cert=str(cert), tls_key=str(key))
    with running(hansard, options) as served:
        trusted = ssl.create_default_context(cafile=str(cert))
        with httpx.Client(base_url=served.address, verify=trusted) as browser:
            code = served.server.new_link()
            done = browser.post("/signin", data={"code": code}, headers={"Origin": served.address})
            home = browser.get("/").text
        with pytest.raises(httpx.TransportError):
            httpx.get(served.address.replace("https:", "http:") + "/health/live")

    assert served.address.startswith("https://127.0.0.1:")
    assert "; Secure" in done.headers["set-cookie"]
    assert done.headers["strict-transport-security"].startswith("max-age=")
    assert f"<code>{project.key}</code>" in home


def test_a_connection_that_says_nothing_is_ended(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "HEAD_SECONDS_MAX", 0.05)
    for said in (b"", b"GET / HTTP/1.1\r\nHost: loc"):
        with _connected(served) as connection:
            connection.sendall(said)
            assert connection.recv(1) == b""


def test_a_second_request_that_does_not_get_past_its_headers_is_ended_too(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _connected(served) as connection:
        connection.sendall(LIVE)
        assert _answer(connection).startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(wire, "HEAD_SECONDS_MAX", 0.05)
        connection.sendall(LIVE[:-2])
        assert connection.recv(1) == b""


def test_a_socket_for_messages_is_not_opened(served: Running) -> None:
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    with served.nobody() as nobody:
        answer = nobody.get("/mcp", headers=upgrade)

    assert answer.status_code == 401


def test_headers_that_are_too_large_are_refused(served: Running) -> None:
    status = 400
    # The server may have closed before all of it was sent.
    with served.nobody() as nobody, suppress(httpx.TransportError):
        status = nobody.get("/health/live", headers={"X-Large": "x" * 200_000}).status_code

    assert status in {400, 431}


@pytest.mark.parametrize("piece", [b"x" * 70_000, b"x" * 1_000], ids=["at-once", "in-pieces"])
@pytest.mark.parametrize("begin", [b"GET /", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nX-Large: "])
def test_a_head_without_an_end_is_refused(served: Running, begin: bytes, piece: bytes) -> None:
    with _connected(served) as connection:
        connection.sendall(begin)
        # The server may have closed before all of it was sent.
        with suppress(OSError):
            for _ in range(140_000 // len(piece)):
                connection.sendall(piece)
            assert connection.recv(65_536).startswith(b"HTTP/1.1 400")


def test_what_is_no_http_is_refused_as_a_problem(served: Running) -> None:
    with _connected(served) as connection:
        connection.sendall(b"BREW /coffee HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head, _, body = b"".join(iter(lambda: connection.recv(65_536), b"")).partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"application/problem+json" in head
    assert json.loads(body)["code"] == "request.bad"
    assert b"x-content-type-options: nosniff" in head
    assert b"content-security-policy: default-src 'none'" in head
    assert b"x-request-id: " in head


def test_line_breaks_do_not_keep_a_connection_open(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "HEAD_SECONDS_MAX", 0.3)
    with _connected(served) as connection:
        connection.sendall(LIVE)
        assert _answer(connection).startswith(b"HTTP/1.1 200")
        assert _ends(connection, b"\n")


def test_a_body_that_nobody_wants_any_more_is_passed_over_for_a_while_only(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "DRAIN_SECONDS_MAX", 0.3)
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\n"
    with _connected(served) as connection:
        connection.sendall(head)
        assert _answer(connection).startswith(b"HTTP/1.1 401")
        assert _ends(connection, b"x")


def test_after_such_a_body_the_connection_serves_on(served: Running) -> None:
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
    with _connected(served) as connection:
        connection.sendall(head + b"x" * 1_000_000 + LIVE)
        assert _answer(connection).startswith(b"HTTP/1.1 401")
        assert _answer(connection).startswith(b"HTTP/1.1 200")


def test_one_address_cannot_take_all_connections_and_health_is_told_all_the_same(
    hansard: Hansard, project: Project
) -> None:
    assert project.key == "shop"
    with running(hansard, Options(connections_per_address=2)) as few, ExitStack() as held:
        for _ in range(2):
            assert held.enter_context(few.client()).get("/api/v1/projects").status_code == 200
        with few.nobody() as nobody:
            refused, live = nobody.get("/api/v1/projects"), nobody.get("/health/live")
        held.close()
        with few.client() as tank:
            answers = (tank.get("/api/v1/projects").status_code for _ in range(1_000))
            assert 200 in answers

    assert (refused.status_code, refused.json()["code"]) == (503, "request.connections")
    assert refused.headers["retry-after"] == "1"
    assert refused.headers["connection"] == "close"
    assert refused.headers["x-content-type-options"] == "nosniff"
    assert (live.status_code, live.json()) == (200, {"status": "ok"})


def test_strangers_who_hold_connections_open_keep_nobody_out(hansard: Hansard, project: Project) -> None:
    assert project.key == "shop"
    with running(hansard, Options(connections_per_address=2)) as few, ExitStack() as held:
        for _ in range(2):
            connection = held.enter_context(_connected(few))
            connection.sendall(LIVE)
            assert _answer(connection).startswith(b"HTTP/1.1 200")
        with few.client() as tank:
            answers = [tank.get("/api/v1/projects").status_code for _ in range(3)]

    assert answers == [200] * 3


def test_a_trailer_is_no_header(served: Running) -> None:
    head = (
        b"POST /signin HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n"
        b"Connection: close\r\n\r\n"
    )
    with _connected(served) as connection:
        connection.sendall(head + b"0\r\nX-Request-Id: from-the-trailer\r\n\r\n")
        told = b"".join(iter(lambda: connection.recv(65_536), b""))

    assert told.startswith(b"HTTP/1.1 4")
    assert b"from-the-trailer" not in told


@pytest.mark.parametrize(
    "said",
    [
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        b"Content-Length: 0x2\r\n\r\n{}",
        b"Content-Length : 2\r\n\r\n{}",
        b"X-Split: a\rb\r\n\r\n",
    ],
)
def test_a_request_that_two_readers_could_read_differently_is_refused(served: Running, said: bytes) -> None:
    with _connected(served) as connection:
        connection.sendall(b"POST /api/v1/projects HTTP/1.1\r\nHost: localhost\r\n" + said)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 400")


def _ends(connection: socket.socket, piece: bytes) -> bool:
    """Whether the server ends a connection on which something comes again and again."""
    connection.settimeout(0.02)
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            connection.sendall(piece)
            if connection.recv(65_536) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def _answer(connection: socket.socket) -> bytes:
    """One whole answer with a short body of JSON; the connection stays open."""
    told = b""
    while b"\r\n\r\n" not in told or not told.endswith(b"}"):
        piece = connection.recv(1)
        assert piece, told
        told += piece
    return told


def _connected(served: Running) -> socket.socket:
    url = httpx.URL(served.address)
    return socket.create_connection((url.host, url.port or 80), timeout=30)


@pytest.mark.parametrize("path", ["/health/live", "/signin", "/nowhere", "/api/v1/caller"])
def test_a_length_of_thousands_of_digits_is_too_large(served: Running, path: str) -> None:
    with _connected(served) as connection:
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {'0' * 4_400}\r\n"
        connection.sendall(f"{head}Authorization: Bearer {served.token('tank')}\r\n\r\n".encode())
        assert _answer(connection).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    "path",
    ["/api/v1/projects/", "/api/v1/projects/shop/memories/", "/mcp/shop/", "/metrics/", "/health/live/", "/signin/"],
)
def test_another_address_is_another_one_and_no_answer_sends_anybody_elsewhere(served: Running, path: str) -> None:
    with served.client("tank") as tank:
        for answer in (tank.get(path), tank.post(path, json={})):
            assert (answer.status_code, answer.json()["code"]) == (404, "request.unknown_path")
            assert "location" not in answer.headers
