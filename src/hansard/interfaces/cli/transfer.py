"""Owns `hansard migrate-store`: projects move between a file and a server, whole and proven."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from hansard.clock import SystemClock
from hansard.domain.errors import Invalid, StoreUnreachable, UnknownProject, UnknownStore, quoted
from hansard.domain.policy import Act, require
from hansard.domain.text import visible
from hansard.interfaces.cli.calling import Call, Column, command, counted, note, say, table

if TYPE_CHECKING:
    from hansard.app import Hansard
    from hansard.services.transfer import Failed, Proven, Report
    from hansard.settings import Settings

KEYS_SHOWN_MAX = 20


@click.command("migrate-store")
@click.argument("source")
@click.argument("target")
@click.option("--only", "keys", multiple=True, metavar="KEY", help="Copy only this project; may be repeated.")
@command()
def migrate_store(call: Call, source: str, target: str, keys: tuple[str, ...]) -> None:
    """Copy every project of a database into another, with its whole history.

    SOURCE and TARGET are paths of files or addresses of servers; --only chooses projects. A project is copied in one
    transaction. The history of the source is verified before, and every row is compared before the copy is kept. Then
    the history of the copy is verified, and answers to searches are compared. A project whose copy is interrupted is
    in the target whole or not at all, and the next call does the rest; those that are done stay. A project that fails
    does not stop the others; the exit code is then 1. A folder that belongs to another project of the target is left
    out. The source is only read, but one of an older version is brought up to date first, which is told: an older
    Hansard does not open it any more. What is written to it meanwhile is not copied. Tokens for all projects stay where
    they are, which is told too.

    A copy that is there already is brought on: it gets the counts of use and the logs that the source has had since,
    and the later changes too, unless something was changed in the copy. If the source has got another model for
    searches, its index is brought over as well. The copy is compared in full each time. Searches are compared only if
    both are indexed alike.

    HANSARD_DB and HANSARD_PROJECT have no effect here: SOURCE, TARGET and --only say everything.

    \b
    Example:
      hansard migrate-store team.db postgresql://ana@db.example/team
      hansard migrate-store postgresql://ana@db.example/team my.db --only shop
    """
    from hansard.app import MEMORY, Hansard, same_database
    from hansard.services.transfer import Failed, Proven

    _refuse_elsewhere(call)
    settings = call.settings()
    require(call.actor(settings), Act.SET_UP)
    if same_database(source, target):
        raise Invalid("SOURCE and TARGET are the same database.")
    _refuse_served(source, target)
    if MEMORY in (source, target):
        raise Invalid("What is in :memory: is gone when the command ends; name a file or a server.")
    chosen = tuple(dict.fromkeys(keys))
    with _opened(source, settings) as ours:
        _tell_brought(ours.store.brought_from)
        # Before the target is opened: a mistyped key leaves no empty database behind.
        _refuse_unknown(ours, chosen)
        with (
            Hansard.open(target, settings=settings) as theirs,
            _shown(call, len(chosen) or len(ours.projects())) as progress,
        ):
            done = _done(_noted(call, ours.copy_to(theirs, keys=chosen, progress=progress)))
            left_behind = _left_behind(ours, theirs)
    proven = [one for one in done if isinstance(one, Proven)]
    failed = [one for one in done if isinstance(one, Failed)]
    call.answer(_document(proven, failed, left_behind), lambda: _tell(proven, failed, left_behind))
    if failed:
        raise click.exceptions.Exit(1)


def _refuse_elsewhere(call: Call) -> None:
    """What is copied, from where and to where is said in one place; elsewhere it would be passed over."""
    if call.flags.get("db") is not None:
        raise click.UsageError("--db is no use here: SOURCE and TARGET say which databases.")
    if call.flags.get("project") is not None:
        raise click.UsageError("--project is no use here: name the projects to copy with --only KEY.")


def _refuse_served(*places: str) -> None:
    """A Hansard that serves has no tables to copy; the database behind it has."""
    if any(place.partition("://")[0].lower() in {"http", "https"} for place in places):
        raise Invalid(
            "SOURCE and TARGET are databases. At http:// or https:// a Hansard serves one: name the database itself,"
            " a file or postgresql://…."
        )


def _tell_brought(version: int | None) -> None:
    """Whoever copies an older source may want to go on with it as it was."""
    if version is not None:
        note(
            f"The source had schema version {version} and was brought up to date first: an older Hansard does not open"
            " it any more."
        )


def _opened(source: str, settings: "Settings") -> "Hansard":
    """The database to copy. Raises UnknownStore without the usual advice: `hansard init` would make another one."""
    from hansard.app import Hansard
    from hansard.domain.places import printable

    try:
        return Hansard.open(source, settings=settings, must_exist=True)
    except UnknownStore as error:
        raise UnknownStore(
            f"SOURCE has no Hansard to copy: {printable(source)} is missing or empty. Nothing was made. Check its path"
            " or address; `hansard config get db` shows where your own commands look."
        ) from error


def _refuse_unknown(ours: "Hansard", keys: tuple[str, ...]) -> None:
    """Raises UnknownProject with what the source has: whoever copies does not want a new project there."""
    for key in keys:
        try:
            ours.project(key)
        except UnknownProject as error:
            known = [one.key for one in ours.projects()]
            has = f"it has {_listed(known)}" if known else "it has none"
            raise UnknownProject(f"The source has no project {quoted(key)}; {has}.") from error


def _left_behind(ours: "Hansard", theirs: "Hansard") -> int:
    """How many tokens for all projects open the source and not the target: no copy of projects brings them."""
    now = SystemClock().now()
    known = {one.id for one in theirs.tokens()}
    return sum(one.projects is None and one.is_good(now) and one.id not in known for one in ours.tokens())


def _document(proven: "list[Proven]", failed: "list[Failed]", left_behind: int) -> object:
    items = [
        {
            "project": one.project.key, "rows": one.rows, "events": one.events, "searches": one.questions,
            "was_there": one.was_there, "use_compared": not one.was_there, "brought_on": one.brought_on,
            "index_brought": one.index_brought, "left_out": [root.path for root in one.left_out],
        }
        for one in proven
    ]  # fmt: skip
    problems = [{"project": one.project.key, "code": one.error.code, "message": one.error.message} for one in failed]
    return {"items": items, "failed": problems, "tokens_left_behind": left_behind}


def _tell(proven: "list[Proven]", failed: "list[Failed]", left_behind: int) -> None:
    columns = [Column("project", text=True), Column("rows"), Column("events"), Column("searches"), Column("copy")]
    rows = [[one.project.key, f"{one.rows:,}", f"{one.events:,}", f"{one.questions:,}", _word(one)] for one in proven]
    table(columns, rows, empty="There is no project to copy." if not failed else "No project was copied.")
    if proven:
        say(f"{counted(len(proven), 'project')} compared row by row: records and history are the same in both.")
    if any(one.was_there for one in proven):
        say(
            "Where a copy was there already, it has got the counts of use and the logs of searches and ratings; they"
            " were not compared, because the copy may have been used itself."
        )
    for one in proven:
        if one.brought_on:
            say(f"{one.project.key}: {counted(one.brought_on, 'later event')} brought over.")
        if one.index_brought:
            say(f"{one.project.key}: the index was brought over: the source has got another model for searches.")
        if one.went_on:
            say(f"{one.project.key}: no searches were compared: the source or the copy was changed meanwhile.")
        elif not one.indexed_alike:
            say(f"{one.project.key}: no searches were compared: the two are not indexed alike.")
        elif not one.questions:
            say(f"{one.project.key}: no searches were compared: it has no memories that a search finds.")
    for one in proven:
        for root in one.left_out:
            say(f"{one.project.key}: the folder {root.path} belongs to another project of the target and was left out.")
    if left_behind:
        say(
            f"{counted(left_behind, 'token')} for all projects did not come along: a project brings only its own."
            " `hansard --db TARGET token create --agent NAME --role ROLE --all-projects` makes a new one."
        )
    for reason, keys in _by_reason(failed):
        note(f"{_listed(keys)} failed: {reason}")
    if any(isinstance(one.error, StoreUnreachable) for one in failed):
        note("The same command does the rest once the server answers; what is there whole is only compared.")


def _by_reason(failed: "list[Failed]") -> "list[tuple[str, list[str]]]":
    """Why projects failed, each reason once with their keys. What most of them have in common comes first."""
    found: dict[str, list[str]] = {}
    for one in failed:
        found.setdefault(one.error.message.removeprefix(f"{one.project.key}: "), []).append(one.project.key)
    return sorted(found.items(), key=lambda one: -len(one[1]))


def _listed(keys: "list[str]") -> str:
    return ", ".join(keys[:KEYS_SHOWN_MAX]) + (", …" if len(keys) > KEYS_SHOWN_MAX else "")


def _noted(call: Call, done: "Iterator[Proven | Failed]") -> "Iterator[Proven | Failed]":
    """Where nobody sees a bar, each project that is done is a line."""
    from hansard.services.transfer import Failed

    for one in done:
        if not call.as_json and not sys.stderr.isatty():
            became = "failed" if isinstance(one, Failed) else _word(one)
            note(f"{visible(one.project.key)}: {became}")
        yield one


def _done(copies: "Iterator[Proven | Failed]") -> "list[Proven | Failed]":
    done: list[Proven | Failed] = []
    try:
        done.extend(copies)
    except KeyboardInterrupt:
        whole = counted(len(done), "project")
        # Whether its transaction was kept just before cannot be known here, and must not be guessed.
        note(f"{whole} done. The one in work is there whole or not at all, unproven; the same command does the rest.")
        raise
    return done


def _word(one: "Proven") -> str:
    return "brought on" if one.brought_on else "was there" if one.was_there else "made"


@contextmanager
def _shown(call: Call, projects: int) -> "Iterator[Report | None]":
    """For a person, one bar for the whole and one for the project that is being copied; nothing for a program."""
    if call.as_json or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    begun: list[str] = []
    with Bar(console=Console(stderr=True), transient=True) as bar:
        whole = bar.add_task(counted(projects, "project"), total=projects)
        current = bar.add_task("", total=None)

        def told(key: str, step: str, done: int, total: int) -> None:
            if begun[-1:] != [key]:
                begun.append(key)
            share = done / total if total else 0
            bar.update(whole, completed=len(begun) - 1 + share)
            bar.update(current, description=f"{visible(key)}: {step}", completed=done, total=total)

        yield told
