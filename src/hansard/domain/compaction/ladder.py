"""Owns the ladder of compaction: what each level takes away, in which order, and when a person has to be asked."""

import re
from enum import StrEnum
from typing import NamedTuple

from hansard.domain.budget import tokens
from hansard.domain.compaction.bullets import NO_OUTPUT, Compaction, render, spill_text
from hansard.domain.compaction.standing import Dropped, bullet, shortened
from hansard.domain.compaction.topics import Part
from hansard.domain.errors import Invalid, quoted

LEVEL_MAX = 5
SPILL_LEVEL = 4
"""From here on a file is written."""
LEVELS = (
    "no level",
    "L1 inline truncation",
    "L2 summary replacement",
    "L3 chunk discard",
    "L4 spill",
    "L5 hard reset",
)
SPILL_FOLDER = ".cache/tool-output"
PATHS_SHOWN = 10
"""So many deliverables stay in the text when all of them are in the spilled file."""
TASK_BYTES_MAX = 100
_SLUG = re.compile(r"[a-zA-Z0-9_-]+")
_MARK_CHARACTERS = 40
_MUST = frozenset({Part.PHASE, Part.BLOCKER, Part.DECISION, Part.CONSTRAINT, Part.DELIVERABLE, Part.SPILLED})
"""What no level takes away."""


class State(StrEnum):
    """How a compaction ended, in the words of a workflow."""

    COMPLETE = "COMPLETE"
    FAILED = "FAILED"
    WAITING_APPROVAL = "WAITING_APPROVAL"


class Action(StrEnum):
    """What the caller does next."""

    CONTINUE = "continue"
    RETRY = "retry"
    ESCALATE = "escalate"


ACTIONS = {State.COMPLETE: Action.CONTINUE, State.FAILED: Action.RETRY, State.WAITING_APPROVAL: Action.ESCALATE}


class Spill(NamedTuple):
    """A file to be written: its path below the project's folder, and its text."""

    path: str
    text: str


class Climb(NamedTuple):
    """Where the ladder ended: the text, the level it took, and whether the target is met."""

    compaction: Compaction
    text: str
    level: int
    met: bool
    spill: Spill | None = None
    tried: int = 0
    """The highest level that was tried. One that does not shorten the text is left out."""

    @property
    def tokens(self) -> int:
        return tokens(self.text)


def task_slug(task: str) -> str:
    """The name of a task as a folder may have it. Raises Invalid for anything but letters, digits, `_` and `-`."""
    if not _SLUG.fullmatch(task) or len(task) > TASK_BYTES_MAX:
        raise Invalid(
            f"A task is named by up to {TASK_BYTES_MAX} letters, digits, '_' and '-'; {quoted(task, 60)} is not."
        )
    return task


def spill_folder(task: str) -> str:
    return f"{SPILL_FOLDER}/{task_slug(task)}"


def climb(
    whole: Compaction, *, tokens_target: int, level_max: int, inline_characters_max: int, task: str | None = None
) -> Climb:
    """Applies level after level until the target is met, or no level is left. Without a target none is applied.

    A level that would not make the text shorter is left out: it would take something away for nothing.
    """
    reached = Climb(whole, render(whole), 0, met=True)
    if not tokens_target or reached.tokens <= tokens_target:
        return reached
    for level in range(1, level_max + 1):
        spill = reached.spill or (spilled(whole, task or "") if level >= SPILL_LEVEL else None)
        left = _stepped(reached, level, inline_characters_max, spill)
        text = render(left)
        if len(text) >= len(reached.text):
            reached = reached._replace(tried=level)
            continue
        reached = Climb(left, text, level, met=False, spill=spill, tried=level)
        if reached.tokens <= tokens_target:
            return reached._replace(met=True)
    return reached._replace(met=False)


def _stepped(reached: Climb, level: int, inline_characters_max: int, spill: Spill | None) -> Compaction:
    one = reached.compaction
    match level:
        case 1:
            return _truncated(one, inline_characters_max)
        case 2:
            return _replaced(one, inline_characters_max)
        case 3:
            return _discarded(one)
        case 4:
            return _pointing(one, spill)
        case _:
            # What a reset takes away stands in the file, so that it points there even if L4 alone was too long.
            return _reset(one if reached.spill else _pointing(one, spill))


def judged(failures: int, *, met: bool, failures_max: int) -> tuple[State, int]:
    """How an attempt ends after so many failures in a row, and how many there are then."""
    if is_open(failures, failures_max):
        return State.WAITING_APPROVAL, failures
    if met:
        return State.COMPLETE, 0
    failures += 1
    return (State.WAITING_APPROVAL if is_open(failures, failures_max) else State.FAILED), failures


