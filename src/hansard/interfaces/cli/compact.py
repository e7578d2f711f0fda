"""Owns `hansard compact`: a conversation in, deterministic bullets out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hansard.domain.compaction import bullets, ladder
from hansard.domain.compaction.conversations import Reading
from hansard.domain.errors import Invalid
from hansard.interfaces import shapes
from hansard.interfaces.cli.calling import STDIN_BYTES_MAX, Call, command, counted, emit, note, say
from hansard.interfaces.cli.edge import EXIT_FAILED, MissingFile
from hansard.services import compact as service
from hansard.services.admission import safe

if TYPE_CHECKING:
    from hansard.services.compact import Compacted
    from hansard.services.seat import Seat

EXIT_WAITING = 4
STANDARD_INPUT = "-"
_EXIT_CODES = {ladder.State.COMPLETE: 0, ladder.State.FAILED: EXIT_FAILED, ladder.State.WAITING_APPROVAL: EXIT_WAITING}


@click.command("compact")
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@click.option("--with-decisions", is_flag=True, help="Add the project's binding decisions.")
@click.option("--target", type=click.IntRange(min=0), metavar="TOKENS", help="Leave at most so many tokens.")
@click.option("--level", type=click.IntRange(0, ladder.LEVEL_MAX), help="Highest level of the ladder that may be used.")
@click.option("--task", metavar="SLUG", help="Task that it is for: failures are counted, and files spilled, for it.")
@click.option("--reset", is_flag=True, help="Let the task try again after too many failures.")
@click.option("--purge", is_flag=True, help="Remove the files that were spilled for the task.")
@command()
def compact(
    call: Call,
    file: str | None,
    level: int | None,
    target: int | None,
    task: str | None,
    *,
    with_decisions: bool,
    reset: bool,
    purge: bool,
) -> int:
    """Make a conversation short, by rules and without a model.

    FILE is a conversation (JSON, JSON lines or Markdown) or a state file (JSON,
    YAML or Markdown); `-` or nothing reads standard input. Active phase, open
    blockers, approved decisions, constraints, deliverables, open questions and
    the next action stay. What was dropped is counted at the end.

    Over the target, levels 1 to 5 are applied one after the other. Ends with
    exit code 1 if that is not enough, and with 4 if a task failed too often and
    somebody has to approve the next attempt with --reset.

    \b
    Example:
      hansard compact session.jsonl
      hansard compact session.jsonl --target 2000 --level 4 --task login
      hansard compact --task login --reset
    """
    if (reset or purge) and task is None:
        raise click.UsageError("Name the task with --task.")
    settings = call.settings()
    asked = service.wish(settings, tokens_target=target, level_max=level, task=task)
    with _seat(call, wanted=task is not None or with_decisions) as seat:
        forgotten = service.reset(seat, task) if reset and seat and task else None
        removed = service.purge(seat, task) if purge and seat and task else None
        if (reset or purge) and file is None:
            call.answer(_tidied(task, forgotten, removed), lambda: _tell_tidied(forgotten, removed))
            return 0
        reading, undecodable = _read(file or STANDARD_INPUT)
        done = service.compact(
            reading, asked, settings, seat=seat, with_decisions=with_decisions, undecodable=undecodable
        )
    call.answer(shapes.compacted(done, task), lambda: _tell(done, task))
    return _EXIT_CODES[done.state]


@contextmanager
def _seat(call: Call, *, wanted: bool) -> Iterator[Seat | None]:
    """A seat at the project, if there is anything to ask it for: a conversation needs no project."""
    if not wanted:
        yield None
        return
    with call.project() as project:
        yield project.seat()


def _read(file: str) -> tuple[Reading, int]:
    """What the file holds, and how many of its bytes are no text."""
    data = _bytes(file)
    origin = "Standard input" if file == STANDARD_INPUT else file
    if len(data) > STDIN_BYTES_MAX:
        raise Invalid(f"{origin} is longer than {STDIN_BYTES_MAX:,} bytes.")
    return service.read(data, origin=origin, file="" if file == STANDARD_INPUT else file)


def _bytes(file: str) -> bytes:
    if file == STANDARD_INPUT:
        if sys.stdin is None:
            raise OSError("Standard input is closed")
        return sys.stdin.buffer.read(STDIN_BYTES_MAX + 1) or b""
    try:
        with Path(file).open("rb") as handle:
            return handle.read(STDIN_BYTES_MAX + 1)
    except FileNotFoundError:
        raise MissingFile(f"There is no file {file!r}.") from None


def _tell(done: Compacted, task: str | None) -> None:
    if done.text is not None:
        emit(done.text)
    for one in done.dropped:
        if one.kind == bullets.UNREADABLE:
            note(f"{counted(one.items, 'line')} could not be read: the input is torn, or not all of it is JSON.")
    told = f"{done.tokens:,} tokens" + (f" of {done.tokens_target:,}" if done.tokens_target else "")
    level = ladder.LEVELS[done.level]
    if done.state is ladder.State.COMPLETE:
        note(f"{told}; {level + ' was' if done.level else 'no level was'} needed.")
    elif done.state is ladder.State.FAILED:
        note(f"FAILED: {told} after {level}. {_advice(done.tried) if done.fault is None else ''}".rstrip())
    if done.fault is not None:
        note(f"{ladder.LEVELS[ladder.SPILL_LEVEL]} could not write its file: {done.fault}")
    if done.state is ladder.State.WAITING_APPROVAL:
        note(
            f"WAITING_APPROVAL: compaction of {task} failed {counted(done.failures, 'time')} in a row. A person looks"
            f" at it, then runs: hansard compact --task {task} --reset"
        )


def _advice(level: int) -> str:
    """What is left to do. Only after the last level nothing may be taken away any more."""
    if level >= ladder.LEVEL_MAX:
        return "What is left must be kept; raise --target."
    if level + 1 >= ladder.SPILL_LEVEL:
        return "Raise --target, or allow more with --level and --task."
    return "Raise --target, or allow more with --level."


def _tidied(task: str | None, forgotten: int | None, removed: list[str] | None) -> dict[str, Any]:
    return {"task": None if task is None else safe(task), "failures_forgotten": forgotten, "removed": removed}


def _tell_tidied(forgotten: int | None, removed: list[str] | None) -> None:
    if forgotten is not None:
        say(f"{counted(forgotten, 'failure')} forgotten; the task may try again.")
    if removed is not None:
        say(f"{counted(len(removed), 'spilled file')} removed.")
