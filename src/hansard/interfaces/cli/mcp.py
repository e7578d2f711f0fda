"""Owns the command that serves one host over pipes: `hansard mcp`."""

import click

from hansard.domain.actors import Actor
from hansard.domain.vocabulary import Role, parse
from hansard.interfaces.cli.calling import Call, command
from hansard.settings import Settings, login_name


@click.command()
@click.option("--child", is_flag=True, help="Serve a child run: no instructions, and blocks with decisions only.")
@command()
def mcp(call: Call, *, child: bool) -> None:
    """Serve the tools to an agent's host, over standard input and output.

    The host starts this command; you do not. Everything is done as --agent or
    HANSARD_AGENT, in the role of an agent: it proposes, records and searches,
    and binding proposals are left to people and coordinators. Another role is
    taken from --role only. docs/mcp.md has what to write into the settings of
    Claude Code, Codex and Cursor.

    \b
    Example:
      hansard mcp --agent tank --project shop
    """
    call.check_flags()
    from hansard.app import Hansard
    from hansard.interfaces.mcp.stdio import Local, serve
    from hansard.workspace import roots

    def opened(settings: Settings) -> Hansard:
        hansard = Hansard.open(settings=settings, must_exist=True)
        hansard.follow_policies()
        return hansard

    serve(Local(call.settings, opened, lambda settings: _caller(call, settings), roots.standing(), child))


def _caller(call: Call, settings: Settings) -> Actor:
    """Who acts. The role of a person's shell is not that of the model behind a host, so only the flag counts."""
    role = parse(Role, call.flags.get("role") or Role.AGENT, field="role")
    if settings.agent is not None:
        return Actor(settings.agent, role)
    if role is Role.AGENT:
        from hansard.interfaces.mcp.refusals import NamelessAgent

        raise NamelessAgent(
            "Which agent is this? Start the server as `hansard mcp --agent NAME`, or set HANSARD_AGENT. A person who"
            " wants to decide through it says --role human."
        )
    return Actor(settings.user or login_name(), role)
