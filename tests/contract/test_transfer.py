"""Projects move between a file and a server and back: whole, once, and proven."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import CopyDiffers, ProjectExists
from hansard.project import Project
from hansard.services import recall, transfer
from hansard.services.seat import Seat
from hansard.services.transfer import Failed, Proven, copy_project
from hansard.settings import Settings
from support import postgres
from support.clock import FakeClock
from support.engines import on_sqlite
from support.fakes import fake_secret
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
    project.allow_secret(fake_secret(), reason="it is made for this test", by="ana")
    memory = project.remember("the old hangar leaks", agent="tank", scope="team", citations=["hangar.md"])
    project.edit_memory(memory.id, agent="tank", content="the old hangar leaks when it rains")
    project.forget(project.remember("the combination is 1234", agent="tank").id, agent="tank")
    project.use_memory(memory.id, agent="neo")
    project.rate_memory(memory.id, agent="neo", useful=True)
    project.start_session(focus="Landing", issues=["#1"])
    project.finish_run(child.id, outcome="failed", reason="The shop was closed.")
    project.recall("zeppelin", agent="tank")
    project.compile(agent="tank", keep=True)
    hansard.create_token(agent="tank", projects=[project.key])
    hansard.shelf.flush(project.id)
    return project


def results(hansard: Hansard, target: str, clock: FakeClock, **wanted: Any) -> list[Proven | Failed]:
    with Hansard.open(target, settings=SETTINGS, clock=clock) as there:
        return list(hansard.copy_to(there, **wanted))


def copied(hansard: Hansard, target: str, clock: FakeClock, **wanted: Any) -> list[tuple[str, bool]]:
    """Key of each project, and whether it was there. Raises what went wrong with one."""
    done = results(hansard, target, clock, **wanted)
    for one in done:
        if isinstance(one, Failed):
            raise one.error
    return [(one.project.key, one.was_there) for one in done if isinstance(one, Proven)]


def keys_in(target: str) -> list[str]:
    with Hansard.open(target, settings=SETTINGS) as there:
        return [one.key for one in there.projects()]


def alter_on_arrival(target: str) -> None:
    """The target changes a memory as it is stored, as no database should."""
    Hansard.open(target, settings=SETTINGS).close()
    with raw(target) as connection:
        if target.startswith("postgres"):
            connection.execute(
                "CREATE FUNCTION alter_it() RETURNS TRIGGER LANGUAGE plpgsql AS"
                " $$ BEGIN NEW.access_count := 99; RETURN NEW; END $$;"
                " CREATE TRIGGER sabotage BEFORE INSERT ON memories FOR EACH ROW"
                " WHEN (NEW.content LIKE 'zeppelin 3 %') EXECUTE FUNCTION alter_it()"
            )
        else:
            connection.execute(
                "CREATE TRIGGER sabotage AFTER INSERT ON memories WHEN NEW.content LIKE 'zeppelin 3 %'"
                " BEGIN UPDATE memories SET access_count = 99 WHERE seq = NEW.seq; END"
            )


def test_everything_arrives_and_comes_back(
    story: Project, hansard: Hansard, other: str, clock: FakeClock, tmp_path: Path
) -> None:
    assert copied(hansard, other, clock) == [("noise", False), ("shop", False)]
    third = str(tmp_path / "third.db")
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        project = there.project("shop")
        assert project.verify().ok
        assert project.record == story.record
        (kept,) = story.list_receipts().items
        assert project.get_receipt(kept.id) == kept.receipt()
        assert project.replay(kept.id).is_exact
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
    def interrupted(key: str, step: str, done: int, total: int) -> None:
        if (key, step) == ("shop", "copying vectors"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copied(hansard, other, clock, progress=interrupted)
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        assert [one.key for one in there.projects()] == ["noise"]
    assert copied(hansard, other, clock) == [("noise", True), ("shop", False)]


def test_only_the_named_projects_are_copied(story: Project, hansard: Hansard, other: str, clock: FakeClock) -> None:
    assert copied(hansard, other, clock, keys=["shop"]) == [("shop", False)]
    assert copied(hansard, other, clock, keys=["SHOP"]) == [("shop", True)]


def test_progress_tells_of_every_step_and_only_goes_forward(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    for was_there in (False, True):
        told: list[tuple[str, str, int, int]] = []
        copied(hansard, other, clock, keys=["shop"], progress=lambda *step: told.append(step))  # noqa: B023
        steps = [step for _, step, _, _ in told]
        assert {key for key, _, _, _ in told} == {"shop"}
        assert steps[0] == "verifying the source"
        assert steps[-3:] == ["verifying the copy", "comparing searches", "proven"]
        assert ("copying memories" in steps) is not was_there
        assert "comparing memories" in steps
        amounts = [done for _, _, done, _ in told]
        (total,) = {total for _, _, _, total in told}
        assert amounts == sorted(amounts)
        assert (amounts[0], amounts[-1]) == (0, total)


def test_a_copy_counts_every_row_of_every_table(story: Project, hansard: Hansard, other: str, clock: FakeClock) -> None:
    ended: dict[str, tuple[int, int]] = {}

    def progress(key: str, table: str, done: int, total: int) -> None:
        ended[f"{key}.{table}"] = (done, total)

    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        copy_project(hansard.store, there.store, story.record, progress=progress)
    assert all(done == total for done, total in ended.values())
    assert ended["shop.memories"] == (34, 34)
    assert {table for table, (_, total) in ended.items() if not total} <= {"shop.project_roots", "shop.jobs"}


def test_a_copy_that_went_on_or_has_another_origin_is_left_alone(
    story: Project, hansard: Hansard, other: str, clock: FakeClock, tmp_path: Path
) -> None:
    copied(hansard, other, clock)
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        there.project("shop").remember("one more", agent="tank")
    with pytest.raises(ProjectExists, match="has changed since"):
        copied(hansard, other, clock, keys=["shop"])
    story.remember("one more", agent="tank")
    story.remember("and another", agent="tank")
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
        "UPDATE memories SET name = 'another' WHERE content LIKE 'zeppelin 3 %'",
        "DELETE FROM vectors WHERE chunk = 0 AND memory_seq = (SELECT max(memory_seq) FROM vectors)",
        "DELETE FROM memory_tags",
        "UPDATE project_roots SET path = '/elsewhere'",
    ],
)
def test_a_copy_that_differs_is_found(
    story: Project, hansard: Hansard, other: str, clock: FakeClock, damage: str, tmp_path: Path
) -> None:
    hansard.project("shop", create=True, root=tmp_path)
    copied(hansard, other, clock)
    with raw(other) as connection:
        connection.execute(damage)
    with pytest.raises(CopyDiffers):
        copied(hansard, other, clock, keys=["shop"])


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("UPDATE units SET terms = dates WHERE chunk = 0", "the rows of units differ between the stores"),
        ("DELETE FROM vectors WHERE chunk = 0", "vectors has .* rows here and 0 there"),
    ],
)
def test_a_damaged_index_of_a_copy_is_told_with_the_command_that_mends_it(
    story: Project, hansard: Hansard, other: str, clock: FakeClock, damage: str, found: str
) -> None:
    copied(hansard, other, clock)
    with raw(other) as connection:
        connection.execute(damage)
    with pytest.raises(CopyDiffers, match=f"shop: {found}.*`hansard memory reindex --project shop` in the copy"):
        copied(hansard, other, clock, keys=["shop"])
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        there.project("shop").reindex()
    assert copied(hansard, other, clock, keys=["shop"]) == [("shop", True)]


def test_records_that_differ_are_told_with_what_to_do(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    copied(hansard, other, clock)
    with raw(other) as connection:
        connection.execute("DELETE FROM memory_tags")
    told = "memory_tags has .* rows here and 0 there. See what `hansard doctor --all --full` says of both"
    with pytest.raises(CopyDiffers, match=told):
        copied(hansard, other, clock, keys=["shop"])


def test_a_copy_that_does_not_arrive_as_it_was_sent_is_undone(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    alter_on_arrival(other)
    failed = results(hansard, other, clock, keys=["shop"])[0]
    assert isinstance(failed, Failed)
    assert failed.error.message == (
        "shop: the rows of memories differ between the stores. Nothing of the copy was kept. See what `hansard doctor"
        " --all --full` says of both: restore the source, or take a new database."
    )
    assert keys_in(other) == []


def test_a_project_that_fails_does_not_stop_the_others(
    story: Project, hansard: Hansard, target: str, other: str, clock: FakeClock
) -> None:
    with raw(target) as connection:
        connection.execute("UPDATE memories SET content = 'forged' WHERE content LIKE 'noise 3 %'")
    noise, shop = results(hansard, other, clock)
    assert isinstance(noise, Failed)
    assert isinstance(noise.error, CopyDiffers)
    assert noise.error.message.startswith("noise: the history of the source breaks at event 5: the memory ")
    assert noise.error.message.endswith(" Restore the source from a backup first.")
    assert isinstance(shop, Proven)
    assert keys_in(other) == ["shop"]
    with raw(target) as connection:
        connection.execute("UPDATE memories SET content = 'noise 3 about tractors' WHERE content = 'forged'")
    assert copied(hansard, other, clock) == [("noise", False), ("shop", True)]


@on_sqlite
def test_a_row_that_the_target_does_not_take_is_told_with_its_table(
    story: Project, hansard: Hansard, target: str, other: str, clock: FakeClock
) -> None:
    with raw(target) as connection:
        connection.execute("UPDATE retrievals SET task = 'a' || char(0) || 'b'")
    failed = results(hansard, other, clock, keys=["shop"])[0]
    assert isinstance(failed, Failed)
    assert failed.error.message.startswith("shop: the target does not take a row of retrievals; the source is damaged.")
    assert keys_in(other) == []


def test_a_copy_that_is_in_use_is_still_a_copy(story: Project, hansard: Hansard, other: str, clock: FakeClock) -> None:
    copied(hansard, other, clock)
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        project = there.project("shop")
        memory = project.recall("hangar rain", agent="tank")[0].memory
        project.use_memory(memory.id, agent="tank")
    story.recall("zeppelin", agent="neo")
    hansard.shelf.flush(story.id)
    assert copied(hansard, other, clock) == [("noise", True), ("shop", True)]


def test_what_one_store_has_to_clean_out_is_no_matter_of_the_other(
    story: Project, hansard: Hansard, target: str, other: str, clock: FakeClock
) -> None:
    with raw(target) as connection:
        connection.execute("UPDATE heads SET erasing = 1")
    assert copied(hansard, other, clock) == [("noise", False), ("shop", False)]
    with raw(other) as connection:
        assert [tuple(row) for row in connection.execute("SELECT erasing FROM heads")] == [(0,), (0,)]
    assert copied(hansard, other, clock) == [("noise", True), ("shop", True)]


def test_a_folder_of_another_project_is_left_out(
    story: Project, hansard: Hansard, other: str, clock: FakeClock, tmp_path: Path
) -> None:
    mine, taken = tmp_path / "mine", tmp_path / "taken"
    for folder in (mine, taken):
        folder.mkdir()
        hansard.project("shop", create=True, root=folder)
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        there.project("bank", create=True, root=taken)
    for was_there in (False, True):
        done = results(hansard, other, clock, keys=["shop"])[0]
        assert isinstance(done, Proven)
        assert (done.was_there, [root.path for root in done.left_out]) == (was_there, [str(taken)])
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        assert there.project(cwd=mine).key == "shop"
        assert there.project(cwd=taken).key == "bank"


def test_no_name_of_a_copied_project_is_another_ones(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    copied(hansard, other, clock)
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        bound = there.project("shop", actor=Actor("smith", role="agent"))
        assert not [hit for hit in bound.recall("tractors") if "noise" in hit.memory.content]


def test_the_last_digit_of_a_relevance_does_not_make_a_copy_another(
    story: Project, hansard: Hansard, other: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that has followed changes for a while adds up in another order than the copy's, which is new."""
    look = recall.glance

    def nudged(seat: Seat, query: str, *, limit: int) -> list[tuple[str, float]]:
        step = 2.0**-24 if seat.store is hansard.store else 0.0
        return [(id, relevance + step) for id, relevance in look(seat, query, limit=limit)]

    monkeypatch.setattr(transfer, "glance", nudged)

    (one,) = results(hansard, other, clock, keys=["shop"])

    assert isinstance(one, Proven)
    assert one.questions == transfer.QUESTIONS


def test_a_source_that_is_changed_meanwhile_is_copied_as_it_was(story: Project, hansard: Hansard, other: str) -> None:
    before = story.verify().events

    def changing(_key: str, step: str, _done: int, _total: int) -> None:
        if step == "verifying the copy" and story.verify().events == before:
            story.remember("zeppelin 31 lands at gate 3", agent="tank", force=True)

    with Hansard.open(other, settings=SETTINGS) as theirs:
        (one,) = hansard.copy_to(theirs, keys=["shop"], progress=changing)
        assert isinstance(one, Proven)
        assert (one.events, one.questions, one.went_on) == (before, 0, True)
        assert theirs.project("shop").verify().events == before
