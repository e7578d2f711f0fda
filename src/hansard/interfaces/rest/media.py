"""Owns the Content-Type of requests: a body is JSON in UTF-8 and says so, or is refused before it is understood."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from email.message import Message
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

JSON = "application/json"
CHARSETS = frozenset({"utf-8", "utf8"})
OTHER_CHARSET = f"The body is in another charset. Send it in UTF-8, with Content-Type: {JSON}."

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class JsonRoute(APIRoute):
    """A route whose body, if it has one and takes one, is JSON."""

    def get_route_handler(self) -> Handler:
        handle: Handler = super().get_route_handler()
        if self.body_field is None:
            return handle

        async def checked(request: Request) -> Response:
            refuse_other_than_json(request)
            refuse_other_than_utf8(await request.body())
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
        raise HTTPException(415, OTHER_CHARSET)


def refuse_other_than_utf8(body: bytes) -> None:
    """Raises HTTPException 415 for text in another charset, whatever the header says: the JSON reader takes several.

    What is no text in the charset that it begins like is left to the reader, which says that it is no JSON.
    """
    charset = json.detect_encoding(body)
    if (charset in {"utf-8", "utf-8-sig"}) != _is_text(body, charset):
        raise HTTPException(415, OTHER_CHARSET)


def _is_text(body: bytes, charset: str) -> bool:
    try:
        body.decode(charset)
    except UnicodeDecodeError:
        return False
    return True
