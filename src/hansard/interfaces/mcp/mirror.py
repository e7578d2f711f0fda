"""Owns the tool that writes the mirror's files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansard.domain import rendering
from hansard.interfaces.mcp.calling import NUMBER, TEXTS, Answer, Calling, Tool, object_of


def export_memory(calling: Calling, given: Mapping[str, Any]) -> Answer:  # noqa: ARG001 - as every tool
    report = calling.project.export()
    counts = {
        "written": len(report.written), "unchanged": len(report.unchanged), "removed": len(report.removed),
        "set_aside": len(report.set_aside), "failed": len(report.failed),
    }  # fmt: skip
    failed = [f"{one.path}: {one.reason}" for one in report.failed]
    told = ", ".join(f"{count:,} {word.replace('_', ' ')}" for word, count in counts.items() if count)
    lines = "".join(f"- {rendering.inline(one)}\n" for one in failed)
    return Answer(f"Files: {told or 'none'}.\n{lines}", {"counts": counts, "failed": failed})


_COUNTS = dict.fromkeys(("written", "unchanged", "removed", "set_aside", "failed"), NUMBER)

TOOLS: tuple[Tool, ...] = (
    Tool(
        "export_memory", "Write the mirror's files",
        "Brings the files that mirror decisions, proposals, shared memories and the session in step with the record."
        " They follow every change by themselves; this waits until they do. What somebody edited by hand is set aside.",
        (),
        object_of({"counts": object_of(_COUNTS), "failed": TEXTS}), export_memory, repeats=True,
    ),
)  # fmt: skip
