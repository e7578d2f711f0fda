"""Compacts a conversation: by rules, up the ladder if it is too long, and past too many failures only with approval."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from hansard.domain.compaction import bullets, conversations, ladder
from hansard.domain.compaction.conversations import Reading
from hansard.domain.compaction.ladder import Action, Spill, State
from hansard.domain.compaction.standing import Decided, Dropped
from hansard.domain.errors import Invalid
from hansard.domain.numbers import is_whole
from hansard.domain.policy import Act
from hansard.services import read_plain_yaml
from hansard.services.admission import refuse_marks, safe
from hansard.services.limit import EXEMPT, count_file
from hansard.services.mirror import home
from hansard.services.seat import Seat
from hansard.settings import Settings, data_folder
from hansard.workspace import roots, spills

YAML_BYTES_MAX = 262_144
"""A longer text is read line by line instead: a state is short, and reading YAML is slow."""


class Wish(NamedTuple):
    """How far a compaction may go: how many tokens it may leave, the highest level, and for which task."""

    tokens_target: int
    level_max: int
    task: str | None = None


class Compacted(NamedTuple):
    """What came of it. Past the limit of failures there is no text, only whom to ask."""

    text: str | None
    level: int
    tokens: int
    tokens_target: int
    state: State
    failures: int
    spilled: str | None = None
    parts: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    dropped: tuple[Dropped, ...] = ()
    tried: int = 0
    """The highest level that was tried; those that would not have shortened anything were left out."""
    fault: str | None = None
    """Why the file of the fourth level could not be written."""

    @property
    def action(self) -> Action:
        return ladder.ACTIONS[self.state]


def wish(settings: Settings, *, tokens_target: int | None, level_max: int | None, task: str | None) -> Wish:
    """What was asked for, with the settings for what was not. Raises Invalid if files are to be written for no task."""
    highest = settings.compaction_level_max if level_max is None else level_max
    target = settings.compaction_tokens_target if tokens_target is None else tokens_target
    if not is_whole(highest) or not 0 <= highest <= ladder.LEVEL_MAX or not is_whole(target) or target < 0:
        raise Invalid(f"A target is 0 or more tokens, and a level one of 0 to {ladder.LEVEL_MAX}.")
    if task is not None:
        ladder.task_slug(task)
        refuse_marks({"task": task})
    elif level_max is not None and level_max >= ladder.SPILL_LEVEL:
        raise Invalid("From level 4 on a file is written for the task; name the task.")
    # A setting alone writes no files: without a task the ladder ends below them.
    return Wish(target, highest if task is not None else min(highest, ladder.SPILL_LEVEL - 1), task)


def read(data: bytes, *, origin: str, file: str = "") -> tuple[Reading, int]:
    """What a conversation or a state says, and how many of its bytes are no text. The name of its file helps to tell.

    Raises Invalid for what is empty or no text; `origin` is what the message calls it.
    """
    if b"\0" in data:
        raise Invalid(f"{origin} is no text: it has a NUL byte at position {data.index(0):,}.")
    text = data.decode("utf-8-sig", "replace")
    if not text.strip():
        raise Invalid(f"{origin} is empty; there is nothing to compact.")
    undecodable = 0 if "\ufffd" not in text else text.count("\ufffd") - data.count("\ufffd".encode())
    is_yaml = len(data) <= YAML_BYTES_MAX and conversations.is_mapping(text, file)
    state = read_plain_yaml.mapping(text) if is_yaml else None
    if state is None:
        return conversations.read(text), undecodable
    return conversations.with_comments(conversations.of_mapping(state), text), undecodable


def compact(
    reading: Reading,
    asked: Wish,
    settings: Settings,
    *,
    seat: Seat | None = None,
    with_decisions: bool = False,
    undecodable: int = 0,
) -> Compacted:
    """Compacts within the wish. A task's failures are counted in its project, so that a task needs a seat.

    Raises TooManyWrites if an agent would spill a file over its limit of writes; that is no failure of the task.
    """
    found = binding(seat) if with_decisions and seat is not None else ()
    if asked.task is None:
        return _compacted(reading, asked, settings, decided=found, undecodable=undecodable)[0]
    if seat is None:
        raise Invalid("A task belongs to a project; make one with `hansard init`, or name one.")
    failures_max, counted = settings.compaction_max_consecutive_failures, _counted(seat, asked.task)
    with spills.attempts(data_of(seat)) as known:
        failures = known.failures(counted)
    if ladder.is_open(failures, failures_max):
        return Compacted(None, 0, 0, asked.tokens_target, State.WAITING_APPROVAL, failures)
    done, spill = _compacted(reading, asked, settings, decided=found, undecodable=undecodable)
    if spill is not None:
        count_file(seat)
    fault = _unwritten(seat, spill) if spill is not None else None
    if fault is not None:
        # A text that points to a file that is not there would have lost what the file was to hold.
        asked_below = asked._replace(level_max=ladder.SPILL_LEVEL - 1)
        done, _ = _compacted(reading, asked_below, settings, decided=found, undecodable=undecodable)
        done = done._replace(fault=fault, state=State.FAILED)
    with spills.attempts(data_of(seat)) as known:
        met = done.state is State.COMPLETE
        state, failures = ladder.judged(known.failures(counted), met=met, failures_max=failures_max)
        known.keep(counted, failures)
    return done._replace(state=state, failures=failures)


def _counted(seat: Seat, task: str) -> str:
    """Under which name failures are counted: an agent's own, or it could have the tasks of others stopped."""
    return task if seat.actor.roles & EXEMPT else spills.count_name(task, seat.actor.key)


