"""The stream of events: live, resumable by number, and ended by the server's stop."""

import json
from collections.abc import Iterator

import httpx
import pytest

from hansard import Hansard
from hansard.interfaces.rest import events
from hansard.project import Project
from support.engines import on_sqlite
from support.rest import Client
from support.serving import Running, running

EVENTS = "/api/v1/projects/shop/events"


def told(text: str) -> list[tuple[int, str]]:
    """The number and the name of each event in a piece of a stream."""
    fields = [dict(line.split(": ", 1) for line in part.splitlines()) for part in text.split("\n\n") if "id: " in part]
    assert all(json.loads(one["data"])["seq"] == int(one["id"]) for one in fields)
    return [(int(one["id"]), one["event"]) for one in fields]


@pytest.fixture
def served(hansard: Hansard, project: Project) -> Iterator[Running]:
    assert project.key == "shop"
    with running(hansard) as one:
        yield one


def until(lines: Iterator[str], wanted: str) -> str:
    return next(line for line in lines if line.startswith(wanted))


def test_a_stream_begins_where_it_is_told_to(tank: Client) -> None:
    tank.post("/memories", {"content": "The API needs a Bearer prefix."})
    whole = tank.get("/events?since=0&idle_seconds=0")

    seen = told(whole.body.decode())

    assert whole.headers["content-type"].startswith("text/event-stream")
    assert seen[0] == (1, "project.created")
    assert seen[-1][1] == "memory.recorded"
    assert told(tank.get(f"/events?since={seen[-2][0]}&idle_seconds=0").body.decode()) == seen[-1:]


def test_who_comes_back_with_the_last_id_misses_nothing(tank: Client) -> None:
    first = told(tank.get("/events?since=0&idle_seconds=0").body.decode())[-1][0]
    tank.post("/memories", {"content": "The API needs a Bearer prefix."})

    resumed = tank.get("/events?since=0&idle_seconds=0", Last_Event_ID=str(first))

    assert [action for _, action in told(resumed.body.decode())] == ["memory.recorded"]


@on_sqlite
def test_without_a_beginning_a_stream_begins_now(tank: Client) -> None:
    tank.post("/memories", {"content": "The API needs a Bearer prefix."})

    assert told(tank.get("/events?idle_seconds=0").body.decode()) == []


@on_sqlite
def test_a_last_id_that_is_no_number_is_refused(tank: Client) -> None:
    assert tank.get("/events?idle_seconds=0", Last_Event_ID="latest").status == 422


@on_sqlite
def test_more_events_than_one_look_reads_are_all_sent(tank: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "BATCH_ITEMS_MAX", 2)
    for number in range(5):
        tank.post("/memories", {"content": f"Lesson number {number} is about something else: {'x' * number}."})

    seen = told(tank.get("/events?since=0&idle_seconds=0").body.decode())

    assert [number for number, _ in seen] == list(range(1, len(seen) + 1))
    assert len(seen) >= 6


@on_sqlite
def test_an_agent_is_not_told_which_private_memory_of_another_it_was(tank: Client, neo: Client) -> None:
    made = tank.post("/memories", {"content": "The API needs a Bearer prefix."}).json

    assert made["id"].encode() not in neo.get("/events?since=0&idle_seconds=0").body
    assert made["id"].encode() in tank.get("/events?since=0&idle_seconds=0").body


def test_an_event_arrives_while_the_stream_is_open_and_a_stop_ends_it(served: Running, project: Project) -> None:
    with served.client() as client, client.stream("GET", EVENTS) as stream:
        lines = stream.iter_lines()
        until(lines, ": after")
        project.decide(type="scope", title="No billing", content="Billing is out of scope.", by="ana")

        assert until(lines, "event:") == "event: decision.made"
        served.server.stop()
        assert "id:" not in "".join(lines)


@on_sqlite
def test_a_silent_stream_shows_that_it_is_alive(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "BEAT_SECONDS", 0.0)
    with served.client() as client, client.stream("GET", EVENTS) as stream:
        assert until(stream.iter_lines(), ": still here")


@on_sqlite
def test_a_stream_ends_when_its_token_is_revoked(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "BEAT_SECONDS", 0.0)
    monkeypatch.setattr(events, "BELIEVED_SECONDS", 0.0)
    grant, text = served.hansard.create_token(agent="tank", role="agent", projects=("shop",))
    headers = {"Authorization": f"Bearer {text}"}
    with (
        httpx.Client(base_url=served.address, headers=headers, timeout=60) as client,
        client.stream("GET", EVENTS) as stream,
    ):
        lines = stream.iter_lines()
        until(lines, ": after")
        served.hansard.revoke_token(grant.id)

        assert "id:" not in "".join(lines)
