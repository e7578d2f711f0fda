"""Projects move between a file and a server and back: whole, once, and proven."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import CopyDiffers, ProjectExists
from hansard.project import Project
from hansard.settings import Settings
from support import postgres
from support.clock import FakeClock
from support.raw import raw

SETTINGS = Settings(user="ana")


@pytest.fixture
def other(request: pytest.FixtureRequest, target: str, tmp_path: Path) -> Iterator[str]:
    """A store of the other engine."""
    if target.startswith("postgres"):
        yield str(tmp_path / "other.db")
        return
    url = postgres.empty_database()
    yield url
    postgres.drop(url)


@pytest.fixture
def story(hansard: Hansard) -> Project:
    """Two projects, the second one with something in every table."""
    noise = hansard.project("noise", create=True)
    project = hansard.project("shop", create=True, name="The Shop")
    for number in range(30):
        noise.remember(f"noise {number} about tractors", agent="smith")
        project.remember(f"zeppelin {number} lands at gate {number % 7}", agent="tank", tags=["air", "gate"])
    run = project.start_run(agent="tank", task="Paint the zeppelin")
    child = project.start_run(agent="neo", task="Fetch paint", parent=run.id)
    first = project.propose(agent="tank", slug="helium", type="architectural", content="Helium only.", run_id=run.id)
    decision = project.merge(first.id, by="ana")
    second = project.propose(agent="neo", slug="hydrogen", type="architectural", content="Hydrogen after all.")
    project.supersede(decision.id, project.merge(second.id, by="ana").id, by="ana")
    project.reject(project.propose(agent="neo", slug="lead", type="scope", content="Lead.").id, by="ana", reason="no")
    lesson = project.propose(agent="neo", slug="lesson", type="learning", content="Gates close at noon.", tags=["gate"])
    project.merge(lesson.id, by="ana")
    memory = project.remember("the old hangar leaks", agent="tank", scope="team", citations=["hangar.md"])
    project.edit_memory(memory.id, agent="tank", content="the old hangar leaks when it rains")
    project.forget(project.remember("the combination is 1234", agent="tank").id, agent="tank")
    project.use_memory(memory.id, agent="neo")
    project.rate_memory(memory.id, agent="neo", useful=True)
    project.start_session(focus="Landing", issues=["#1"])
    project.finish_run(child.id, outcome="failed", reason="The shop was closed.")
    project.recall("zeppelin", agent="tank")
    hansard.shelf.flush(project.id)
    return project


def copied(hansard: Hansard, target: str, clock: FakeClock, **wanted: object) -> list[tuple[str, bool]]:
    with Hansard.open(target, settings=SETTINGS, clock=clock) as there:
        return [(one.project.key, one.was_there) for one in hansard.copy_to(there, **wanted)]  # type: ignore[arg-type]


def test_everything_arrives_and_comes_back(
    story: Project, hansard: Hansard, other: str, clock: FakeClock, tmp_path: Path
) -> None:
    assert copied(hansard, other, clock) == [("noise", False), ("shop", False)]
    third = str(tmp_path / "third.db")
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        project = there.project("shop")
        assert project.verify().ok
        assert project.record == story.record
        assert project.compile(agent="tank") == story.compile(agent="tank")
        assert [hit.memory for hit in project.recall("hangar rain", agent="tank")] == [
            hit.memory for hit in story.recall("hangar rain", agent="tank")
        ]
        assert copied(there, third, clock) == [("noise", False), ("shop", False)]
        made = project.remember("a new zeppelin", agent="tank")
        assert project.recall("new zeppelin", agent="tank", limit=1)[0].memory.id == made.id
        entry = project.propose(agent="trinity", slug="helium", type="scope", content="Again.")
        assert (entry.number, entry.slug) == (5, "helium--trinity")
        assert project.verify().ok
    with Hansard.open(third, settings=SETTINGS, clock=clock) as back:
        project = back.project("shop")
        assert project.list_decisions(status="all").items == story.list_decisions(status="all").items
        assert project.verify().ok
        project.remember("a third zeppelin", agent="tank")
        assert project.verify().ok


def test_an_interrupted_copy_leaves_nothing_of_that_project_and_goes_on(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    def interrupted(key: str, table: str, done: int, total: int) -> None:
        if (key, table) == ("shop", "vectors"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copied(hansard, other, clock, progress=interrupted)
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        assert [one.key for one in there.projects()] == ["noise"]
    assert copied(hansard, other, clock) == [("noise", True), ("shop", False)]


def test_only_the_named_projects_are_copied(story: Project, hansard: Hansard, other: str, clock: FakeClock) -> None:
    assert copied(hansard, other, clock, keys=["shop"]) == [("shop", False)]
    assert copied(hansard, other, clock, keys=["SHOP"]) == [("shop", True)]


def test_progress_counts_every_row_of_every_table(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    ended: dict[str, tuple[int, int]] = {}

    def progress(key: str, table: str, done: int, total: int) -> None:
        ended[f"{key}.{table}"] = (done, total)

    copied(hansard, other, clock, keys=["shop"], progress=progress)
    assert all(done == total for done, total in ended.values())
    assert ended["shop.memories"] == (34, 34)
    assert all(total for table, (_, total) in ended.items() if table != "shop.project_roots")


def test_a_project_that_went_on_or_has_another_origin_is_left_alone(
    story: Project, hansard: Hansard, other: str, clock: FakeClock, tmp_path: Path
) -> None:
    copied(hansard, other, clock)
    story.remember("one more", agent="tank")
    with pytest.raises(ProjectExists, match="has changed since"):
        copied(hansard, other, clock, keys=["shop"])
    stranger = str(tmp_path / "stranger.db")
    with Hansard.open(stranger, settings=SETTINGS, clock=clock) as there:
        there.project("shop", create=True)
    with pytest.raises(ProjectExists, match="another project"):
        copied(hansard, stranger, clock, keys=["shop"])


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE memories SET access_count = access_count + 1 WHERE content LIKE 'zeppelin 3 %'",
        "DELETE FROM vectors WHERE chunk = 0 AND memory_seq = (SELECT max(memory_seq) FROM vectors)",
        "UPDATE retrievals SET task = 'another'",
    ],
)
def test_a_copy_that_differs_is_found(
    story: Project, hansard: Hansard, other: str, clock: FakeClock, damage: str
) -> None:
    copied(hansard, other, clock)
    with raw(other) as connection:
        connection.execute(damage)
    with pytest.raises(CopyDiffers):
        copied(hansard, other, clock, keys=["shop"])


def test_no_name_of_a_copied_project_is_another_ones(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    copied(hansard, other, clock)
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        bound = there.project("shop", actor=Actor("smith", role="agent"))
        assert not [hit for hit in bound.recall("tractors") if "noise" in hit.memory.content]
