"""How SQLite finds the events of one record: the guard asks for them with every write of an agent."""

from typing import Any

from hansard.domain.paging import Window
from hansard.store.sql.ledger import SqlLedger
from hansard.store.sqlite.connection import MEMORY_PATH, SqliteConnection
from hansard.store.sqlite.migrate import migrations


class Explaining(SqliteConnection):
    """Asks for the plan of everything that would be run, and answers nothing."""

    plans: list[str]

    def execute(self, statements: str, bindings: Any = None, **options: Any) -> Any:
        self.plans += [str(row[3]) for row in super().execute(f"EXPLAIN QUERY PLAN {statements}", bindings, **options)]
        return super().execute("SELECT 1 WHERE FALSE")


def test_the_events_of_one_record_are_found_without_walking_all_of_the_project() -> None:
    connection = Explaining(MEMORY_PATH)
    for _, sql in migrations():
        SqliteConnection.execute(connection, sql)
    connection.plans = []
    SqlLedger(connection, "project", 0, 0).page(Window(1), subject_id="one")
    assert any("events_by_subject (subject_id=?)" in plan for plan in connection.plans), connection.plans
