"""Owns the tools about decisions: list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansard.domain.vocabulary import ALL, DecisionStatus, DecisionType
from hansard.interfaces.mcp import showing
from hansard.interfaces.mcp.arguments import Argument
from hansard.interfaces.mcp.calling import Answer, Calling, Tool, page_of
from hansard.interfaces.mcp.inbox import CURSOR, ITEMS_DEFAULT, LIMIT


def list_decisions(calling: Calling, given: Mapping[str, Any]) -> Answer:
    found = calling.project.list_decisions(**{"limit": ITEMS_DEFAULT, **given})
    lines = (showing.decision_line(one) for one in found.items)
    text = showing.listed(lines, empty="No such decisions.", more=found.next_cursor)
    return Answer(text, {"items": [showing.decision(one) for one in found.items], "next_cursor": found.next_cursor})


TOOLS: tuple[Tool, ...] = (
    Tool(
        "list_decisions", "List decisions",
        "What the team decided, in short, newest first; active ones if no status is given. Architectural and scope"
        " decisions bind you. Each one in full is at its address.",
        (
            Argument("status", "Which ones.", words=(*DecisionStatus, ALL)),
            Argument("type", "Only this type.", words=tuple(DecisionType)),
            Argument("agent", "Only what this agent proposed or decided."),
            Argument("text", "Only decisions with this text."),
            Argument("as_of", "An ISO time: the decisions as they stood then."),
            LIMIT, CURSOR,
        ),
        page_of(showing.DECISION), list_decisions, reads=True,
    ),
)  # fmt: skip
