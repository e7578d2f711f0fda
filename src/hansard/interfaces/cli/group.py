"""Owns the tree of commands. A command's module is imported when that command runs."""

from importlib import import_module

import click

import hansard
from hansard.interfaces.cli import TEXT_MARK

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("setup:init", "Make the working directory a project."),
    "projects": ("setup:projects", "List the projects of this database."),
    "inbox": ("inbox:inbox", "Propose, list and review proposals."),
    "decisions": ("decisions:decisions", "Make, list, change and retire decisions."),
    "memory": ("memory:memory", "Record, list, edit and forget memories."),
    "guard": ("guard:guard", "Review what waits in quarantine."),
    "purge": ("recall:purge", "Forget what has expired, for good."),
    "session": ("session:session", "Start, update and end the current session."),
    "run": ("run:run", "Start and finish runs of agents."),
    "scribe": ("scribe:scribe", "Write down again what a finished run leaves."),
    "finalize": ("run:finalize", "Accept what a coordinator proposed in its run."),
    "agents": ("setup:agents", "List every name that acted in the project."),
    "context": ("context:context", "Print what an agent is told at the start of a turn."),
    "receipts": ("receipts:receipts", "List, show and delete receipts of blocks."),
    "compact": ("compact:compact", "Make a conversation short: keep what binds, say what was dropped."),
    "history": ("history:history", "Show and verify the history of every change."),
    "export": ("mirror:export", "Write decisions, proposals and shared memories to files."),
    "import": ("mirror:import_", "Take proposals from files into the inbox."),
    "watch": ("watch:watch", "Stay, import what is dropped into the folder, export what changes."),
    "sync": ("mirror:sync", "Show and commit what changed in these files."),
    "backup": ("backup:backup", "Write everything to one verified file, while others write."),
    "restore": ("backup:restore", "Bring a backup into an empty database, and verify it."),
    "doctor": ("doctor:doctor", "Find what is wrong, and say what to do about it."),
    "scan": ("scan:scan", "Look for secrets in what is stored, and take them out."),
    "migrate-store": ("transfer:migrate_store", "Copy projects into another database, and prove the copy."),
    "mcp": ("mcp:mcp", "Serve the tools to an agent's host, over pipes."),
    "serve": ("serve:serve", "Serve REST, MCP and a page to sign in at, for a team."),
    "token": ("token:token", "Make, list and revoke tokens for the server."),
    "config": ("config:config", "Show and change settings."),
    "bench": ("bench:bench", "Measure recall on a data set."),
    "demo": ("demo:demo", "Create a demo project and show what an agent is told."),
    "completion": ("setup:completion", "Print the shell completion script."),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads them one at a time."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*map(_marked, args[:end]), *args[end:]])

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(f"hansard.interfaces.cli.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


def _marked(argument: str) -> str:
    """Text such as "- a bullet" marked as no option: it has blanks, which no option's name has."""
    name, equals, _ = argument.partition("=")
    is_text = argument.startswith("-") and len(argument.split(maxsplit=1)) > 1
    return argument if not is_text or (equals and not any(map(str.isspace, name))) else TEXT_MARK + argument


def _roles(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from hansard.domain.vocabulary import Role
    from hansard.interfaces.cli.calling import words

    return words(Role)(context, parameter, incomplete)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(hansard.__version__, "-V", "--version", prog_name="hansard", message="%(prog)s %(version)s")
@click.option("--db", metavar="PATH", type=click.Path(), help="Database: a file, or postgresql://… (HANSARD_DB).")
@click.option("--project", metavar="KEY", help="Project to use (HANSARD_PROJECT); default: the working directory's.")
@click.option("--agent", metavar="NAME", help="Act as this agent (HANSARD_AGENT); default: you.")
@click.option(
    "--role", metavar="ROLE", shell_complete=_roles,
    help="Act in this role (HANSARD_ROLE): human, coordinator, agent, service.",
)  # fmt: skip
@click.pass_context
def cli(ctx: click.Context, /, **flags: str | None) -> None:
    """Governed memory for teams of AI agents.

    What the team decided, what each agent learned, and what is going on now, compiled into every prompt.

    \b
    Example:
      hansard init
      hansard inbox propose use-postgres --type architectural \\
        --content "All data lives in PostgreSQL." --agent tank
      hansard inbox merge use-postgres
      hansard context --agent tank
    """
    ctx.obj = flags
