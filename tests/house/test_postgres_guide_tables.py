"""Holds the lists of tables in docs/postgres.md, and the order of README's commands, to what the program does."""

import re

from hansard.store.postgres import migrate, store
from hansard.store.sql.tables import TABLES
from house.source import ROOT
from house.test_postgres_guide import GUIDE, needed_rights

EVERY = {*TABLES, "idempotency_keys"}
ACROSS_PROJECTS = {"projects", "project_roots", "tokens"}
"""Tables in which something is looked for without a project."""
RIGHTS = {"insert": "INSERT", "update": "UPDATE", "change the name": "UPDATE", "delete": "DELETE"}


def section(title: str) -> str:
    return GUIDE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def names(text: str) -> list[str]:
    return re.findall(r"\b[a-z_]+\b", text)


def test_the_guide_rewrites_every_table_that_forgetting_cleans() -> None:
    rewritten = section("Forgetting").partition("VACUUM (FULL, ANALYZE) ")[2].partition(";")[0]

    assert re.findall(r"hansard\.([a-z_]+)", rewritten) == store._CLEANED.split(", ")


def test_the_table_of_rights_has_every_table_with_the_rights_that_its_statements_need() -> None:
    told: set[tuple[str, str]] = set()
    tables: list[str] = []
    for first, second in re.findall(r"^\| (`[^|]+) \| ([^|]+) \|", section("Roles with least rights"), re.MULTILINE):
        named = names(first)
        tables += named
        told |= {(right, table) for word, right in RIGHTS.items() if word in second for table in named}

    assert sorted(tables) == sorted({*EVERY, "schema_version"})
    assert told == needed_rights()


def test_the_citus_notes_place_every_table_once() -> None:
    notes = section("Citus")
    whole = re.findall(r"create_reference_table\('hansard\.([a-z_]+)'\)", notes)
    placed = re.findall(r"create_distributed_table\('hansard\.([a-z_]+)'", notes)
    alike = notes.partition("-- Then alike, in this order: ")[2].partition(".")[0]

    assert set(whole) == ACROSS_PROJECTS
    assert sorted([*whole, *placed, *names(alike)]) == sorted(EVERY)


def test_the_readme_copies_projects_to_a_server_before_anything_is_made_there() -> None:
    many = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## For many machines\n")[2]
    commands = [line.split()[:2] for line in many.split("```")[1].splitlines() if line.startswith("hansard ")]

    assert commands[0] == ["hansard", "migrate-store"]


def test_the_guide_names_every_table_that_does_not_begin_with_the_project() -> None:
    begun = {
        table: column
        for _, sql in migrate.migrations()
        for table, column in re.findall(r"^CREATE TABLE (\w+) \(\s*(\w+)", sql, re.MULTILINE)
    }
    others = {table for table, column in begun.items() if column != "project_id"}
    told = section("Citus").partition("the first column of every table")[2].partition(".")[0]

    assert set(begun) == EVERY
    assert others == {"projects", "memories"}
    assert others <= set(re.findall(r"`(\w+)`", told))
    assert begun["memories"] == "seq"
