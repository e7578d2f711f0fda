"""Owns how a statement is recognised in text: a heading, a label, a bullet, or a sentence that speaks for itself."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from hansard.domain.conversations import fenced, normal


class Part(StrEnum):
    """What a compaction keeps, in the order it is shown, each by its heading."""

    OBJECTIVE = "Objective"
    REQUEST = "Last request"
    PHASE = "Active phase"
    BLOCKER = "Unresolved blockers"
    DECISION = "Approved decisions"
    UNAPPROVED = "Decisions without approval"
    CONSTRAINT = "Safety constraints"
    DELIVERABLE = "Deliverables"
    QUESTION = "Open questions"
    NEXT = "Next action"
    OUTPUT = "Tool output not summarised yet"
    SPILLED = "Spilled"


class Force(StrEnum):
    """What a statement does: it states something, says that something is settled, or states what is settled itself."""

    STATES = "states"
    SETTLES = "settles"
    SETTLED = "settled"


class Statement(NamedTuple):
    """One thing that was said; those under one heading or label have the same `run`."""

    part: Part
    text: str
    force: Force = Force.STATES
    run: int = 0


class Topic(NamedTuple):
    """What a heading or a label announces."""

    part: Part
    force: Force = Force.STATES


ITEM_DEPTH_MAX = 6
_WORDS: Mapping[Topic, tuple[str, ...]] = {
    Topic(Part.OBJECTIVE): (
        "objective", "active objective", "current objective", "goal", "active goal", "current goal", "scope",
        "active scope", "current task", "active task",
    ),
    Topic(Part.REQUEST): ("last request",),
    Topic(Part.PHASE): ("phase", "active phase", "current phase", "phase boundary", "current phase boundary"),
    Topic(Part.BLOCKER): (
        "blocker", "blockers", "unresolved blocker", "unresolved blockers", "open blocker", "open blockers",
        "active blockers", "current blockers", "blocked", "blocked on", "blocked by", "blockers and risks",
        "unresolved blockers and risks",
    ),
    Topic(Part.DECISION): (
        "decision", "decisions", "approved decision", "approved decisions", "approved", "decided", "we decided",
        "agreed", "agreed decisions", "binding decisions", "key decisions",
    ),
    Topic(Part.UNAPPROVED): (
        "decisions without approval", "proposed decision", "proposed decisions", "pending decision",
        "pending decisions", "decision proposed",
    ),
    Topic(Part.CONSTRAINT): (
        "constraint", "constraints", "safety constraint", "safety constraints", "safety", "safety rule", "safety rules",
        "guardrail", "guardrails", "hard rule", "hard rules", "non negotiable", "non negotiables",
    ),
    Topic(Part.DELIVERABLE): (
        "deliverable", "deliverables", "referenced deliverables", "artifact", "artifacts", "artefacts",
        "deliverable path", "deliverable paths", "output files",
    ),
    Topic(Part.QUESTION): ("open question", "open questions", "question", "questions", "unanswered questions"),
    Topic(Part.NEXT): (
        "next", "next action", "next actions", "next step", "next steps", "what is next", "what s next", "pending",
        "pending action", "pending actions",
    ),
    Topic(Part.BLOCKER, Force.SETTLES): (
        "resolved", "unblocked", "fixed", "resolved blocker", "resolved blockers", "blocker resolved", "blocker fixed",
        "blockers resolved", "blocker removed",
    ),
    Topic(Part.DECISION, Force.SETTLES): (
        "superseded", "superseded decision", "superseded decisions", "decision superseded", "reverted",
        "decision reverted", "withdrawn", "decision withdrawn", "rejected", "rejected decision", "rejected decisions",
        "decision rejected",
    ),
    Topic(Part.CONSTRAINT, Force.SETTLES): ("lifted", "constraint lifted", "lifted constraint", "lifted constraints"),
    Topic(Part.QUESTION, Force.SETTLES): ("answered", "question answered", "answered question", "answered questions"),
    Topic(Part.PHASE, Force.SETTLES): (
        "phase complete", "phase completed", "completed phase", "completed phases", "phase done",
    ),
}  # fmt: skip
TOPICS: Mapping[str, Topic] = {title: topic for topic, titles in _WORDS.items() for title in titles}

_SETTLING = {
    "resolved": Part.BLOCKER, "fixed": Part.BLOCKER, "unblocked": Part.BLOCKER, "superseded": Part.DECISION,
    "reverted": Part.DECISION, "withdrawn": Part.DECISION, "lifted": Part.CONSTRAINT, "answered": Part.QUESTION,
    "complete": Part.PHASE, "completed": Part.PHASE, "finished": Part.PHASE,
}  # fmt: skip
ENDS: Mapping[Part, frozenset[str]] = {
    Part.OBJECTIVE: frozenset({"complete", "completed", "done", "finished", "closed"}),
    Part.PHASE: frozenset({"complete", "completed", "done", "finished", "closed"}),
    Part.BLOCKER: frozenset({"resolved", "fixed", "unblocked", "done", "closed", "cleared", "obsolete"}),
    Part.DECISION: frozenset({"superseded", "reverted", "withdrawn", "rejected", "archived", "obsolete"}),
    Part.UNAPPROVED: frozenset({"superseded", "withdrawn", "rejected", "obsolete"}),
    Part.CONSTRAINT: frozenset({"lifted", "obsolete"}),
    Part.QUESTION: frozenset({"answered", "resolved", "closed", "obsolete"}),
    Part.NEXT: frozenset({"complete", "completed", "done", "finished", "cancelled"}),
}
"""The words that end an item of each part. A deliverable that is done is still one, and so is a decision."""
_TICKED = frozenset({Part.OBJECTIVE, Part.PHASE, Part.BLOCKER, Part.QUESTION, Part.NEXT})
"""Where a ticked box means that it is over; a ticked decision is one that was made."""
_DONE = "|".join(sorted({word for words in ENDS.values() for word in words}, key=lambda word: (-len(word), word)))
PROPOSED_WORDS = frozenset({"proposed", "pending", "draft", "proposal", "unapproved", "in review"})

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(\S.*)$")
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+(\S.*)$")
_CHECKBOX = re.compile(r"^\[([ xX✓])\][ \t]+")
_LABEL = re.compile(r"^(?:\*\*|__)?([A-Za-z][A-Za-z'’ \t_-]{1,40}?)(?:\*\*|__)?:(?:\*\*|__)?(?:[ \t]+(.*))?$")
_BOLD_TITLE = re.compile(r"^(?:\*\*|__)([^*_]{2,60})(?:\*\*|__):?[ \t]*$")
_STRUCK = re.compile(r"^~~(.*)~~$")
_MARKED_DONE = re.compile(rf"[ \t]*(?:[(\[]({_DONE})\b[^()\[\]]{{0,80}}[)\]]|[—–-]+[ \t]*({_DONE}))\.?$", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])[ \t]+(?=[A-Z\"'`*_(])")
_IS_SETTLED = re.compile(
    r"[ \t]+(?:(?:is|are|was|were|has been|have been|got)[ \t]+)?(?:now[ \t]+)?"
    rf"({'|'.join(_SETTLING)})(?=[ \t]*(?:$|[.,;:(!—–-]|by\b|in\b|with\b|via\b|now\b|since\b|thanks\b))",
    re.IGNORECASE,
)
_SETTLES = re.compile(
    r"^(?:(?:i|we)(?:'ve|’ve)?[ \t]+)?(?:have[ \t]+)?"
    r"(resolved|fixed|unblocked|superseded|reverted|lifted|answered)[ \t]+",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"^(?:please[ \t]+)?(?:make[ \t]+sure[ \t]+(?:that[ \t]+)?(?:(?:you|we|to)[ \t]+)?"
    r"(?:never|not|do[ \t]+not|don['’]t)|(?:you|we)[ \t]+(?:cannot|(?:must|may|should|shall|can)"
    r"(?:[ \t]+(?:not|never)|n?['’]t))|(?:must|may)[ \t]+(?:not|never)|never|"
    r"do[ \t]+not|don['’]t|always|only[ \t]+(?:change|touch|edit|modify|use|write|read|run|deploy|commit|push)|"
    r"under[ \t]+no[ \t]+circumstances|no[ \t]+[\w-]+(?:[ \t]+[\w-]+){0,3}[ \t]+without)\b"
    r"(?![ \t]+(?:worry|bother|mind|know|think|care|see|understand|have|want|need|remember)\b)",
    re.IGNORECASE,
)
_OFF_LIMITS = re.compile(
    r"^(?!(?:if|when|whether|unless|until|while)\b)"
    r".*?\b(?:is|are|stays?|remains?)[ \t]+(?:strictly[ \t]+)?off[ -]limits\b",
    re.IGNORECASE,
)
_BLOCKED = re.compile(
    r"^(?:we|i)(?:[ \t]+(?:are|am)|['’](?:re|m))[ \t]+(?:(?:still|now|currently|also)[ \t]+)?"
    r"blocked[ \t]+(?:by|on)[ \t]+",
    re.IGNORECASE,
)
_AGREED = re.compile(
    r"^(?:we|the[ \t]+team)(?:[ \t]+have|['’]ve|[ \t]+has)?[ \t]+(?:all[ \t]+)?"
    r"(?:agreed|decided)[ \t]+(?:to|that|on|not[ \t]+to)\b",
    re.IGNORECASE,
)
_ENTERS = re.compile(
    r"^(?:now[ \t]+)?(?:starting|entering|beginning|moving[ \t]+(?:on[ \t]+)?to|in|we[ \t]+are[ \t]+(?:now[ \t]+)?in)"
    r"[ \t]+(phase\b.*)$",
    re.IGNORECASE,
)
_NOTHING = frozenset({"", "none", "n a", "na", "nothing", "no", "nil", "null", "tbd", "none known", "none yet"})
_TITLE_WORD = re.compile(r"[a-z0-9]+")
_COUNT = re.compile(r"\(\d+\)\s*$")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

_TEXT_KEYS = ("text", "title", "description", "summary", "content", "blocker", "decision", "constraint", "path", "file",
              "question", "action", "message", "name", "phase")  # fmt: skip

PATH_CHARACTERS_MAX = 400
_APART = r"\s`'\"<>()\[\]{},;|*="
_PATH_WORD = re.compile(rf"(?<![^{_APART}])[^/{_APART}]*+/[^{_APART}]*+")
"""A whole word with a slash in it. Each word is looked at once, however long it is."""
_PLACE = re.compile(r":\d+(?:-\d+)?$")
_PATH = re.compile(r"^(?:~|\.{1,2})?/?[\w.@+-]+(?:/[\w.@+-]+)*\.[A-Za-z][A-Za-z0-9]{0,7}(?::\d+(?:-\d+)?)?$")


def topic_of(title: str) -> Topic | None:
    """What a heading, a label or a key announces; None if nothing that is kept."""
    if len(title) > 80:
        return None
    bare = re.sub(r"^\d+[.)]\s*", "", _COUNT.sub("", title.strip(" *_:#")))
    return TOPICS.get(" ".join(_TITLE_WORD.findall(bare.lower().replace("_", " "))))


def is_nothing(text: str) -> bool:
    """Whether an item says that there is none."""
    return len(text) < 24 and " ".join(_TITLE_WORD.findall(text.lower())) in _NOTHING and text.isascii()


def statements(text: str, *, commands: bool) -> list[Statement]:
    """What the text states, in order. With `commands`, a sentence that forbids something is a constraint."""
    reader = _Reader(commands=commands)
    lines = text.split("\n")
    inside = fenced(lines)
    for number, line in enumerate(lines):
        # What is quoted or fenced is shown, not said.
        if not inside[number] and not line.lstrip().startswith(">"):
            reader.take(line)
    reader.close()
    return reader.found


def questions(text: str) -> list[str]:
    """The sentences that ask something."""
    lines = text.split("\n")
    inside = fenced(lines)
    said = [
        sentence
        for number, line in enumerate(lines)
        if not inside[number]
        for sentence in _SENTENCE.split(" ".join(line.split()))
    ]
    return [one for one in said if one.endswith("?")]


class _Reader:
    """Reads line after line and keeps which heading or label the line stands under."""

    def __init__(self, *, commands: bool) -> None:
        self.found: list[Statement] = []
        self._commands = commands
        self._topic: Topic | None = None
        self._level = 0
        """The level of the heading that opened the section; 0 if a label did."""
        self._run = 0
        self._item: list[str] = []
        self._item_topic: Topic | None = None
        self._gap = False

    def take(self, line: str) -> None:
        bare = line.strip()
        if not bare:
            self.close()
            self._gap = True
            return
        heading = _HEADING.match(line)
        bullet = _BULLET.match(line)
        if heading:
            self._head(heading.group(2), len(heading.group(1)))
        elif bullet:
            self._bullet(bullet.group(1).strip())
        elif not self._labelled(bare) and not self._titled(bare):
            self._prose(line, bare)
        self._gap = False

    def close(self) -> None:
        """Ends the item that is being read."""
        said, topic = " ".join(self._item), self._item_topic
        self._item, self._item_topic = [], None
        if not said or topic is None:
            return
        if topic.force is Force.SETTLES:
            # What is over is not kept, so whatever is said behind it has to be heard for itself.
            said, *rest = _SENTENCE.split(" ".join(said.split()), maxsplit=1)
            self._add(topic, said)
            for one in rest:
                self._sentences(one)
        else:
            self._add(topic, said)

    def _head(self, title: str, level: int) -> None:
        self.close()
        label = _LABEL.match(title.strip())
        topic = topic_of(title) or (topic_of(label.group(1)) if label else None)
        if topic is not None:
            self._open(topic, level)
            if label and label.group(2) and topic_of(title) is None:
                self._add(topic, label.group(2))
        elif self._topic is None or not self._level or level <= self._level:
            # A deeper heading that means nothing here only divides the section.
            self._topic = None

    def _titled(self, bare: str) -> bool:
        found = _BOLD_TITLE.match(bare)
        topic = topic_of(found.group(1)) if found else None
        if topic is None:
            return False
        self.close()
        self._open(topic, 0)
        return True

    def _open(self, topic: Topic, level: int) -> None:
        self._topic, self._level = topic, level
        self._run += 1

    def _labelled(self, bare: str) -> bool:
        found = _LABEL.match(bare)
        topic = topic_of(found.group(1)) if found else None
        if found is None or topic is None:
            return False
        self.close()
        value = (found.group(2) or "").strip()
        if value:
            self._run += 1
            self._item, self._item_topic = [value], topic
            if not self._level:
                self._topic = None
        else:
            self._open(topic, 0)
        return True

    def _bullet(self, text: str) -> None:
        self.close()
        box = _CHECKBOX.match(text)
        body = text[box.end() :] if box else text
        if self._labelled(body):
            return
        if self._topic is None:
            self._sentences(body)
            return
        ticked = box is not None and box.group(1) != " " and self._topic.part in _TICKED
        force = Force.SETTLED if ticked and self._topic.force is Force.STATES else self._topic.force
        self._item, self._item_topic = [body], Topic(self._topic.part, force)

    def _prose(self, line: str, bare: str) -> None:
        if self._item and (line[0] in " \t" or self._under_heading() or _goes_on(self._item[-1], bare)):
            self._item.append(bare)
            return
        self.close()
        if self._under_heading():
            self._item, self._item_topic = [bare], self._topic
            return
        # A label's list ends with the first line that is no bullet.
        self._topic = None
        self._sentences(bare)

    def _under_heading(self) -> bool:
        return self._topic is not None and self._level > 0

    def _sentences(self, text: str) -> None:
        # A run of blanks would make the patterns slow.
        for sentence in _SENTENCE.split(" ".join(text.split())):
            label = _LABEL.match(sentence)
            topic = topic_of(label.group(1)) if label else None
            if label and topic and label.group(2):
                self._run += 1
                self._add(topic, label.group(2))
                continue
            if sentence.endswith("?"):
                continue
            for part, settled in _settled(sentence):
                self._say(Topic(part, Force.SETTLES), settled)
            enters = _ENTERS.match(sentence)
            if enters:
                self._run += 1
                self._say(Topic(Part.PHASE), enters.group(1)[:1].upper() + enters.group(1)[1:])
            else:
                self._plain(sentence)

    def _plain(self, sentence: str) -> None:
        """A sentence that says what it is by its first words."""
        bare = sentence.lstrip("*_\"'")
        blocked = _BLOCKED.match(bare)
        if blocked:
            self._say(Topic(Part.BLOCKER), bare[blocked.end() :])
        elif _AGREED.match(bare):
            self._say(Topic(Part.DECISION), sentence)
        elif self._commands and (_CONSTRAINT.match(bare) or _OFF_LIMITS.match(bare)):
            self._say(Topic(Part.CONSTRAINT), sentence)

    def _add(self, topic: Topic, text: str) -> None:
        text = text.strip()
        if is_nothing(text):
            return
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
    return before[-1:] not in ".!?:;" and line[:1].islower()


def _settled(sentence: str) -> Iterator[tuple[Part, str]]:
    """What a sentence says is over, if its words are those of something open."""
    begins = _SETTLES.match(sentence)
    if begins:
        yield _SETTLING[begins.group(1).lower()], sentence[begins.end() :]
    ends = _IS_SETTLED.search(sentence)
    if ends and ends.start():
        yield _SETTLING[ends.group(1).lower()], sentence[: ends.start()]


def of_state(state: Mapping[Any, Any]) -> list[Statement]:
    """What a state file states: its keys announce what its values are."""
    found: list[Statement] = []
    _walk(state, found, 0)
    return found


def _walk(state: Mapping[Any, Any], found: list[Statement], depth: int) -> None:
    for key, value in state.items():
        topic = topic_of(_CAMEL.sub(" ", str(key)))
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
        if topic_of(_CAMEL.sub(" ", str(key))) is not None:
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
            reader = _Reader(commands=False)
            reader._add(topic, bullet.group(1) if bullet else line)  # noqa: SLF001 - its own module
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
    for found in _PATH_WORD.finditer(text):
        word = found.group().rstrip(".:!?")
        if 3 <= len(word) <= PATH_CHARACTERS_MAX and "://" not in word and _PATH.match(word):
            yield _PLACE.sub("", word)
