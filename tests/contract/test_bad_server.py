"""Bad servers: one that is away, refuses, waits or holds something else gets one clear sentence."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from hansard import Hansard
from hansard.domain.errors import (
    HansardError,
    Invalid,
    NotFound,
    StoreBusy,
    StoreCorrupt,
    StoreFull,
    StoreNewer,
    StoreUnwritable,
    TooLarge,
    Unavailable,
    UnknownStore,
)
from hansard.project import Project
from hansard.settings import Settings
from hansard.store.ports import Transaction
from hansard.store.postgres.migrate import SCHEMA_VERSION
from support import postgres
from support.processes import finished, started, writer
from support.raw import everything, raw
from support.servers import as_role, limited

ME = Settings(user="ana")
IMPATIENT = Settings(user="ana", store_busy_seconds=0.0)
CONNECTIONS_MAX = ME.store_connections_max
NOT_TEXT = ("a\x00b", "a\ud800b")
LOOKUPS: tuple[Callable[[Transaction, str], object], ...] = (
    lambda tx, word: tx.inbox.by_slug(word),
    lambda tx, word: tx.decisions.get(word),
    lambda tx, word: tx.memories.get(word),
    lambda tx, word: tx.memories.of_file(word),
    lambda tx, word: tx.sessions.get(word),
    lambda tx, word: tx.runs.get(word),
    lambda tx, word: tx.projects.by_key(word),
)
POOLED = {"duplicate_prepared_statement", "invalid_sql_statement_name", "undefined_table", "invalid_schema_name"}
"""What a pooler brings about that lends a connection to others between two transactions."""
FAULTS: dict[str, type[HansardError]] = {
    "lock_not_available": StoreBusy,
    "deadlock_detected": StoreBusy,
    "serialization_failure": StoreBusy,
    "query_canceled": StoreBusy,
    "idle_in_transaction_session_timeout": StoreBusy,
    "disk_full": StoreFull,
    "out_of_memory": StoreFull,
    "insufficient_privilege": StoreUnwritable,
    "read_only_sql_transaction": StoreUnwritable,
    "duplicate_prepared_statement": StoreUnwritable,
    "invalid_sql_statement_name": StoreUnwritable,
    "undefined_table": StoreCorrupt,
    "invalid_schema_name": StoreCorrupt,
    "check_violation": StoreCorrupt,
    "data_corrupted": StoreCorrupt,
    "invalid_text_representation": StoreCorrupt,
    "io_error": StoreCorrupt,
    "untranslatable_character": Invalid,
    "numeric_value_out_of_range": Invalid,
    "program_limit_exceeded": TooLarge,
}


@pytest.fixture
def engine() -> str:
    """All of this is about one engine."""
    return "postgres"


@pytest.fixture
def empty() -> Iterator[str]:
    """A database that holds nothing yet."""
    url = postgres.empty_database()
    yield url
    postgres.give_back(url)


def use(url: str) -> None:
    with Hansard.open(url, settings=ME) as hansard:
        project = hansard.project("shop")
        project.verify()
        project.remember("one more", agent="tank")


def test_a_user_without_rights_is_told_to_get_them(target: str, project: Project) -> None:
    with raw(target) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
        try:
            for granted in ("SELECT 1", "GRANT USAGE ON SCHEMA hansard TO guest"):
                connection.execute(granted)
                with pytest.raises(StoreUnwritable, match=r"no rights to it\. Let the owner run grants\.sql"):
                    use(as_role(target, "guest"))
            connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA hansard TO guest")
            # A cleaning that somebody else left to do must not keep a reader out.
            connection.execute("UPDATE heads SET erasing = 1")
            with Hansard.open(as_role(target, "guest"), settings=ME) as hansard:
                assert hansard.project("shop").list_memories().items == ()
                with pytest.raises(StoreUnwritable, match="check the user's rights"):
                    hansard.project("shop").remember("x", agent="tank")
        finally:
            connection.execute("DROP OWNED BY guest; DROP ROLE guest")


def test_a_user_who_may_not_make_a_hansard_is_told_who_does(empty: str) -> None:
    with raw(empty) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
        try:
            with pytest.raises(StoreUnwritable, match=r"There is no Hansard in .* Let the owner run `hansard init`"):
                Hansard.open(as_role(empty, "guest"), settings=ME)
        finally:
            connection.execute("DROP OWNED BY guest; DROP ROLE guest")


def test_a_database_without_a_hansard_is_unknown_if_it_must_exist(empty: str) -> None:
    with pytest.raises(UnknownStore, match="There is no Hansard in PostgreSQL test_"):
        Hansard.open(empty, settings=ME, must_exist=True)
    with raw(empty) as connection:
        assert connection.execute("SELECT to_regnamespace('hansard')").get is None
    Hansard.open(empty, settings=ME).close()
    Hansard.open(empty, settings=ME, must_exist=True).close()


def test_a_database_of_a_newer_version_is_left_alone(target: str, project: Project) -> None:
    with raw(target) as connection:
        connection.execute("UPDATE schema_version SET version = 9999")
    before = everything(target)
    with pytest.raises(StoreNewer, match="has schema version 9999"):
        use(target)
    assert everything(target) == before


def test_a_database_that_keeps_no_unicode_is_refused() -> None:
    url = postgres.empty_database("TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    with pytest.raises(Invalid, match="make a database with ENCODING 'UTF8'"):
        Hansard.open(url, settings=ME)
    postgres.give_back(url)


def test_a_schema_of_somebody_else_is_left_alone(empty: str) -> None:
    with raw(empty) as connection:
        connection.execute("CREATE SCHEMA hansard; CREATE TABLE hansard.projects (name TEXT)")
    with pytest.raises(StoreCorrupt):
        Hansard.open(empty, settings=ME)
    with raw(empty) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'hansard'").fetchall()
    assert names == [("projects",)]


@pytest.mark.parametrize("version", [-1, 0, 3, SCHEMA_VERSION - 1])
def test_the_version_of_another_program_is_left_alone(empty: str, version: int) -> None:
    with raw(empty) as connection:
        connection.execute(
            "CREATE SCHEMA hansard; CREATE TABLE hansard.schema_version (version BIGINT);"
            f" INSERT INTO hansard.schema_version VALUES ({version}); CREATE TABLE hansard.memories (a INT)"
        )
    with pytest.raises(StoreCorrupt, match="another program"):
        Hansard.open(empty, settings=ME)
    with raw(empty) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'hansard' ORDER BY 1").fetchall()
        assert connection.execute("SELECT version FROM hansard.schema_version").get == version
    assert names == [("memories",), ("schema_version",)]


@pytest.mark.parametrize("table", ["memories", "actors", "schema_version"])
def test_a_database_that_lost_a_table_is_reported_as_damaged(target: str, project: Project, table: str) -> None:
    with raw(target) as connection:
        connection.execute(f"DROP TABLE {table} CASCADE")
    with pytest.raises(StoreCorrupt):
        use(target)


@pytest.mark.parametrize("table", ["schema_version", "heads"])
def test_a_database_whose_version_or_head_is_gone_is_reported_as_damaged(
    target: str, project: Project, table: str
) -> None:
    with raw(target) as connection:
        connection.execute(f"DELETE FROM {table}")
    with pytest.raises(StoreCorrupt, match=r"[Rr]estore a backup"):
        use(target)


def test_an_earlier_version_that_makes_no_sense_is_reported_as_damaged(target: str, project: Project) -> None:
    decision = project.decide(type="scope", title="t", content="c")
    project.update_decision(decision.id, content="d")
    with raw(target) as connection:
        connection.execute("UPDATE revisions SET body = (body::jsonb || jsonb_build_object('number', 'first'))::json")
    with pytest.raises(StoreCorrupt):
        project.list_decisions(as_of=decision.created_at)


def test_a_writer_waits_for_another_as_long_as_the_setting_says(target: str, project: Project) -> None:
    patient = Settings(user="ana", store_busy_seconds=0.3)
    with raw(target) as other, Hansard.open(target, settings=patient) as hansard:
        other.execute("BEGIN; SELECT FROM heads FOR UPDATE")
        started = time.monotonic()
        with pytest.raises(StoreBusy) as caught:
            hansard.project("shop").remember("x", agent="tank")
        assert 0.3 <= time.monotonic() - started < 10
        assert caught.value.code == "store.busy"
        assert hansard.project("shop").list_memories().items == ()
        other.execute("ROLLBACK")
        hansard.project("shop").remember("x", agent="tank")


def test_a_wait_of_no_seconds_is_no_wait_for_ever(target: str, project: Project) -> None:
    with raw(target) as other, Hansard.open(target, settings=IMPATIENT) as hansard:
        other.execute("BEGIN; SELECT FROM heads FOR UPDATE")
        with pytest.raises(StoreBusy):
            hansard.project("shop").remember("x", agent="tank")


def test_writers_of_another_project_are_not_waited_for(target: str, project: Project) -> None:
    with raw(target) as other, Hansard.open(target, settings=IMPATIENT) as hansard:
        bank = hansard.project("bank", create=True)
        other.execute("BEGIN")
        other.execute("SELECT FROM heads WHERE project_id = ? FOR UPDATE", (project.id,))
        assert bank.remember("x", agent="tank").content == "x"


def test_a_founder_waits_for_another_founder(hansard: Hansard, project: Project, target: str) -> None:
    with Hansard.open(target, settings=IMPATIENT) as impatient:
        with hansard.store.write(hansard.store.new_id(), founding=True), pytest.raises(StoreBusy):
            impatient.project("bank", create=True)
        assert impatient.project("bank", create=True).key == "bank"


def test_whoever_waits_for_a_busy_project_keeps_no_founder_waiting(
    hansard: Hansard, project: Project, target: str, tmp_path: Path
) -> None:
    joining = threading.Thread(target=lambda: hansard.project("shop", create=True, root=tmp_path))
    with raw(target) as other, Hansard.open(target, settings=IMPATIENT) as impatient:
        other.execute("BEGIN; SELECT FROM heads FOR UPDATE")
        joining.start()
        while not other.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").get:
            pass
        assert impatient.project("bank", create=True).key == "bank"
        other.execute("ROLLBACK")
        joining.join()
    assert hansard.project(cwd=tmp_path).key == "shop"


def test_a_server_without_a_free_connection_is_busy_and_not_lost(
    target: str, project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    with limited(target, 1) as url, Hansard.open(url, settings=IMPATIENT) as hansard:
        with hansard.store.read(project.id), pytest.raises(StoreBusy, match="gives no more connections") as caught:
            hansard.projects()
        with pytest.raises(StoreBusy, match="gives no more connections"):
            Hansard.open(url, settings=IMPATIENT)
        assert caught.value.code == "store.busy"
        assert len(hansard.projects()) == 1
    assert caplog.text == ""


def test_threads_at_a_limit_take_whichever_connection_comes_first(
    target: str, project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    with limited(target, 1) as url, Hansard.open(url, settings=Settings(user="ana", store_busy_seconds=5.0)) as hansard:
        shop = hansard.project("shop")

        def work(number: int) -> list[str]:
            return [shop.remember(f"{number}/{step}", agent="tank", force=True).id for step in range(10)]

        with ThreadPoolExecutor(6) as pool:
            made = [one for several in pool.map(work, range(6)) for one in several]
    assert len(set(made)) == 60
    assert caplog.text == ""


@pytest.mark.parametrize(
    "said",
    [
        "RAISE EXCEPTION 'something' USING ERRCODE = 'disk_full'",
        "RAISE EXCEPTION 'something' USING ERRCODE = 'io_error'",
        "PERFORM pg_terminate_backend(pg_backend_pid())",
    ],
    ids=["full", "broken", "lost"],
)
def test_a_cleaning_that_fails_takes_nothing_back_and_stays_to_be_done(
    target: str, project: Project, said: str
) -> None:
    memory = project.remember("the combination is 1234", agent="tank")
    with raw(target) as connection:
        connection.execute(
            f"CREATE FUNCTION fail() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN {said}; RETURN NEW; END $$;"
            " CREATE TRIGGER sabotage BEFORE UPDATE OF erasing ON heads FOR EACH ROW WHEN (NEW.erasing = 2)"
            " EXECUTE FUNCTION fail()"
        )
        assert project.forget(memory.id, agent="tank").forgotten_at is not None
        assert project.remember("after it", agent="tank").content == "after it"
        assert connection.execute("SELECT erasing FROM heads").get == 1
        connection.execute("DROP TRIGGER sabotage ON heads")
        project.remember("and later", agent="tank")
        assert connection.execute("SELECT erasing FROM heads").get == 0


def test_no_write_waits_for_the_cleaning_of_a_table_that_is_locked(target: str, project: Project) -> None:
    memory = project.remember("the combination is 1234", agent="tank")
    patient = Settings(user="ana", store_busy_seconds=60.0)
    with raw(target) as other, Hansard.open(target, settings=patient) as hansard:
        other.execute("BEGIN; LOCK TABLE memories IN SHARE UPDATE EXCLUSIVE MODE")
        start = time.monotonic()
        hansard.project("shop").forget(memory.id, agent="tank")
        hansard.project("shop").remember("after it", agent="tank")
        assert time.monotonic() - start < 10
        assert other.execute("SELECT erasing FROM heads").get != 0
        other.execute("ROLLBACK")
        hansard.project("shop").remember("and later", agent="tank")
        assert other.execute("SELECT erasing FROM heads").get == 0
        # The short patience was the cleaning's alone.
        with hansard.store.read(project.id) as tx:
            assert tx._connection.execute("SHOW lock_timeout").get == "1min"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "setting",
    [
        "client_encoding=LATIN1",
        "options=-c%20standard_conforming_strings%3Doff",
        "options=-c%20quote_all_identifiers%3Don",
    ],
)
def test_settings_of_the_address_change_nothing_of_what_is_stored(target: str, project: Project, setting: str) -> None:
    with Hansard.open(f"{target}&{setting}", settings=ME) as hansard:
        shop = hansard.project("shop")
        memory = shop.remember("caf\u00e9 \u20ac \u4e2d", agent="tank")
        assert len(shop.list_memories(text="CAF\u00c9 \u20ac").items) == 1
        assert shop.verify().ok
    assert project.get_memory(memory.id).content == "caf\u00e9 \u20ac \u4e2d"
    assert project.verify().ok


def test_a_process_that_was_forked_has_connections_of_its_own(target: str, project: Project) -> None:
    process = started("support.forked", target)
    said, complained = process.communicate(timeout=120)
    assert (said, complained, process.returncode) == ("child ok\nparent ok\n", "", 0)


def test_a_caller_who_finds_all_connections_in_use_is_told_so(target: str, project: Project) -> None:
    with Hansard.open(target, settings=IMPATIENT) as hansard:
        with ExitStack() as held:
            for _ in range(CONNECTIONS_MAX):
                held.enter_context(hansard.store.read(project.id))
            with pytest.raises(StoreBusy, match=f"All {CONNECTIONS_MAX} connections"):
                hansard.projects()
        assert len(hansard.projects()) == 1


def test_a_closed_hansard_says_so(target: str, project: Project) -> None:
    hansard = Hansard.open(target, settings=ME)
    with hansard.store.read(project.id):
        hansard.close()
    with pytest.raises(Unavailable, match="open it again"):
        hansard.projects()


@pytest.mark.parametrize("isolation", ["read committed", "repeatable read"])
def test_processes_that_found_one_project_in_an_empty_database_get_one(empty: str, isolation: str) -> None:
    with raw(empty) as connection:
        connection.execute(
            f"ALTER DATABASE {postgres.name_of(empty)} SET default_transaction_isolation = '{isolation}'"
        )
    running = [writer("open", empty) for _ in range(4)]
    assert [finished(process) for process in running] == ["ok"] * 4
    with Hansard.open(empty, settings=ME) as hansard:
        assert [one.key for one in hansard.projects()] == ["shop"]
        project = hansard.project("shop")
        assert len(project.list_memories().items) == 4
        assert project.verify().ok


def test_every_fault_of_the_server_has_its_error_and_changes_nothing(target: str, project: Project) -> None:
    before = everything(target)
    with raw(target) as connection:
        for fault, error in FAULTS.items():
            connection.execute(
                "CREATE OR REPLACE FUNCTION fail() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN"
                f" RAISE EXCEPTION 'something' USING ERRCODE = '{fault}'; END $$;"
                " CREATE OR REPLACE TRIGGER sabotage BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION fail()"
            )
            with pytest.raises(error) as caught:
                project.remember("x", agent="tank")
            assert type(caught.value) is error, fault
            assert ("session mode" in str(caught.value)) is (fault in POOLED)
    assert everything(target) == before


@pytest.mark.parametrize("word", NOT_TEXT, ids=["nul", "surrogate"])
def test_what_is_no_text_is_refused_wherever_it_is_looked_up(hansard: Hansard, project: Project, word: str) -> None:
    project.remember("x", agent="tank", tags="t")
    for find in LOOKUPS:
        with pytest.raises(Invalid), hansard.store.read(project.id) as tx:
            find(tx, word)
    for call in (
        project.get_entry,
        project.get_decision,
        project.get_memory,
        project.get_session,
        project.get_run,
        hansard.project,
        lambda reference: project.list_memories(text=reference),
        lambda reference: project.recall(reference, agent="tank", source=reference),
    ):
        with pytest.raises((Invalid, NotFound)):
            call(word)
    assert len(project.list_memories().items) == 1


def test_a_number_that_the_server_cannot_hold_is_refused(hansard: Hansard, project: Project) -> None:
    for number in (2**63, -(2**63) - 1, 10**40):
        with pytest.raises(Invalid), hansard.store.read(project.id) as tx:
            tx.inbox.by_number(number)


def test_a_path_too_long_to_be_looked_up_is_refused(hansard: Hansard, tmp_path: Path) -> None:
    letters = random.Random(7)
    folder = tmp_path.joinpath(*("".join(letters.choices("abcdefghijklmnop", k=240)) for _ in range(14)))
    folder.mkdir(parents=True)
    with pytest.raises(TooLarge):
        hansard.project("deep", create=True, root=folder)
    assert hansard.projects() == ()


def test_a_schema_of_another_program_is_left_alone(empty: str) -> None:
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA hansard")
        connection.execute("CREATE TABLE hansard.x (a INT)")
    with pytest.raises(StoreCorrupt, match="a schema hansard of another program"):
        Hansard.open(empty, settings=ME)
    with psycopg.connect(empty) as connection:
        tables = connection.execute("SELECT relname FROM pg_class WHERE relnamespace = 'hansard'::regnamespace")
        assert [name for (name,) in tables] == ["x"]
