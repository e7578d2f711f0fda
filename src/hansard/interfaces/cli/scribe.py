"""Owns `hansard scribe`: what a finished run leaves, written down once more."""

import click

from hansard.domain.runs import LineFate, ScribeReport
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import Call, Column, command, say, table

NOTHING = "Nothing to merge, and nothing of the run awaits review."


@click.command()
@click.argument("run_id")
@command()
def scribe(call: Call, run_id: str) -> None:
    """Write down again what a finished run leaves.

    `hansard run finish` does so by itself. This repeats it: the run's learning, pattern and update entries are merged,
    also those of child runs that completed. Other types await review. The open session gets one line with the
    outcome, and ends if the run opened it. What was done before is not done twice.

    \b
    Example:
      hansard scribe 019b7b1c-8f3e-7000-8000-000000000001
    """
    with call.project() as project:
        report = project.scribe(run_id)
    call.answer(shapes.scribed(report), lambda: _show(report))


def session_told(report: ScribeReport) -> list[str]:
    """One sentence about the session, if there is one to speak of."""
    if report.line is LineFate.NO_SESSION:
        return []
    told = {
        LineFate.ADDED: "has a line about the run",
        LineFate.ALREADY_THERE: "had its line about the run",
        LineFate.NO_ROOM: "has no room for a line about the run",
    }[report.line]
    if report.session_closed:
        told += " and ended with it"
    elif report.line is LineFate.NO_ROOM:
        told += "; shorten its summary and repeat"
    return [f"Session {report.session_id} {told}."]


def _show(report: ScribeReport) -> None:
    from hansard.interfaces.cli.marking import marked

    rows = [
        [
            one.entry.ref,
            one.entry.type,
            marked(one.entry.title, one.entry),
            one.entry.author,
            f"merged as {one.decision.ref}",
        ]
        for one in report.merged
    ]
    rows += [[one.ref, one.type, marked(one.title, one), one.author, "awaits review"] for one in report.awaiting_review]
    columns: list[Column | str] = ["entry", "type", Column("title", text=True), Column("author", rank=1), "now"]
    table(columns, rows, empty=NOTHING)
    for sentence in session_told(report):
        say(sentence)
