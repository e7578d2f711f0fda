"""Checks docs/postgres.md by doing what it says: every SQL block is run, in order, by the role it names."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import click
import psycopg
import pytest

from hansard import Hansard
from hansard.domain.errors import StoreUnwritable
from hansard.interfaces.cli.group import cli
from hansard.settings import Settings
from hansard.store.postgres import store
from house.source import ROOT, python_files
from support import postgres, psql
from support.psql import RECIPES

GUIDE = (ROOT / "docs" / "postgres.md").read_text(encoding="utf-8")
OWNER, APPLICATION = "hansard_owner", "hansard_app"
ADMINISTRATOR = "postgres"
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIRST_LINE = re.compile(rf"-- As (?:an (administrator)|({OWNER}|{APPLICATION}))[.,]")
SHOWN = re.compile(r"^`(\w+\.sql)`:\n\n```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED_COMMAND = re.compile(r"(?<![\w/@-])hansard ([a-z][a-z-]*(?: [a-z][a-z-]*)?)")
READ_ONLY = "&options=-c%20default_transaction_read_only%3Don"


class Block(NamedTuple):
    """One block of SQL, and the role that the guide has run it."""

    role: str
    sql: str


def blocks() -> list[Block]:
    found = []
    for kind, text in FENCED.findall(GUIDE):
        if kind == "sql":
            first = FIRST_LINE.match(text)
            assert first, f"a block does not say who runs it: {text[:60]}"
            found.append(Block(ADMINISTRATOR if first.group(1) else first.group(2), text))
    return found


def as_role(url: str, role: str) -> str:
    return url if role == ADMINISTRATOR else url.replace("postgres:@", f"{role}@", 1)


def run(url: str, block: Block) -> None:
    psql.run(as_role(url, block.role), block.sql)


def recipe(name: str) -> Block:
    (found,) = (block for block in blocks() if block.sql == (RECIPES / f"{name}.sql").read_text(encoding="utf-8"))
    return found


@contextmanager
def opened(url: str, role: str = APPLICATION) -> Iterator[Hansard]:
    with Hansard.open(as_role(url, role), settings=Settings(user="ana")) as hansard:
        yield hansard


@pytest.fixture
def url() -> Iterator[str]:
    """An empty database. Roles belong to the whole server, so what the guide gives them is taken back."""
    place = postgres.empty_database()
    yield place
    postgres.give_back(place)
    with postgres.admin() as connection:
        connection.execute("DROP ROLE IF EXISTS hansard_backup")
        connection.execute(f"ALTER ROLE {APPLICATION} RESET ALL")
        connection.execute(f"REVOKE pg_read_all_stats FROM {APPLICATION}")


@pytest.fixture
def prepared(url: str) -> str:
    """A database with both roles and a project that holds something."""
    run(url, recipe("roles"))
    opened_by_owner(url)
    run(url, recipe("grants"))
    with opened(url) as hansard:
        project = hansard.project("shop", create=True)
        entry = project.propose(agent="tank", slug="use-postgres", type="architectural", content="One place for data.")
        project.merge(entry.id, by="ana")
        project.edit_memory(
            project.remember("A draft.", agent="tank").id, agent="tank", content="The API needs a token."
        )
    return url


def opened_by_owner(url: str) -> None:
    with opened(url, OWNER):
        pass


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(query.encode()).fetchall()


def commands(group: click.Group) -> set[str]:
    context = click.Context(group)
    found = set()
    for name in group.list_commands(context):
        child = group.get_command(context, name)
        found |= {name} | ({f"{name} {one}" for one in commands(child)} if isinstance(child, click.Group) else set())
    return found


def needed_rights() -> set[tuple[str, str]]:
    """Right and table of every statement of the store, migrations aside: they are the owner's."""
    found = set()
    for path in python_files("src/hansard/store/sql", "src/hansard/store/postgres"):
        if path.name == "migrate.py":
            continue
        text = path.read_text(encoding="utf-8")
        found |= {("INSERT", table) for table in re.findall(r"INSERT INTO ([a-z_]+)", text)}
        found |= {("UPDATE", table) for table in re.findall(r"UPDATE ([a-z_]+) SET", text)}
        found |= {("DELETE", table) for table in re.findall(r"DELETE FROM ([a-z_]+)", text)}
        found |= {
            ("UPDATE", re.findall(r"INSERT INTO ([a-z_]+)", before)[-1]) for before in text.split("DO UPDATE")[:-1]
        }
    return found


