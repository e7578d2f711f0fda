"""Owns the resources: what stands at each address, and what there is to be read."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote

from hansard.domain import addresses, rendering
from hansard.domain.errors import Invalid, NotFound, UnknownMemory, quoted
from hansard.domain.limits import PATH_BYTES_MAX
from hansard.interfaces.mcp import details, showing
from hansard.interfaces.mcp.calling import Calling
from hansard.services import guide

MARKDOWN = "text/markdown"
INDEX = f"{addresses.GUIDANCE}/MEMORY.md"
SKILLS = f"{addresses.GUIDANCE}/skills/"
SKILL_FILE = "/SKILL.md"
LISTED_DECISIONS = 50
NOT_YET = """\
Not available yet: nothing was consolidated for this project.

What to do: go on without it. `get_context` has what is known, `memory_search` finds memories, and `list_decisions`
shows what binds the team.
"""


class Listed(NamedTuple):
    """One resource, or with variables in its address the form of many."""

    address: str
    name: str
    title: str
    about: str


ROOTS: tuple[Listed, ...] = (
    Listed(addresses.GUIDANCE, "memory-summary", "Memory summary", "What earlier work left behind, condensed."),
    Listed(INDEX, "memory-index", "Memory index", "The consolidated memory of the project in full."),
)
TEMPLATES: tuple[Listed, ...] = (
    Listed(f"{addresses.DECISIONS}{{number}}", "decision", "Decision", "One decision in full, by its number."),
    Listed(f"{showing.INBOX}{{slug}}", "inbox-entry", "Inbox entry", "One proposal in full, by its slug."),
    Listed(f"{addresses.MEMORIES}{{id}}", "memory", "Memory", "One memory in full, by its id."),
    Listed(f"{SKILLS}{{name}}{SKILL_FILE}", "skill", "Skill", "A procedure that proved itself, by its name."),
)


def listed(calling: Calling, cursor: str | None) -> tuple[list[Listed], str | None]:
    """What there is to be read: the roots first, then the active decisions, newest first."""
    found = calling.project.list_decisions(limit=LISTED_DECISIONS, cursor=cursor)
    decisions = [
        Listed(f"{addresses.DECISIONS}{one.number}", one.ref, rendering.inline(one.title), f"{one.type} decision")
        for one in found.items
    ]
    return [*(() if cursor else ROOTS), *decisions], found.next_cursor


def read(calling: Calling, address: str) -> str:
    """The text at an address. Raises NotFound if there is nothing there, or nothing for this reader."""
    wanted = _plain(address)
    lowered = wanted.lower()
    if lowered in {addresses.GUIDANCE, f"{addresses.GUIDANCE}/", INDEX.lower()}:
        return _guidance(calling)
    if lowered.startswith(SKILLS) and lowered.endswith(SKILL_FILE.lower()):
        return NOT_YET
    for place, shown in ((addresses.DECISIONS, _decision), (showing.INBOX, _entry), (addresses.MEMORIES, _memory)):
        if lowered.startswith(place):
            return shown(calling, wanted[len(place) :].rstrip("/"))
    raise NotFound(f"There is nothing at {quoted(wanted)}.")


def _plain(address: str) -> str:
    if len(address.encode("utf-8", "replace")) > PATH_BYTES_MAX:
        raise Invalid("The address is too long.")
    return unquote(address).strip()


def _guidance(calling: Calling) -> str:
    try:
        said = guide.read_guidance(calling.project.seat())
    except UnknownMemory:
        return NOT_YET
    return f"{rendering.GUIDANCE_RULES}\n{showing.quotation(said)}\n"


def _decision(calling: Calling, reference: str) -> str:
    return details.decision(calling, calling.project.get_decision(reference))


def _entry(calling: Calling, reference: str) -> str:
    return details.entry(calling, calling.project.get_entry(reference))


def _memory(calling: Calling, reference: str) -> str:
    one = calling.project.get_memory(reference)
    if one.is_forgotten:
        return rendering.tombstone_line(one.id)
    return details.memory(one, reader_key=calling.reader_key)
