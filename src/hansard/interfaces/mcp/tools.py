"""Owns the list of tools, under their own names and the names by which another system knows them."""

from __future__ import annotations

from hansard.interfaces.mcp import context, decisions, inbox, memory, mirror, session
from hansard.interfaces.mcp.calling import Tool

TOOLS: tuple[Tool, ...] = (
    *context.TOOLS, *decisions.TOOLS, *memory.TOOLS, *inbox.TOOLS, *session.TOOLS, *mirror.TOOLS,
)  # fmt: skip


def offered(*, aliases: bool) -> dict[str, Tool]:
    """The tools by name. An alias is the same tool once more, and told as such."""
    known = {tool.name: tool for tool in TOOLS}
    if not aliases:
        return known
    others = {
        tool.alias: tool._replace(name=tool.alias, about=f"The same as {tool.name}. {tool.about}")
        for tool in TOOLS
        if tool.alias
    }
    return known | others
