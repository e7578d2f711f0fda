"""Owns what a leak is: where a secret stands in a text, and how it is taken out of it."""

from collections.abc import Sequence
from typing import NamedTuple

from hansard.guard.values import MARK_OPEN


class Leak(NamedTuple):
    """One secret in a text: characters `start` to `end`, and by which rule it was found."""

    start: int
    end: int
    rule: str
    kind: str


def mark(leak: Leak) -> str:
    """What stands where a secret stood."""
    return f"{MARK_OPEN}{leak.kind}]"


def redacted(text: str, leaks: Sequence[Leak]) -> str:
    """The text with each leak replaced by `[REDACTED:kind]`. Scanning the result finds nothing."""
    parts: list[str] = []
    end = 0
    for leak in leaks:
        parts += (text[end : leak.start], mark(leak))
        end = leak.end
    return "".join((*parts, text[end:]))
