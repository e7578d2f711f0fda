"""Measures recall on dialogues whose questions name the turns that answer them, beside plain keyword search."""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from hansard.domain.errors import Invalid
from hansard.domain.questions import STOP_WORDS

if TYPE_CHECKING:
    from hansard.domain.memories import Memory
    from hansard.services.recall import Hits

DEPTHS = (5, 10, 25)
LIMIT = max(DEPTHS)
AGENT = "bench"
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open domain", 4: "single hop", 5: "adversarial"}
HANSARD = "Hansard"
HANSARD_TIMED = "Hansard, with times"
FTS_ALL = "FTS5 bm25, every word"
FTS_TELLING = "FTS5 bm25, stop words left out"
ALL, HALF_A, HALF_B = "all", "half A", "half B"

_TURN_ID = re.compile(r"D\d+:\d+")
_WORD = re.compile(r"\w+")
_SPOKEN_TIME = "%I:%M %p on %d %B, %Y"

Search: TypeAlias = Callable[[str], Sequence[str]]
Progress: TypeAlias = Callable[[int, int], None]
KeywordSearch: TypeAlias = Callable[[Sequence[str]], Callable[[Sequence[str], int], Sequence[int]]]
"""Makes a search of texts: words and how many to find, to the places of the best."""


class Memories(Protocol):
    """What is measured: the two calls of a project that store and find. Each may raise any HansardError."""

    def remember_many(self, items: Iterable[Mapping[str, Any]]) -> tuple[Memory, ...]: ...

    def recall(self, query: str, *, limit: int) -> Hits: ...


class Turn(NamedTuple):
    """One thing that was said. Turns of a session are neighbours in the order of their positions."""

    id: str
    text: str
    session: str
    position: int
    at: int | None


class Asked(NamedTuple):
    """A question and the turns that hold its answer."""

    text: str
    category: str
    gold: frozenset[str]


class Dialogue(NamedTuple):
    turns: tuple[Turn, ...]
    questions: tuple[Asked, ...]


class Figures(NamedTuple):
    """The mean share of the answering turns among the first results, and of one over the best one's rank."""

    questions: int
    shares: Mapping[int, float]
    mrr: float


class Calibration(NamedTuple):
    """How often the first hit reaches the floor: asked where the answer is, and asked in another dialogue."""

    floor: float
    own: float
    foreign: float | None


class Measurement(NamedTuple):
    """Every figure of one run, by method and then by group of questions."""

    dialogues: int
    turns: int
    figures: Mapping[str, Mapping[str, Figures]]
    calibration: Calibration
    p50_seconds: float
    p99_seconds: float


class _Outcome(NamedTuple):
    groups: tuple[str, ...]
    shares: tuple[float, ...]
    reciprocal: float


class _Stored(NamedTuple):
    memories: Memories
    turn_of: Mapping[str, str]

    def search(self, question: str) -> list[str]:
        return [self.turn_of[hit.memory.id] for hit in self.memories.recall(question, limit=LIMIT)]


def read(document: str, *, dialogues_max: int | None = None) -> tuple[Dialogue, ...]:
    """The dialogues of a LoCoMo-shaped document. Raises Invalid with the first thing that is wrong."""
    try:
        loaded = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"The file is not JSON: {error}.") from None
    if not isinstance(loaded, list) or not loaded:
        raise Invalid("The file holds no dialogues: it must be a JSON list of objects with conversation and qa.")
    dialogues = tuple(_dialogue(one, f"dialogue {place}") for place, one in enumerate(loaded[:dialogues_max], 1))
    if not any(one.questions for one in dialogues):
        raise Invalid("No question of the file names a turn that exists as its evidence.")
    return dialogues


def measure(
    dialogues: Sequence[Dialogue],
    new_project: Callable[[str], Memories],
    keyword_search: KeywordSearch,
    progress: Progress | None = None,
) -> Measurement:
    """Stores each dialogue as a project of its own, asks all of its questions, and counts what was found.

    `new_project` makes an empty project by its key, and `keyword_search` is what recall is measured against. All turns
    of a dialogue are stored at once and none is read by id, so neither recency nor access tells them apart.
    """
    outcomes: dict[str, list[_Outcome]] = {name: [] for name in (HANSARD, HANSARD_TIMED, FTS_ALL, FTS_TELLING)}
    own: list[float] = []
    foreign: list[float] = []
    seconds: list[float] = []
    total = sum(len(one.questions) for one in dialogues)
    first = current = _store(dialogues[0], new_project("plain-1"))
    for place, dialogue in enumerate(dialogues, 1):
        following = first if place == len(dialogues) else _store(dialogues[place], new_project(f"plain-{place + 1}"))
        timed = _store(dialogue, new_project(f"timed-{place}"), timed=True)
        others: dict[str, Search] = {HANSARD_TIMED: timed.search, **_plain_searches(dialogue.turns, keyword_search)}
        half = HALF_A if place <= (len(dialogues) + 1) // 2 else HALF_B
        for question in dialogue.questions:
            start = time.perf_counter()
            hits = current.memories.recall(question.text, limit=LIMIT)
            seconds.append(time.perf_counter() - start)
            own.append(hits[0].relevance if hits else 0.0)
            found = [current.turn_of[hit.memory.id] for hit in hits]
            outcomes[HANSARD].append(_judged(question, found, half))
            for name, search in others.items():
                outcomes[name].append(_judged(question, search(question.text), half))
            if len(dialogues) > 1:
                strangers = following.memories.recall(question.text, limit=1)
                foreign.append(strangers[0].relevance if strangers else 0.0)
            if progress is not None:
                progress(len(seconds), total)
        current = following
    return Measurement(
        len(dialogues),
        sum(len(one.turns) for one in dialogues),
        {name: _grouped(several) for name, several in outcomes.items()},
        _calibrated(own, foreign),
        statistics.median(seconds),
        sorted(seconds)[int(0.99 * (len(seconds) - 1))],
    )


