"""Inspects rights for the doctor: those that this user lacks in a server, and those that others have here."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hansard.domain.findings import Examined, Finding, fine, problem, warning
from hansard.domain.text import counted
from hansard.settings import SETTINGS, Settings

CHECK = "permissions"
TABLES_NAMED_MAX = 3
GRANTS = "Let the owner run grants.sql, as after every upgrade and after partitions.sql; docs/postgres.md has it."


def inspect_rights(examined: Examined, settings: Settings) -> Iterator[Finding]:
    """What this user may not read and should, and what others may read or write and should not."""
    places = [] if examined.file is None else [Path(examined.file), Path(examined.file).parent]
    faults = [
        *_missing_rights(examined), *_writable_by_others(places), *_readable_database(places),
        *_readable_secrets(settings),
    ]  # fmt: skip
    yield from faults
    if not faults:
        file = "" if examined.file is None else "the database's file, or "
        yield fine(CHECK, f"Nobody else may read or write {file}a secret of the settings.")
    if not examined.writes:
        # No fault: whoever only looks is given no more.
        yield fine(CHECK, "This user may read here and not write; every write is refused.")


def _missing_rights(examined: Examined) -> Iterator[Finding]:
    """Told once: every check of every project would meet the same refusal."""
    if examined.unreadable:
        tables = counted(len(examined.unreadable), "table")
        more = ", …" if len(examined.unreadable) > TABLES_NAMED_MAX else ""
        named = ", ".join(examined.unreadable[:TABLES_NAMED_MAX]) + more
        told = f"This user may not read {tables} of Hansard ({named}). The projects were not examined."
        yield problem(CHECK, told, GRANTS)


def _readable_database(places: Sequence[Path]) -> Iterator[Finding]:
    """Private memories are in the file, so whoever reads it reads them."""
    if not places:
        return
    file, folder = places
    for read, enter, who in (
        (stat.S_IROTH, stat.S_IXOTH, "Everybody on this machine"),
        (stat.S_IRGRP, stat.S_IXGRP, "The group"),
    ):
        if file.stat().st_mode & read and folder.stat().st_mode & enter:
            told = f"{who} may read {file}, and every private memory in it."
            yield warning(CHECK, told, f"Run `chmod 600 {file}`, unless that is meant.")
            return


def _writable_by_others(places: Iterable[Path]) -> Iterator[Finding]:
    for place in places:
        mode = place.stat().st_mode
        # In a folder such as /tmp nobody removes or replaces the files of others.
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            yield warning(CHECK, f"Everybody on this machine may write {place}.", f"Run `chmod o-w {place}`.")


def _readable_secrets(settings: Settings) -> Iterator[Finding]:
    for file in sorted({settings.origin(one) for one in SETTINGS if one.secret and settings.value(one) is not None}):
        place = Path(file)
        if place.is_file() and place.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
            yield warning(CHECK, f"Others may read the secret in {place}.", f"Run `chmod 600 {place}`.")
