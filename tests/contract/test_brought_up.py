"""A database of an older version is brought up to date by whoever opens it, and that can be told."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.settings import Settings
from support import postgres
from support.older import OLDER_VERSION, make_older_file, make_older_server

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


def test_a_new_store_was_brought_from_nothing(hansard: Hansard) -> None:
    assert hansard.store.brought_from is None