def is_open(failures: int, failures_max: int) -> bool:
    """Whether the circuit is open: more failures in a row than are allowed."""
    return failures > failures_max


def spilled(whole: Compaction, task: str) -> Spill:
    """The file that holds everything. Its name is made from its text, so the same text is the same file."""
    from hashlib import sha256

    text = spill_text(whole)
    return Spill(f"{spill_folder(task)}/{sha256(text.encode()).hexdigest()[:16]}.md", text)


def _truncated(one: Compaction, length: int) -> Compaction:
    """L1: long bullets and long tool output lose their middle."""
    parts, count, cut = {}, 0, 0
    for part, bullets in one.parts.items():
        parts[part] = tuple(_cut(text, length) for text in bullets)
        changed = [(old, new) for old, new in zip(bullets, parts[part], strict=True) if old != new]
        count += len(changed)
        cut += sum(len(old) - len(new) for old, new in changed)
    outputs = tuple(output._replace(text=_cut(output.text, length)) for output in one.outputs)
    count += sum(old != new for old, new in zip(one.outputs, outputs, strict=True))
    cut += sum(len(old.text) - len(new.text) for old, new in zip(one.outputs, outputs, strict=True))
    left = one._replace(parts=parts, outputs=outputs)
    return left.dropping("middles of long texts (L1)", count, cut) if count else left


def _cut(text: str, length: int) -> str:
    if len(text) <= length + _MARK_CHARACTERS:
        return text
    head = length * 2 // 3
    tail = length - head
    return f"{text[:head].rstrip()} [… {len(text) - length:,} characters …] {text[-tail:].lstrip()}"


def _replaced(one: Compaction, length: int) -> Compaction:
    """L2: tool output becomes one line that says what it was."""
    if not one.outputs:
        return one
    lines = [_summary(output.tool, output.text, length) for output in one.outputs]
    size = sum(len(output.text) for output in one.outputs)
    parts = {**one.parts, Part.OUTPUT: (*one.parts.get(Part.OUTPUT, ()), *lines)}
    left = one._replace(parts=parts, outputs=())
    return left.dropping("tool output told in a line (L2)", len(lines), size)


def _summary(tool: str, text: str, length: int) -> str:
    said = [line for line in text.split("\n") if line.strip()] or [NO_OUTPUT]
    told = shortened(said[0], min(length, 80))
    if len(said) > 1:
        told += f" … {shortened(said[-1], min(length, 80))}"
    return bullet(f"{tool or 'tools'}: {text.count(chr(10)) + 1:,} lines, {len(text):,} characters: {told}")


def _discarded(one: Compaction) -> Compaction:
    """L3: whole chunks go: tool output, the last request, and what nobody approved."""
    return _without(one, frozenset({Part.OUTPUT, Part.REQUEST, Part.UNAPPROVED}), "discarded (L3)")


def _pointing(one: Compaction, spill: Spill | None) -> Compaction:
    """L4: a file holds everything, and the text says where it is and shows only the last deliverables."""
    assert spill is not None
    told = f"`{spill.path}`: the whole compaction with its tool output, {len(spill.text):,} characters"
    parts = {**one.parts, Part.SPILLED: (*one.parts.get(Part.SPILLED, ()), told)}
    paths = parts.get(Part.DELIVERABLE, ())
    if len(paths) <= PATHS_SHOWN:
        return one._replace(parts=parts)
    moved = paths[:-PATHS_SHOWN]
    parts[Part.DELIVERABLE] = paths[-PATHS_SHOWN:]
    return one._replace(parts=parts).dropping("deliverables in the spilled file (L4)", len(moved), sum(map(len, moved)))


def _reset(one: Compaction) -> Compaction:
    """L5: only what must be kept is left, and one line for all that is not."""
    left = _without(one, frozenset(Part) - _MUST, "reset (L5)")
    total = Dropped(
        "everything else", sum(each.items for each in left.dropped), sum(each.characters for each in left.dropped)
    )
    return left._replace(dropped=(total,))


def _without(one: Compaction, gone: frozenset[Part], kind: str) -> Compaction:
    lost = [text for part in Part if part in gone for text in one.parts.get(part, ())]
    lost += [output.text for output in one.outputs] if Part.OUTPUT in gone else []
    parts = {part: bullets for part, bullets in one.parts.items() if part not in gone}
    left = one._replace(parts=parts, outputs=() if Part.OUTPUT in gone else one.outputs)
    return left.dropping(kind, len(lost), sum(map(len, lost))) if lost else left