def test_every_block_of_the_guide_runs_as_the_role_it_names(url: str) -> None:
    first, *others = blocks()
    assert first.role == ADMINISTRATOR
    run(url, first)
    with opened(url, OWNER) as hansard:
        hansard.project("shop", create=True).remember("The API needs a token.", agent="tank")
    for block in others:
        run(url, block)
    for name in ("grants", "row_security_on"):
        run(url, recipe(name))
    with opened(url) as hansard:
        project = hansard.project("shop")
        assert project.recall("token", agent="tank")
        assert project.forget(project.list_memories().items[0].id, agent="tank").is_forgotten
        assert project.verify().ok


def test_the_guide_shows_every_recipe_as_it_is() -> None:
    files = {path.name: path.read_text(encoding="utf-8") for path in RECIPES.glob("*.sql")}

    assert dict(SHOWN.findall(GUIDE)) == files


def test_a_block_that_is_not_run_says_why() -> None:
    kinds = {kind for kind, _ in FENCED.findall(GUIDE)}
    unrun = [text for kind, text in FENCED.findall(GUIDE) if kind == "text"]

    assert kinds == {"sql", "sh", "text"}
    assert all(text.startswith("-- Not run by the tests: ") for text in unrun)


def test_every_command_that_the_guide_names_exists() -> None:
    known = commands(cli)
    named = set(NAMED_COMMAND.findall(GUIDE))

    assert len(named) > 5
    assert {name for name in named if name not in known and name.split()[0] not in known} == set()


def test_the_recipes_may_be_run_again(prepared: str) -> None:
    for name in (
        "roles", "hand_over", "hand_over", "grants", "row_security_on", "row_security_on", "row_security_off",
        "row_security_off",
    ):  # fmt: skip
        run(prepared, recipe(name))
    with opened(prepared) as hansard:
        assert hansard.project("shop").verify().ok


def test_the_role_for_backups_may_be_made_again_and_for_a_second_database(url: str) -> None:
    (block,) = (one for one in blocks() if "CREATE ROLE hansard_backup" in one.sql)
    second = postgres.empty_database()
    try:
        for place in (url, second):
            with psycopg.connect(place, autocommit=True) as connection:
                connection.execute(f"REVOKE CONNECT ON DATABASE {postgres.name_of(place)} FROM PUBLIC".encode())
        for place in (url, url, second):
            run(place, block)
        for place in (url, second):
            query = "SELECT has_database_privilege('hansard_backup', current_database(), 'CONNECT')"
            assert rows(place, query) == [(True,)]
    finally:
        postgres.drop(second)


def test_the_application_has_exactly_the_rights_that_the_statements_need(prepared: str) -> None:
    granted = rows(
        prepared,
        # A right to one column counts too: of a name only the spelling may change.
        " UNION ".join(
            f"SELECT privilege_type, table_name FROM information_schema.{view}"
            f" WHERE table_schema = 'hansard' AND grantee = '{APPLICATION}'"
            for view in ("role_table_grants", "role_column_grants")
        ),
    )
    tables = rows(prepared, "SELECT tablename FROM pg_tables WHERE schemaname = 'hansard'")
    reading = {("SELECT", table) for (table,) in tables}

    assert {one for one in granted if one[0] != "MAINTAIN"} == needed_rights() | reading


def test_the_application_may_vacuum_exactly_what_forgetting_cleans(prepared: str) -> None:
    query = (
        "SELECT relname FROM pg_class WHERE relnamespace = 'hansard'::regnamespace AND relkind = 'r'"
        f" AND has_table_privilege('{APPLICATION}', oid, 'MAINTAIN')"
    )

    assert {table for (table,) in rows(prepared, query)} == set(store._CLEANED.split(", "))


