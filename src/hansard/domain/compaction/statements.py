"""Owns how a statement is recognised in text: a heading, a label, a bullet, or a sentence that speaks for itself."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hansard.domain.compaction import anchors, cells
from hansard.domain.compaction.conversations import fenced, normal
from hansard.domain.compaction.phrases import blocker_in, decides, phase_in, settled
from hansard.domain.compaction.prohibitions import forbids
from hansard.domain.compaction.rules import Sentence
from hansard.domain.compaction.topics import (
    CAMEL,
    DONE,
    ENDS,
    PROPOSED_WORDS,
    TICKED,
    Force,
    Label,
    Part,
    Topic,
    is_nothing,
    label_of,
    numbered,
    points,
    referred,
    topic_of,
)

ITEM_DEPTH_MAX = 6


class Statement(NamedTuple):
    """One thing that was said; those under one heading or label have the same `run`."""

    part: Part
    text: str
    force: Force = Force.STATES
    run: int = 0


class Told(NamedTuple):
    """What a text states, what it asks, and how many of its characters do neither."""

    statements: list[Statement]
    asked: list[str]
    beyond: int


_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(\S.*)$")
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+(\S.*)$")
_CHECKBOX = re.compile(r"^\[([ xX✓])\][ \t]+")
_BOLD_TITLE = re.compile(r"^(?:\*\*|__)([^*_]{2,60})(?:\*\*|__):?[ \t]*$")
_RULED = re.compile(r"^(?:={2,}|-{2,})[ \t]+(\S.{0,200}?)[ \t]+(?:={2,}|-{2,})$")
_STRUCK = re.compile(r"^~~(.*)~~$")
_MARKED_DONE = re.compile(rf"[ \t]*(?:[(\[]({DONE})\b[^()\[\]]{{0,80}}[)\]]|[—–-]+[ \t]*({DONE}))\.?$", re.IGNORECASE)
_KEY = re.compile(r"[\w-]{1,60}:(?:[ \t]|$)")
_SENTENCE = re.compile(r"(?<=[.!?])[ \t]+(?=[A-ZÄÖÜ\"'`*_(])")
_RULES = frozenset("=-")
_BULLETS = frozenset("-*+•")
_MARKS = frozenset("*_\"'")
_WHOLE = frozenset({Part.OBJECTIVE, Part.REQUEST})
"""Below these headings stands what the user said once. What it stated may be over by now."""
_NEGATES = re.compile(r"\b(?:no|not|never|kein\w*|nicht|nie|niemals|only|nur)\b|n['’]t\b", re.IGNORECASE)

_TEXT_KEYS = ("text", "title", "description", "summary", "content", "blocker", "decision", "constraint", "path", "file",
              "question", "action", "message", "name", "phase")  # fmt: skip

PATH_CHARACTERS_MAX = 400
_APART = r"\s`'\"<>()\[\]{},;|*="
_PATH_WORD = re.compile(rf"(?<![^{_APART}])[^/{_APART}]*+/[^{_APART}]*+")
"""A whole word with a slash in it. Each word is looked at once, however long it is."""
_PLACE = re.compile(r":\d+(?:-\d+)?$")
_PATH = re.compile(r"^(?:~|\.{1,2})?/?[\w.@+-]+(?:/[\w.@+-]+)*\.[A-Za-z][A-Za-z0-9]{0,7}(?::\d+(?:-\d+)?)?$")


def told(text: str, *, commands: bool) -> Told:
    """What the text states, in order. With `commands`, a sentence that forbids something is a constraint."""
    reader = _Reader(commands=commands)
    lines = text.split("\n")
    if "&" in text and "*" in text:
        lines = anchors.written_out(lines)
    inside = fenced(lines)
    lines = cells.as_labels(lines, inside)
    for number, line in enumerate(lines):
        # What is quoted or fenced is shown, not said.
        if inside[number] or line.lstrip().startswith(">"):
            reader.beyond += len(line)
        else:
            reader.take(line)
    reader.close()
    reader.point()
    return Told(reader.stated(), reader.asked, reader.beyond)


class _Reader:
    """Reads line after line and keeps which heading or label the line stands under."""

    def __init__(self, *, commands: bool) -> None:
        self.found: list[Statement] = []
        self.asked: list[str] = []
        self.beyond = 0
        self._commands = commands
        self._topic: Topic | None = None
        self._level = 0
        """The level of the heading that opened the section; 0 if a label did."""
        self._run = 0
        self._runs = 0
        self._item: list[str] = []
        self._item_topic: Topic | None = None
        self._said: list[str] = []
        """The lines of prose that are one sentence or more."""
        self._planned: list[int] = []
        """Where the phases stand that have a number: more than one of them are a plan."""
        self._lasts = True
        """Whether the list below a label goes on after a blank line."""
        self._pointer: Label | None = None
        """A label whose value only says that a list follows."""

    def stated(self) -> list[Statement]:
        """All statements. Of a plan no phase is the active one by its place in it."""
        if len(self._planned) < 2:
            return self.found
        planned = set(self._planned)
        phases = {n for n, one in enumerate(self.found) if one.part is Part.PHASE and one.force is Force.STATES}
        if phases - planned:
            self.beyond += sum(len(self.found[number].text) for number in planned)
            return [one for number, one in enumerate(self.found) if number not in planned]
        run = self.found[max(planned)].run
        return [one._replace(run=run) if number in planned else one for number, one in enumerate(self.found)]

    def take(self, line: str) -> None:
        bare = line.strip()
        if not bare:
            self.close()
            if not self._lasts:
                self._topic, self._lasts = None, True
            return
        first = bare[0]
        if first in _RULES:
            bare = _RULED.sub(r"\1", bare)
        heading = _HEADING.match(line) if first == "#" else None
        bullet = _BULLET.match(line) if first in _BULLETS or first.isdigit() else None
        if bullet is None:
            self.point()
        if heading:
            self._head(heading.group(2), len(heading.group(1)))
        elif bullet:
            self._bullet(bullet.group(1).strip())
        elif not self._labelled(bare) and not self._titled(bare):
            self._prose(line, bare)

    def point(self) -> None:
        """Takes the value of a label for what it says, as no list followed that it could have pointed to."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            self._add(pointer.topic, pointer.text)

    def close(self) -> None:
        """Ends the item or the prose that is being read."""
        item, topic, prose = " ".join(self._item), self._item_topic, " ".join(self._said)
        self._item, self._item_topic, self._said = [], None, []
        if prose:
            self._sentences(prose)
        if not item or topic is None:
            return
        if topic.force is Force.SETTLES:
            # What is over is not kept, so whatever is said behind it has to be heard for itself.
            item, *rest = _SENTENCE.split(" ".join(item.split()), maxsplit=1)
            self._add(topic, item)
            for one in rest:
                self._sentences(one)
        elif self._topic is not None and self._level and self._topic.part in _WHOLE:
            self._add(topic, item)
        else:
            self._add_apart(topic, item)

    def _add_apart(self, topic: Topic, text: str) -> None:
        """Adds an item without those of its later sentences that state something else: they may outlive it."""
        first, *rest = _SENTENCE.split(" ".join(text.split()))
        behind = [(one, self._is_apart(one, topic)) for one in rest]
        self._add(topic, " ".join([first, *(one for one, apart in behind if not apart)]))
        run = self._run
        for one, apart in behind:
            if apart:
                self._sentences(one)
            else:
                for part, over in settled(Sentence(one)):
                    self._say(Topic(part, Force.SETTLES), over)
        # Whatever follows in the same list belongs to the item and not to what was said behind it.
        self._run = run

    def _is_apart(self, sentence: str, topic: Topic) -> bool:
        """Whether a sentence behind an item has a label of its own, or states what the item does not."""
        label = label_of(sentence)
        if label is not None and label.text:
            return True
        alone = _Reader(commands=self._commands)
        alone._sentences(sentence)
        same = {Part.DECISION, topic.part} if topic.part is Part.UNAPPROVED else {topic.part} - {Part.PHASE}
        return any(one.force is Force.STATES and one.part not in same for one in alone.found)

    def _head(self, title: str, level: int) -> None:
        self.close()
        title = title.strip()
        topic = topic_of(title)
        label = label_of(title) or numbered(title) if topic is None else None
        if topic is not None:
            self._open(topic, level)
        elif label is not None:
            self._open(label.topic, level)
            self._label(label)
            if label.number and label.text:
                # Below `## Phase 2` stand its tasks, and below `## Decision 3: …` its reasons.
                self._topic = None if label.value or label.topic.part is Part.PHASE else label.topic
        else:
            self.beyond += len(title)
            if self._topic is None or not self._level or level <= self._level:
                # A deeper heading that means nothing here only divides the section.
                self._topic = None

    def _label(self, label: Label) -> None:
        """Takes in a label with what stands behind it. A number alone names nothing but a phase."""
        if not label.value and label.topic.part is not Part.PHASE and label.topic.force is not Force.SETTLES:
            return
        if label.number and label.topic == Topic(Part.PHASE):
            before = len(self.found)
            self._add_apart(label.topic, label.text)
            if [(one.part, one.force) for one in self.found[before : before + 1]] == [(Part.PHASE, Force.STATES)]:
                self._planned.append(before)
        elif label.text:
            self._add_apart(label.topic, label.text)

    def _titled(self, bare: str) -> bool:
        found = _BOLD_TITLE.match(bare) if bare[0] in _MARKS else None
        topic = topic_of(found.group(1)) if found else None
        if topic is None:
            return False
        self.close()
        self._open(topic, 0)
        return True

    def _open(self, topic: Topic, level: int) -> None:
        self._topic, self._level, self._lasts = topic, level, True
        self._begin()

    def _begin(self) -> None:
        self._runs += 1
        self._run = self._runs

    def _labelled(self, bare: str) -> bool:
        label = label_of(bare) or numbered(bare) or (referred(bare) if self._topic is None else None)
        if label is None or not (label.value or bare.endswith((":", "*", "_")) or label.topic.part is Part.PHASE):
            return False
        self.close()
        if label.number and label.topic == Topic(Part.PHASE):
            self._begin()
            self._label(label)
            if not self._level:
                self._topic = None
        elif label.value or (label.number and label.topic.force is Force.SETTLES):
            self._begin()
            if label.many and label.value:
                self._list(label)
                return True
            self._item, self._item_topic = [label.text], label.topic
            if not self._level:
                self._topic = None
        else:
            self._open(label.topic, 0)
        return True

    def _list(self, label: Label) -> None:
        """Opens the list of a label that has a value too, such as `Blockers: two`."""
        self._topic, self._level, self._lasts = label.topic, 0, points(label.value)
        if self._lasts:
            self._pointer = label
        else:
            self._item, self._item_topic = [label.text], label.topic

    def _bullet(self, text: str) -> None:
        self.close()
        if self._pointer is not None:
            self.beyond += len(self._pointer.text)
            self._pointer = None
        box = _CHECKBOX.match(text)
        body = text[box.end() :] if box else text
        if self._labelled(body):
            return
        if self._topic is None:
            self._said = [body]
            return
        ticked = box is not None and box.group(1) != " " and self._topic.part in TICKED
        force = Force.SETTLED if ticked and self._topic.force is Force.STATES else self._topic.force
        self._item, self._item_topic = [body], self._topic._replace(force=force)

    def _prose(self, line: str, bare: str) -> None:
        if self._item and (line[0] in " \t" or self._under_heading() or _goes_on(self._item[-1], bare)):
            self._item.append(bare)
            return
        if self._said and (line[0] in " \t" or _goes_on(self._said[-1], bare)):
            self._said.append(bare)
            return
        self.close()
        if self._under_heading():
            self._item, self._item_topic = [bare], self._topic
            return
        # A label's list ends with the first line that is no bullet.
        self._topic = None
        self._said = [bare]

    def _under_heading(self) -> bool:
        return self._topic is not None and self._level > 0

    def _sentences(self, text: str) -> None:
        # A run of blanks would make the patterns slow.
        for sentence in _SENTENCE.split(" ".join(text.split())):
            label = label_of(sentence) or (referred(sentence) if self._topic is None else None)
            if label and label.text:
                self._begin()
                self._label(label)
            elif sentence.endswith("?"):
                self.asked.append(sentence)
                self.beyond += len(sentence)
            else:
                whole = Sentence(sentence)
                for part, over in settled(whole):
                    self._say(Topic(part, Force.SETTLES), over)
                if not self._plain(whole):
                    self.beyond += len(sentence)

    def _plain(self, whole: Sentence) -> bool:
        """Hears a sentence that says what it is by its own words; False if it does not."""
        sentence = whole.text
        bare = whole
        if sentence[0] in _MARKS or sentence[-1] in _MARKS:
            bare = Sentence(sentence.lstrip("*_\"'").rstrip("*_"))
        phase = phase_in(bare)
        if phase:
            self._begin()
            self._say(Topic(Part.PHASE), phase)
            return True
        # One sentence may bind in more than one way, and none of them may get lost.
        before = len(self.found)
        blocker = blocker_in(bare)
        if blocker:
            self._say(Topic(Part.BLOCKER), blocker)
        if decides(bare, commands=self._commands):
            self._say(Topic(Part.DECISION), sentence)
        elif self._commands and not blocker and forbids(bare):
            self._say(Topic(Part.CONSTRAINT), sentence)
        return len(self.found) > before

    def _add(self, topic: Topic, text: str) -> None:
        text = text.strip()
        if is_nothing(text):
            self.beyond += len(text)
            return
        if topic.force is Force.SETTLES:
            self.beyond += len(text)
        if topic.lead and not _NEGATES.search(text):
            text = f"{topic.lead}: {text}"
        struck = _STRUCK.match(text)
        done = None if struck else _MARKED_DONE.search(text[-120:])
        word = (done.group(1) or done.group(2)).lower() if done else ""
        if topic.force is Force.STATES and (struck or word in ENDS.get(topic.part, ())):
            bare = struck.group(1) if struck else text[: len(text) - len(done.group() if done else "")]
            self._say(Topic(topic.part, Force.SETTLED), bare)
        else:
            self._say(topic, text)

    def _say(self, topic: Topic, text: str) -> None:
        flat = " ".join(text.split())
        if flat:
            self.found.append(Statement(topic.part, flat, topic.force, self._run))


