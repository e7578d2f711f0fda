"""The command line. Nothing heavy is imported before it is known which command runs."""

import gc
import os
import sys
from collections.abc import Sequence

GARBAGE_OBJECTS = 100_000
EXIT_INTERRUPTED = 130
COMPLETE_VARIABLE = "_HANSARD_COMPLETE"
TEXT_MARK = "\0"
"""Stands before an argument that is text although it begins with a dash; no argument can bring it along."""


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
    given = sys.argv[1:] if arguments is None else list(arguments)
    if "context" in given:
        code = _before_a_turn(given)
        if code is not None:
            return code
    from hansard.interfaces.cli.edge import run

    return run(given)


def fill_closed_streams() -> None:
    """Gives every stream that the caller closed a place of its own.

    Otherwise the next file to be opened takes that place, and the database itself could be written to as
    standard output. What is printed to a closed output still fails, as it does for any other command.
    """
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def _before_a_turn(arguments: list[str]) -> int | None:
    """`hansard context` without click, which every turn of every agent would wait for; None if it has to be asked."""
    from hansard.interfaces.cli.turn import tell, understood

    called = understood(arguments)
    if called is None:
        return None
    fill_closed_streams()
    try:
        tell(*called)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - the edge makes a sentence of it, as of everything else
        failure = error
    else:
        return 0
    from hansard.interfaces.cli.edge import guarded

    def again() -> int:
        raise failure

    return guarded(again, wants_json=called[0].as_json)
