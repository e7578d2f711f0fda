"""Brings a copy of a project on: the use that was made of the source since, or its later changes as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from hansard.services.take_over import PLACE_MIN

if TYPE_CHECKING:
    from hansard.store.ports import Tables

USED = {
    "memories": frozenset({"access_count", "accessed_at", "alpha", "beta"}),
    "heads": frozenset({"stamp", "model_id", "unindexed_from"}),
    "units": frozenset({"stamp"}),
}
"""Columns that change as a store is used, without an event."""
LOGS = frozenset({"retrievals", "ratings", "jobs", "receipts", "write_counts"})
OWN = {"heads": frozenset({"memories", "erasing"}), "jobs": frozenset({"holder", "lease_until"})}
"""Columns that one engine, or one store, has for itself: what was never in a store need not be cleaned out of it, and
whoever is at work on one store is not at work on the other."""
_KEYS = {
    "project_roots": ("machine", "path"),
    "actors": ("key",),
    "runs": ("id",),
    "decisions": ("id",),
    "inbox": ("id",),
    "sessions": ("id",),
    "models": ("id",),
    "retrievals": ("id", "rank"),
    "ratings": ("id",),
    "jobs": ("kind", "subject"),
    "receipts": ("id",),
    "tokens": ("id",),
    "idempotency_keys": ("caller", "key"),
}
_MADE_ANEW = ("memory_tags", "revisions", "retrievals", "receipts", "allowances")
"""Rows of these come and go. Those of all other tables are never deleted, and an application may not even do so."""
_PLACES = {"decisions": ("number",), "inbox": ("number", "slug", "requested_slug")}
"""What no two rows of a project may share and an import may change: numbers, and the names of entries."""
ROWS_AT_ONCE = 2_000
_COUNTS = ("access_count", "accessed_at")


def bring_use(ours: Tables, theirs: Tables) -> None:
    """Adds to a copy, which is at the same event, what the source was used for since. Nothing of the copy's own goes.

    Of each count the greater one holds.
    """
    # Ratings are not among them: each is an event, so both have the same.
    for name in ("actors", "retrievals", "jobs", "receipts"):
        _add(ours, theirs, name)
    columns = ("id", *_COUNTS)
    known = {row[0]: row[1:] for row in theirs.rows("memories", columns)}

    def risen() -> Iterator[tuple[Any, ...]]:
        for id, *counts in _read(ours, theirs, "memories", columns):
            had = known[id]
            most = tuple(map(_greater, counts, had))
            if most != had:
                yield (*most, id)

    theirs.update("memories", ("id",), _COUNTS, list(risen()))


def bring_changes(ours: Tables, theirs: Tables, *, left_out: Iterable[tuple[str, str]], after: int) -> None:
    """Makes the copy what the source is now. It is at event `after`, and the source went on from there.

    Memories keep the numbers that they have there, so that whoever has an index of the copy can follow. What the copy
    was used for by itself gives way to the source's counts and logs.
    """
    theirs.defer_checks()
    _add(ours, theirs, "project_roots", skipped=set(left_out))
    _add(ours, theirs, "actors")
    _change(ours, theirs, "actors", only=("name",))
    # Nobody changes a model, and work is each store's own.
    for name in ("models", "jobs"):
        _add(ours, theirs, name)
    for name in (*_MADE_ANEW, "units", "vectors"):
        theirs.clear(name)
    for name in ("runs", "decisions", "inbox", "sessions", "ratings", "tokens"):
        _change(ours, theirs, name)
        _add(ours, theirs, name)
    numbers = _bring_memories(ours, theirs)
    for name in _MADE_ANEW:
        columns = _columns(theirs, name)
        _insert(theirs, name, columns, _read(ours, theirs, name, columns))
    columns = _columns(theirs, "events")
    place = columns.index("seq")
    _insert(theirs, "events", columns, (row for row in _read(ours, theirs, "events", columns) if row[place] > after))
    _bring_index(ours, theirs, numbers)


def bring_models(ours: Tables, theirs: Tables) -> bool:
    """Gives a copy, which is at the same event, the source's index, if the source has got a model since.

    An index that is still being made stays where it is. Returns whether it was brought over.
    """
    columns = _columns(theirs, "models")
    known, every = ({*tables.rows("models", columns)} for tables in (theirs, ours))
    if not known < every or next(ours.rows("heads", ["unindexed_from"])) != (None,):
        return False
    theirs.defer_checks()
    _add(ours, theirs, "models")
    for name in ("units", "vectors"):
        theirs.clear(name)
    there: dict[str, int] = dict(theirs.rows("memories", ("id", "seq")))
    _bring_index(ours, theirs, {seq: there[id] for id, seq in _read(ours, theirs, "memories", ("id", "seq"))})
    return True


def bring_requests(ours: Tables, theirs: Tables) -> None:
    """Tells the copy which requests were done, and how they were answered, so that none of them is done again there.

    One that is still being worked on has nothing in the record that is copied, so it is left out.
    """
    every = ours.rows("idempotency_keys", ("caller", "key", "status"))
    _add(ours, theirs, "idempotency_keys", skipped={(caller, key) for caller, key, status in every if status is None})


def can_be_brought(ours: Tables, theirs: Tables) -> bool:
    """Whether the copy has no model of its own: its vectors are replaced by the source's."""
    columns = _columns(theirs, "models")
    return {*theirs.rows("models", columns)} <= {*ours.rows("models", columns)}


def plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview | bytearray) else value


