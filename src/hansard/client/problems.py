"""Owns how a refusal of the server becomes the error that the embedded call raises: by its code, never by its words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache

from hansard.domain.errors import (
    Conflict,
    Denied,
    HansardError,
    Invalid,
    NotFound,
    ServerUnreachable,
    StaleVersion,
    TooLarge,
    TooManyWrites,
    Unauthenticated,
    Unavailable,
)

KINDS: Mapping[int, type[HansardError]] = {
    401: Unauthenticated,
    403: Denied,
    404: NotFound,
    409: Conflict,
    412: StaleVersion,
    413: TooLarge,
    429: TooManyWrites,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
"""What a status means if its code is one that only HTTP has, or a proxy answered."""
WORDS_MAX = 500
MESSAGE_CHARACTERS_MAX = 4_000
"""How much of a message is kept. It ends up in terminals and logs, and no Hansard says as much."""
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal obeys, or cannot show."""


def error_of(status: int, body: bytes) -> HansardError:
    """The error that an answer stands for."""
    problem = _problem(body)
    said = problem.get("detail") or f"The server answered {status}: {_words(body)}"
    return error_for(problem.get("code", ""), said, KINDS.get(status, Invalid if 300 <= status < 500 else HansardError))


def error_for(code: str, message: str, otherwise: type[HansardError] = HansardError) -> HansardError:
    return _by_code().get(code, otherwise)(_cleaned(message))


def code_of(body: bytes) -> str:
    return _problem(body).get("code", "")


def foreign(who: str, what: str) -> ServerUnreachable:
    """The error for an answer that no Hansard gives."""
    return ServerUnreachable(
        f"{who} answered something that is not Hansard's: {what}."
        " Check the address, what stands between, and the server's version."
    )


@cache
def _by_code() -> dict[str, type[HansardError]]:
    # A class without a code of its own is a distinction that only the ledger makes; the reader is told the general one.
    return {kind.code: kind for kind in _tree(HansardError) if "code" in vars(kind)}


def _tree(kind: type[HansardError]) -> Iterator[type[HansardError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _tree(child)


def _problem(body: bytes) -> Mapping[str, str]:
    """What a problem says in words. All else of it, and whatever is no problem, is passed over."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return {name: said for name, said in found.items() if isinstance(said, str)} if isinstance(found, dict) else {}


def _cleaned(message: str) -> str:
    is_long = len(message) > MESSAGE_CHARACTERS_MAX
    kept = message[: MESSAGE_CHARACTERS_MAX - 1] + "…" if is_long else message
    return _OBEYED.sub("\ufffd", kept)


def _words(body: bytes) -> str:
    return " ".join(body[:WORDS_MAX].decode("utf-8", "replace").split()) or "no words"
