"""Examines a store and its projects, and says of everything that is not right what to do about it.

A check is one function that yields findings. A new one is added to `STORE_CHECKS` or `PROJECT_CHECKS`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hansard import settings as settings_module
from hansard.clock import iso
from hansard.domain import budget, lines, rendering
from hansard.domain.chain import reseal
from hansard.domain.errors import (
    BadSetting,
    HansardError,
    Invalid,
    StoreBusy,
    StoreCorrupt,
    StoreUnreachable,
    StoreUnwritable,
    Unavailable,
)
from hansard.domain.findings import Examined, Finding, fine, problem, warning
from hansard.domain.frontmatter import Warned
from hansard.domain.limits import PAGE_ITEMS_MAX
from hansard.domain.mirror import LEDGER
from hansard.domain.paging import Window
from hansard.domain.policy import Act
from hansard.domain.text import counted
from hansard.domain.vocabulary import Subject
from hansard.services import found, keep_up, mirror, reunite
from hansard.services.audit import verify
from hansard.services.inspect_mirror import compare_mirror, inspect_mirror
from hansard.services.inspect_rights import inspect_rights
from hansard.services.quarantine import waiting
from hansard.services.seat import CLOCK_BEHIND_US_MAX, Seat, clock_told
from hansard.settings import Settings
from hansard.workspace import roots

if TYPE_CHECKING:
    from hansard.services.backup import Progress
    from hansard.store.ports import Store, Transaction

NO_VERDICT = (StoreBusy, StoreUnreachable)
"""Says nothing of what is in the store, and every further check would wait as long for the same answer."""
CHAIN_EVENTS_QUICK = 10_000
"""A longer history is walked from its first event only by a full examination; of others its last events are."""
DISK_FREE_BYTES_MIN = 100 * 1024 * 1024
VECTORS_COUNTED_MAX = 10_000
BRING_UP = (
    "Run `hansard projects`, on a server as the owner and then grants.sql: it brings the schema up to date. An older"
    " Hansard cannot open it after that, so make a backup with the older one first if you may go back."
)
RESTORE = "Restore a backup with `hansard restore`, and keep this database until you know what happened."
REEMBED = "Run `hansard memory reembed`."
REINDEX = "Run `hansard memory reindex`."
EXPORT = "Run `hansard export`."
RECORDS_NAMED_MAX = 10


class Visit(NamedTuple):
    """What a check of the store may look at."""

    store: Store
    settings: Settings
    examined: Examined
    full: bool


class Look(NamedTuple):
    """What a check of a project may look at."""

    seat: Seat
    full: bool


StoreCheck: TypeAlias = Callable[[Visit], Iterator[Finding]]
ProjectCheck: TypeAlias = Callable[[Look], Iterator[Finding]]


def examine(
    store: Store, settings: Settings, seats: Callable[[], Sequence[Seat]], *, full: bool,
    progress: Progress | None = None,
) -> tuple[Finding, ...]:  # fmt: skip
    """What every check of the store and of each project found. A check that cannot look is itself a problem.

    A store that is busy, or does not answer any more, is no finding: it raises StoreBusy or StoreUnreachable.
    """
    findings: list[Finding] = []
    chosen: Sequence[Seat] = ()
    examined = None
    try:
        examined = store.examine(full=full)
    except NO_VERDICT:
        raise
    except Unavailable as error:
        findings.append(_refused("integrity", error))
    if examined is None or not (_is_older(examined) or examined.unreadable):
        try:
            chosen = seats()
        except NO_VERDICT:
            raise
        except Unavailable as error:
            findings.append(_refused("projects", error))
    seen = _Counter(progress, 1 + len(STORE_CHECKS) + len(PROJECT_CHECKS) * len(chosen))
    seen.tick("integrity")
    if examined is not None:
        visit = Visit(store, settings, examined, full)
        for name, check in STORE_CHECKS.items():
            findings += _run(name, check(visit))
            seen.tick(name)
    for seat in chosen:
        findings += examine_project(seat, full=full, seen=seen)
    return tuple(findings)


def examine_project(seat: Seat, *, full: bool, seen: _Counter | None = None) -> tuple[Finding, ...]:
    """What every check of the project found."""
    seat.require(Act.READ)
    findings: list[Finding] = []
    for name, check in PROJECT_CHECKS.items():
        made = [one._replace(project=seat.project.key) for one in _run(name, check(Look(seat, full)))]
        # What one right refuses to several checks is told once.
        findings += [one for one in made if one.check != "permissions" or one not in findings]
        if seen is not None:
            seen.tick(f"{seat.project.key}: {name}")
    return tuple(findings)


class _Counter:
    """Tells how far an examination is."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def tick(self, label: str) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(label, self._done, self._total)


