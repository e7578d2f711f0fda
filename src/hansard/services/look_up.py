"""Looks up in the working tree what the texts of a block claim, each claim once and all within one deadline."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hansard.services.gather import State, Turn
from hansard.settings import Settings, cache_folder, data_folder
from hansard.workspace import roots

if TYPE_CHECKING:
    from hansard.domain.claims import Claim, Verdict
    from hansard.domain.memories import Memory
    from hansard.domain.projects import Root
    from hansard.services.seat import Seat

STALE_SHOWN_MAX = 5
SEARCH_SECONDS_MAX = 2.0
"""A turn waits no longer for a working tree to be searched, however often it has to be."""
NOTE_UNCHECKED = "Claims about files were not checked"
NO_FOLDER = "the project has no folder on this machine"
SHORT_CHARACTERS_MAX = 1_000
REMEMBERED_MEMORIES_MAX = 2_048
TOO_SLOW = "the search took too long"
NOTE_NO_SUCH_TREE = "There is no folder {cwd}; claims about files were checked in the project's own folder."
NOTE_OTHER_TREE = "{cwd} is no work tree of this project; claims about files were checked in the project's own folder."


class Lookup:
    """What one turn knows of claims. What could not be checked is in the turn's notes."""

    def __init__(self, root: Path | None, notes: list[str], *, seconds_max: float = SEARCH_SECONDS_MAX) -> None:
        self._root = root
        self._notes = notes
        self._seconds_left = seconds_max
        self._known: dict[Claim, Verdict] = {}
        self._along: tuple[Claim, ...] = ()

    def take_along(self, claims: Sequence[Claim]) -> None:
        """Has these looked at by the next search: one is cheaper than two."""
        self._along = tuple(claims)

    def of_memories(self, memories: Sequence[Memory]) -> dict[str, tuple[str, ...]]:
        """For each memory, by its id, which of its claims do not hold any more."""
        claims: dict[str, tuple[Claim, ...]] = {}
        end = time.monotonic() + self._seconds_left
        for one in memories:
            # Of hundreds of long texts the reading takes longer than the search.
            if len(one.content) > SHORT_CHARACTERS_MAX and time.monotonic() > end:
                self._tell([TOO_SLOW])
                claims[one.id] = ()
            else:
                claims[one.id] = _claims(one)
        self._seconds_left = end - time.monotonic()
        return {id: found[:STALE_SHOWN_MAX] for id, found in self.stale(claims).items()}

    def stale(self, claims: Mapping[str, Sequence[Claim]]) -> dict[str, tuple[str, ...]]:
        """What does not hold of each of these lists, by its key, as a reader is told."""
        from hansard.domain.claims import ClaimStatus

        known = self._known
        wanted = [one for some in claims.values() for one in some if one not in known]
        if wanted:
            self._search(wanted)
        gone = {one: verdict.note for one, verdict in known.items() if verdict.status is ClaimStatus.STALE}
        return {key: tuple([gone[one] for one in some if one in gone]) for key, some in claims.items()}

    def _search(self, wanted: Sequence[Claim]) -> None:
        if self._root is None or self._seconds_left <= 0:
            self._tell([NO_FOLDER if self._root is None else TOO_SLOW])
            return
        # Most memories claim nothing, and then nothing that looks into a tree is loaded.
        from hansard.workspace.evidence import evidence_of

        began = time.monotonic()
        evidence = evidence_of(self._root, cache_folder())
        found = evidence.check([*wanted, *self._along], seconds_max=self._seconds_left)
        self._seconds_left -= time.monotonic() - began
        self._known |= found
        self._along = ()
        self._tell(one.hindrance for one in found.values() if one.hindrance)

    def _tell(self, reasons: Iterable[str]) -> None:
        """Each reason once, without a claim: notes are kept, and nobody looks into them when a memory is forgotten."""
        for reason in dict.fromkeys(reasons):
            told = f"{NOTE_UNCHECKED}: {reason}."
            if told not in self._notes:
                self._notes.append(told)


_read: dict[tuple[str, int], tuple[Claim, ...]] = {}


def _claims(memory: Memory) -> tuple[Claim, ...]:
    """What the memory claims. Turn after turn tells the same ones, and their versions do not change."""
    from hansard.domain.claims import claims_of

    key = memory.id, memory.version
    found = _read.get(key)
    if found is None:
        if len(_read) >= REMEMBERED_MEMORIES_MAX:
            _read.clear()
        found = _read[key] = claims_of(memory.content, memory.citations)
    return found


def nothing() -> Lookup:
    """One that checks nothing and says nothing."""
    return Lookup(None, [])


def lookup_of(turn: Turn, state: State, settings: Settings, notes: list[str]) -> Lookup:
    """The claims of a turn, in the caller's work tree or the project's folder."""
    return nothing() if settings.context_stale == "off" else Lookup(_tree(turn, state, notes), notes)


def is_place_of(seat: Seat, folder: Path) -> bool:
    """Whether the folder is in a work tree of the project on this machine."""
    from hansard.services.found import roots_of

    return _root_around(_on_this_machine(roots_of(seat.store, seat.project)), folder) is not None


def _tree(turn: Turn, state: State, notes: list[str]) -> Path | None:
    """The work tree of the caller if it is one of the project, else the project's folder on this machine."""
    known = _on_this_machine(state.roots)
    cwd = turn.cwd
    if cwd is not None and not cwd.is_dir():
        notes.append(NOTE_NO_SUCH_TREE.format(cwd=cwd))
        cwd = None
    if cwd is None:
        return next((one for one in known if one.is_dir()), None)
    if not known:
        tree = roots.tree_of(cwd)
        return roots.resolved(cwd) if tree is None else tree.top
    root = _root_around(known, cwd)
    if root is None:
        notes.append(NOTE_OTHER_TREE.format(cwd=cwd))
        return known[0]
    return roots.place_in_tree(root, cwd)


def _on_this_machine(folders: Sequence[Root]) -> list[Path]:
    here = roots.machine_id(data_folder()) if folders else ""
    return [Path(one.path) for one in folders if one.machine == here]


def _root_around(known: Sequence[Path], cwd: Path) -> Path | None:
    """The project's folder that the place belongs to: one around it, or one in the same repository."""
    around = roots.candidates(cwd)
    found = next((one for one in around if one in known), None)
    if found is None and known:
        tree = roots.tree_of(cwd)
        found = None if tree is None else next((one for one in known if one.is_relative_to(tree.main)), None)
    return found
