"""The lines of the log: what is ours is cleaned, what others say is left out, and a failure says only where."""

import json
import logging
import sys

import pytest

from hansard import Hansard
from hansard.interfaces.server import access_log
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
