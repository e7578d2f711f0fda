"""Owns the commands that set a project up: init, projects, agents, completion."""

from pathlib import Path

import click

from hansard import services
from hansard.domain.errors import BadSlug, Invalid, ProjectExists, UnknownProject
from hansard.domain.mirror import ImportReport
from hansard.domain.policy import Act, require
from hansard.domain.projects import canonical_key
from hansard.interfaces import shapes
from hansard.interfaces.cli import COMPLETE_VARIABLE
from hansard.interfaces.cli.calling import Call, Column, command, say, table, when
from hansard.interfaces.cli.edge import EXIT_FAILED, PROGRAM
from hansard.interfaces.cli.mirror import is_unread, tell_files, tell_ledger
from hansard.project import Project
from hansard.services.admission import safe

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.option(
    "--root", metavar="PATH", type=click.Path(),
    help="Folder of the project; default: the git root of the working directory.",
)  # fmt: skip
@click.option("--name", help="Name for people; default: the key.")
@click.option("--join", is_flag=True, help="Add this folder to the existing project named by --project.")
@click.option("--no-git-files", is_flag=True, help="Add no lines to .gitattributes and .gitignore.")
@command()
def init(call: Call, root: str | None, name: str | None, *, join: bool, no_git_files: bool) -> int:
    """Make the working directory a project.

    Every worktree of its repository belongs to it. In a repository, lines for the files
    of `hansard export` are added to .gitattributes and .gitignore, once; remove them at will.
    If the repository brings a ledger of the team in .hansard/ledger, or proposals in the
    inbox folder, they are taken in. A folder inside a repository stands for all of it.
    A further clone of a project that the database has shares its memory with --join; a
    plain init is refused there.
    Ends with exit code 1 if something of that could not be read or was refused; the
    project is set up all the same.

    \b
    Example:
      hansard init
      hansard init --project shop --name "The web shop"
      hansard init --project shop --join
    """
    from hansard.workspace import git, roots

    start = Path(root) if root is not None else roots.working_directory()
    actor = call.actor(call.settings())
    require(actor, Act.SET_UP)
    with call.hansard(create=not join) as hansard:
        wanted = hansard.settings.project
        try:
            known = hansard.project(cwd=start)
        except UnknownProject:
            known = None
        if known is not None:
            if wanted is not None and canonical_key(wanted) != known.key:
                raise ProjectExists(f"{start.resolve()} belongs to the project {known.key!r} already.")
            taken = _taken_in(call.tell_of(known, actor), root)
            document = {"created": False, "project": shapes.record(known.record), **shapes.imported(taken)}

            def repeated() -> None:
                say(f"{safe(str(start.resolve()))} is the project {known.key!r} already.")
                _tell(taken)

            call.answer(document, repeated)
            return EXIT_FAILED if is_unread(taken) else 0
        try:
            made = hansard.begin(start, key=wanted, name=name, join=join, actor=actor)
        except BadSlug:
            if wanted is not None:
                raise
            nameless = f"The name of {start.resolve()} has no a-z or 0-9 to make a key of; give one with --project KEY."
            raise BadSlug(nameless) from None
        folder = hansard.roots(made)[-1]
        taken = _taken_in(call.tell_of(hansard.project(made.key, actor=actor), actor), folder)
    lines = git.Lines([], []) if no_git_files else git.add_lines(Path(folder))
    document = {
        "created": not join, "project": shapes.record(made), "git_files": lines.added,
        "git_files_left": [one._asdict() for one in lines.left], **shapes.imported(taken),
    }  # fmt: skip

    def told() -> None:
        say(f"{safe(folder)} {'now belongs to' if join else 'is now'} the project {made.key!r}.")
        if root is not None and str(start.resolve()) != folder:
            inside = safe(f"{start.resolve()} is in the repository of {folder}")
            say(f"{inside}; a project is a whole repository.")
        if lines.added:
            these = "these two files" if len(lines.added) > 1 else "this file"
            say(f"Added lines for the mirror to {' and '.join(lines.added)}: commit {these}, or remove the lines.")
        for left in lines.left:
            say(f"Added no lines for the mirror to {left.path}: {left.reason}")
        _tell(taken)

    call.answer(document, told)
    return EXIT_FAILED if is_unread(taken) else 0


def _taken_in(project: Project, root: str | None) -> ImportReport:
    """What the team's ledger and the inbox folder brought. A folder that cannot be opened has nothing."""
    try:
        return services.mirror.import_inbox(project.seat(), root)
    except Invalid:
        return ImportReport()


def _tell(taken: ImportReport) -> None:
    tell_ledger(taken.ledger)
    tell_files(taken)


@click.command()
@command()
def projects(call: Call) -> None:
    """List the projects of this database.

    \b
    Example:
      hansard projects
    """
    with call.hansard() as hansard:
        found = [(one, [safe(root) for root in hansard.roots(one)]) for one in hansard.projects()]
    document = {"items": [shapes.record(one) | {"roots": list(roots)} for one, roots in found]}
    rows = [[one.key, one.name, ", ".join(roots), when(one.created_at)] for one, roots in found]
    empty = "No projects yet. Make one with `hansard init`."
    folders = Column("folders", text=True, cut_front=True)
    columns: list[Column | str] = ["key", Column("name", text=True, rank=1), folders, Column("created (UTC)", rank=2)]
    call.answer(document, lambda: table(columns, rows, empty=empty))


@click.command()
@command()
def agents(call: Call) -> None:
    """List every name that acted in the project.

    A name is shown in the spelling first seen.

    \b
    Example:
      hansard agents
    """
    with call.project() as project:
        found = project.list_agents()
    document = {"items": [shapes.record(one) for one in found]}
    rows = [[one.name, one.role, when(one.created_at)] for one in found]
    columns: list[Column | str] = [Column("name", text=True), "first role", "first seen (UTC)"]
    call.answer(document, lambda: table(columns, rows, empty="Nobody has acted yet."))


@click.command()
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def completion(shell: str | None) -> None:
    """Print the completion script of a shell.

    \b
    Example:
      eval "$(hansard completion bash)"
      hansard completion fish > ~/.config/fish/completions/hansard.fish
    """
    if shell is None:
        raise click.UsageError(f"Say for which shell: {', '.join(SHELLS[:-1])} or {SHELLS[-1]}.")
    from click.shell_completion import get_completion_class

    from hansard.interfaces.cli.group import cli

    maker = get_completion_class(shell)
    assert maker is not None, "every shell offered above is one click completes for"
    click.echo(maker(cli, {}, PROGRAM, COMPLETE_VARIABLE).source())