def _unwritten(seat: Seat, spill: Spill) -> str | None:
    """Writes the file; why it could not be written, if so."""
    try:
        spills.write(place_of(seat), spill)
    except Invalid as fault:
        return str(fault)
    except OSError as fault:
        return fault.strerror or type(fault).__name__
    return None


def reset(seat: Seat, task: str) -> int:
    """Closes the circuit of a task again for everybody; how many failures are forgotten. Raises Denied for agents.

    Counts that are damaged are forgotten with it, whatever their task.
    """
    seat.require(Act.CONFIGURE)
    with spills.attempts(data_of(seat), mending=True) as known:
        return known.forget(ladder.task_slug(task))


def purge(seat: Seat, task: str) -> list[str]:
    """Removes what was spilled for a task, whoever spilled it. Raises Denied for agents."""
    seat.require(Act.CLEAR_SPILLS)
    return spills.purge(place_of(seat), task)


def binding(seat: Seat) -> tuple[Decided, ...]:
    """The project's active architectural and scope decisions, oldest first."""
    seat.require(Act.READ)
    with seat.reading() as tx:
        found = tx.decisions.boundaries()
    told = ((one.ref, one.title, one.content) for one in found)
    return tuple(Decided(ref, title if title == text else f"{title}: {text}") for ref, title, text in told)


def place_of(seat: Seat) -> Path:
    """The project's folder as the work tree has it that we stand in."""
    folder = home(seat)
    start = roots.standing()
    return folder if start is None else roots.place_in_tree(folder, start)


def data_of(seat: Seat) -> Path:
    """Where a machine keeps what belongs to a project and is no record."""
    return data_folder() / "projects" / seat.project.id


def _compacted(
    reading: Reading, asked: Wish, settings: Settings, *, decided: tuple[Decided, ...], undecodable: int
) -> tuple[Compacted, Spill | None]:
    climbed = ladder.climb(
        bullets.compact(reading, decided=decided, undecodable=undecodable),
        tokens_target=asked.tokens_target,
        level_max=asked.level_max,
        inline_characters_max=settings.compaction_inline_characters_max,
        task=asked.task,
    )
    done = Compacted(
        safe(climbed.text),
        climbed.level,
        climbed.tokens,
        asked.tokens_target,
        State.COMPLETE if climbed.met else State.FAILED,
        0,
        climbed.spill.path if climbed.spill else None,
        {part.name.lower(): tuple(map(safe, bullets)) for part, bullets in climbed.compaction.parts.items()},
        climbed.compaction.dropped,
        climbed.tried,
    )
    spill = climbed.spill
    return done, spill._replace(text=safe(spill.text)) if spill is not None else None
