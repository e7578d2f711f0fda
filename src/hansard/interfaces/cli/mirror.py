"""Owns the commands about the mirror: export, import and sync."""

from pathlib import Path
from typing import Any

import click

from hansard.domain.mirror import ExportReport, ImportReport, LedgerReport
from hansard.interfaces.cli.calling import Call, Column, command, counted, say, table
from hansard.interfaces.cli.edge import EXIT_FAILED
from hansard.services import mirror

MESSAGE = "Update the mirror of decisions and memory"

_root = click.option(
    "--root", metavar="PATH", type=click.Path(), help="Folder of the mirror; default: the project's on this machine."
)


@click.command("export")
@_root
@command()
def export(call: Call, root: str | None) -> int:
    """Write decisions, proposals, shared memories and the session to files.

    They stand below .squad and .agentweaver/context in the project's folder.
    A new proposal in the inbox folder is imported first. A file that somebody
    edited by hand is set aside, and reported. Ends with exit code 1 if a file
    could not be written, or one of the inbox folder could not be read.

    \b
    Example:
      hansard export
      hansard export --root ../shop --json
    """
    with call.project() as project:
        report: ExportReport = project.export(root)
    call.answer(_document(report), lambda: _exported(report))
    return EXIT_FAILED if report.failed or _is_unread(report.inbox) else 0


@click.command("import")
@_root
@command()
def import_(call: Call, root: str | None) -> int:
    """Take in what other clones and files of the inbox folder bring.

    Decisions, proposals and shared memories that a pull brought in .hansard/ledger
    are merged by their ids; only a person or a service takes in what was decided.
    New proposals in the inbox folder are added. No file is changed, and what was
    known stays, at least as an earlier version.
    Ends with exit code 1 if a file could not be read or was refused; it is
    reported, and all others are imported.

    \b
    Example:
      hansard import
    """
    with call.project() as project:
        report: ImportReport = project.import_inbox(root)
    call.answer(_import_document(report), lambda: _imported(report))
    return EXIT_FAILED if _is_unread(report) else 0


@click.command("sync")
@_root
@click.option("--commit", is_flag=True, help="Commit these files, and nothing else.")
@click.option("-m", "--message", default=MESSAGE, show_default=True, help="Message of the commit.")
@command()
def sync(call: Call, root: str | None, message: str, *, commit: bool) -> int:
    """Show what changed under the mirror since the last commit.

    \b
    Example:
      hansard sync
      hansard sync --commit -m "What we decided today"
    """
    from hansard.workspace import git

    with call.project() as project:
        place: Path = mirror.home(project.seat(), root)
    found = git.changes(place)
    made = git.commit(place, [one.path for one in found], message) if commit and found else None
    document = {"root": str(place), "items": [one._asdict() for one in found], "commit": made}

    def shown() -> None:
        rows = [[one.status, one.path] for one in found]
        table(["status", Column("file", text=True, cut_front=True)], rows, empty="The mirror is as committed.")
        if made is not None:
            say(f"Committed {counted(len(found), 'file')} as {made[:12]}.")

    call.answer(document, shown)
    return 0


def _is_unread(report: ImportReport) -> bool:
    """Whether a file was skipped for any other reason than that it is known."""
    return any(not one.known for one in (*report.skipped, *report.ledger.skipped))


def _document(report: ExportReport) -> dict[str, Any]:
    told = {name: list(getattr(report, name)) for name in ("written", "unchanged", "removed")}
    several = {name: [one._asdict() for one in getattr(report, name)] for name in ("set_aside", "failed", "waiting")}
    return {"root": report.root, **told, **several, "inbox": _import_document(report.inbox)}


def _import_document(report: ImportReport) -> dict[str, Any]:
    told = {name: [one._asdict() for one in getattr(report, name)] for name in ("imported", "skipped", "warnings")}
    return {**told, "ledger": ledger_document(report.ledger)}


def ledger_document(report: LedgerReport) -> dict[str, Any]:
    several = {name: [one._asdict() for one in getattr(report, name)] for name in ("skipped", "warnings")}
    return {**report._asdict(), "conflicts": list(report.conflicts), **several}


def _exported(report: ExportReport) -> None:
    counts = [(len(report.written), "written"), (len(report.unchanged), "unchanged"), (len(report.removed), "removed")]
    say(f"{report.root}: " + ", ".join(f"{number:,} {word}" for number, word in counts if number or word == "written"))
    for aside in report.set_aside:
        say(f"Set aside: {aside.path} was changed by somebody else and is kept as {aside.kept}")
    for failed in report.failed:
        say(f"Failed: {failed.path}: {failed.reason}")
    for waiting in report.waiting:
        say(f"Left alone: {waiting.path}: {waiting.reason}")
    if report.inbox != ImportReport():
        _imported(report.inbox)


def tell_ledger(report: LedgerReport) -> None:
    """Says what was taken in of the team's ledger, if there was anything to say."""
    counts = [
        (report.decisions, "decision", "decisions"),
        (report.proposals, "proposal", "proposals"),
        (report.memories, "memory", "memories"),
    ]
    told = [f"{number:,} {one if number == 1 else many}" for number, one, many in counts if number]
    if told:
        listed = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
        only = sum(number for number, _, _ in counts) == 1
        say(f"{listed} of the team {'was' if only else 'were'} taken in.")
    if report.updated:
        say(f"{counted(report.updated, 'record')} changed as other clones changed them.")
    if report.forgotten:
        say(f"Forgotten as in other clones: {report.forgotten:,}")
    for slug in report.conflicts:
        say(f"Conflict: two clones changed the same record; {slug} in the inbox shows both.")
    for skipped in report.skipped:
        say(f"Skipped: {skipped.path}: {skipped.reason}")
    for warned in report.warnings:
        say(f"{warned.path}:{warned.line}: {warned.problem}; {warned.fix}")


def _imported(report: ImportReport) -> None:
    tell_ledger(report.ledger)
    for one in report.imported:
        say(f"Imported: {one.path} as {one.ref} ({one.slug})")
    for skipped in report.skipped:
        say(f"Skipped: {skipped.path}: {skipped.reason}")
    for warned in report.warnings:
        say(f"{warned.path}:{warned.line}: {warned.problem}; {warned.fix}")
    if report == ImportReport():
        say("There is nothing to import.")