def _goes_on(before: str, line: str) -> bool:
    """Whether a line without indentation goes on with the item above: that one ends amid a sentence."""
    return before[-1:] not in ".!?:;" and line[:1].islower() and _KEY.match(line) is None


def of_state(state: Mapping[Any, Any]) -> list[Statement]:
    """What a state file states: its keys announce what its values are."""
    found: list[Statement] = []
    _walk(state, found, 0)
    return found


def _walk(state: Mapping[Any, Any], found: list[Statement], depth: int) -> None:
    for key, value in state.items():
        topic = topic_of(CAMEL.sub(" ", str(key)))
        if topic is not None:
            run = len(found)
            found += [one._replace(run=run) for one in _values(topic, value, 0)]
        elif depth < ITEM_DEPTH_MAX:
            for inner in value if isinstance(value, list) else [value]:
                if isinstance(inner, dict):
                    _walk(inner, found, depth + 1)


def unknown_in(state: Mapping[Any, Any], depth: int = 0) -> Iterator[int]:
    """For each value of a state whose key announces nothing, how many characters it has."""
    for key, value in state.items():
        if topic_of(CAMEL.sub(" ", str(key))) is not None:
            continue
        every = value if isinstance(value, list) else [value]
        deeper = [one for one in every if isinstance(one, dict) and depth < ITEM_DEPTH_MAX]
        for one in deeper:
            yield from unknown_in(one, depth + 1)
        plain = [one for one in every if one is not None and (depth >= ITEM_DEPTH_MAX or not isinstance(one, dict))]
        if plain:
            yield sum(len(str(one)) for one in plain)


