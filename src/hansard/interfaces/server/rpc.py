"""Owns how a request to MCP is turned away before MCP is asked: as an error of its protocol, which its clients show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from starlette.responses import Response

from hansard.interfaces.server.late import PATH

if TYPE_CHECKING:
    from starlette.types import Scope

MEDIA_TYPE = "application/json"
"""The only type of a failure that the clients of the official SDK look into."""
INTERNAL_ERROR = -32603
"""What JSON-RPC calls a failure that is not about the method or its parameters."""
HINTS: Mapping[int, str] = {
    408: "Try again.",
    413: "Shorten it and try again.",
    429: "Wait, then go on with fewer calls.",
    500: "Look whether it was done before you try again. If it stays, tell the user to look at the server's log.",
    503: "Try again in a moment. If it stays, tell the user to run `hansard doctor`.",
}
"""What a host with a good token may hear, by status, and what to do. Any other failure is one of its set-up."""


def phrased(scope: Scope, problem: Response) -> Response:
    """The answer as a caller of this address understands it: that to a request to MCP says the same in JSON-RPC.

    Nothing of the request was read, so the error has no id; it came with the answer to its own request.
    """
    hint = HINTS.get(problem.status_code)
    if hint is None or scope["method"] != "POST" or not f"{scope['path']}/".startswith(f"{PATH}/"):
        return problem
    document = json.loads(bytes(problem.body))
    message = f"{document['detail']} [{document['code']}]\nWhat to do: {hint}\n"
    error = {"code": INTERNAL_ERROR, "message": message, "data": document}
    text = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}, ensure_ascii=False, separators=(",", ":"))
    kept = {name: value for name, value in problem.headers.items() if name not in {"content-type", "content-length"}}
    return Response(text.encode(), problem.status_code, kept, media_type=MEDIA_TYPE)
