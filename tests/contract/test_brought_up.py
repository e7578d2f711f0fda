"""A database of an older version is brought up to date by whoever opens it, and that is told; a doctor leaves it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import UnknownStore
from hansard.domain.findings import Severity
from hansard.settings import Settings
from hansard.store.sqlite.migrate import SCHEMA_VERSION
from support import postgres
from support.older import OLDER_VERSION, make_older_file, make_older_server
from support.raw import Raw, raw

ME = Settings(user="ana")


@pytest.fixture
def older(engine: str, tmp_path: Path) -> Iterator[str]:
    """An empty database as an earlier version made it."""
    if engine == "sqlite":
        yield make_older_file(tmp_path / "older.db")
        return
    url = postgres.empty_database()
    yield make_older_server(url)
    postgres.drop(url)


def test_a_store_tells_which_version_it_was_brought_from(older: str) -> None:
    with Hansard.open(older, settings=ME, must_exist=True) as first:
        assert first.store.brought_from == OLDER_VERSION
        first.project("shop", create=True).remember("Uploads fail above 5 MB.", agent="tank")
    with Hansard.open(older, settings=ME, must_exist=True) as again:
        assert again.store.brought_from is None


def test_a_new_store_was_brought_from_nothing_and_says_that_it_is_new(engine: str, tmp_path: Path) -> None:
    place = str(tmp_path / "new.db") if engine == "sqlite" else postgres.empty_database()
    for is_new in (True, False):
        with Hansard.open(place, settings=ME) as opened:
            assert (opened.store.brought_from, opened.store.is_new) == (None, is_new)


def version_of(connection: Raw, engine: str) -> object:
    sql = "PRAGMA user_version" if engine == "sqlite" else "SELECT version FROM schema_version"
    return connection.execute(sql).get


@pytest.mark.parametrize("full", [False, True])
def test_a_doctor_tells_of_an_older_schema_and_leaves_it_alone(older: str, engine: str, *, full: bool) -> None:
    with Hansard.open(older, settings=ME, as_is=True) as found:
        assert found.store.brought_from is None
        findings = found.doctor(full=full)
    [problem] = [one for one in findings if one.severity is Severity.PROBLEM]
    assert problem.check == "schema"
    assert f"The schema has version {OLDER_VERSION}; this Hansard needs {SCHEMA_VERSION}." in problem.found
    assert "projects were not examined" in problem.found
    assert "`hansard projects`" in problem.advice
    assert {one.check for one in findings} >= {"integrity", "permissions"}
    assert {one.project for one in findings} == {None}
    with raw(older) as connection:
        assert version_of(connection, engine) == OLDER_VERSION


def test_a_doctor_finds_what_was_altered_in_an_older_schema(older: str) -> None:
    with raw(older) as connection:
        connection.execute("DROP INDEX sessions_by_start")
    with Hansard.open(older, settings=ME, as_is=True) as found:
        told = [one.found for one in found.doctor() if one.check == "integrity" and one.severity is Severity.PROBLEM]
    assert len(told) == 1
    assert "not what they should be" in told[0]


def test_what_waits_to_be_cleaned_out_is_told_by_a_doctor_and_not_cleaned(hansard: Hansard, target: str) -> None:
    hansard.project("shop", create=True)
    with raw(target) as connection:
        connection.execute("UPDATE heads SET erasing = 1")
    with Hansard.open(target, settings=ME, as_is=True) as found:
        told = {one.check: one.severity for one in found.doctor()}
    assert told["erasures"] is Severity.WARNING
    with raw(target) as connection:
        assert connection.execute("SELECT erasing FROM heads").get == 1


def test_a_database_without_a_hansard_stays_one_when_it_is_opened_as_it_is(engine: str, tmp_path: Path) -> None:
    place = str(tmp_path / "blank.db") if engine == "sqlite" else postgres.empty_database()
    if engine == "sqlite":
        with raw(place) as connection:
            connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a); DROP TABLE t")
    for _ in range(2):
        with pytest.raises(UnknownStore):
            Hansard.open(place, settings=ME, as_is=True)
