"""Owns what may follow what a user has typed: numbers of decisions, slugs, names, modes."""

from __future__ import annotations

from hansard.domain.turns import Mode
from hansard.interfaces.mcp.calling import Calling

VALUES_MAX = 100
"""What the protocol allows in one answer."""


def completed(calling: Calling, argument: str, typed: str) -> tuple[list[str], int]:
    """The values that begin with what was typed, and how many there are. An argument nobody knows has none."""
    project = calling.project
    match argument:
        case "number":
            known = [str(one.number) for one in project.list_decisions(limit=VALUES_MAX).items]
        case "slug":
            known = [one.slug for one in project.list_inbox(limit=VALUES_MAX).items]
        case "id":
            known = [one.id for one in project.list_memories(limit=VALUES_MAX).items]
        case "agent":
            known = [one.name for one in project.list_agents()]
        case "mode":
            known = list(Mode)
        case _:
            known = []
    found = [one for one in known if one.casefold().startswith(typed.casefold())]
    return found[:VALUES_MAX], len(found)
