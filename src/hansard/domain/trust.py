"""Owns how far words are trusted: by where they come from, and by what they do to whoever reads them."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple, Protocol

from hansard.domain.actors import Actor, key_of
from hansard.domain.folders import note_folder
from hansard.domain.inbox import Entry
from hansard.domain.memories import Memory, is_redacted, normalised
from hansard.domain.vocabulary import Clearance, Importance, MemoryType, Origin, Role, Scope, Source


class Trust(StrEnum):
    """How far words may reach without review."""

    TRUSTED = "trusted"
    WORKING = "working"
    OUTSIDE = "outside"


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


class Claim(NamedTuple):
    """What a memory asks for beyond being found by its own agent."""

    core: bool
    team: bool
    high: bool


ASKS_CORE = "core context from outside"
ASKS_TEAM = "a team memory from outside"
ASKS_HIGH = "high importance from outside"
RAISED = "a file that makes more of it"
UNCLEARED = "a file's line that no reviewer cleared"
"""The sign of a line from outside that asks for more than to inform, and does not say that somebody reviewed it."""
REMEMBERED_CHARACTERS_MAX = 500
REMEMBERED_TEXTS_MAX = 4_096
"""What waits is compared with every write of its author, so that short texts are made ready once: some megabytes."""
VOICES_KEPT = 1_024
ASKED = "held by a reviewer"
"""The sign of what a person put into quarantine. Whatever its author does to it, it stays there."""
AGAIN = "says again what a reviewer holds"
REPEATED = "says again what waits for review"
SECRET_SIGN = "secret"  # noqa: S105 - the name of a sign
"""Why something waits for a reviewer, if the policy about secrets is to ask."""
_OF_THE_WAIT = frozenset({ASKED, AGAIN, REPEATED, SECRET_SIGN, UNCLEARED})
AGAIN_SHARE = 0.8
AGAIN_WORDS_MIN = 4
"""So many of the words are the same if two texts say the same thing; a shorter text is looked for in no other one."""
LABEL_WORDS_MIN = 8
"""A category, a citation, a source or a tag of fewer words names something; it does not say it."""
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
    """The tier of a record's words, by what is known of where they come from."""
    return trust_of(record.origin, record.source if isinstance(record, Memory) else Source.MANUAL)


def default_origin(source: Source, actor: Actor | None) -> Origin:
    """Where words come from if nobody said so: by how they got here, else by who brought them."""
    if source is Source.FILE_INDEX:
        return Origin.IMPORTED_FILE
    if source is Source.EXTRACTION:
        return Origin.EXTRACTION
    return Origin.HUMAN if actor is not None and Role.HUMAN in actor.roles else Origin.AGENT


@lru_cache(maxsize=VOICES_KEPT)
def voice_of(agent_key: str, origin: Origin | None, source: Source, cleared: Clearance | None) -> tuple[str, str]:
    """Whose words a memory has, where one author counts once: its agent's, or those of a place outside.

    Whoever wrote one page can write two and have several agents read them, so all that comes from one kind of place
    outside is one voice, until a person vouches for it. So is what conversations gave: others speak there.
    A note file is its team's.
    """
    outside = trust_of(origin, source) is Trust.OUTSIDE and cleared is not Clearance.CONFIRMED
    if origin is None or not outside or source is Source.FILE_INDEX:
        return (agent_key, "")
    return ("", origin.value)


def less_trusted(one: Origin | None, other: Origin | None) -> Origin | None:
    """The origin of words that came from both: what was taken from outside once does not become somebody's own."""
    return max(one, other, key=lambda origin: _DOUBT.get(origin or Origin.AGENT, len(_DOUBT)))


def is_indexed(memory: Sourced) -> bool:
    """Whether a file was indexed for it. Callers may name the same source, but never a place in a file with it."""
    indexed = memory.source is Source.FILE_INDEX and memory.source_ref is not None and memory.position is not None
    return indexed and memory.origin in {None, Origin.IMPORTED_FILE}


def is_note(memory: Sourced) -> bool:
    """Whether it is of a file in a note folder. That one is believed for where it stands, and no other file is."""
    return is_indexed(memory) and note_folder(memory.source_ref or "") is not None


def is_held_by_person(signs: Sequence[str], quarantined_at: int | None) -> bool:
    return quarantined_at is not None and ASKED in signs


def is_vouched(memory: Memory) -> bool:
    """Whether a person wrote or confirmed what it says."""
    return memory.origin is Origin.HUMAN or memory.cleared is Clearance.CONFIRMED


def is_for_person(record: Memory | Entry) -> bool:
    """Whether nobody but a person lets it out: a person holds it, or the policy is to ask about a secret in it."""
    return record.is_quarantined and not {ASKED, SECRET_SIGN}.isdisjoint(record.signs)


def awaits_clearance(memory: Memory) -> bool:
    """Whether it waits only because its line did not say that a reviewer cleared it."""
    return memory.is_quarantined and UNCLEARED in memory.signs


def lasting(signs: Sequence[str]) -> tuple[str, ...]:
    """The signs that stay when a person lets something out: those of its words and of where they come from.

    The others say why it waited, and nothing of what it is. Who kept them would have plain words shown as data.
    """
    return tuple(one for one in signs if one not in _OF_THE_WAIT)


class Said(NamedTuple):
    """A text as it is compared with others. Made once of what many texts are compared with."""

    words: frozenset[str]
    text: str


