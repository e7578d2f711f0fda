"""Owns the prompts: what an agent is told at the start and at the end of a turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from hansard.domain.errors import NotFound, quoted
from hansard.domain.protocol import END_OF_CHILD_TURN, END_OF_TURN, start_of_turn
from hansard.interfaces.mcp import context
from hansard.interfaces.mcp.arguments import Argument, checked
from hansard.interfaces.mcp.calling import Calling
from hansard.interfaces.mcp.inbox import AGENT


class Prompt(NamedTuple):
    """One prompt: how it is told, what it takes, and its text."""

    name: str
    title: str
    about: str
    arguments: tuple[Argument, ...]
    text: Callable[[Calling, Mapping[str, str]], str]


def starting(calling: Calling, given: Mapping[str, str]) -> str:
    mode, note = context.mode_of(calling, given)
    text, document = context.compiled(calling, given)
    return (start_of_turn(text, mode) or context.nothing(calling, given, document)) + (f"({note})\n" if note else "")


def ending(calling: Calling, given: Mapping[str, str]) -> str:  # noqa: ARG001 - as every prompt
    if calling.child:
        return END_OF_CHILD_TURN
    current = calling.project.current_session()
    return END_OF_TURN if current else f"{END_OF_TURN}No session is open, so leave out the last step.\n"


PROMPTS: tuple[Prompt, ...] = (
    Prompt(
        "start_of_turn", "Start of turn",
        "How to use the team's memory, and what to know before this turn.",
        (context.TASK, context.MODE, AGENT),
        starting,
    ),
    Prompt("end_of_turn", "End of turn", "What to see to before the turn ends.", (), ending),
)  # fmt: skip


def prompt_text(calling: Calling, name: str, given: Mapping[str, str]) -> tuple[Prompt, str]:
    prompt = next((one for one in PROMPTS if one.name == name), None)
    if prompt is None:
        known = ", ".join(one.name for one in PROMPTS)
        raise NotFound(f"There is no prompt {quoted(name, 60)}; known are {known}.")
    return prompt, prompt.text(calling, checked(prompt.arguments, {key: one for key, one in given.items() if one}))
