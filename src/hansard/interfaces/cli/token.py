"""Owns `hansard token`: who may call the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hansard.domain.actors import key_of
from hansard.domain.errors import Invalid
from hansard.domain.policy import Act, require
from hansard.domain.vocabulary import Role
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import Call, Column, command, note, say, table, when

if TYPE_CHECKING:
    from hansard.domain.tokens import Grant
    from hansard.project import Project


@click.group()
def token() -> None:
    """Make, list and revoke tokens, by which agents and programs call the server.

    \b
    Example:
      hansard token create --agent tank --role agent --project shop --expires 90d
      hansard token list
    """


@token.command()
@click.option("--also", metavar="KEY", multiple=True, help="Another project that the token opens; may be repeated.")
@click.option("--all-projects", is_flag=True, help="The token opens every project, also those that are made later.")
@click.option("--expires", metavar="TIME", help="How long it is good: 12h, 90d, 4w or never.  [default: never]")
@command()
def create(call: Call, also: tuple[str, ...], *, all_projects: bool, expires: str | None) -> None:
    """Make a token, and show it this once.

    It acts as --agent in the role --role (agent if not given), and opens --project, or the
    project of the working directory. Only a digest of it is stored. People only: here
    --agent, --role and --project say what the token is, not who makes it.

    \b
    Example:
      hansard token create --agent tank --role agent --project shop
      hansard token create --agent ana --role human --all-projects --expires 12h
    """
    maker = _maker(call)
    wanted = call.flags
    if wanted.get("agent") is None:
        raise click.UsageError("Say with --agent as whom the token acts.")
    if all_projects and (also or wanted.get("project")):
        raise Invalid("--all-projects opens every project; name none beside it.")
    # Refused before a database is opened or looked for.
    actor = maker.actor(maker.settings())
    require(actor, Act.GRANT)
    with maker.hansard() as hansard:
        first = None if all_projects else hansard.project(wanted.get("project") or hansard.settings.project).key
        made, text = hansard.create_token(
            agent=str(wanted["agent"]),
            role=wanted.get("role") or Role.AGENT,
            projects=None if first is None else [first, *also],
            expires=expires,
            actor=actor,
        )
        keys = [one.key for one in hansard.projects()] if first is None else [first, *also]
        roles = {role for key in keys for role in _roles_so_far(hansard.project(key), made)}

    def shown() -> None:
        print(text)
        note(f"Token {made.id} acts as {made.agent} ({made.role}) in {_places(made)}. It is not shown again.")

    call.answer({**_shape(made), "token": text}, shown)
    if made.role == Role.HUMAN and roles and Role.HUMAN not in roles:
        note(
            f"{made.agent} acts as {' and '.join(sorted(roles))} so far. With this token the same name is a person, who"
            " accepts what it proposes itself. Give the person a name of their own."
        )
    if made.role != Role.HUMAN and Role.HUMAN in roles:
        note(
            f"{made.agent} acts as a person so far. With this token the same name is an agent's, and what it writes is"
            " the word of an agent. Give an agent a name of its own, or make the token with --role human."
        )


def _roles_so_far(project: Project, made: Grant) -> set[str]:
    """As what somebody of this name has acted."""
    return {one.role for one in project.list_agents() if key_of(one.name) == key_of(made.agent)}


@token.command("list")
@command()
def list_(call: Call) -> None:
    """List all tokens of the database, oldest first; never their text.

    \b
    Example:
      hansard token list
      hansard token list --json
    """
    with call.hansard() as hansard:
        found = hansard.tokens(actor=call.actor(hansard.settings))

    def shown() -> None:
        table(
            ["id", "agent", "role", Column("projects", text=True), Column("made by", rank=1), "until (UTC)", "revoked"],
            [
                (
                    one.id, one.agent, str(one.role), _places(one), one.created_by, when(one.expires_at),
                    when(one.revoked_at),
                )
                for one in found
            ],
            empty="There is no token. `hansard token create` makes one.",
        )  # fmt: skip

    call.answer({"items": [_shape(one) for one in found]}, shown)


@token.command()
@click.argument("token_id", metavar="ID")
@command()
def revoke(call: Call, token_id: str) -> None:
    """End a token, everywhere. A running server knows within a second.

    \b
    Example:
      hansard token revoke 01a2b3c4-d5e6-7f80-9a1b-2c3d4e5f6a7b
    """
    with call.hansard() as hansard:
        gone = hansard.revoke_token(token_id, actor=call.actor(hansard.settings))
    call.answer(_shape(gone), lambda: say(f"{gone.id} ({gone.agent}) is revoked."))


def _maker(call: Call) -> Call:
    """The call of the person who makes the token: what the flags say of the token is not said of them."""
    own = {**call.flags, "agent": None, "role": None, "project": None}
    return Call(own, as_json=call.as_json)


def _places(one: Grant) -> str:
    return "all projects" if one.projects is None else ", ".join(sorted(one.projects))


def _shape(one: Grant) -> dict[str, Any]:
    return shapes.token(one)
