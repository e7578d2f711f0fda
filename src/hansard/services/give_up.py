"""Gives up files that are gone or are no text any more: their memories end, unless another file has their text now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hansard.domain.actors import key_of
from hansard.domain.errors import Invalid, quoted
from hansard.domain.folders import is_shared
from hansard.domain.memories import ENDED, Memory, normalised
from hansard.domain.notes import NoteFile, NoteStatus
from hansard.domain.paging import Window
from hansard.domain.policy import Act, Matter, may
from hansard.domain.trust import is_held_by_person
from hansard.domain.vocabulary import Role, Scope, Subject
from hansard.services import chronicle
from hansard.services.seat import Seat, lived_until
from hansard.workspace import notes as files
from hansard.workspace.notes import Skipped, Survey
from hansard.workspace.origins import ROOT, Origins

if TYPE_CHECKING:
    from hansard.store.ports import Transaction

KEPT = "kept: indexed by {}"
ORIGIN_EVENTS_MAX = 50
"""How far the history of a memory is read back to see where its file was indexed from."""


class Lost:
    """The files that one run has lost, with what is to end of them and what is left to its owner."""

    def __init__(self, seat: Seat, origins: Origins) -> None:
        self._seat = seat
        self._origins = origins
        self._ending: dict[str, tuple[Memory, ...]] = {}
        self._left: dict[str, list[Memory]] = {}
        self._reasons: dict[str, str] = {}
        self._texts: dict[str, set[str]] = {}

    def look(self, tx: Transaction, survey: Survey, skipped: Sequence[Skipped]) -> None:
        """Finds what was indexed once and now is missing, or is not to be indexed any more.

        Raises Invalid if a named path is missing of which nothing was indexed from here.
        """
        for skip in skipped:
            self.give_up(tx, skip)
        for missing in survey.missing:
            self._give_up(tx, missing.ref, files.GONE, self._origins.is_own)
            if not self._ending[missing.ref]:
                raise Invalid(f"There is no file or folder {quoted(missing.path, 200)}.")
        present = {found.ref for found in survey.files} | {one.ref for one in skipped}
        for folder in survey.folders:
            for ref in tx.memories.files_under(folder, now=lived_until(tx)):
                inside = folder or not PurePosixPath(ref).is_absolute()
                if inside and ref not in present and files.is_gone(survey.home, ref):
                    self._give_up(tx, ref, files.GONE, self._origins.is_gone)

    def give_up(self, tx: Transaction, skip: Skipped) -> None:
        """Gives a file up that is not indexed any more, or all files of a folder that is not."""
        if skip.ends:
            for ref in (skip.ref, *tx.memories.files_under(f"{skip.ref}/", now=lived_until(tx))):
                self._give_up(tx, ref, skip.reason, None if skip.named else self._origins.is_own)

    def like(self, texts: Collection[str]) -> list[tuple[str, tuple[Memory, ...]]]:
        """The lost files that have one of these texts, with their memories."""
        refs = {ref for text in texts for ref in self._texts.get(text, ())}
        return [(ref, self._ending[ref]) for ref in sorted(refs)]

    def found_again(self, ref: str, moved: Sequence[Memory]) -> None:
        """Takes back what another file has now."""
        self._ending[ref] = tuple(one for one in self._ending[ref] if one not in moved)

    def end(self, skipped: Sequence[Skipped]) -> Iterator[NoteFile]:
        """Ends what is still given up, and says what became of every file that is not indexed."""
        shown = {one.ref: one.reason for one in skipped}
        for ref in sorted(shown.keys() | self._ending.keys()):
            ended: list[Memory] = []
            if any(not one.is_quarantined for one in self._ending.get(ref, ())):
                with self._seat.writing() as tx:
                    ended = end(tx, self._seat, still(tx, self._ending[ref]))
            left = self._left.get(ref, [])
            if ref in shown:
                yield row(ref, NoteStatus.SKIPPED, shown[ref], ended, ended=len(ended))
            elif ended:
                yield row(ref, NoteStatus.ENDED, self._reasons[ref], ended, ended=len(ended))
            elif left:
                yield row(ref, NoteStatus.SKIPPED, KEPT.format(_names(left)), left, kept=len(left))

    def _give_up(
        self, tx: Transaction, ref: str, reason: str, ends: Callable[[str, Mapping[str, str]], bool] | None
    ) -> None:
        """Notes what is to end. With `ends`, only if that holds of where its owner had it indexed from."""
        owners: dict[str, list[Memory]] = {}
        now = lived_until(tx)
        for one in tx.memories.of_file(ref):
            if not one.is_expired(now) and (one.scope is Scope.TEAM or self._may_end(one)):
                owners.setdefault(key_of(one.agent), []).append(one)
        groups = [group for group in owners.values() if ends is None or ends(ref, _told(tx, group))]
        known = [one for group in groups for one in group]
        self._reasons[ref] = reason
        self._ending[ref] = tuple(one for one in known if self._may_end(one))
        self._left[ref] = [one for one in known if not self._may_end(one)]
        for one in self._ending[ref]:
            self._texts.setdefault(normalised(one.content), set()).add(ref)

    def _may_end(self, one: Memory) -> bool:
        """A note of the team is ended by everybody, any other memory by whoever may forget it, and by services."""
        is_team = one.scope is Scope.TEAM
        if Role.SERVICE in self._seat.actor.roles or (is_team and is_shared(one.source_ref or "")):
            return True
        return may(self._seat.actor, Act.FORGET, Matter(owner=one.agent, team=is_team))


def still(tx: Transaction, known: Sequence[Memory]) -> list[Memory]:
    """The memories as they are now, without those that were forgotten or moved to another file meanwhile."""
    found = [(tx.memories.get(one.id), one.source_ref) for one in known]
    return [one for one, ref in found if one is not None and one.source_ref == ref]


def stays(one: Memory, *, mended: bool) -> bool:
    """Whether a memory whose text is gone waits on: no file that is deleted takes it from whoever is to decide.

    A file that was mended takes back what the guard held of it, and never what a person holds.
    """
    return one.is_quarantined and (not mended or is_held_by_person(one.signs, one.quarantined_at))


def end(tx: Transaction, seat: Seat, known: Sequence[Memory], *, mended: bool = False) -> list[Memory]:
    """Ends memories whose text is gone: no search finds them from now on, and each is still read by its id."""
    now = lived_until(tx)
    live = [one for one in known if not one.is_expired(now) and not stays(one, mended=mended)]
    for before in live:
        after = before._replace(expires_at=ENDED, version=before.version + 1, updated_at=tx.now)
        tx.memories.update(after)
        tx.units.touch(tx.memories.seq_of(after.id))
        chronicle.changed(tx, seat.actor, "memory.ended", Subject.MEMORY, before, after)
    return live


def row(ref: str, status: NoteStatus, reason: str | None, known: Sequence[Memory], **counts: int) -> NoteFile:
    """A line of the report: whose the memories are and who sees them, if that is the same for all of them, and how many
    of them wait."""
    waiting = sum(one.is_quarantined for one in known)
    told = "; ".join(filter(None, (reason, f"waits for review: {waiting}" if waiting else None))) or None
    agents, scopes = {one.agent for one in known}, {one.scope for one in known}
    agent = agents.pop() if len(agents) == 1 else None
    return NoteFile(ref, status, told, agent, scopes.pop() if len(scopes) == 1 else None, **counts)


def _names(known: Sequence[Memory]) -> str:
    return ", ".join(sorted({one.agent for one in known}))


def _told(tx: Transaction, known: Sequence[Memory]) -> Mapping[str, str]:
    """What the history tells of where the memories of a file were indexed from last; nothing if it does not."""
    newest = max(known, key=lambda one: (one.updated_at, one.id))
    events = tx.ledger.page(Window(ORIGIN_EVENTS_MAX), subject_id=newest.id).items
    return next((event.details for event in events if ROOT in event.details), {})