def _run(name: str, findings: Iterator[Finding]) -> list[Finding]:
    done: list[Finding] = []
    try:
        done.extend(findings)
    except NO_VERDICT:
        raise
    except BadSetting as error:
        done.append(problem("settings", error.message, "Mend it with `hansard config set`."))
    except StoreUnwritable as error:
        done.append(problem("permissions", error.message, "Mend that, and look again."))
    except HansardError as error:
        done.append(_refused(name, error))
    return done


def _refused(name: str, error: HansardError) -> Finding:
    return problem(name, error.message, RESTORE if isinstance(error, StoreCorrupt) else "Mend that, and look again.")


def _integrity(visit: Visit) -> Iterator[Finding]:
    examined = visit.examined
    for fault in examined.problems:
        yield problem("integrity", f"The database is damaged: {fault}.", RESTORE)
    for risk, advice in examined.warnings:
        yield warning("integrity", f"{risk}.", advice)
    if not examined.problems:
        depth = "" if visit.full else " A full examination looks at every index and reference." if examined.file else ""
        yield fine("integrity", f"{examined.engine}: no fault was found.{depth}")


def _schema(visit: Visit) -> Iterator[Finding]:
    examined = visit.examined
    if examined.schema == examined.schema_newest:
        yield fine("schema", f"The schema has version {examined.schema}, the newest one.")
    elif _is_older(examined):
        told = (
            f"The schema has version {examined.schema}; this Hansard needs {examined.schema_newest}. Its projects were"
            " not examined."
        )
        yield problem("schema", told, BRING_UP)
    else:
        told = f"The schema has version {examined.schema}; this Hansard knows {examined.schema_newest}."
        yield problem("schema", told, "Run the newest Hansard that your machines have.")


def _is_older(examined: Examined) -> bool:
    """Whether the tables are not yet those that the statements of this Hansard are about."""
    return examined.schema < examined.schema_newest


def _disk(visit: Visit) -> Iterator[Finding]:
    if visit.examined.file is not None:
        file = Path(visit.examined.file)
        yield space(file, free=shutil.disk_usage(file.parent).free, size=file.stat().st_size)


def space(file: Path, *, free: int, size: int) -> Finding:
    """What so many free bytes mean for a database of this size."""
    told = f"{_megabytes(free)} are free on the disk of {file}, which has {_megabytes(size)}."
    if free < DISK_FREE_BYTES_MIN:
        return problem("disk", told, "Free some space: soon nothing can be written any more.")
    if free < 2 * size:
        return warning("disk", told, "Free some space: forgetting rewrites the file, and needs its size twice.")
    return fine("disk", told)


def _permissions(visit: Visit) -> Iterator[Finding]:
    return inspect_rights(visit.examined, visit.settings)


def _chain(look: Look) -> Iterator[Finding]:
    with look.seat.reading() as tx:
        events, _ = tx.ledger.head()
        walked = look.full or events <= CHAIN_EVENTS_QUICK
        broken = None if walked else _broken_end(tx, events)
    if walked:
        checked = verify(look.seat)
        broken = None if checked.broken is None else f"event {checked.broken.seq}: {checked.broken.problem}"
        whole = f"The history is whole: {counted(checked.events, 'event')}, {counted(checked.records, 'record')}."
    else:
        whole = f"The end of the history holds; a full examination checks all {events:,} events, and every record."
    if broken:
        yield problem("history", f"The history is broken at {broken}.", RESTORE)
    else:
        yield fine("history", whole)


def _broken_end(tx: Transaction, last: int) -> str | None:
    """What is wrong with the last events, if anything is."""
    begin = max(0, last - CHAIN_EVENTS_QUICK)
    before = tx.ledger.get(begin) if begin else None
    previous = before.hash if before else None
    for event in tx.ledger.after(begin, CHAIN_EVENTS_QUICK):
        if event.hash != reseal(tx.project_id, event) or previous not in (None, event.previous):
            return f"event {event.seq}: what it says does not match its hash"
        previous = event.hash
    return None if previous in (None, tx.ledger.head()[1]) else f"event {last}: it is not the last one"


def _memories(count: int) -> str:
    return "1 memory is" if count == 1 else f"{count:,} memories are"


