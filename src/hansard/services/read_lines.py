"""Reads the ledger files of a repository: their lines without secrets, and which of them cannot be taken in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hansard.domain import lines, mirror
from hansard.domain.errors import GuardRefused, Invalid
from hansard.domain.frontmatter import Warned
from hansard.domain.lines import Line
from hansard.domain.mirror import Skipped
from hansard.domain.vocabulary import Subject
from hansard.services.admission import Allowed, cleaned, refuse_line
from hansard.workspace.files import Enclosure

if TYPE_CHECKING:
    from hansard.guard.gate import Redaction

FILE_BYTES_MAX = 256 * 1024 * 1024


class Arrived(NamedTuple):
    """A line of a file, and where it stands."""

    kind: Subject
    number: int
    line: Line
    decided_as: str | None = None
    cleared: bool = False
    found: tuple[Redaction, ...] = ()
    """The secrets that were taken out of it."""


class Screened(NamedTuple):
    """The lines of the files, those that are refused whatever the record says, and what cannot be read."""

    arrived: list[Arrived]
    refused: list[tuple[Arrived, str]]
    faults: dict[Subject, list[Warned]]
    warnings: dict[Subject, list[Warned]]


def read_ledger(files: Enclosure) -> tuple[dict[Subject, bytes], list[Skipped]]:
    """The bytes of the ledger files, and which of them cannot be read."""
    data: dict[Subject, bytes] = {}
    skipped: list[Skipped] = []
    for kind, path in mirror.LEDGER.items():
        try:
            said = files.read(path, bytes_max=FILE_BYTES_MAX + 1)
        except (OSError, Invalid) as error:
            reason = error.message.rstrip(".") if isinstance(error, Invalid) else error.strerror or str(error)
            skipped.append(Skipped(path, reason))
            continue
        if said is not None and len(said) > FILE_BYTES_MAX:
            skipped.append(Skipped(path, f"larger than {FILE_BYTES_MAX:,} bytes"))
        elif said:
            data[kind] = said
    return data, skipped


def read_lines(
    data: Mapping[Subject, bytes], same: Mapping[Subject, frozenset[bytes]], allowed: Allowed | None
) -> Screened:
    """The lines of these files without their secrets, but for those that are spelled like these."""
    read = Screened([], [], {}, {})
    for kind, said in data.items():
        reading = lines.read(kind, said, same[kind])
        for one, reason in _screened([Arrived(kind, *one) for one in reading.found], allowed):
            if reason is None:
                read.arrived.append(one)
            else:
                read.refused.append((one, reason))
        read.faults[kind] = reading.faults
        read.warnings[kind] = reading.warnings
    return read


def _screened(arrived: Sequence[Arrived], allowed: Allowed | None) -> Iterator[tuple[Arrived, str | None]]:
    """The lines without their secrets, and why one cannot be taken in. Clones redact whatever their policy is: a line
    that one refuses and another takes would keep them apart."""
    clean = cleaned([one.line for one in arrived], allowed)
    for one, (line, found) in zip(arrived, clean, strict=True):
        reason = None
        try:
            refuse_line(line)
        except GuardRefused as refusal:
            reason = refusal.message.rstrip(".")
        yield one._replace(line=line, found=found), reason
