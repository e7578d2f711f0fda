"""Owns how a sentence is held against many patterns: only against those of which it has a word."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

SENTENCE_CHARACTERS_MAX = 600
"""So much of a sentence is looked at: it says early what it is, and a line may have megabytes."""
UNLESS = r"(?!(?:if|when|whether|unless|until|while|why|how|what|falls|wenn|ob|warum|wie)\b)"
"""A condition or a question in other words states nothing."""
_CONDITION = re.compile(UNLESS, re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


class Sentence:
    """A sentence, its beginning, and its words, by which most patterns are ruled out without being tried."""

    __slots__ = ("early", "folded", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.early = text[:SENTENCE_CHARACTERS_MAX]
        folded = text.casefold()
        self.folded = folded if len(text) <= SENTENCE_CHARACTERS_MAX else self.early.casefold()
        self.words = frozenset(_WORD.findall(folded))


class Rule(NamedTuple):
    """A pattern that no sentence matches without one of the words; `then` is looked for behind it."""

    words: frozenset[str]
    pattern: re.Pattern[str]
    then: re.Pattern[str] | None = None
    unless: re.Pattern[str] | None = None


class Rules(NamedTuple):
    """Rules that are held against a sentence together: every word that one of them needs, and who needs it."""

    words: frozenset[str]
    needing: Mapping[str, tuple[Rule, ...]]


def rules(*every: Rule) -> Rules:
    words = frozenset[str]().union(*(one.words for one in every))
    return Rules(words, {word: tuple(one for one in every if word in one.words) for word in words})


def rule(words: str, pattern: str, *, then: str = "", unless: str = "") -> Rule:
    """A rule. A sentence that begins with `unless` does not keep it.

    Two parts with anything between them are a pattern and its `then`: in one pattern they would take the square of the
    time for a sentence that repeats the first part.
    """
    return Rule(frozenset(words.casefold().split()), _compiled(pattern), _optional(then), _optional(unless))


def leads(pattern: re.Pattern[str], sentence: Sentence, count_max: int) -> list[int]:
    """Where a sentence may begin: at its beginning, and behind each of the first few words that only lead to it."""
    found = [0]
    for _ in range(count_max):
        lead = pattern.match(sentence.early, found[-1])
        if lead is None or lead.end() == found[-1]:
            break
        found.append(lead.end())
    return found


def applies(rules: Rules, sentence: Sentence, starts: Sequence[int] = ()) -> bool:
    """Whether a sentence keeps one of the rules, from one of the starts on; without any, wherever it stands."""
    for word in rules.words & sentence.words:
        for one in rules.needing[word]:
            if _keeps(one, sentence.early, starts):
                return True
    return False


def is_condition(sentence: Sentence) -> bool:
    """Whether a sentence begins as a condition or as a question in other words."""
    return _CONDITION.match(sentence.early) is None


def _keeps(one: Rule, early: str, starts: Sequence[int]) -> bool:
    if one.unless is not None and one.unless.match(early):
        return False
    if not starts:
        found = one.pattern.search(early)
        return found is not None and _goes_on(one, early, found.end())
    for start in starts:
        found = one.pattern.match(early, start)
        if found is not None and _goes_on(one, early, found.end()):
            return True
    return False


def _goes_on(one: Rule, early: str, end: int) -> bool:
    return one.then is None or one.then.search(early, end) is not None


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _optional(pattern: str) -> re.Pattern[str] | None:
    return _compiled(pattern) if pattern else None
