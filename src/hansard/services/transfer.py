"""Copies projects from one store to another, whole, and proves that the copy is one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hansard.domain.errors import CopyDiffers, HansardError, ProjectExists, UnreadableRow
from hansard.domain.paging import Window
from hansard.domain.projects import Project, Root
from hansard.services.audit import verify
from hansard.services.recall import glance
from hansard.services.seat import Seat
from hansard.store.filters import MemoryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Store, Tables, Transaction

Progress: TypeAlias = Callable[[str, str, int, int], None]
"""Is told the project, the table, how many of its rows are copied, and how many there are."""
Report: TypeAlias = Callable[[str, str, int, int], None]
"""Is told the project, what is being done, how much of all that is to be done with it is done, and how much it is."""
Compared: TypeAlias = Callable[[str, int], None]
"""Is told a table that was compared, and how many rows it has."""

ROWS_BETWEEN_REPORTS = 2_000
QUESTIONS = 20
QUESTION_CHARACTERS = 200
ANSWERS = 10
_NUMBERED = {"memories": ("seq",), "units": ("memory_seq",), "vectors": ("memory_seq",), "heads": ("unindexed_from",)}
"""Columns that hold the number of a memory. A file numbers the memories of all its projects in one row."""
_OWN = {"heads": frozenset({"memories", "erasing"}), "jobs": frozenset({"holder", "lease_until"})}
"""Columns that one engine, or one store, has for itself: what was never in a store need not be cleaned out of it, and
whoever is at work on one store is not at work on the other."""
_USED = {
    "memories": frozenset({"access_count", "accessed_at", "alpha", "beta"}),
    "heads": frozenset({"stamp", "model_id", "unindexed_from"}),
    "units": frozenset({"stamp"}),
}
"""Columns that change as a store is used, without an event."""
_LOGS = frozenset({"retrievals", "ratings", "jobs", "receipts"})
_INDEX = ("models", "units", "vectors")
_ROOTS = "project_roots"


class Copied(NamedTuple):
    """A project that is in both stores now: how many rows, and whether it was there already.

    Folders that belong to another project of the target are left out.
    """

    project: Project
    rows: int
    was_there: bool
    left_out: tuple[Root, ...] = ()


class Proven(NamedTuple):
    """A copy that was compared: rows, events of the chain and answers to questions are the same in both stores.

    A source that was changed meanwhile goes on without its copy, so no questions are put to both.
    """

    project: Project
    rows: int
    was_there: bool
    left_out: tuple[Root, ...]
    events: int
    questions: int


class Failed(NamedTuple):
    """A project that could not be copied or whose copy is not the same, and why. Rows that differ are not kept."""

    project: Project
    error: HansardError


def move(ours: Seat, theirs: Seat, *, progress: Report | None = None) -> Proven | Failed:
    """Copies the project and proves the copy. Whatever goes wrong is told of this project alone."""
    source, target, project = ours.store, theirs.store, ours.project
    try:
        work = _Work(ours, progress)
        work.begin("verifying the source")
        events = _verified(ours, "source")
        work.end()
        copied = copy_project(source, target, project, progress=work.copied, compared=work.compared)
        if copied.was_there:
            compare_project(source, target, project, was_there=True, compared=work.compared)
        work.end(3)
        work.begin("verifying the copy")
        _verified(theirs, "copy")
        work.end(4)
        work.begin("comparing searches")
        asked = compare_searches(ours, theirs) if _stand_alike(ours, theirs) else 0
        work.end(5)
        work.begin("proven")
        return Proven(*copied, events, asked)
    except HansardError as error:
        return Failed(project, error)


class _Work:
    """How far a project has come. It is gone through five times: verified, copied, compared, verified and searched."""

    ROUNDS = 5

    def __init__(self, seat: Seat, progress: Report | None) -> None:
        self._key, self._progress = seat.project.key, progress
        self._rows = self._done = 0
        self._copied: dict[str, int] = {}
        if progress is not None:
            with seat.reading() as tx:
                tables = seat.store.tables(tx)
                self._rows = sum(tables.count(name) for name in tables.names())

    def begin(self, label: str) -> None:
        self._tell(label, self._done)

    def end(self, rounds: int = 1) -> None:
        """So many rounds are over, whatever was told of them."""
        self._done = rounds * self._rows

    def copied(self, _key: str, table: str, done: int, _total: int) -> None:
        self._copied[table] = done
        self._tell(f"copying {table}", self._done + sum(self._copied.values()))

    def compared(self, table: str, rows: int) -> None:
        # A project that was there already is compared without having been copied.
        self._done = max(self._done, 2 * self._rows) + rows
        self._tell(f"comparing {table}", self._done)

    def _tell(self, label: str, done: int) -> None:
        if self._progress is not None:
            total = self.ROUNDS * self._rows
            self._progress(self._key, label, min(done, total), total)


def copy_project(
    source: Store,
    target: Store,
    project: Project,
    *,
    progress: Progress | None = None,
    compared: Compared | None = None,
) -> Copied:
    """Copies the project in one transaction, or finds that it was copied before.

    Raises ProjectExists if the target has another project of this key, or one that is not at the same event, and
    CopyDiffers if what arrived is not what was sent; then nothing stays.
    """
    # Founders wait for the whole copy: that a folder belongs to one project only is kept by their lock alone.
    with source.read(project.id) as here, target.write(project.id, founding=True) as there:
        ours, theirs = source.tables(here), target.tables(there)
        left_out = _elsewhere(here, there)
        if _is_there(here, there, project):
            return Copied(project, sum(ours.count(name) for name in ours.names()), was_there=True, left_out=left_out)
        theirs.defer_checks()
        offset = theirs.last_number()
        rows = 0
        for name in ours.names():
            skipped = left_out if name == _ROOTS else ()
            rows += _copy_table(ours, theirs, name, offset, skipped, project.key, progress)
        _compare(here, there, ours, theirs, key=project.key, was_there=False, compared=compared)
    return Copied(project, rows, was_there=False, left_out=left_out)


def compare_project(
    source: Store, target: Store, project: Project, *, was_there: bool = False, compared: Compared | None = None
) -> None:
    """Raises CopyDiffers, with what differs, unless every row of the project is the same in both stores.

    Of a copy that was there already, what changes as a store is used is not compared: the logs and the counts.
    """
    with source.read(project.id) as here, target.read(project.id) as there:
        ours, theirs = source.tables(here), target.tables(there)
        _compare(here, there, ours, theirs, key=project.key, was_there=was_there, compared=compared)


def compare_searches(ours: Seat, theirs: Seat) -> int:
    """Puts the same questions to both stores and returns how many. Raises CopyDiffers at the first other answer."""
    with ours.reading() as tx:
        newest = tx.memories.page(MemoryFilter(live_at=tx.now), Window(QUESTIONS)).items
    for memory in newest:
        question = memory.content[:QUESTION_CHARACTERS]
        if glance(ours, question, limit=ANSWERS) != glance(theirs, question, limit=ANSWERS):
            raise CopyDiffers(f"{ours.project.key}: a search for {question[:40]!r} finds something else in the copy.")
    return len(newest)


def _stand_alike(ours: Seat, theirs: Seat) -> bool:
    """Whether both are at the same event still."""
    with ours.reading() as here, theirs.reading() as there:
        return here.ledger.head() == there.ledger.head()


def _verified(seat: Seat, name: str) -> int:
    checked = verify(seat)
    if checked.broken:
        seq, problem = checked.broken
        place = f"the history of the {name} breaks at event {seq}" if seq else f"the {name} is not sound"
        raise CopyDiffers(f"{seat.project.key}: {place}: {problem}.")
    return checked.events


def _elsewhere(here: Transaction, there: Transaction) -> tuple[Root, ...]:
    """The project's folders that belong to another project of the target."""
    owners = ((root, there.projects.by_root(root)) for root in here.projects.roots(here.project_id))
    return tuple(root for root, owner in owners if owner is not None and owner.id != here.project_id)


