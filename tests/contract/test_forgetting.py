"""Forgetting: the words are gone from every table, every version and every byte on disk; the chain still verifies."""

from typing import Any

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import Conflict, Denied, Forgotten, StoreFull
from hansard.project import Project
from hansard.settings import Settings
from hansard.store.sqlite.connection import SqliteConnection
from support.clock import FakeClock
from support.engines import on_postgres, on_sqlite
from support.marks import invariant
from support.raw import bytes_on_disk, everything, raw

SECRET = "xyzzy-plugh-7"
BEGIN_READING = {"sqlite": "BEGIN", "postgres": "BEGIN ISOLATION LEVEL REPEATABLE READ"}
CLEANED = (
    "memories", "memory_tags", "units", "vectors", "revisions", "inbox", "decisions", "runs", "retrievals", "ratings",
    "receipts", "sessions", "jobs", "idempotency_keys",
)  # fmt: skip


def assert_gone(target: str, secret: str = SECRET) -> None:
    assert secret not in repr(everything(target))
    assert secret.encode() not in bytes_on_disk(target)


def unfinished(target: str) -> int:
    """Whether bytes of something forgotten may still be there."""
    with raw(target) as connection:
        return int(connection.execute("SELECT erasing FROM heads").get)


def test_a_forgotten_memory_is_a_tombstone(project: Project) -> None:
    memory = project.remember(SECRET, agent="tank", name=SECRET, tags=[SECRET], reason=SECRET, citations=[SECRET])
    stone = project.forget(memory.id, agent="tank")
    assert (stone.content, stone.name, stone.tags, stone.citations, stone.reason) == ("", None, (), (), None)
    assert stone.is_forgotten
    assert project.get_memory(memory.id, agent="tank") == stone
    assert project.list_memories().items == ()
    assert project.compile(agent="tank") is None
    assert project.forget(memory.id, agent="tank") == stone
    with pytest.raises(Forgotten):
        project.edit_memory(memory.id, agent="tank", content="x")


@invariant("INV-23")
def test_nothing_of_a_forgotten_memory_stays_on_disk_and_the_chain_verifies(project: Project, target: str) -> None:
    memory = project.remember(
        f"v1 {SECRET}", agent="tank", tags=[SECRET], name=SECRET, category=SECRET, subject=SECRET, reason=SECRET,
        source_ref=SECRET, citations=[SECRET],
    )  # fmt: skip
    project.edit_memory(memory.id, agent="tank", content=f"v2 {SECRET}")
    project.edit_memory(memory.id, agent="tank", content="clean", tags=[])
    assert SECRET.encode() in bytes_on_disk(target)
    project.forget(memory.id, agent="tank")
    assert_gone(target)
    assert project.memory_versions(memory.id)[1] == ()
    verification = project.verify()
    assert verification.ok, verification.broken


def test_forgetting_one_of_many_leaves_no_copy_behind_in_a_split_page(project: Project, target: str) -> None:
    made = [
        project.remember(f"{SECRET}-{number:03}! " + "pad " * (number * 37 % 400), agent="tank", tags=[f"t{number}"])
        for number in range(80)
    ]
    for number in range(0, 80, 2):
        project.edit_memory(made[number].id, agent="tank", content=f"{SECRET}-{number:03}! " + "new " * (number * 11))
    for number in range(0, 80, 3):
        project.forget(made[number].id, agent="tank")
    disk = bytes_on_disk(target)
    assert [number for number in range(0, 80, 3) if f"{SECRET}-{number:03}!".encode() in disk] == []
    assert all(f"{SECRET}-{number:03}!".encode() in disk for number in range(1, 80, 3))
    assert project.verify().ok


