"""Runs the SDK's server on the pipes to a host, once both are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.server.stdio import stdio_server

from hansard.interfaces.mcp.server import CallingOf, build

if TYPE_CHECKING:
    from hansard.interfaces.mcp.wire import Wire


def run(wire: Wire, calling_of: CallingOf, *, aliases: Callable[[], bool], child: bool) -> None:
    """Serves until the host closes its end."""
    server = build(calling_of, aliases=aliases, child=child)

    async def serve() -> None:
        file = anyio.wrap_file(cast("Any", wire))
        async with stdio_server(file, file) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)
