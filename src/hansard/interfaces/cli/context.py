"""Owns the options of `hansard context`. What it does is in `turn`, which the command reaches without click."""

from typing import Any

import click

from hansard.domain.turns import Mode
from hansard.interfaces.cli.calling import Call, command, words
from hansard.interfaces.cli.turn import Wanted, tell


@click.command()
@click.option("--task", metavar="TEXT", help="What the turn is about: past knowledge is looked for by it.")
@click.option(
    "--prompt", metavar="PATH", type=click.Path(allow_dash=True),
    help="The user's own prompt, or '-' for standard input: it may ask for a turn without memory.",
)  # fmt: skip
@click.option(
    "--mode", metavar="MODE", shell_complete=words(Mode), help="full (default), child, ignore or coordinator."
)
@click.option(
    "--charter", metavar="PATH", type=click.Path(allow_dash=True), help="Text that is put first, such as a role."
)
@click.option("--cwd", metavar="PATH", type=click.Path(), help="Working tree that claims are checked against.")
@click.option("--run", metavar="RUN", help="The agent's own open run.")
@click.option("--keep", is_flag=True, help="Keep the receipt, so that the block can be replayed.")
@click.option("--replay", metavar="RECEIPT", help="Show again what a kept receipt is about.")
@click.option("--as-of", metavar="TIME", help="As it would have been then, without past knowledge.")
@click.option("--explain", is_flag=True, help="Tell on standard error what is in the block, what is not, and why.")
@command()
def context(call: Call, /, **wanted: Any) -> None:
    """Print what the acting agent is told at the start of a turn.

    Standard output has the block and nothing else, and is empty if there is nothing to tell, so that it can be put
    into a prompt as it is. Anything worth knowing about the block goes to standard error.

    \b
    Example:
      hansard context --agent tank
      hansard context --agent tank --task "fix the login" --explain
      hansard context --agent tank --keep
      hansard context --agent tank --replay 01a2b3c4-d5e6-7f80-9a1b-2c3d4e5f6a7b
      hansard context --agent tank --as-of 2026-03-01
    """
    tell(call, Wanted(**wanted))