def test_forgetting_a_promoted_memory_blanks_its_entry_and_its_decision(project: Project, target: str) -> None:
    project.propose(agent="tank", slug="s", type="learning", content=f"draft {SECRET}", tags=SECRET)
    entry = project.propose(
        agent="tank", slug="s", type="learning", content=SECRET, title=SECRET, rationale=SECRET, tags=SECRET
    )
    decision = project.merge(entry.id, by="ana", note=SECRET)
    decision = project.update_decision(decision.id, rationale=f"{SECRET} too")
    (memory,) = project.list_memories().items
    project.forget(memory.id, by="ana")
    assert_gone(target)
    assert project.get_entry("P-1").status == "merged"
    assert project.get_decision(decision.id).status == "archived"
    assert project.list_decisions().items == ()
    assert project.verify().ok


def test_forgetting_takes_the_salts_of_everything_it_blanked(project: Project) -> None:
    entry = project.propose(agent="tank", slug="s", type="learning", content=SECRET)
    decision = project.merge(entry.id, by="ana")
    (memory,) = project.list_memories().items
    project.forget(memory.id, by="ana")
    assert project.get_memory(memory.id).salt is None
    assert project.get_entry(entry.id).salt != entry.salt, "a guess at the words can be checked against the ledger"
    assert project.get_decision(decision.id).salt != decision.salt


def test_a_promoted_memory_is_forgotten_by_a_person_or_a_lead(hansard: Hansard, project: Project) -> None:
    project.propose(agent="tank", slug="s", type="learning", content="c", tags="cross-team")
    project.merge("s", by="ana")
    (memory,) = project.list_memories().items
    with pytest.raises(Denied):
        hansard.project("shop", actor=Actor("tank")).forget(memory.id)
    assert hansard.project("shop", actor=Actor("morpheus", "lead")).forget(memory.id).is_forgotten


def test_a_decision_whose_words_are_forgotten_cannot_be_restored(project: Project) -> None:
    project.propose(agent="tank", slug="s", type="learning", content="c")
    decision = project.merge("s", by="ana")
    (memory,) = project.list_memories().items
    project.forget(memory.id, by="ana")
    with pytest.raises(Conflict):
        project.restore(decision.id, by="ana")
    assert project.list_decisions().items == ()


def test_a_past_list_shows_a_tombstone_where_words_were_forgotten(project: Project, clock: FakeClock) -> None:
    project.propose(agent="tank", slug="s", type="learning", content=SECRET)
    decision = project.merge("s", by="ana")
    then = clock.now()
    (memory,) = project.list_memories().items
    project.forget(memory.id, by="ana")
    (stone,) = project.list_decisions(as_of=then, status="all").items
    assert (stone.id, SECRET in repr(stone)) == (decision.id, False)


def test_what_a_reader_kept_from_being_wiped_is_gone_once_everybody_left(target: str, engine: str) -> None:
    with Hansard.open(target, settings=Settings(user="ana", store_busy_seconds=0.0)) as hansard:
        project = hansard.project("shop", create=True)
        memory = project.remember(SECRET, agent="tank")
        with raw(target) as reader:
            reader.execute(BEGIN_READING[engine])
            assert reader.execute("SELECT count(*) FROM memories").get == 1
            assert project.forget(memory.id, agent="tank").is_forgotten
            assert unfinished(target) != 0
    assert_gone(target)
    Hansard.open(target, settings=Settings(user="ana")).close()
    assert unfinished(target) == 0


@on_postgres
def test_the_next_write_wipes_what_a_reader_kept(project: Project, target: str) -> None:
    memory = project.remember(SECRET, agent="tank")
    with raw(target) as reader:
        reader.execute(BEGIN_READING["postgres"])
        assert reader.execute("SELECT count(*) FROM memories").get == 1
        project.forget(memory.id, agent="tank")
        project.remember("one more", agent="tank")
        assert unfinished(target) != 0
    project.remember("and one more", agent="tank")
    assert unfinished(target) == 0
    assert_gone(target)


@on_postgres
@pytest.mark.parametrize("state", [1, 2], ids=["not begun", "interrupted"])
def test_a_cleaning_that_was_not_finished_is_finished_by_the_next_one_to_open(
    project: Project, target: str, state: int
) -> None:
    with raw(target) as connection:
        connection.execute("UPDATE heads SET erasing = ?", (state,))
    Hansard.open(target, settings=Settings(user="ana")).close()
    assert unfinished(target) == 0


