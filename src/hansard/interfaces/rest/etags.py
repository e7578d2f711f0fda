"""Owns If-Match: the version of a record that a caller has read, and changes only if it is still that."""

from __future__ import annotations

import re
from typing import Annotated

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
