"""Owns how a rule's pattern becomes one of the engine: where a token may begin and end, and what all rules share."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hansard.guard.rules import Rule

if TYPE_CHECKING:
    from re import Match

LOOSE_COUNT = 4
SEEN_MAX = 500
"""Words of a text that are looked at to know which of many it holds. One with more of them may hold any."""
LEFT = r"(?:\b|_|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,9}[mK])"
"""Where a token may begin: also behind an escaped character, a colour of a terminal, or the name it was glued to."""
EDGE = re.compile(r"_|\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf])|%[0-9A-Fa-f]{2}|\[[0-9;]{0,9}[mK]")
_RIGHT = r"(?:\b|_+\b)"
_RIGHT_KEPT = r"(?:\b|(_+)\b)"
"""Where one may end: also before an underscore that only sets it off, as in Markdown, and is no part of a name."""
_COUNT = re.compile(r"\{(\d+)(?:,(\d*))?\}")


def of_shape(rule: Rule) -> str:
    return rule.pattern.replace("<left>", LEFT).replace("<right>", _RIGHT)


def of_token(rule: Rule) -> str:
    """If it has a group, that is what stands behind the token."""
    return rule.pattern.replace("<right>", _RIGHT_KEPT)


def scoped(pattern: str) -> str:
    """The pattern as one of several: what it says about upper and lower case is about itself only."""
    return f"(?i:{pattern[4:]})" if pattern.startswith("(?i)") else f"(?:{pattern})"


def loose(pattern: str) -> str:
    """The pattern with short counts for long ones. All tokens are looked for at once, by an automaton that grows with
    every count; what it finds is then matched as the rule says."""
    return _COUNT.sub(_shorter, pattern)


def _shorter(count: "Match[str]") -> str:
    least, most = int(count[1]), int(count[2] or 0) if count[2] != "" else LOOSE_COUNT + 1
    if least <= LOOSE_COUNT and most <= LOOSE_COUNT:
        return count[0]
    return f"{{{min(least, LOOSE_COUNT)},}}"


class Words:
    """Words of which one pass over a text tells which ones it may hold."""

    def __init__(self, words: Iterable[str]) -> None:
        self._all = frozenset(words)
        self.pattern = rf"(?i){'|'.join(map(re.escape, sorted(self._all)))}"
        self._hidden_by = {one: frozenset(other for other in self._all if _overlap(one, other)) for one in self._all}

    def among(self, seen: Iterable[bytes]) -> frozenset[str]:
        """The words that were seen, each with those that the pass steps over because they begin within it."""
        found: set[str] = set()
        for count, one in enumerate(seen):
            if count == SEEN_MAX:
                return self._all
            found |= self._hidden_by[one.lower().decode("latin-1")]
        return frozenset(found)


def _overlap(one: str, other: str) -> bool:
    return one in other or other in one or any(one.endswith(other[:size]) for size in range(1, len(other)))
