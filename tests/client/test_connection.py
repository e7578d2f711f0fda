"""Connections: lost ones are made again, nothing is done twice, and what cannot be reached says so."""

import json
import socket
import threading
from collections.abc import Iterator

import pytest

from client.conftest import Served
from client.liars import answer, lying, saying
from hansard.client import connection
from hansard.client.connection import Wire
from hansard.client.opened import Client
from hansard.client.problems import error_of
from hansard.domain.errors import HansardError, HiddenMemory, Invalid, ServerUnreachable, TooLarge, Unavailable
from hansard.interfaces.rest.problems import problem, status_of
from hansard.interfaces.server.options import Options
from hansard.interfaces.server.serving import bind
from support.engines import on_sqlite
from support.lossy import Line, lossy


@pytest.fixture
def line(served: Served) -> Iterator[Line]:
    with lossy(served.running.address) as one:
        yield one


@pytest.fixture
def far(line: Line, served: Served) -> Iterator[Client]:
    with Client.open(line.address, token=served.running.token("ana", "human", None)) as client:
        yield client


@on_sqlite
def test_a_write_whose_answer_was_lost_is_sent_again_and_done_once(line: Line, far: Client, served: Served) -> None:
    project = far.project("shop")
    line.lose = 2
    made = project.remember("Said once.", agent="tank", force=True)

    assert line.lose == 0
    assert [one.id for one in served.own.ana.list_memories().items] == [made.id]


@on_sqlite
def test_a_change_that_cannot_be_told_from_a_second_one_is_not_sent_again(
    line: Line, far: Client, served: Served
) -> None:
    project = far.project("shop")
    project.start_session(focus="Auth", summary="One.")
    line.lose = 1
    with pytest.raises(ServerUnreachable):
        project.update_session("Two.")

    session = served.own.ana.current_session()
    assert session is not None
    assert session.summary == "One.\nTwo."


@on_sqlite
def test_connections_that_ended_while_nobody_used_them_are_made_again(line: Line, far: Client) -> None:
    project = far.project("shop")
    project.start_session(focus="Auth")
    line.cut()

    assert project.update_session("Still here.").summary == "Still here."


@on_sqlite
def test_a_stream_that_was_lost_goes_on_after_the_last_event(line: Line, far: Client, served: Served) -> None:
    project = far.project("shop")
    head = served.own.ana.list_events(limit=1).items[0].seq
    events = project.follow(since=head)
    served.own.tank.remember("First.")
    first = next(events)
    line.cut()
    served.own.tank.remember("Second.")
    second = next(events)

    assert (first.seq, second.seq) == (head + 1, head + 2)
    assert second == served.own.ana.get_event(head + 2)


@on_sqlite
def test_many_threads_share_one_client(served: Served) -> None:
    tank = served.remote.tank

    def write(number: int) -> None:
        for count in range(5):
            tank.remember(f"Thread {number} says {count}.")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(served.own.tank.list_memories(limit=100).items) == 40


def test_answers_of_a_server_do_not_wait_for_the_packet_before() -> None:
    # Of a socket whose protocol is not named, asyncio does not know that small packets are to go out at once.
    with bind(Options(port=0)) as listening:
        assert listening.proto == socket.IPPROTO_TCP


def test_nobody_at_the_address_is_said_after_some_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PAUSES_SECONDS", (0.0, 0.0))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ServerUnreachable, match="cannot be reached"):
        Wire(f"http://127.0.0.1:{port}", "t").ask("GET", ["projects"])


def test_a_server_that_never_answers_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        wire = Wire(f"http://127.0.0.1:{silent.getsockname()[1]}", "t", timeout_seconds=0.05)
        with pytest.raises(ServerUnreachable, match=r"did not answer in 0\.05 s"):
            wire.ask("POST", ["projects"], body={})
        wire.close()


@pytest.mark.parametrize(
    "address",
    [
        "ftp://host",
        "http://",
        "http://user:pass@host",
        "http://host?a=b",
        "host:80",
        "http://host:port",
        "http://höst",
        "http://host/a b",
        "http://host/\x7f",
    ],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(Invalid):
        Wire(address, "t")


@pytest.mark.parametrize("path", ["/api/v1", "/api/v1/", "/hansard/api/v1", "/api/v1/projects/shop", "/mcp"])
def test_the_address_of_a_part_of_the_server_is_refused_with_what_to_leave_out(path: str) -> None:
    with pytest.raises(Invalid, match=f"without {path.rstrip('/')}: the client adds /api/v1 by itself"):
        Wire(f"http://host{path}", "t")


def test_what_cannot_be_reached_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PAUSES_SECONDS", (0.0,))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with Client.open(address, token="t") as client, pytest.raises(ServerUnreachable) as caught:
            client.projects()

    assert caught.value.message.count("cannot be reached") == 1


@pytest.mark.parametrize("token", ["", "a\nb", "ü"])
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(Invalid):
        Wire("http://localhost", token)


@on_sqlite
def test_a_closed_client_says_so(served: Served) -> None:
    client = Client.open(served.running.address, token=served.running.token())
    client.close()
    with pytest.raises(Invalid, match="closed"):
        client.project("shop")


def test_every_error_comes_back_as_the_class_that_was_raised() -> None:
    for kind in every(HansardError):
        answer = problem(status_of(kind("said")), kind.code, "title", "said")
        found = error_of(answer.status_code, bytes(answer.body))
        # To the reader, what is hidden is unknown.
        assert type(found) is (kind if kind is not HiddenMemory else HiddenMemory.__base__)
        assert found.message == "said"


def test_an_answer_of_something_else_is_an_error_too() -> None:
    assert type(error_of(413, b"<html>too large</html>")) is TooLarge
    assert type(error_of(503, json.dumps(["no", "problem"]).encode())) is Unavailable
    assert "418" in error_of(418, b"").message


def every(kind: type[HansardError]) -> Iterator[type[HansardError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from every(child)


def test_a_request_that_a_stopping_server_gave_up_is_sent_to_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PAUSES_SECONDS", (0.0,))
    stopped = saying(answer('{"code": "request.stopped", "detail": "The server stops."}', 503))
    done = saying(answer('{"done": true}'))
    with lying(stopped, done) as address:
        wire = Wire(address, "t")
        assert wire.ask("POST", ["projects"], body={}).json == {"done": True}
        wire.close()
    with lying(stopped, done) as address:
        wire = Wire(address, "t")
        with pytest.raises(Unavailable):
            wire.ask("PATCH", ["projects"], body={})
        wire.close()
