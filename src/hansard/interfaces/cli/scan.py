"""Looks for secrets in what is stored: `hansard scan`."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import Call, Column, command, counted, note, say, table
from hansard.interfaces.cli.edge import EXIT_FAILED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hansard.services.scan import Finding, Progress, ScanReport

SHOWN_MAX = 50
CLEARED = "\r\x1b[K"
"""What takes away the line that a terminal shows."""


@click.command()
@click.option("--redact", is_flag=True, help="Take what is found out of records, earlier versions, index and logs.")
@command()
def scan(call: Call, *, redact: bool) -> int:
    """Look for secrets in everything that the project holds.

    These are its records and logs, and on this machine the files of the mirror, copies that were set aside, and
    note files. Redacting writes the files of the mirror anew; all others are named and left alone.
    Exits with 1 if something is found that still stands there. Redacting leaves the history whole, and can be
    repeated or interrupted.

    \b
    Example:
      hansard scan
      hansard scan --redact
    """
    with call.project() as project, _shown(call) as progress:
        report = project.scan(redact=redact, progress=progress)
    call.answer(shapes.scanned(report), lambda: _tell(report, redact=redact))
    left = report.found if not redact else sum(one.stays for one in report.findings)
    return EXIT_FAILED if left else 0


@contextmanager
def _shown(call: Call) -> Iterator[Progress | None]:
    """How far the scan is, for a person at a terminal; the line is gone when the scan ends, however it ends."""
    if call.as_json or not sys.stderr.isatty():
        yield None
        return

    def told(what: str, done: int, total: int) -> None:
        of = f" of {total:,}" if total else ""
        print(f"{CLEARED}{what}: {done:,}{of}", end="", file=sys.stderr, flush=True)

    try:
        yield told
    finally:
        print(CLEARED, end="", file=sys.stderr, flush=True)


def _tell(report: ScanReport, *, redact: bool) -> None:
    if not report.found:
        say(f"No secret in {counted(report.texts, 'text')}.")
        return
    rows = [
        [one.place, one.field, one.kind, str(one.version or ""), one.ref or one.id]
        for one in report.findings[:SHOWN_MAX]
    ]
    # The end of a path is what tells two files apart.
    what = Column("what", text=True, cut_front=True)
    table(["where", "field", "kind", "version", what], rows, empty="")
    if report.found > SHOWN_MAX:
        say(f"… and {report.found - SHOWN_MAX:,} more; --json lists them.")
    if redact:
        say(f"{_done(report)} Whoever has the secret can still use it: revoke it.")
        note("Backups, other clones and the history of git still hold it: none of them is rewritten. Scan clones too.")
    else:
        found = f"{counted(report.found, 'secret')} in {counted(report.texts, 'text')}."
        say(f"{found} {_remedy(report)}")
    for one in _staying(report.findings):
        place = one.id if one.place == "file" else f"{one.place} {one.ref or one.id}".rstrip()
        say(f"A secret in {_field(one)} of {place} stays: {one.fix}.")


def _done(report: ScanReport) -> str:
    records = f"redacted {counted(report.redacted, 'record')}" if report.redacted else ""
    files = len({one.id for one in report.findings if one.place == "file" and not one.stays})
    written = f"wrote {counted(files, 'file')} anew without it" if files else ""
    done = " and ".join(filter(None, (records, written))) or "nothing could be redacted"
    return f"{done[0].upper()}{done[1:]}."


def _remedy(report: ScanReport) -> str:
    staying = sum(one.stays for one in report.findings)
    if staying >= report.found:
        return f"`hansard scan --redact` does not take {'it' if report.found == 1 else 'them'} out."
    which = f"{report.found - staying:,} of them" if staying else "it" if report.found == 1 else "them"
    return f"`hansard scan --redact` takes {which} out."


def _field(one: Finding) -> str:
    return one.field if one.place == "file" else f"the {one.field}"


def _staying(findings: tuple[Finding, ...]) -> list[Finding]:
    return [one for one in findings if one.stays][:SHOWN_MAX]
