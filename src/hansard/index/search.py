"""Owns how an index is searched: two arms over what the reader may see, their best with its surroundings, relevance."""

from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hansard.domain.dates import NamedDate
from hansard.domain.questions import Question
from hansard.embedding.static import StaticModel
from hansard.index import relevance as rel
from hansard.index.view import Floats, Ints, View, merged, top

ARM_UNITS_MIN = 200
"""How deep each arm looks at least."""
SEEDS_MAX = 100
"""How many of what the arms found, best first, bring their neighbours along."""
DATE_SEEDS_MAX = 30
TERMS_LOOKED_UP_MAX = 4_096
"""A script without blanks makes a term of every few letters in a row; a question is read up to here."""
TERMS_COMPARED_MAX = 1_024
"""Of these the most telling are compared with every candidate. A question in words has fewer."""
SPELLED_TERMS_MAX = 2_048
SPELLED_WORD_TERMS_MAX = 64
NEIGHBOURS_BEFORE = 2
NEIGHBOURS_AFTER = 4
BM25_SATURATION = 0.6
BM25_LENGTH = 0.3
TRUST_DIGITS = 3
CORRECTION_DIGITS = 6
"""Beyond these the difference of two sums is noise."""
PARALLEL_ROWS_MIN = 30_000
"""From here on two threads scan the vectors: starting one costs a tenth of what that takes."""
EPOCH = date(1970, 1, 1)
DAY_MIN, DAY_MAX = (date.min - EPOCH).days, (date.max - EPOCH).days


class Found(NamedTuple):
    """A memory that answers, by its best unit. Corrections are what relevance has beyond coverage and cosine."""

    memory_seq: int
    relevance: float
    coverage: float
    cosine: float
    corrections: float = 0.0
    held: float = 0.0
    """The share of the question's telling words that the unit holds itself."""


class Matched(NamedTuple):
    """BM25 of every row, counted over what the reader may see, and how many visible units hold each term."""

    scores: Floats
    holding: Floats


class Scored(NamedTuple):
    """The candidates in ascending order, how well each answers, the two parts of that, and what was corrected."""

    units: Ints
    relevance: Floats
    covered: Floats
    near: Floats
    corrections: Floats
    held: Floats


def search(view: View, model: StaticModel, question: Question, vector: Floats | None, limit: int) -> list[Found]:
    """The memories that answer best, best first."""
    if not len(view.places):
        return []
    alone, together = model.wordpiece.asked(question.words)
    single = model.content(alone)[:TERMS_LOOKED_UP_MAX]
    words = _within(together)
    terms = np.array(single + [term for word in words for term in word], np.int64)
    trust = 0.0 if vector is None else min(round(float(np.sqrt(vector @ vector)), TRUST_DIGITS), 1.0)
    matched, cosines = _both_arms(view, model, terms, vector if trust else None)
    weights = rel.term_weights(model, terms, matched.holding, len(view.places))
    units = _candidates(view, question, matched.scores, cosines, depth=max(ARM_UNITS_MIN, limit))
    if not len(units):
        return []
    kept = _most_telling(weights, len(single))
    asked = rel.AskedTerms(terms[kept], weights[kept], tuple(map(len, words)))
    return _ranked(view, _scored(view, model, units, question, asked, cosines, trust), limit)


def _within(spelled: list[list[int]]) -> list[list[int]]:
    """As many of the words that several terms spell as can be compared; of a very long one its beginning."""
    words: list[list[int]] = []
    left = SPELLED_TERMS_MAX
    for word in spelled:
        words.append(word[: min(left, SPELLED_WORD_TERMS_MAX)])
        left -= len(words[-1])
        if not left:
            break
    return words


def _most_telling(weights: Floats, single: int) -> Ints:
    """The places of the terms to compare: the most telling that stand for themselves, and all that spell words."""
    if single <= TERMS_COMPARED_MAX:
        return np.arange(len(weights))
    best = np.sort(np.argsort(-weights[:single], kind="stable")[:TERMS_COMPARED_MAX])
    return np.concatenate((best, np.arange(single, len(weights))))


def nearest(view: View, vector: Floats, depth: int) -> Ints:
    """What the vector arm finds: the visible units with the largest cosine, in no order."""
    return _nearest(view, view.scan(vector).result(), depth)


def _nearest(view: View, cosines: Floats, depth: int) -> Ints:
    return top(cosines, depth) if view.is_whole else view.places[top(cosines.take(view.places), depth)]


def _both_arms(view: View, model: StaticModel, terms: Ints, vector: Floats | None) -> tuple[Matched, Floats | None]:
    if vector is None:
        return _matched(view, model, terms), None
    scan = view.scan(vector)
    if view.rows >= PARALLEL_ROWS_MIN:
        scan.begin()
    return _matched(view, model, terms), scan.result()


def _matched(view: View, model: StaticModel, terms: Ints) -> Matched:
    scores = np.zeros(view.rows, np.float32)
    holding = np.zeros(len(terms), np.float32)
    counts, total = view.columns.token_count, len(view.places)
    for place, term in enumerate(terms.tolist()):
        units = view.holding(term)
        held = len(units)
        holding[place] = held
        if held:
            rarity = np.log(1 + (total - held + 0.5) / (held + 0.5)) * model.match_weight[term]
            scores[units] += view.length_factors.take(counts.take(units)) * np.float32(rarity)
    return Matched(scores, holding)


