"""The short way to an operation: what is plainly right takes it, and it hands on what the long way would."""

import json
from typing import Annotated, Any
from urllib.parse import quote

import anyio
import pytest
from fastapi import APIRouter, FastAPI, Query, Request, Response
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from hansard.domain.errors import UnknownMemory
from hansard.interfaces.rest import bodies, filters, problems
from hansard.interfaces.rest.answers import answer
from hansard.interfaces.rest.calls import Key
from hansard.interfaces.rest.etags import IfMatch
from hansard.interfaces.rest.operations import Example, in_project, operation
from hansard.interfaces.rest.routes import routers
from hansard.interfaces.rest.shortcut import Shortcut
from hansard.interfaces.server.lanes import Lanes
from support.examples import examples

LONG_WAY_ONLY = {
    ("GET", "/api/v1/projects/{project}/history/{seq}"),
    ("GET", "/api/v1/projects/{project}/events"),
    ("GET", "/api/v1/projects/{project}/doctor"),
    ("GET", "/api/v1/doctor"),
}
"""What takes a number, a yes or a place in a stream."""


def echoing() -> APIRouter:
    """Operations of every form, each of which answers with what it was called with."""
    into = in_project("memories")
    shown = Example("What was said.", bodies.Body, {})

    def told(**said: Any) -> Response:
        for name in ("body", "wanted"):
            if said.get(name) is not None:
                said[name] = [said[name].model_dump(mode="json"), sorted(said[name].model_fields_set)]
        return answer(said)

    @operation(into, "POST", "/memories", shown)
    def record(request: Request, project: Key, body: bodies.NewMemory) -> Response:
        """Record."""
        return told(project=project, body=body)

    @operation(into, "GET", "/memories", shown)
    def page(request: Request, project: Key, wanted: Annotated[filters.MemoryFilter, Query()]) -> Response:
        """List."""
        return told(project=project, wanted=wanted)

    @operation(into, "GET", "/memories/usage", shown)
    def usage(request: Request, project: Key, wanted: Annotated[filters.UsageFilter, Query()]) -> Response:
        """Report."""
        return told(project=project, usage=True, wanted=wanted)

    @operation(into, "GET", "/memories/{memory_id}", shown)
    def get(request: Request, project: Key, memory_id: str) -> Response:
        """Show."""
        if memory_id == "gone":
            raise UnknownMemory("There is none.")
        return told(project=project, memory_id=memory_id)

    @operation(into, "PATCH", "/memories/{memory_id}", shown, problems=(412,))
    def edit(
        request: Request, project: Key, memory_id: str, body: bodies.Correction, if_match: IfMatch = None
    ) -> Response:
        """Edit."""
        return told(project=project, memory_id=memory_id, body=body, if_match=if_match)

    @operation(into, "POST", "/memories/{memory_id}/share", shown)
    def share(
        request: Request, project: Key, memory_id: str, body: bodies.Sharing | None = None, if_match: IfMatch = None
    ) -> Response:
        """Share."""
        return told(project=project, memory_id=memory_id, body=body, if_match=if_match)

    return into


def served() -> FastAPI:
    app = FastAPI()
    app.state.lanes = Lanes(store_is_remote=False)
    problems.install(app)
    app.router.routes.extend(echoing().routes)
    return app


