"""Owns how a text that names a part of itself again, as YAML may, is written out for a reader of lines."""

import re
from collections.abc import Sequence

LINES_MAX = 1_000
"""So many lines are written out in all: a few names may stand for any number of them."""
IN_LINE_CHARACTERS_MAX = 100
_KEY = r"(?:[\w-][\w -]{0,60}:)?"
_NAMED = re.compile(rf"^([ \t]*+)((?:- )?{_KEY})[ \t]*+&([\w-]{{1,60}})(?:[ \t]+(\S.*))?$")
_AGAIN = re.compile(rf"^([ \t]*+)((?:- )?{_KEY})[ \t]*+\*([\w-]{{1,60}})[ \t]*$")
_IN_BRACKETS = re.compile(r"(?<=[\[, ])\*([\w-]{1,60})(?=[ \t]*[,\]])")


def written_out(lines: Sequence[str]) -> list[str]:
    """The lines with what `&name` names also where `*name` stands. A name that nobody gave stays as it is."""
    known: dict[str, list[str]] = {}
    found: list[str] = []
    left = LINES_MAX
    for number, line in enumerate(lines):
        named = _NAMED.match(line) if "&" in line else None
        again = _AGAIN.match(line) if known and "*" in line else None
        if named and named[2]:
            # With a value on its line, what stands below is no part of it.
            below = [] if named[4] else _below(lines, number, len(named[1]), is_item=named[2][0] == "-")
            known[named[3]] = below or [named[4] or ""]
            found.append(f"{named[1]}{named[2]} {named[4] or ''}".rstrip())
        elif again and again[2] and len(known.get(again[3], ())) in range(1, left + 1):
            first, *rest = known[again[3]]
            left -= 1 + len(rest)
            head = f"{again[1]}{again[2].rstrip()}"
            found += [head, first, *rest] if rest or first[:1] in " \t-" else [f"{head} {first}"]
        elif known and "*" in line and "[" in line:
            found.append(_IN_BRACKETS.sub(lambda one: _in_line(known.get(one[1], ()), one[0]), line))
        else:
            found.append(line)
    return found


def _in_line(value: Sequence[str], name: str) -> str:
    """The value if it is a word or a few. What has brackets of its own would make the line another one."""
    plain = len(value) == 1 and len(value[0]) <= IN_LINE_CHARACTERS_MAX and value[0][:1] not in {"[", "{"}
    return value[0] if plain else name


def _below(lines: Sequence[str], number: int, indent: int, *, is_item: bool) -> list[str]:
    """The lines that belong to a key or an item: those that stand further in, and the items of a key."""
    found: list[str] = []
    for line in lines[number + 1 : number + 1 + LINES_MAX]:
        bare = line.lstrip(" \t")
        inner = len(line) - len(bare)
        if not bare or inner < indent or (inner == indent and (is_item or not bare.startswith("- "))):
            break
        found.append(line)
    return found
