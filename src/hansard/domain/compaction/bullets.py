"""Owns what a compaction keeps of a conversation and what it drops, by rules alone: the same input, the same bytes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hansard.domain.compaction.conversations import Kind, Message, Reading, Speaker
from hansard.domain.compaction.standing import Board, Decided, Dropped, Tally, bullet
from hansard.domain.compaction.statements import of_state, unknown_in
from hansard.domain.compaction.topics import Part
from hansard.domain.text import visible

HEADING = "# Compacted context"
DROPPED_HEADING = "## Dropped"
NO_OUTPUT = "(no output)"
UNREADABLE = "unreadable lines"

_KINDS = {
    Kind.REASONING: "reasoning",
    Kind.CALL: "tool calls",
    Kind.INJECTED: "injected context",
    Kind.ASIDE: "side conversations",
    Kind.ROLLED_BACK: "messages taken back",
    Kind.STATE: "other records",
    Kind.COMMENT: "comments",
    Kind.OTHER: "other records",
    Kind.UNREADABLE: UNREADABLE,
}
_SUMMARISED = "tool output already summarised"
_UNKNOWN = "values of unknown keys"
_BULLET = "- "
_DROPPED_LINE = re.compile(r"^- ([^:\n]{1,80}): ([\d,]{1,20}) \(([\d,]{1,20}) characters\)$")
_FENCE_LINE = re.compile(r"^`{3,}$")
_RUN = re.compile(r"`{3,}")


class Output(NamedTuple):
    """What a tool answered, as far as nobody has said what it means."""

    tool: str
    text: str


class Compaction(NamedTuple):
    """The bullets of each part, the tool output that is still needed, and what was dropped."""

    parts: Mapping[Part, tuple[str, ...]]
    outputs: tuple[Output, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    summarised: tuple[Output, ...] = ()
    """Tool output that was dropped; it is not shown, and can only be spilled."""

    def dropping(self, kind: str, count: int, characters: int) -> "Compaction":
        """The same with something more told as dropped."""
        tally = Tally(self.dropped)
        tally.add(kind, count, characters)
        return self._replace(dropped=tally.all())


def compact(reading: Reading, *, decided: Sequence[Decided] = (), undecodable: int = 0) -> Compaction:
    """What is kept of a conversation or a state. `decided` joins what was approved, `undecodable` what was dropped."""
    own = _own(reading)
    board = Board()
    summarised: tuple[Output, ...] = ()
    outputs: tuple[Output, ...] = ()
    if own is not None:
        board.take_over(own.parts, own.dropped)
        outputs = own.outputs
    else:
        summarised, outputs = _listen(board, reading.messages)
        if reading.state is not None:
            # Said after all messages: a state beside a conversation tells how it stands at its end.
            _take_in(board, reading.state, len(reading.messages))
    for one in decided:
        board.bind(one)
    if undecodable:
        board.dropped.add("bytes that are not UTF-8", undecodable, undecodable)
    return Compaction(board.parts(), outputs, board.dropped.all(), summarised)


def render(compaction: Compaction) -> str:
    """The compaction as Markdown. Read again, it gives the same text."""
    blocks = [f"{HEADING}\n"]
    for part in Part:
        bullets = compaction.parts.get(part, ())
        shown = "".join(f"{_BULLET}{one}\n" for one in bullets)
        if part is Part.OUTPUT and compaction.outputs:
            shown += _fence(_joined(compaction.outputs))
        if shown:
            blocks.append(f"## {part}\n{shown}")
    lines = [f"- {one.kind}: {one.items:,} ({one.characters:,} characters)\n" for one in compaction.dropped]
    if lines:
        blocks.append(f"{DROPPED_HEADING}\n{''.join(lines)}")
    return "\n".join(blocks)


def spill_text(compaction: Compaction) -> str:
    """Everything that a compaction knows: itself, and the tool output that it dropped."""
    text = render(compaction)
    if compaction.summarised:
        text += f"\n## Tool output\n{_fence(_joined(compaction.summarised))}"
    return text


def _joined(outputs: Sequence[Output]) -> str:
    return "\n".join(f"[{bullet(one.tool)}]\n{one.text}" if one.tool else one.text for one in outputs)


def _fence(text: str) -> str:
    longest = max((len(found.group()) for found in _RUN.finditer(text)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}\n{text}\n{mark}\n"


def _listen(board: Board, messages: Sequence[Message]) -> tuple[tuple[Output, ...], tuple[Output, ...]]:
    """Has the board hear every message, and gives the tool output that was summarised and that was not."""
    said = [place for place, one in enumerate(messages) if one.kind is Kind.TEXT]
    spoken = [place for place, one in enumerate(messages) if _is_text(one, Speaker.ASSISTANT)]
    last = spoken[-1] if spoken else -1
    settled: list[Output] = []
    open_: list[Output] = []
    for place, message in enumerate(messages):
        if message.kind is Kind.TEXT:
            board.listen(message, place, last=place == said[-1])
        elif message.kind is Kind.STATE and message.state is not None:
            _take_in(board, message.state, place)
        elif message.kind is Kind.OUTPUT:
            output = Output(message.tool, visible(message.text.strip("\n").rstrip()) or NO_OUTPUT)
            (settled if place < last else open_).append(output)
            if place < last:
                board.dropped.add(_SUMMARISED, 1, len(message.text))
        else:
            board.dropped.add(_KINDS[message.kind], 1, len(message.text))
            for path in message.paths if message.kind is Kind.CALL else ():
                board.deliver(path)
    board.requests()
    return tuple(settled), tuple(open_)


def _take_in(board: Board, state: Mapping[Any, Any], place: int) -> None:
    """Has the board hear what a state states, and counts what stands in it under keys that announce nothing."""
    for statement in of_state(state):
        board.hear(statement, Speaker.DOCUMENT, place)
    for characters in unknown_in(state):
        board.dropped.add(_UNKNOWN, 1, characters)


def _is_text(message: Message, speaker: Speaker) -> bool:
    return message.kind is Kind.TEXT and message.speaker is speaker and bool(message.text.strip())


def _own(reading: Reading) -> Compaction | None:
    """The compaction that a document is, if it is one; then it is taken as it stands."""
    if len(reading.messages) != 1 or reading.messages[0].speaker is not Speaker.DOCUMENT:
        return None
    lines = reading.messages[0].text.split("\n")
    if lines[0] != HEADING:
        return None
    return _parsed(lines[1:])


def _parsed(lines: Sequence[str]) -> Compaction | None:
    """The parts of a compaction; None if somebody added a line that none of them has."""
    titles = {f"## {part}": part for part in Part}
    parts: dict[Part, list[str]] = {}
    outputs: list[Output] = []
    dropped = Tally()
    part: Part | None = None
    telling = False
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        told = _DROPPED_LINE.match(line) if telling else None
        if line in titles or line == DROPPED_HEADING:
            part, telling = titles.get(line), line == DROPPED_HEADING
        elif told:
            dropped.add(told.group(1), _number(told.group(2)), _number(told.group(3)))
        elif part is Part.OUTPUT and _FENCE_LINE.match(line):
            end = next((number for number in range(place, len(lines)) if lines[number] == line), len(lines))
            outputs.append(Output("", visible("\n".join(lines[place:end]))))
            place = end + 1
        elif part is not None and line.startswith(_BULLET) and line[2:].strip():
            parts.setdefault(part, []).append(bullet(line[2:]))
        elif line.strip():
            return None
    return Compaction({one: tuple(parts[one]) for one in Part if one in parts}, tuple(outputs), dropped.all())


def _number(digits: str) -> int:
    return int(digits.replace(",", "") or 0)
