"""Owns `hansard memory index`: brings memories in step with the notes in files, once or for as long as it watches."""

import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from hansard.clock import iso
from hansard.domain.errors import Invalid, Unavailable
from hansard.domain.folders import NOTES_FOLDER, SHARED_FOLDER
from hansard.domain.notes import NoteFile, NotesReport, NoteStatus
from hansard.domain.vocabulary import Scope
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import Call, Column, command, counted, note, say, table, words
from hansard.interfaces.cli.edge import EXIT_FAILED
from hansard.interfaces.cli.stopping import stoppable
from hansard.services.admission import safe
from hansard.services.notes import Progress, index_notes
from hansard.services.seat import Seat
from hansard.workspace import notes as files
from hansard.workspace import roots
from hansard.workspace.notes import Snapshot
from hansard.workspace.watching import Lookout, Wait

WATCH_SECONDS = 1.0
PROGRESS_FILES_MIN = 20

Index = Callable[[Sequence[str], Collection[str] | None], NotesReport]


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@click.option(
    "--scope", shell_complete=words(Scope),
    help="agent (private) or team, for files outside the note folders; default: agent.",
)  # fmt: skip
@click.option("--watch", is_flag=True, help="Stay, and index what changes until stopped.")
@command()
def index(call: Call, paths: tuple[str, ...], scope: str | None, *, watch: bool) -> int:
    """Index notes in files, so that agents find them.

    Without a path these are the note folders of the project: .hansard/notes/AGENT
    is private to that agent, .hansard/notes/shared is the team's. Any other file
    belongs to the acting agent; for the team it waits for review, unless a person
    indexes it. A file that changed is followed, one that is gone is given up.
    Exits with 1 if the guard refused a file.

    \b
    Example:
      hansard memory index
      hansard memory index docs --agent tank --watch
      hansard memory index docs --agent tank --role human --scope team
    """
    with call.project() as project:
        root = _root(call.store.roots(project.record))
        seat: Seat = project.seat()
        agent: str | None = call.store.settings.agent

        def once(some: Sequence[str], only: Collection[str] | None = None) -> NotesReport:
            with _bar(call) as progress:
                return index_notes(seat, some, agent=agent, scope=scope, root=root, only=only, progress=progress)

        if not watch:
            report = once(paths)
            call.answer(shapes.indexed(report), lambda: _shown(report))
            return EXIT_FAILED if report.refused else 0
        # The look comes first: what changes while the files are indexed is seen by the next one.
        seen = files.snapshot(paths, root)
        report = once(paths)
        call.answer(shapes.indexed(report), lambda: _shown(report))
        if not call.as_json:
            note(f"Watching {', '.join(paths) or NOTES_FOLDER}; stop with Ctrl-C.")
        with stoppable(), Lookout(lambda: files.watched(paths, root), deep=True) as lookout:
            _watch(call, seen, lambda before: poll(before, paths, root, once), lookout.wait)
    return 0


def poll(before: Snapshot, paths: Sequence[str], root: Path, once: Index) -> tuple[Snapshot, NotesReport | None]:
    """One look: indexes what differs from the last one. Nothing is reported if nothing does."""
    after = files.snapshot(paths, root)
    present = [path for path in paths if Path(path).exists()]
    if after == before or (paths and not present):
        return after, None
    changed = {path for path, state in after.items() if before.get(path) != state}
    report = once(present, changed)
    # The report shows no secret, and the name of a file may be one.
    named = {safe(one) for one in changed}
    happened = [one for one in report.files if one.status is not NoteStatus.SKIPPED or one.ended or one.path in named]
    return after, NotesReport(tuple(happened))


def _watch(
    call: Call,
    seen: Snapshot,
    look: Callable[[Snapshot], tuple[Snapshot, NotesReport | None]],
    wait: Wait,
) -> None:
    hindrance: str | None = None
    try:
        while True:
            if not wait(WATCH_SECONDS) and hindrance is None:
                continue
            try:
                seen, report = look(seen)
            except (Invalid, Unavailable) as error:
                # A file that goes away under the look, or a busy store: the next look sees the same difference.
                if error.message != hindrance:
                    note(f"Not indexed yet: {error.message}")
                hindrance = error.message
                continue
            hindrance = None
            if report is not None:
                _tell(call, report)
    except KeyboardInterrupt:
        if not call.as_json:
            note("Stopped watching.")


def _tell(call: Call, report: NotesReport) -> None:
    """One line for each file that something happened to."""

    def shown() -> None:
        for one in report.files:
            if one.status is not NoteStatus.UNCHANGED:
                say(f"{iso(time.time_ns() // 1000)[11:19]}  {one.status:<9} {one.path}{_aside(one)}")

    call.answer(shapes.indexed(report), shown)
    sys.stdout.flush()


def _aside(one: NoteFile) -> str:
    return f" ({one.reason})" if one.reason else ""


def _root(registered: Sequence[str]) -> Path:
    """The project's folder that we stand in, else its first one on this machine, else where we stand.

    In a work tree that git added, it is the folder in that tree.
    """
    start = roots.working_directory()
    here = [str(folder) for folder in roots.candidates(start)]
    known = [folder for folder in here if folder in registered] or list(registered)
    return roots.place_in_tree(Path(known[0]) if known else roots.root_of(start), start)


@contextmanager
def _bar(call: Call) -> Iterator[Progress | None]:
    """A bar for a person who waits; a program and a pipe get none."""
    if call.as_json or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Indexing", visible=False)

        def moved(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=total >= PROGRESS_FILES_MIN)

        yield moved


def _shown(report: NotesReport) -> None:
    rows = [
        [
            one.path,
            one.status.value,
            one.agent or "",
            one.scope or "",
            str(one.created or ""),
            str(one.edited or ""),
            str(one.kept or ""),
            str(one.ended or ""),
            one.reason or "",
        ]
        for one in report.files
    ]
    columns = [
        Column("file", text=True, cut_front=True), Column("status"), Column("agent", rank=1), Column("scope", rank=2),
        Column("new", rank=3), Column("edited", rank=4), Column("kept", rank=6), Column("ended", rank=5),
        Column("reason", text=True, wrap=True),
    ]  # fmt: skip
    table(columns, rows, empty=f"No notes. Put some into {NOTES_FOLDER}/AGENT or {NOTES_FOLDER}/{SHARED_FOLDER}.")
    if rows:
        told = [f"{count} {status}" for status in NoteStatus if (count := report.count(status))]
        say(f"{counted(len(rows), 'file')}: {', '.join(told)}.")
