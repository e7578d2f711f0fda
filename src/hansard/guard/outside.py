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
SPOTS_MAX = 5
"""How many places a reviewer is shown for each rule."""
SPOT_CHARACTERS_MAX = 160
_AROUND = " \t\r\n.!?:;,(>*#-"


class Rule(NamedTuple):
    """One row of the file: what a reviewer is told, what it finds, and whether that also counts where it is code."""

    id: str
    sign: str
    pattern: str
    in_code: bool
    matches: tuple[str, ...]
    spares: tuple[str, ...]


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in the order in which their signs are told."""
    import json

    raw = json.loads(FILE.read_text(encoding="utf-8"))

    def pattern_of(row: dict[str, str]) -> str:
        whole = re.sub("<([a-z]+)>", lambda name: raw["pieces"].get(name[1], name[0]), row["pattern"])
        return f"(?im){whole.replace(' ', GAP)}"

    return tuple(
        Rule(row["id"], one["sign"], pattern_of(row), one["in_code"], tuple(row["matches"]), tuple(row["spares"]))
        for one in raw["signs"]
        for row in one["rules"]
    )


def remarks_of(text: str) -> tuple[str, ...]:
    """What the rules find in a text: the sign of each that matches, each once, in the order of the file."""
    return tuple(dict.fromkeys(rules()[place].sign for place, _ in _found(text)))


def spots_of(text: str) -> tuple[tuple[str, str], ...]:
    """The same with the words that match, on one line, for whoever reviews them."""
    found = [(rules()[place], data) for place, data in _found(text)]
    return tuple(dict.fromkeys((rule.sign, words) for rule, data in found for words in _words(rule, data)))


def _found(text: str) -> list[tuple[int, bytes]]:
    """The places of the rules that match, each with what it was that they match."""
    data = text.encode("utf-8", "replace")
    found: list[tuple[int, bytes]] = []
    for in_code, places, automaton in _automata():
        read, matched = data, automaton.Match(data)
        if matched and not in_code and 0 < data.count(b"`") + data.count(b"~~~") <= CODE_MARKS_MAX:
            read = _compiled(CODE).sub(b"\0", data)
            matched = automaton.Match(read)
        found += [(places[number], read) for number in matched or ()]
    return sorted(found)


def _words(rule: Rule, data: bytes) -> Iterator[str]:
    from itertools import islice

    from hansard.domain.text import numbered

    for match in islice(_compiled(rule.pattern).finditer(data), SPOTS_MAX):
        # A rule may begin with the end of the sentence before.
        said = " ".join(match.group().decode("utf-8", "replace").strip(_AROUND).split())
        yield numbered(said if len(said) <= SPOT_CHARACTERS_MAX else f"{said[: SPOT_CHARACTERS_MAX - 1]}…")


@cache
def _automata() -> "tuple[tuple[bool, list[int], Set], ...]":
    """The rules as a few automata: a pass over a text tells which of them it holds, in linear time. What reaches over a
    whole line does so in code, so each sign there has its own: in one, a hostile text leads to ever new states."""
    # Imported here: a command that judges no text needs no engine.
    import re2

    options = re2.Options()
    made: dict[str, tuple[bool, list[int], Set]] = {}
    for place, rule in enumerate(rules()):
        own = rule.sign if rule.in_code else ""
        _, places, automaton = made.setdefault(own, (rule.in_code, [], re2.Set.SearchSet(options)))
        automaton.Add(rule.pattern)
        places.append(place)
    for _, _, automaton in made.values():
        automaton.Compile()
    return tuple(made.values())


@cache
def _compiled(pattern: str) -> "_Regexp":
    import re2

    return re2.compile(pattern.encode())
