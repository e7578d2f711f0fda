"""Owns relevance: how well a unit answers, from 0 to 1 and comparable across questions and projects.

Two thirds are the share of the question's telling words that the unit holds, exactly or by a similar word, itself
or, at a discount, in the units around it in the same conversation; one third is the cosine of the two texts. Nothing
is normalised per question. The constants were tuned on one half of a set of dialogues and kept only where they held
on the other half and on texts of another kind; docs/adr/0010 has the table.
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hansard.embedding.static import StaticModel
from hansard.embedding.wordpiece import TERMS
from hansard.index.view import merged

Floats: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]

COVERAGE_WEIGHT = 2 / 3
COSINE_WEIGHT = 1 / 3
TOKEN_SIMILARITY_FLOOR = 0.4
"""The cosine of two words that counts as no match at all; one is the same word."""
LIKENESS_DIGITS = 4
"""More depend on how many words are compared at once, and a word would not always be like itself."""
SPELLED_SHARE_FLOOR = 0.3
"""The share of a word's letters in a row that counts as no match at all: so many are in many other words."""

UNHELD_LETTERS_WEIGHT = 0.5
"""Letters in a row that no text holds are mostly an ending, or the end of a word and the beginning of the next."""

BACKGROUND_UNITS = 1_000
"""Units of average English that steady the weights of words while a project is small."""
BACKGROUND_UNIT_TOKENS = 25

MATCHES_MAX = 8_000_000
"""So many pairs of a term and a token are compared at once; all of a long question and long units would fill memory."""

WEIGHTS_BEFORE = (0.7, 0.6, 0.4, 0.3)
"""What one to four units earlier say also counts for this unit."""
WEIGHTS_AFTER = (0.5, 0.4, 0.2, 0.1)
"""What one to four units later say also counts for this unit."""
QUESTION_WEIGHT = 1.0
"""An answer inherits every word of the question right before it."""

ASKING_PENALTY = 0.07
WHEN_BONUS = 0.07
DATE_BONUS = 0.14
CURRENT_BONUS = 0.07
CURRENT_CONTENDER_GAP = 0.2

INJECTION_FLOOR = 0.45
"""Below this the best hit is as likely chance as an answer; nothing is put into a prompt unasked."""


class Window:
    """Spreads what units say to the units around them: the larger of a unit's own value and its neighbours' share."""

    def __init__(self, units: Ints, following: NDArray[np.int32], asks: Bools) -> None:
        self._steps: list[tuple[Ints, Ints, Floats]] = []
        origin, reached = np.arange(len(units)), units
        for distance, (before, after) in enumerate(zip(WEIGHTS_BEFORE, WEIGHTS_AFTER, strict=True)):
            next_ones = following.take(reached)
            goes_on = np.flatnonzero(next_ones >= 0)
            origin, reached = origin.take(goes_on), next_ones.take(goes_on).astype(np.int64)
            place = units.searchsorted(reached).clip(max=len(units) - 1)
            here = np.flatnonzero(units.take(place) == reached)
            if not len(here):
                continue
            earlier, later = origin.take(here), place.take(here)
            weight = np.full(len(here), before, np.float32)
            if distance == 0:
                weight[asks.take(earlier)] = QUESTION_WEIGHT
            self._steps.append((later, earlier, weight))
            self._steps.append((earlier, later, np.full(len(here), after, np.float32)))

    def spread(self, own: Floats) -> Floats:
        """The windowed values; the last axis runs over units. Values below zero are never spread."""
        if not self._steps:
            return own
        out = own.copy()
        for target, origin, weight in self._steps:
            # Taken, not indexed: of these few that is a third faster.
            out[..., target] = np.maximum(out.take(target, axis=-1), own.take(origin, axis=-1) * weight)
        return out


class AskedTerms(NamedTuple):
    """The terms of a question that can be matched, and how much each tells.

    Behind those that stand for themselves come the ones that together spell a word: so many for each such word.
    """

    terms: Ints
    weights: Floats
    spelling: tuple[int, ...] = ()


def term_weights(model: StaticModel, terms: Ints, holding: Floats, total: int) -> Floats:
    """How much each term tells: rare ones more, from its frequency here and in English."""
    held = holding + _background(model)[terms]
    rarity = np.log(1 + (total + BACKGROUND_UNITS - held + 0.5) / (held + 0.5))
    weights = np.asarray(rarity * model.match_weight[terms], np.float32)
    weights[(terms >= len(model.vectors)) & (holding == 0)] *= UNHELD_LETTERS_WEIGHT
    return weights


class Covered(NamedTuple):
    """The weighted share of the asked terms that each unit holds itself, and that it or its surroundings hold."""

    alone: Floats
    around: Floats


def coverage(
    model: StaticModel, asked: AskedTerms, tokens: NDArray[np.uint16], begins: Ints, window: Window
) -> Covered:
    """How much of what is asked each unit holds.

    `tokens` are the terms of all units end to end, and `begins` says where each unit's terms start.
    """
    best, weights = _best(model, asked.terms, tokens, begins), asked.weights
    if asked.spelling:
        best, weights = _spelled(best, asked)
    spread = window.spread(best)
    alone = _share(weights, best)
    return Covered(alone, alone if spread is best else _share(weights, spread))


