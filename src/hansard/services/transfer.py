"""Copies projects from one store to another, whole, and proves that the copy is one."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hansard.domain.errors import CopyDiffers, HansardError, ProjectExists, UnreadableRow, quoted
from hansard.domain.paging import Window
from hansard.domain.projects import Project, Root
from hansard.services.audit import verify
from hansard.services.recall import glance
from hansard.services.refresh import (
    LOGS,
    OWN,
    USED,
    bring_changes,
    bring_models,
    bring_requests,
    bring_use,
    can_be_brought,
    plain,
)
from hansard.services.seat import Seat, lived_until
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
ROWS_AT_ONCE = 500
QUESTIONS = 20
QUESTION_CHARACTERS = 200
ANSWERS = 10
RELEVANCE_SLACK = 1e-6
"""A few steps of a float32. An index that followed changes adds up in another order than one that was just loaded."""
_NUMBERED = {"memories": ("seq",), "units": ("memory_seq",), "vectors": ("memory_seq",), "heads": ("unindexed_from",)}
"""Columns that hold the number of a memory. A file numbers the memories of all its projects in one row."""
_GROWING = LOGS | {"actors"}
"""Tables that grow as a store is used, without an event."""
_INDEX = ("models", "units", "vectors")
_ROOTS = "project_roots"
_VERIFIED_WAY = {"source": "Restore the source from a backup first.", "copy": "Copy into a new database."}


class Copied(NamedTuple):
    """A project that is in both stores now: how many rows, and whether it was there already.

    Folders that belong to another project of the target are left out. What was there may have been brought on by the
    events that the source has had since, or have got the index of a model that is new in the source.
    """

    project: Project
    rows: int
    was_there: bool
    left_out: tuple[Root, ...] = ()
    brought_on: int = 0
    index_brought: bool = False


class Proven(NamedTuple):
    """A copy that was compared: rows, events of the chain and answers to questions are the same in both stores.

    A source that was changed meanwhile goes on without its copy, so no questions are put to both. Nor are they if the
    two are not indexed alike: each may find something else then.
    """

    project: Project
    rows: int
    was_there: bool
    left_out: tuple[Root, ...]
    brought_on: int
    index_brought: bool
    events: int
    questions: int
    went_on: bool
    """Whether the source was changed while it was copied."""
    indexed_alike: bool


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
        copied = copy_project(source, target, project, progress=work.copied, compared=work.compared, brings_on=True)
        if copied.brought_on:
            target.erase_traces(project.id)
        elif copied.was_there:
            compare_project(source, target, project, was_there=True, compared=work.compared)
        work.end(3)
        work.begin("verifying the copy")
        _verified(theirs, "copy")
        work.end(4)
        work.begin("comparing searches")
        went_on = not _stand_alike(ours, theirs)
        alike = not copied.was_there or _find_alike(ours, theirs)
        asked = 0 if went_on or not alike else compare_searches(ours, theirs)
        work.end(5)
        work.begin("proven")
        return Proven(*copied, events, asked, went_on, alike)
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
    brings_on: bool = False,
) -> Copied:
    """Copies the project in one transaction, or finds that it was copied before; then it brings over what the source
    was used for since and, with `brings_on`, its later changes, if the copy has had none of its own. With `brings_on`
    the requests that were done come along too.

    Raises ProjectExists if the target has another project of this key, or one that is not at the same event, and
    CopyDiffers if what arrived is not what was sent; then nothing stays.
    """
    # Founders wait for the whole copy: that a folder belongs to one project only is kept by their lock alone.
    with source.read(project.id) as here, target.write(project.id, founding=True) as there:
        ours, theirs = source.tables(here), target.tables(there)
        left_out = _elsewhere(here, there)
        if _is_there(there, project):
            if brings_on:
                _refuse_ahead(here, there, project.key, has_way_back=can_be_brought(theirs, ours))
            events = _later(here, there, project, brings_on=brings_on and can_be_brought(ours, theirs))
            index_brought = False
            with _explained(project.key):
                if events:
                    bring_changes(ours, theirs, left_out=left_out, after=there.ledger.head()[0])
                    there.ledger.mark_erasure()
                else:
                    bring_use(ours, theirs)
                    index_brought = brings_on and bring_models(ours, theirs)
                if brings_on:
                    bring_requests(ours, theirs)
            if events or index_brought:
                _compare(here, there, ours, theirs, key=project.key, was_there=True, compared=compared)
            rows = sum(map(ours.count, ours.names()))
            return Copied(
                project, rows, was_there=True, left_out=left_out, brought_on=events, index_brought=index_brought
            )
        theirs.defer_checks()
        offset = theirs.last_number()
        rows = 0
        for name in ours.names():
            skipped = left_out if name == _ROOTS else ()
            rows += _copy_table(ours, theirs, name, offset, skipped, project.key, progress)
        if brings_on:
            bring_requests(ours, theirs)
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
        newest = tx.memories.page(MemoryFilter(live_at=lived_until(tx)), Window(QUESTIONS)).items
    for memory in newest:
        question = memory.content[:QUESTION_CHARACTERS]
        if not found_alike(glance(ours, question, limit=ANSWERS), glance(theirs, question, limit=ANSWERS)):
            said = quoted(question, 40)
            raise CopyDiffers(f"{ours.project.key}: a search for {said} finds something else in the copy.")
    return len(newest)


def found_alike(ours: Sequence[tuple[str, float]], theirs: Sequence[tuple[str, float]]) -> bool:
    """Whether two searches found the same in the same order; memories that answer equally well may change places."""

    def close(one: float, other: float | None) -> bool:
        return other is not None and abs(one - other) <= RELEVANCE_SLACK

    if len(ours) != len(theirs):
        return False
    there = dict(theirs)
    # Of equal ones at the end of a full list, either may be the one that is cut off.
    last = theirs[-1][1] if len(theirs) == ANSWERS else None
    return all(close(one, other) for (_, one), (_, other) in zip(ours, theirs, strict=True)) and all(
        close(relevance, there.get(id, last)) for id, relevance in ours
    )


def _stand_alike(ours: Seat, theirs: Seat) -> bool:
    """Whether both are at the same event still."""
    with ours.reading() as here, theirs.reading() as there:
        return here.ledger.head() == there.ledger.head()


def _find_alike(ours: Seat, theirs: Seat) -> bool:
    """Whether both must find the same."""
    with ours.reading() as here, theirs.reading() as there:
        return _is_indexed_alike(ours.store.tables(here), theirs.store.tables(there))


@contextmanager
def _explained(key: str) -> Iterator[None]:
    """Says what a row that a copy does not take means to whoever brings the copy on."""
    try:
        yield
    except UnreadableRow as error:
        raise CopyDiffers(
            f"{key}: the copy is left as it was, because it cannot be brought on. {error.message} The source or the"
            " copy is damaged: verify both, and restore the source, or copy into a new database."
        ) from error


def _verified(seat: Seat, name: str) -> int:
    checked = verify(seat)
    if checked.broken:
        # What is wrong with the whole store goes before what is wrong with this project: all of them have it.
        faults = seat.store.examine(full=False).problems
        seq, problem = (0, faults[0]) if faults else checked.broken
        place = f"the history of the {name} breaks at event {seq}" if seq else f"the {name} is not sound"
        raise CopyDiffers(f"{seat.project.key}: {place}: {problem}. {_VERIFIED_WAY[name]}")
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
        raise _differs(key, _ROOTS, was_there=was_there)
    numbers = _numbers(ours), _numbers(theirs)
    for name in _to_compare(ours, theirs, was_there=was_there):
        skipped = OWN.get(name, frozenset()) | (USED.get(name, frozenset()) if was_there else frozenset())
        counts = ours.count(name), theirs.count(name)
        if counts[0] != counts[1]:
            raise _differs(key, name, counts, was_there=was_there)
        if not _are_same((ours, theirs), name, skipped, numbers):
            raise _differs(key, name, was_there=was_there)
        if compared is not None:
            compared(name, counts[0])


def _differs(key: str, name: str, counts: tuple[int, int] | None = None, *, was_there: bool) -> CopyDiffers:
    """What is told of a table that is not the same, and what to do: whoever copies does not know which one is right."""
    found = f"the rows of {name} differ between the stores"
    if counts is not None:
        found = f"{name} has {counts[0]:,} rows here and {counts[1]:,} there"
    if was_there and name in _INDEX:
        way = f"Run `hansard memory reindex --project {key}` in the copy, then copy again; or take a new database."
    else:
        kept = "" if was_there else "Nothing of the copy was kept. "
        way = f"{kept}See what `hansard doctor --all --full` says of both: restore the source, or take a new database."
    return CopyDiffers(f"{key}: {found}. {way}")


def _to_compare(ours: Tables, theirs: Tables, *, was_there: bool) -> Iterator[str]:
    """The tables that must be the same. Once a copy is in use, each store logs and indexes for itself."""
    alike = not was_there or _is_indexed_alike(ours, theirs)
    for name in ours.names():
        if name != _ROOTS and not (was_there and name in _GROWING) and (alike or name not in _INDEX):
            yield name


def _is_indexed_alike(ours: Tables, theirs: Tables) -> bool:
    """Whether both have units of everything, and vectors of the same models, and search by the same one."""
    here, there = (next(tables.rows("heads", ["unindexed_from", "model_id"])) for tables in (ours, theirs))
    columns = ours.columns("models")
    return here == there and here[0] is None and {*ours.rows("models", columns)} == {*theirs.rows("models", columns)}


def _is_there(there: Transaction, project: Project) -> bool:
    known = there.projects.by_key(project.key)
    if known is not None and known.id != project.id:
        raise ProjectExists(
            f"The target has another project {project.key!r}; it is left as it is. `hansard init` may have made it from"
            " the files of a clone: copy into a new database, before anybody runs `hansard init` there."
        )
    return known is not None


def _refuse_ahead(here: Transaction, there: Transaction, key: str, *, has_way_back: bool) -> None:
    """ProjectExists, with the way that works, if only the copy has gone on."""
    ours, theirs = here.ledger.head(), there.ledger.head()
    if has_way_back and theirs[0] > ours[0] and there.ledger.holds(*ours):
        raise ProjectExists(
            f"{key!r} was copied before and has changed since, in the copy alone: it is at event {ours[0]:,} here and"
            f" at {theirs[0]:,} there. To have the later changes here too, copy the other way:"
            f" `hansard migrate-store TARGET SOURCE --only {key}`."
        )


def _later(here: Transaction, there: Transaction, project: Project, *, brings_on: bool) -> int:
    """How many events the source has had since it was copied. ProjectExists if the copy cannot be brought on."""
    ours, theirs = here.ledger.head(), there.ledger.head()
    if ours == theirs:
        return 0
    if brings_on and ours[0] > theirs[0] and here.ledger.holds(*theirs):
        return ours[0] - theirs[0]
    raise ProjectExists(
        f"{project.key!r} was copied before and has changed since: it is at event {ours[0]:,} here and at"
        f" {theirs[0]:,} there. To have the later changes too, copy into a new database, and give up the old copy."
    )


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
    own = OWN.get(name, frozenset())
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


def _numbers(tables: Tables) -> array[int]:
    """The numbers of the memories in their order: two stores have other numbers, in the same order."""
    return array("q", (row[0] for row in tables.rows("memories", ["seq"])))


def _are_same(
    both: tuple[Tables, Tables], name: str, skipped: frozenset[str], numbers: tuple[array[int], array[int]]
) -> bool:
    """Goes through both by turns: a server gives a writer up that asks nothing of it while a large file is read."""
    sums = [_Sum(tables, name, skipped, order) for tables, order in zip(both, numbers, strict=True)]
    while sums[0].goes_on() | sums[1].goes_on():
        pass
    return sums[0].total == sums[1].total


class _Sum:
    """Adds up rows: the same for the same rows, whatever numbers the memories have and in which order rows come."""

    def __init__(self, tables: Tables, name: str, skipped: frozenset[str], numbers: array[int]) -> None:
        columns = sorted(set(tables.columns(name)) - skipped)
        self._rows, self._numbers = tables.rows(name, columns), numbers
        self._places = {columns.index(column) for column in _NUMBERED.get(name, ()) if column in columns}
        self.total = 0

    def goes_on(self) -> bool:
        """Takes some more rows. False if there were none left."""
        some = list(islice(self._rows, ROWS_AT_ONCE))
        for row in some:
            said = hashlib.sha256(repr(tuple(map(self._plain, range(len(row)), row))).encode()).digest()
            self.total = (self.total + int.from_bytes(said)) % (1 << 256)
        return bool(some)

    def _plain(self, place: int, value: Any) -> Any:
        if place in self._places and value is not None:
            return bisect_left(self._numbers, value)
        return plain(value)
