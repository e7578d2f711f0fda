"""Owns what still stands of what was said: later words settle earlier ones, and nobody settles what is not theirs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hansard.domain import rendering
from hansard.domain.conversations import Message, Speaker
from hansard.domain.statements import Force, Part, Statement, paths_in, statements

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
_FIRST_REF = re.compile(r"^\W{0,3}([A-Z]{1,6}-\d{1,9})\b")
_SUPERSEDES = re.compile(r"\b(?:supersedes|replaces|overrides)[ \t:]+(\S.{0,300})$", re.IGNORECASE)
_CUTS = re.compile(
    r"[ \t]*(?:[(;,—–]|[.:!-](?=\s|$)|\b(?:by|with|in|via|because|since|thanks|after|now)\b)", re.IGNORECASE
)
_CUTS_MAX = 8
_APPROVES = re.compile(
    r"^\W*(?:(?:yes|ok|okay|great|perfect)\W+)?(?:approved|i approve|lgtm|go ahead|ship it|sounds good|"
    r"looks good|proceed|agreed|confirmed|accepted)\b(?!\s*:)",
    re.IGNORECASE,
)
_REJECTS = re.compile(r"^\W*(?:no\W+)?(?:rejected|i reject|not approved|denied)\b(?!\s*:)", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:but|except|unless|only|if|not|instead|however)\b", re.IGNORECASE)
_VERDICT_CHARACTERS_MAX = 200


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

    def listen(self, message: Message, place: int) -> None:
        speaker = message.speaker
        kept = 0
        if speaker is Speaker.USER:
            self._judge(message.text)
        for statement in statements(message.text, commands=speaker is not Speaker.ASSISTANT):
            kept += self.hear(statement, speaker, place)
        for path in paths_in(message.text):
            self.deliver(path)
        left = len(message.text) - kept
        if left > 0 and message.text.strip():
            self.dropped.add(BEYOND if speaker is Speaker.DOCUMENT else f"{speaker} {BEYOND}", 1, left)

    def hear(self, statement: Statement, speaker: Speaker, place: int) -> int:
        """Takes a statement in; how many of its characters are kept."""
        part = statement.part
        if speaker is Speaker.ASSISTANT and part is Part.DECISION:
            # An agent's word is no approval.
            part = Part.UNAPPROVED
        if statement.force is Force.STATES:
            return self._state(part, statement, place)
        if statement.force is Force.SETTLED:
            self._settle(part, statement.text, speaker, own=True)
        else:
            self._settle(part, statement.text, speaker, own=False)
        return 0

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

    def requests(self, said: Sequence[str]) -> None:
        """What the user asked for, first and last, unless an objective was stated."""
        if not said:
            return
        if not self._items[Part.OBJECTIVE]:
            self._put(Part.OBJECTIVE, bullet(shortened(said[0], REQUEST_CHARACTERS_MAX)), (0, 0))
            said = said[1:]
        if said:
            self._put(Part.REQUEST, bullet(shortened(said[-1], REQUEST_CHARACTERS_MAX)), (0, 0))

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

    def _state(self, part: Part, statement: Statement, place: int) -> int:
        text = bullet(statement.text)
        if part is Part.DELIVERABLE:
            found = list(paths_in(statement.text))
            for path in found:
                self.deliver(path)
            if found:
                return len(statement.text)
            text = rendering.inline(statement.text)
            if "`" not in text and " " not in text:
                self.deliver(text)
                return len(statement.text)
            text = bullet(text)
        key = key_of(statement.text)
        items = self._items[part]
        run = (place, statement.run)
        if part is Part.UNAPPROVED:
            self._awaiting.append(key)
            if key in self._items[Part.DECISION]:
                return 0
        if part is Part.DECISION:
            self._items[Part.UNAPPROVED].pop(key, None)
        if key in items:
            if part in _KEPT_SAYING:
                self.dropped.add(_REPEATED, 1, len(statement.text))
                return 0
            del items[key]
        items[key] = _Item(text, _ref(text), run)
        ref = items[key].ref
        if ref is not None:
            self._refs[part].setdefault(ref, key)
        return len(statement.text)

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
            found = key if key in items else self._refs[part].get(words.strip(" .`*[]()"))
            if found is not None and found in items:
                self.dropped.add(_NAMES.get(part, _REPEATED), 1, len(items.pop(found).text))
                return True
        return False

    def _judge(self, text: str) -> None:
        """A short word of the user approves or rejects what the assistant proposed since the user spoke last."""
        awaiting, self._awaiting = self._awaiting, []
        bare = text.strip()
        if len(bare) > _VERDICT_CHARACTERS_MAX:
            return
        proposed = self._items[Part.UNAPPROVED]
        named = set(_REF.findall(bare))
        for key in awaiting:
            if key not in proposed or (named and proposed[key].ref not in named):
                continue
            if _REJECTS.match(bare):
                self.dropped.add(_NAMES[Part.UNAPPROVED], 1, len(proposed.pop(key).text))
            elif _APPROVES.match(bare) and not _CONDITION.search(bare):
                self._approve(key)

    def _approve(self, key: str) -> None:
        item = self._items[Part.UNAPPROVED].pop(key)
        self._items[Part.DECISION][key] = item
        if item.ref is not None:
            self._refs[Part.DECISION].setdefault(item.ref, key)

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
    return found.group(1) if found else None


def _beginnings(text: str) -> list[str]:
    """The text, and its beginnings up to each of the first few pauses: the rest tells how it was settled."""
    text = text.strip()[:2_000]
    cuts = [found.start() for _, found in zip(range(_CUTS_MAX), _CUTS.finditer(text), strict=False)]
    return [text, *(text[:cut] for cut in cuts if cut)]
