"""Checks that the schema is the sum of its migrations, and that every row belongs to a project."""

import re

import apsw
import pytest

from hansard.store.sqlite.migrate import SCHEMA_VERSION, migrations
from house.reference import pages
from house.source import PACKAGE, ROOT

OTHER_FIRST_COLUMN = {
    "projects": ("id", "the project itself"),
    "memories": ("seq", "the row number that full-text and vector indexes refer to; it never leaves the file"),
}
"""Tables whose first column is not `project_id`, and why."""

GLOBAL_KEYS = {
    ("projects", ("id",)): "the project itself",
    ("projects", ("key",)): "no spelling of a key may open a second project",
    ("memories", ("seq",)): "the row number that full-text and vector indexes refer to",
}
"""Unique keys without the project, and why. A sharded schema has none of them but the first two."""


def replayed() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    for _, sql in migrations():
        connection.execute(sql)
    return connection


def tables() -> list[str]:
    return [
        str(row[0])
        for row in replayed().execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
    ]


def columns(table: str) -> list[str]:
    return [str(row[1]) for row in replayed().execute(f"PRAGMA table_info({table})")]


def unique_keys(table: str) -> set[tuple[str, ...]]:
    connection = replayed()
    primary = [(row[5], row[1]) for row in connection.execute(f"PRAGMA table_info({table})") if row[5]]
    keys = {tuple(str(name) for _, name in sorted(primary))} if primary else set()
    for row in connection.execute(f"PRAGMA index_list({table})").fetchall():
        if row[2]:
            keys.add(tuple(str(one[2]) for one in connection.execute(f"PRAGMA index_info({row[1]})")))
    return keys


def test_the_written_schema_is_what_the_migrations_make() -> None:
    file = PACKAGE / "store" / "sqlite" / "schema.sql"

    assert file.read_text(encoding="utf-8") == pages()[file.relative_to(ROOT)], "run `make reference`"


def test_the_written_schema_makes_the_same_database_as_the_migrations() -> None:
    listing = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    written = apsw.Connection(":memory:")
    written.execute((PACKAGE / "store" / "sqlite" / "schema.sql").read_text(encoding="utf-8"))

    assert written.execute(listing).fetchall() == replayed().execute(listing).fetchall()


def lookups() -> list[tuple[str, str]]:
    """Every question that a trigger asks of a table, with the trigger's name."""
    found = replayed().execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    return [(str(name), one) for name, sql in found for one in re.findall(r"\((SELECT .+? FROM .+?)\)", str(sql))]


@pytest.mark.parametrize(("trigger", "lookup"), lookups())
def test_a_trigger_finds_what_it_asks_for_by_a_whole_key(trigger: str, lookup: str) -> None:
    asked = re.sub(r"NEW\.\w+", "''", lookup)
    (plan,) = [str(row[3]) for row in replayed().execute(f"EXPLAIN QUERY PLAN {asked}")]
    compared = [part.split("=")[0].strip() for part in lookup.split(" WHERE ")[1].split(" AND ")]

    assert plan.startswith("SEARCH"), trigger
    assert plan.endswith(f"({' AND '.join(f'{one}=?' for one in compared)})"), trigger


def test_every_key_of_a_proposal_is_looked_up_before_an_insert() -> None:
    asked = {lookup.split(" AND ")[-1] for trigger, lookup in lookups() if trigger == "inbox_is_never_replaced"}

    assert asked == {"id = NEW.id", "slug = NEW.slug", "number = NEW.number"}


def test_migrations_are_numbered_without_a_gap() -> None:
    numbers = [number for number, _ in migrations()]

    assert numbers == list(range(1, len(numbers) + 1))


def test_the_schema_version_is_the_newest_migration() -> None:
    assert migrations()[-1][0] == SCHEMA_VERSION


@pytest.mark.parametrize("table", tables())
def test_every_table_leads_with_its_project(table: str) -> None:
    expected, _ = OTHER_FIRST_COLUMN.get(table, ("project_id", ""))

    assert columns(table)[0] == expected


@pytest.mark.parametrize("table", [table for table in tables() if table != "projects"])
def test_every_table_names_its_project(table: str) -> None:
    assert "project_id" in columns(table)


@pytest.mark.parametrize("table", tables())
def test_every_unique_key_contains_the_project(table: str) -> None:
    wrong = {key for key in unique_keys(table) if "project_id" not in key and (table, key) not in GLOBAL_KEYS}

    assert wrong == set()


@pytest.mark.parametrize(("table", "key"), GLOBAL_KEYS)
def test_every_key_without_a_project_still_exists(table: str, key: tuple[str, ...]) -> None:
    assert key in unique_keys(table)


@pytest.mark.parametrize("table", OTHER_FIRST_COLUMN)
def test_every_table_with_another_first_column_still_exists(table: str) -> None:
    assert table in tables()


@pytest.mark.parametrize("table", tables())
def test_every_table_is_strict_about_types(table: str) -> None:
    strict = replayed().execute("SELECT strict FROM pragma_table_list WHERE name = ?", (table,)).get

    assert strict == 1
