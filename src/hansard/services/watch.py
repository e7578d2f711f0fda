"""Watches a project's folder and its record: what is dropped is imported, and what changes is exported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hansard.domain.errors import Invalid, MirrorBusy, Unavailable
from hansard.domain.mirror import (
    INBOX_FOLDER,
    LEDGER,
    LEDGER_FOLDER,
    ExportReport,
    Failed,
    ImportReport,
    LedgerReport,
    SetAside,
    is_kept_name,
    kept_of,
)
from hansard.services.keep_up import export
from hansard.services.mirror import refuse_vanished
from hansard.services.reunite import reunite
from hansard.services.seat import Seat
from hansard.workspace.files import Enclosure
from hansard.workspace.mirror import Manifest, kept_copies
from hansard.workspace.watching import Sights, Wait, sights

FOLDERS = (INBOX_FOLDER, LEDGER_FOLDER)
"""Where people drop files for the record, and where a pull brings what other clones made."""
LOOK_SECONDS = 1.0
SETTLE_SECONDS = 0.2
SETTLE_LOOKS_MAX = 20
"""A file may be half written, and a burst of changes is one export: we wait until nothing moves, but not for ever."""
BUSY_SECONDS = 0.2
"""How long another exporter is waited for; the next look is near."""
COUNTS = ("decisions", "proposals", "memories", "updated", "forgotten")
RETRY_LOOKS = 30
"""After so many quiet looks, what failed is tried again."""


class Happening(NamedTuple):
    """One thing that a watcher did or found."""

    what: str
    details: Mapping[str, Any]


class _State(NamedTuple):
    position: int
    files: Sights


def keep_in_step(seat: Seat, place: Path, wait: Wait) -> Iterator[Happening]:
    """Brings files and record in step now, and again whenever one of them changes. It never ends by itself.

    `wait` is called between two looks.
    """
    # The watcher exports what it imports; nobody else has to be sent for that.
    watching = _Watching(seat._replace(changed=None), place)
    while True:
        yield from watching.look()
        wait(watching.pause_seconds)


class _Watching:
    """What one watcher has seen, done and told so far."""

    def __init__(self, seat: Seat, place: Path) -> None:
        self._seat = seat
        self._place = place
        self._done = _State(-1, {})
        self._last = self._done
        self._due = True
        self._unsettled = 0
        self._quiet = 0
        self._hindrance: str | None = None
        self._failures: frozenset[Failed] = frozenset()
        self._retry = False
        self._told: frozenset[str] = frozenset()
        self._untold: list[Happening] = []
        self._kept: frozenset[str] | None = None

    @property
    def pause_seconds(self) -> float:
        return SETTLE_SECONDS if self._unsettled else LOOK_SECONDS

    def look(self) -> list[Happening]:
        try:
            state = self._state()
            self._note_kept()
            report = self._in_step(state) if self._is_due(state) else None
        except (Invalid, Unavailable) as error:
            return [*self._taken(), *self._hindered(error)]
        told = [*self._unhindered(), *self._taken()]
        if report is not None:
            told += self._happenings(report, state)
            self._done, self._due, self._unsettled, self._quiet = state, False, 0, 0
        return told

    def _note_kept(self) -> None:
        """Tells of what others set aside: the exporter that follows changes has nobody else to tell."""
        with Enclosure(self._place, unlinked=True) as files:
            there = frozenset(kept_copies(files))
        known, self._kept = self._kept, there
        if known is not None:
            self._untold += [_aside(SetAside(kept_of(one), one)) for one in sorted(there - known)]

    def _taken(self) -> list[Happening]:
        told, self._untold = self._untold, []
        return told

    def _state(self) -> _State:
        refuse_vanished(self._place, self._seat.project.key)
        files = sights(self._place, FOLDERS)
        with self._seat.reading() as tx:
            return _State(tx.ledger.head()[0], files)

    def _is_due(self, state: _State) -> bool:
        """Whether there is something to do, and it has come to rest."""
        last, self._last = self._last, state
        if self._due:
            return True
        if state == self._done:
            self._unsettled = 0
            self._quiet += 1
            return self._retry and self._quiet >= RETRY_LOOKS
        self._unsettled += 1
        return state == last or self._unsettled > SETTLE_LOOKS_MAX

    def _in_step(self, state: _State) -> ExportReport:
        """What other clones made comes first: the export leaves their lines alone until they are taken in."""
        seen, before = state.files, self._done.files
        moved = any(seen.get(path) != before.get(path) for path in LEDGER.values())
        ledger = self._reunited() if moved else LedgerReport()
        # It is in the record now, whatever becomes of the export.
        self._untold += _taken_in(ledger)
        report = export(self._seat, self._place, wait_seconds=BUSY_SECONDS)
        return report._replace(inbox=report.inbox._replace(ledger=ledger))

    def _reunited(self) -> LedgerReport:
        with Enclosure(self._place, unlinked=True) as files:
            last = Manifest.load(files)
            ours = last.files if last.project == self._seat.project.id else {}
            if all(_digest(files, path) in {None, ours.get(path)} for path in LEDGER.values()):
                return LedgerReport()
            return reunite(self._seat, files)

    def _hindered(self, error: Invalid | Unavailable) -> list[Happening]:
        """Says once what is in the way. What was to do is still to do."""
        self._due, self._unsettled = True, 0
        if self._hindrance == error.code:
            return []
        self._hindrance = error.code
        return [Happening("waiting", {"reason": error.message, "code": error.code})]

    def _unhindered(self) -> list[Happening]:
        if self._hindrance is None:
            return []
        code, self._hindrance = self._hindrance, None
        return [] if code == MirrorBusy.code else [Happening("back", {"after": code})]

    def _happenings(self, report: ExportReport, state: _State) -> list[Happening]:
        changed = {path for path, sight in state.files.items() if self._done.files.get(path) != sight}
        told = [Happening("imported", one._asdict()) for one in report.inbox.imported]
        told += self._findings(report.inbox, changed)
        told += [_aside(one) for one in report.set_aside]
        self._kept = (self._kept or frozenset()) | {one.kept for one in report.set_aside}
        if report.written or report.removed:
            told.append(Happening("exported", {"written": list(report.written), "removed": list(report.removed)}))
        for what, several in (("failed", report.failed), ("left alone", report.waiting)):
            told += [Happening(what, one._asdict()) for one in several if one not in self._failures]
        self._failures, self._retry = frozenset((*report.failed, *report.waiting)), bool(report.failed)
        return told

    def _findings(self, report: ImportReport, changed: set[str]) -> list[Happening]:
        """What is wrong with a file is told once, and again when the file has changed."""
        warnings = (*report.warnings, *report.ledger.warnings)
        faults = {(one.path, one.problem): one for one in reversed(warnings)}
        found: list[Happening] = []
        for skipped in (*report.skipped, *report.ledger.skipped):
            if is_kept_name(skipped.path):
                continue  # Whoever set it aside, that was told when it was.
            fault = faults.get((skipped.path, skipped.reason))
            where = {} if fault is None else {"line": fault.line, "fix": fault.fix}
            found.append(Happening("skipped", {**skipped._asdict(), **where}))
        refused = {(one.path, one.reason) for one in report.skipped}
        found += [Happening("warned", one._asdict()) for one in warnings if (one.path, one.problem) not in refused]
        told, self._told = self._told, frozenset(map(repr, found))
        return [one for one in found if one.details["path"] in changed or repr(one) not in told]


def _aside(one: SetAside) -> Happening:
    return Happening("set aside", one._asdict())


def _taken_in(ledger: LedgerReport) -> Iterator[Happening]:
    counts = {name: getattr(ledger, name) for name in COUNTS}
    if any(counts.values()) or ledger.conflicts:
        yield Happening("taken in", {**counts, "conflicts": list(ledger.conflicts)})
    for one in ledger.renamed:
        yield Happening("renamed", one._asdict())


def _digest(files: Enclosure, path: str) -> str | None:
    try:
        return files.digest(path)
    except (OSError, Invalid):
        # What it is, the one who reads it says.
        return ""
