"""Owns how a rule's pattern becomes one of the engine: where a token may begin and end, and what all rules share."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hansard.guard.familiar import PASSAGE_CHARACTERS
from hansard.guard.floods import share_of
from hansard.guard.rules import Rule

if TYPE_CHECKING:
    from re import Match

    from re2 import Options, Set, _Regexp

LOOSE_COUNT = 4
SHAPE_COUNT = 8
"""How many characters of a long value are counted where many patterns are looked for at once."""
PLACES_MAX = 50
"""Places of a text that are looked at one by one, in each million characters. One with more of them is gone through as
a whole."""
Span = tuple[int, int]
AUTOMATON_BYTES_MAX = 32 * 1_048_576
GROUP_CHARACTERS_MAX = 8_192
"""No secret is longer than that, with what stands before it. Only a private key is, which has a rule of its own."""
SHORT_CHARACTERS_MAX, LONG_CHARACTERS_MIN = 512, 8_192
COMMAND_CHARACTERS_MAX = 4_096
"""How far behind the word of a command its secret may stand."""
AROUND_CHARACTERS = 2_048
"""How far around a word that is no beginning its secret is looked for, if the word stands in few places."""
LEFT = r"(?:\b|_|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,9}[mK])"
"""Where a token may begin: also behind an escaped character, a colour of a terminal, or the name it was glued to."""
EDGE = re.compile(r"_|\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf])|%[0-9A-Fa-f]{2}|\[[0-9;]{0,9}[mK]")
_EDGE_BEFORE = re.compile(rf"(?:{EDGE.pattern})\Z")
_EDGE_CHARACTERS_MAX = 12
_PART = r"(?:[^\n|;&]|&[^\n|;&])*?"
_ARGUMENTS = "<args>"
"""Of a command, as few of them as lead to what follows."""
_RIGHT = r"(?:\b|_+\b)"
_RIGHT_KEPT = r"(?:\b|(_+)\b)"
"""Where one may end: also before an underscore that only sets it off, as in Markdown, and is no part of a name."""
_COUNT = re.compile(r"\{(\d+)(?:,(\d*))?\}")
_REST = re.compile(r"\{(\d+),?\d*\}(?:=\{0,2\})?(?:<right>|\(\?:\\b\|\(_\)\))?\Z")
_SHAPE_REST = re.compile(
    r"(\[(?:\\.|[^\]\\])+\])\{(\d+),?\d*\}(?:=\{\d,?\d?\})?\)(?:<right>|\(\?:\[\^[^\]]*\]\|\$\)|\\b)?\Z"
)
_ANYTHING = re.compile(r"\(?\[[^\]]+\]\+")


def of_shape(rule: Rule) -> str:
    return _filled(rule.pattern).replace(_ARGUMENTS, f"(?:[ \\t]{_PART})??")


def of_further(rule: Rule) -> str | None:
    """What the rule finds once more in the same command, whose options may come again: another command follows it, and
    whoever took the last option of a line for the only one would let the first one pass."""
    _, arguments, option = rule.pattern.partition(_ARGUMENTS)
    return (
        f"{rule.pattern[:4] if rule.pattern.startswith('(?i)') else ''}{_PART}{_filled(option)}" if arguments else None
    )


def _filled(pattern: str) -> str:
    # In a quoted text a quote has backslashes before it.
    return pattern.replace("<left>", LEFT).replace("<right>", _RIGHT).replace("[\"']?", "(?:\\\\{0,3}[\"'])?")


def of_token(rule: Rule) -> str:
    """If it has a group, that is what stands behind the token."""
    return rule.pattern.replace("<right>", _RIGHT_KEPT)


def opening_of_token(rule: Rule) -> str:
    """How a token begins, with few characters of its value: where a long one ends is asked only where one begins. Back
    from there to its beginning, random letters lead an automaton of all tokens to ever new states."""
    short = _REST.sub(lambda count: f"{{{min(int(count[1]), LOOSE_COUNT)}}}", rule.pattern)
    return loose(short.replace("<right>", _RIGHT_KEPT))


def opening_of_shape(rule: Rule) -> str:
    """The same of what stands around a secret, up to the first characters of that."""
    short = _SHAPE_REST.sub(lambda found: f"{found[1]}{{{min(int(found[2]), LOOSE_COUNT)}}})", rule.pattern)
    return loose_shape(scoped(_filled(short)))


def begins_anywhere(pattern: str) -> bool:
    """Whether what a pattern finds may begin with any letter, as often as one likes."""
    return LEFT in pattern or _ANYTHING.match(pattern) is not None


def scoped(pattern: str) -> str:
    """The pattern as one of several: what it says about upper and lower case is about itself only."""
    return f"(?i:{pattern[4:]})" if pattern.startswith("(?i)") else f"(?:{pattern})"


def loose(pattern: str) -> str:
    """The pattern with short counts for long ones. All tokens are looked for at once, by an automaton that grows with
    every count; what it finds is then matched as the rule says."""
    return _COUNT.sub(_shorter, pattern)


def loose_shape(pattern: str) -> str:
    """The same of what stands around a secret. What may be left out is counted as before, or one match would go on over
    the next."""
    return _COUNT.sub(lambda count: f"{{{SHAPE_COUNT},}}" if int(count[1]) > SHAPE_COUNT else count[0], pattern)


def _shorter(count: "Match[str]") -> str:
    least, most = int(count[1]), int(count[2] or 0) if count[2] != "" else LOOSE_COUNT + 1
    if least <= LOOSE_COUNT and most <= LOOSE_COUNT:
        return count[0]
    return f"{{{min(least, LOOSE_COUNT)},}}"


def begins(rule: Rule) -> bool:
    """Whether whatever the rule finds begins with the word that it is looked up by."""
    return rule.pattern.removeprefix("(?i)").startswith(f"<left>{rule.words[0].rstrip()}")


def places_of(lowered: str, *words: str) -> list[int]:
    """Where the words stand, in order, up to one more than can be looked at one by one."""
    most = places_max(lowered)
    places: list[int] = []
    for word in words:
        place = lowered.find(word)
        while place >= 0 and len(places) <= most:
            places.append(place)
            place = lowered.find(word, place + 1)
    return sorted(places)


def places_max(text: str) -> int:
    return share_of(PLACES_MAX, len(text))


def beginnings(text: str, places: Sequence[int]) -> list[int]:
    """Where tokens may begin whose letters stand at these places: each with the edge before it, if it has one."""
    made: list[int] = []
    for place in places:
        before = text[max(0, place - _EDGE_CHARACTERS_MAX) : place]
        if not before or not (before[-1].isascii() and (before[-1].isalnum() or before[-1] == "_")):
            made.append(place)
        elif edge := _EDGE_BEFORE.search(before):
            made.append(place - len(edge.group()))
    return made


def options() -> "Options":
    """One byte is one character, and an automaton has room for the states that ordinary texts lead to."""
    import re2

    made = re2.Options()
    made.encoding = re2.Options.Encoding.LATIN1
    made.max_mem = AUTOMATON_BYTES_MAX
    made.log_errors = False
    return made


def set_of(patterns: Iterable[str], chosen: "Options") -> "Set":
    """Tells of a text which of the patterns it holds, in one pass."""
    import re2

    made = re2.Set.SearchSet(chosen)
    for pattern in patterns:
        made.Add(pattern.encode("ascii"))
    made.Compile()
    return made


class Regexps:
    """Compiles each pattern when a text first needs it, for an engine whose time is linear in the text."""

    def __init__(self) -> None:
        import re2

        self._with_groups, self._without_groups = options(), options()
        # Without groups a match is found by two runs of an automaton; taking it apart costs ten times as much.
        self._without_groups.never_capture = True
        self._make = re2.compile
        self._compiled: dict[tuple[str, bool], _Regexp] = {}
        self._sets: dict[str, Set] = {}

    def get(self, pattern: str, *, groups: bool = True) -> "_Regexp":
        made = self._compiled.get((pattern, groups))
        if made is None:
            chosen = self._with_groups if groups else self._without_groups
            made = self._compiled[pattern, groups] = self._make(pattern.encode("ascii"), chosen)
        return made

    def holds(self, pattern: str, data: bytes) -> bool:
        """Whether the pattern stands anywhere. In a short text, and where a long one begins, it is not asked where:
        from the end of a match back to its beginning, random letters lead a large automaton to ever new states, which
        takes a thousand times as long. In a long one they do so behind the first match."""
        made = self._sets.get(pattern)
        if made is None:
            made = self._sets[pattern] = set_of([pattern], self._without_groups)
        # What is found at the beginning spares the rest, which may be made of nothing but beginnings.
        if made.Match(data[:SHORT_CHARACTERS_MAX]):
            return True
        if len(data) > LONG_CHARACTERS_MIN:
            return self.get(pattern, groups=False).search(data) is not None
        return len(data) > SHORT_CHARACTERS_MAX and bool(made.Match(data))

    def spans(self, pattern: str, places: Sequence[int] | None, data: bytes, start: int = 0) -> Iterator[Span]:
        """Where what the pattern finds from there on stands, none overlapping another: at these places, or anywhere."""
        regexp = self.get(pattern, groups=False)
        if places is not None:
            return _at(regexp, places, data, start, GROUP_CHARACTERS_MAX)
        return (match.span() for match in regexp.finditer(data, start))

    def opened(self, opening: str, pattern: str, data: bytes, start: int = 0) -> Iterator[Span]:
        """The same of what the pattern finds where the opening does. Of what only begins like it, the opening."""
        search, match = self.get(opening, groups=False).search, self.get(pattern, groups=False).match
        while (begun := search(data, start)) is not None:
            first, stop = begun.span()
            whole = match(data, first)
            yield first, stop if whole is None else whole.end()
            start = first + 1 if whole is None else whole.end()

    def inside(self, pattern: str, places: Sequence[int], data: bytes, start: int = 0) -> Iterator[Span]:
        """The same around these places, which are somewhere in what the pattern finds."""
        regexp = self.get(pattern, groups=False)
        for place in places:
            start, stop = max(start, place - AROUND_CHARACTERS), place + AROUND_CHARACTERS
            while start < stop and (match := regexp.search(data, start, stop)) is not None:
                if match.end() == stop:
                    match = regexp.match(data, match.start()) or match
                yield match.span()
                start = max(match.end(), start + 1)

    def chains(self, pattern: str, further: str, places: Sequence[int] | None, data: bytes) -> Iterator[Span]:
        """The same, and behind each what the second pattern finds there again and again."""
        reach, more = 0, self.get(further, groups=False).match
        if places is None:
            begun = self.spans(pattern, None, data)
        else:
            begun = _at(self.get(pattern, groups=False), places, data, 0, COMMAND_CHARACTERS_MAX)
        for first in begun:
            span = first if first[0] >= reach else None
            while span is not None:
                yield span
                reach = span[1]
                match = more(data, reach, reach + COMMAND_CHARACTERS_MAX)
                span = match.span() if match is not None else None


def _at(regexp: "_Regexp", places: Sequence[int], data: bytes, start: int, most: int) -> Iterator[Span]:
    for place in places[bisect_left(places, start) :]:
        if place < start:
            continue
        # What is no match after so many characters is none: a line may be long, and hold the word many times.
        match = regexp.match(data, place, place + most)
        if match is not None and match.end() == place + most:
            match = regexp.match(data, place)
        if match is not None:
            span = match.span()
            start = span[1]
            yield span


class Words:
    """Words of which one pass over a text tells where it holds them, however many these are."""

    def __init__(self, words: Iterable[str]) -> None:
        without_case = options()
        without_case.case_sensitive = False
        self._words = sorted(words)
        self._reach = max(map(len, self._words)) - 1
        self._set = set_of(map(re.escape, self._words), without_case)

    def places_in(self, data: bytes, lowered: str) -> dict[str, list[int]]:
        """Of each word that the text holds, as `places_of` tells."""
        most = places_max(lowered)
        places: dict[int, list[int]] = {}
        # To look for each word in all of the text takes ten times as long as to look where it is.
        for start in range(0, len(data), PASSAGE_CHARACTERS):
            end = start + PASSAGE_CHARACTERS
            for number in self._set.Match(data[start : end + self._reach]) or ():
                word, told = self._words[number], places.setdefault(number, [])
                stop = end + len(word) - 1
                place = lowered.find(word, start, stop) if len(told) <= most else -1
                while place >= 0 and len(told) <= most:
                    told.append(place)
                    place = lowered.find(word, place + 1, stop)
        return {self._words[number]: told for number, told in sorted(places.items()) if told}
