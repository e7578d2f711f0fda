"""Owns how a question is read: the words that tell something, and what it asks for besides words."""

import re
from typing import NamedTuple

from hansard.domain.dates import NamedDate, dates_in
from hansard.domain.units import split_identifiers
from hansard.domain.words import words_of

QUESTION_CHARACTERS_MAX = 4_000
"""A longer question is read up to here: past a few hundred words more text only blurs what is asked."""
QUESTION_WORDS_MAX = 64

STOP_WORDS = frozenset(
    """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it
    its itself they them their theirs themselves what which who whom this that these those am is are was were be been
    being have has had having do does did doing a an the and but if or because as until while of at by for with about
    against between into through during before after above below to from up down in out on off over under again further
    then once here there when where why how all any both each few more most other some such no nor not only own same so
    than too very s t can will just don should now would could might may must shall re ve ll d m didn doesn isn aren
    wasn weren hasn haven hadn won wouldn couldn shouldn mustn many much us ever also however
    """.split()
)
_WHEN = re.compile(r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b", re.IGNORECASE)
_CURRENT = re.compile(
    r"\b(?:current|currently|now|nowadays|latest|newest|most recent|at the moment|today|these days|up to date)\b",
    re.IGNORECASE,
)


class Question(NamedTuple):
    """A question, read once."""

    text: str
    words: tuple[str, ...]
    asks_when: bool
    asks_current: bool
    date: NamedDate | None
    cut: bool


def read(text: str) -> Question:
    """The question as the index needs it. Stop words count only if there is nothing else."""
    kept = split_identifiers(text[:QUESTION_CHARACTERS_MAX])
    marks = dict.fromkeys(words_of(kept))
    every = [word for word in marks if any(map(str.isalnum, word))]
    telling = tuple(word for word in every if word not in STOP_WORDS) or tuple(every)
    return Question(
        text=kept,
        words=telling[:QUESTION_WORDS_MAX],
        asks_when=_WHEN.search(kept) is not None,
        asks_current=_CURRENT.search(kept) is not None,
        date=next(dates_in(kept), None),
        cut=len(text) > QUESTION_CHARACTERS_MAX,
    )
