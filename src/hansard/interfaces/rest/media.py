"""Owns the Content-Type of requests: a body is JSON in UTF-8 and says so, or is refused before it is read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from email.message import Message
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

JSON = "application/json"
CHARSETS = frozenset({"utf-8", "utf8"})

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class JsonRoute(APIRoute):
    """A route whose body, if it has one and takes one, is JSON."""

    def get_route_handler(self) -> Handler:
        handle: Handler = super().get_route_handler()
        if self.body_field is None:
            return handle

        async def checked(request: Request) -> Response:
            refuse_other_than_json(request)
            return await handle(request)

        return checked


def refuse_other_than_json(request: Request) -> None:
    """Raises HTTPException 415 for a body of another kind. A request without a body needs no header."""
    headers = request.headers
    if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
        return
    given = Message()
    given["Content-Type"] = headers.get("content-type", "")
    kind, charset = given.get_content_type(), given.get_param("charset", "utf-8")
    if "content-type" not in headers:
        raise HTTPException(415, f"The request has a body and no Content-Type. Send it as {JSON}.")
    if kind != JSON and not (kind.startswith("application/") and kind.endswith("+json")):
        raise HTTPException(415, f"The body is sent as another kind of text. Send JSON, with Content-Type: {JSON}.")
    if str(charset).lower() not in CHARSETS:
        raise HTTPException(415, f"The body is in another charset. Send it in UTF-8, with Content-Type: {JSON}.")
