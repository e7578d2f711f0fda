"""Owns what a posted body is: a message that the SDK gets, or something that is refused in words of our own.

The SDK passes over an id that it cannot read, and repeats what else it cannot. That may be a secret.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread
from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.responses import Response

from hansard.interfaces.mcp.lines import checked

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

AT_ONCE_BYTES_MAX = 1 << 16
"""A larger body is looked at in a thread: the others must not wait for it."""
ANSWER = b'{"jsonrpc":"2.0","id":0,"result":{}}'
"""What the SDK gets for an answer. Nothing was asked, so what it says is nobody's business."""


def looked_at(app: ASGIApp, bytes_max: int) -> ASGIApp:
    """The application behind a look at each body. One that is too large is answered with 413, as the SDK does."""

    async def look(scope: Scope, receive: Receive, send: Send) -> None:
        first = await receive()
        body: bytes = first.get("body", b"")
        if first["type"] == "http.request" and not first["more_body"] and body.strip():
            at_once = len(body) <= AT_ONCE_BYTES_MAX
            look_at = partial(checked, body, posted=True)
            line = look_at() if at_once else await anyio.to_thread.run_sync(look_at)
            if line.refusal is not None:
                await Response(line.refusal, 400, media_type="application/json")(scope, receive, send)
                return
            first = {**first, "body": line.text.encode() or ANSWER}
        await app(scope, _beginning_with(first, receive), send)

    return RequestBodyLimitMiddleware(look, bytes_max)


def _beginning_with(first: Message, receive: Receive) -> Receive:
    waiting = [first]

    async def next_one() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_one
