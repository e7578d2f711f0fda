"""Owns what can be read of JSON that is torn, has text behind it, or names a key twice."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},]', re.DOTALL)
"""A whole string or one mark. A quotation mark alone begins a string that never ends."""
_CLOSERS = {"{": "}", "[": "]"}
_BEGINS = re.compile(r'\s*(?:\{\s*"|\[\s*\{)')
_DIGITS_MAX = 4_000
"""A longer number stays as it is written: Python refuses to make one of it."""
_FRAGMENT_BEGINS = frozenset('{}[]",:')
_FRAGMENT_ENDS = frozenset('{}[],"')
_WORDS = re.compile(r"(?!(?:true|false|null)\b)\b[^\W\d_]{2,}")


class Bare(str):
    """A line, or some lines, that are no JSON."""

    __slots__ = ()


class Begun(NamedTuple):
    """What stands at the beginning of a text as JSON, where it ends, and whether it ends there by itself."""

    value: Any
    end: int
    whole: bool


def loads(text: str) -> Any:
    """The value of a JSON text. A key that is there twice has both values. Raises ValueError and RecursionError."""
    return json.loads(text, object_pairs_hook=_joined, parse_int=_integer)


def lines(text: str) -> list[Any]:
    """What each line that is not blank holds; one that is no JSON stays a string."""
    found: list[Any] = []
    for line in text.split("\n"):
        if line.strip():
            try:
                found.append(loads(line))
            except (ValueError, RecursionError):
                found.append(Bare(line))
    return found


def with_texts(found: Sequence[Any]) -> list[Any]:
    """The lines with those that are no JSON joined to texts. If one of some is a fragment, all of them are strings.

    A record that is torn at the line breaks in it has lines that look like any text, and nobody knows who said them.
    """
    joined: list[Any] = []
    for is_bare, some in groupby(found, key=lambda one: isinstance(one, Bare)):
        every = list(some)
        if is_bare and not any(map(is_fragment, every)):
            joined.append(Bare("\n".join(every)))
        else:
            joined += map(str, every) if is_bare else every
    return joined


def begun(text: str) -> Begun | None:
    """As much of a text as is JSON: up to its end, or up to the last value in front of where it breaks."""
    try:
        return Begun(loads(text), len(text), whole=True)
    except json.JSONDecodeError as fault:
        breaks = fault.pos
    except (ValueError, RecursionError):
        return None
    cut, depth = _last_end(text, breaks)
    if not cut:
        return None
    try:
        return Begun(loads(text[:cut] + _closing(text, cut)), cut, whole=not depth)
    except (ValueError, RecursionError):
        return None


def begins(text: str) -> bool:
    """Whether a text begins as only JSON does."""
    return _BEGINS.match(text) is not None


def is_fragment(line: str) -> bool:
    """Whether a line may be a piece of a record that was torn."""
    bare = line.strip()
    if bare[:1] not in _FRAGMENT_BEGINS and bare[-1:] not in _FRAGMENT_ENDS:
        return False
    # "Never push to main [important]" has words, and no word of JSON stands without quotation marks.
    return '"' in bare or _WORDS.search(bare) is None


def _last_end(text: str, limit: int) -> tuple[int, int]:
    """Where the last value ends in front of the limit, and how many brackets are open there; 0 if none ends."""
    depth = 0
    last = (0, 0)
    for found in _TOKEN.finditer(text, 0, limit):
        mark = found.group()
        if mark in _CLOSERS:
            depth += 1
        elif mark in {"}", "]"}:
            depth -= 1
            last = (found.end(), depth)
            if depth <= 0:
                break
        elif mark == ",":
            last = (found.start(), depth)
        elif mark == '"':
            break
    return last


def _closing(text: str, cut: int) -> str:
    """The marks that close what is open at the cut."""
    stack: list[str] = []
    for found in _TOKEN.finditer(text, 0, cut):
        mark = found.group()
        if mark in _CLOSERS:
            stack.append(_CLOSERS[mark])
        elif mark in {"}", "]"} and stack:
            stack.pop()
    return "".join(reversed(stack))


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _DIGITS_MAX else digits


def _joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    every: dict[str, list[Any]] = {}
    for key, value in pairs:
        every.setdefault(key, []).append(value)
    return {key: values[0] if len(values) == 1 else _flat(values) for key, values in every.items()}


def _flat(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for one in values:
        found += one if isinstance(one, list) else [one]
    return found


def dumped(content: Any) -> str:
    """A value as JSON whose keys are in order, whatever they are: YAML also has keys that are no words."""
    try:
        return json.dumps(content, ensure_ascii=False, sort_keys=True)
    except TypeError:
        return json.dumps(_named(content), ensure_ascii=False, sort_keys=True, default=str)


def _named(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {
            key if isinstance(key, str) else json.dumps(key, default=str): _named(one) for key, one in content.items()
        }
    if isinstance(content, list | tuple):
        return [_named(one) for one in content]
    return content
