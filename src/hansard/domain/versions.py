"""Owns the comparison of versions: a change is made to what its caller has read, or to nothing."""

from __future__ import annotations

from hansard.domain.errors import Invalid, StaleVersion, shown
from hansard.domain.numbers import refuse_truth

VERSION_DIGITS_MAX = 9


def pinned(reference: str, expected_version: int | None) -> tuple[str, int | None]:
    """A reference and the version it names: `P-7@2` is version 2 of P-7. No id, number or slug has an `@`."""
    if not isinstance(reference, str) or "@" not in reference:
        return reference, expected_version
    wanted, _, named = reference.strip().rpartition("@")
    if not named.isascii() or not named.isdecimal() or len(named) > VERSION_DIGITS_MAX:
        raise Invalid(f"{shown(reference)} names no version; write it like P-7@2.")
    refuse_truth(expected_version, "expected_version")
    if expected_version not in (None, int(named)):
        raise Invalid(f"{shown(reference)} and expected_version {shown(expected_version)} are two versions; name one.")
    return wanted, int(named)


def refuse_stale(what: str, version: int, expected_version: int | None) -> None:
    """Raises StaleVersion if the record is at another version than the caller expects; None expects nothing."""
    refuse_truth(expected_version, "expected_version")
    if expected_version is not None and expected_version != version:
        raise StaleVersion(f"{what} is at version {version}, not {shown(expected_version)}; read it again.")
