"""Owns the server of the protocol: it takes requests apart, runs the synchronous calls in threads, and never throws."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar

import anyio.to_thread
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

import hansard
from hansard.domain.errors import HansardError, Unavailable
from hansard.domain.protocol import MEMORY_PROTOCOL
from hansard.domain.text import visible
from hansard.interfaces.mcp import completing, prompts, resources
from hansard.interfaces.mcp.arguments import checked
from hansard.interfaces.mcp.calling import Answer, Calling, Tool
from hansard.interfaces.mcp.front import LIST_MILLISECONDS, NAME, TITLE
from hansard.interfaces.mcp.lines import REPLACED
from hansard.interfaces.mcp.refusals import Refusal, refusal_of, unknown_tool
from hansard.interfaces.mcp.tools import offered
from hansard.services.admission import safe

Context: TypeAlias = ServerRequestContext[Any, Any]
CallingOf: TypeAlias = Callable[[Any], Calling]
"""Who calls, by the HTTP request that brought the call, or by none over pipes. Is called in a thread and may raise."""
InThread: TypeAlias = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Does something in a thread, at once or in turn."""
Result = TypeVar("Result")


def build(
    calling_of: CallingOf,
    *,
    aliases: Callable[[], bool],
    child: bool = False,
    reading: InThread | None = None,
    writing: InThread | None = None,
) -> Server[Any]:
    """A server that opens nothing until somebody calls."""
    desk = _Desk(calling_of, aliases, reading or _in_thread, writing or _in_thread)
    fixed = CacheHint(LIST_MILLISECONDS, "public")
    server = Server[Any](
        NAME,
        version=hansard.__version__,
        title=TITLE,
        instructions=None if child else MEMORY_PROTOCOL,
        cache_hints={
            "tools/list": fixed,
            "prompts/list": fixed,
            "resources/templates/list": fixed,
            "server/discover": fixed,
        },
        get_tool_input_schema=desk.input_schema,
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
        on_list_resources=desk.list_resources,
        on_list_resource_templates=desk.list_templates,
        on_read_resource=desk.read_resource,
        on_list_prompts=desk.list_prompts,
        on_get_prompt=desk.get_prompt,
        on_completion=desk.complete,
    )
    server.middleware.append(_unquoting)
    return server