def _index(look: Look) -> Iterator[Finding]:
    with look.seat.reading() as tx:
        units, _ = tx.vectors.counts(None)
        lost, damaged = tx.units.lost(), tx.units.damaged()
    if lost:
        found = "it" if lost == 1 else "them"
        yield problem("index", f"{_memories(lost)} not in the index; no search finds {found}.", REINDEX)
    if damaged:
        told = f"{_some(damaged, units, 'is', 'are')} damaged, or of an older format."
        yield warning("index", told, f"{REINDEX} The next search does it too.")
    if not lost and not damaged:
        yield fine("index", f"Every memory is in the index: {counted(units, 'unit')}, none of them damaged.")


def _vectors(look: Look) -> Iterator[Finding]:
    seat = look.seat
    embedder = seat.shelf.embedder
    with seat.reading() as tx:
        serving = tx.units.serving()
        units, _ = tx.vectors.counts(None)
        lacking = len(tx.vectors.missing(serving[0], VECTORS_COUNTED_MAX)) if serving else units
        blank = tx.vectors.blank(serving[0], serving[1].dimensions) if serving else 0
    if embedder is None:
        yield fine("vectors", "Searches use words only: embedding.provider is none.")
        return
    if serving is not None and serving[1] != embedder.identity:
        told = f"Searches use vectors of {serving[1]}, and the settings ask for {embedder.identity}."
        yield warning("vectors", told, f"{REEMBED} Until then nothing is lost.")
    if serving is not None and blank:
        serves = seat.shelf.embedder_of(serving[1])
        if serves is not None and serves.is_local:
            told = f"{_some(blank, units)} a vector of zeros: the model knows none of their words."
            yield fine("vectors", f"{told} Words alone find them.")
        else:
            told = f"{_some(blank, units)} a vector of zeros: the provider refused them."
            yield warning("vectors", told, "Words find them. `hansard memory reembed --again` asks the provider again.")
    if lacking:
        least = "At least " if lacking == VECTORS_COUNTED_MAX else ""
        told = f"{least}{_some(lacking, units)} no vector, or a damaged one; only words find them."
        yield warning("vectors", told, REEMBED)
    else:
        yield fine("vectors", f"Every unit has a vector: {counted(units, 'unit')}.")


def _some(number: int, units: int, one: str = "has", several: str = "have") -> str:
    return f"{number:,} of {counted(units, 'unit')} {one if units == 1 else several}"


def _erasures(look: Look) -> Iterator[Finding]:
    with look.seat.reading() as tx:
        marked = tx.ledger.is_erasing()
    if marked:
        told = (
            "Something was forgotten, and its bytes are still in the database: somebody reads an older state of it, or"
            " nobody with the right to clean has written since."
        )
        advice = (
            "End long-running programs that use this database; the next write cleans it, on a server if its user may"
            " clean: the owner, or whom grants.sql gave MAINTAIN."
        )
        yield warning("erasures", told, advice)
    else:
        yield fine("erasures", "Nothing that was forgotten waits to be cleaned out.")


def _clock(look: Look) -> Iterator[Finding]:
    with look.seat.reading() as tx:
        behind = tx.ledger.clock_behind
    if behind > CLOCK_BEHIND_US_MAX:
        advice = (
            "Set this clock right if it is slow. If another machine wrote with a clock that was ahead, mend that one"
            " and go on: nothing is lost. What expires does so by this clock."
        )
        yield warning("clock", clock_told(look.seat.project, behind), advice)
    else:
        yield fine("clock", "No change of the project lies ahead of this clock.")


def _decisions(look: Look) -> Iterator[Finding]:
    with look.seat.reading() as tx:
        boundaries = tx.decisions.boundaries()
    sizes = [(budget.tokens(rendering.boundary(one)), one) for one in boundaries]
    total = sum(size for size, _ in sizes)
    if not sizes:
        yield fine("decisions", "No boundary heads every block yet.")
        return
    heads = "1 boundary that heads" if len(sizes) == 1 else f"{len(sizes):,} boundaries that head"
    told = f"The {heads} every block {'has' if len(sizes) == 1 else 'have'} {counted(total, 'token')}."
    tokens_max = look.seat.settings.context_decisions_tokens_max
    if total <= tokens_max:
        yield fine("decisions", told)
        return
    largest = sorted(sizes, key=lambda one: -one[0])[:3]
    named = ", ".join(f"{one.ref} ({size:,})" for size, one in largest)
    told += f" The budget `context.decisions_tokens_max` is {tokens_max:,}, so blocks show older ones shortened."
    advice = f"Shorten or archive some. The largest: {named}."
    yield warning("decisions", told, advice)


