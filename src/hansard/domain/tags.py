"""Owns tags: whole words, lower case, each once. `cross-team` and team scope are one thing."""

import re
import unicodedata
from collections.abc import Iterable

from hansard.domain import text
from hansard.domain.errors import Invalid, TooLarge
from hansard.domain.limits import TAG_BYTES_MAX, TAGS_COUNT_MAX
from hansard.domain.vocabulary import Scope

CROSS_TEAM = "cross-team"
_BLANKS = re.compile(r"\s+")


def normalise(values: Iterable[str] | str | None) -> tuple[str, ...]:
    """The tags in the order first given. A string is read as a comma-separated list."""
    if not values:
        return ()
    if not isinstance(values, Iterable):
        raise Invalid(f"tags must be a list of words, not {type(values).__name__}.")
    raw = values.split(",") if isinstance(values, str) else values
    seen: dict[str, None] = {}
    for value in raw:
        for part in _parts(value):
            seen[part] = None
    if len(seen) > TAGS_COUNT_MAX:
        raise TooLarge(f"{len(seen)} tags given; the limit is {TAGS_COUNT_MAX}.")
    return tuple(seen)


def with_scope(tags: tuple[str, ...], scope: Scope | None) -> tuple[tuple[str, ...], Scope]:
    """Tags and scope brought into step: either of `cross-team` and team scope implies the other."""
    if scope is Scope.TEAM and CROSS_TEAM not in tags:
        return (*tags, CROSS_TEAM), Scope.TEAM
    if CROSS_TEAM in tags:
        return tags, Scope.TEAM
    return tags, scope or Scope.AGENT


def _parts(value: str) -> Iterable[str]:
    if not isinstance(value, str):
        raise Invalid(f"a tag must be text, not {type(value).__name__}.")
    for piece in value.split(","):
        if piece.strip():
            cleaned = text.line(piece, field="tag", bytes_max=TAG_BYTES_MAX)
            tag = unicodedata.normalize("NFC", _BLANKS.sub("-", cleaned).lower())
            yield text.within(tag, field="tag", bytes_max=TAG_BYTES_MAX)