def test_partitions_keep_every_row_and_every_rule(prepared: str) -> None:
    tables = ("memories", "memory_tags", "units", "vectors", "revisions", "events", "retrievals", "ratings")
    before = {table: sorted(map(repr, rows(prepared, f"TABLE hansard.{table}"))) for table in tables}
    rules = (
        "SELECT conname, contype, replace(pg_get_constraintdef(oid), 'hansard.', '') FROM pg_constraint"
        " WHERE connamespace = 'hansard'::regnamespace AND conparentid = 0 AND contype IN ('p', 'u', 'f', 'c')"
        " AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = conrelid) ORDER BY 1, 3"
    )
    indexes = (
        "SELECT c.relname, pg_get_indexdef(c.oid) FROM pg_class c WHERE c.relnamespace = 'hansard'::regnamespace"
        " AND c.relkind IN ('i', 'I') AND NOT c.relispartition ORDER BY 1"
    )
    kept = rows(prepared, rules), [one[0] for one in rows(prepared, indexes)]
    for _ in range(2):
        run(prepared, recipe("partitions"))
    run(prepared, recipe("grants"))
    run(prepared, recipe("row_security_on"))

    assert {table: sorted(map(repr, rows(prepared, f"TABLE hansard.{table}"))) for table in tables} == before
    assert (rows(prepared, rules), [one[0] for one in rows(prepared, indexes)]) == kept
    partitioned = rows(prepared, "SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r'")
    assert partitioned == [(16 * len(tables),)]
    with opened(prepared) as hansard:
        project = hansard.project("shop")
        memory = project.remember("Written to a partition.", agent="tank", tags=["a"])
        assert project.recall("partition", agent="tank")
        project.forget(memory.id, agent="tank")
        assert project.verify().ok
    with psycopg.connect(prepared) as connection, pytest.raises(psycopg.IntegrityError, match="never deleted"):
        connection.execute("DELETE FROM hansard.events")


def test_forgetting_cleans_only_the_partitions_of_the_project(prepared: str) -> None:
    split = ("memories", "memory_tags", "units", "vectors", "revisions", "retrievals", "ratings")
    run(prepared, recipe("partitions"))
    run(prepared, recipe("grants"))
    with opened(prepared) as hansard:
        project = hansard.project("shop")
        memory = project.remember("Soon forgotten.", agent="tank", tags=["a"])
        before = set(rows(prepared, "SELECT relid FROM pg_stat_user_tables WHERE last_vacuum IS NOT NULL"))
        where = rows(prepared, f"SELECT tableoid::regclass::text FROM hansard.memories WHERE id = '{memory.id}'")
        project.forget(memory.id, agent="tank")
        assert rows(prepared, "SELECT sum(erasing) FROM hansard.heads") == [(0,)]
    cleaned = rows(
        prepared, "SELECT relid, relid::regclass::text FROM pg_stat_user_tables WHERE last_vacuum IS NOT NULL"
    )
    names = {name.removeprefix("hansard.") for relid, name in cleaned if (relid,) not in before}
    piece = where[0][0].rpartition("_")[2]
    assert {name for name in names if name.startswith(split)} == {f"{table}_{piece}" for table in split}


def test_partitioning_under_row_security_is_refused_and_loses_nothing(prepared: str) -> None:
    before = rows(prepared, "SELECT count(*) FROM hansard.events")
    run(prepared, recipe("row_security_on"))
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        run(prepared, recipe("partitions"))

    assert rows(prepared, "SELECT count(*) FROM hansard.events") == before


def test_what_the_guide_says_of_replicas_holds_where_nothing_can_be_written(prepared: str) -> None:
    with opened(prepared + READ_ONLY) as hansard:
        project = hansard.project("shop")
        block = project.compile(agent="tank")
        assert block is not None
        assert "One place for data." in block.text
        assert project.recall("token", agent="tank")
        assert project.list_memories().items
        assert project.list_inbox(status="all").items
        assert project.verify().ok
        kept = project.compile(agent="tank", keep=True)
        assert kept is not None
        assert (kept.text, kept.receipt.id) == (block.text, None)
        assert any("The receipt could not be kept" in note for note in kept.receipt.notes)
        with pytest.raises(StoreUnwritable):
            project.remember("Nowhere to go.", agent="tank")
        with pytest.raises(StoreUnwritable):
            project.use_memory(project.list_memories().items[0].id, agent="tank")
