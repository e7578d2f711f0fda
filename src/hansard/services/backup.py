"""Proves what a backup holds, and puts files in their place whole or not at all."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hansard.domain.errors import (
    BackupBroken,
    BackupExists,
    ProjectExists,
    StoreCorrupt,
    StoreNotEmpty,
    StoreUnwritable,
    UnknownStore,
)
from hansard.domain.places import SIDE_FILES
from hansard.domain.projects import Project
from hansard.services import found, grant, transfer
from hansard.services.audit import verify

if TYPE_CHECKING:
    from hansard.services.seat import Seat
    from hansard.store.ports import Counted, Store

Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and how much there is."""

SEE_DOCTOR = "Run `hansard doctor`."
USE_ANOTHER = "Use another one."
PARTIAL = ".partial"
PARTIAL_SECONDS_MAX = 86_400
"""How long ago somebody last wrote to an unfinished file that nobody will finish any more."""


class Kept(NamedTuple):
    """A project that a backup holds: its rows, and the events of its history, which was verified."""

    project: Project
    rows: int
    events: int


class BackedUp(NamedTuple):
    """A backup, or what was restored from one. Rows, histories and the file itself were verified."""

    place: str
    size_bytes: int | None
    projects: tuple[Kept, ...]
    settings: Mapping[str, str] = {}
    """What was set where the backup was made. Nothing sets it anywhere else by itself."""

    @property
    def rows(self) -> int:
        return sum(one.rows for one in self.projects)

    @property
    def events(self) -> int:
        return sum(one.events for one in self.projects)


@contextmanager
def in_place(path: Path, *, replace: bool = False) -> Iterator[Path]:
    """A new file beside the path, which takes its place on leaving normally and is gone on leaving otherwise.

    Raises BackupExists if there is something at the path, unless it may be replaced, and StoreUnwritable.
    """
    try:
        _refuse_taken(path, replace=replace)
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}{PARTIAL}")
        # Everybody's private memories are in it.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise StoreUnwritable(f"{path} cannot be written: {error.strerror}.") from error
    try:
        yield temporary
        _refuse_in_use(path)
        _put(temporary, path, replace=replace)
    finally:
        for side in ("", *SIDE_FILES):
            Path(f"{temporary}{side}").unlink(missing_ok=True)


@contextmanager
def scratch(prefix: str) -> Iterator[Path]:
    """A folder for files that nobody keeps, which is gone on leaving. Raises StoreUnwritable where none can be made."""
    from tempfile import TemporaryDirectory

    try:
        made = TemporaryDirectory(prefix=prefix)
    except OSError as error:
        way = "Make /tmp writable, or name another folder in TMPDIR."
        refused = StoreUnwritable(f"No temporary folder can be made: {error.strerror}. {way}")
        refused.abroad = f"The server can make no temporary folder, and needs one for this. {way}"
        raise refused from error
    with made as folder:
        yield Path(folder)


def is_missing(path: Path) -> bool:
    """Whether there is nothing at the path. Raises StoreUnwritable if that cannot be known."""
    try:
        return not (path.exists() or path.is_symlink())
    except OSError as error:
        raise StoreUnwritable(f"{path} cannot be used: {error.strerror}.") from error


def refuse_unreadable(path: Path) -> None:
    """Raises UnknownStore, StoreUnwritable or StoreCorrupt for what cannot be a backup, before anything is made."""
    try:
        mode = path.stat().st_mode
        _refuse_folder(path, mode)
        if not stat.S_ISREG(mode):
            raise StoreUnwritable(f"{path} is a pipe, a device or the like; name a plain file.")
        # It may have become a pipe since, and nobody may ever write to it.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            empty = not os.read(handle, 1)
        finally:
            os.close(handle)
    except FileNotFoundError:
        raise UnknownStore(f"There is no backup at {path}.") from None
    except OSError as error:
        raise StoreUnwritable(f"{path} cannot be read: {error.strerror}.") from error
    if empty:
        raise StoreCorrupt(f"{path} is empty; it is no backup of Hansard.")
    if _is_in_use(path):
        raise StoreCorrupt(
            f"{path} is a database in use, or was not closed: there is a file beside it that belongs to it."
            f" Make a backup of it first: `hansard --db {path} backup FILE`."
        )


def copy_projects(source: Store, target: Store, progress: Progress | None) -> dict[str, int]:
    """Copies every project as it stands now, each in one transaction, and says how many rows each table got.

    Every copy is compared. Raises CopyDiffers if one is not the same, and ProjectExists if the target has another.
    """
    copied: dict[tuple[str, str], int] = {}

    def counted(key: str, table: str, done: int, total: int) -> None:
        copied[key, table] = total
        if progress is not None:
            progress(f"{key}: {table}", done, total)

    for project in found.list_projects(source):
        if transfer.copy_project(source, target, project, progress=counted).was_there:
            transfer.compare_project(source, target, project, was_there=True)
    grant.carry(source, target)
    rows: dict[str, int] = {}
    for (_, table), count in copied.items():
        rows[table] = rows.get(table, 0) + count
    return rows


