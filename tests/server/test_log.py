"""The lines of the log: what is ours is cleaned, what others say is left out, and a failure says only where."""

import json
import logging
import socket
import sys
from collections import Counter

import httpx
import pytest

from hansard import Hansard
from hansard.interfaces.server import access_log, background
from support.engines import on_sqlite
from support.fakes import fake_secret
from support.serving import Running

SAID = "xyzzy-plugh-7"


def line(name: str, message: str, *values: object, exc_info: bool = False) -> dict[str, str]:
    caught = sys.exc_info() if exc_info else None
    record = logging.LogRecord(name, logging.WARNING, "server.py", 7, message, values, caught)
    told: dict[str, str] = json.loads(access_log.Lines().format(record))
    return told


def test_a_secret_in_a_message_of_ours_is_taken_out() -> None:
    secret = fake_secret()

    assert secret not in line("hansard.background", "waits: %s", secret)["message"]


def test_what_another_package_says_is_left_out() -> None:
    told = line("mcp.server", f"could not read {SAID}")

    assert SAID not in repr(told)
    assert told["message"] == "see line 7 of server"


def test_a_failure_says_where_it_came_from_and_not_what_it_quotes() -> None:
    told: dict[str, str] = {}
    try:
        int(SAID)
    except ValueError:
        told = line("hansard.server", "request failed", exc_info=True)

    assert SAID not in repr(told)
    assert told["error"].startswith("ValueError at server.test_log:")


@pytest.mark.parametrize(
    "given", [None, "", "short", "two words", "x" * 65, "line\nbreak-in-it", "ünïcödé-id", fake_secret()]
)
def test_an_id_that_is_not_plain_is_replaced(given: str | None) -> None:
    made = access_log.request_id(given)

    assert made != given
    assert access_log.ID.fullmatch(made)


@pytest.mark.parametrize(
    "given", ["hansard_" + "A" * 43, "x-HANSARD_" + "A" * 20, fake_secret()[:64], "trace.hansard_abc"]
)
def test_an_id_that_is_a_secret_is_replaced(given: str) -> None:
    assert access_log.ID.fullmatch(given), "it would be replaced for its form alone"
    assert access_log.request_id(given) != given


@pytest.mark.parametrize("given", ["my-own-request", "0af7651916cd43dd", "d3b07384-d9a0-4c3b-8c3b-1b2b3c4d5e6f"])
def test_an_id_that_says_nothing_is_kept(given: str) -> None:
    assert access_log.request_id(given) == given


def test_what_is_wrong_with_files_is_a_warning_with_its_code_and_a_count(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="hansard.background")
    seen = Counter({("exported", None): 1, ("skipped", "input.invalid"): 3, ("waiting", "store.unreachable"): 1})

    background.tell("shop", seen)

    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", "shop: exported (1)"),
        ("WARNING", "shop: skipped (3): input.invalid"),
        ("WARNING", "shop: waiting: store.unreachable"),
    ]


@on_sqlite
def test_whoever_hangs_up_is_no_fault_of_the_server(served: Running, caplog: pytest.LogCaptureFixture) -> None:
    url = httpx.URL(served.address)
    head = f"POST /signin HTTP/1.1\r\nHost: {url.netloc.decode()}\r\nOrigin: {served.address}\r\nContent-Length: 90\r\n"
    with socket.create_connection((url.host, url.port or 80), timeout=30) as connection:
        connection.sendall(f"{head}\r\ncode=".encode())
    with served.client("prometheus", "service", None) as scraper:
        lines = (line for _ in range(2_000) for line in scraper.get("/metrics").text.splitlines())
        counted = next(
            line for line in lines if 'route="/signin"' in line and line.startswith("hansard_requests_total")
        )

    assert 'status="499"' in counted
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@on_sqlite
def test_a_fault_of_the_server_is_answered_like_everything_else(
    served: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: Hansard) -> None:
        raise RuntimeError(SAID)

    monkeypatch.setattr(Hansard, "projects", broken)
    with served.client() as tank:
        answers = [tank.get("/api/v1/projects"), tank.get("/")]

    for answer in answers:
        assert (answer.status_code, answer.json()["code"]) == (500, "hansard.unexpected")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert SAID not in answer.text
        assert any(answer.headers["x-request-id"] in record.getMessage() for record in caplog.records)