class Counting:
    """The long way, and how often it was taken."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self.taken = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.taken += 1
        await self._app(scope, receive, send)


def asked(app: Any, inner: FastAPI, method: str, path: str, query: str, headers: dict[str, str], body: bytes) -> Any:
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    scope: dict[str, Any] = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": quote(path).encode(), "query_string": query.encode(), "root_path": "",
        "headers": [*raw, (b"content-length", str(len(body)).encode())], "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80), "state": {}, "app": inner,
    }  # fmt: skip
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    anyio.run(app, scope, receive, send)
    kept = sorted((name, value) for name, value in sent[0]["headers"] if name != b"content-length")
    return sent[0]["status"], kept, b"".join(one.get("body", b"") for one in sent[1:])


@pytest.fixture(scope="module")
def ways() -> tuple[FastAPI, Counting, Shortcut]:
    app = served()
    long = Counting(app)
    return app, long, Shortcut(long, routes=app.router.routes)


RIGHT: list[tuple[str, str, str, dict[str, str], bytes]] = [
    ("POST", "/memories", "", {"Content-Type": "application/json"}, b'{"content": "A note.", "tags": ["a"]}'),
    ("GET", "/memories", "", {}, b""),
    ("GET", "/memories", "limit=10&agent=tank&text=a%20b%C3%BC&expired=true", {}, b""),
    ("GET", "/memories/usage", "days=3", {}, b""),
    ("GET", "/memories/abc", "", {}, b""),
    ("GET", "/memories/gone", "", {}, b""),
    ("PATCH", "/memories/a b", "", {"Content-Type": "application/json", "If-Match": '"3"'}, b'{"content": "New."}'),
    ("POST", "/memories/abc/share", "", {}, b""),
    ("POST", "/memories/abc/share", "", {"Content-Type": "application/json"}, b'{"agent": "tank"}'),
]


@pytest.mark.parametrize("one", RIGHT, ids=lambda one: f"{one[0]} {one[1]}?{one[2]}")
def test_what_is_plainly_right_takes_the_short_way_to_the_same_answer(
    ways: tuple[FastAPI, Counting, Shortcut], one: tuple[str, str, str, dict[str, str], bytes]
) -> None:
    app, long, short = ways
    method, path, query, headers, body = one
    before = long.taken
    found = asked(short, app, method, f"/api/v1/projects/shop{path}", query, headers, body)

    assert long.taken == before
    assert found == asked(app, app, method, f"/api/v1/projects/shop{path}", query, headers, body)
    assert found[0] in {200, 404}


BODIES = st.one_of(
    st.sampled_from(
        [b"", b"null", b"[]", b"{}", b"{", b'"a"', b'{"content": 3}', b'{"content": "x", "more": 1}', b"\xff\xfe",
         '{"content": "ü"}'.encode("utf-16"), b'{"content": "x"} ', b"[" * 100_000, b'{"agent": null}', b'{"a": NaN}']
    ),
    st.dictionaries(
        st.sampled_from(["content", "tags", "type", "scope", "agent", "importance", "occurred_at", "other"]),
        st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.lists(st.text(max_size=3), max_size=3)
        | st.sampled_from(["learning", "pattern", "agent", "team", "2026-01-01"]),
    ).map(lambda one: json.dumps(one).encode()),
)  # fmt: skip
QUERIES = st.lists(
    st.tuples(
        st.sampled_from(["limit", "agent", "tags", "expired", "type", "days", "other", "cursor", ""]),
        st.sampled_from(["", "1", "0", "-1", "1e3", " 2 ", "true", "yes", "learning", "a+b", "%00", "%FF", "%zz"]),
    ),
    max_size=4,
).map(lambda pairs: "&".join(f"{name}={value}" for name, value in pairs))
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "Content-Type": st.sampled_from(
            ["application/json", "Application/JSON", "application/json; charset=utf-8", "text/plain", "", "a/b+json",
             "application/json; charset=utf-16", "application/x+json"]
        ),
        "If-Match": st.sampled_from(['"3"', "*", "", "x", 'W/"2"']),
        "Idempotency-Key": st.sampled_from(["k" * 300, ""]),
    },
)  # fmt: skip
PATHS = st.sampled_from(
    ["/memories", "/memories/", "/memories/usage", "/memories/a", "/memories/a/share", "/memories//share", "/nothing",
     "/memories/a/b/c", "/memories/gone", "/memories/a\n"]
)  # fmt: skip


@examples(400)
@given(st.sampled_from(["GET", "POST", "PATCH", "PUT", "HEAD"]), PATHS, QUERIES, HEADERS, BODIES)
def test_both_ways_answer_the_same_whatever_is_asked(
    method: str, path: str, query: str, headers: dict[str, str], body: bytes
) -> None:
    app = APP
    short = Shortcut(app, routes=app.router.routes)
    asking = (method, f"/api/v1/projects/shop{path}", query, headers, body)

    assert asked(short, app, *asking) == asked(app, app, *asking)


APP = served()


def test_every_operation_has_a_short_way_but_those_that_only_the_framework_can_read() -> None:
    routes = [route for router in routers() for route in router.routes]
    short = Shortcut(FastAPI(), routes=routes)
    every = {(method, getattr(route, "path", "")) for route in routes for method in getattr(route, "methods", ())}

    assert every - short.operations == LONG_WAY_ONLY
