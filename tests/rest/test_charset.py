"""Bodies in another charset than UTF-8 are refused, whatever their header says and however short they are."""

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from support.engines import on_sqlite
from support.rest import Server

SAID = {"content": "Grüße aus Zürich."}
TEXT = json.dumps(SAID, ensure_ascii=False)


def sent(server: Server, body: bytes, kind: str = "application/json") -> Any:
    http = TestClient(server.app, base_url="http://localhost")
    headers = {"Authorization": f"Bearer {server.token('tank', 'agent')}", "Content-Type": kind}
    return http.post("/api/v1/projects/shop/memories", content=body, headers=headers)


@on_sqlite
@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8"])
@pytest.mark.parametrize("charset", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "latin-1"])
def test_a_body_in_another_charset_is_refused_with_what_to_send(server: Server, charset: str, kind: str) -> None:
    refused = sent(server, TEXT.encode(charset), kind)

    assert (refused.status_code, refused.json()["code"]) == (415, "request.media_type")
    assert "UTF-8" in refused.json()["detail"]


@on_sqlite
@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig"])
def test_a_body_in_utf_8_is_taken_with_and_without_its_mark(server: Server, charset: str) -> None:
    made = sent(server, TEXT.encode(charset))

    assert made.status_code == 201
    assert made.json()["content"] == SAID["content"]
