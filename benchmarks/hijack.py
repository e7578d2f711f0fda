"""Floods the answers to questions as one author, and counts how many places honest memories fall."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, product
from typing import Any, NamedTuple

from benchmarks.attacks import HONEST_FACTS
from benchmarks.floods import ASIDES, FLOODS, LURES, Aside, Lure, mixed
from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.hit_order import CHANCE_RELEVANCE_MAX
from hansard.domain.precedence import ANSWER_SHARE
from hansard.project import Project
from hansard.services.recall import Hits

READER, ATTACKER = "tank", "mallory"
COUNTS = (5, 30, 100)
HITS = 10
SEEN = 200


class Way(NamedTuple):
    """Who is honest, and as whose words and from where the flood comes."""

    name: str
    honest: tuple[str, ...]
    agent: str
    fields: Mapping[str, str]


WAYS = (
    Way("an agent for the team", ("smith",), ATTACKER, {"scope": "team"}),
    Way("an agent among several", ("smith", "dozer", "switch"), ATTACKER, {"scope": "team"}),
    Way("a page that the reader recorded", ("smith",), READER, {"origin": "external"}),
    Way("a tool, beside the reader's own", (READER,), READER, {"origin": "tool_output"}),
    Way("a page, beside the reader's own and others'", (READER, "smith", "dozer"), READER, {"origin": "external"}),
)


OUTSIDE = ("tool_output", "external", "imported_file")
AUTHORS = (("smith",), ("smith", "dozer"), ("smith", "dozer", "switch"))
READS: Mapping[str, slice] = {
    "the second of each author": slice(1, 2),
    "all but the best of each author": slice(1, None),
}
"""Which memories of others are read, of each author's in the order of the answer."""
ALSO_WRITTEN = (0, 1, 30)


class Fall(NamedTuple):
    """How far an honest memory fell in one trial, whether it answers by itself, and whether it is more than chance."""

    trial: str
    content: str
    answers: bool
    matters: bool
    places: int


def falls(opened: Hansard, *, ways: Sequence[Way] = WAYS, counts: Sequence[int] = COUNTS) -> Iterator[Fall]:
    """What becomes of every honest memory among the first hits, in a project of its own for each flood."""
    trials = product(ways, LURES, FLOODS.items(), counts)
    for number, (way, lure, (kind, make), count) in enumerate(trials):
        trial = f"{way.name}, {count} {kind}: {lure.question}"
        yield from _flooded(opened, f"hijacked-{number}", way, lure, trial, make(lure, count))


def noted(opened: Hansard) -> Iterator[Fall]:
    """What becomes of an answer that its author found outside, and of the others', by a note of the same author."""
    for number, (aside, origin) in enumerate(product(ASIDES, OUTSIDE)):
        found = (aside.found, origin)
        before = _told(opened, f"aside-{number}", aside, [found])
        later = [(note, [found, (note, None)]) for note in (*aside.notes, *aside.lesser)]
        earlier = [(note, [(note, None), found]) for note in aside.notes]
        for place, (note, texts) in enumerate(later + earlier):
            after = [hit.memory.content for hit in _told(opened, f"aside-{number}-{place}", aside, texts)]
            when = "before" if texts[0] != found else "after"
            for at, hit in enumerate(before):
                yield Fall(
                    f"{origin}, {when} it: {note}", hit.memory.content, hit.held >= ANSWER_SHARE,
                    hit.relevance >= CHANCE_RELEVANCE_MAX, after.index(hit.memory.content) - at,
                )  # fmt: skip