def length_factors(length_max: int, average: float) -> Floats:
    """What BM25 gives a match in a unit of so many terms, from none to the most there are."""
    share = 1 - BM25_LENGTH + BM25_LENGTH * np.arange(length_max + 1) / average
    return np.asarray((BM25_SATURATION + 1) / (1 + BM25_SATURATION * share), np.float32)


def _candidates(view: View, question: Question, keyword: Floats, cosines: Floats | None, *, depth: int) -> Ints:
    """What both arms found, fused by score and cut, with the neighbours of the best, sorted."""
    matched = np.flatnonzero(keyword)
    found = matched[top(keyword.take(matched), depth)]
    best = max(float(keyword.take(found).max(initial=0.0)), 1e-9)
    if cosines is not None:
        found = merged(found, _nearest(view, cosines, depth))
    fused = keyword.take(found) * np.float32(rel.COVERAGE_WEIGHT / best)
    if cosines is not None:
        fused += cosines.take(found) * np.float32(rel.COSINE_WEIGHT)
    seeds = found[top(fused, max(SEEDS_MAX, depth // 2))]
    if question.date is not None and cosines is not None:
        seeds = np.concatenate((seeds, _date_seeds(view, question.date, cosines)))
    return _with_neighbours(view, seeds)


def _date_seeds(view: View, wanted: NamedDate, cosines: Floats) -> Ints:
    found = view.places[_agreeing(view.columns.day.take(view.places), wanted)]
    return found[top(cosines.take(found), DATE_SEEDS_MAX)]


def _with_neighbours(view: View, seeds: Ints) -> Ints:
    reached = [seeds]
    for links, steps in ((view.links.preceding, NEIGHBOURS_BEFORE), (view.links.following, NEIGHBOURS_AFTER)):
        units = seeds
        for _ in range(steps):
            units = links[units].astype(np.int64)
            units = units[units >= 0]
            reached.append(units)
    return merged(*reached)


def _scored(
    view: View, model: StaticModel, units: Ints, question: Question, asked: rel.AskedTerms, cosines: Floats | None,
    trust: float,
) -> Scored:  # fmt: skip
    columns = view.columns
    asks = columns.asks[units]
    window = rel.Window(units, view.links.following, asks)
    held = covered = np.zeros(len(units), np.float32)
    if len(asked.terms):
        tokens, begins = columns.token_rows(units)
        held, covered = rel.coverage(model, asked, tokens, begins, window)
    if cosines is None:
        near, total = np.zeros(len(units), np.float32), covered.copy()
    else:
        near = window.spread(cosines[units]) / np.float32(trust)
        weight = rel.COSINE_WEIGHT * trust
        total = (1 - weight) * covered + weight * near
    parts = total.copy()
    total -= np.float32(rel.ASKING_PENALTY) * asks
    if question.asks_when:
        total += np.float32(rel.WHEN_BONUS) * columns.names_time[units]
    if question.date is not None:
        total += np.float32(rel.DATE_BONUS) * _date_agreement(view, units, question.date)
    if question.asks_current:
        total += rel.newest_contender(columns.moment[units], total)
    relevance = np.clip(total, 0, 1)
    return Scored(units, relevance, covered, near, relevance - parts, held)


def _date_agreement(view: View, units: Ints, wanted: NamedDate) -> Floats:
    """One for units of the asked date or that name it, a half where only one of them names a day."""
    out = _agreeing(view.columns.day[units], wanted).astype(np.float32)
    for place, unit in enumerate(units.tolist()):
        for named in view.dates.get(unit, ()):
            out[place] = max(out[place], wanted.agreement(named))
    return out


def _agreeing(days: NDArray[np.int32], wanted: NamedDate) -> NDArray[np.bool_]:
    """Which of the days the date names. Each different day is looked at once."""
    if not len(days):
        return np.zeros(0, np.bool_)
    first = int(days.min())
    offsets = days - first
    agrees = np.zeros(int(offsets.max()) + 1, np.bool_)
    agrees[offsets] = True
    for day in np.flatnonzero(agrees).tolist():
        agrees[day] = wanted.agrees_with_day(EPOCH + timedelta(days=day + first))
    return agrees[offsets]


def _ranked(view: View, scored: Scored, limit: int) -> list[Found]:
    best: dict[int, Found] = {}
    memories = view.columns.memory[scored.units]
    # Equal ones in the order they were recorded, wherever an index happens to keep them.
    order = np.lexsort((memories, -scored.relevance))
    for start in range(0, len(order), limit):
        some = order[start : start + limit]
        told = [part.take(some).tolist() for part in (memories, *scored[1:])]
        for seq, relevance, covered, near, corrections, held in zip(*told, strict=True):
            if seq in best:
                continue
            best[seq] = Found(
                seq, relevance, covered, min(near, 1.0), round(corrections, CORRECTION_DIGITS) or 0.0, held
            )
            if len(best) == limit:
                return list(best.values())
    return list(best.values())
