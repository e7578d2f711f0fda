"""Owns the index of one project: follows what the store says has changed, and searches what a reader may see."""

import threading
from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hansard.domain.dates import NamedDate
from hansard.domain.questions import Question
from hansard.domain.units import GONE_CHUNK, IndexRow
from hansard.embedding.static import StaticModel
from hansard.index import relevance as rel
from hansard.index.columns import Columns
from hansard.index.postings import Postings
from hansard.index.rows import ASKS, NAMES_TIME, unpack_dates, unpack_terms, unpack_vectors

ARM_UNITS_MIN = 200
"""How deep each arm looks at least."""
SEEDS_MAX = 100
"""How many of what the arms found, best first, bring their neighbours along."""
DATE_SEEDS_MAX = 30
NEIGHBOURS_BEFORE = 2
NEIGHBOURS_AFTER = 4
BM25_SATURATION = 0.6
BM25_LENGTH = 0.3
GATHER_SHARE_MAX = 0.15
"""Below this visible share the vectors are gathered first; above it all are multiplied and the rest dropped."""
FOREVER = np.iinfo(np.int64).max
_MICROSECONDS_PER_DAY = 86_400_000_000
_EPOCH = date(1970, 1, 1)


class Sight(NamedTuple):
    """What a reader may find: None for `agent` sees everybody's."""

    agent: str | None
    now: int
    own: bool = True
    team: bool = True
    source: str | None = None


class Found(NamedTuple):
    """A memory that answers, by its best unit."""

    memory_seq: int
    relevance: float
    coverage: float
    cosine: float


