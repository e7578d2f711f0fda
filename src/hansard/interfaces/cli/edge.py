"""Owns the edge between the program and the shell: exit codes, one sentence for every failure, broken streams."""

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

import click

from hansard.domain.errors import Conflict, Denied, HansardError, Invalid, NotFound
from hansard.interfaces.cli import COMPLETE_VARIABLE, EXIT_INTERRUPTED, TEXT_MARK, fill_closed_streams

EXIT_CODES: tuple[tuple[type[HansardError], int], ...] = (
    (NotFound, 3),
    (Conflict, 4),
    (Denied, 5),
    (Invalid, 6),
)
EXIT_FAILED = 1
EXIT_USAGE = 2
DEBUG_VARIABLE = "HANSARD_DEBUG"
PROGRAM = "hansard"


class MissingFile(NotFound):
    """A file named on the command line is not there."""

    code = "file.missing"


OWN_CODES: tuple[tuple[str, int, str], ...] = (
    ("usage", EXIT_USAGE, "The command was misused: a word too many, a flag it does not have, something left out."),
    (MissingFile.code, 3, f"{MissingFile.__doc__} Check its path; `-` reads standard input."),
    ("system.failed", EXIT_FAILED, "The operating system refused to read or write something; the message says what."),
    (
        "hansard.unexpected",
        EXIT_FAILED,
        f"A fault of Hansard itself. Report it with what {DEBUG_VARIABLE}=1 shows.",
    ),
)
"""The codes that only the command line has, each with its exit code and what it means."""


def run(arguments: list[str]) -> int:
    return guarded(lambda: _invoked(arguments), wants_json="--json" in arguments)


def guarded(action: Callable[[], int], *, wants_json: bool) -> int:
    """Does something, and makes one sentence and an exit code of whatever it raises."""
    fill_closed_streams()
    try:
        code = action()
        sys.stdout.flush()
    except click.UsageError as error:
        return _usage(error, wants_json=wants_json)
    except (click.Abort, KeyboardInterrupt, EOFError):
        _put(sys.stderr, "Stopped.")
        return EXIT_INTERRUPTED
    except HansardError as error:
        return _told(error.code, error.message, exit_code_of(error), wants_json=wants_json)
    except BrokenPipeError:
        # The reader of our output went away, as `head` does; that is no failure of ours.
        _discard(sys.stdout)
        return 0
    except OSError as error:
        return _told("system.failed", _problem(error), EXIT_FAILED, wants_json=wants_json)
    except Exception as error:
        # A person gets a sentence; a developer gets the trace by asking for it.
        if os.environ.get(DEBUG_VARIABLE):
            raise
        message = f"Unexpected {type(error).__name__}: {error}. Set {DEBUG_VARIABLE}=1 to see where, and report it."
        return _told("hansard.unexpected", message, EXIT_FAILED, wants_json=wants_json)
    return code


def exit_code_of(error: HansardError) -> int:
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), EXIT_FAILED)


def _invoked(arguments: list[str]) -> int:
    """Runs the command. Not by click's own `main`, which ends a command whose reader left with an exit code of 1."""
    from hansard.interfaces.cli.group import cli

    instruction = os.environ.get(COMPLETE_VARIABLE)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, PROGRAM, COMPLETE_VARIABLE, instruction)
    try:
        with cli.make_context(PROGRAM, arguments) as context:
            result = cli.invoke(context)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help())
        return 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    return result if isinstance(result, int) else 0


def _usage(error: click.UsageError, *, wants_json: bool) -> int:
    if error.ctx is not None and not wants_json:
        lines = [error.ctx.get_usage()]
        if error.ctx.command.get_help_option(error.ctx):
            lines.append(f"Try '{error.ctx.command_path} --help' for help.\n")
        _put(sys.stderr, "\n".join(lines))
    message = error.format_message().replace(TEXT_MARK, "").replace(repr(TEXT_MARK)[1:-1], "")
    if isinstance(error, click.NoSuchOption):
        message += " Text that begins with a dash goes behind `--`."
    return _told("usage", message, EXIT_USAGE, wants_json=wants_json)


def _told(code: str, message: str, exit_code: int, *, wants_json: bool) -> int:
    from hansard.services.admission import safe

    # A message quotes what was given, and what was given may be a secret at the wrong place.
    message = safe(message)
    if wants_json:
        _put(sys.stdout, json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=True))
    _put(sys.stderr, f"Error: {message} [{code}]")
    return exit_code


def _problem(error: OSError) -> str:
    try:
        sys.stdout.flush()
    except OSError:
        _discard(sys.stdout)
    if error.strerror is None:
        return f"{error}."
    # A stream has no name, and nearly always it is standard output that could not be written.
    return f"{error.strerror}: {error.filename or 'the answer could not be written'}."


def _put(stream: TextIO, text: str) -> None:
    """Prints if that is possible. There is nobody left to tell if it is not."""
    try:
        print(_printable(text, stream.encoding or "utf-8"), file=stream, flush=True)
    except OSError:
        _discard(stream)


def _discard(stream: TextIO) -> None:
    """Lets what is still to be written to the stream go nowhere, so that leaving does not fail."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _printable(text: str, encoding: str) -> str:
    """The text without what a terminal would obey or could not encode."""
    safe = "".join(char if char.isprintable() or char in "\n\t" else f"\\u{ord(char):04x}" for char in text)
    return safe.encode(encoding, "backslashreplace").decode(encoding)
