"""An older server: everything that has a statement of its own works on PostgreSQL 16 too."""

from pathlib import Path

import pytest

from hansard import Hansard
from hansard.services.transfer import Proven
from hansard.settings import Settings
from support import postgres
from support.archives import fill

ME = Settings(user="ana")
OLDER = 16


@pytest.fixture
def engine() -> str:
    """All of this is about one engine."""
    return "postgres"


def test_a_project_lives_moves_and_verifies_on_an_older_server(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with postgres.private_folder() as folder:
        server = postgres.start(folder, OLDER)
        with Hansard.open(postgres.address("postgres", server), settings=ME) as hansard:
            project = fill(hansard, "shop", tmp_path / "work")
            assert project.recall("hangar", agent="tank")
            assert project.compile(agent="tank") is not None
            assert next(project.follow(since=0, idle_seconds=0.05)).seq == 1
            assert project.verify().ok
            findings = hansard.doctor(full=True)
            assert f"PostgreSQL {OLDER}." in " ".join(one.found for one in findings)
            with hansard.store.read(project.id) as tx:
                assert not tx.ledger.is_erasing()
            with Hansard.open(tmp_path / "copy.db", settings=ME) as copy:
                assert [type(one) for one in hansard.copy_to(copy)] == [Proven]
        server.stop()
