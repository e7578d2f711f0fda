"""How PostgreSQL finds what belongs together in a project that is newer than what the planner knows."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pytest

from hansard import Hansard
from hansard.domain.paging import Window
from hansard.store.postgres.connection import PostgresConnection
from hansard.store.postgres.line import SCHEMA
from hansard.store.postgres.rows import PostgresRows
from hansard.store.sql.memories import SqlMemories
from hansard.store.sql.units import SqlUnits
from hansard.store.sql.usage import SqlUsage
from hansard.store.sql.vectors import SqlVectors
from support.engines import on_postgres
from support.raw import RawServer, raw

pytestmark = on_postgres
FEW = re.compile(r"a\.key = [rm]\.agent_key|t\.memory_id = m(_\d)?\.id")
"""What may be compared all with all: the names of agents, and the ratings of the ten memories of a report."""


class Explaining(PostgresConnection):
    """Asks for the plan of everything that would be run, and answers nothing."""

    plans: list[str]

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> PostgresRows:
        if sql.startswith("SELECT unindexed_from"):
            return super().execute("SELECT 1")
        self.plans.append("\n".join(row[0] for row in super().execute(f"EXPLAIN {sql}", values)))
        return super().execute("SELECT 1 WHERE FALSE")

    def stream(self, sql: str, values: Sequence[Any]) -> Iterator[Any]:
        return iter(self.execute(sql, values))


@pytest.fixture
def fresh_project_plans(hansard: Hansard, target: str) -> list[str]:
    """The plans of what joins records, in a project that was filled after the statistics were made."""
    known = [hansard.project(f"known-{number}", create=True) for number in range(3)]
    for project in known:
        project.remember_many([{"content": f"note {number}", "agent": "tank"} for number in range(200)])
        project.recall("note 7", agent="tank")
    hansard.shelf.flush_all()
    with raw(target) as server:
        server.execute("ANALYZE")
    fresh = hansard.project("fresh", create=True)
    fresh.remember_many([{"content": f"note {number}", "agent": "tank"} for number in range(200)])
    with psycopg.connect(target, autocommit=True, cursor_factory=psycopg.RawCursor) as connection:
        RawServer(connection).execute(f"SET search_path = {SCHEMA}")
        explaining = Explaining(connection, None)  # type: ignore[arg-type]
        explaining.plans = []
        project_id = fresh.seat().project.id
        list(SqlUnits(explaining, project_id).changes(0, 1))
        list(SqlUnits(explaining, project_id).changes(1, 1))
        SqlUnits(explaining, project_id).postponed(10)
        SqlUnits(explaining, project_id).standings(range(1, 31), now=1)
        SqlMemories(explaining, project_id).by_seqs(range(1, 11))
        SqlVectors(explaining, project_id).missing(1, 10)
        SqlVectors(explaining, project_id).following((0, 0), 10)
        SqlUsage(explaining, project_id).summary(since=0, reader_key=None)
        SqlUsage(explaining, project_id).retrievals(
            since=0, reader_key=None, memory_id=None, task=None, window=Window(10)
        )
    return explaining.plans


def test_no_record_of_a_fresh_project_is_compared_with_all_others(fresh_project_plans: list[str]) -> None:
    assert len(fresh_project_plans) >= 12
    for plan in fresh_project_plans:
        compared = [line.strip() for line in plan.splitlines() if "Join Filter" in line]
        assert [line for line in compared if not FEW.search(line)] == [], plan


def test_memories_of_a_fresh_project_are_found_by_their_numbers(fresh_project_plans: list[str]) -> None:
    found = [plan for plan in fresh_project_plans if "unnest" in plan]
    assert len(found) == 2
    for plan in found:
        assert re.search(
            r"Index Scan using memories_pkey.*\n *Index Cond: \(\(project_id = .* AND \(seq = w\.seq\)\)", plan
        ), plan
