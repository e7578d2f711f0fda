"""Many rows at once: all of them, in their order, however many a statement takes."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

import psycopg
import pytest

from hansard.project import Project
from hansard.store.postgres.rows import VALUES_MAX, execute_all

UNIT_COLUMNS = 7
WIDE = VALUES_MAX // UNIT_COLUMNS
"""How many units go into one statement."""


@pytest.mark.parametrize("count", [1, WIDE - 1, WIDE, 2 * WIDE + 3])
def test_every_memory_of_a_batch_is_stored_and_found(project: Project, count: int) -> None:
    noted: list[dict[str, Any]] = [
        {"content": f"Parcel {place} lies in bay {place}.", "agent": "tank", "tags": [f"p{place}"]}
        for place in range(count)
    ]
    made = project.remember_many(noted)

    assert [one.content for one in made] == [one["content"] for one in noted]
    assert project.verify().ok
    assert len(project.recall("parcel", agent="tank", limit=50)) == min(count, 50)
    for place in {0, count // 2, count - 1}:
        assert project.get_memory(made[place].id).content == noted[place]["content"]
        assert [one.id for one in project.list_memories(tags=[f"p{place}"]).items] == [made[place].id]


class Counting:
    """Notes which statements would be run, with how many values; its own connection, which sends nothing."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, int]] = []
        self.connection = self

    def pipeline(self) -> AbstractContextManager[None]:
        return nullcontext()

    def execute(self, query: str, params: Sequence[Any], *, prepare: bool) -> None:
        assert not prepare, "the server would keep one for each order of numbers and none"
        self.ran.append((query, len(params)))

    def executemany(self, query: str, params_seq: Iterable[Sequence[Any]]) -> None:
        self.ran += [(query, len(row)) for row in params_seq]


def ran(sql: str, rows: Sequence[tuple[int, ...]]) -> list[tuple[str, int]]:
    cursor = Counting()
    execute_all(cast("psycopg.Cursor[Any]", cursor), sql, iter(rows))
    return cursor.ran


def test_inserts_go_many_to_a_statement_and_the_rest_one_by_one() -> None:
    wide = VALUES_MAX // 2
    told = ran("INSERT INTO a (b, c)\nVALUES (?, ?)", [(1, 2)] * (2 * wide + 2))

    assert [size for _, size in told] == [VALUES_MAX, VALUES_MAX, 2, 2]
    assert told[0][0].startswith("INSERT INTO a (b, c)\nVALUES ($1, $2), ($3, $4), ")
    assert told[0][0].endswith(f"(${VALUES_MAX - 1}, ${VALUES_MAX})")
    assert told[-1][0] == "INSERT INTO a (b, c)\nVALUES ($1, $2)"


@pytest.mark.parametrize(
    "sql",
    ["UPDATE a SET b = ? WHERE c = ?", "INSERT INTO a VALUES (?, ?) ON CONFLICT (b) DO UPDATE SET c = excluded.c"],
)
def test_other_statements_are_run_for_each_row(sql: str) -> None:
    assert [size for _, size in ran(sql, [(1, 2)] * VALUES_MAX)] == [2] * VALUES_MAX