class Searched(NamedTuple):
    """The view one search works on: arrays that no later change touches, and which rows are visible."""

    columns: Columns
    rows: int
    visible: NDArray[np.bool_]
    following: NDArray[np.int32]
    preceding: NDArray[np.int32]


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
        self._rows_of: dict[int, list[int]] = {}
        self._dates: dict[int, tuple[NamedDate, ...]] = {}
        self._linked = True
        self._following = np.empty(0, np.int32)
        self._preceding = np.empty(0, np.int32)

    @property
    def dimensions(self) -> int:
        return self._columns.dimensions

    @property
    def count(self) -> int:
        """How many units there are, gone ones not counted."""
        return int(self._columns.live[: self._columns.count].sum())

    def apply(self, rows: Sequence[IndexRow], stamp: int) -> None:
        """Takes in what changed: every row of a changed memory, or one that says it is gone."""
        for seq in {row.memory_seq for row in rows}:
            for place in self._rows_of.pop(seq, ()):
                self._columns.live[place] = False
                self._dates.pop(place, None)
        added = [row for row in rows if row.chunk != GONE_CHUNK]
        if added:
            self._append(added)
        self.stamp = stamp

    def search(self, question: Question, vector: NDArray[np.float32] | None, sight: Sight, limit: int) -> list[Found]:
        """The memories that answer best, best first, as far as the reader may see them."""
        with self.lock:
            view = self._view(sight)
        if not view.visible.any():
            return []
        terms = self._asked(question)
        keyword, holding = self._keyword_scores(view, terms)
        total = int(view.visible.sum())
        asked = rel.AskedTerms(terms, rel.term_weights(self._model, terms, holding, total))
        cosines = None if vector is None else self._cosines(view, vector)
        units = self._candidates(view, question, keyword, cosines, depth=max(ARM_UNITS_MIN, limit))
        if not len(units):
            return []
        return self._ranked(view, units, self._relevance(view, units, question, asked, cosines), limit)

    # Following

    def _append(self, rows: Sequence[IndexRow]) -> None:
        columns, count = self._columns, len(rows)
        flat = unpack_terms(b"".join(row.terms for row in rows))
        columns.reserve(count, len(flat))
        first = columns.count
        fresh = slice(first, first + count)
        lengths = np.fromiter((len(row.terms) // 2 for row in rows), np.int32, count)
        columns.memory[fresh] = [row.memory_seq for row in rows]
        columns.chunk[fresh] = [row.chunk for row in rows]
        columns.agent[fresh] = [self._number(self._agents, row.agent_key) for row in rows]
        columns.source[fresh] = [self._number(self._sources, row.source) for row in rows]
        columns.team[fresh] = [bool(row.team) for row in rows]
        columns.until[fresh] = [FOREVER if row.expires_at is None else row.expires_at for row in rows]
        columns.moment[fresh] = [row.moment for row in rows]
        columns.group[fresh] = [self._group(row) for row in rows]
        columns.position[fresh] = [row.position or 0 for row in rows]
        flags = np.fromiter((row.flags for row in rows), np.int64, count)
        columns.asks[fresh] = flags & ASKS > 0
        columns.names_time[fresh] = flags & NAMES_TIME > 0
        columns.vectors[fresh], columns.embedded[fresh] = unpack_vectors([r.vector for r in rows], columns.dimensions)
        columns.token_begin[fresh] = columns.token_total + np.cumsum(lengths) - lengths
        columns.token_count[fresh] = lengths
        columns.tokens[columns.token_total : columns.token_total + len(flat)] = flat
        columns.live[fresh] = True
        self._postings.add(flat, np.repeat(np.arange(first, first + count, dtype=np.int32), lengths))
        for place, row in enumerate(rows, start=first):
            self._rows_of.setdefault(row.memory_seq, []).append(place)
            if row.dates:
                self._dates[place] = unpack_dates(row.dates)
            if row.source_ref is not None or row.chunk:
                self._linked = False
        columns.token_total += len(flat)
        columns.count = first + count

    def _group(self, row: IndexRow) -> int:
        if row.source_ref is None:
            return -row.memory_seq - 1
        return self._number(self._groups, row.source_ref)

    @staticmethod
    def _number(known: dict[str, int], key: str) -> int:
        return known.setdefault(key, len(known))

    def _link(self) -> None:
        """Finds each unit's neighbours: the next chunk of its memory, or the next position of its source."""
        columns, count = self._columns, self._columns.count
        following = np.full(count, -1, np.int32)
        live = np.flatnonzero(columns.live[:count])
        order = live[np.lexsort((columns.chunk[live], columns.position[live], columns.group[live]))]
        left, right = order[:-1], order[1:]
        near = np.abs(columns.position[right] - columns.position[left]) <= 1
        joined = (columns.group[left] == columns.group[right]) & near
        following[left[joined]] = right[joined]
        preceding = np.full(count, -1, np.int32)
        preceding[right[joined]] = left[joined]
        self._following, self._preceding, self._linked = following, preceding, True

    # Searching

    def _view(self, sight: Sight) -> Searched:
        columns, count = self._columns, self._columns.count
        if not self._linked:
            self._link()
        if len(self._following) < count:
            grown = np.full(count, -1, np.int32)
            grown[: len(self._following)] = self._following
            back = np.full(count, -1, np.int32)
            back[: len(self._preceding)] = self._preceding
            self._following, self._preceding = grown, back
        visible = columns.live[:count] & (columns.until[:count] > sight.now)
        if sight.agent is not None:
            mine = columns.agent[:count] == self._agents.get(sight.agent, -1)
            team = columns.team[:count]
            wanted = np.zeros(count, np.bool_)
            if sight.own and sight.team:
                wanted = mine | team
            elif sight.own:
                wanted = mine & ~team
            elif sight.team:
                wanted = team
            visible &= wanted
        elif not (sight.own and sight.team):
            visible &= columns.team[:count] if sight.team else ~columns.team[:count]
        if sight.source is not None:
            visible &= columns.source[:count] == self._sources.get(sight.source, -1)
        frozen = Columns.__new__(Columns)
        frozen.__dict__.update(columns.__dict__)
        following = np.where(visible & visible[self._following], self._following, -1)
        preceding = np.where(visible & visible[self._preceding], self._preceding, -1)
        return Searched(frozen, count, visible, following, preceding)

    def _asked(self, question: Question) -> NDArray[np.int64]:
        pieces = self._model.wordpiece.encode(" ".join(question.words))
        return np.array(self._model.content(pieces), np.int64)

    def _keyword_scores(
        self, view: Searched, terms: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """BM25 of every unit, counted over what the reader may see, and how many units hold each term."""
        scores = np.zeros(view.rows, np.float32)
        holding = np.zeros(len(terms), np.float32)
        total = int(view.visible.sum())
        lengths = view.columns.token_count
        average = max(float(lengths[: view.rows][view.visible].mean()), 1.0) if total else 1.0
        for place, term in enumerate(terms.tolist()):
            units = self._postings.units_with(term)
            units = units[units < view.rows]
            units = units[view.visible[units]]
            holding[place] = len(units)
            if len(units):
                rarity = np.log(1 + (total - len(units) + 0.5) / (len(units) + 0.5)) * self._model.match_weight[term]
                share = 1 - BM25_LENGTH + BM25_LENGTH * lengths[units] / average
                scores[units] += rarity * (BM25_SATURATION + 1) / (1 + BM25_SATURATION * share)
        return scores, holding

    @staticmethod
    def _cosines(view: Searched, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The cosine of every visible unit; the others stay at zero and are never looked at."""
        places = np.flatnonzero(view.visible)
        vectors = view.columns.vectors
        if len(places) < GATHER_SHARE_MAX * view.rows:
            out = np.zeros(view.rows, np.float32)
            out[places] = np.vecdot(vectors[places], vector)
            return out
        return np.asarray(np.vecdot(vectors[: view.rows], vector), np.float32)

    def _candidates(
        self,
        view: Searched,
        question: Question,
        keyword: NDArray[np.float32],
        cosines: NDArray[np.float32] | None,
        *,
        depth: int,
    ) -> NDArray[np.int64]:
        """What both arms found, fused by score and cut, with the neighbours of the best, sorted."""
        matched = np.flatnonzero(keyword > 0)
        found = matched[_top(keyword[matched], depth)]
        fused = keyword[found] * (rel.COVERAGE_WEIGHT / max(float(keyword.max(initial=0.0)), 1e-9))
        if cosines is not None:
            visible = np.flatnonzero(view.visible)
            near = visible[_top(cosines[visible], depth)]
            found = _union(found, near, view.rows)
            best = max(float(keyword.max(initial=0.0)), 1e-9)
            fused = keyword[found] * (rel.COVERAGE_WEIGHT / best) + cosines[found] * rel.COSINE_WEIGHT
        seeds = found[_top(fused, max(SEEDS_MAX, depth // 2))]
        if question.date is not None and cosines is not None:
            seeds = _union(seeds, self._date_seeds(view, question.date, cosines), view.rows)
        return self._with_neighbours(view, seeds)

    @staticmethod
    def _date_seeds(view: Searched, wanted: NamedDate, cosines: NDArray[np.float32]) -> NDArray[np.int64]:
        visible = np.flatnonzero(view.visible)
        days = view.columns.moment[visible] // _MICROSECONDS_PER_DAY
        there = np.isin(days, [day for day in set(days.tolist()) if wanted.agrees_with_day(_day(day))])
        found = visible[there]
        return found[_top(cosines[found], DATE_SEEDS_MAX)]

    @staticmethod
    def _with_neighbours(view: Searched, seeds: NDArray[np.int64]) -> NDArray[np.int64]:
        marked = np.zeros(view.rows, np.bool_)
        marked[seeds] = True
        for links, steps in ((view.preceding, NEIGHBOURS_BEFORE), (view.following, NEIGHBOURS_AFTER)):
            reached = seeds
            for _ in range(steps):
                reached = links[reached].astype(np.int64)
                reached = reached[reached >= 0]
                if not len(reached):
                    break
                marked[reached] = True
        return np.flatnonzero(marked)

    def _relevance(
        self,
        view: Searched,
        units: NDArray[np.int64],
        question: Question,
        asked: rel.AskedTerms,
        cosines: NDArray[np.float32] | None,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        columns = view.columns
        window = rel.Window(units, view.following, columns.asks[units])
        covered = np.zeros(len(units), np.float32)
        if len(asked.terms):
            tokens, begins = columns.token_rows(units)
            covered = rel.coverage(self._model, asked, tokens, begins, window)
        if cosines is None:
            near, total = np.zeros(len(units), np.float32), covered.copy()
        else:
            near = window.spread(cosines[units])
            total = rel.COVERAGE_WEIGHT * covered + rel.COSINE_WEIGHT * near
        total -= np.float32(rel.ASKING_PENALTY) * columns.asks[units]
        if question.asks_when:
            total += np.float32(rel.WHEN_BONUS) * columns.names_time[units]
        if question.date is not None:
            total += np.float32(rel.DATE_BONUS) * self._date_agreement(view, units, question.date)
        if question.asks_current:
            total += rel.newest_contender(columns.moment[units], total)
        return np.clip(total, 0, 1), covered, near

    def _date_agreement(self, view: Searched, units: NDArray[np.int64], wanted: NamedDate) -> NDArray[np.float32]:
        """One for units of the asked date or that name it, a half where only one of them names a day."""
        days = (view.columns.moment[units] // _MICROSECONDS_PER_DAY).tolist()
        agreeing = {day: float(wanted.agrees_with_day(_day(day))) for day in set(days)}
        out = np.array([agreeing[day] for day in days], np.float32)
        for place, unit in enumerate(units.tolist()):
            for named in self._dates.get(unit, ()):
                out[place] = max(out[place], wanted.agreement(named))
        return out

    @staticmethod
    def _ranked(
        view: Searched,
        units: NDArray[np.int64],
        scored: tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]],
        limit: int,
    ) -> list[Found]:
        relevance, covered, near = scored
        best: dict[int, Found] = {}
        memories = view.columns.memory[units]
        for place in np.argsort(-relevance, kind="stable").tolist():
            seq = int(memories[place])
            if seq not in best:
                best[seq] = Found(seq, float(relevance[place]), float(covered[place]), float(near[place]))
                if len(best) == limit:
                    break
        return list(best.values())


def _top(scores: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """The places of the largest scores, in no order."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - limit)[-limit:]


def _union(left: NDArray[np.int64], right: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    marked = np.zeros(count, np.bool_)
    marked[left] = True
    marked[right] = True
    return np.flatnonzero(marked)


def _day(number: int) -> date:
    try:
        return _EPOCH + timedelta(days=number)
    except OverflowError:
        return date.min
