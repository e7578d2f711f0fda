"""Owns the tool that compiles what an agent is told before its turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansard.domain.turns import Mode
from hansard.domain.vocabulary import parse
from hansard.interfaces import shapes
from hansard.interfaces.mcp.arguments import Argument, Kind
from hansard.interfaces.mcp.calling import MAYBE, NUMBER, TEXT, TEXTS, Answer, Calling, Tool, object_of
from hansard.interfaces.mcp.inbox import AGENT

CHILD_ONLY = "This server is for a child run, which is told its decisions and nothing else, whatever mode it asks for."
MODE = Argument(
    "mode", "full, child (decisions only), ignore (no memory this turn), coordinator (a digest of decisions).",
    words=tuple(Mode),
)  # fmt: skip
TASK = Argument("task", "What the turn is about; brings what is known about it.")
_SHORT = ("id", "at", "mode", "tokens", "sha256", "ledger_seq", "notes")


def mode_of(calling: Calling, given: Mapping[str, Any]) -> tuple[Mode, str | None]:
    """The mode of a turn, and what to say if it is not the one that was asked for.

    Whoever started the server said that it is for a child. What the child asks for does not change that.
    """
    asked = parse(Mode, given.get("mode", Mode.CHILD if calling.child else Mode.FULL), field="mode")
    return (Mode.CHILD, CHILD_ONLY) if calling.child and asked is not Mode.CHILD else (asked, None)


def compiled(calling: Calling, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The block's text, and its shape with a short receipt. The text is empty if nothing is told."""
    mode, note = mode_of(calling, given)
    wanted = {**given, "mode": mode}
    if "run_id" in wanted:
        wanted["run"] = wanted.pop("run_id")
    whole = shapes.block(calling.project.compile(**wanted, cwd=calling.cwd))
    receipt = whole["receipt"] or {}
    short = {name: receipt[name] for name in _SHORT if name in receipt}
    return whole["text"] or "", {"text": whole["text"], "receipt": short or None, "note": note}


def nothing(calling: Calling, given: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    full = document["receipt"] is None and mode_of(calling, given)[0] is Mode.FULL
    return shapes.nothing_told(full=full, task=given.get("task")) + "\n"


def get_context(calling: Calling, given: Mapping[str, Any]) -> Answer:
    text, document = compiled(calling, given)
    notes = [*(document["receipt"] or {}).get("notes", ()), *([document["note"]] if document["note"] else [])]
    return Answer((text or nothing(calling, given, document)) + "".join(f"({note})\n" for note in notes), document)


_RECEIPT = object_of({"id": MAYBE, "at": TEXT, "mode": TEXT, "tokens": NUMBER, "sha256": TEXT, "notes": TEXTS}) | {
    "type": ["object", "null"]
}

TOOLS: tuple[Tool, ...] = (
    Tool(
        "get_context", "Get what to know before a turn",
        "The block for the start of your turn: the team's boundaries, your memory, what is known about the task, and"
        " the current session. Boundaries bind you; the rest informs you.",
        (
            TASK,
            Argument("prompt", "The user's prompt; one that asks to ignore memory is obeyed."),
            MODE,
            Argument("charter", "Your own standing orders, put before the block."),
            Argument("run_id", "The run the turn belongs to.", also=("run",)),
            Argument("keep", "Store a receipt of what you were told; nothing is stored if not given.", Kind.SWITCH),
            Argument("as_of", "An ISO time: the block from the record as it stood then."),
            AGENT,
        ),
        object_of({"text": MAYBE, "receipt": _RECEIPT}, note=MAYBE),
        get_context, reads=True, keeps=True,
    ),
)  # fmt: skip
