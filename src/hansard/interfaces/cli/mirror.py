"""Owns the commands about the mirror: export, import and sync."""

import click

from hansard.domain.errors import HansardError, MirrorBusy
from hansard.domain.mirror import ExportReport, FileWarning, ImportReport, LedgerReport, Renamed
from hansard.domain.vocabulary import Subject
from hansard.interfaces import shapes
from hansard.interfaces.cli.backup import bar
from hansard.interfaces.cli.calling import Call, Column, command, counted, note, say, table
from hansard.interfaces.cli.edge import EXIT_FAILED
from hansard.project import Project
from hansard.services import mirror
from hansard.services.sync import MESSAGE, Synced

SILENT_SECONDS = 1.0
WAIT_SECONDS_MAX = 60.0
"""How long an export waits for another one: before it says so, and at most."""

_root = click.option(
    "--root", metavar="PATH", type=click.Path(), help="Folder of the mirror; default: the project's on this machine."
)
_verbose = click.option("--verbose", is_flag=True, help="List files of the inbox folder that are known already, too.")


@click.command("export")
@_root
@_verbose
@command()
def export(call: Call, root: str | None, *, verbose: bool) -> int:
    """Write decisions, proposals, shared memories and the session to files.

    They stand below .squad and .agentweaver/context in the project's folder,
    and as lines for other clones in .hansard/ledger.
    A new proposal in the inbox folder is imported first. A file that somebody
    edited by hand is set aside, and reported. Another export of the same folder
    is waited for, up to a minute. Ends with exit code 1 if a file could not be
    written, or one of the inbox folder could not be read.

    \b
    Example:
      hansard export
      hansard export --root ../shop --json
    """
    with call.project() as project, bar(call) as progress:
        try:
            report: ExportReport = project.export(root, wait_seconds=SILENT_SECONDS, progress=progress)
        except MirrorBusy:
            note("Waiting for another export of this folder…")
            report = project.export(root, wait_seconds=WAIT_SECONDS_MAX, progress=progress)
    call.answer(shapes.exported(report), lambda: _exported(report, verbose=verbose))
    return EXIT_FAILED if report.failed or is_unread(report.inbox) else 0


@click.command("import")
@_root
@_verbose
@command()
def import_(call: Call, root: str | None, *, verbose: bool) -> int:
    """Take in what other clones and files of the inbox folder bring.

    Decisions, proposals and shared memories that a pull brought in .hansard/ledger
    are merged by their ids; only a person or a service takes in what was decided.
    New proposals in the inbox folder are added. What was known stays, at least as an
    earlier version. The import itself changes no file; the mirror follows what it
    brought, as it follows every change.
    Ends with exit code 1 if a file could not be read or was refused; it is
    reported, and all others are imported.

    \b
    Example:
      hansard import
    """
    with call.project() as project, bar(call) as progress:
        report: ImportReport = project.import_inbox(root, progress=progress)
    call.answer(shapes.imported(report), lambda: _imported(report, verbose=verbose))
    return EXIT_FAILED if is_unread(report) else 0


@click.command("sync")
@_root
@click.option("--commit", is_flag=True, help="Commit these files, and nothing else.")
@click.option("-m", "--message", default=MESSAGE, show_default=True, help="Message of the commit.")
@command()
def sync(call: Call, root: str | None, message: str, *, commit: bool) -> int:
    """Show what changed under the mirror since the last commit.

    .gitattributes and .gitignore are among these files while the lines that
    `hansard init` added are all that is new in them. A file with a secret in it
    is not committed, and then nothing is.

    \b
    Example:
      hansard sync
      hansard sync --commit -m "What we decided today"
    """
    with call.project() as project:
        done: Synced = project.sync(root, commit=commit, message=message)

    def shown() -> None:
        rows = [[one.status, one.path] for one in done.items]
        table(["status", Column("file", text=True, cut_front=True)], rows, empty="The mirror is as committed.")
        if done.commit is not None:
            say(f"Committed {counted(len(done.items), 'file')} as {done.commit[:12]}.")

    call.answer(shapes.synced(done), shown)
    return 0


def is_unread(report: ImportReport) -> bool:
    """Whether a file was skipped for any other reason than that it is known."""
    return any(not one.known for one in (*report.skipped, *report.ledger.skipped))


def adopt_new(project: Project) -> None:
    """Takes in what lies in the inbox folder when work starts, and says so beside the answer. Nothing fails by it."""
    try:
        report = mirror.import_new(project.seat())
    except HansardError as error:
        note(f"The inbox folder was not read: {error.message}")
        return
    for one in report.imported:
        note(f"Imported: {one.path} as {one.ref} ({one.slug})")
    for skipped in report.skipped:
        if not skipped.known:
            note(f"Skipped: {skipped.path}: {skipped.reason}")


def _exported(report: ExportReport, *, verbose: bool) -> None:
    counts = [(len(report.written), "written"), (len(report.unchanged), "unchanged"), (len(report.removed), "removed")]
    say(f"{report.root}: " + ", ".join(f"{number:,} {word}" for number, word in counts if number or word == "written"))
    for aside in report.set_aside:
        told = "; a secret in it was replaced by a mark, revoke it" if aside.redacted else ""
        say(f"Set aside: {aside.path} was changed by somebody else and is kept as {aside.kept}{told}")
    for failed in report.failed:
        say(f"Failed: {failed.path}: {failed.reason}")
    for waiting in report.waiting:
        say(f"Left alone: {waiting.path}: {waiting.reason}")
    if report.inbox != ImportReport():
        _imported(report.inbox, verbose=verbose)


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
    for one in report.renamed:
        say(renamed_told(one))
    for slug in report.conflicts:
        say(f"Conflict: two clones changed the same record; {slug} in the inbox shows both.")
    for skipped in report.skipped:
        say(f"Skipped: {skipped.path}: {skipped.reason}")
    for warned in report.warnings:
        say(f"{warned.path}:{warned.line}: {warned.problem}; {warned.fix}")


def renamed_told(one: Renamed) -> str:
    """What became of a number or a slug that two clones gave out."""
    noun = "decision" if one.kind is Subject.DECISION else "proposal"
    what = "number" if one.before.startswith(("D-", "P-")) else "slug"
    return f"{one.before} ({one.title}) is {one.after} now: another clone's {noun} has the {what}."


def tell_files(report: ImportReport, *, verbose: bool = False) -> None:
    """Says what became of the files of the inbox folder, each of them once; those that are known only as a number."""
    for one in report.imported:
        say(f"Imported: {one.path} as {one.ref} ({one.slug})")
    faults: dict[tuple[str, str], FileWarning] = {(one.path, one.problem): one for one in reversed(report.warnings)}
    known = 0
    for skipped in report.skipped:
        fault = faults.pop((skipped.path, skipped.reason), None)
        if fault is not None:
            say(f"Skipped: {fault.path}:{fault.line}: {fault.problem}; {fault.fix}")
        elif verbose or not skipped.settled:
            say(f"Skipped: {skipped.path}: {skipped.reason}")
        else:
            known += 1
    if known:
        say(f"Known already: {counted(known, 'file')} of the inbox folder.")
    for warned in report.warnings:
        if (warned.path, warned.problem) in faults:
            say(f"{warned.path}:{warned.line}: {warned.problem}; {warned.fix}")


def _imported(report: ImportReport, *, verbose: bool) -> None:
    tell_ledger(report.ledger)
    tell_files(report, verbose=verbose)
    if report == ImportReport():
        say("There is nothing to import.")