def _store(dialogue: Dialogue, memories: Memories, *, timed: bool = False) -> _Stored:
    made = memories.remember_many(
        {
            "content": turn.text, "agent": AGENT, "scope": "team", "source_ref": turn.session,
            "position": turn.position, "occurred_at": turn.at if timed else None,
        }
        for turn in dialogue.turns
    )  # fmt: skip
    # One search before the clock runs: what is measured is a process that has the index in memory.
    memories.recall(dialogue.turns[0].text, limit=1)
    return _Stored(memories, {one.id: turn.id for one, turn in zip(made, dialogue.turns, strict=True)})


def _plain_searches(turns: Sequence[Turn], keyword_search: KeywordSearch) -> dict[str, Search]:
    """Keyword search as an engine has it, with every word of the question and with the telling ones."""
    search = keyword_search([turn.text for turn in turns])

    def every(question: str) -> list[str]:
        return [turns[place].id for place in search(_WORD.findall(question.lower()), LIMIT)]

    def telling(question: str) -> list[str]:
        words = _WORD.findall(question.lower())
        kept = [word for word in words if word not in STOP_WORDS] or words
        return [turns[place].id for place in search(kept, LIMIT)]

    return {FTS_ALL: every, FTS_TELLING: telling}


def _judged(question: Asked, found: Sequence[str], half: str) -> _Outcome:
    gold = question.gold
    shares = tuple(len(gold.intersection(found[:depth])) / len(gold) for depth in DEPTHS)
    best = next((rank for rank, turn in enumerate(found, 1) if turn in gold), None)
    return _Outcome((ALL, half, question.category), shares, 1 / best if best else 0.0)


def _grouped(outcomes: Sequence[_Outcome]) -> dict[str, Figures]:
    groups = {name: [one for one in outcomes if name in one.groups] for name in (ALL, HALF_A, HALF_B)}
    for name in sorted({one.groups[-1] for one in outcomes}):
        groups[name] = [one for one in outcomes if one.groups[-1] == name]
    return {
        name: Figures(
            len(several),
            {depth: statistics.fmean(one.shares[place] for one in several) for place, depth in enumerate(DEPTHS)},
            statistics.fmean(one.reciprocal for one in several),
        )
        for name, several in groups.items()
        if several
    }


def _calibrated(own: Sequence[float], foreign: Sequence[float]) -> Calibration:
    from hansard.index.relevance import INJECTION_FLOOR

    def reaching(relevances: Sequence[float]) -> float:
        return sum(one >= INJECTION_FLOOR for one in relevances) / len(relevances)

    return Calibration(INJECTION_FLOOR, reaching(own), reaching(foreign) if foreign else None)


def _dialogue(raw: object, where: str) -> Dialogue:
    conversation = raw.get("conversation") if isinstance(raw, dict) else None
    questions = raw.get("qa") if isinstance(raw, dict) else None
    if not isinstance(conversation, dict) or not isinstance(questions, list):
        raise Invalid(f"In {where} conversation or qa is missing.")
    turns: list[Turn] = []
    session = 1
    while isinstance(said := conversation.get(f"session_{session}"), list):
        at = _instant(conversation.get(f"session_{session}_date_time"))
        turns += [_turn(one, at, f"{where}, session {session}, turn {place}") for place, one in enumerate(said, 1)]
        session += 1
    if not turns:
        raise Invalid(f"In {where} there is no turn: session_1 is missing or empty.")
    known = {turn.id for turn in turns}
    if len(known) < len(turns):
        raise Invalid(f"In {where} two turns have the same dia_id.")
    asked = [_asked(one, known, f"{where}, question {place}") for place, one in enumerate(questions, 1)]
    return Dialogue(tuple(turns), tuple(one for one in asked if one.gold))


def _turn(raw: object, at: int | None, where: str) -> Turn:
    fields = raw if isinstance(raw, dict) else {}
    id, speaker, said = (fields.get(name) for name in ("dia_id", "speaker", "text"))
    if not (isinstance(id, str) and isinstance(speaker, str) and isinstance(said, str) and _TURN_ID.fullmatch(id)):
        raise Invalid(f"In {where}: a turn needs speaker, text, and a dia_id like D1:2.")
    caption = fields.get("blip_caption")
    session, _, position = id.partition(":")
    return Turn(id, f"{speaker}: {said}{f' [shares {caption}]' if caption else ''}", session, int(position), at)


def _asked(raw: object, known: set[str], where: str) -> Asked:
    fields = raw if isinstance(raw, dict) else {}
    question, evidence, category = (fields.get(name) for name in ("question", "evidence", "category"))
    if not isinstance(question, str) or not isinstance(evidence, list | None):
        raise Invalid(f"In {where}: a question needs its text as question and a list as evidence.")
    gold = {id for one in evidence or () for id in _TURN_ID.findall(str(one)) if id in known}
    name = CATEGORIES.get(category) if isinstance(category, int) else None
    return Asked(question, f"{category} {name}" if name else f"category {category}", frozenset(gold))


def _instant(spoken: object) -> int | None:
    """The time of a session, written like `1:56 pm on 8 May, 2023`; a session without one happened at no time."""
    try:
        moment = datetime.strptime(str(spoken).strip(), _SPOKEN_TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp()) * 1_000_000
