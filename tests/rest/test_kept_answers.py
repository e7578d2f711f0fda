"""Answers that are kept for an Idempotency-Key though nothing was written: an agent has so many of them in a minute."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.raw import raw
from support.rest import Client, Server

READ = {"conversation": "user: Never push to main.\n"}


@pytest.fixture
def strict(project: Project, target: str, clock: FakeClock) -> Iterator[Server]:
    """A server on which an agent writes three times in a minute."""
    assert project.key == "shop"
    with Hansard.open(target, settings=Settings(user="ana", guard_writes_per_minute=3), clock=clock) as opened:
        yield Server(opened)


def kept(target: str) -> int:
    with raw(target) as database:
        return int(database.execute("SELECT count(*) FROM idempotency_keys").fetchone()[0])


def compacted(client: Client, keys: range) -> list[int]:
    return [client.post("/compact", READ, Idempotency_Key=f"k-{key}").status for key in keys]


def test_answers_to_what_wrote_nothing_are_kept_up_to_the_limit_of_writes(strict: Server, target: str) -> None:
    tank = strict.client("tank", "agent", ["shop"])

    assert compacted(tank, range(8)) == [200] * 8
    assert kept(target) == 3
    first, last = (tank.post("/compact", READ, Idempotency_Key=key) for key in ("k-0", "k-7"))
    assert (first.headers.get("idempotent-replayed"), last.headers.get("idempotent-replayed")) == ("true", None)
    assert first.body == last.body


def test_kept_answers_and_writes_share_one_limit(strict: Server, target: str, clock: FakeClock) -> None:
    tank = strict.client("tank", "agent", ["shop"])
    note = {"content": "The API needs a Bearer prefix."}

    assert tank.post("/memories", note, Idempotency_Key="w-1").status == 201
    # It is known already, so that nothing more is written.
    assert tank.post("/memories", note, Idempotency_Key="w-2").status == 200
    assert compacted(tank, range(2)) == [200] * 2
    assert kept(target) == 3
    assert tank.post("/memories", {"content": "Another."}).status == 429
    clock.advance(seconds=60)
    assert tank.post("/memories", {"content": "Another."}).status == 201


def test_a_spilled_file_and_its_answer_are_one_write(
    strict: Server, hansard: Hansard, target: str, tmp_path: Path
) -> None:
    hansard.project("shop", create=True, root=tmp_path)
    tank = strict.client("tank", "agent", ["shop"])
    told = f"User: Constraint: {'never forget this ' * 40}\nTool: " + "line\n" * 400
    wanted = {"tokens_target": 250, "level_max": 5, "task": "login"}
    sent = [{"conversation": f"{told}Attempt {key}.", **wanted} for key in range(4)]
    answers = [tank.post("/compact", body, Idempotency_Key=f"k-{key}") for key, body in enumerate(sent)]

    assert [one.status for one in answers] == [200, 200, 200, 429]
    assert len({one.json["spilled"] for one in answers[:3]}) == len(list(tmp_path.rglob(".cache/**/*.md"))) == 3
    assert kept(target) == 3


def test_the_answers_of_people_are_kept_without_a_limit(strict: Server, target: str) -> None:
    assert compacted(strict.client("ana", "human"), range(8)) == [200] * 8
    assert kept(target) == 8


def test_a_refusal_to_make_a_project_is_not_kept(strict: Server, target: str) -> None:
    tank = strict.client("tank", "agent")
    refused = [tank.post("/api/v1/projects", {"key": "mill"}, Idempotency_Key=f"k-{key}").status for key in range(3)]

    assert (refused, kept(target)) == ([403] * 3, 0)


def test_a_reading_or_a_receipt_and_its_answer_are_one_write(strict: Server, target: str) -> None:
    tank = strict.client("tank", "agent", ["shop"])
    note = tank.post("/memories", {"content": "The API needs a Bearer prefix."}).json["id"]
    used = [tank.post(f"/memories/{note}/use", {"task": "login"}, Idempotency_Key=key) for key in ("u-1", "u-1")]
    turns = [
        tank.post("/context", {"task": "Mend the login", "keep": True}, Idempotency_Key=key)
        for key in ("c-1", "c-1", "c-2", "c-2")
    ]

    assert [one.headers.get("idempotent-replayed") for one in used] == [None, "true"]
    assert [one.headers.get("idempotent-replayed") for one in turns] == [None, "true", None, None]
    assert [one.status for one in turns] == [200] * 4
    assert [one.json["receipt"]["id"] is not None for one in turns] == [True, True, False, False]
    assert "could not be kept: tank has written 3 times" in turns[2].json["receipt"]["notes"][0]
    assert kept(target) == 2
