"""Words keep their place in time: only other words, or words that a reader could not read yet, are new ones."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.project import Project
from hansard.settings import Settings
from hansard.store.sql.units import EARLIER_VERSIONS_MAX
from support import postgres
from support.clock import FakeClock

QUESTION = "how do we rotate the billing gateway certificate"
FIRST = "Rotate the billing gateway certificate with make rotate-cert, then restart the gateway."
SECOND = "To rotate the billing gateway certificate you need the vault role gateway-admin first."
TOOLS = ("portal", "console", "script", "cron", "helm", "ansible", "operator", "lambda", "ticket", "runbook", "bastion")
FLOOD = [
    f"How do we rotate the billing gateway certificate: rotate the billing gateway certificate by {TOOLS[n % 11]}"
    f" number {n * 7} {TOOLS[(n * 5 + 3) % 11]} {TOOLS[(n * 3 + 1) % 11]}."
    for n in range(20)
]


@pytest.fixture
def trin(hansard: Hansard, project: Project) -> Project:
    return hansard.project(project.key, actor=Actor("trin", "agent"))


@pytest.fixture
def second(trin: Project, tank: Project, clock: FakeClock) -> str:
    """The second answer of an agent, which another one floods."""
    trin.remember(FIRST, scope="team")
    made = trin.remember(SECOND, scope="team")
    clock.advance(seconds=1)
    tank.remember_many([{"content": one, "scope": "team"} for one in FLOOD])
    clock.advance(seconds=1)
    return made.id


def place(project: Project, memory_id: str) -> int:
    return [hit.memory.id for hit in project.recall(QUESTION, limit=60)].index(memory_id)


@pytest.mark.parametrize(
    "change",
    [
        {"tags": ["gateway"]}, {"importance": "high"}, {"citations": ["gateway.py"]}, {"name": "Roles"},
        {"type": "pattern"},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_a_change_that_leaves_the_words_alone_moves_no_memory(
    trin: Project, neo: Project, ana: Project, second: str, clock: FakeClock, change: dict[str, Any]
) -> None:
    before = place(neo, second)
    trin.edit_memory(second, **change)
    after = place(neo, second)
    clock.advance(seconds=1)
    ana.edit_memory(second, tags=["of", "a", "person"])

    assert (before, after, place(neo, second)) == (2, 2, 2)


def test_a_memory_that_a_person_holds_and_releases_or_confirms_keeps_its_place(
    ana: Project, neo: Project, second: str, clock: FakeClock
) -> None:
    for way in (ana.release, ana.confirm):
        ana.hold(second, reason="looks odd")
        clock.advance(seconds=1)
        way(second, reason="it is right")
        assert place(neo, second) == 2


def test_new_words_are_new_and_so_are_old_ones_that_come_back(
    trin: Project, neo: Project, second: str, clock: FakeClock
) -> None:
    for content in (f"{SECOND} Ask dozer.", SECOND):
        trin.edit_memory(second, content=content)
        clock.advance(seconds=1)
        trin.edit_memory(second, tags=[f"after-{len(content)}"])
        assert place(neo, second) > 5


def test_what_is_shared_comes_to_the_others_then_and_keeps_its_place_for_who_read_it(
    hansard: Hansard, trin: Project, tank: Project, neo: Project, ana: Project, clock: FakeClock
) -> None:
    trin.remember(FIRST, scope="team")
    mine = trin.remember(SECOND)
    clock.advance(seconds=1)
    tank.remember_many([{"content": one, "scope": "team"} for one in FLOOD])
    clock.advance(seconds=1)
    before = place(trin, mine.id), place(ana, mine.id)
    trin.share_memory(mine.id)

    assert (place(trin, mine.id), place(ana, mine.id)) == before == (2, 2)
    assert place(neo, mine.id) > 5


def test_a_flood_that_was_written_in_secret_is_new_when_it_is_shared(
    trin: Project, tank: Project, neo: Project, clock: FakeClock
) -> None:
    hidden = tank.remember_many([{"content": one} for one in FLOOD])
    clock.advance(seconds=1)
    ids = [trin.remember(one, scope="team").id for one in (FIRST, SECOND)]
    before = [place(neo, one) for one in ids]
    clock.advance(seconds=1)
    for one in hidden:
        tank.share_memory(one.id)

    assert all(place(neo, one) <= was + 1 for one, was in zip(ids, before, strict=True))


def test_an_index_that_is_made_anew_leaves_every_place(trin: Project, neo: Project, ana: Project, second: str) -> None:
    trin.edit_memory(second, tags=["gateway"])
    ana.reindex()

    assert place(neo, second) == 2


def test_who_changes_a_memory_again_and_again_makes_it_no_older_than_what_is_looked_through(
    trin: Project, neo: Project, second: str, clock: FakeClock
) -> None:
    places = []
    for number in range(EARLIER_VERSIONS_MAX + 2):
        clock.advance(seconds=1)
        trin.edit_memory(second, tags=[f"tag-{number}"])
        places.append(place(neo, second))

    assert set(places[:EARLIER_VERSIONS_MAX]) == {2}
    assert places[-1] > 5


@pytest.fixture
def other(target: str, tmp_path: Path) -> Iterator[str]:
    """A store of the other engine."""
    if target.startswith("postgres"):
        yield str(tmp_path / "other.db")
        return
    url = postgres.empty_database()
    yield url
    postgres.drop(url)


def test_a_copy_in_another_store_has_the_same_places(
    hansard: Hansard, trin: Project, second: str, other: str, clock: FakeClock
) -> None:
    trin.edit_memory(second, tags=["gateway"])
    with Hansard.open(other, settings=Settings(user="ana"), clock=clock) as there:
        list(hansard.copy_to(there))
        reader = there.project(trin.key, actor=Actor("neo", "agent"))

        assert place(reader, second) == 2


def test_a_tag_that_another_clone_gave_moves_no_memory(
    project: Project, neo: Project, second: str, tmp_path: Path, clock: FakeClock
) -> None:
    settings = Settings(user="bob", embedding_provider="none")
    with Hansard.open(":memory:", settings=settings, clock=FakeClock(clock.now() + 1_000_000)) as mate:
        theirs = mate.project(project.key, create=True)
        for source, target in ((project, theirs), (theirs, project)):
            source.export(tmp_path)
            (tmp_path / ".hansard/mirror.json").unlink()
            target.import_inbox(tmp_path)
            if target is theirs:
                theirs.edit_memory(second, tags=["gateway"])

    assert "gateway" in neo.get_memory(second).tags
    assert place(neo, second) == 2