class _Known(NamedTuple):
    """What the copy has of a table: each row by its key, as a number that says whether it is the same."""

    rows: Mapping[tuple[Any, ...], int]
    columns: list[str]
    places: list[int]


def _known(theirs: Tables, name: str, keys: Sequence[str], columns: list[str]) -> _Known:
    places = [columns.index(key) for key in keys]
    rows = {tuple(row[one] for one in places): _sum(row) for row in theirs.rows(name, columns)}
    return _Known(rows, columns, places)


def _add(ours: Tables, theirs: Tables, name: str, *, skipped: set[tuple[str, str]] | None = None) -> None:
    """Inserts the rows whose key the copy does not have."""
    columns = _columns(theirs, name)
    known = _known(theirs, name, _KEYS[name], columns)
    taken = {*known.rows, *(skipped or ())}
    every = _read(ours, theirs, name, columns)
    _insert(theirs, name, columns, (row for row in every if tuple(row[one] for one in known.places) not in taken))


def _change(ours: Tables, theirs: Tables, name: str, *, only: tuple[str, ...] = ()) -> None:
    """Updates the rows that the copy has otherwise."""
    keys = _KEYS[name]
    columns = [*keys, *(only or (one for one in _columns(theirs, name) if one not in (*keys, "project_id")))]
    known = _known(theirs, name, keys, columns)
    width = len(keys)
    changed = [
        (*row[width:], *row[:width])
        for row in _read(ours, theirs, name, columns)
        if known.rows.get(tuple(row[:width]), _sum(row)) != _sum(row)
    ]
    if places := _PLACES.get(name):
        # Out of the way first: two of them may have changed places. No slug has a blank in it.
        waiting = [
            (*(number if place == "number" else f"moving {number}" for place in places), *row[-width:])
            for number, row in enumerate(changed, PLACE_MIN)
        ]
        theirs.update(name, keys, places, waiting)
    theirs.update(name, keys, columns[width:], changed)


def _bring_memories(ours: Tables, theirs: Tables) -> dict[int, int]:
    """Brings memories on, and says which number each number of the source is in the copy."""
    columns = ["id", "seq", *(one for one in _columns(theirs, "memories") if one not in ("id", "seq", "project_id"))]
    known = {row[0]: (row[1], _sum(row[2:])) for row in theirs.rows("memories", columns)}
    last = max((theirs.last_number(), *(number for number, _ in known.values())))
    numbers: dict[int, int] = {}
    changed: list[tuple[Any, ...]] = []
    fresh: list[int] = []
    for row in _read(ours, theirs, "memories", columns):
        number, said = known.get(row[0], (None, None))
        if number is None:
            last += 1
            fresh.append(row[1])
        elif said != _sum(row[2:]):
            changed.append((*row[2:], row[0]))
        numbers[row[1]] = last if number is None else number
    theirs.update("memories", ("id",), columns[2:], changed)
    every, wanted = _columns(theirs, "memories"), set(fresh)
    place = every.index("seq")
    new = (row for row in _read(ours, theirs, "memories", every) if row[place] in wanted)
    _insert(theirs, "memories", every, ((*row[:place], numbers[row[place]], *row[place + 1 :]) for row in new))
    return numbers


def _bring_index(ours: Tables, theirs: Tables, numbers: Mapping[int, int]) -> None:
    """Units, vectors and the head. Stamps go on after the copy's, so that every index of it reads all of them again."""
    (stamp,) = next(theirs.rows("heads", ["stamp"]))
    for name in ("units", "vectors"):
        columns = _columns(theirs, name)
        place, stamps = columns.index("memory_seq"), columns.index("stamp") if name == "units" else None

        def moved(rows: Iterator[tuple[Any, ...]], place: int, stamps: int | None) -> Iterator[tuple[Any, ...]]:
            for row in rows:
                if row[place] not in numbers:
                    continue
                one = list(row)
                one[place] = numbers[row[place]]
                if stamps is not None:
                    one[stamps] += stamp
                yield tuple(one)

        _insert(theirs, name, columns, moved(_read(ours, theirs, name, columns), place, stamps))
    columns = [one for one in _columns(theirs, "heads") if one != "project_id"]
    said = dict(zip(columns, next(ours.rows("heads", columns)), strict=True))
    said["stamp"] += stamp + 1
    first = said["unindexed_from"]
    if first is not None:
        said["unindexed_from"] = min((there for here, there in numbers.items() if here >= first), default=None)
    if "memories" in theirs.columns("heads"):
        (count,) = next(theirs.rows("heads", ["memories"]))
        said["memories"] = max((count, *numbers.values()))
    theirs.update("heads", (), tuple(said), [tuple(said.values())])


def _read(ours: Tables, theirs: Tables, name: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The source's rows. The copy is asked something now and then: a server gives up a writer that stands still."""
    for count, row in enumerate(ours.rows(name, columns), 1):
        yield row
        if count % ROWS_AT_ONCE == 0:
            theirs.count("heads")


def _insert(theirs: Tables, name: str, columns: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> None:
    """Some at a time: nothing can be asked of a store while it takes rows."""
    while some := list(islice(rows, ROWS_AT_ONCE)):
        theirs.insert(name, columns, some)


def _columns(tables: Tables, name: str) -> list[str]:
    return sorted(set(tables.columns(name)) - OWN.get(name, frozenset()))


def _sum(row: Iterable[Any]) -> int:
    return hash(tuple(map(plain, row)))


def _greater(one: Any, other: Any) -> Any:
    return max((value for value in (one, other) if value is not None), default=None)
