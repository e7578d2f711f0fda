"""Keeps a project's files in step with its record: the exporter's work, what others exported, and how it all stands."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import mirror as files_of
from hansard.domain.actors import Actor
from hansard.domain.errors import HansardError, Invalid, LeaseLost, Unavailable
from hansard.domain.jobs import JobKind, Lease
from hansard.domain.policy import Act
from hansard.domain.vocabulary import Role
from hansard.services import mirror
from hansard.services.admission import safe
from hansard.services.dispatch import subject_of
from hansard.settings import data_folder
from hansard.workspace import process, roots
from hansard.workspace.files import Enclosure
from hansard.workspace.mirror import LOCK_WAIT_SECONDS, Manifest, histories

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hansard.domain.jobs import Job
    from hansard.domain.mirror import ExportReport
    from hansard.services.backup import Progress
    from hansard.services.seat import Seat

EXPORTER = Actor("exporter", Role.SERVICE)
LEASE_SECONDS = 30.0
LOCK_SECONDS = 60.0
"""How long the exporter waits for somebody who exports by hand."""
LINGER_SECONDS = 1.0
"""How long the exporter stays for another change; it is cheaper than the next one."""
QUIET_SECONDS = 0.3
"""How long nothing must have changed before the next export of a burst."""
PATIENCE_SECONDS = 3.0
PATIENCE_SECONDS_MAX = 48.0
"""How long a burst may keep the next export waiting, at first and at most. It doubles while the burst goes on, so that
even a long one makes a few exports."""
GONE = "The folder is gone from this machine."
_MICROSECONDS = 1_000_000


class MirrorState(NamedTuple):
    """How the files of one folder stand. `abandoned` is an exporter that ended before its work did."""

    root: str
    head: int
    done: int
    attempts: int
    failed_at: int | None
    error: str | None
    at_work: bool
    abandoned: bool

    @property
    def is_in_step(self) -> bool:
        return self.done >= self.head and self.error is None


def export(
    seat: Seat,
    root: str | Path | None = None,
    *,
    wait_seconds: float = LOCK_WAIT_SECONDS,
    progress: Progress | None = None,
) -> ExportReport:
    """Exports at once, and notes for the exporter and for the doctor how that went."""
    report = mirror.export(seat, root, wait_seconds=wait_seconds, progress=progress)
    machine = roots.machine_id(data_folder())
    # A store that cannot be written can be exported all the same.
    with suppress(Unavailable):
        _note(seat, subject_of(machine, report.root), report)
    return report


def _note(seat: Seat, subject: str, report: ExportReport) -> None:
    problem = _problem(report)
    with seat.store.read(seat.project.id) as tx:
        known = seat.store.jobs(tx).get(JobKind.EXPORT, subject)
        registered = {subject_of(*one) for one in tx.projects.roots(seat.project.id)}
    settled = known is not None and known.error is None and known.done_position >= report.position
    if subject not in registered or (settled and problem is None):
        return
    with seat.store.write(seat.project.id) as tx:
        if problem is None:
            seat.store.jobs(tx).settle(JobKind.EXPORT, subject, report.position)
        else:
            seat.store.jobs(tx).blame(JobKind.EXPORT, subject, safe(problem))


def keep_up(seat: Seat, root: str) -> str | None:
    """Exports until nothing has changed for a while, and says what went wrong, if anything did.

    Does nothing if another process is at it: that one looks at the record again before it lets go.
    """
    lease = _lease(seat, subject_of(roots.machine_id(data_folder()), root))
    if lease is None:
        return None
    with _renewing(seat, lease):
        patience = PATIENCE_SECONDS
        while True:
            began = time.monotonic()
            position, problem = _attempt(seat, root)
            took = time.monotonic() - began
            with seat.store.write(seat.project.id) as tx:
                if problem is not None:
                    seat.store.jobs(tx).fail(lease, safe(problem))
                    return problem
                seat.store.jobs(tx).finish(lease, position, lease_us=_lease_us())
            seat.store.wait(seat.project.id, position, LINGER_SECONDS)
            with seat.store.write(seat.project.id) as tx:
                # In one transaction, so that no change falls between the last look and the end of the lease.
                if tx.ledger.head()[0] <= position:
                    seat.store.jobs(tx).release(lease)
                    return None
            over = _let_pass(seat, quiet_seconds=max(QUIET_SECONDS, 2 * took), patience_seconds=patience)
            patience = PATIENCE_SECONDS if over else min(PATIENCE_SECONDS_MAX, 2 * patience)


def states(seat: Seat) -> tuple[MirrorState, ...]:
    """How the files of each folder of this machine stand. For the doctor, and for the health of a server."""
    seat.require(Act.READ)
    machine = roots.machine_id(data_folder())
    with seat.reading() as tx:
        head = tx.ledger.head()[0]
        places = [one.path for one in tx.projects.roots(seat.project.id) if one.machine == machine]
        jobs, now = seat.store.jobs(tx), seat.store.clock(tx)
        found = [_state(place, head, jobs.get(JobKind.EXPORT, subject_of(machine, place)), now) for place in places]
    # No file is in step in a folder that is not there, whatever was written into it last.
    return tuple(one if one.error or Path(one.root).is_dir() else one._replace(error=GONE) for one in found)


def drifted(seat: Seat, root: str) -> tuple[str, ...]:
    """The files of a folder that was exported before and that do not say what the record says.

    Raises Invalid if the folder cannot be opened.
    """
    with Enclosure(Path(root), unlinked=True) as files:
        manifest = Manifest.load(files)
        if manifest.project != seat.project.id:
            return ()
        with seat.reading() as tx:
            texts = files_of.rendered(mirror.state_of(seat, tx))
        wanted = {path: files_of.digest(data) for path, data in texts.items()}
        left = {path: None for path in (*manifest.files, *histories(files)) if path not in wanted}
        return tuple(sorted(path for path, one in (wanted | left).items() if _digest(files, path) != one))


def untouched(seat: Seat, root: str, paths: Iterable[str]) -> frozenset[str]:
    """Those of the paths where all is as this machine exported it last: only the record has gone on since.

    Raises Invalid if the folder cannot be opened.
    """
    with Enclosure(Path(root), unlinked=True) as files:
        with seat.reading() as tx:
            manifest = mirror.believed(tx, Manifest.load(files))
        if not manifest.project:
            return frozenset()
        # What it never wrote is untouched while it is not there.
        return frozenset(path for path in paths if _digest(files, path) in (manifest.all_of(path) or {None}))


def _digest(files: Enclosure, path: str) -> str | None:
    try:
        return files.digest(path)
    except (OSError, Invalid):
        return "unreadable"


def _state(place: str, head: int, job: Job | None, now: int) -> MirrorState:
    if job is None:
        return MirrorState(place, head, 0, 0, None, None, at_work=False, abandoned=False)
    held = job.holder is not None
    gone = held and (not job.is_leased(now) or process.is_gone(str(job.holder)))
    return MirrorState(
        place, head, job.done_position, job.attempts, job.failed_at, job.error, at_work=held and not gone,
        abandoned=gone,
    )  # fmt: skip


def _lease(seat: Seat, subject: str) -> Lease | None:
    with seat.store.write(seat.project.id) as tx:
        jobs = seat.store.jobs(tx)
        known = jobs.get(JobKind.EXPORT, subject)
        if known is not None and known.done_position >= tx.ledger.head()[0]:
            return None
        # A process that was killed cannot let go of its lease; the next one need not wait until that ends.
        gone = known.holder if known and known.holder and process.is_gone(known.holder) else None
        return jobs.take(JobKind.EXPORT, subject, process.name(), lease_us=_lease_us(), instead_of=gone)


def _attempt(seat: Seat, root: str) -> tuple[int, str | None]:
    """The event that the files are in step with now, and what went wrong."""
    try:
        report = mirror.export(seat, root, wait_seconds=LOCK_SECONDS)
    except HansardError as error:
        return 0, error.message
    except OSError as error:
        return 0, str(error)
    return report.position, _problem(report)


def _problem(report: ExportReport) -> str | None:
    if not report.failed:
        return None
    more = f", and {len(report.failed) - 1:,} more" if len(report.failed) > 1 else ""
    return f"{report.failed[0].path}: {report.failed[0].reason}{more}"


def _let_pass(seat: Seat, *, quiet_seconds: float, patience_seconds: float) -> bool:
    """Waits until a burst of changes is over, or has lasted so long that its files are wanted meanwhile."""
    end = time.monotonic() + max(patience_seconds, quiet_seconds)
    while time.monotonic() < end:
        with seat.store.read(seat.project.id) as tx:
            seen = tx.ledger.head()[0]
        calm = time.monotonic() + quiet_seconds
        while time.monotonic() < calm:
            seat.store.wait(seat.project.id, seen, calm - time.monotonic())
            with seat.store.read(seat.project.id) as tx:
                if tx.ledger.head()[0] != seen:
                    break
        else:
            return True
    return False


@contextmanager
def _renewing(seat: Seat, lease: Lease) -> Iterator[None]:
    """Has a thread renew the lease while an export takes its time."""
    done = threading.Event()

    def renew() -> None:
        while not done.wait(LEASE_SECONDS / 3):
            # Who lost the lease, or the store, learns of it with the next thing it wants to note.
            with suppress(LeaseLost, Unavailable), seat.store.write(seat.project.id) as tx:
                seat.store.jobs(tx).renew(lease, lease_us=_lease_us())

    thread = threading.Thread(target=renew, name="hansard-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _lease_us() -> int:
    return int(LEASE_SECONDS * _MICROSECONDS)
