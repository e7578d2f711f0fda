"""Adopts proposals that stand in files of the inbox folder: what is new is added, everything else left alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import frontmatter, mirror
from hansard.domain.actors import OWN_NAMES, key_of
from hansard.domain.errors import GuardRefused, Invalid
from hansard.domain.frontmatter import Reading
from hansard.domain.inbox import Entry, Proposal
from hansard.domain.mirror import FileWarning, Imported, ImportReport, Skipped
from hansard.domain.policy import Act, Matter, may
from hansard.domain.vocabulary import EntryStatus, Role
from hansard.services.admission import REPLACED, REVOKE, allowed_in, presentable, safe, screen
from hansard.services.propose import Outcome, Submission, find_known, take_in
from hansard.services.seat import Seat, lookalike_of, unfit
from hansard.settings import login_name
from hansard.workspace.files import Enclosure

if TYPE_CHECKING:
    from hansard.services.backup import Progress
    from hansard.store.ports import Transaction

FILE_BYTES_MAX = 524_288
"""More than the file of any proposal has: a character that shows nothing takes four times its bytes there."""
TOO_LARGE = f"larger than {FILE_BYTES_MAX:,} bytes; shorten it, or split it into several proposals"
BATCH = 100
"""Files in one transaction: few enough for others to get a turn, many enough to be quick."""
PAUSE_SECONDS = 0.02
"""Between two transactions, so that somebody who waits for the write lock gets it."""
A_PERSON = "is a person, who takes in a file of that name with `hansard import`; no other import does"
NO_AGENT = "is no agent but a part of Hansard, or a service; name the agent that proposes it"


class _Found(NamedTuple):
    path: str
    digest: str
    proposal: Proposal
    whole: bool
    data: bytes = b""
    said: Proposal | None = None
    """The proposal as it may be stored."""


class Adoption(NamedTuple):
    """What was adopted, and the digests of the files that are in the record with every word.

    `stale` are files in the place of proposals that were reviewed, with words that the record does not have there.
    """

    report: ImportReport
    whole: Mapping[str, str]
    stale: Sequence[str] = ()


class _Tally:
    """What is known so far of the files of one import."""

    def __init__(self) -> None:
        self.imported: list[Imported] = []
        self.skipped: list[Skipped] = []
        self.warnings: list[FileWarning] = []
        self.whole: dict[str, str] = {}
        self.stale: list[str] = []
        self.names: dict[str, str] | None = None

    def adoption(self) -> Adoption:
        # Names and lines of files are anybody's words, and may hold what no report is to show.
        imported = tuple(one._replace(path=safe(one.path)) for one in self.imported)
        skipped = tuple(one._replace(path=safe(one.path), reason=safe(one.reason)) for one in sorted(self.skipped))
        warnings = tuple(one._replace(path=safe(one.path), problem=safe(one.problem)) for one in self.warnings)
        report = ImportReport(imported, skipped, warnings)
        return Adoption(report, self.whole, sorted(self.stale))


def adopt_files(
    seat: Seat,
    files: Enclosure,
    ours: Mapping[str, str],
    elsewhere: frozenset[tuple[str, str]] = frozenset(),
    progress: Progress | None = None,
    joint: Callable[[str], bool] = lambda _: False,
) -> Adoption:
    """Reads every file of the inbox folder but those with the bytes that we wrote ourselves, and adds what is new.

    `elsewhere` are slug and author of proposals that the ledger files will bring. `joint` says of a path whether git
    made its file of those that two clones wrote; the ledger has what they say.
    """
    tally = _Tally()
    paths = _paths(files, tally)
    wrote = False
    for start in range(0, len(paths), BATCH):
        if wrote:
            time.sleep(PAUSE_SECONDS)
        if progress is not None:
            progress("import", start, len(paths))
        found = [_read(files, path, ours, tally, joint) for path in paths[start : start + BATCH]]
        some = [
            one
            for one in found
            if one is not None and not _is_coming(one, elsewhere, tally) and _is_allowed(seat, one, tally)
        ]
        clean = [_cleaned(seat, one, tally) for one in some]
        some = [one for one in clean if one is not None]
        if some:
            _take_in(seat, some, tally, joint)
        wrote = bool(some)
    return tally.adoption()


def has_news(files: Enclosure, ours: Mapping[str, str]) -> bool:
    """Whether the inbox folder holds anything but the files that we wrote ourselves. It is quick if there is none."""
    tally = _Tally()
    paths = _paths(files, tally)
    if any(not one.known for one in tally.skipped) or not set(paths) <= set(ours):
        return True
    try:
        return any(files.digest(path) != ours[path] for path in paths)
    except (OSError, Invalid):
        return True


def look_over(
    seat: Seat,
    files: Enclosure,
    ours: Mapping[str, str],
    elsewhere: frozenset[tuple[str, str]],
    joint: Callable[[str], bool] = lambda _: False,
) -> tuple[list[str], Adoption]:
    """The files that an export would add, and what it would say of all others but ours. Nothing is written."""
    tally = _Tally()
    found = [_read(files, path, ours, tally, joint) for path in _paths(files, tally)]
    waiting: list[str] = []
    with seat.reading() as tx:
        for one in found:
            if one is None or _is_coming(one, elsewhere, tally):
                continue
            if _is_another(tx, seat, one, tally):
                continue
            known = find_known(tx, one.proposal)
            if known is None:
                waiting.append(printable(one.path))
            else:
                said = one._replace(said=presentable([one.proposal], allowed_in(seat, tx))[0])
                _tell(said, Submission(known, Outcome.UNCHANGED), tally, joint)
    return waiting, tally.adoption()


def _paths(files: Enclosure, tally: _Tally) -> list[str]:
    try:
        names = files.names(mirror.INBOX_FOLDER)
    except (OSError, Invalid) as error:
        tally.skipped.append(Skipped(mirror.INBOX_FOLDER, reason_of(error, mirror.INBOX_FOLDER)))
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


def _read(
    files: Enclosure, path: str, ours: Mapping[str, str], tally: _Tally, joint: Callable[[str], bool]
) -> _Found | None:
    try:
        data = files.read(path, bytes_max=FILE_BYTES_MAX + 1)
    except (OSError, Invalid) as error:
        tally.skipped.append(Skipped(printable(path), reason_of(error, path)))
        return None
    if data is None:
        return None
    digest = mirror.digest(data)
    if ours.get(path) == digest:
        return None
    if len(data) > FILE_BYTES_MAX:
        tally.skipped.append(Skipped(printable(path), TOO_LARGE))
        return None
    reading = frontmatter.read(data)
    if (reading.refusal is not None or reading.warnings) and joint(path):
        tally.whole[path] = digest
        return None
    judged = _judged(path, digest, reading, tally)
    return judged and judged._replace(data=data)


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
        with seat.reading() as tx:
            # Of a name that is no agent's it is not true that any other import would take it in.
            if _is_another(tx, seat, one, tally):
                return False
        reason = (
            f"{seat.actor.name} may not propose as {one.proposal.author}; a person imports it, or the export that"
            " follows a change, and it is marked as from a file"
        )
        tally.skipped.append(Skipped(printable(one.path), reason))
    return allowed


def _cleaned(seat: Seat, one: _Found, tally: _Tally) -> _Found | None:
    """The file with its proposal as it may be stored. One that the guard refuses does not keep the others out."""
    try:
        said, screened = screen(seat._replace(told=None), one.proposal)
    except GuardRefused as refusal:
        tally.skipped.append(Skipped(printable(one.path), printable(refusal.message.rstrip("."))))
        return None
    if screened.found:
        # Nobody is asked before the file is written anew, so this is where its author hears of it.
        from hansard.services.look_into import spots

        first = screened.found[0]
        line = next((spot.line for spot in spots(one.data, allowed_in(seat)) if spot.kind == first.kind), 1)
        problem = REPLACED.format(kind=first.kind)
        tally.warnings.append(FileWarning(printable(one.path), line, problem, REVOKE))
    return one._replace(said=said)


def _take_in(seat: Seat, some: Sequence[_Found], tally: _Tally, joint: Callable[[str], bool]) -> None:
    # Who asks for it in person speaks for themselves.
    own = seat.actor.key if Role.HUMAN in seat.actor.roles else None
    with seat.writing() as tx:
        told = [
            (one, take_in(tx, seat, one.proposal))
            for one in some
            if key_of(one.proposal.author) == own or not _is_another(tx, seat, one, tally)
        ]
    for one, submission in told:
        _tell(one, submission, tally, joint)


def _reserved(tx: Transaction, seat: Seat) -> dict[str, str]:
    """Why nobody proposes by a file under these names: anybody can write a file, and these are no agents' names."""
    persons = {key_of(seat.settings.user or login_name())}
    services = set(OWN_NAMES)
    # The role that an import puts down for a name is a guess; what somebody did here is none.
    acted = [(key, roles) for key, roles in tx.ledger.roles().items() if Role.AGENT not in roles]
    for key, roles in (*acted, *((one.key, {one.role}) for one in tx.actors.all())):
        if Role.HUMAN in roles:
            persons.add(key)
        elif Role.SERVICE in roles:
            services.add(key)
    return dict.fromkeys(services, NO_AGENT) | dict.fromkeys(persons, A_PERSON)


def _is_another(tx: Transaction, seat: Seat, one: _Found, tally: _Tally) -> bool:
    """Whether the file would add a proposal in the name of somebody who is no agent."""
    if tally.names is None:
        tally.names = _reserved(tx, seat)
    why = tally.names.get(key_of(one.proposal.author))
    why = why or unfit(tx, one.proposal.author)
    if why is None and (other := lookalike_of(tx, one.proposal.author)) is not None:
        why = f"looks like {other}, in letters of another script"
    if why is None or find_known(tx, one.proposal) is not None:
        return False
    tally.skipped.append(Skipped(printable(one.path), f"{one.proposal.author} {why}"))
    return True


def _tell(one: _Found, submission: Submission, tally: _Tally, joint: Callable[[str], bool]) -> None:
    entry = submission.entry
    said = _is_said(one.said or one.proposal, entry) or (submission.outcome is not Outcome.CREATED and joint(one.path))
    if one.whole and said:
        tally.whole[one.path] = one.digest
    elif entry.status is not EntryStatus.PENDING and one.path == mirror.entry_path(entry.slug):
        tally.stale.append(one.path)
    if submission.outcome is Outcome.CREATED:
        tally.imported.append(Imported(printable(one.path), entry.slug, entry.ref))
    elif said:
        reason = f"known already as {entry.ref} ({entry.slug}, {entry.status})"
        tally.skipped.append(Skipped(printable(one.path), reason, known=True, settled=True))
    else:
        pending = entry.status is EntryStatus.PENDING
        advice = "propose the slug again to change it" if pending else "propose it under a new slug"
        reason = f"differs from {entry.ref} ({entry.slug}, {entry.status}); {advice}"
        tally.skipped.append(Skipped(printable(one.path), reason, known=True, differs=True))


def _is_said(wanted: Proposal, entry: Entry) -> bool:
    """Whether the record has every word of the file, but for its secrets."""
    same = (wanted.type, wanted.content, wanted.rationale) == (entry.type, entry.content, entry.rationale)
    return same and wanted.title in {None, entry.title}


def reason_of(error: OSError | Invalid, path: str = "") -> str:
    """Why something cannot be done, for a report that names the path already."""
    if isinstance(error, Invalid):
        said = error.message.rstrip(".")
        return printable(f"it {said.removeprefix(path + ' ')}" if said.startswith(f"{path} is ") else said)
    return printable(error.strerror or str(error))


def printable(path: str) -> str:
    """The path as a report may show it, also if its name is no text. No name adds a line to a report."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in path)
