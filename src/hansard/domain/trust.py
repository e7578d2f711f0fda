"""Owns where words come from, and what follows from that; never from what they say."""

from collections.abc import Sequence
from functools import cache
from typing import Protocol

from hansard.domain.actors import Actor
from hansard.domain.folders import note_folder
from hansard.domain.inbox import Entry
from hansard.domain.memories import Memory
from hansard.domain.vocabulary import Clearance, Origin, Role, Source, Trust


class Sourced(Protocol):
    """What is known of where words come from: a memory's, or of what a report tells of one."""

    @property
    def source(self) -> Source: ...
    @property
    def origin(self) -> Origin | None: ...
    @property
    def source_ref(self) -> str | None: ...
    @property
    def position(self) -> int | None: ...
    @property
    def cleared(self) -> Clearance | None: ...


TAINTED = "its run recorded words from outside"
RAISED = "a file that makes more of it"
UNCLEARED = "a file's line that no reviewer cleared"
"""The sign of a line from outside that asks for more than to inform, and does not say that somebody reviewed it."""
ASKED = "held by a reviewer"
"""The sign of what a person put into quarantine. Whatever its author does to it, it stays there."""
ASKS = "asks to be "
"""How the signs begin of what wants to be more than its origin may be."""
AGAIN = "says again what a reviewer holds"
SECRET_SIGN = "secret"  # noqa: S105 - the name of a sign
"""Why something waits for a reviewer, if the policy about secrets is to ask."""
_OF_THE_WAIT = frozenset({TAINTED, ASKED, AGAIN, SECRET_SIGN, UNCLEARED, RAISED})
_DOUBT = {Origin.HUMAN: 0, Origin.AGENT: 1, Origin.IMPORTED_FILE: 2}


@cache
def trust_of(origin: Origin | None, source: Source = Source.MANUAL) -> Trust:
    """The tier of an origin. What was written before origins were kept is judged by its source."""
    match origin or default_origin(source, None):
        case Origin.HUMAN:
            return Trust.TRUSTED
        case Origin.AGENT:
            return Trust.WORKING
        case Origin.TOOL_OUTPUT | Origin.IMPORTED_FILE | Origin.EXTRACTION | Origin.EXTERNAL:
            return Trust.OUTSIDE


def tier_of(record: Memory | Entry) -> Trust:
    """The tier of a record's words."""
    return trust_of(record.origin, record.source if isinstance(record, Memory) else Source.MANUAL)


def default_origin(source: Source, actor: Actor | None) -> Origin:
    """Where words come from if nobody said so: by how they got here, else by who brought them."""
    if source is Source.FILE_INDEX:
        return Origin.IMPORTED_FILE
    if source is Source.EXTRACTION:
        return Origin.EXTRACTION
    return Origin.HUMAN if actor is not None and Role.HUMAN in actor.roles else Origin.AGENT


def less_trusted(one: Origin | None, other: Origin | None) -> Origin | None:
    """The origin of words that came from both: what was taken from outside once does not become somebody's own."""
    return max(one, other, key=lambda origin: _DOUBT.get(origin or Origin.AGENT, len(_DOUBT)))


def is_indexed(memory: Sourced) -> bool:
    """Whether a file was indexed for it. Callers may name the same source, but never a place in a file with it."""
    indexed = memory.source is Source.FILE_INDEX and memory.source_ref is not None and memory.position is not None
    return indexed and memory.origin in {None, Origin.IMPORTED_FILE}


def is_note(memory: Sourced) -> bool:
    """Whether it is of a file in a note folder, which gives it its scope: the team put the file there."""
    return is_indexed(memory) and note_folder(memory.source_ref or "") is not None


def is_from_outside(record: Sourced | Entry) -> bool:
    """Whether its words are nobody's here and no person vouched for them: then they are quoted and go no further."""
    source = Source.MANUAL if isinstance(record, Entry) else record.source
    return record.cleared is not Clearance.CONFIRMED and trust_of(record.origin, source) is Trust.OUTSIDE


def is_vouched(memory: Memory) -> bool:
    """Whether a person wrote or confirmed what it says."""
    return memory.origin is Origin.HUMAN or memory.cleared is Clearance.CONFIRMED


def is_held_by_person(signs: Sequence[str], quarantined_at: int | None) -> bool:
    return quarantined_at is not None and ASKED in signs


def is_for_person(record: Memory | Entry) -> bool:
    """Whether nobody but a person lets it out: a person holds it, or the policy is to ask about a secret in it."""
    return record.is_quarantined and not {ASKED, SECRET_SIGN}.isdisjoint(record.signs)


def awaits_clearance(memory: Memory) -> bool:
    """Whether it waits only because its line did not say that a reviewer cleared it."""
    return memory.is_quarantined and UNCLEARED in memory.signs


def lasting(signs: Sequence[str]) -> tuple[str, ...]:
    """The signs that stay when a person lets something out: remarks about its words, and not why it waited."""
    return tuple(one for one in signs if one not in _OF_THE_WAIT and not one.startswith(ASKS))
