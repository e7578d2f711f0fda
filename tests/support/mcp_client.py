"""Uses a server with the official client, in this process, over pipes or over HTTP, from ordinary tests."""

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import anyio
import httpx2
from mcp import Client, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from hansard.domain.actors import Actor
from hansard.interfaces.mcp.calling import Calling
from hansard.interfaces.mcp.server import build
from hansard.project import Project

_TESTS = Path(__file__).resolve().parents[1]
SECONDS_MAX = 60
Result = TypeVar("Result")


class Told(NamedTuple):
    """What a tool answered."""

    is_error: bool
    text: str
    document: dict[str, Any]

    @property
    def code(self) -> str:
        return str(self.document["error"]["code"])


@asynccontextmanager
async def transport(address: str, token: str) -> AsyncIterator[Any]:
    """The way to a server over HTTP, with a token."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
        streamable_http_client(address, http_client=http) as streams,
    ):
        yield streams


def used(server: Any, act: Callable[[Client], Awaitable[Result]], *, mode: str = "auto") -> Result:
    """What the act brings back from a connected client."""

    async def run() -> Result | MCPError:
        with anyio.fail_after(SECONDS_MAX):
            async with Client(server, mode=mode) as client:
                try:
                    return await act(client)
                except MCPError as error:
                    # Raised in here, it would come out in as many groups as the client has tasks.
                    return error

    result = anyio.run(run)
    if isinstance(result, MCPError):
        raise result
    return result


def told(result: types.CallToolResult) -> Told:
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return Told(bool(result.is_error), content.text, result.structured_content)


def seated(project: Callable[[], Project], *, aliases: bool = False, child: bool = False) -> Server[Any]:
    """A server whose caller is bound to the project that is given."""
    return build(lambda _: Calling(project(), None, child), aliases=lambda: aliases, child=child)


class Desk:
    """One caller's tools, each call over a connection of its own."""

    def __init__(self, project: Callable[[], Project], **options: bool) -> None:
        self.server = seated(project, **options)

    def __call__(self, tool: str, /, **arguments: Any) -> Told:
        return told(used(self.server, lambda client: client.call_tool(tool, arguments)))

    def read(self, address: str) -> str:
        [content] = used(self.server, lambda client: client.read_resource(address)).contents
        assert isinstance(content, types.TextResourceContents)
        return content.text

    def prompt(self, prompt: str, /, **arguments: str) -> str:
        [message] = used(self.server, lambda client: client.get_prompt(prompt, arguments)).messages
        assert isinstance(message.content, types.TextContent)
        return message.content.text


def actor(name: str, role: str = "agent") -> Actor:
    return Actor(name, role)


def command(*arguments: str, **environment: str) -> StdioServerParameters:
    """`hansard mcp` of this checkout, in a process of its own."""
    paths = os.pathsep.join([str(_TESTS), *(path for path in sys.path if path)])
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "hansard", "mcp", *arguments],
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )
