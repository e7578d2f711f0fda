"""Requests that a browser was tricked into, that are too large or too many, and what every answer carries."""

import socket
from collections.abc import Iterator

import httpx
import pytest

from hansard import Hansard
from hansard.interfaces.server import limits
from hansard.interfaces.server.options import Options
from hansard.project import Project
from support.engines import on_sqlite
from support.serving import Running, running

pytestmark = on_sqlite
PROJECTS = "/api/v1/projects"


def raw(served: Running, text: str) -> bytes:
    """What the server answers to these bytes, however wrong they are."""
    url = httpx.URL(served.address)
    with socket.create_connection((url.host, url.port or 80), timeout=30) as connection:
        connection.sendall(text.encode())
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def test_http_always_needs_a_token(served: Running) -> None:
    with served.nobody() as nobody:
        answer = nobody.get(PROJECTS)
        mcp = nobody.post("/mcp", json={})
        scraped = nobody.get("/metrics")

    assert (answer.status_code, answer.json()["code"]) == (401, "auth.needed")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert (mcp.status_code, scraped.status_code) == (401, 401)


@pytest.mark.parametrize("shown", ["Bearer nonsense", "Basic YW5hOng=", "Bearer hansard_" + "A" * 43, "Bearer"])
def test_what_is_no_token_is_nobody(served: Running, shown: str) -> None:
    with served.nobody() as nobody:
        assert nobody.get(PROJECTS, headers={"Authorization": shown}).status_code == 401


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "127.0.0.1.evil.example", "evil.example:80", "localhost@evil.example",
        "evil.example@localhost", "localhost#.evil.example", "localhost?.evil.example", "localhost/evil.example",
    ],
)  # fmt: skip
def test_a_request_for_another_host_is_refused(served: Running, host: str) -> None:
    with served.client() as tank:
        for path in (PROJECTS, "/", "/mcp", "/metrics", "/api/v1/openapi.json"):
            answer = tank.get(path, headers={"Host": host})
            assert (answer.status_code, answer.json()["code"]) == (421, "request.host"), path


@pytest.mark.parametrize("host", ["localhost", "localhost:1", "LOCALHOST.", "[::1]:8425", "127.0.0.1"])
def test_every_spelling_of_this_machine_is_its_name(served: Running, host: str) -> None:
    with served.client() as tank:
        assert tank.get(PROJECTS, headers={"Host": host}).status_code == 200


def test_a_request_with_two_hosts_or_none_is_refused(served: Running) -> None:
    two = raw(served, "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    none = raw(served, "GET / HTTP/1.0\r\n\r\n")

    assert two.split(b" ")[1] in {b"400", b"421"}
    assert none.split(b" ")[1] in {b"400", b"421"}


def test_a_probe_knows_the_server_by_any_name(served: Running) -> None:
    with served.nobody() as nobody:
        assert nobody.get("/health/live", headers={"Host": "10.0.0.7:8425"}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "file://"])
def test_a_page_of_another_site_cannot_call_even_with_a_token(served: Running, origin: str) -> None:
    with served.client() as tank:
        for method in ("GET", "POST", "OPTIONS"):
            answer = tank.request(method, PROJECTS, headers={"Origin": origin})
            assert (answer.status_code, answer.json()["code"]) == (403, "request.origin")
            assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_request_with_two_origins_is_refused(served: Running) -> None:
    own = served.address
    head = f"GET /health/live HTTP/1.1\r\nHost: {own.partition('//')[2]}\r\nConnection: close\r\nOrigin: {own}\r\n"
    one = raw(served, f"{head}\r\n")
    two = raw(served, f"{head}Origin: https://evil.example\r\n\r\n")
    same = raw(served, f"{head}Origin: {own}\r\n\r\n")

    assert [each.split(b" ")[1] for each in (one, two, same)] == [b"200", b"403", b"403"]


