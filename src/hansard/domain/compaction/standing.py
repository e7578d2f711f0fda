"""Owns what still stands of what was said: later words settle earlier ones, and nobody settles what is not theirs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hansard.domain import rendering
from hansard.domain.compaction import verdicts
from hansard.domain.compaction.conversations import Message, Speaker
from hansard.domain.compaction.statements import Statement, paths_in, told
from hansard.domain.compaction.topics import Force, Part
from hansard.domain.compaction.verdicts import Verdict

REQUEST_CHARACTERS_MAX = 400
_KEPT_SAYING = (Part.BLOCKER, Part.DECISION, Part.UNAPPROVED, Part.CONSTRAINT, Part.DELIVERABLE, Part.QUESTION)
_NAMES = {
    Part.BLOCKER: "resolved blockers",
    Part.DECISION: "superseded or rejected decisions",
    Part.UNAPPROVED: "superseded or rejected decisions",
    Part.CONSTRAINT: "lifted constraints",
    Part.QUESTION: "answered questions",
    Part.PHASE: "finished and earlier phases",
    Part.NEXT: "earlier next actions",
    Part.OBJECTIVE: "earlier objectives",
}
_REPEATED = "repeated statements"
BEYOND = "text beyond the bullets"
_WORD = re.compile(r"\w+")
_ARTICLES = frozenset({"the", "a", "an"})
_REF = re.compile(r"\b[A-Z]{1,6}-\d{1,9}\b")
_FIRST_REF = re.compile(
    r"^\W{0,3}(?:([A-Z]{1,6}-\d{1,9})\b"
    r"|(?:(?:phase|blocker|decision|constraint|question|entscheidung)\s+)?#?([A-Z]{0,3}\d{1,6}[a-z]?)(?=[:)]|\.?$))",
    re.IGNORECASE,
)
_NUMBER_FIRST = re.compile(r"^(?:Phase )?[A-Z]{0,6}-?\d[\w./-]{0,12}: (?=\S)")
_NOTE_LAST = re.compile(r" \([^()]{1,60}\)$")
_SUPERSEDES = re.compile(r"\b(?:supersedes|replaces|overrides)[ \t:]+(\S.{0,300})$", re.IGNORECASE)
_CUTS = re.compile(
    r"[ \t]*(?:[(;,—–]|[.:!-](?=\s|$)|\b(?:by|with|in|via|because|since|thanks|after|now)\b)", re.IGNORECASE
)
_CUTS_MAX = 8


class Dropped(NamedTuple):
    """How much of one kind was left out."""

    kind: str
    items: int
    characters: int


class Decided(NamedTuple):
    """A decision that the project's record has, as a bullet."""

    ref: str
    text: str


def bullet(text: str) -> str:
    """Text on one line that cannot be taken for layout."""
    return rendering.content(rendering.inline(text))


def key_of(text: str) -> str:
    """What two statements are compared by: their words, whatever their case, marks and articles."""
    words = [word for word in _WORD.findall(text.casefold()) if word not in _ARTICLES]
    return " ".join(words) or text.strip()


def shortened(text: str, length: int) -> str:
    flat = " ".join(text.strip()[: length * 8].split())
    return flat if len(flat) <= length else flat[: length - 1].rstrip() + "…"


class Tally:
    """Counts what is dropped, each kind in the order it was first met."""

    def __init__(self, known: Iterable[Dropped] = ()) -> None:
        self._counts = {one.kind: (one.items, one.characters) for one in known}

    def add(self, kind: str, count: int, characters: int) -> None:
        before = self._counts.get(kind, (0, 0))
        self._counts[kind] = (before[0] + count, before[1] + characters)

    def all(self) -> tuple[Dropped, ...]:
        return tuple(Dropped(kind, *self._counts[kind]) for kind in sorted(self._counts))


class _Item(NamedTuple):
    """Something stated: its words, its number, and when it was said."""

    text: str
    ref: str | None
    run: tuple[int, int]


