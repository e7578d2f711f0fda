"""Owns the edge between the program and the shell: exit codes, one sentence for every failure."""

import json
import os
import sys

import click

from hansard.domain.errors import Conflict, Denied, HansardError, Invalid, NotFound

EXIT_CODES: tuple[tuple[type[HansardError], int], ...] = (
    (NotFound, 3),
    (Conflict, 4),
    (Denied, 5),
    (Invalid, 6),
)
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
DEBUG_VARIABLE = "HANSARD_DEBUG"


def run(arguments: list[str]) -> int:
    from hansard.interfaces.cli.group import cli

    wants_json = "--json" in arguments
    try:
        result = cli.main(arguments, prog_name="hansard", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        return _usage(error, wants_json=wants_json)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        print("Stopped.", file=sys.stderr)
        return EXIT_INTERRUPTED
    except HansardError as error:
        return _told(error.code, error.message, exit_code_of(error), wants_json=wants_json)
    except BrokenPipeError:
        # The reader of our output went away, as `head` does; that is no failure of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        problem = f"{error.strerror or error}" + (f": {error.filename}" if error.filename else "")
        return _told("system.failed", f"{problem}.", EXIT_FAILED, wants_json=wants_json)
    except Exception as error:
        # A person gets a sentence; a developer gets the trace by asking for it.
        if os.environ.get(DEBUG_VARIABLE):
            raise
        message = f"Unexpected {type(error).__name__}: {error}. Set {DEBUG_VARIABLE}=1 to see where, and report it."
        return _told("hansard.unexpected", message, EXIT_FAILED, wants_json=wants_json)
    return result if isinstance(result, int) else 0


def exit_code_of(error: HansardError) -> int:
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), EXIT_FAILED)


def _usage(error: click.UsageError, *, wants_json: bool) -> int:
    if error.ctx is not None and not wants_json:
        print(error.ctx.get_usage(), file=sys.stderr)
        if error.ctx.command.get_help_option(error.ctx):
            print(f"Try '{error.ctx.command_path} --help' for help.\n", file=sys.stderr)
    return _told("usage", error.format_message(), EXIT_USAGE, wants_json=wants_json)


def _told(code: str, message: str, exit_code: int, *, wants_json: bool) -> int:
    if wants_json:
        print(json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=True))
    print(_printable(f"Error: {message} [{code}]"), file=sys.stderr)
    return exit_code


def _printable(text: str) -> str:
    """The text without what a terminal would obey or could not encode."""
    safe = "".join(char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}" for char in text)
    return safe.encode(sys.stderr.encoding or "utf-8", "backslashreplace").decode(sys.stderr.encoding or "utf-8")