async def _unquoting(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Refuses an unknown method without its name, which the SDK repeats: a host may have put anything there."""
    try:
        return await call_next(ctx)
    except MCPError as error:
        if error.error.code != types.METHOD_NOT_FOUND:
            raise
        raise MCPError(types.METHOD_NOT_FOUND, "There is no such method.") from None


class _Desk:
    """The handlers of one server."""

    def __init__(
        self, calling_of: CallingOf, aliases: Callable[[], bool], reading: InThread, writing: InThread
    ) -> None:
        self._calling_of = calling_of
        self._reading, self._writing = reading, writing
        self._offered = cache(lambda: offered(aliases=aliases()))

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        tool = self._offered().get(name)
        return None if tool is None else tool.takes

    async def list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[types.Tool.model_validate(tool.told()) for tool in self._offered().values()]
        )

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        known = self._offered()
        tool = known.get(params.name)
        if tool is None:
            return _refused(unknown_tool(params.name, sorted(known)))
        replaced = _count((params.meta or {}).get(REPLACED))
        called = partial(self._called, context.request, tool, params.arguments or {}, replaced)
        try:
            only_reads = tool.reads and not tool.counts
            result: types.CallToolResult = await (self._reading if only_reads else self._writing)(called)
        except HansardError as error:
            # Its turn did not come.
            return _refused(refusal_of(error, abroad=context.request is not None))
        return result

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        cursor = params.cursor if params else None
        found, after = await self._answered(context, lambda calling: resources.listed(calling, cursor))
        told = [
            types.Resource(
                uri=one.address, name=one.name, title=one.title, description=one.about, mime_type=resources.MARKDOWN
            )
            for one in found
        ]
        return types.ListResourcesResult(resources=told, next_cursor=after)

    async def list_templates(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        told = [
            types.ResourceTemplate(
                uri_template=one.address, name=one.name, title=one.title, description=one.about,
                mime_type=resources.MARKDOWN,
            )
            for one in resources.TEMPLATES
        ]  # fmt: skip
        return types.ListResourceTemplatesResult(resource_templates=told)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        text = await self._answered(context, lambda calling: resources.read(calling, params.uri))
        content = types.TextResourceContents(uri=safe(params.uri), mime_type=resources.MARKDOWN, text=text)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        told = [
            types.Prompt(
                name=one.name,
                title=one.title,
                description=one.about,
                arguments=[
                    types.PromptArgument(name=each.name, description=each.about, required=each.required)
                    for each in one.arguments
                ],
            )
            for one in prompts.PROMPTS
        ]
        return types.ListPromptsResult(prompts=told)

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        given = params.arguments or {}
        prompt, text = await self._answered(context, lambda calling: prompts.prompt_text(calling, params.name, given))
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompt.about, messages=[message])

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        asked = params.argument
        values, total = await self._answered(
            context, lambda calling: completing.completed(calling, asked.name, asked.value)
        )
        told = types.Completion(values=values, total=total, has_more=total > len(values))
        return types.CompleteResult(completion=told)

    def _called(self, request: Any, tool: Tool, arguments: Mapping[str, Any], replaced: int) -> types.CallToolResult:
        """The result of a tool, whatever happens in it."""
        try:
            given = checked(tool.arguments, arguments)
            calling = self._calling_of(request)
            return _result(tool.call(calling, given), calling, replaced)
        except Exception as error:  # noqa: BLE001 - the edge: every failure is an answer
            return _refused(refusal_of(error, abroad=request is not None))

    async def _answered(self, context: Context, act: Callable[[Calling], Result]) -> Result:
        """What is not a tool has no place for a failure but the protocol's own errors."""

        def acted() -> Result:
            return act(self._calling_of(context.request))

        try:
            result: Result = await self._reading(acted)
        except Exception as error:  # noqa: BLE001 - the edge: every failure is an answer
            said = refusal_of(error, abroad=context.request is not None)
            asked_wrong = isinstance(error, HansardError) and not isinstance(error, Unavailable)
            code = types.INVALID_PARAMS if asked_wrong else types.INTERNAL_ERROR
            raise MCPError(code, said.message, said._asdict()) from None
        return result


async def _in_thread(act: Callable[[], Any]) -> Any:
    # Not abandoned when the client leaves: a write that has begun is finished, and its thread is not lost.
    return await anyio.to_thread.run_sync(act, abandon_on_cancel=False)


def _count(value: object) -> int:
    """How many characters a line says to have lost. A host may have written anything there."""
    return value if isinstance(value, int) and 0 < value <= sys.maxsize else 0


def _result(answer: Answer, calling: Calling, replaced: int) -> types.CallToolResult:
    text, document = answer
    redactions = calling.project.redactions
    if redactions:
        document = document | {"redacted": [{"field": one.field, "kind": one.kind} for one in redactions]}
        kinds = ", ".join(sorted({f"{one.kind} in {one.field}" for one in redactions}))
        text += f"Secrets were taken out before it was written: {kinds}. Never save secrets.\n"
    if replaced:
        document = document | {"replaced": replaced}
        text += f"Broken characters came in, and stand as \ufffd now: {replaced:,}. Send it again if they matter.\n"
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=_shown(document))


def _shown(told: Any) -> Any:
    """What a program may hand to a model as it is: no character in it hides or reorders the others."""
    if isinstance(told, str):
        return visible(told)
    if isinstance(told, dict):
        return {name: _shown(one) for name, one in told.items()}
    return [_shown(one) for one in told] if isinstance(told, list | tuple) else told


def _refused(said: Refusal) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=said.text)], structured_content=said.document, is_error=True
    )