def _compare(
    here: Transaction,
    there: Transaction,
    ours: Tables,
    theirs: Tables,
    *,
    key: str,
    was_there: bool,
    compared: Compared | None,
) -> None:
    expected = set(here.projects.roots(here.project_id)) - set(_elsewhere(here, there))
    if set(there.projects.roots(here.project_id)) != expected:
        raise CopyDiffers(f"{key}: the rows of {_ROOTS} differ between the stores.")
    for name in _to_compare(ours, theirs, was_there=was_there):
        skipped = _OWN.get(name, frozenset()) | (_USED.get(name, frozenset()) if was_there else frozenset())
        counts = ours.count(name), theirs.count(name)
        if counts[0] != counts[1]:
            raise CopyDiffers(f"{key}: {name} has {counts[0]:,} rows here and {counts[1]:,} there.")
        if _digest(ours, name, skipped) != _digest(theirs, name, skipped):
            raise CopyDiffers(f"{key}: the rows of {name} differ between the stores.")
        if compared is not None:
            compared(name, counts[0])


def _to_compare(ours: Tables, theirs: Tables, *, was_there: bool) -> Iterator[str]:
    """The tables that must be the same. Once a copy is in use, each store logs and indexes for itself."""
    alike = not was_there or _is_indexed_alike(ours, theirs)
    for name in ours.names():
        if name != _ROOTS and not (was_there and name in _LOGS) and (alike or name not in _INDEX):
            yield name


