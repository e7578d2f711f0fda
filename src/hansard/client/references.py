"""Owns which references an address has room for. Any other is refused here, as the embedded call refuses it.

A slash would make another address of it, and so would a dot or two. No record but a session can be named so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hansard.domain import addresses, text
from hansard.domain.errors import (
    HansardError,
    Invalid,
    NotFound,
    UnknownAllowance,
    UnknownDecision,
    UnknownEntry,
    UnknownEvent,
    UnknownMemory,
    UnknownReceipt,
    UnknownRun,
    quoted,
    shown,
)
from hansard.domain.numbers import refuse_truth

SEQ_MAX = 2**63 - 1
TAKEN = frozenset({"usage", "retrievals", "embedding"})
"""Words that stand where the id of a memory would stand in an address; no memory has such an id."""


class _Noun(NamedTuple):
    error: type[HansardError]
    told: str
    place: str | None = None
    """Where a block says that such a record is, if it says so."""


_NOUNS: Mapping[str, _Noun] = {
    "allowance": _Noun(
        UnknownAllowance, "There is no allowance {} in this project; `hansard guard allowed` lists their ids."
    ),
    "decision": _Noun(UnknownDecision, "There is no decision {} in this project.", addresses.DECISIONS),
    "entry": _Noun(UnknownEntry, "There is no inbox entry {} in this project."),
    "memory": _Noun(UnknownMemory, "There is no memory {} in this project.", addresses.MEMORIES),
    "receipt": _Noun(UnknownReceipt, "There is no receipt {} in this project."),
    "reference": _Noun(NotFound, "There is no memory or inbox entry {} in this project."),
    "run": _Noun(UnknownRun, "There is no run {} in this project."),
}


def fits(reference: str) -> bool:
    """Whether a reference can be one part of an address, and be read there as what it is."""
    return bool(reference) and "/" not in reference and reference not in {".", ".."} and _is_valid(reference)


def named(noun: str, reference: str) -> str:
    """The reference to a record of this kind. Raises what the embedded call raises if none can have it."""
    error, told, place = _NOUNS[noun]
    wanted = text.reference(reference, field=noun)
    if place is not None:
        wanted = addresses.named_by(wanted, place)
    if not fits(wanted):
        raise error(told.format(quoted(wanted)))
    return wanted


def memory(memory_id: str) -> str:
    wanted = text.reference(memory_id, field="memory")
    number = wanted.lower().removeprefix(addresses.DECISIONS)
    if number != wanted.lower() and number.isdecimal():
        raise UnknownMemory(
            f"There is no memory {quoted(wanted)} in this project."
            f" That is where a decision is: `hansard decisions show {addresses.DECISIONS}{number[:15]}`."
        )
    found = named("memory", wanted)
    if found in TAKEN:
        raise UnknownMemory(f"There is no memory {quoted(found)} in this project.")
    return found


def held(reference: str) -> str:
    """The reference to a record that is held or may be: a memory by its address, an entry by its slug, or an id."""
    wanted = text.reference(reference, field="reference")
    return memory(wanted) if wanted.startswith("memory://") else named("reference", wanted)


def pinned(reference: str) -> str:
    """The reference to an entry, or to one version of it: `P-7@2`."""
    wanted = text.reference(reference, field="entry")
    if fits(wanted) or "@" not in wanted:
        return named("entry", wanted)
    entry, _, version = wanted.rpartition("@")
    if not version.isascii() or not version.isdecimal():
        raise Invalid(f"{shown(reference)} names no version; write it like P-7@2.")
    return f"{named('entry', entry)}@{version}"


def session(id: str) -> str:
    """The id of a session, which may be any line of text."""
    wanted = text.reference(id, field="session")
    if not _is_valid(wanted):
        raise Invalid("The text of the request is not valid Unicode.")
    return wanted


def event(seq: int) -> str:
    refuse_truth(seq, "the number of an event")
    if not isinstance(seq, int) or not 1 <= seq <= SEQ_MAX:
        raise UnknownEvent(f"The history has no event {shown(seq)}.")
    return str(int(seq))


def setting(name: str) -> str:
    if not isinstance(name, str):
        raise Invalid(f"a setting's name must be text, not {type(name).__name__}.")
    wanted = name.strip()
    if not fits(wanted):
        raise NotFound(f"There is no setting {quoted(wanted)}.")
    return wanted


def task(name: str) -> str:
    from hansard.domain.compaction.ladder import task_slug

    if not isinstance(name, str):
        raise Invalid(f"a task must be text, not {type(name).__name__}.")
    return name if fits(name.strip()) else task_slug(name)


def _is_valid(reference: str) -> bool:
    try:
        reference.encode()
    except UnicodeEncodeError:
        return False
    return True
