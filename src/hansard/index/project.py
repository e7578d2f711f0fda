"""Owns the index of one project: follows what the store says has changed, and shows a reader what it may see."""

import threading
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
from hansard.index.rows import ASKS, NAMES_TIME, unpack_dates, unpack_terms, unpack_vectors
from hansard.index.search import DAY_MAX, DAY_MIN, Found, search
from hansard.index.view import Sight, View

__all__ = ["Found", "ProjectIndex", "Sight"]

FOREVER = np.iinfo(np.int64).max
LINKED_SINGLY_MAX = 256
"""So many new units are linked one by one; for more, all are sorted once."""
_MICROSECONDS_PER_DAY = 86_400_000_000


class ProjectIndex:
    """Everything findable of a project, in memory. Any number of threads may search while one follows."""

    def __init__(self, model: StaticModel, dimensions: int) -> None:
        self.stamp = 0
        self.lock = threading.RLock()
        self._model = model
        self._columns = Columns(dimensions)
        self._postings = Postings()
        self._agents: dict[str, int] = {}
        self._sources: dict[str, int] = {}
        self._groups: dict[str, int] = {}
        self._ends: dict[int, int] = {}
        self._dates: dict[int, tuple[NamedDate, ...]] = {}
        self._seq_max = 0
        self._linked = True

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
        if added:
            self._append(added)
        self.stamp = stamp

    def search(self, question: Question, vector: NDArray[np.float32] | None, sight: Sight, limit: int) -> list[Found]:
        """The memories that answer best, best first, as far as the reader may see them."""
        return search(self.view(sight), self._model, question, vector, limit)

    def view(self, sight: Sight) -> View:
        """What the reader may see now. It stays as it is while the index goes on."""
        with self.lock:
            if not self._linked:
                self._link()
            visible = self._visible(sight)
            return View(
                self._columns.frozen(), len(visible), visible, np.flatnonzero(visible), self._postings.snapshot(),
                self._dates,
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
        vectors, columns.embedded[fresh] = unpack_vectors(every.vector, columns.dimensions)
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
        if count > LINKED_SINGLY_MAX:
            self._linked = False
        elif self._linked:
            self._link_behind(range(first, first + count))

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
        columns.group[fresh] = [
            -seq - 1 if ref is None else groups.setdefault(ref, len(groups))
            for seq, ref in zip(every.memory_seq, every.source_ref, strict=True)
        ]
        columns.position[fresh] = [position or 0 for position in every.position]
        flags = np.array(every.flags, np.int64)
        columns.asks[fresh] = flags & ASKS > 0
        columns.names_time[fresh] = flags & NAMES_TIME > 0
        columns.following[fresh] = columns.preceding[fresh] = -1
        columns.live[fresh] = True

    def _link(self) -> None:
        """Finds each unit's neighbours: the next chunk of its memory, or the next position of its source."""
        columns, count = self._columns, self._columns.count
        live = np.flatnonzero(columns.live[:count])
        order = live[np.lexsort((columns.chunk[live], columns.position[live], columns.group[live]))]
        groups, positions = columns.group[order], columns.position[order]
        same = groups[1:] == groups[:-1]
        joined = same & (np.abs(positions[1:] - positions[:-1]) <= 1)
        # New arrays: a search that began earlier goes on with the old ones.
        columns.following = np.full(len(columns.memory), -1, np.int32)
        columns.preceding = np.full(len(columns.memory), -1, np.int32)
        columns.following[order[:-1][joined]] = order[1:][joined]
        columns.preceding[order[1:][joined]] = order[:-1][joined]
        last = np.append(~same, True)[: len(order)] & (groups >= 0)
        self._ends = dict(zip(groups[last].tolist(), order[last].tolist(), strict=True))
        self._linked = True

    def _link_behind(self, fresh: range) -> None:
        """Links units that come last in their conversation or text; any other has all linked anew."""
        columns = self._columns
        for row in fresh:
            group = int(columns.group[row])
            # The chunks of a memory without a source come one after the other.
            before = self._ends.get(group) if group >= 0 else row - 1
            self._ends.update({group: row} if group >= 0 else ())
            if before is None or before < 0 or columns.group[before] != group:
                continue
            apart = int(columns.position[row]) - int(columns.position[before])
            backwards = apart < 0 or (apart == 0 and columns.chunk[row] < columns.chunk[before])
            if backwards or not columns.live[before]:
                self._linked = False
                return
            if apart <= 1:
                columns.following[before] = row
                columns.preceding[row] = before
