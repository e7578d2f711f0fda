"""Owns the short way of a well-formed request to its operation.

The framework takes more time over one than most operations do. So what is plainly right goes straight to its operation,
and whatever is not goes the long way, where it is refused in the framework's words. Both hand on the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, NamedTuple, get_args
from urllib.parse import parse_qsl

from fastapi import Request
from pydantic import BaseModel

from hansard.domain.idempotency import KEY_BYTES_MAX
from hansard.interfaces.rest.idempotency import HEADER
from hansard.interfaces.rest.media import JSON, JsonRoute
from hansard.interfaces.rest.problems import answered
from hansard.interfaces.server.limits import gathered

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Receive, Scope, Send

IF_MATCH = "If-Match"


class Shortcut:
    """Stands before the framework's own routing."""

    def __init__(self, app: ASGIApp, *, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._ways: dict[tuple[str, int], list[_Way]] = {}
        for route in routes:
            way = _way_of(route) if isinstance(route, JsonRoute) else None
            if way is not None:
                self._ways.setdefault((way.method, len(way.parts)), []).append(way)

    @property
    def operations(self) -> set[tuple[str, str]]:
        """Method and path of all that it knows the way to."""
        return {(way.method, way.route.path) for several in self._ways.values() for way in several}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = None if scope["type"] != "http" or scope.get("root_path") else self._found(scope)
        if found is None:
            await self._app(scope, receive, send)
            return
        way, names = found
        request = Request(scope, receive, send)
        body = b""
        if way.body is not None or (way.method == "POST" and HEADER in request.headers):
            body, receive = await gathered(receive)
        said = way.read(request.headers, scope["query_string"], body)
        if said is None:
            await self._app(scope, receive, send)
            return
        scope["route"], scope["endpoint"], scope["path_params"] = way.route, way.route.endpoint, names
        request.state.sent = body
        try:
            answer = await way.route.endpoint(request=request, **names, **said)
        except Exception as error:
            told = answered(request, error)
            if told is None:
                raise
            answer = told
        await answer(scope, receive, send)

    def _found(self, scope: Scope) -> tuple[_Way, dict[str, str]] | None:
        parts = scope["path"].split("/")
        for way in self._ways.get((scope["method"], len(parts)), ()):
            names = way.names_in(parts)
            if names is not None:
                return way, names
        return None


class _Way(NamedTuple):
    """One operation: its path in parts, and what it takes."""

    route: JsonRoute
    method: str
    parts: list[str | None]
    """A part of the path as it is written; None where a name stands."""
    names: list[tuple[int, str]]
    body: type[BaseModel] | None
    body_is_optional: bool
    query: type[BaseModel] | None
    takes_version: bool

    def names_in(self, parts: list[str]) -> dict[str, str] | None:
        """What the names of a path stand for; None if it is another operation's."""
        for part, own in zip(parts, self.parts, strict=True):
            if part != own and (own is not None or not part):
                return None
        return {name: parts[at] for at, name in self.names}

    def read(self, headers: Headers, query: bytes, body: bytes) -> dict[str, Any] | None:
        """What the operation is called with, beside the names in its path; None if anything is not plainly right."""
        said: dict[str, Any] = {}
        if not 1 <= len(headers.get(HEADER, "-")) <= KEY_BYTES_MAX:
            return None
        if query and self.query is None:
            return None
        if self.takes_version:
            said["if_match"] = headers.get(IF_MATCH)
        try:
            if self.query is not None:
                said["wanted"] = self.query.model_validate(_table(query))
            if self.body is not None and (body or not self.body_is_optional):
                said["body"] = self.body.model_validate(_object(headers, body))
        except (_NotPlain, ValueError, RecursionError):
            return None
        return said


class _NotPlain(Exception):
    """Something that the framework has its own ways with."""


def _table(query: bytes) -> dict[str, str]:
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    table = dict(pairs)
    if len(table) < len(pairs):
        raise _NotPlain
    return table


def _object(headers: Headers, body: bytes) -> dict[str, Any]:
    # As text: of bytes the reader would guess the charset.
    found = json.loads(body.decode()) if headers.get("content-type") == JSON else None
    if not isinstance(found, dict):
        raise _NotPlain
    return found


def _way_of(route: JsonRoute) -> _Way | None:
    """The short way to an operation; None if it takes something that only the framework can read."""
    taken = route.dependant
    written = route.path.split("/")
    names = [(at, part.strip("{}")) for at, part in enumerate(written) if "{" in part]
    pattern = [None if "{" in part else part for part in written]
    body = query = None
    optional = False
    for one in (*taken.body_params, *taken.query_params, *taken.path_params):
        kind = one.field_info.annotation
        match one.name:
            case "body":
                body, optional = _model(kind), not one.field_info.is_required()
                if body is None:
                    return None
            case "wanted":
                query = _model(kind)
                if query is None:
                    return None
            case _ if kind is not str:
                return None
    headers = {one.alias for one in taken.header_params}
    if headers - {IF_MATCH} or not iscoroutinefunction(route.endpoint):
        return None
    (method,) = route.methods or {""}
    return _Way(route, method, pattern, names, body, optional, query, IF_MATCH in headers)


def _model(kind: Any) -> type[BaseModel] | None:
    found = next((one for one in get_args(kind) if one is not type(None)), kind)
    return found if isinstance(found, type) and issubclass(found, BaseModel) else None
