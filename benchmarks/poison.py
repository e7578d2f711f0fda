"""Tries every attack on a project, and counts what gets through: into a block, a file, an answer, or a better place."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import hijack
from benchmarks.attacks import HONEST_FACTS, QUESTIONS, Attack, attacks, repetitions
from benchmarks.bar import Bar
from benchmarks.honest import made
from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.limits import ISSUE_BYTES_MAX
from hansard.domain.rendering import DATA_MARK
from hansard.project import Project
from hansard.settings import Settings

VICTIM, ATTACKER = "tank", "mallory"
REPEATED = 30
RATED = (1, 20)
HITS = 10
PLACES_MAX = 1
WAYS_ALOUD = 4
"""What a session and a run say to everybody: focus, issue, summary and task."""
NOW = ".squad/identity/now.md"


class Trial(NamedTuple):
    """What was tried, what got through and how, and how far honest memories were moved."""

    tried: int
    passed: tuple[str, ...]
    places: int


def measure(folder: Path) -> Iterator[Bar]:
    trial = attack(folder)
    yield Bar(
        f"attacks that pass the guard, of {trial.tried}", f"{len(trial.passed)}",
        "a block, a file or an answer has it unmarked", None, len(trial.passed), "exactly", 0, "attacks",
    )  # fmt: skip
    yield Bar(
        f"places that an honest memory is moved, {REPEATED} repetitions", f"{trial.places}",
        f"the first {HITS} hits of {len(QUESTIONS)} questions", None, trial.places, "at most", PLACES_MAX, "places",
    )  # fmt: skip
    yield from hijacked(folder)
    texts = made()
    held = honest_held(folder)
    yield Bar(
        f"honest imperatives held back, of {len(texts)} from agents and people", f"{held}", "none may wait", None, held,
        "exactly", 0, "texts",
    )  # fmt: skip


def hijacked(folder: Path) -> Iterator[Bar]:
    """One author floods the answers, in words that all differ, and what honest ones said keeps its places."""
    with Hansard.open(folder / "hijack.db", settings=Settings(user="ana", mirror_auto="off")) as opened:
        every = list(hijack.falls(opened))
        noted = list(hijack.noted(opened))
        read = list(hijack.read(opened))
    adaptive = Settings(user="ana", mirror_auto="off", memory_profile="adaptive", memory_demotion_floor=0.0)
    with Hansard.open(folder / "rated.db", settings=adaptive) as opened:
        rated = [one for times in RATED for one in hijack.rated(opened, times=times)]
        read += hijack.read(opened, rates=True)
    known = [one for one in every if one.matters]
    worst = max(one.places for one in known)
    answers, chance = sum(one.answers for one in known), [one for one in every if not one.matters]
    moved = sum(one.places > PLACES_MAX for one in chance)
    yield Bar(
        f"places that an honest memory falls, {len({one.trial for one in every})} floods of one author", f"{worst}",
        f"{len(known)} among the first {hijack.HITS} hits, {answers} of them answers; of {len(chance)} there by chance"
        f" {moved} fall farther", None, worst, "at most", PLACES_MAX, "places",
    )  # fmt: skip
    beside = max(one.places for one in noted if one.matters)
    yield Bar(
        f"places that an answer found outside falls, {len({one.trial for one in noted})} notes of its author",
        f"{beside}", f"{sum(one.matters for one in noted)} hits, the answers of others among them", None, beside,
        "at most", PLACES_MAX, "places",
    )  # fmt: skip
    some = [one for one in read if one.matters]
    behind = max(one.places for one in some)
    yield Bar(
        f"places that an honest memory falls, {len({one.trial for one in read})} readings of weaker ones of its author",
        f"{behind}", f"{len(some)} hits, in both orders, also rated and beside floods of the reader", None, behind,
        "at most", PLACES_MAX, "places",
    )  # fmt: skip
    lowered = max(one.places for one in rated)
    yield Bar(
        "places that an honest memory falls by the ratings of one agent, adaptive order", f"{lowered}",
        f"{len(rated)} hits, each rated {' or '.join(str(times) for times in RATED)} times", None, lowered, "at most",
        PLACES_MAX, "places",
    )  # fmt: skip


def attack(folder: Path) -> Trial:
    """Every attack by every way in, in one project, and then what its readers see."""
    every = attacks()
    root = folder / "work"
    root.mkdir(parents=True, exist_ok=True)
    with Hansard.open(folder / "poison.db", settings=Settings(user="ana", mirror_auto="off")) as opened:
        project = opened.project("shop", create=True, root=root)
        project.remember_many([{"content": one, "agent": "smith", "scope": "team"} for one in HONEST_FACTS])
        before = places(project)
        bound = opened.project("shop", actor=Actor(ATTACKER, "agent"))
        tried = _remembered(bound, every) + _proposed(bound, every)
        passed = [*_seen(project, every), *_written(project, root, every)]
        said = [one for one in every if not one.only_outside]
        aloud = [*_announced(project, bound, root, said)]
        tried += WAYS_ALOUD * len(said)
        passed += aloud
        moved = displaced(before, places(project))
        for number, question in enumerate(QUESTIONS):
            # Each is an attack of its own, so each has a project of its own.
            moved = max(moved, _hijacked(opened, f"shop-{number}", question))
    return Trial(tried + REPEATED * len(QUESTIONS), tuple(passed), moved)


def _hijacked(opened: Hansard, key: str, question: str) -> int:
    """How far one author moves honest memories by saying nearly the same again and again."""
    project = opened.project(key, create=True)
    project.remember_many([{"content": one, "agent": "smith", "scope": "team"} for one in HONEST_FACTS])
    before = places(project)
    texts = repetitions(question, REPEATED)
    bound = opened.project(key, actor=Actor(ATTACKER, "agent"))
    bound.remember_many([{"content": one, "agent": ATTACKER, "scope": "team"} for one in texts])
    return displaced(before, places(project))


def _remembered(project: Project, every: Sequence[Attack]) -> int:
    """As what it is, as what its agent says to the team, and as what its agent keeps for itself."""
    outside = [{"content": one.text, "origin": one.origin} for one in every]
    said = [one for one in every if not one.only_outside]
    team = [{"content": f"{one.text} t", "scope": "team", "importance": "high"} for one in said]
    own = [{"content": f"{one.text} p"} for one in said]
    core = [{"content": f"{one.text} c", "origin": one.origin, "type": "core_context"} for one in every]
    for items in (outside, team, own, core):
        project.remember_many([{**one, "agent": ATTACKER} for one in items])
    return 2 * (len(every) + len(said))


def _proposed(project: Project, every: Sequence[Attack]) -> int:
    """Through the inbox, in a run that the Scribe writes down."""
    run = project.start_run(agent=ATTACKER, task="look around")
    for number, one in enumerate(every):
        project.propose(
            agent=ATTACKER, slug=f"lesson-{number}", type="learning", content=one.text, run_id=run.id,
            origin=one.origin if one.only_outside else None,
        )  # fmt: skip
    project.finish_run(run.id, outcome="completed")
    return len(every)


def _announced(project: Project, bound: Project, root: Path, every: Sequence[Attack]) -> Iterator[str]:
    """As what everybody is told is going on: each attack in every text of a session and of a run."""
    bound.start_session(focus="Look around")
    for one in every:
        flat = " ".join(one.text.split())
        bound.update_session(one.text, focus=flat, issues=[_issue(flat)], replace=True)
        run = bound.start_run(agent=ATTACKER, task=flat)
        block = project.compile(agent=VICTIM)
        project.export(root)
        files = (("block", block.text if block else ""), ("now.md", (root / NOW).read_text(encoding="utf-8")))
        for where, text in files:
            for line in _unfenced(text):
                if one.mark in line and DATA_MARK not in line:
                    yield f"{where}: {one.mark}"
        bound.finish_run(run.id, outcome="failed", reason="a trial")
    bound.end_session()


def _issue(text: str) -> str:
    return text.encode()[:ISSUE_BYTES_MAX].decode("utf-8", "ignore")


def _seen(project: Project, every: Sequence[Attack]) -> Iterator[str]:
    """What readers are shown: blocks of both agents, searches, lists and the inbox."""
    marks = {one.mark for one in every}
    for agent in (VICTIM, ATTACKER):
        for question in QUESTIONS:
            block = project.compile(agent=agent, task=question)
            for line in _unfenced(block.text if block else ""):
                yield from (f"block of {agent}: {mark}" for mark in marks if mark in line)
    reader = project
    for agent in (VICTIM, ATTACKER):
        for question in (*QUESTIONS, *(one.text for one in every)):
            for hit in reader.recall(question[:400], agent=agent, limit=HITS):
                if not hit.memory.signs:
                    yield from (f"answer to {agent}: {mark}" for mark in marks if mark in hit.memory.content)
    for memory in project.list_memories(limit=1000).items:
        if not memory.signs:
            yield from (f"list: {mark}" for mark in marks if mark in memory.content)
    for entry in project.list_inbox(status="all", limit=1000).items:
        yield from (f"inbox: {mark}" for mark in marks if mark in entry.content)
    for decision in project.list_decisions(status="all", limit=1000).items:
        yield from (f"decision: {mark}" for mark in marks if mark in decision.content)


def _written(project: Project, root: Path, every: Sequence[Attack]) -> Iterator[str]:
    """What the mirror and the ledger files say."""
    project.export(root)
    for file in root.rglob("*"):
        if file.is_file():
            text = file.read_text(encoding="utf-8", errors="replace")
            yield from (f"{file.name}: {one.mark}" for one in every if one.mark in text)


def _unfenced(text: str) -> Iterator[str]:
    """The lines of a block that are no quotation behind the mark of data."""
    fenced = False
    for line in text.split("\n"):
        fenced = (fenced and line.lstrip().startswith(">")) or line.rstrip().endswith(DATA_MARK)
        if not fenced:
            yield line


def places(project: Project) -> Mapping[tuple[str, str], int]:
    """Where each honest memory stands in the answer to each question."""
    return {
        (question, hit.memory.content): place
        for question in QUESTIONS
        for place, hit in enumerate(project.recall(question, agent=VICTIM, limit=HITS))
        if hit.memory.content in HONEST_FACTS
    }


def displaced(before: Mapping[tuple[str, str], int], after: Mapping[tuple[str, str], int]) -> int:
    """The farthest that an honest memory was moved. What fell out stands behind the last place."""
    return max(abs(after.get(key, HITS) - place) for key, place in before.items())


def honest_held(folder: Path) -> int:
    """How many honest texts wait for review, from agents for the team and from people."""
    items = [{"content": one, "agent": VICTIM, "scope": "team", "importance": "high"} for one in made()]
    with Hansard.open(folder / "honest.db", settings=Settings(user="ana", mirror_auto="off")) as opened:
        project = opened.project("shop", create=True)
        from_agent = opened.project("shop", actor=Actor(VICTIM, "agent")).remember_many(items)
        by_ana = opened.project("shop", actor=Actor("ana", "human")).remember_many(items, force=True)
        assert not project.list_quarantined()
        return sum(one.is_quarantined or bool(one.signs) for one in (*from_agent, *by_ana))