class Board:
    """What stands after each message: later words settle earlier ones, and nobody settles what is not theirs."""

    def __init__(self) -> None:
        self.dropped = Tally()
        self._items: dict[Part, dict[str, _Item]] = {part: {} for part in Part}
        self._refs: dict[Part, dict[str, str]] = {part: {} for part in Part}
        self._awaiting: list[str] = []
        """The decisions of the assistant since the user spoke last."""
        self._asked: list[tuple[str, int]] = []
        """What the user said, and how much of it no bullet has."""

    def listen(self, message: Message, place: int, *, last: bool = False) -> None:
        """Hears a message. What the assistant asks in the `last` one is an open question."""
        speaker = message.speaker
        judged = speaker is Speaker.USER and self._judge(message.text)
        said = told(message.text, commands=speaker is not Speaker.ASSISTANT)
        beyond = said.beyond
        for statement in said.statements:
            if judged and statement.part is Part.DECISION and verdicts.opens(statement.text):
                # It approved what the assistant proposed, and that is kept in its own words.
                beyond += len(statement.text)
                continue
            self.hear(statement, speaker, place)
        for question in said.asked if last and speaker is Speaker.ASSISTANT else ():
            self.hear(Statement(Part.QUESTION, question), speaker, place)
            beyond -= len(question)
        for path in paths_in(message.text):
            self.deliver(path)
        if speaker is Speaker.USER and message.text.strip():
            self._asked.append((message.text, beyond))
        else:
            self._leave(speaker, beyond)

    def _leave(self, speaker: Speaker, beyond: int) -> None:
        if beyond > 0:
            self.dropped.add(BEYOND if speaker is Speaker.DOCUMENT else f"{speaker} {BEYOND}", 1, beyond)

    def hear(self, statement: Statement, speaker: Speaker, place: int) -> None:
        """Takes a statement in."""
        part = statement.part
        if speaker is Speaker.ASSISTANT and part is Part.DECISION:
            # An agent's word is no approval.
            part = Part.UNAPPROVED
        if statement.force is Force.STATES:
            self._state(part, statement, place)
        else:
            self._settle(part, statement.text, speaker, own=statement.force is Force.SETTLED)

    def deliver(self, path: str) -> None:
        shown = f"`{rendering.inline(path).replace('`', '')}`"
        self._items[Part.DELIVERABLE].setdefault(shown, _Item(shown, None, (0, 0)))

    def bind(self, decided: Decided) -> None:
        """Adds a decision of the record, which counts whatever the conversation says."""
        text = bullet(f"{decided.ref}: {decided.text}")
        items = self._items[Part.DECISION]
        self._items[Part.UNAPPROVED].pop(key_of(decided.text), None)
        items.pop(key_of(decided.text), None)
        known = items.get(self._refs[Part.DECISION].get(decided.ref, ""))
        if known is not None and known.text.startswith(f"{decided.ref}: ") and known.text != text:
            # An earlier compaction brought it in as it was then.
            self._remove(Part.DECISION, decided.ref)
        items.setdefault(key_of(text), _Item(text, decided.ref, (0, 0)))

    def requests(self) -> None:
        """Keeps what the user asked for, first and last, unless an objective was stated; counts what is left of it."""
        shown: dict[int, Part] = {}
        places = list(range(len(self._asked)))
        if places and not self._items[Part.OBJECTIVE]:
            shown[places.pop(0)] = Part.OBJECTIVE
        if places:
            shown[places[-1]] = Part.REQUEST
        for place, (text, beyond) in enumerate(self._asked):
            left = beyond
            if place in shown:
                brief = shortened(text, REQUEST_CHARACTERS_MAX)
                self._put(shown[place], bullet(brief), (0, 0))
                left = min(beyond, len(text.strip()) - len(brief) if brief.endswith("…") else 0)
            self._leave(Speaker.USER, left)

    def take_over(self, parts: Mapping[Part, tuple[str, ...]], dropped: Iterable[Dropped]) -> None:
        """Begins with the bullets of an earlier compaction, as they are."""
        for part, bullets in parts.items():
            for number, text in enumerate(bullets):
                key, ref = f"{number:09d}", _ref(text)
                self._items[part][key] = _Item(text, ref, (0, 0))
                if ref is not None:
                    self._refs[part].setdefault(ref, key)
        self.dropped = Tally(dropped)

    def parts(self) -> dict[Part, tuple[str, ...]]:
        """The bullets of what stands at the end."""
        self._supersede(Part.DECISION, (Part.DECISION, Part.UNAPPROVED))
        self._supersede(Part.UNAPPROVED, (Part.UNAPPROVED,))
        for part in (Part.PHASE, Part.NEXT, Part.OBJECTIVE):
            self._keep_latest(part)
        shown = {part: tuple(dict.fromkeys(one.text for one in items.values())) for part, items in self._items.items()}
        return {part: bullets for part, bullets in shown.items() if bullets}

    def _put(self, part: Part, text: str, run: tuple[int, int]) -> None:
        self._items[part][key_of(text)] = _Item(text, _ref(text), run)

    def _state(self, part: Part, statement: Statement, place: int) -> None:
        text = bullet(statement.text)
        if part is Part.DELIVERABLE:
            found = list(paths_in(statement.text))
            for path in found:
                self.deliver(path)
            if found:
                return
            text = rendering.inline(statement.text)
            if "`" not in text and " " not in text:
                self.deliver(text)
                return
            text = bullet(text)
        key = key_of(statement.text)
        items = self._items[part]
        if part is Part.UNAPPROVED:
            self._awaiting.append(key)
            if key in self._items[Part.DECISION]:
                return
        if part is Part.DECISION:
            proposed = self._items[Part.UNAPPROVED]
            proposed.pop(self._refs[Part.UNAPPROVED].get(key, key), None)
        if key in items:
            if part in _KEPT_SAYING:
                self.dropped.add(_REPEATED, 1, len(statement.text))
                return
            del items[key]
        items[key] = _Item(text, _ref(text), (place, statement.run))
        self._name(part, key)

    def _name(self, part: Part, key: str) -> None:
        """Notes what else an item is known by: its number, and its words without number and note."""
        item = self._items[part][key]
        names = self._refs[part]
        words = key_of(_NOTE_LAST.sub("", _NUMBER_FIRST.sub("", item.text)))
        for name in (item.ref, words if words != key else None):
            if name is not None and names.get(name) not in self._items[part]:
                names[name] = key

    def _settle(self, part: Part, text: str, speaker: Speaker, *, own: bool) -> None:
        if part is Part.CONSTRAINT and speaker is Speaker.ASSISTANT:
            return
        places = (Part.DECISION, Part.UNAPPROVED) if part is Part.DECISION else (part,)
        gone = any(self._remove(one, text) for one in places)
        if own and not gone:
            self.dropped.add(_NAMES.get(part, _REPEATED), 1, len(text))

    def _remove(self, part: Part, text: str) -> bool:
        """Takes out what these words name: all of them, their beginning up to a pause, or a number in them."""
        items = self._items[part]
        if not items:
            return False
        for words in _beginnings(text):
            key = key_of(words)
            names = self._refs[part]
            found = key if key in items else names.get(key) or names.get(_ref(words.strip(" .`*[]()")) or "")
            if found is not None and found in items:
                self.dropped.add(_NAMES.get(part, _REPEATED), 1, len(items.pop(found).text))
                return True
        return False

    def _judge(self, text: str) -> bool:
        """A short word of the user approves or rejects what the assistant proposed since the user spoke last.

        Says whether anything was approved by it.
        """
        awaiting, self._awaiting = self._awaiting, []
        answer = verdicts.answer(text)
        if answer.verdict is Verdict.NEITHER:
            return False
        proposed = self._items[Part.UNAPPROVED]
        approved = False
        for key in awaiting:
            if key not in proposed or not answer.covers(proposed[key].ref, verdicts.words_of(proposed[key].text)):
                continue
            if answer.verdict is Verdict.REJECTS:
                self.dropped.add(_NAMES[Part.UNAPPROVED], 1, len(proposed.pop(key).text))
            else:
                self._approve(key)
                approved = True
        return approved

    def _approve(self, key: str) -> None:
        self._items[Part.DECISION][key] = self._items[Part.UNAPPROVED].pop(key)
        self._name(Part.DECISION, key)

    def _supersede(self, part: Part, over: Sequence[Part]) -> None:
        """Takes out what a standing decision says it replaces. One without approval replaces only its like."""
        for key, item in list(self._items[part].items()):
            found = _SUPERSEDES.search(item.text[-320:])
            if found is None or key not in self._items[part]:
                continue
            for words in (*_REF.findall(found.group(1)), found.group(1).strip(" .)]`*")):
                for other in over:
                    if key_of(words) != key and words != item.ref:
                        self._remove(other, words)

    def _keep_latest(self, part: Part) -> None:
        """Of what changes from phase to phase only the last word counts."""
        items = self._items[part]
        if not items:
            return
        latest = max(one.run for one in items.values())
        for key, one in list(items.items()):
            earlier = one.run[0] < latest[0] if part is Part.OBJECTIVE else one.run < latest
            if earlier:
                self.dropped.add(_NAMES[part], 1, len(items.pop(key).text))


def _ref(text: str) -> str | None:
    found = _FIRST_REF.match(text)
    return (found.group(1) or found.group(2)).upper() if found else None


def _beginnings(text: str) -> list[str]:
    """The text, and its beginnings up to each of the first few pauses: the rest tells how it was settled."""
    text = text.strip()[:2_000]
    cuts = [found.start() for _, found in zip(range(_CUTS_MAX), _CUTS.finditer(text), strict=False)]
    return [text, *(text[:cut] for cut in cuts if cut)]
