"""Inspects the folder of a mirror for the doctor: what was set aside in it, what waits there, and what is behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hansard.domain.errors import GitFailed
from hansard.domain.findings import Finding, fine, warning
from hansard.domain.text import counted
from hansard.services import keep_up
from hansard.services.adopt import look_over, printable
from hansard.services.mirror import believed
from hansard.services.recognise import Joint
from hansard.services.reunite import announced, awaited
from hansard.workspace.files import Enclosure
from hansard.workspace.mirror import Manifest, kept_copies

if TYPE_CHECKING:
    from hansard.domain.mirror import Skipped
    from hansard.services.seat import Seat

CHECK = "mirror"
NAMED_MAX = 3
KEPT = "Compare each with the file it was set aside from, bring what is missing into the record, and delete it."
WAITING = "Run `hansard import`; the export after the next change imports them too."
UNREADABLE = "Make each readable, mend it or move it away; `hansard import` says where one is wrong."
DIFFERENT = "Do what is said of each, then delete it; the record stays as it is."
STALE = "Run `hansard export`; what is not in the record is set aside, not lost."
UNMERGED = "Finish the merge: docs/mirror.md, under Git, says how. `hansard sync` names them too."
EDITED = "Run `hansard import`, then `hansard export`. What somebody edited is set aside, not lost."
BEHIND = "`hansard export` brings them on; the next change here does too, and `hansard watch` keeps them in step."
TEAM = "A person runs `hansard import`; until then the ledger files are not written."


def inspect_mirror(seat: Seat, root: str) -> Iterator[Finding]:
    """What lies in the folder that somebody has to look at. It reads as an import does, and writes nothing.

    Raises Invalid if the folder cannot be opened.
    """
    with Enclosure(Path(root), unlinked=True) as files:
        kept = kept_copies(files)
        manifest = Manifest.load(files)
        joint = Joint(seat, files, manifest)
        with seat.reading() as tx:
            ours = believed(tx, manifest).standing(files)
        waiting, inbox = look_over(seat, files, ours, announced(seat, files), joint.made)
        news, ledger = awaited(seat, files)
    stopped = _unmerged(root)
    if stopped:
        yield warning(CHECK, f"Files in {root} at which a pull stopped: {_named(stopped)}.", UNMERGED)
    if kept:
        yield warning(CHECK, f"Copies that were set aside in {root}: {_named(kept)}.", KEPT)
    if waiting:
        yield warning(CHECK, f"Proposals in {root} that are not in the record yet: {_named(waiting)}.", WAITING)
    unread = [one for one in inbox.report.skipped if not one.known]
    if unread:
        yield warning(CHECK, f"Files in {root} that cannot be imported: {_told(unread)}.", UNREADABLE)
    if inbox.stale:
        told = f"Files in {root} of proposals that were reviewed: {_named([printable(one) for one in inbox.stale])}."
        yield warning(CHECK, told, STALE)
    differ = [one for one in inbox.report.skipped if one.differs and one.path not in map(printable, inbox.stale)]
    if differ:
        yield warning(CHECK, f"Files in {root} that differ from the record: {_told(differ)}.", DIFFERENT)
    if news:
        new = counted(news, "record")
        told = f"The ledger files in {root} have what other clones made and the record does not know: {new}."
        yield warning(CHECK, told, TEAM)
    if ledger.skipped:
        yield warning(
            CHECK, f"Ledger files in {root} with lines that are not taken in: {_told(ledger.skipped)}.", UNREADABLE
        )


def compare_mirror(seat: Seat, state: keep_up.MirrorState) -> Iterator[Finding]:
    """Whether the files say what the record says. That others went on elsewhere is no fault of the files.

    Raises Invalid if the folder cannot be opened.
    """
    differ = keep_up.drifted(seat, state.root)
    behind = keep_up.untouched(seat, state.root, differ)
    edited = [path for path in differ if path not in behind]
    if edited:
        told = f"Files in {state.root} that do not say what the record says: {_named(edited)}."
        yield warning(CHECK, told, EDITED)
    elif behind:
        events = state.head - state.done if state.done else 0
        by = f" by {counted(events, 'event')}, made elsewhere or while nothing followed here" if events > 0 else ""
        told = f"The files in {state.root} are as this machine exported them last, and behind the record{by}."
        yield fine(CHECK, f"{told} {BEHIND}")


def _unmerged(root: str) -> list[str]:
    # Running git is for the doctor alone; no other command that loads this pays for it.
    from hansard.workspace import git

    try:
        return [printable(one) for one in git.unmerged(Path(root))]
    except GitFailed:
        return []


def _told(skipped: Sequence[Skipped]) -> str:
    return _named([f"{one.path}: {one.reason}" for one in skipped])


def _named(several: Sequence[str]) -> str:
    more = ", …" if len(several) > NAMED_MAX else ""
    return f"{len(several):,} ({', '.join(several[:NAMED_MAX])}{more})"
