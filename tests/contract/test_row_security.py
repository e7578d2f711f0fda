"""Least rights and row security on PostgreSQL: the product works with both, and neither lets a project see another."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import psycopg
import pytest

from hansard import Hansard
from hansard.domain.errors import ProjectExists, StoreUnwritable
from hansard.domain.findings import Severity
from hansard.domain.jobs import JobKind
from hansard.project import Project
from hansard.services.grant import grant, whose
from hansard.settings import Settings
from hansard.store.postgres.migrate import SCHEMA_VERSION
from support import postgres
from support.fakes import fake_secret
from support.psql import play

OWNER, APPLICATION = "hansard_owner", "hansard_app"
SECRET = "xyzzy-plugh-7"
FILTERED = (
    "heads", "actors", "runs", "decisions", "inbox", "memories", "memory_tags", "sessions", "revisions", "events",
    "models", "units", "vectors", "retrievals", "ratings", "jobs", "receipts", "allowances", "write_counts",
    "tokens", "idempotency_keys",
)  # fmt: skip
"""Every table that row security filters. That none is missing is a test below."""
NEVER_CHANGED = ("projects", "project_roots", "actors", "events", "revisions", "models")
NEVER_DELETED = (
    "projects", "project_roots", "actors", "events", "ratings", "heads", "runs", "decisions", "inbox",
    "memories", "sessions", "models", "jobs",
)  # fmt: skip

Session = psycopg.Connection[tuple[Any, ...]]


class Guarded(NamedTuple):
    """A database with the roles of the guide and row security on, and two projects in it."""

    url: str
    shop: str
    bank: str

    def as_role(self, role: str) -> str:
        return self.url.replace("postgres:@", f"{role}@", 1)


def settings() -> Settings:
    return Settings(user="ana")


def fill(project: Project) -> None:
    """Something in every table, by every kind of call that leaves something there."""
    project.start_session(focus=f"Work on {project.key}")
    run = project.start_run(agent="tank", task="t")
    entry = project.propose(
        agent="tank", slug="use-postgres", type="architectural", content="All data is in one place."
    )
    project.merge(entry.id, by="ana")
    lesson = project.propose(agent="tank", slug="prefix", type="learning", content=f"{project.key} needs a prefix.")
    project.merge(lesson.id, by="ana")
    project.reject(project.propose(agent="tank", slug="no", type="scope", content="No.").id, by="ana", reason="No.")
    memory = project.remember(f"The API of {project.key} needs a Bearer prefix.", agent="tank", tags=["api"])
    project.edit_memory(memory.id, agent="tank", content=f"The API of {project.key} needs a Bearer token.")
    assert project.recall("Which token does the API need?", agent="tank")
    project.use_memory(memory.id, agent="tank")
    project.rate_memory(memory.id, useful=True, agent="tank")
    project.compile(agent="tank", keep=True)
    project.allow_secret(fake_secret(), reason="It is made for this test.", by="ana")
    project.finish_run(run.id, outcome="completed", output="Done.")
    store = project.seat().store
    grant(store, project.seat().actor, agent="tank", role="agent", projects=[project.key])
    with store.write(project.id) as tx:
        cast("Any", tx)._connection.execute(
            "INSERT INTO idempotency_keys (project_id, caller, key, digest, started_at) VALUES (?, 'c', 'k', ?, 1)",
            (project.id, b"d"),
        )
        lease = store.jobs(tx).take(JobKind.EXPORT, "here", "somebody", lease_us=10**12)
        assert lease is not None
        store.jobs(tx).release(lease)


@cache
def template() -> Guarded:
    """A database that is set up once and copied for every test; the roles belong to the whole server."""
    place = Guarded(postgres.empty_database(), "", "")
    play(place.url, "roles")
    Hansard.open(place.as_role(OWNER), settings=settings()).close()
    play(place.as_role(OWNER), "grants")
    play(place.as_role(OWNER), "row_security_on")
    with Hansard.open(place.as_role(APPLICATION), settings=settings()) as hansard:
        projects = [hansard.project(key, create=True) for key in ("shop", "bank")]
        for project in projects:
            fill(project)
    return place._replace(shop=projects[0].id, bank=projects[1].id)


def copied() -> Guarded:
    return template()._replace(url=postgres.empty_database(f"TEMPLATE {postgres.name_of(template().url)}"))


shared = cache(copied)
"""The copy for all tests that leave it as it is."""


@pytest.fixture
def guarded() -> Guarded:
    return shared()


@pytest.fixture
def own() -> Iterator[Guarded]:
    """A copy for a test that changes it."""
    place = copied()
    yield place
    postgres.give_back(place.url)


@contextmanager
def acting(place: Guarded, role: str) -> Iterator[Session]:
    with psycopg.connect(place.as_role(role), autocommit=True) as connection:
        connection.execute("SET search_path = hansard")
        yield connection


@pytest.fixture
def application(guarded: Guarded) -> Iterator[Session]:
    """A session of the application role, outside any transaction and about no project."""
    with acting(guarded, APPLICATION) as session:
        yield session


def enter(session: Session, project_id: str) -> None:
    session.execute("SELECT set_config('hansard.project', %s, true)", (project_id,))


def attempt(session: Session, project_id: str, statement: str, *values: Any) -> int:
    """Runs a statement in a transaction about a project and returns how many rows it met."""
    with session.transaction():
        enter(session, project_id)
        return session.execute(statement.encode(), values or None).rowcount


def rows(session: Session, query: str, *values: Any) -> list[tuple[Any, ...]]:
    return session.execute(query.encode(), values or None).fetchall()


def test_the_product_works_completely_with_row_security_and_least_rights(own: Guarded, tmp_path: Path) -> None:
    with Hansard.open(own.as_role(APPLICATION), settings=settings()) as hansard:
        assert [one.key for one in hansard.projects()] == ["bank", "shop"]
        project = hansard.project("fresh", create=True, root=tmp_path)
        fill(project)
        block = project.compile(agent="tank")
        assert block is not None
        assert "All data is in one place." in block.text
        (best, *_) = project.recall("Which token does the API need?", agent="tank")
        project.share_memory(best.memory.id, by="ana")
        assert project.memory_usage().calls > 0
        old, new = (project.decide(type="scope", title=title, content=title, by="ana") for title in ("old", "new"))
        project.supersede(old.id, new.id, by="ana")
        project.archive(new.id, by="ana")
        project.restore(new.id, by="ana")
        project.end_session()
        project.purge()
        project.reembed()
        assert project.forget(best.memory.id, by="ana").is_forgotten
        verification = project.verify()
        assert verification.ok, verification.broken


def test_what_was_forgotten_is_in_no_row_of_any_table(own: Guarded) -> None:
    with Hansard.open(own.as_role(APPLICATION), settings=settings()) as hansard:
        project = hansard.project("shop")
        memory = project.remember(f"v1 {SECRET}", agent="tank", tags=[SECRET])
        project.edit_memory(memory.id, agent="tank", content=f"v2 {SECRET}")
        project.forget(memory.id, agent="tank")
        assert project.verify().ok
    with psycopg.connect(own.url) as everything:
        left = [table for table in FILTERED if SECRET in repr(rows(everything, f"TABLE hansard.{table}"))]
    assert left == []


@pytest.mark.parametrize("table", FILTERED)
def test_a_transaction_sees_no_row_of_another_project(guarded: Guarded, application: Session, table: str) -> None:
    with application.transaction():
        enter(application, guarded.shop)
        seen = {project for (project,) in rows(application, f"SELECT project_id FROM {table}")}
    with application.transaction():
        enter(application, guarded.bank)
        others = {project for (project,) in rows(application, f"SELECT project_id FROM {table}")}
    assert (seen, others) == ({guarded.shop}, {guarded.bank})


@pytest.mark.parametrize("table", FILTERED)
def test_outside_a_project_there_is_nothing_to_see(application: Session, guarded: Guarded, table: str) -> None:
    assert rows(application, f"SELECT * FROM {table}") == []
    with application.transaction():
        enter(application, guarded.shop)
    assert rows(application, f"SELECT * FROM {table}") == [], "what a transaction was about outlived it"


def test_a_query_of_the_product_without_a_condition_sees_its_own_project_only(own: Guarded) -> None:
    with Hansard.open(own.as_role(APPLICATION), settings=settings()) as hansard:
        with hansard.store.read(own.shop) as tx:
            connection = cast("Any", tx)._connection
            seen = {
                table: connection.execute(f"SELECT DISTINCT project_id FROM {table}").fetchall() for table in FILTERED
            }
        hansard.project("shop").forget(hansard.project("shop").list_memories().items[0].id, by="ana")
        with hansard.store.read(own.bank) as tx:
            connection = cast("Any", tx)._connection
            later = connection.execute("SELECT DISTINCT project_id FROM memories").fetchall()
    assert seen == {table: [(own.shop,)] for table in FILTERED}
    assert later == [(own.bank,)], "forgetting left its project behind in the session"


@pytest.mark.parametrize("table", FILTERED)
def test_a_row_of_another_project_cannot_be_inserted(guarded: Guarded, application: Session, table: str) -> None:
    with psycopg.connect(guarded.url) as everything:
        ((row,), *_) = rows(
            everything, f"SELECT to_json(t)::text FROM hansard.{table} t WHERE project_id = %s", guarded.bank
        )
    insert = f"INSERT INTO {table} SELECT * FROM json_populate_record(NULL::{table}, %s::json)"
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        attempt(application, guarded.shop, insert, row)


@pytest.mark.parametrize("table", ["heads", "decisions", "inbox", "memories", "sessions", "units", "jobs", "receipts"])
def test_rows_of_another_project_cannot_be_changed_or_taken(guarded: Guarded, application: Session, table: str) -> None:
    touch = f"UPDATE {table} SET project_id = project_id WHERE project_id = %s"
    assert attempt(application, guarded.shop, touch, guarded.bank) == 0
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        attempt(application, guarded.shop, f"UPDATE {table} SET project_id = %s", guarded.bank)


def test_the_owner_is_bound_as_well(guarded: Guarded) -> None:
    with acting(guarded, OWNER) as owner:
        assert rows(owner, "SELECT * FROM memories") == []
        with owner.transaction():
            enter(owner, guarded.shop)
            assert set(rows(owner, "SELECT project_id FROM memories")) == {(guarded.shop,)}


def test_every_table_with_a_project_is_filtered(guarded: Guarded) -> None:
    with psycopg.connect(guarded.url) as everything:
        with_project = rows(
            everything,
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'project_id'"
            " WHERE c.relnamespace = 'hansard'::regnamespace AND c.relkind IN ('r', 'p')",
        )
        forced = rows(
            everything,
            "SELECT c.relname FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid"
            " WHERE c.relnamespace = 'hansard'::regnamespace AND c.relrowsecurity AND c.relforcerowsecurity",
        )
    assert {name for (name,) in forced} == set(FILTERED)
    assert {name for (name,) in with_project} == {*FILTERED, "project_roots"}


def test_row_security_can_be_turned_off_and_on_again(own: Guarded) -> None:
    count = "SELECT count(DISTINCT project_id) FROM memories"
    play(own.as_role(OWNER), "row_security_off")
    with acting(own, APPLICATION) as application:
        assert rows(application, count) == [(2,)]
        assert rows(application, "SELECT * FROM pg_policies WHERE schemaname = 'hansard'") == []
    with Hansard.open(own.as_role(APPLICATION), settings=settings()) as hansard:
        assert hansard.project("shop").verify().ok
        hansard.project("shop").remember("Still here.", agent="tank")
    for _ in range(2):
        play(own.as_role(OWNER), "row_security_on")
    with acting(own, APPLICATION) as application:
        assert rows(application, count) == [(0,)]
    with Hansard.open(own.as_role(APPLICATION), settings=settings()) as hansard:
        assert hansard.project("shop").verify().ok


@pytest.mark.parametrize("table", NEVER_CHANGED)
def test_some_tables_only_grow_by_right(application: Session, table: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        application.execute(f"UPDATE {table} SET {'id' if table == 'projects' else 'project_id'} = 'x'".encode())


@pytest.mark.parametrize("table", NEVER_DELETED)
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_records_cannot_be_deleted_by_right(application: Session, statement: str, table: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        application.execute(statement.format(table).encode())


def test_events_are_kept_by_right_even_without_their_triggers(own: Guarded) -> None:
    with acting(own, OWNER) as owner:
        owner.execute("ALTER TABLE events DISABLE TRIGGER USER")
    with acting(own, APPLICATION) as application:
        for statement in ("UPDATE events SET action = 'x'", "DELETE FROM events", "TRUNCATE events"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                attempt(application, own.shop, statement)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE events DISABLE TRIGGER USER",
        "ALTER TABLE events DISABLE ROW LEVEL SECURITY",
        "DROP POLICY one_project ON events",
        "DROP TABLE ratings",
        "CREATE TABLE hansard.mine (x INT)",
        "CREATE SCHEMA mine",
        "SET SESSION AUTHORIZATION hansard_owner",
        "SET ROLE hansard_owner",
        "UPDATE schema_version SET version = 0",
    ],
)
def test_the_application_cannot_loosen_its_own_bonds(application: Session, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        application.execute(statement.encode())


def test_the_application_may_clean_up_after_forgetting(application: Session) -> None:
    told: list[str | None] = []
    application.add_notice_handler(lambda notice: told.append(notice.message_primary))
    for table in ("memories", "memory_tags", "units", "vectors", "revisions", "inbox", "decisions"):
        application.execute(f"VACUUM {table}".encode())
    assert told == []


def test_forgetting_works_where_the_application_may_not_clean_up(own: Guarded) -> None:
    """As before PostgreSQL 17, where nobody but the owner may: the words are out of reach, and autovacuum follows."""
    with acting(own, OWNER) as owner:
        owner.execute("REVOKE MAINTAIN ON ALL TABLES IN SCHEMA hansard FROM hansard_app")
    with Hansard.open(own.as_role(APPLICATION), settings=settings()) as hansard:
        project = hansard.project("shop")
        memory = project.remember(SECRET, agent="tank")
        assert project.forget(memory.id, agent="tank").is_forgotten
        assert project.verify().ok
    with psycopg.connect(own.url) as everything:
        assert SECRET not in repr([rows(everything, f"TABLE hansard.{table}") for table in FILTERED])


def test_the_application_does_not_migrate(own: Guarded) -> None:
    with acting(own, OWNER) as owner:
        owner.execute("UPDATE hansard.schema_version SET version = version - 1")
    versions = f"has schema version {SCHEMA_VERSION - 1}, this Hansard needs {SCHEMA_VERSION}"
    way = "Let the owner of the schema run `hansard projects` once with this version, and then grants.sql"
    with pytest.raises(StoreUnwritable, match=f"{versions}, and this user may not migrate it.*{way}"):
        Hansard.open(own.as_role(APPLICATION), settings=settings())


def test_nothing_sees_a_database_without_the_grants(own: Guarded) -> None:
    with acting(own, OWNER) as owner:
        owner.execute("REVOKE ALL ON ALL TABLES IN SCHEMA hansard FROM hansard_app")
    with pytest.raises(StoreUnwritable, match="this user has no rights to it"):
        Hansard.open(own.as_role(APPLICATION), settings=settings())


def test_the_application_backs_up_and_examines_every_project(guarded: Guarded, tmp_path: Path) -> None:
    with Hansard.open(guarded.as_role(APPLICATION), settings=settings()) as hansard:
        done = hansard.backup(tmp_path / "backup.db")
        findings = hansard.doctor(full=True)
    assert sorted(one.project.id for one in done.projects) == sorted([guarded.shop, guarded.bank])
    assert [one for one in findings if one.severity is Severity.PROBLEM] == []
    with Hansard.open(tmp_path / "backup.db", settings=settings()) as copy:
        assert [copy.project(key).verify().ok for key in ("shop", "bank")] == [True, True]


def test_a_token_is_found_although_row_security_shows_one_project_at_a_time(own: Guarded) -> None:
    with Hansard.open(own.as_role(APPLICATION), settings=settings()) as hansard:
        made, both = hansard.create_token(agent="tank", projects=["shop", "bank"])
        everywhere, wide = hansard.create_token(agent="ana", role="human")
        assert whose(hansard.store, both) == made
        assert whose(hansard.store, wide) == everywhere
        assert {one.id for one in hansard.tokens()} >= {made.id, everywhere.id}
        hansard.revoke_token(made.id)
        assert whose(hansard.store, both) is None


def test_a_further_clone_is_known_although_row_security_shows_one_project_at_a_time(
    own: Guarded, tmp_path: Path
) -> None:
    with Hansard.open(own.as_role(APPLICATION), settings=settings()) as hansard:
        for key in ("shop", "bank"):
            (tmp_path / key).mkdir()
            hansard.project(key).export(tmp_path / key)
            with pytest.raises(ProjectExists, match=f"hansard init --project {key} --join"):
                hansard.begin(tmp_path / key, key=None, name=None, join=False)
