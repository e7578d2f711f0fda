"""Owns the comparison of versions: a change is made to what its caller has read, or to nothing."""

from __future__ import annotations

from hansard.domain.errors import StaleVersion, shown
from hansard.domain.numbers import refuse_truth


def refuse_stale(what: str, version: int, expected_version: int | None) -> None:
    """Raises StaleVersion if the record is at another version than the caller expects; None expects nothing."""
    refuse_truth(expected_version, "expected_version")
    if expected_version is not None and expected_version != version:
        raise StaleVersion(f"{what} is at version {version}, not {shown(expected_version)}; read it again.")
