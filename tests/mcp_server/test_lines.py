"""Every line of a host is a message for the SDK, or is refused, or wants nothing."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from mcp_types import JSONRPCNotification, JSONRPCRequest, jsonrpc_message_adapter

from hansard.interfaces.mcp.lines import DEPTH_MAX, DIGITS_MAX, REPLACED, Line, checked

JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(some.characters(), max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(some.characters(), max_size=3), inner),
    max_leaves=8,
)
MESSAGES = some.dictionaries(
    some.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "x"]),
    some.just("2.0") | JSON | some.dictionaries(some.just("_meta"), JSON),
)


def line(**said: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0"} | said).encode() + b"\n"


def refused(raw: bytes) -> tuple[int, Any]:
    found = checked(raw)
    assert found.text == ""
    assert found.refusal is not None
    said = json.loads(found.refusal)
    return said["error"]["code"], said["id"]


def deep(levels: int) -> Any:
    return {} if levels == 0 else {"a": deep(levels - 1)}


@pytest.mark.parametrize(
    ("raw", "code", "identity"),
    [
        (b"not json\n", -32_700, None),
        (b"\xff\xfe\n", -32_700, None),
        (b'{"jsonrpc": "2.0", "id": 8, "method": "tools/call"\n', -32_700, 8),
        (b'{"id": "a\\"b", "method": "tools/call', -32_700, 'a"b'),
        (b'{"params": {"id": 1}, "x": "{\\"id\\": 2", "id": 3', -32_700, 3),
        (b'{"params": {"id": 1}, "method": "id"', -32_700, None),
        (b'{"id": 1.5, "method": "ping"', -32_700, None),
        (b'{"id": "never ends', -32_700, None),
        (b"[]\n", -32_600, None),
        (b"null\n", -32_600, None),
        (b"[" * 100_000, -32_600, None),
        (b'{"params": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b', "id": 4}', -32_600, 4),
        (line(id=4, method="x", params=deep(DEPTH_MAX - 1)), -32_600, 4),
        (b'{"jsonrpc": "2.0", "id": 9, "method": "x", "params": {"n": ' + b"9" * (DIGITS_MAX + 1) + b"}}", -32_600, 9),
        (b'{"jsonrpc": "2.0", "id": ' + b"9" * 5_000 + b', "method": "x"}', -32_600, None),
        (line(id=8, method="tools/call", params=[]), -32_600, 8),
        (line(id=7), -32_600, 7),
        (line(id=1, method=3), -32_600, 1),
        (line(id=None, method="ping"), -32_600, None),
        (line(id=True, method="ping"), -32_600, None),
        (line(id={}, method="ping"), -32_600, None),
        (line(id=1.5, method="ping"), -32_600, 1.5),
        (line(id=float("inf"), method="ping"), -32_600, None),
        (line(id="\ud800", method="ping"), -32_600, "\ud800"),
        (line(id=5, method="ping", jsonrpc="1.0"), -32_600, 5),
        (b'{"id": 6, "method": "ping"}', -32_600, 6),
    ],
)
def test_what_is_no_message_is_refused_by_its_id(raw: bytes, code: int, identity: object) -> None:
    assert refused(raw) == (code, identity)


@pytest.mark.parametrize(
    "raw",
    [
        b"\n", b" \r\n", line(method="notifications/x", params=[]), line(method="\ud800", params=3),
        line(id=1, result={}), line(id=1, error=5),
    ],
)  # fmt: skip
def test_what_wants_no_answer_has_none(raw: bytes) -> None:
    assert checked(raw) == Line()


def test_a_message_is_handed_on_as_it_came() -> None:
    raw = line(id=1, method="tools/call", params={"name": "x", "arguments": {"text": "\u2028 \U0001f600 é"}})

    assert checked(raw) == Line(raw.decode())
    assert checked(raw[:-1]) == Line(raw[:-1].decode())
    assert checked(line(id=1, method="x", params=deep(DEPTH_MAX - 2))).refusal is None


def test_half_a_character_is_replaced_and_counted() -> None:
    raw = line(id=1, method="x", params={"\ud83d": ["a \udc00", "\U0001f600"], "_meta": {"progressToken": 1}})

    said = json.loads(checked(raw).text)

    assert said["params"] == {
        "\ufffd": ["a \ufffd", "\U0001f600"], "_meta": {"progressToken": 1, REPLACED: 2},
    }  # fmt: skip


def test_bytes_that_are_no_text_are_replaced_and_counted() -> None:
    raw = '{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"a": "\ufffd é '.encode() + b'\xff"}}'

    assert json.loads(checked(raw).text)["params"] == {"a": "\ufffd é \ufffd", "_meta": {REPLACED: 1}}


def test_a_request_cannot_pass_for_an_answer() -> None:
    raw = line(id=1, method="ping", result={}, error={"code": 1, "message": "x"})

    assert json.loads(checked(raw).text) == {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@given(MESSAGES)
@example({"jsonrpc": "2.0", "id": 10**999, "method": "x"})
@example({"jsonrpc": "2.0", "id": "1", "method": "x", "params": None})
def test_a_message_with_an_id_is_handed_on_or_refused_and_what_is_handed_on_can_be_read(said: dict[str, Any]) -> None:
    found = checked(json.dumps(said).encode())

    assert not (found.text and found.refusal)
    if "method" in said and "id" in said:
        assert found.text or found.refusal
    if found.text:
        read = jsonrpc_message_adapter.validate_json(found.text, by_name=False)
        assert isinstance(read, JSONRPCRequest if "id" in said else JSONRPCNotification)
        assert getattr(read, "id", None) == said.get("id")
        read.model_dump_json(by_alias=True, exclude_unset=True).encode()


@given(some.binary(max_size=60) | some.text(some.sampled_from('{}[]":,\\ id1x'), max_size=40).map(str.encode))
def test_any_bytes_are_looked_at_without_a_failure(raw: bytes) -> None:
    found = checked(raw)

    assert not (found.text and found.refusal)
    if found.refusal is not None:
        assert json.loads(found.refusal)["error"]["message"]
