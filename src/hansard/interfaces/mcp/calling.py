"""Owns one call of a client: who calls, at which project, and what a tool answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hansard.interfaces.mcp.arguments import Argument, schema_of

if TYPE_CHECKING:
    from hansard.project import Project


class Calling(NamedTuple):
    """A project with the caller bound to it. `cwd` is the caller's working tree, if it is on this machine."""

    project: Project
    cwd: Path | None = None
    child: bool = False

    @property
    def reader_key(self) -> str:
        return self.project.seat().actor.key


class Answer(NamedTuple):
    """What a tool answers: a text for a model, and the same for a program."""

    text: str
    document: dict[str, Any]


class Tool(NamedTuple):
    """One tool: how it is told, what it takes and answers, and what it does.

    `alias` is the name by which another system knows it.
    """

    name: str
    title: str
    about: str
    arguments: tuple[Argument, ...]
    answers: dict[str, Any]
    call: Callable[[Calling, Mapping[str, Any]], Answer]
    reads: bool = False
    counts: bool = False
    """Whether a tool that reads counts that it did. That is a small write, and stands in line with writes."""
    keeps: bool = False
    """Whether a tool that reads stores something when it is asked to. Hosts let what only reads pass unasked."""
    destroys: bool = False
    repeats: bool = False
    """Whether the same call twice leaves what one leaves."""
    alias: str | None = None

    @property
    def takes(self) -> dict[str, Any]:
        return schema_of(self.arguments)

    def told(self) -> dict[str, Any]:
        """The tool as the protocol tells it."""
        only_reads = self.reads and not self.keeps
        hints = {
            "destructiveHint": self.destroys,
            "idempotentHint": only_reads or self.repeats,
            "openWorldHint": False,
            "readOnlyHint": only_reads,
            "title": self.title,
        }
        # In the order in which the SDK tells it, so that the first answers are its own, byte for byte.
        return {
            "annotations": hints,
            "description": self.about,
            "inputSchema": self.takes,
            "name": self.name,
            "outputSchema": self.answers,
            "title": self.title,
        }


def object_of(required: Mapping[str, Any], **optional: Any) -> dict[str, Any]:
    """The schema of an answer: what is always there, and what may be."""
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer"}
SWITCH: dict[str, Any] = {"type": "boolean"}
MAYBE: dict[str, Any] = {"type": ["string", "null"]}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}


def page_of(item: dict[str, Any]) -> dict[str, Any]:
    return object_of({"items": {"type": "array", "items": item}, "next_cursor": MAYBE})
