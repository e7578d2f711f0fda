"""A file that another process makes a database of while this one looks at it is nobody else's database."""

from pathlib import Path

import apsw
import pytest

from hansard.store.sqlite.connection import Database
from hansard.store.sqlite.migrate import SCHEMA_VERSION, prepare, version

STATEMENTS_MAX = 3


@pytest.mark.parametrize("statement", range(STATEMENTS_MAX))
def test_a_schema_that_appears_between_two_looks_is_not_taken_for_another_programs(
    tmp_path: Path, statement: int
) -> None:
    path = str(tmp_path / "hansard.db")
    connection = apsw.Connection(path)
    seen = 0

    def other_process(*_: object) -> bool:
        nonlocal seen
        if seen == statement:
            other = Database(path, busy_seconds=1)
            prepare(other)
            other.close()
        seen += 1
        return True

    connection.exec_trace = other_process
    assert version(connection, path) in {0, SCHEMA_VERSION}
    connection.exec_trace = None
    assert version(connection, path) in {0, SCHEMA_VERSION}
