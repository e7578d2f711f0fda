"""Checks what memories claim about files and symbols against the working tree, before anybody relies on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hansard.domain.claims import Claim, ClaimStatus, Verdict, claims_of
from hansard.domain.errors import FolderGone, Invalid
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.paging import Window
from hansard.domain.policy import Act
from hansard.services import found, remember
from hansard.services.seat import Seat
from hansard.settings import cache_folder, data_folder
from hansard.workspace import roots

if TYPE_CHECKING:
    from hansard.domain.memories import Memory

Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told what is done, how much of it, and how much there is."""
CLAIMS_A_CHECK = 5_000
VERIFY_SECONDS_MAX = 60.0
"""How long one search may take that somebody asked for and waits for. A turn waits less."""


class Checked(NamedTuple):
    """A memory with what it claims, and how each claim stands."""

    memory: Memory
    claims: tuple[tuple[Claim, Verdict], ...]

    def notes(self, status: ClaimStatus) -> tuple[str, ...]:
        """What a reader is told of the claims that stand like this."""
        return tuple(verdict.note for _, verdict in self.claims if verdict.status is status)

    @property
    def stale(self) -> tuple[str, ...]:
        return self.notes(ClaimStatus.STALE)


class ClaimsReport(NamedTuple):
    """What was checked where. Only memories that claim something are among the items."""

    root: str
    memories: int
    items: tuple[Checked, ...]

    @property
    def stale(self) -> tuple[Checked, ...]:
        return tuple(one for one in self.items if one.stale)

    def count(self, status: ClaimStatus) -> int:
        return sum(len(one.notes(status)) for one in self.items)


def verify_memories(
    seat: Seat,
    ids: Sequence[str] = (),
    *,
    agent: str | None = None,
    root: str | Path | None = None,
    progress: Progress | None = None,
) -> ClaimsReport:
    """Checks these memories, or all that the caller may see, or those of one agent. What is gone is looked for anew.

    Raises UnknownMemory for an id that the caller may not see, Invalid if there is no folder to check against, and
    Denied if somebody but a person or a service names a folder that is none of the project's.
    """
    from hansard.workspace.evidence import evidence_of

    seat.require(Act.READ)
    if isinstance(ids, str) or not all(isinstance(one, str) for one in ids):
        raise Invalid("give the ids of memories as a list of text.")
    if ids and agent is not None:
        raise Invalid("give the ids of memories or an agent, not both.")
    place = _place(seat, root)
    chosen = [remember.get_memory(seat, one) for one in dict.fromkeys(ids)] if ids else _all(seat, agent, progress)
    claimed = [(one, claims) for one in chosen if (claims := claims_of(one.content, one.citations))]
    wanted = list(dict.fromkeys(claim for _, claims in claimed for claim in claims))
    evidence = evidence_of(place, cache_folder())
    verdicts: dict[Claim, Verdict] = {}
    for first in range(0, len(wanted), CLAIMS_A_CHECK):
        if progress is not None:
            progress("checking claims", first, len(wanted))
        portion = wanted[first : first + CLAIMS_A_CHECK]
        verdicts |= evidence.check(portion, fresh=True, seconds_max=VERIFY_SECONDS_MAX)
    items = [Checked(one, tuple((claim, verdicts[claim]) for claim in claims)) for one, claims in claimed]
    return ClaimsReport(str(place), len(chosen), tuple(items))


def _all(seat: Seat, agent: str | None, progress: Progress | None) -> list[Memory]:
    chosen: list[Memory] = []
    cursor: str | None = None
    while True:
        page = remember.list_memories(seat, Window(PAGE_ITEMS_MAX, cursor), agent=agent)
        chosen += page.items
        cursor = page.next_cursor
        if cursor is None:
            return chosen
        if progress is not None:
            progress("reading memories", len(chosen), len(chosen) + PAGE_ITEMS_MAX)


def _registered(seat: Seat) -> list[str]:
    machine = roots.machine_id(data_folder())
    return [one.path for one in found.roots_of(seat.store, seat.project) if one.machine == machine]


def _place(seat: Seat, root: str | Path | None) -> Path:
    """The folder that is named, else the project's folder we stand in, as our own work tree has it, else its first."""
    registered = _registered(seat)
    if root is None:
        if not registered:
            raise found.folderless(seat.project)
        start = roots.standing()
        here = [] if start is None else [str(folder) for folder in roots.candidates(start)]
        place = Path(next((folder for folder in here if folder in registered), registered[0]))
        place = place if start is None else roots.place_in_tree(place, start)
    else:
        if not isinstance(root, str | Path):
            raise Invalid(f"root must be a path, not {type(root).__name__}.")
        place = roots.resolved(Path(root))
        if str(roots.main_place(place)) not in registered:
            # Whether a file is there is nothing to tell an agent about folders that are none of the project's.
            seat.require(Act.SET_UP)
    if not place.is_dir():
        # One that nobody named is the project's own.
        raise (FolderGone if root is None else Invalid)(f"{place} is not a folder that can be looked into.", place)
    return place
