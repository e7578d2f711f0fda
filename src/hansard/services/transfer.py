"""Copies projects from one store to another, whole, and proves that the copy is one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hansard.domain.errors import CopyDiffers, ProjectExists
from hansard.domain.paging import Window
from hansard.domain.projects import Project
from hansard.services.audit import verify
from hansard.services.recall import glance
from hansard.services.seat import Seat
from hansard.store.filters import MemoryFilter

if TYPE_CHECKING:
    from hansard.store.ports import Store, Tables, Transaction

Progress: TypeAlias = Callable[[str, str, int, int], None]
"""Is told the project, the table, how many of its rows are copied, and how many there are."""

ROWS_BETWEEN_REPORTS = 2_000
QUESTIONS = 20
QUESTION_CHARACTERS = 200
ANSWERS = 10
_NUMBERED = {"memories": ("seq",), "units": ("memory_seq",), "vectors": ("memory_seq",), "heads": ("unindexed_from",)}
"""Columns that hold the number of a memory. A file numbers the memories of all its projects in one row."""
_OWN = {"heads": frozenset({"memories"})}
"""Columns that one engine has for itself."""


class Copied(NamedTuple):
    """A project that is in both stores now: how many rows, and whether it was there already."""

    project: Project
    rows: int
    was_there: bool


class Proven(NamedTuple):
    """A copy that was compared: rows, events of the chain and answers to questions are the same in both stores."""

    project: Project
    rows: int
    was_there: bool
    events: int
    questions: int


def copy_project(source: Store, target: Store, project: Project, *, progress: Progress | None = None) -> Copied:
    """Copies the project in one transaction, or finds that it was copied before.

    Raises ProjectExists if the target has another project of this key, or one that is not at the same event.
    """
    with source.read(project.id) as here, target.write(project.id, founding=True) as there:
        ours, theirs = source.tables(here), target.tables(there)
        if _is_there(here, there, project):
            return Copied(project, sum(ours.count(name) for name in ours.names()), was_there=True)
        theirs.defer_checks()
        offset = theirs.last_number()
        rows = sum(_copy_table(ours, theirs, name, offset, project.key, progress) for name in ours.names())
    return Copied(project, rows, was_there=False)


def compare_project(source: Store, target: Store, project: Project) -> None:
    """Raises CopyDiffers, with what differs, unless every row of the project is the same in both stores."""
    with source.read(project.id) as here, target.read(project.id) as there:
        ours, theirs = source.tables(here), target.tables(there)
        for name in ours.names():
            counts = ours.count(name), theirs.count(name)
            if counts[0] != counts[1]:
                raise CopyDiffers(f"{project.key}: {name} has {counts[0]:,} rows here and {counts[1]:,} there.")
            if _digest(ours, name) != _digest(theirs, name):
                raise CopyDiffers(f"{project.key}: the rows of {name} differ between the stores.")


def compare_searches(ours: Seat, theirs: Seat) -> int:
    """Puts the same questions to both stores and returns how many. Raises CopyDiffers at the first other answer."""
    with ours.reading() as tx:
        newest = tx.memories.page(MemoryFilter(live_at=tx.now), Window(QUESTIONS)).items
    for memory in newest:
        question = memory.content[:QUESTION_CHARACTERS]
        if glance(ours, question, limit=ANSWERS) != glance(theirs, question, limit=ANSWERS):
            raise CopyDiffers(f"{ours.project.key}: a search for {question[:40]!r} finds something else in the copy.")
    return len(newest)


def compare_histories(ours: Seat, theirs: Seat) -> int:
    """Verifies both chains and returns how many events they have. Raises CopyDiffers unless both hold."""
    checked = [verify(seat) for seat in (ours, theirs)]
    for name, one in zip(("source", "copy"), checked, strict=True):
        if one.broken:
            raise CopyDiffers(
                f"{ours.project.key}: the history of the {name} breaks at event {one.broken.seq}: {one.broken.problem}."
            )
    return checked[0].events


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
            f" {theirs[0]:,} there. Copy into a store that does not have it."
        )
    return True


def _copy_table(ours: Tables, theirs: Tables, name: str, offset: int, key: str, progress: Progress | None) -> int:
    columns = _shared_columns(ours, theirs, name)
    total, done = ours.count(name), 0

    def counted() -> Iterator[tuple[Any, ...]]:
        nonlocal done
        for row in _shifted(ours.rows(name, columns), name, columns, offset):
            yield row
            done += 1
            if progress is not None and done % ROWS_BETWEEN_REPORTS == 0:
                progress(key, name, done, total)

    if name == "heads" and "memories" in theirs.columns(name):
        numbers = max((row[0] for row in ours.rows("memories", ["seq"])), default=0) + offset
        theirs.insert(name, [*columns, "memories"], ((*row, numbers) for row in counted()))
    else:
        theirs.insert(name, columns, counted())
    if progress is not None:
        progress(key, name, total, total)
    return total


def _shared_columns(ours: Tables, theirs: Tables, name: str) -> list[str]:
    own = _OWN.get(name, frozenset())
    here, there = (set(tables.columns(name)) - own for tables in (ours, theirs))
    assert here == there, f"{name} has the same columns on every engine"
    return sorted(here)


def _shifted(
    rows: Iterable[tuple[Any, ...]], name: str, columns: Sequence[str], offset: int
) -> Iterator[tuple[Any, ...]]:
    places = [columns.index(column) for column in _NUMBERED.get(name, ())]
    if not offset or not places:
        yield from rows
        return
    for row in rows:
        moved = list(row)
        for place in places:
            moved[place] = None if row[place] is None else row[place] + offset
        yield tuple(moved)


def _digest(tables: Tables, name: str) -> bytes:
    """The same for the same rows, whatever numbers the memories have and in which order rows come."""
    columns = sorted(set(tables.columns(name)) - _OWN.get(name, frozenset()))
    first = next((row[0] for row in tables.rows("memories", ["seq"])), 0)
    total = 0
    for row in _shifted(tables.rows(name, columns), name, columns, -first):
        said = hashlib.sha256(repr(tuple(_plain(value) for value in row)).encode()).digest()
        total = (total + int.from_bytes(said)) % (1 << 256)
    return total.to_bytes(32)


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview | bytearray) else value
