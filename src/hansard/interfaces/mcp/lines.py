"""Owns what a line of a host is: a message for the server, nothing at all, or something that is refused in words.

The SDK passes over in silence what it cannot read, and a host would wait for ever. So every line is looked at first.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any, NamedTuple

PARSE_ERROR = -32_700
INVALID_REQUEST = -32_600
DEPTH_MAX = 100
"""How deep a message may be nested. The SDK reads twice as deep, and no tool takes more than three."""
DIGITS_MAX = 1_000
REPLACED = "hansard/replaced"
"""The name in `_meta` under which a tool learns how many characters could not be read."""

_WORDS = frozenset({"jsonrpc", "id", "method", "params"})
_HALF = re.compile("[\ud800-\udfff]")
_MARK = "\ufffd"
# A string that never ends takes all the rest, so that looking through a line once is enough.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_NAMED = re.compile(r'\s*:\s*(-?\d{1,18}(?![\d.eE])|"(?:[^"\\]++|\\.)*+")', re.DOTALL)


class Line(NamedTuple):
    """What is handed on, and what is answered instead. A line that wants nothing has neither."""

    text: str = ""
    refusal: str | None = None


def checked(raw: bytes, *, posted: bool = False) -> Line:
    """A line as it came in. What is handed on is a request or a notification that the SDK can read.

    What was posted is answered in any case, so a wrong notification is refused as well.
    """
    text = raw.decode("utf-8", "replace")
    if not text.strip():
        return Line()
    too_long: list[str] = []

    def whole(digits: str) -> int | None:
        if len(digits) <= DIGITS_MAX:
            return int(digits)
        too_long.append(digits)
        return None

    try:
        said = json.loads(text, parse_int=whole)
    except RecursionError:
        return _refused(INVALID_REQUEST, _too_deep(), _identity_in(text))
    except ValueError:
        return _refused(PARSE_ERROR, "This is not JSON.", _identity_in(text))
    if not isinstance(said, dict):
        return _refused(INVALID_REQUEST, "Send each message as one JSON object; batches are not taken.", None)
    if "method" not in said and ("result" in said or "error" in said):
        # Nothing is ever asked of a host, so this answers nothing.
        return Line()
    wrong = f"A number has more than {DIGITS_MAX:,} digits." if too_long else _wrong(said)
    if wrong is None:
        lost = 0 if text.isascii() else text.count(_MARK) - raw.count(_MARK.encode())
        return Line(_handed_on(text, said, lost))
    is_notification = "method" in said and "id" not in said
    return Line() if is_notification and not posted else _refused(INVALID_REQUEST, wrong, said.get("id"))


def _wrong(said: dict[str, Any]) -> str | None:
    """What is wrong with a message, if anything is."""
    identity = said.get("id", "")
    if said.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0".'
    if not isinstance(said.get("method"), str):
        return "method must be a text."
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        return "id must be a text or a whole number."
    if isinstance(identity, str) and _HALF.search(identity):
        return "id has half a character in it."
    if not isinstance(said.get("params", {}), dict | None):
        return "params must be an object."
    return _too_deep() if _depth(said) > DEPTH_MAX else None


def _handed_on(text: str, said: dict[str, Any], lost: int) -> str:
    """The message as the SDK gets it: with its own words only, and no half of a character.

    A host that cuts a text in the middle of an emoji sends such a half. The text is worth more than the character.
    """
    message = {name: value for name, value in said.items() if name in _WORDS}
    halves = len(_HALF.findall(json.dumps(message, ensure_ascii=False))) if "\\u" in text else 0
    if not halves and not lost:
        return text if len(message) == len(said) else json.dumps(message) + "\n"
    params = message.get("params")
    if isinstance(params, dict) and isinstance(params.get("_meta", {}), dict):
        message["params"] = params | {"_meta": params.get("_meta", {}) | {REPLACED: halves + lost}}
    return _HALF.sub(_MARK, json.dumps(message, ensure_ascii=False)) + "\n"


def _refused(code: int, words: str, identity: Any) -> Line:
    is_named = isinstance(identity, str | int | float) and not isinstance(identity, bool)
    # A number that has no end cannot be written in JSON.
    is_endless = isinstance(identity, float) and not isfinite(identity)
    said = {"jsonrpc": "2.0", "id": identity if is_named and not is_endless else None}
    return Line(refusal=json.dumps(said | {"error": {"code": code, "message": words}}) + "\n")


def _identity_in(text: str) -> str | int | None:
    """The id of a message that cannot be read, so that whoever waits for its answer hears of it."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        elif token[0] == '"id"' and depth == 1 and (named := _NAMED.match(text, token.end())):
            return _plain(named[1])
    return None


def _plain(word: str) -> str | int | None:
    try:
        found = json.loads(word, strict=False)
    except ValueError:
        return None
    return found if isinstance(found, str | int) else None


def _depth(said: Any) -> int:
    """How deep a message is nested. Looked at level by level: it may be deeper than calls can go."""
    depth = 0
    level = [said]
    while level and depth <= DEPTH_MAX:
        depth += 1
        level = [
            one
            for holder in level
            for one in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(one, dict | list)
        ]
    return depth


def _too_deep() -> str:
    return f"The message is nested more than {DEPTH_MAX} deep."
