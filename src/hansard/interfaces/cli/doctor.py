"""Owns `hansard doctor`: what is wrong with a database and its projects, and what to do about it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from hansard.domain.errors import (
    HansardError,
    StoreBusy,
    StoreCorrupt,
    StoreUnreachable,
    Unavailable,
    UnknownProject,
    UnknownStore,
)
from hansard.domain.findings import Finding, Severity, fine, problem
from hansard.interfaces import shapes
from hansard.interfaces.cli.backup import bar
from hansard.interfaces.cli.calling import Call, command, counted, say
from hansard.interfaces.cli.config import read_settings
from hansard.interfaces.cli.edge import EXIT_FAILED

if TYPE_CHECKING:
    from hansard.services.backup import Progress
    from hansard.settings import Settings

DATABASE_ADVICE = "Do what is said there, and look again."
SETTINGS_ADVICE = "Do what is said there, or mend it with `hansard config set` or `unset`."


@click.command()
@click.option("--all", "all_projects", is_flag=True, help="Examine every project of the database.")
@click.option("--full", is_flag=True, help="Also do what is slow: every index, every reference, every history.")
@command()
def doctor(call: Call, *, all_projects: bool, full: bool) -> int:
    """Find what is wrong, and say what to do about it.

    Looks at the settings, the database, its disk and its rights, and at the project: its history, vectors, erasures,
    boundaries, folders and the mirror's files. Nothing is changed. Ends with exit code 1 if there is a problem; a
    warning is none.

    \b
    Example:
      hansard doctor
      hansard doctor --all --full --json
    """
    settings, faults = read_settings(call)
    findings = [problem("settings", fault, SETTINGS_ADVICE) for fault in faults]
    findings = findings or [fine("settings", "Every setting can be used.")]
    with bar(call) as progress:
        findings += _examined(call, settings, (all_projects, full), progress)
    counts = {severity: sum(one.severity is severity for one in findings) for severity in Severity}
    call.answer(shapes.findings(findings), lambda: _told(findings, counts))
    return EXIT_FAILED if counts[Severity.PROBLEM] else 0


def _examined(
    call: Call, settings: "Settings", wanted: tuple[bool, bool], progress: "Progress | None"
) -> list[Finding]:
    """What is found in the database, or that it cannot be opened."""
    from hansard.app import Hansard

    all_projects, full = wanted
    try:
        opened = Hansard.open(settings=settings, as_is=True)
    except StoreBusy:
        # That others are at work says nothing of the database.
        raise
    except UnknownStore as error:
        return [problem("database", error.message, "Make one with `hansard init`, or restore a backup.")]
    except HansardError as error:
        advice = "Mend what is said there, or restore a backup elsewhere."
        return [problem("database", error.message, advice if isinstance(error, StoreCorrupt) else DATABASE_ADVICE)]
    with opened as hansard:
        if all_projects:
            return list(hansard.doctor(full=full, progress=progress))
        try:
            key = hansard.project(settings.project, actor=call.actor(settings)).key
        except UnknownProject as error:
            if settings.project is not None:
                raise
            told = fine("project", f"{error.message} Only the database was examined; --all examines its projects.")
            return [*hansard.doctor((), full=full, progress=progress), told]
        except (StoreBusy, StoreUnreachable):
            raise
        except Unavailable:
            # What is wrong with the list of projects is a finding like any other.
            return list(hansard.doctor(full=full, progress=progress))
        return list(hansard.doctor((key,), full=full, progress=progress))


def _told(findings: Sequence[Finding], counts: dict[Severity, int]) -> None:
    for one in findings:
        where = f"{one.project}: " if one.project else ""
        say(f"{one.severity:<8} {where}{one.check}: {one.found}")
        if one.advice:
            say(f"{'':<8} -> {one.advice}")
    say("")
    if counts[Severity.PROBLEM] or counts[Severity.WARNING]:
        say(f"{counted(counts[Severity.PROBLEM], 'problem')}, {counted(counts[Severity.WARNING], 'warning')}.")
    else:
        say("Nothing is wrong.")