def test_a_browser_that_says_the_page_is_foreign_is_believed(served: Running) -> None:
    with served.client() as tank:
        assert tank.get(PROJECTS, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
        assert tank.get(PROJECTS, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_every_answer_is_dressed_and_has_an_id(served: Running) -> None:
    with served.client() as tank:
        answers = [tank.get(path) for path in (PROJECTS, "/", "/health/live", "/nowhere")]
        named = tank.get(PROJECTS, headers={"X-Request-Id": "from-the-caller"})
        forged = tank.get(PROJECTS, headers={"X-Request-Id": "two words"})

    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        # A browser says where our own form comes from only if it may; without that nobody could sign in.
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "server" not in answer.headers
    assert len({answer.headers["x-request-id"] for answer in answers}) == len(answers)
    assert named.headers["x-request-id"] == "from-the-caller"
    assert forged.headers["x-request-id"] != "two words"


@pytest.fixture
def small(hansard: Hansard, project: Project) -> Iterator[Running]:
    """A server with low limits."""
    assert project.key == "shop"
    with running(hansard, Options(requests_per_second=0.01, body_bytes_max=2_000)) as one:
        yield one


def test_a_body_that_is_too_large_is_refused_whether_it_says_so_or_not(small: Running) -> None:
    path, large = f"{PROJECTS}/shop/memories", b'{"content": "' + b"x" * 5_000 + b'"}'
    with small.client() as tank, small.client() as other:
        told = tank.post(path, content=large, headers={"Content-Type": "application/json"})
        # An iterator has no length, so it goes in chunks.
        chunked = other.post(path, content=iter([large]), headers={"Content-Type": "application/json"})

    assert [(one.status_code, one.json()["code"]) for one in (told, chunked)] == [(413, "request.too_large")] * 2


def test_a_body_that_stops_half_way_is_given_up(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_SECONDS_MAX", 0.05)
    url = httpx.URL(served.address)
    head = (
        f"POST {PROJECTS}/shop/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {served.token()}\r\n"
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    with socket.create_connection((url.host, url.port or 80), timeout=30) as connection:
        connection.sendall(head.encode())
        assert connection.recv(65_536).split(b" ")[1] == b"408"


@pytest.mark.parametrize("path", [f"{PROJECTS}/shop/memories", "/mcp", "/mcp/shop", "/metrics"])
def test_nobody_is_refused_before_the_body_has_come(served: Running, path: str) -> None:
    url = httpx.URL(served.address)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 12000000\r\n"
    with socket.create_connection((url.host, url.port or 80), timeout=30) as connection:
        connection.sendall(f"{head}\r\n".encode())
        assert connection.recv(65_536).split(b" ")[1] == b"401"


def test_of_a_stranger_a_short_form_is_read_and_no_more(served: Running) -> None:
    with served.nobody() as nobody:
        answer = nobody.post("/signin", content=b"token=" + b"x" * 5_000)

    assert answer.status_code == 413


def test_only_health_and_the_page_to_sign_in_at_need_no_token(served: Running) -> None:
    routes = [one for one in served.server.config.app.routes if "GET" in (getattr(one, "methods", None) or {"GET"})]  # type: ignore[union-attr]
    with served.nobody() as nobody:
        # A path of an operation needs some value for each part in braces; which one does not matter to nobody.
        free = {one.path for one in routes if nobody.get(one.path.replace("{", "").replace("}", "")).status_code != 401}

    assert free == {"/health/live", "/health/ready", "/", "/signin", "/page.css"}


def test_whoever_shows_no_token_at_all_is_slowed_down_too(served: Running) -> None:
    with served.nobody() as nobody:
        answers = (nobody.get(PROJECTS) for _ in range(5_000))
        slowed = next(one for one in answers if one.status_code != 401)
        still = [nobody.get(path).status_code for path in ("/health/live", "/", "/signin", "/page.css")]
    with served.client() as tank:
        known = tank.get(PROJECTS)

    assert (slowed.status_code, slowed.json()["code"]) == (429, "request.rate")
    assert int(slowed.headers["retry-after"]) >= 1
    assert still == [200] * 4
    assert known.status_code == 200


def test_one_token_that_comes_too_often_waits_and_another_does_not(small: Running) -> None:
    with small.client("tank") as tank, small.client("trinity") as trinity:
        answers = [tank.get(PROJECTS) for _ in range(3)]
        other = trinity.get(PROJECTS)

    refused = [answer for answer in answers if answer.status_code == 429]
    assert answers[0].status_code == 200
    assert refused
    assert refused[0].json()["code"] == "request.rate"
    assert int(refused[0].headers["retry-after"]) >= 1
    assert other.status_code == 200


def test_whoever_tries_many_tokens_is_slowed_down(served: Running) -> None:
    with served.nobody() as nobody:
        wrong = {"Authorization": "Bearer hansard_" + "B" * 43}
        statuses = [nobody.get(PROJECTS, headers=wrong).status_code for _ in range(60)]
        still = nobody.get("/health/live")

    assert statuses[0] == 401
    assert statuses[-1] == 429
    assert still.status_code == 200