@on_postgres
def test_a_server_cleans_the_tables_that_forgetting_took_words_from(project: Project, target: str) -> None:
    memory = project.remember(SECRET, agent="tank")
    project.edit_memory(memory.id, agent="tank", content=f"{SECRET} again", tags=[SECRET])
    project.forget(memory.id, agent="tank")
    assert unfinished(target) == 0
    with raw(target) as connection:
        cleaned = connection.execute(
            "SELECT relname, n_dead_tup FROM pg_stat_user_tables WHERE last_vacuum IS NOT NULL"
        ).fetchall()
    assert set(cleaned) == {(table, 0) for table in CLEANED}


@on_postgres
def test_forgetting_succeeds_while_somebody_else_holds_a_table(target: str) -> None:
    with Hansard.open(target, settings=Settings(user="ana", store_busy_seconds=0.1)) as hansard:
        project = hansard.project("shop", create=True)
        memory = project.remember(SECRET, agent="tank")
        with raw(target) as other:
            other.execute("BEGIN; LOCK TABLE vectors IN SHARE UPDATE EXCLUSIVE MODE")
            assert project.forget(memory.id, agent="tank").is_forgotten
            assert unfinished(target) != 0
        project.remember("one more", agent="tank")
        assert unfinished(target) == 0


def test_other_memories_are_untouched(project: Project) -> None:
    kept = project.remember("kept", agent="tank", tags=["a"])
    project.forget(project.remember("gone", agent="tank", tags=["a"]).id, agent="tank")
    assert project.list_memories(tags="a").items == (kept,)


@on_sqlite
def test_what_is_forgotten_during_a_cleaning_stays_marked(
    project: Project, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = SqliteConnection.execute

    def interrupted(connection: SqliteConnection, statement: str, *values: Any) -> Any:
        done = execute(connection, statement, *values)
        if statement == "VACUUM":
            with raw(target) as other:
                other.execute("UPDATE heads SET erasing = 1")
        return done

    monkeypatch.setattr(SqliteConnection, "execute", interrupted)
    project.forget(project.remember(SECRET, agent="tank").id, agent="tank")
    with raw(target) as other:
        assert list(other.execute("SELECT erasing FROM heads")) == [(1,)]


def test_forgetting_reaches_the_log_and_the_notes_of_ratings(hansard: Hansard, project: Project, target: str) -> None:
    run = project.start_run(agent="tank", task=f"rotate the key {SECRET}")
    memory = project.remember(f"the key is {SECRET}", agent="tank")
    project.recall("the key", agent="tank", run_id=run.id, task=f"rotate the key {SECRET}")
    project.rate_memory(memory.id, agent="tank", useful=True, note=f"says {SECRET} in clear")
    hansard.shelf.flush(project.id)
    finished = project.finish_run(run.id, outcome="failed", reason="no rights to rotate the key today")
    project.forget(memory.id, agent="tank")
    assert finished.memory_id is not None
    project.forget(finished.memory_id, agent="tank")
    assert_gone(target)
    assert project.retrievals(memory_id=memory.id) == () or project.retrievals()[0].task is None
    assert project.verify().ok


@on_postgres
def test_forgetting_without_space_says_what_to_do_and_forgets_nothing(project: Project, target: str) -> None:
    memory = project.remember("zeppelin", agent="tank")
    with raw(target) as connection:
        # What the server says when a file cannot grow.
        connection.execute(
            "CREATE FUNCTION full_disk() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN"
            " RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;"
            " CREATE TRIGGER sabotage BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION full_disk()"
        )
    with pytest.raises(StoreFull, match=r"It is still remembered\. Free as much space as the database has"):
        project.forget(memory.id, agent="tank")
    assert project.get_memory(memory.id) == memory