def _share(weights: Floats, best: Floats) -> Floats:
    """The weighted share of each unit. The last digit of a product of matrices would depend on how many there are."""
    return np.asarray(np.add.reduce(best * weights[:, None], axis=0) / weights.sum(), np.float32)


def _best(model: StaticModel, terms: Ints, tokens: NDArray[np.uint16], begins: Ints) -> Floats:
    """How well each unit matches each term by the one of its own that is most like it."""
    best = np.zeros((len(terms), len(begins)), np.float32)
    known = terms < len(model.vectors)
    if known.any():
        distinct = _distinct(tokens)
        similar = model.similarity(terms[known], distinct)
        rows, step = np.flatnonzero(known), max(1, MATCHES_MAX // len(tokens))
        for start in range(0, len(rows), step):
            some = similar[start : start + step]
            best[rows[start : start + step]] = _best_like(some, distinct, tokens, begins)
    if not known.all():
        # What the model does not know is like itself and nothing else: no table of likenesses is needed for that.
        order = np.argsort(tokens, kind="stable")
        unit = (np.searchsorted(begins, np.arange(len(tokens)), "right") - 1)[order]
        rows, ascending = np.flatnonzero(~known), tokens[order]
        wanted = terms[rows].astype(np.uint16)
        places = zip(ascending.searchsorted(wanted), ascending.searchsorted(wanted, "right"), strict=True)
        for row, (begin, end) in zip(rows.tolist(), places, strict=True):
            best[row, unit[begin:end]] = 1
    return best


def _best_like(similar: Floats, distinct: Ints, tokens: NDArray[np.uint16], begins: Ints) -> Floats:
    """The same from the likeness of each term with each distinct token. Hardly any token is like what is asked."""
    best = np.zeros((len(similar), len(begins)), np.float32)
    alike = merged(np.flatnonzero(similar.ravel() > TOKEN_SIMILARITY_FLOOR) % len(distinct))
    if not len(alike):
        return best
    matched = np.round(similar.take(alike, axis=1).T, LIKENESS_DIGITS) - np.float32(TOKEN_SIMILARITY_FLOOR)
    matched *= 1 / (1 - TOKEN_SIMILARITY_FLOOR)
    np.clip(matched, 0, 1, out=matched)
    place = np.zeros(TERMS, np.uint16)
    place[distinct[alike]] = np.arange(1, len(alike) + 1)
    found = place.take(tokens)
    held = np.flatnonzero(found)
    unit = begins.searchsorted(held, "right") - 1
    starts = np.flatnonzero(np.concatenate(([True], unit[1:] != unit[:-1])))
    best[:, unit[starts]] = np.maximum.reduceat(matched.take(found[held] - 1, axis=0), starts, axis=0).T
    return best


def _spelled(best: Floats, asked: AskedTerms) -> tuple[Floats, Floats]:
    """The same for words: one that a unit holds only some letters of counts less than those letters, or nothing."""
    alone = len(asked.terms) - sum(asked.spelling)
    counts = np.array(asked.spelling)
    begins = alone + np.cumsum(counts) - counts
    held = np.add.reduceat(best * asked.weights[:, None], begins, axis=0)
    tells = np.add.reduceat(asked.weights, begins)
    shares = (held / tells[:, None] - SPELLED_SHARE_FLOOR) / (1 - SPELLED_SHARE_FLOOR)
    return (
        np.concatenate((best[:alone], np.clip(shares, 0, 1))),
        np.concatenate((asked.weights[:alone], tells / counts)),
    )


def newest_contender(moments: Ints, relevance: Floats) -> Floats:
    """A bonus that grows with newness among the units that could answer as well as the best."""
    out = np.zeros(len(relevance), np.float32)
    contenders = np.flatnonzero(relevance >= relevance.max() - CURRENT_CONTENDER_GAP)
    order = np.sort(moments[contenders])
    steps = np.searchsorted(order[np.concatenate(([True], order[1:] != order[:-1]))], moments[contenders])
    if steps.max() > 0:
        out[contenders] = CURRENT_BONUS * steps / steps.max()
    return out


def _distinct(tokens: NDArray[np.uint16]) -> Ints:
    """The distinct tokens, ascending. Many times faster than np.unique."""
    marked = np.zeros(TERMS, np.bool_)
    # As wide as an index is inside: numpy marks by those three times faster.
    marked[tokens.astype(np.int64)] = True
    return np.flatnonzero(marked)


_BACKGROUND: dict[int, Floats] = {}


def _background(model: StaticModel) -> Floats:
    """How many of the background units hold each term, estimated from the term's rank in the vocabulary."""
    known = _BACKGROUND.get(id(model))
    if known is None:
        tokens = len(model.vectors)
        rank = np.arange(tokens) - model.wordpiece.ids["the"] + 1.0
        chance = np.where(rank >= 1, 1 / (np.maximum(rank, 1) + 2.7) / (math.log(tokens) + 0.577), 1e-4)
        known = np.zeros(len(model.match_weight), np.float32)
        known[:tokens] = BACKGROUND_UNITS * (1 - (1 - chance) ** BACKGROUND_UNIT_TOKENS)
        _BACKGROUND[id(model)] = known
    return known