def _roots(look: Look) -> Iterator[Finding]:
    seat = look.seat
    machine = roots.machine_id(settings_module.data_folder())
    known = [Path(one.path) for one in found.roots_of(seat.store, seat.project) if one.machine == machine]
    gone = [folder for folder in known if mirror.is_vanished(folder)]
    for folder in gone:
        yield warning("folders", *mirror.vanished(folder, seat.project.key))
    linked = [folder for folder in known if folder not in gone and _is_linked(folder)]
    for folder in linked:
        told = f"{folder} was a folder and leads to {os.path.realpath(folder)} through a link now. Nothing is written."
        advice = f"Put the folder back, or run `hansard init --project {seat.project.key} --join` where it is now."
        yield warning("folders", told, advice)
    if not gone and not linked:
        yield fine("folders", f"Folders of the project on this machine: {len(known)}, and none is gone.")


def _is_linked(folder: Path) -> bool:
    """Whether a link is on the way to the folder; there was none when it was registered."""
    return os.path.realpath(folder) != str(folder)


def _mirror(look: Look) -> Iterator[Finding]:
    faults = [one for state in keep_up.states(look.seat) for one in _mirrored(look.seat, state)]
    yield from faults
    if not faults:
        yield fine("mirror", "The files of the mirror say what the record says, as far as they were ever exported.")


def _mirrored(seat: Seat, state: keep_up.MirrorState) -> Iterator[Finding]:
    if mirror.is_vanished(Path(state.root)) or _is_linked(Path(state.root)):
        return  # The check of the folders says so.
    if state.error is not None:
        told = f"The last export to {state.root} failed, {iso(state.failed_at or 0)[:16]}: {state.error.rstrip('.')}."
        yield problem("mirror", told, "Mend that, and run `hansard export`; the next change tries it again too.")
    if state.abandoned:
        told = f"An exporter of {state.root} was ended before it was done."
        yield warning("mirror", told, f"{EXPORT} The next change does it too.")
    elif state.at_work:
        yield fine("mirror", f"An exporter is bringing {state.root} in step just now.")
    try:
        yield from inspect_mirror(seat, state.root)
        # An exporter that is at work leaves files behind the record for a moment, and that is no fault.
        yield from () if state.at_work else compare_mirror(seat, state)
    except Invalid as error:
        yield warning("mirror", error.message, "Make the folder readable.")


def _ledger(look: Look) -> Iterator[Finding]:
    """Other clones get lines. A record whose line they cannot read never reaches them."""
    with look.seat.reading() as tx:
        events, _ = tx.ledger.head()
        if events > CHAIN_EVENTS_QUICK and not look.full:
            yield fine("ledger", "A full examination checks whether other clones can read every record that travels.")
            return
        records = reunite.local_of(look.seat, tx).records()
    unread = [(path, fault) for kind, path in LEDGER.items() for fault in _unreadable(kind, records.of(kind).values())]
    for path, (id, fault) in unread[:RECORDS_NAMED_MAX]:
        told = f"The line of {id} in {path} cannot be read by other clones: {fault.problem}."
        yield problem("ledger", told, "Correct the record, or archive it and decide anew.")
    if len(unread) > RECORDS_NAMED_MAX:
        more = len(unread) - RECORDS_NAMED_MAX
        yield problem("ledger", f"Other clones cannot read {counted(more, 'more record')}.", "Correct them as well.")
    if not unread:
        yield fine("ledger", "Other clones can read every record that travels.")


def _unreadable(kind: Subject, said: Iterable[lines.Line]) -> Iterator[tuple[str, Warned]]:
    ordered = sorted(said, key=lambda one: str(one["id"]))
    for fault in lines.read(kind, lines.file_of(ordered).encode()).faults:
        yield str(ordered[fault.line - 1]["id"]), fault


def _quarantine(look: Look) -> Iterator[Finding]:
    with look.seat.reading() as tx:
        held = waiting(tx, Window(PAGE_ITEMS_MAX))
    if held:
        more = " or more" if held.next_cursor else ""
        told = f"Waiting for review in quarantine: {len(held):,}{more}; no agent sees them."
        yield warning("guard", told, "A person looks at them with `hansard guard list`.")
    else:
        yield fine("guard", "Nothing waits for review in quarantine.")


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:,.1f} MB"


STORE_CHECKS: dict[str, StoreCheck] = {
    "integrity": _integrity,
    "schema": _schema,
    "disk": _disk,
    "permissions": _permissions,
}
"""What is looked at once for the whole store."""

PROJECT_CHECKS: dict[str, ProjectCheck] = {
    "history": _chain,
    "index": _index,
    "vectors": _vectors,
    "erasures": _erasures,
    "clock": _clock,
    "decisions": _decisions,
    "folders": _roots,
    "mirror": _mirror,
    "ledger": _ledger,
    "guard": _quarantine,
}
"""What is looked at in every project."""
