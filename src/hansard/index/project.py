"""Owns the index of one project: follows what the store says has changed, and shows a reader what it may see."""

import threading
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hansard.domain.dates import NamedDate
from hansard.domain.questions import Question
from hansard.domain.units import GONE_CHUNK, IndexRow
from hansard.embedding.static import StaticModel
from hansard.index.columns import Columns
from hansard.index.postings import Postings
from hansard.index.rows import ASKS, NAMES_TIME, is_sound, join_vectors, unpack_dates, unpack_terms
from hansard.index.search import DAY_MAX, DAY_MIN, Found, length_factors, search
from hansard.index.view import Sight, View, linked

__all__ = ["Found", "ProjectIndex", "Sight"]

FOREVER = np.iinfo(np.int64).max
PLACED_SINGLY_MAX = 64
"""So many new units are put in order one by one; for more, all are sorted once."""
VIEWS_MAX = 4
"""Views kept for readers that ask again before anything changes."""
_MICROSECONDS_PER_DAY = 86_400_000_000


class ProjectIndex:
    """Everything findable of a project, in memory. Any number of threads may search while one follows."""

    def __init__(self, model: StaticModel, dimensions: int) -> None:
        self.stamp = 0
        self.head = (0, b"")
        """The last event of the project as of this index, and its hash."""
        self.lock = threading.RLock()
        self.damaged: frozenset[int] = frozenset()
        """Memories of which a unit is damaged or of an older format. They are left out until it is made anew."""
        self._model = model
        self._columns = Columns(dimensions)
        self._postings = Postings()
        self._agents: dict[str, int] = {}
        self._sources: dict[str, int] = {}
        self._groups: dict[str | int, int] = {}
        self._dates: dict[int, tuple[NamedDate, ...]] = {}
        self._seq_max = 0
        self._order = np.zeros(0, np.int32)
        self._sorted = True
        self._views: dict[Sight, View] = {}

    @property
    def dimensions(self) -> int:
        return self._columns.dimensions

    @property
    def count(self) -> int:
        """How many units there are, gone ones not counted."""
        return int(np.count_nonzero(self._columns.live[: self._columns.count]))

    def apply(self, rows: Sequence[IndexRow], stamp: int) -> None:
        """Takes in what changed: every row of a changed memory, or one that says it is gone."""
        known = {row.memory_seq for row in rows if row.memory_seq <= self._seq_max}
        if known:
            self._retire(known)
        added = [row for row in rows if row.chunk != GONE_CHUNK]
        damaged = {row.memory_seq for row in added if not is_sound(row)}
        if damaged:
            added = [row for row in added if row.memory_seq not in damaged]
        if damaged or self.damaged:
            self.damaged = self.damaged - {row.memory_seq for row in rows} | damaged
        if added:
            self._append(added)
        self._views.clear()
        self.stamp = stamp

    def search(self, question: Question, vector: NDArray[np.float32] | None, sight: Sight, limit: int) -> list[Found]:
        """The memories that answer best, best first, as far as the reader may see them."""
        return search(self.view(sight), self._model, question, vector, limit)

    def view(self, sight: Sight) -> View:
        """What the reader may see now. It stays as it is while the index goes on."""
        with self.lock:
            reader = sight._replace(now=0)
            kept = self._views.pop(reader, None)
            if kept is None or not kept.made_at <= sight.now < kept.valid_until:
                kept = self._new_view(sight)
            self._views[reader] = kept
            if len(self._views) > VIEWS_MAX:
                del self._views[next(iter(self._views))]
            return kept

    def _new_view(self, sight: Sight) -> View:
        columns, visible = self._columns.frozen(), self._visible(sight)
        if not self._sorted:
            self._sort()
        places = np.flatnonzero(visible)
        average = max(int(columns.token_count[places].sum()) / max(len(places), 1), 1.0)
        return View(
            columns, len(visible), visible, places, linked(columns, self._order, visible),
            length_factors(columns.token_count_max, average), self._postings.snapshot(), self._dates,
            sight.now, int(columns.until[places].min(initial=FOREVER)),
        )  # fmt: skip

    def _visible(self, sight: Sight) -> NDArray[np.bool_]:
        columns, count = self._columns, self._columns.count
        visible = columns.live[:count] & (columns.until[:count] > sight.now)
        team = columns.team[:count]
        if sight.agent is not None:
            own = columns.agent[:count] == self._agents.get(sight.agent, -1)
            if sight.own:
                visible &= own | team if sight.team else own & ~team
            else:
                visible &= team if sight.team else np.False_
        elif not (sight.own and sight.team):
            visible &= team if sight.team else ~team
        if sight.source is not None:
            visible &= columns.source[:count] == self._sources.get(sight.source, -1)
        return visible

    # Following

    def _retire(self, seqs: set[int]) -> None:
        columns, count = self._columns, self._columns.count
        gone = np.flatnonzero(np.isin(columns.memory[:count], list(seqs)) & columns.live[:count])
        columns.live[gone] = False
        for place in gone.tolist():
            self._dates.pop(place, None)

    def _append(self, rows: Sequence[IndexRow]) -> None:
        columns, first, count = self._columns, self._columns.count, len(rows)
        # All fields at once: going through the rows for each of them takes twice as long.
        every: Any = IndexRow._make(zip(*rows, strict=True))
        flat = unpack_terms(b"".join(every.terms))
        columns.reserve(count, len(flat))
        fresh = slice(first, first + count)
        self._describe(every, fresh)
        vectors, columns.embedded[fresh] = join_vectors(every.vector, columns.dimensions)
        columns.put_vectors(first, vectors)
        lengths = np.fromiter(map(len, every.terms), np.int32, count) // 2
        columns.token_begin[fresh] = columns.token_total + np.cumsum(lengths) - lengths
        columns.token_count[fresh] = lengths
        columns.token_count_max = max(columns.token_count_max, int(lengths.max()))
        columns.tokens[columns.token_total : columns.token_total + len(flat)] = flat
        columns.token_total += len(flat)
        self._postings.add(flat, np.repeat(np.arange(first, first + count, dtype=np.int32), lengths))
        for place, dates in enumerate(every.dates, start=first):
            if dates:
                self._dates[place] = unpack_dates(dates)
        columns.count = first + count
        self._seq_max = max(self._seq_max, *every.memory_seq)
        if count > PLACED_SINGLY_MAX:
            self._sorted = False
        elif self._sorted:
            self._place(first + np.flatnonzero(columns.group[fresh]))

    def _describe(self, every: Any, fresh: slice) -> None:
        """Writes what is known of each unit besides its words and its vector, given field by field."""
        columns, agents, sources, groups = self._columns, self._agents, self._sources, self._groups
        columns.memory[fresh] = every.memory_seq
        columns.chunk[fresh] = every.chunk
        columns.agent[fresh] = [agents.setdefault(key, len(agents)) for key in every.agent_key]
        columns.source[fresh] = [sources.setdefault(source, len(sources)) for source in every.source]
        columns.team[fresh] = every.team
        columns.until[fresh] = [FOREVER if at is None else at for at in every.expires_at]
        columns.moment[fresh] = every.moment
        columns.day[fresh] = (columns.moment[fresh] // _MICROSECONDS_PER_DAY).clip(DAY_MIN, DAY_MAX)
        # A memory without a place in a source is a group of its own if it has several units, and else belongs to none.
        parted = {seq for seq, chunk in zip(every.memory_seq, every.chunk, strict=True) if chunk}
        keys = [
            (seq if seq in parted else None) if ref is None or position is None else ref
            for seq, ref, position in zip(every.memory_seq, every.source_ref, every.position, strict=True)
        ]
        columns.group[fresh] = [0 if key is None else groups.setdefault(key, len(groups) + 1) for key in keys]
        columns.position[fresh] = [position or 0 for position in every.position]
        flags = np.array(every.flags, np.int64)
        columns.asks[fresh] = flags & ASKS > 0
        columns.names_time[fresh] = flags & NAMES_TIME > 0
        columns.live[fresh] = True

    def _sort(self) -> None:
        """Puts units that have neighbours in order: by source or memory, then position, memory and chunk."""
        columns, count = self._columns, self._columns.count
        grouped = np.flatnonzero(columns.live[:count] & (columns.group[:count] > 0))
        keys = (columns.chunk[grouped], columns.memory[grouped], columns.position[grouped], columns.group[grouped])
        self._order = grouped[np.lexsort(keys)].astype(np.int32)
        self._sorted = True

    def _place(self, rows: NDArray[np.int64]) -> None:
        """Puts new units where they belong in the order. For a few, that is faster than sorting."""
        columns = self._columns

        def key(row: int) -> tuple[int, int, int, int]:
            kept = (columns.group[row], columns.position[row], columns.memory[row], columns.chunk[row])
            return int(kept[0]), int(kept[1]), int(kept[2]), int(kept[3])

        for row in rows.tolist():
            self._order = np.insert(self._order, bisect_right(self._order, key(row), key=key), row)
