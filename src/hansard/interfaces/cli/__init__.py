"""The command line. Nothing heavy is imported before it is known which command runs."""

import gc
import os
import sys
from collections.abc import Sequence

GARBAGE_OBJECTS = 100_000
EXIT_INTERRUPTED = 130


def entry() -> None:
    """What the installed command runs. Leaves at once: taking the interpreter apart costs more than a query."""
    try:
        code = main()
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code. Never a traceback, never a half-printed document."""
    # A command lives for milliseconds; collecting its imports is a tenth of that.
    gc.set_threshold(GARBAGE_OBJECTS)
    from hansard.interfaces.cli.edge import run

    return run(sys.argv[1:] if arguments is None else list(arguments))
