"""Bodies that would take long to read: they are refused before anybody reads them, and others are not."""

import json
import time
from collections.abc import Iterator
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as some
from starlette.types import Message

from hansard.interfaces.server import limits, weigh
from support.engines import on_sqlite
from support.serving import Running

MEMORIES = "/api/v1/projects/shop/memories"
FULL = {
    "content": 'It is "so": {a, b} [1, 2] \\', "agent": "tank", "type": "learning", "importance": "high",
    "scope": "team", "source": "manual", "name": "n", "tags": ["a", "b"], "category": "c", "citations": ["d"],
    "kind": "project", "subject": "s", "reason": "r", "source_ref": "z", "position": 3, "run_id": None,
    "session_id": None, "occurred_at": "2026-01-01", "origin": None,
}  # fmt: skip


def test_the_largest_batch_of_full_memories_may_be_read() -> None:
    assert weigh.fault_of(json.dumps({"items": [FULL] * 10_000}).encode()) is None


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"{" + b",".join(b'"k%d":1' % number for number in range(1_001)) + b"}", "more than 1,000 keys"),
        (b"[" * 101, "deeper than 100 levels"),
        (b"[" + b"1," * weigh.PARTS_MAX, "more than 800,000 parts"),
        (b'"' * (2 * weigh.PARTS_MAX + 2), "more than 800,000 parts"),
        (json.dumps({"content": "x"}).encode("utf-16-le"), "UTF-8"),
        (json.dumps({"content": "x"}).encode("utf-16"), "UTF-8"),
        (json.dumps({"content": "x"}).encode("utf-32-be"), "UTF-8"),
    ],
    ids=["keys", "depth", "parts", "texts", "utf-16-le", "utf-16", "utf-32"],
)
def test_what_would_take_long_to_read_is_a_fault(body: bytes, fault: str) -> None:
    assert fault in (weigh.fault_of(body) or "")


@pytest.mark.parametrize("body", [b"", b'"', b'"\\', b"}}]]", b":::", b"\xff\xfd", b'{"a": "\\\\", "b": "\\""}'])
def test_what_is_no_json_is_for_others_to_refuse(body: bytes) -> None:
    assert weigh.fault_of(body) is None


DOCUMENTS = some.recursive(
    some.text() | some.integers() | some.none(), lambda one: some.lists(one) | some.dictionaries(some.text(), one)
)


@given(DOCUMENTS)
def test_only_the_marks_of_the_document_itself_are_counted(document: Any) -> None:
    def expected(value: Any) -> int:
        match value:
            case dict():
                inside = sum(1 + expected(one) for one in value.values())
            case list():
                inside = sum(map(expected, value))
            case _:
                return int(isinstance(value, str))
        return 1 + inside + max(0, len(value) - 1)

    marks = list(weigh._marks(json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")))

    assert sum(mark in '"{[,' for mark in marks) == expected(document)


@on_sqlite
@pytest.mark.parametrize("path", [MEMORIES, "/mcp/shop"])
def test_a_large_body_of_many_keys_is_refused_however_it_is_sent(served: Running, path: str) -> None:
    body = json.dumps({f"key-{number}": "x" * 60 for number in range(2_000)}).encode()
    as_json = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    def pieces() -> Iterator[bytes]:
        yield from (body[at : at + 30_000] for at in range(0, len(body), 30_000))

    with served.client() as tank:
        answers = [tank.post(path, content=content, headers=as_json) for content in (body, pieces())]

    # To a client of MCP the problem comes inside an error of its protocol.
    told = [one.json() if path == MEMORIES else one.json()["error"]["data"] for one in answers]
    assert [(one.status_code, about["code"]) for one, about in zip(answers, told, strict=True)] == [
        (413, "request.too_large")
    ] * 2
    assert "1,000 keys" in told[0]["detail"]


@on_sqlite
def test_a_large_body_that_is_fine_arrives_whole(served: Running) -> None:
    items = [{"content": f"Note {number}: {'word ' * 30}"} for number in range(500)]
    with served.client() as tank:
        made = tank.post(f"{MEMORIES}/batch", json={"items": items})

    assert made.status_code == 201, made.text
    assert len(made.json()["items"]) == len(items)


@on_sqlite
def test_of_very_many_faults_a_few_are_told(served: Running) -> None:
    with served.client() as tank:
        keys = tank.post(MEMORIES, json={"x" * 1_000 + str(number): 1 for number in range(50)})
        items = tank.post(f"{MEMORIES}/batch", json={"items": [{"contenx": 1}] * 2_000})

    assert (keys.status_code, items.status_code) == (422, 422)
    assert len(keys.json()["errors"]) == 20
    assert len(keys.content) < 10_000
    assert {one["field"].split(".")[2] for one in items.json()["errors"]} == {"0"}, "one item is told, not each of them"


def test_a_body_that_keeps_no_pace_is_given_up_however_often_a_piece_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_SECONDS_MAX", 0.05)
    monkeypatch.setattr(limits, "BODY_BYTES_PER_SECOND_MIN", 1 << 30)

    async def trickle() -> Message:
        await anyio.lowlevel.checkpoint()
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def read() -> None:
        received = limits.bounded(trickle, 1 << 30, limits.Taken(limits.Held(), "tank"))
        until = time.monotonic() + 20
        while time.monotonic() < until:
            await received()

    with pytest.raises(limits.BodyRefused) as refused:
        anyio.run(read)

    assert refused.value.status_code == 408
