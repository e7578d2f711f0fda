"""Owns `hansard context`: the block an agent is given."""

import click

from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import Call, command, emit, note


@click.command()
@command()
def context(call: Call) -> None:
    """Print what the acting agent is told at the start of a turn.

    Standard output is empty if nothing is known, so that it can be put into a prompt as it is.

    \b
    Example:
      hansard context --agent tank
    """
    with call.project() as project:
        block = project.compile()

    def shown() -> None:
        if block is None:
            note("Nothing is known yet: no boundaries, no memory, no session.")
        else:
            emit(block.text)

    call.answer(shapes.block(block), shown)