def _values(topic: Topic, value: Any, depth: int) -> Iterator[Statement]:
    if value is None or isinstance(value, bool) or depth > ITEM_DEPTH_MAX:
        return
    if isinstance(value, list | tuple):
        for one in value:
            yield from _values(topic, one, depth + 1)
    elif isinstance(value, dict):
        yield from _record(topic, value, depth)
    else:
        for line in normal(str(value)).split("\n"):
            bullet = _BULLET.match(line)
            reader = _Reader(commands=True)
            reader._add_apart(topic, bullet.group(1) if bullet else line)  # noqa: SLF001 - its own module
            yield from reader.found


def _record(topic: Topic, value: Mapping[Any, Any], depth: int) -> Iterator[Statement]:
    """One item with fields: what it says, its number, and how it stands."""
    text = next((str(value[key]) for key in _TEXT_KEYS if isinstance(value.get(key), str | int)), "")
    if not text.strip():
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                yield from _values(topic, inner, depth + 1)
            elif inner is not None:
                yield Statement(topic.part, f"{key}: {inner}".strip(), topic.force)
        return
    number = next((str(value[key]) for key in ("ref", "id", "number") if isinstance(value.get(key), str | int)), "")
    said = " ".join(f"{number + ': ' if number and number not in text else ''}{text}".split())
    supersedes = value.get("supersedes") or value.get("replaces")
    if isinstance(supersedes, str | int):
        said += f" (supersedes {supersedes})"
    status = " ".join(str(value.get("status") or value.get("state") or "").lower().replace("_", " ").split())
    force = topic.force
    if force is Force.STATES:
        ended = value.get("superseded_by") or (value.get("resolved") is True and topic.part is Part.BLOCKER)
        if ended or status in ENDS.get(topic.part, ()):
            force = Force.SETTLED
        elif topic.part is Part.DECISION and (status in PROPOSED_WORDS or value.get("approved") is False):
            topic = Topic(Part.UNAPPROVED)
    yield Statement(topic.part, said, force)


def paths_in(text: str) -> Iterator[str]:
    """The words of a text that name a file, each as it is written."""
    if "/" not in text:
        return
    for found in _PATH_WORD.finditer(text):
        word = found.group().rstrip(".:!?")
        if 3 <= len(word) <= PATH_CHARACTERS_MAX and "://" not in word and _PATH.match(word):
            yield _PLACE.sub("", word)