def prove(
    seats: Iterable[Seat], rows: Mapping[str, int], progress: Progress | None, *, advice: str
) -> tuple[Kept, ...]:
    """Every project of a copy, once its rows were counted and its history verified. Raises BackupBroken."""
    kept: list[Kept] = []
    total: dict[str, int] = {}
    chosen = list(seats)
    for number, seat in enumerate(chosen, 1):
        checked = verify(seat)
        if checked.broken:
            where = f"event {checked.broken.seq}: {checked.broken.problem}"
            raise BackupBroken(f"The history of {seat.project.key} breaks at {where}. {advice}")
        counts = _counts(seat)
        for name, count in counts.items():
            total[name] = total.get(name, 0) + count
        kept.append(Kept(seat.project, sum(counts.values()), checked.events))
        if progress is not None:
            progress("verifying", number, len(chosen))
    for name, count in rows.items():
        if total.get(name, 0) != count:
            raise BackupBroken(f"The copy has {total.get(name, 0):,} rows of {name}, and the original {count:,}.")
    return tuple(kept)


def refuse_faulty(store: Store, *, what: str, advice: str) -> None:
    """Raises BackupBroken if the engine finds a fault in the file."""
    faults = store.examine(full=True).problems
    if faults:
        raise BackupBroken(f"{what} is damaged: {faults[0]}. {advice}")


def move_in(source: Store, target: Store, place: str, progress: Progress | None) -> None:
    """Copies every project into a store that is empty, or in which an earlier restore of the same was interrupted.

    Raises StoreNotEmpty if it holds anything else, and CopyDiffers if a copy is not the same.
    """
    ours, theirs = found.list_projects(source), found.list_projects(target)
    begun = {one.id for one in theirs} < {one.id for one in ours}
    if theirs and not begun:
        raise StoreNotEmpty(f"{place} holds the project {theirs[0].key!r}; restore into an empty place.")
    try:
        copy_projects(source, target, progress)
    except ProjectExists as other:
        raise StoreNotEmpty(f"{place} is not empty: {other.message}") from other


def counting(progress: Progress | None, label: str) -> Counted | None:
    return None if progress is None else lambda done, total: progress(label, done, total)


def _counts(seat: Seat) -> dict[str, int]:
    with seat.reading() as tx:
        tables = seat.store.tables(tx)
        return {name: tables.count(name) for name in tables.names()}


def _refuse_folder(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise StoreUnwritable(f"{path} is a folder; name a file in it.")


def _refuse_special(path: Path) -> None:
    """Only a plain file is ever replaced: a device, a pipe or a link is there for somebody else."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    _refuse_folder(path, mode)
    if stat.S_ISLNK(mode):
        raise StoreUnwritable(f"{path} is a link; name the file itself.")
    if not stat.S_ISREG(mode):
        raise StoreUnwritable(f"{path} is a pipe, a device or the like; name a plain file.")


def _refuse_taken(path: Path, *, replace: bool) -> None:
    _refuse_special(path)
    _refuse_side_file(path)
    _refuse_in_use(path)
    if not replace and not is_missing(path):
        raise BackupExists(
            f"{path} is there already. Choose another name, or ask for it to be replaced: `hansard backup --force`, or"
            " replace of the call."
        )


def _refuse_side_file(path: Path) -> None:
    """What belongs to a database is never replaced: with it the database would lose its last changes, or all."""
    for side in SIDE_FILES:
        owner = Path(str(path).removesuffix(side))
        if owner != path and not is_missing(owner):
            raise BackupExists(f"{path} would be a part of the database {owner}; choose another name.")


def _refuse_in_use(path: Path) -> None:
    if _is_in_use(path):
        raise BackupExists(f"{path} is a database in use, or was not closed; it is left as it is.")


def _is_in_use(path: Path) -> bool:
    """Whether SQLite would take something that lies beside the path for a part of it."""
    return any(Path(f"{path}{side}").exists() for side in SIDE_FILES)


def _put(temporary: Path, path: Path, *, replace: bool) -> None:
    try:
        if replace:
            _refuse_special(path)
            temporary.replace(path)
        else:
            _link(temporary, path)
        _flush(path.parent)
    except FileExistsError:
        raise BackupExists(f"{path} was made by somebody else meanwhile; it is left as it is.") from None
    except OSError as error:
        raise StoreUnwritable(f"{path} cannot be written: {error.strerror}.") from error


def _link(temporary: Path, path: Path) -> None:
    try:
        # A rename would replace what another process put there meanwhile; a link cannot.
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # Not every disk has links.
        if not is_missing(path):
            raise FileExistsError from None
        temporary.rename(path)


def _flush(folder: Path) -> None:
    """Has the new name itself survive a loss of power, where folders can be flushed."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _sweep(path: Path) -> None:
    """Removes what a process left of the same backup that was killed long ago."""
    for left in path.parent.glob(f".{_literal(path.name)}.*{PARTIAL}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > PARTIAL_SECONDS_MAX:
                left.unlink()


def _literal(name: str) -> str:
    return "".join(f"[{one}]" if one in "*?[" else one for one in name)
