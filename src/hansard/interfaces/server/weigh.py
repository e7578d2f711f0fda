"""Owns what a large body may hold: reading JSON of a million small parts would keep everybody else waiting."""

from __future__ import annotations

import re
from collections.abc import Iterator

WEIGHED_BYTES = 64 * 1024
"""What is smaller is read in no time, whatever it holds."""
PARTS_MAX = 800_000
"""Values and texts in one body. The largest batch that REST takes has fewer."""
KEYS_MAX = 1_000
"""Keys of one object. None that anything here reads has as many."""
DEPTH_MAX = 100
_BETWEEN = re.compile(rb'[^"{}\[\],:]{1,65536}')
_WITHIN = re.compile(rb'(?:[^"\\]{1,4096}|\\.){1,64}', re.DOTALL)
"""A piece of what stands between two marks, and of a text. A piece is short: matching lets no other thread go on."""
_QUOTE = 0x22
_WIDE = (b"\xff\xfe", b"\xfe\xff")
"""How text begins whose characters have several bytes each. JSON is read of it too, but its marks stand elsewhere."""


def fault_of(body: bytes) -> str | None:
    """What is too much about a body that should be JSON; None if it may be read. Whether it is JSON is not asked.

    It goes from part to part in Python, so that other threads get on meanwhile; reading the whole is one long step.
    """
    if b"\0" in body[:4] or body[:2] in _WIDE:
        return "It must be UTF-8."
    parts = 0
    keys: list[int] = []
    for mark in _marks(body):
        match mark:
            case "{" | "[":
                keys.append(0)
                parts += 1
                if len(keys) > DEPTH_MAX:
                    return f"It is nested deeper than {DEPTH_MAX} levels."
            case "}" | "]":
                if keys:
                    keys.pop()
            case ":" if keys:
                keys[-1] += 1
                if keys[-1] > KEYS_MAX:
                    return f"An object in it has more than {KEYS_MAX:,} keys."
            case _:
                parts += 1
        if parts > PARTS_MAX:
            return f"It has more than {PARTS_MAX:,} parts."
    return None


def _marks(body: bytes) -> Iterator[str]:
    """The marks that JSON is made of, in order. A text has one, at its beginning."""
    at, end, inside = 0, len(body), False
    while at < end:
        piece = (_WITHIN if inside else _BETWEEN).match(body, at)
        if piece is not None:
            at = piece.end()
            continue
        if body[at] == _QUOTE:
            inside = not inside
            if inside:
                yield '"'
        elif inside:
            return  # It ends after a backslash.
        else:
            yield chr(body[at])
        at += 1
