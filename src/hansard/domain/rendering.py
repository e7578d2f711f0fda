"""Owns the text of a context block: what each layer looks like, and that no content can pretend to be layout."""

import re
from collections.abc import Sequence

from hansard.domain import actors
from hansard.domain.decisions import Decision
from hansard.domain.memories import Memory
from hansard.domain.sessions import Session
from hansard.domain.text import visible
from hansard.domain.vocabulary import MemoryType

BOUNDARIES_HEADING = "## Boundaries and Decisions"
BOUNDARIES_NOTE = "> These are non-negotiable team boundaries. They take precedence over all other context."
MEMORY_HEADING = "## Memory"
SESSION_HEADING = "## Current Session"

_LABELS = "Type|Decided by|Rationale|Applies to|Focus|Active issues|Summary"
_LAYOUT = re.compile(
    # Atomic, or a long line of list marks would be tried again from each of them.
    r"^((?>(?:\s*(?:[-*+]|\d{1,9}[.)])(?=\s+\S))*\s*))"
    r"(#{1,6}(?=\s|$)|```|~~~|>|<(?=[a-z/!?])|[*_]*\[|[-*+]\[|(?:[-=_*]\s*)+$" + rf"|[*_]{{1,3}}(?:{_LABELS})\b)",
    re.IGNORECASE,
)
_NAME_LAYOUT = re.compile(r"[\[\]()|*`<>\\]")


def content(text: str) -> str:
    """Stored text that stays inside its item: a line that looks like the block's own layout is escaped."""
    return visible("\n".join(_LAYOUT.sub(r"\1\\\2", line) for line in text.split("\n")))


def inline(text: str) -> str:
    """Stored text on one line."""
    return visible(" ".join(text.split()))


def name(text: str) -> str:
    """An actor's name, which may not close a label or open another one."""
    return _NAME_LAYOUT.sub(lambda found: "\\" + found.group(), inline(text))


def boundaries(decisions: Sequence[Decision]) -> str:
    parts = [f"{BOUNDARIES_HEADING}\n{BOUNDARIES_NOTE}\n"]
    parts += [boundary(decision) for decision in decisions]
    return "\n".join(parts)


def boundary(decision: Decision) -> str:
    decided = name(decision.decided_by)
    if actors.key_of(decision.author) != actors.key_of(decision.decided_by):
        decided += f" (proposed by {name(decision.author)})"
    lines = [
        f"### {inline(decision.title)}",
        f"**Type:** {decision.type} | **Decided by:** {decided}",
        content(decision.content),
    ]
    if decision.applies_to:
        lines.append(f"> **Applies to:** {inline(', '.join(decision.applies_to))}")
    if decision.rationale:
        lines.append(f"> **Rationale:** {quoted(decision.rationale)}")
    return "\n".join(lines) + "\n"


def memory_label(memory: Memory, *, reader_key: str) -> str:
    if memory.type is MemoryType.CORE_CONTEXT:
        return "core"
    if actors.key_of(memory.agent) == reader_key:
        return memory.type.value
    return f"{memory.type} from {name(memory.agent)}"


def memory_line(memory: Memory, *, reader_key: str) -> str:
    body = content(memory.content).replace("\n", "\n  ")
    return f"- [{memory_label(memory, reader_key=reader_key)}] {body}\n"


def memories(lines: Sequence[str]) -> str:
    return f"{MEMORY_HEADING}\n" + "".join(lines)


def session(current: Session) -> str:
    lines = [SESSION_HEADING, f"**Focus:** {inline(current.focus)}"]
    if current.issues:
        lines.append(f"**Active issues:** {', '.join(inline(issue) for issue in current.issues)}")
    if current.summary:
        lines.append(f"**Summary:** {content(current.summary)}")
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Stored text inside a quotation."""
    return content(text).replace("\n", "\n> ")
