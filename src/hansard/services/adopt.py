"""Adopts proposals that stand in files of the inbox folder: what is new is added, everything else left alone."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import frontmatter, mirror
from hansard.domain.actors import key_of
from hansard.domain.errors import Invalid
from hansard.domain.frontmatter import Reading
from hansard.domain.inbox import Entry, Proposal
from hansard.domain.mirror import FileWarning, Imported, ImportReport, Skipped
from hansard.domain.policy import Act, Matter, may
from hansard.domain.vocabulary import EntryStatus
from hansard.services.propose import Outcome, Submission, find_known, take_in
from hansard.services.seat import Seat
from hansard.workspace.files import Enclosure

if TYPE_CHECKING:
    from hansard.services.backup import Progress

FILE_BYTES_MAX = 262_144
TOO_LARGE = f"larger than {FILE_BYTES_MAX:,} bytes; shorten it, or split it into several proposals"
BATCH = 100
"""Files in one transaction: few enough for others to get a turn, many enough to be quick."""
PAUSE_SECONDS = 0.02
"""Between two transactions, so that somebody who waits for the write lock gets it."""


class _Found(NamedTuple):
    path: str
    digest: str
    proposal: Proposal
    whole: bool


class Adoption(NamedTuple):
    """What was adopted, and the digests of the files that are in the record with every word."""

    report: ImportReport
    whole: Mapping[str, str]


class _Tally:
    """What is known so far of the files of one import."""

    def __init__(self) -> None:
        self.imported: list[Imported] = []
        self.skipped: list[Skipped] = []
        self.warnings: list[FileWarning] = []
        self.whole: dict[str, str] = {}

    def adoption(self) -> Adoption:
        report = ImportReport(tuple(self.imported), tuple(sorted(self.skipped)), tuple(self.warnings))
        return Adoption(report, self.whole)


def adopt_files(
    seat: Seat,
    files: Enclosure,
    ours: Mapping[str, str],
    elsewhere: frozenset[tuple[str, str]] = frozenset(),
    progress: Progress | None = None,
) -> Adoption:
    """Reads every file of the inbox folder but those with the bytes that we wrote ourselves, and adds what is new.

    `elsewhere` are slug and author of proposals that the ledger files will bring.
    """
    tally = _Tally()
    paths = _paths(files, tally)
    wrote = False
    for start in range(0, len(paths), BATCH):
        if wrote:
            time.sleep(PAUSE_SECONDS)
        if progress is not None:
            progress("import", start, len(paths))
        found = [_read(files, path, ours, tally) for path in paths[start : start + BATCH]]
        some = [
            one
            for one in found
            if one is not None and not _is_coming(one, elsewhere, tally) and _is_allowed(seat, one, tally)
        ]
        for one, submission in zip(some, _taken_in(seat, some) if some else (), strict=True):
            _tell(one, submission, tally)
        wrote = bool(some)
    return tally.adoption()


def look_over(seat: Seat, files: Enclosure, elsewhere: frozenset[tuple[str, str]]) -> tuple[list[str], ImportReport]:
    """The files that an import would add, and what it would say of those that it cannot read. Nothing is written."""
    tally = _Tally()
    found = [_read(files, path, {}, tally) for path in _paths(files, tally)]
    with seat.reading() as tx:
        waiting = [
            printable(one.path)
            for one in found
            if one is not None and not _is_coming(one, elsewhere, tally) and find_known(tx, one.proposal) is None
        ]
    return waiting, tally.adoption().report


def _paths(files: Enclosure, tally: _Tally) -> list[str]:
    try:
        names = files.names(mirror.INBOX_FOLDER)
    except (OSError, Invalid) as error:
        tally.skipped.append(Skipped(mirror.INBOX_FOLDER, reason_of(error)))
        return []
    for name in names:
        reason = _passed_over(name)
        if reason is not None:
            kept = mirror.is_kept_name(name)
            tally.skipped.append(Skipped(printable(f"{mirror.INBOX_FOLDER}/{name}"), reason, known=kept))
    # By slug, so that `x` comes before `x--author`, as it once came into being.
    wanted = sorted(one.removesuffix(".md") for one in names if one.endswith(".md") and not mirror.is_kept_name(one))
    return [f"{mirror.INBOX_FOLDER}/{one}.md" for one in wanted]


def _passed_over(name: str) -> str | None:
    """Why a file is not looked into that somebody may have meant as a proposal."""
    if mirror.is_kept_name(name):
        return "its name is that of a copy that an export set aside; rename it to have it taken in"
    if not name.endswith(".md") and name.casefold().endswith(".md") and not name.startswith("."):
        return "its name must end in .md, in small letters; rename it to have it taken in"
    return None


def _read(files: Enclosure, path: str, ours: Mapping[str, str], tally: _Tally) -> _Found | None:
    try:
        data = files.read(path, bytes_max=FILE_BYTES_MAX + 1)
    except (OSError, Invalid) as error:
        tally.skipped.append(Skipped(printable(path), reason_of(error)))
        return None
    if data is None:
        return None
    digest = mirror.digest(data)
    if ours.get(path) == digest:
        return None
    if len(data) > FILE_BYTES_MAX:
        tally.skipped.append(Skipped(printable(path), TOO_LARGE))
        return None
    return _judged(path, digest, frontmatter.read(data), tally)


def _judged(path: str, digest: str, reading: Reading, tally: _Tally) -> _Found | None:
    tally.warnings += [mirror.file_warning(printable(path), one) for one in reading.warnings]
    if reading.refusal is not None:
        tally.warnings.append(mirror.file_warning(printable(path), reading.refusal))
        tally.skipped.append(Skipped(printable(path), reading.refusal.problem))
    if reading.proposal is None:
        return None
    return _Found(path, digest, reading.proposal, whole=not reading.warnings)


def _is_coming(one: _Found, elsewhere: frozenset[tuple[str, str]], tally: _Tally) -> bool:
    """Whether the ledger has the proposal: adopted from its readable file, it would be there twice."""
    coming = (one.proposal.spelled_slug, key_of(one.proposal.author)) in elsewhere
    if coming:
        reason = "another clone proposed it; a person takes it in with `hansard import`"
        tally.skipped.append(Skipped(printable(one.path), reason, known=True))
    return coming


def _is_allowed(seat: Seat, one: _Found, tally: _Tally) -> bool:
    """A file names its author; an agent brings in only its own. Nobody asked, so no refusal is recorded."""
    allowed = may(seat.actor, Act.PROPOSE, Matter(owner=one.proposal.author))
    if not allowed:
        reason = f"{seat.actor.name} may not propose as {one.proposal.author}; a person imports it"
        tally.skipped.append(Skipped(printable(one.path), reason))
    return allowed


def _taken_in(seat: Seat, some: Sequence[_Found]) -> list[Submission]:
    with seat.writing() as tx:
        return [take_in(tx, seat, one.proposal) for one in some]


def _tell(one: _Found, submission: Submission, tally: _Tally) -> None:
    entry = submission.entry
    said = _is_said(one.proposal, entry)
    if one.whole and said:
        tally.whole[one.path] = one.digest
    if submission.outcome is Outcome.CREATED:
        tally.imported.append(Imported(printable(one.path), entry.slug, entry.ref))
    elif said:
        reason = f"known already as {entry.ref} ({entry.slug}, {entry.status})"
        tally.skipped.append(Skipped(printable(one.path), reason, known=True, settled=True))
    else:
        pending = entry.status is EntryStatus.PENDING
        advice = "propose the slug again to change it" if pending else "propose it under a new slug"
        reason = f"differs from {entry.ref} ({entry.slug}, {entry.status}); {advice}"
        tally.skipped.append(Skipped(printable(one.path), reason, known=True))


def _is_said(wanted: Proposal, entry: Entry) -> bool:
    """Whether the record has every word of the file."""
    same = (wanted.type, wanted.content, wanted.rationale) == (entry.type, entry.content, entry.rationale)
    return same and wanted.title in {None, entry.title}


def reason_of(error: OSError | Invalid) -> str:
    if isinstance(error, Invalid):
        return printable(error.message.rstrip("."))
    return printable(error.strerror or str(error))


def printable(path: str) -> str:
    """The path as a report may show it, also if its name is no text. No name adds a line to a report."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in path)
