"""Owns slugs: the normal form of a requested one, and the free one that an author really gets."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from hansard.domain import text
from hansard.domain.errors import BadSlug, quoted
from hansard.domain.limits import SLUG_BYTES_MAX

SEPARATOR = "--"
_NOT_WORD = re.compile(r"[^a-z0-9]+")
_EFFECTIVE = re.compile(r"[a-z0-9]+(?:--?[a-z0-9]+)*")
_REFERENCE = re.compile(r"(?:[pd]-?)?[0-9]+")
_FALLBACK_DIGEST_LENGTH = 8


def words(value: str) -> str:
    """Lower-case ASCII words joined by `-`; accents are dropped, everything else separates."""
    if not value.isascii():
        decomposed = unicodedata.normalize("NFKD", value)
        value = "".join(char for char in decomposed if not unicodedata.combining(char))
    return _NOT_WORD.sub("-", value.lower()).strip("-")


def normalise(value: str, *, field: str = "slug", beside_numbers: bool = True) -> str:
    """The requested slug in its one spelling. Raises BadSlug if nothing usable is left or it is too long.

    One that stands beside numbered references may not look like one of them.
    """
    cleaned = text.line(value, field=field, bytes_max=SLUG_BYTES_MAX * 8)
    slug = words(cleaned)
    if not slug:
        raise BadSlug(f"{field} {quoted(cleaned, 60)} has no letters or digits to make a slug of; use a-z and 0-9.")
    if beside_numbers and _REFERENCE.fullmatch(slug):
        raise BadSlug(f"{field} {slug!r} looks like the number of an entry; use words.")
    if len(slug) > SLUG_BYTES_MAX:
        raise BadSlug(f"{field} is {len(slug)} bytes long; the limit is {SLUG_BYTES_MAX}.")
    return slug


def is_effective(value: str) -> bool:
    """Whether the value has the form of a slug that was given out, `--` parts included."""
    return len(value) <= SLUG_BYTES_MAX and _EFFECTIVE.fullmatch(value) is not None


@lru_cache(maxsize=4096)
def segment(author: str) -> str:
    """The part of a slug that names an author. A name without ASCII letters or digits gets a short digest."""
    made = words(author)[:60].strip("-")
    if made:
        return made
    import hashlib

    return "agent-" + hashlib.sha256(author.encode()).hexdigest()[:_FALLBACK_DIGEST_LENGTH]


def requested_part(slug: str, author: str) -> str:
    """What was requested when the author got this slug: it without the author's name and number, if it has them."""
    tail = re.search(rf"{SEPARATOR}{re.escape(segment(author))}(?:{SEPARATOR}[0-9]+)?$", slug)
    return slug[: tail.start()] if tail and tail.start() else slug


def first_free(
    requested: str, author: str, taken: Callable[[str], bool], tried: dict[tuple[str, int], int] | None = None
) -> str:
    """The requested slug, or `slug--author`, or `slug--author--2`, `--3` …: the first that nobody holds.

    `tried` is where the search goes on for many of one author: what was taken once stays so.
    """
    if not taken(requested):
        return requested
    suffix = SEPARATOR + segment(author)
    first = requested[: SLUG_BYTES_MAX - len(suffix)].rstrip("-") + suffix
    if not taken(first):
        return first
    seen = {} if tried is None else tried
    digits = 1
    while True:
        # A long slug is cut for its number, so those of one length are counted together.
        stem = requested[: SLUG_BYTES_MAX - len(suffix) - len(SEPARATOR) - digits].rstrip("-") + suffix + SEPARATOR
        number = seen.get((stem, digits), max(2, 10 ** (digits - 1)))
        while number < 10**digits and taken(f"{stem}{number}"):
            number += 1
        seen[stem, digits] = number
        if number < 10**digits:
            return f"{stem}{number}"
        digits += 1
