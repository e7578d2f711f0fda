"""Owns `hansard backup` and `hansard restore`: everything in one file, and back again."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from hansard.domain.policy import Act, require
from hansard.interfaces.cli.calling import Call, Column, command, counted, note, say, table
from hansard.services.admission import safe

if TYPE_CHECKING:
    from hansard.services.backup import BackedUp, Progress


@click.command()
@click.argument("file", type=click.Path())
@click.option("--force", is_flag=True, help="Replace FILE if it is there already.")
@command()
def backup(call: Call, file: str, *, force: bool) -> None:
    """Write everything to one file, while others write.

    Every project of the database is in it, each as of one moment: decisions, memories, history, vectors. The file is
    verified before it gets its name: rows, the history of every project, and the file itself. It restores into a file
    or a server, whichever it came from. Private memories are in it, so only you may read it. Your settings are in it
    too, but no key and no address.

    \b
    Example:
      hansard backup ~/backups/hansard-2026-01-31.db
      hansard --db postgresql://ana@db.example/team backup team.db --force
    """
    if file == "-":
        raise click.UsageError("A backup is verified before it gets its name, so it goes to a file and to no stream.")
    require(call.actor(call.settings()), Act.SET_UP)
    folder = Path(file).absolute().parent
    made = not folder.exists()
    with call.hansard() as hansard, bar(call) as progress:
        done = hansard.backup(file, replace=force, progress=progress)
    if made:
        note(f"The folder {safe(str(folder))} was made.")
    size = f"{done.size_bytes / 1024 / 1024:,.1f} MB"
    call.answer(_document(done), lambda: _told(done, f"The backup {safe(done.place)} ({size}) was verified"))


@click.command()
@click.argument("file", type=click.Path())
@command()
def restore(call: Call, file: str) -> None:
    """Bring a backup into an empty database, and verify it.

    The database is the one of --db or HANSARD_DB: a file that does not exist yet, or a file or a server without a
    project. A new file is there whole or not at all. A restore into a server that was interrupted goes on when it is
    called again. FILE itself is only read.

    \b
    Example:
      hansard restore hansard-2026-01-31.db --db new.db
      hansard --db postgresql://ana@db.example/team restore hansard-2026-01-31.db
    """
    from hansard.app import Hansard

    settings = call.settings()
    require(call.actor(settings), Act.SET_UP)
    with bar(call) as progress:
        done = Hansard.restore(file, settings=settings, progress=progress)
    call.answer(_document(done), lambda: _told(done, safe(f"{done.place} was restored from {file} and verified")))
    here = settings.portable()
    for name, value in done.settings.items():
        if here.get(name) != value:
            note(f"{name} was {value} where the backup was made. To set it: hansard config set {name} {quote(value)}")


def _document(done: "BackedUp") -> dict[str, Any]:
    items = [{"project": one.project.key, "rows": one.rows, "events": one.events} for one in done.projects]
    return {
        "place": safe(done.place),
        "bytes": done.size_bytes,
        "verified": True,
        "items": items,
        "settings": dict(done.settings),
    }


def _told(done: "BackedUp", sentence: str) -> None:
    columns = [Column("project", text=True), Column("rows"), Column("events")]
    rows = [[one.project.key, f"{one.rows:,}", f"{one.events:,}"] for one in done.projects]
    table(columns, rows, empty="There is no project in it.")
    say(f"{sentence}: {counted(done.rows, 'row')}, {counted(done.events, 'event')}, every history whole.")


@contextmanager
def bar(call: Call) -> "Iterator[Progress | None]":
    """A bar for a person, nothing for a program."""
    if call.as_json or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=None)
        yield lambda label, done, total: shown.update(task, description=label, completed=done, total=total)