def said(text: str) -> Sequence[Said]:
    """A text as it is, and in the other ways to write it: other letters do not make other words of it."""
    return _remembered_said(text) if len(text) <= REMEMBERED_CHARACTERS_MAX else _said(text)


def _said(text: str) -> tuple[Said, ...]:
    from hansard.domain.likeness import words_of
    from hansard.domain.tricks.rewritings import rewritings_of

    return tuple(Said(words_of(one), normalised(one)) for one in rewritings_of(text))


@lru_cache(maxsize=REMEMBERED_TEXTS_MAX)
def _remembered_said(text: str) -> tuple[Said, ...]:
    return _said(text)


def says_again(text: str, held: Sequence[str]) -> bool:
    """Whether a text says, or nearly says, what one of these says, or quotes it whole."""
    return repeats(text, [one for text in held for one in said(text)])


def repeats(text: str, held: Sequence[Said]) -> bool:
    """The same for texts that were made ready to be compared with many."""
    return bool(held) and any(_repeats(one, held) for one in said(text))


def _repeats(one: Said, held: Sequence[Said]) -> bool:
    words, whole = one
    count = len(words)
    for known in held:
        size = len(known.words)
        # Texts with too many words for each other are most of all.
        shared = AGAIN_SHARE * max(count, size)
        if min(count, size) >= shared and len(words & known.words) >= shared:
            return True
        if size >= AGAIN_WORDS_MIN and known.text in whole:
            return True
    return False


def in_pairs(pieces: Sequence[str]) -> list[str]:
    """Texts that are read one right after the other, as one text each."""
    return [f"{one} {two}" for one, two in pairwise(pieces)]


def say_together(pieces: Sequence[str], fresh: Collection[str], held: Sequence[Said]) -> bool:
    """Whether several texts say together what is held, if those of them that stood there before did not."""
    if not held or not fresh:
        return False
    old = [one for one in pieces if one not in fresh]
    # Cut once: much may be held.
    before = [shape for one in (*old, " ".join(old)) for shape in said(one)]
    telling = [one for one in held if len(one.words) >= AGAIN_WORDS_MIN]
    new = [one for one in telling if not any(_repeats(text, [one]) for text in before)]
    return any(repeats(one, new) for one in (*in_pairs(pieces), " ".join(pieces)))


def overreaches(before: Memory, after: Memory) -> bool:
    """Whether a change makes more of a memory than it may be without review: it may inform its agent, no more."""
    outside = trust_of(before.origin, before.source) is Trust.OUTSIDE
    if before.cleared is Clearance.CONFIRMED or not (before.signs or outside):
        return False
    was, now = _claim_of(before), _claim_of(after)
    # A note file stands where its team put it; sharing it is like moving it to the shared folder.
    noted = is_note(before) and not before.signs
    return (now.core and not was.core) or (now.high and not was.high) or (now.team and not was.team and not noted)


def is_taken_over(before: Memory, after: Memory) -> bool:
    """Whether a change makes a person's words of what came from outside, with all that stands beside them."""
    outside = trust_of(before.origin, before.source) is Trust.OUTSIDE
    return outside and after.origin is Origin.HUMAN and before.cleared is not Clearance.CONFIRMED


def outgrows(before: Memory, after: Memory) -> bool:
    """Whether a file makes more of a memory than a person here allowed: in its reach, or in where it comes from."""
    was, now = trust_of(before.origin, before.source), trust_of(after.origin, after.source)
    return overreaches(before, after) or (was is Trust.OUTSIDE and now is not Trust.OUTSIDE)


def reasons_to_hold(memory: Memory, signs: Sequence[str]) -> tuple[str, ...]:
    """Why a memory goes to quarantine; nothing if it does not.

    What comes from outside is held for what it says, and for asking for more than to inform. What an agent says itself
    is held only if it says such a thing and wants others to read it, or itself always: else the agent is shown its own
    words as data. People are believed. A note file stands where its team put it, so its folder gives it its scope.
    """
    trust = trust_of(memory.origin, memory.source)
    if trust is Trust.TRUSTED:
        return ()
    claim = _claim_of(memory)
    if trust is Trust.WORKING:
        return tuple(signs) if any(claim) else ()
    asked = [
        reason for asks, reason in zip(claim, (ASKS_CORE, ASKS_TEAM, ASKS_HIGH), strict=True)
        if asks and not (reason == ASKS_TEAM and is_note(memory))
    ]  # fmt: skip
    return (*signs, *asked)


def is_independent(first: Memory, second: Memory) -> bool:
    """Whether a second memory bears out a quarantined one: the same words, but nothing else in common.

    Another author from another kind of source, neither in the same run nor of the same file. What comes from outside
    bears nothing out: whoever wrote one page can write two. What asks for more than to inform is for a person alone.
    """
    return (
        not any(_claim_of(first))
        and not is_redacted(first.content)
        and normalised(first.content) == normalised(second.content)
        and key_of(first.agent) != key_of(second.agent)
        and first.origin is not second.origin
        and trust_of(second.origin, second.source) is not Trust.OUTSIDE
        and (first.run_id is None or first.run_id != second.run_id)
        and (first.source_ref is None or first.source_ref != second.source_ref)
    )


def _claim_of(memory: Memory) -> Claim:
    return Claim(
        core=memory.type is MemoryType.CORE_CONTEXT,
        team=memory.scope is Scope.TEAM,
        high=memory.importance is Importance.HIGH,
    )
