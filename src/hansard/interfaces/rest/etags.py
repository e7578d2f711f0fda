"""Owns If-Match: the version of a record that a caller has read, and changes only if it is still that."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from fastapi import Header

from hansard.domain.errors import Invalid, quoted

_TAG = re.compile(r'(?:W/)?"?([0-9]{1,9})"?')

IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description='The ETag that was read, such as "3". If the record is at another version, nothing is changed.',
    ),
]


NO_VERSION = (
    "This address takes no If-Match: it is about no single record, or changes none. Leave the header out, or name the"
    " versions in the body where it has room for them."
)


def refusing_if_match(work: Callable[..., Any]) -> Callable[..., Any]:
    """The work of an address that goes by no version: whoever names one is refused rather than passed over."""

    @wraps(work)
    def asked(**said: Any) -> Any:
        if said["request"].headers.get("if-match", "*").strip() not in ("", "*"):
            raise Invalid(NO_VERSION)
        return work(**said)

    return asked


def expected(if_match: str | None, named: int | None = None) -> int | None:
    """The version that the header or the body asks for; None if any will do. Raises Invalid for two of them."""
    if if_match is None or if_match.strip() in ("", "*"):
        return named
    found = _TAG.fullmatch(if_match.strip())
    if found is None:
        raise Invalid(f'If-Match must be the ETag of a record, such as "3"; {quoted(if_match)} is not.')
    version = int(found.group(1))
    if named not in (None, version):
        raise Invalid(f"If-Match says version {version} and the body version {named}; name one.")
    return version
