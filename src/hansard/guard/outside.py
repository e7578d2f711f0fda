"""Owns the rules for words from outside: reads outside.json once, and says what they find in a text."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from re2 import Set, _Regexp

FILE = Path(__file__).with_name("outside.json")
GAP = r"[\s*_>]+"
"""What a blank of a pattern stands for: a sentence goes on behind the end of a line, a quotation mark or emphasis."""
CODE = r"(?s)```.*?(?:```|\x00|\z)|~~~.*?(?:~~~|\x00|\z)|``[^\n\x00]+?``|`[^`\n\x00]+`"
"""What stands in code. The last fence of a text may stay open, and a text of several ends where a NUL is."""
CODE_MARKS_MAX = 4_000
"""A text with more marks of code is read as it stands: to take it apart would cost more than to review it."""
AUTOMATON_BYTES_MAX = 32 * 1_048_576
SPOTS_MAX = 5
"""How many places a reviewer is shown for each rule."""
SPOT_CHARACTERS_MAX = 160
_AROUND = " \t\r\n.!?:;,(>*#-"


class Rule(NamedTuple):
    """One row of the file: what it finds, and what it must find and leave alone."""

    id: str
    pattern: str
    matches: tuple[str, ...]
    spares: tuple[str, ...]


class Group(NamedTuple):
    """The rules of one sign, and whether what they find also counts where it stands in code."""

    sign: str
    in_code: bool
    rules: tuple[Rule, ...]


@cache
def groups() -> tuple[Group, ...]:
    """All rules, in the order in which their signs are told."""
    import json

    raw = json.loads(FILE.read_text(encoding="utf-8"))

    def rule(row: dict[str, list[str]] | dict[str, str]) -> Rule:
        whole = re.sub("<([a-z]+)>", lambda name: raw["pieces"].get(name[1], name[0]), str(row["pattern"]))
        pattern = f"(?im){whole.replace(' ', GAP)}"
        return Rule(str(row["id"]), pattern, tuple(row["matches"]), tuple(row["spares"]))

    return tuple(Group(one["sign"], one["in_code"], tuple(map(rule, one["rules"]))) for one in raw["signs"])


def remarks_of(text: str) -> tuple[str, ...]:
    """What the rules find in a text: the sign of each that matches, each once, in the order of the file."""
    return tuple(group.sign for group, _, _ in _found(text))


def spots_of(text: str) -> tuple[tuple[str, str], ...]:
    """The same with the words that match, on one line, for whoever reviews them."""
    found = [(group.sign, words) for group, data, places in _found(text) for words in _words(group, data, places)]
    return tuple(dict.fromkeys(found))


def _found(text: str) -> Iterator[tuple[Group, bytes, list[int]]]:
    """The groups of which a rule matches, with what was read, and which of their rules do."""
    data, plain = text.encode("utf-8", "replace"), None
    for group, automaton in zip(groups(), _automata(), strict=True):
        read, places = data, automaton.Match(data)
        if places and not group.in_code:
            plain = _plain(data) if plain is None else plain
            read, places = plain, automaton.Match(plain)
        if places:
            yield group, read, sorted(places)


def _plain(data: bytes) -> bytes:
    """A text without what it only quotes."""
    marks = data.count(b"`") + data.count(b"~~~")
    return _compiled(CODE).sub(b"\0", data) if 0 < marks <= CODE_MARKS_MAX else data


def _words(group: Group, data: bytes, places: list[int]) -> Iterator[str]:
    from itertools import islice

    from hansard.domain.text import numbered

    for place in places:
        for match in islice(_compiled(group.rules[place].pattern).finditer(data), SPOTS_MAX):
            # A rule may begin with the end of the sentence before.
            said = " ".join(match.group().decode("utf-8", "replace").strip(_AROUND).split())
            yield numbered(said if len(said) <= SPOT_CHARACTERS_MAX else f"{said[: SPOT_CHARACTERS_MAX - 1]}…")


@cache
def _automata() -> "tuple[Set, ...]":
    """One automaton for the rules of each sign: a pass over a text tells which of them it holds, in linear time. One
    for all of them would have so many states that a hostile text leads it to ever new ones."""
    # Imported here: a command that judges no text needs no engine.
    import re2

    options = re2.Options()
    options.max_mem = AUTOMATON_BYTES_MAX
    made = tuple(re2.Set.SearchSet(options) for _ in groups())
    for group, automaton in zip(groups(), made, strict=True):
        for rule in group.rules:
            automaton.Add(rule.pattern)
        automaton.Compile()
    return made


@cache
def _compiled(pattern: str) -> "_Regexp":
    import re2

    return re2.compile(pattern.encode())
