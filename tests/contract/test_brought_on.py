"""A copy that is there already gets what the source was used for since, and its later changes."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import pytest

from contract import test_row_security
from contract.test_clones import carry
from contract.test_transfer import SETTINGS, copied, other, results, story
from hansard import Hansard
from hansard.domain.errors import CopyDiffers, ProjectExists
from hansard.project import Project
from hansard.services import transfer
from hansard.services.transfer import Failed, Proven, compare_project, copy_project
from hansard.store.sql.tables import SqlTables
from support.clock import FakeClock
from support.engines import on_sqlite
from support.fakes import fake_secret
from support.raw import bytes_on_disk, raw

__all__ = ["other", "story"]


def change_much(project: Project) -> str:
    """One of everything happens; returns the id of a memory that was forgotten."""
    memories = {one.content: one for one in project.list_memories(limit=100).items}
    project.edit_memory(
        memories["zeppelin 3 lands at gate 3"].id, agent="tank", content="zeppelin 3 is lost", tags="air"
    )
    gone = memories["zeppelin 4 lands at gate 4"]
    project.forget(gone.id, agent="tank")
    project.remember("the new hangar is dry", agent="oracle", scope="team", tags=["roof"])
    project.end_session()
    project.start_session(focus="Departure")
    entry = project.propose(agent="oracle", slug="ballast", type="architectural", content="Sand only.")
    decision = project.merge(entry.id, by="ana")
    project.supersede(project.list_decisions().items[-1].id, decision.id, by="ana")
    project.propose(agent="oracle", slug="crew", type="scope", content="Three people.")
    run = project.list_runs().items[-1]
    project.finish_run(run.id, outcome="completed", output="Painted.")
    project.recall("hangar", agent="oracle")
    project.rate_memory(memories["the old hangar leaks when it rains"].id, agent="oracle", useful=False)
    project.compile(agent="oracle", keep=True)
    return gone.id


def test_later_changes_are_brought_over(story: Project, hansard: Hansard, other: str, clock: FakeClock) -> None:
    copied(hansard, other, clock)
    before = story.verify().events
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        # Somebody else's memories take the numbers after those of the copy, and a process has an index of it.
        there.project("noise").remember("noise 31 about ploughs", agent="smith")
        copy = there.project("shop")
        for _ in range(5):
            # Its stamps go on ahead of the source's.
            copy.reindex(by="ana")
        assert copy.recall("zeppelin 4 gate", agent="tank")
        gone = change_much(story)
        hansard.shelf.flush(story.id)
        (done,) = results(hansard, other, clock, keys=["shop"])
        assert isinstance(done, Proven), done
        assert (done.was_there, done.brought_on) == (True, story.verify().events - before)
        assert done.questions == 20
        assert copy.verify().ok
        assert copy.get_memory(gone).is_forgotten
        compare_project(hansard.store, there.store, story.record, was_there=True)
        assert {*story.retrievals(days=30, limit=500)} <= {*copy.retrievals(days=30, limit=500)}
        assert copy.list_receipts().items == story.list_receipts().items
        for question in ("the new hangar", "zeppelin 3", "zeppelin 4 gate", "oracle crew"):
            found = [hit.memory.id for hit in copy.recall(question, agent="tank")]
            assert found == [hit.memory.id for hit in story.recall(question, agent="tank")]
        assert copy.list_inbox(status="all").items == story.list_inbox(status="all").items
        assert copy.current_session() == story.current_session()
        made = copy.remember("a zeppelin of its own", agent="tank")
        assert copy.recall("zeppelin of its own", agent="tank", limit=1)[0].memory.id == made.id
        assert copy.verify().ok
        assert there.project("noise").verify().ok


def test_what_was_forgotten_since_leaves_the_copy(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    secret = story.remember("quicksilver is kept in the cellar", agent="tank", tags="quicksilver")
    story.edit_memory(secret.id, agent="tank", content="quicksilver is kept in the attic")
    story.recall("quicksilver", agent="tank")
    story.compile(agent="tank", task="quicksilver", keep=True)
    hansard.shelf.flush(story.id)
    copied(hansard, other, clock, keys=["shop"])
    story.forget(secret.id, agent="tank")
    assert copied(hansard, other, clock, keys=["shop"]) == [("shop", True)]
    assert b"in the attic" not in bytes_on_disk(other)
    assert b"in the cellar" not in bytes_on_disk(other)


def test_later_changes_can_come_again_and_again(story: Project, hansard: Hansard, other: str, clock: FakeClock) -> None:
    copied(hansard, other, clock, keys=["shop"])
    for number in range(3):
        story.remember(f"balloon {number} is red", agent="tank")
        (done,) = results(hansard, other, clock, keys=["shop"])
        assert isinstance(done, Proven), done
        assert done.brought_on == 1
    assert copied(hansard, other, clock, keys=["shop"]) == [("shop", True)]


def test_changes_that_do_not_arrive_as_they_were_sent_are_undone(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    copied(hansard, other, clock, keys=["shop"])
    with raw(other) as connection:
        connection.execute("UPDATE heads SET entries = entries + 7")
        connection.execute("DELETE FROM memory_tags")
    story.remember("one more", agent="tank")
    with raw(other) as connection:
        if other.startswith("postgres"):
            connection.execute(
                "CREATE FUNCTION alter_it() RETURNS TRIGGER LANGUAGE plpgsql AS"
                " $$ BEGIN NEW.name := 'another'; RETURN NEW; END $$;"
                " CREATE TRIGGER sabotage BEFORE INSERT ON memories FOR EACH ROW EXECUTE FUNCTION alter_it()"
            )
        else:
            connection.execute(
                "CREATE TRIGGER sabotage AFTER INSERT ON memories"
                " BEGIN UPDATE memories SET name = 'another' WHERE seq = NEW.seq; END"
            )
    (failed,) = results(hansard, other, clock, keys=["shop"])
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, CopyDiffers)
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        assert there.project("shop").list_events(limit=1).items[0].seq < story.list_events(limit=1).items[0].seq


def test_a_copy_follows_after_an_import_gave_records_other_numbers_and_names(
    hansard: Hansard, other: str, clock: FakeClock, tmp_path: Path
) -> None:
    mine = hansard.project("shop", create=True)
    places = [tmp_path / "out", tmp_path / "in"]
    for place in places:
        place.mkdir()
    with Hansard.open(tmp_path / "mate.db", settings=SETTINGS._replace(user="bob"), clock=clock) as mate:
        theirs = mate.project("shop", create=True)
        theirs.decide(type="scope", title="W", content="W of bob", by="bob")
        theirs.propose(agent="tank", slug="lamps", type="learning", content="Lamps are lit.")
        mine.decide(type="scope", title="X", content="X of ana", by="ana")
        mine.propose(agent="neo", slug="lamps", type="learning", content="Lamps are dark.")
        carry(mine, theirs, places[0])
        mine.decide(type="scope", title="Y", content="Y of ana", by="ana")
        mine.propose(agent="neo", slug="oil", type="learning", content="Oil is dear.")
        before = numbers_of(mine)
        copied(hansard, other, clock)
        carry(theirs, mine, places[1])
    after = numbers_of(mine)
    moved = {name for name in before if after[name] != before[name]}
    # X takes the number that Y has in the copy, and so do the entries; one also gets another name.
    assert {before["Y"], before["Oil is dear."]} == {after["X"], after["Lamps are dark."]}, (before, after)
    assert moved == before.keys()
    (done,) = results(hansard, other, clock)
    assert isinstance(done, Proven), done
    assert done.brought_on > 0
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        copy = there.project("shop")
        assert numbers_of(copy) == after
        assert copy.list_inbox(status="all").items == mine.list_inbox(status="all").items
        assert copy.verify().ok


def numbers_of(project: Project) -> dict[str, int]:
    decisions = {one.title: one.number for one in project.list_decisions(status="all").items}
    return decisions | {one.content: one.number for one in project.list_inbox(status="all").items}


@pytest.mark.parametrize("column", ["slug", "requested_slug", "number"])
def test_a_copy_follows_where_entries_have_changed_places(
    story: Project, hansard: Hansard, other: str, clock: FakeClock, column: str
) -> None:
    copied(hansard, other, clock, keys=["shop"])
    # Both are by one author, as no two entries of one may ask for the same name.
    one, two = (entry for entry in story.list_inbox(status="all").items if entry.slug in ("hydrogen", "lead"))
    with raw(other) as connection:
        for entry_id, value in (
            (one.id, 99 if column == "number" else "waiting"),
            (two.id, getattr(one, column)),
            (one.id, getattr(two, column)),
        ):
            said = value if column == "number" else f"'{value}'"
            connection.execute(f"UPDATE inbox SET {column} = {said} WHERE id = '{entry_id}'")
    story.remember("one more", agent="tank")
    assert copied(hansard, other, clock, keys=["shop"]) == [("shop", True)]


def test_a_row_that_the_copy_does_not_take_is_explained_and_nothing_is_changed(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    copied(hansard, other, clock, keys=["shop"])
    with raw(other) as connection:
        connection.execute("CREATE UNIQUE INDEX odd ON memories (project_id) WHERE content LIKE 'balloon %'")
    story.remember("balloon 1 is red", agent="tank")
    story.remember("balloon 2 is blue as the sea", agent="tank")
    (failed,) = results(hansard, other, clock, keys=["shop"])
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, CopyDiffers)
    assert failed.error.message.startswith(
        "shop: the copy is left as it was, because it cannot be brought on. A row of"
    )
    assert "A row of memories cannot be stored" in failed.error.message
    assert failed.error.message.endswith("copy into a new database.")
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        assert there.project("shop").list_events(limit=1).items[0].seq == story.list_events(limit=1).items[0].seq - 2


def test_what_was_allowed_or_disallowed_since_is_brought_over(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    copied(hansard, other, clock, keys=["shop"])
    (first,) = story.list_allowed_secrets()
    second = story.allow_secret(fake_secret(8), reason="it is made for this test too", by="ana")
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        copy = there.project("shop")
        copied(hansard, other, clock, keys=["shop"])
        assert {one.id for one in copy.list_allowed_secrets()} == {first.id, second.id}
        assert copy.list_allowed_secrets() == story.list_allowed_secrets()
        story.disallow_secret(first.id, reason="It is one after all.", by="ana")
        copied(hansard, other, clock, keys=["shop"])
        assert copy.list_allowed_secrets() == (second,)


WORDS_ONLY = SETTINGS._replace(embedding_provider="none")


def copied_without_a_model(target: str, other: str, clock: FakeClock) -> None:
    with (
        Hansard.open(target, settings=WORDS_ONLY, clock=clock) as here,
        Hansard.open(other, settings=WORDS_ONLY, clock=clock) as there,
    ):
        project = here.project("shop", create=True)
        for number in range(30):
            project.remember(f"giraffe {number} lives in house {number % 7}", agent="tank")
        # Somebody else's memories have the first numbers, so that the copy's are others.
        there.project("farm", create=True).remember("a farm", agent="smith")
        (done,) = here.copy_to(there)
        assert isinstance(done, Proven), done


def test_the_index_of_a_model_that_is_new_in_the_source_is_brought_over(
    hansard: Hansard, target: str, other: str, clock: FakeClock
) -> None:
    copied_without_a_model(target, other, clock)
    story = hansard.project("shop")
    story.reindex(by="ana")
    with Hansard.open(other, settings=WORDS_ONLY, clock=clock) as before:
        assert before.project("shop").recall("giraffe 3 house", agent="tank")
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        copy = there.project("shop")
        (done,) = results(hansard, other, clock, keys=["shop"])
        assert isinstance(done, Proven), done
        assert (done.was_there, done.brought_on, done.index_brought) == (True, 0, True)
        assert (done.indexed_alike, done.questions) == (True, 20)
        compare_project(hansard.store, there.store, story.record, was_there=True)
        for question in ("giraffe 3 house", "an animal with a long neck"):
            found = [hit.memory.id for hit in copy.recall(question, agent="tank")]
            assert found == [hit.memory.id for hit in story.recall(question, agent="tank")]
        assert copy.verify().ok
        (again,) = results(hansard, other, clock, keys=["shop"])
        assert isinstance(again, Proven), again
        assert (again.index_brought, again.questions) == (False, 20)
        story.remember("one more giraffe", agent="tank")
        assert copied(hansard, other, clock, keys=["shop"]) == [("shop", True)]


def test_no_searches_are_compared_with_a_copy_that_has_an_index_of_its_own(
    hansard: Hansard, target: str, other: str, clock: FakeClock
) -> None:
    copied_without_a_model(target, other, clock)
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        there.project("shop").reindex(by="ana")
    (done,) = results(hansard, other, clock, keys=["shop"])
    assert isinstance(done, Proven), done
    assert (done.index_brought, done.indexed_alike, done.questions, done.went_on) == (False, False, 0, False)


def test_a_copy_with_vectors_of_another_model_is_not_brought_on(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    copied(hansard, other, clock, keys=["shop"])
    with raw(other) as connection:
        connection.execute("UPDATE models SET revision = 'another'")
    story.remember("one more", agent="tank")
    with pytest.raises(ProjectExists, match="copy into a new database"):
        copied(hansard, other, clock, keys=["shop"])


def test_only_a_move_brings_changes_over(story: Project, hansard: Hansard, other: str, clock: FakeClock) -> None:
    copied(hansard, other, clock, keys=["shop"])
    story.remember("one more", agent="tank")
    with (
        Hansard.open(other, settings=SETTINGS, clock=clock) as there,
        pytest.raises(ProjectExists, match="has changed since"),
    ):
        copy_project(hansard.store, there.store, story.record)


def test_use_is_brought_over_and_that_of_the_copy_stays(
    story: Project, hansard: Hansard, other: str, clock: FakeClock
) -> None:
    copied(hansard, other, clock, keys=["shop"])
    (first,) = [one for one in story.list_memories(scope="team").items if one.content.startswith("the old")]
    second = next(one for one in story.list_memories(agent="tank").items if one != first)
    story.use_memory(first.id, agent="newcomer")
    kept = story.compile(agent="newcomer", keep=True)
    assert kept is not None
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        copy = there.project("shop")
        copy.use_memory(second.id, agent="tank")
        copy.use_memory(second.id, agent="tank")
        copy.compile(agent="tank", keep=True)
        for _ in range(2):
            assert copied(hansard, other, clock, keys=["shop"]) == [("shop", True)]
        assert copy.get_memory(first.id) == story.get_memory(first.id)
        assert copy.get_memory(first.id).access_count == first.access_count + 1
        assert copy.get_memory(second.id).access_count == second.access_count + 2
        assert len(copy.list_receipts().items) == len(story.list_receipts().items) + 1
        assert copy.retrievals(memory_id=first.id, days=30, limit=10)
        assert copy.retrievals(memory_id=second.id, days=30, limit=10)


def test_both_stores_are_read_by_turns_so_that_neither_waits_for_a_large_one(
    story: Project, hansard: Hansard, other: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "ROWS_AT_ONCE", 5)
    really = SqlTables.rows
    taken: list[tuple[int, str]] = []

    def rows(self: SqlTables, table: str, columns: Sequence[str]) -> Iterator[tuple[object, ...]]:
        for row in really(self, table, columns):
            taken.append((id(self), table if len(columns) > 1 else "numbers"))
            yield row

    copied(hansard, other, clock, keys=["shop"])
    monkeypatch.setattr(SqlTables, "rows", rows)
    with Hansard.open(other, settings=SETTINGS, clock=clock) as there:
        compare_project(hansard.store, there.store, story.record)
    for table in ("memories", "events", "vectors"):
        turns = [who for who, which in taken if which == table]
        longest = max(len(list(turn)) for _, turn in groupby(turns))
        assert (len(turns) > 60, longest) == (True, 5)


@on_sqlite
def test_an_application_that_may_delete_no_record_brings_changes_on_under_row_security(
    hansard: Hansard, clock: FakeClock
) -> None:
    # The server has another project of the key shop.
    twin = hansard.project("airport", create=True)
    twin.remember("zeppelin 1 is here", agent="tank", tags="air")
    guarded = test_row_security.copied()
    application = guarded.as_role(test_row_security.APPLICATION)
    assert copied(hansard, application, clock, keys=["airport"]) == [("airport", False)]
    twin.forget(twin.remember("zeppelin 2 is here", agent="tank").id, agent="tank")
    test_row_security.fill(twin)
    hansard.shelf.flush(twin.id)
    (done,) = results(hansard, application, clock, keys=["airport"])
    assert isinstance(done, Proven), done
    assert done.brought_on > 5
    twin.recall("zeppelin", agent="tank")
    hansard.shelf.flush(twin.id)
    assert copied(hansard, application, clock, keys=["airport"]) == [("airport", True)]