def rated(opened: Hansard, *, times: int = 1) -> Iterator[Fall]:
    """What becomes of honest memories, each of another author, if one agent rates every rival of one of them.

    It calls the rivals useful and the one useless, once, and once more in each of so many runs of its own.
    """
    for number, lure in enumerate(LURES):
        key = f"rated-{times}-{number}"
        project = opened.project(key, create=True)
        for author, content in enumerate(HONEST_FACTS):
            project.remember(content, agent=f"honest-{author}", scope="team")
        before = project.recall(lure.question, agent=READER, limit=HITS)
        bound = opened.project(key, actor=Actor(ATTACKER, "agent"))
        for place, hit in enumerate(before):
            bound.rate_memory(hit.memory.id, useful=place > 0)
        for _ in range(times - 1):
            run = bound.start_run(task="rate").id
            for place, hit in enumerate(before):
                bound.rate_memory(hit.memory.id, useful=place > 0, run_id=run)
        after = [hit.memory.id for hit in project.recall(lure.question, agent=READER, limit=SEEN)]
        for place, hit in enumerate(before):
            yield Fall(
                f"{times} ratings: {lure.question}", hit.memory.content, hit.held >= ANSWER_SHARE,
                hit.relevance >= CHANCE_RELEVANCE_MAX, after.index(hit.memory.id) - place,
            )  # fmt: skip


def read(opened: Hansard, *, counts: Sequence[int] = ALSO_WRITTEN, rates: bool = False) -> Iterator[Fall]:
    """What becomes of honest memories if one agent reads weaker ones of the same authors, and writes so many itself.

    In the adaptive order it may call them useful as well, and the best ones useless.
    """
    trials = product(AUTHORS, LURES, READS.items(), counts)
    for number, (authors, lure, (which, places), count) in enumerate(trials):
        way = Way("", authors, ATTACKER, {"scope": "team"})
        key = f"read-{rates}-{number}"
        project = opened.project(key, create=True)
        project.remember_many(honest(way))
        before = project.recall(lure.question, agent=READER, limit=HITS)
        bound = opened.project(key, actor=Actor(ATTACKER, "agent"))
        for author in authors:
            mine = [hit.memory.id for hit in before if hit.memory.agent == author]
            for one in mine[places]:
                bound.use_memory(one)
            for one in mine if rates else ():
                bound.rate_memory(one, useful=one in mine[places])
        flood(opened, key, way, mixed(lure, count))
        after = [hit.memory.id for hit in project.recall(lure.question, agent=READER, limit=SEEN)]
        for place, hit in enumerate(before):
            yield Fall(
                f"{which} of {len(authors)}, {count} written: {lure.question}", hit.memory.content,
                hit.held >= ANSWER_SHARE, hit.relevance >= CHANCE_RELEVANCE_MAX, after.index(hit.memory.id) - place,
            )  # fmt: skip


def _told(opened: Hansard, key: str, aside: Aside, texts: Sequence[tuple[str, str | None]]) -> Hits:
    project = opened.project(key, create=True)
    for number, content in enumerate(aside.others):
        project.remember(content, agent=f"a{number}", scope="team")
    bound = opened.project(key, actor=Actor(READER, "agent"))
    for content, origin in texts:
        bound.remember(content, agent=READER, origin=origin)
    return bound.recall(aside.question, agent=READER, limit=SEEN)


def _flooded(
    opened: Hansard, key: str, way: Way, lure: Lure, trial: str, texts: Sequence[str]
) -> Iterator[Fall]:  # fmt: skip
    project = opened.project(key, create=True)
    project.remember_many(honest(way))
    before = project.recall(lure.question, agent=READER, limit=HITS)
    flood(opened, key, way, texts)
    after = [hit.memory.id for hit in project.recall(lure.question, agent=READER, limit=SEEN)]
    for place, hit in enumerate(before):
        found = after.index(hit.memory.id) if hit.memory.id in after else SEEN
        matters = hit.relevance >= CHANCE_RELEVANCE_MAX
        yield Fall(trial, hit.memory.content, hit.held >= ANSWER_SHARE, matters, found - place)


def honest(way: Way) -> list[dict[str, Any]]:
    return [
        {"content": one, "agent": agent, "scope": "team"}
        for one, agent in zip(HONEST_FACTS, cycle(way.honest), strict=False)
    ]


def flood(opened: Hansard, key: str, way: Way, texts: Sequence[str]) -> None:
    bound: Project = opened.project(key, actor=Actor(way.agent, "agent"))
    made = bound.remember_many([{"content": one, "agent": way.agent, **way.fields} for one in texts], force=True)
    assert not any(one.is_quarantined for one in made), "a flood has no sign of a trick"
