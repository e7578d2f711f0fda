"""The stream of events: live, resumable by number, and ended by the server's stop."""

import json
from collections.abc import Iterator
from contextlib import ExitStack

import anyio
import httpx
import pytest

from hansard import Hansard
from hansard.interfaces.rest import events
from hansard.project import Project
from hansard.services.seat import Seat
from support.engines import on_sqlite
from support.mirrors import until as eventually
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
@pytest.mark.parametrize(("query", "headers"), [("since=99&", {}), ("since=0&", {"Last_Event_ID": "99"})])
def test_who_comes_back_to_a_shorter_history_is_told(tank: Client, query: str, headers: dict[str, str]) -> None:
    refused = tank.get(f"/events?{query}idle_seconds=0", **headers)

    assert (refused.status, refused.json["code"]) == (409, "history.ahead")
    assert "restored from a backup" in refused.json["detail"]


@on_sqlite
def test_a_token_has_so_many_streams_at_once_and_the_next_one_is_asked_to_wait(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "STREAMS_MAX", 2)
    with served.client() as client, served.client("neo", "coordinator") as other:
        with client.stream("GET", EVENTS) as first, client.stream("GET", EVENTS) as second:
            lines = [one.iter_lines() for one in (first, second)]
            assert [until(one, ": after") for one in lines]
            refused = client.get(EVENTS, params={"idle_seconds": 1})
            assert other.get(EVENTS, params={"idle_seconds": 0}).status_code == 200

        assert (refused.status_code, refused.json()["code"]) == (429, "request.streams")
        assert refused.headers["retry-after"] == "5"
        eventually(lambda: client.get(EVENTS, params={"idle_seconds": 0}).status_code == 200, "a stream is free")


class Counted:
    """A project that counts how often it is asked for a seat, as each look needs one."""

    def __init__(self, project: Project) -> None:
        self.id = project.id
        self.looks = 0
        self._project = project

    def seat(self) -> Seat:
        self.looks += 1
        return self._project.seat()


@on_sqlite
def test_streams_that_wait_share_one_look_at_the_history(project: Project) -> None:
    counted, streams = Counted(project), events.Streams()
    found: list[int] = []

    async def waits() -> None:
        found.append(await streams.head(counted))  # type: ignore[arg-type]

    async def together() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(waits)

    anyio.run(together)

    assert found == [project.list_events(limit=1).items[0].seq] * 8
    assert counted.looks == 1


@on_sqlite
def test_streams_that_wait_are_all_told_of_what_happens(served: Running, project: Project) -> None:
    with ExitStack() as stack:
        client = stack.enter_context(served.client())
        streams = [stack.enter_context(client.stream("GET", EVENTS)) for _ in range(4)]
        lines = [one.iter_lines() for one in streams]
        for one in lines:
            until(one, ": after")
        project.decide(type="scope", title="No billing", content="Billing is out of scope.", by="ana")

        assert [until(one, "event:") for one in lines] == ["event: decision.made"] * 4


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