def _is_indexed_alike(ours: Tables, theirs: Tables) -> bool:
    """Whether both have units of everything, and vectors of the same models."""
    waiting = [list(tables.rows("heads", ["unindexed_from"])) for tables in (ours, theirs)]
    nothing = frozenset[str]()
    return waiting == [[(None,)]] * 2 and _digest(ours, "models", nothing) == _digest(theirs, "models", nothing)


def _is_there(here: Transaction, there: Transaction, project: Project) -> bool:
    known = there.projects.by_key(project.key)
    if known is None:
        return False
    if known.id != project.id:
        raise ProjectExists(f"The target has another project {project.key!r}; it is left as it is.")
    ours, theirs = here.ledger.head(), there.ledger.head()
    if ours != theirs:
        raise ProjectExists(
            f"{project.key!r} was copied before and has changed since: it is at event {ours[0]:,} here and at"
            f" {theirs[0]:,} there. To have the later changes too, copy into a new database, and give up the old copy."
        )
    return True


def _copy_table(
    ours: Tables, theirs: Tables, name: str, offset: int, skipped: Sequence[Root], key: str, progress: Progress | None
) -> int:
    columns = _shared_columns(ours, theirs, name)
    total, done = ours.count(name) - len(skipped), 0

    def counted() -> Iterator[tuple[Any, ...]]:
        nonlocal done
        for row in _shifted(_without(ours.rows(name, columns), columns, skipped), name, columns, offset):
            yield row
            done += 1
            if progress is not None and done % ROWS_BETWEEN_REPORTS == 0:
                progress(key, name, done, total)

    try:
        if name == "heads" and "memories" in theirs.columns(name):
            numbers = max((row[0] for row in ours.rows("memories", ["seq"])), default=0) + offset
            theirs.insert(name, [*columns, "memories"], ((*row, numbers) for row in counted()))
        else:
            theirs.insert(name, columns, counted())
    except UnreadableRow as error:
        raise CopyDiffers(
            f"{key}: the target does not take a row of {name}; the source is damaged. Verify and restore it first."
        ) from error
    if progress is not None:
        progress(key, name, total, total)
    return total


def _shared_columns(ours: Tables, theirs: Tables, name: str) -> list[str]:
    own = _OWN.get(name, frozenset())
    here, there = (set(tables.columns(name)) - own for tables in (ours, theirs))
    assert here == there, f"{name} has the same columns on every engine"
    return sorted(here)


def _without(
    rows: Iterator[tuple[Any, ...]], columns: Sequence[str], skipped: Sequence[Root]
) -> Iterator[tuple[Any, ...]]:
    """The rows of folders but these; all rows of other tables."""
    if not skipped:
        return rows
    machine, path = columns.index("machine"), columns.index("path")
    return (row for row in rows if Root(row[machine], row[path]) not in skipped)


def _shifted(
    rows: Iterable[tuple[Any, ...]], name: str, columns: Sequence[str], offset: int
) -> Iterator[tuple[Any, ...]]:
    places = [columns.index(column) for column in _NUMBERED.get(name, ()) if column in columns]
    if not offset or not places:
        yield from rows
        return
    for row in rows:
        moved = list(row)
        for place in places:
            moved[place] = None if row[place] is None else row[place] + offset
        yield tuple(moved)


def _digest(tables: Tables, name: str, skipped: frozenset[str]) -> bytes:
    """The same for the same rows, whatever numbers the memories have and in which order rows come."""
    columns = sorted(set(tables.columns(name)) - skipped)
    first = next((row[0] for row in tables.rows("memories", ["seq"])), 0)
    total = 0
    for row in _shifted(tables.rows(name, columns), name, columns, -first):
        said = hashlib.sha256(repr(tuple(_plain(value) for value in row)).encode()).digest()
        total = (total + int.from_bytes(said)) % (1 << 256)
    return total.to_bytes(32)


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview | bytearray) else value
