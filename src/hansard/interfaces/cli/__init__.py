"""The command line. Nothing heavy is imported before it is known which command runs."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code. Never a traceback, never a half-printed document."""
    from hansard.interfaces.cli.edge import run

    return run(sys.argv[1:] if arguments is None else list(arguments))
