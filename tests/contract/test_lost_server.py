"""A lost server: what was not confirmed leaves nothing, and the next call finds it again by itself."""

import logging
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hansard import Hansard
from hansard.domain.errors import StoreUnreachable
from hansard.domain.vocabulary import Role
from hansard.project import Project
from hansard.settings import Settings
from support import postgres
from support.marks import invariant
from support.processes import started
from support.raw import everything, mend, raw

ME = Settings(user="ana")
IMPATIENT = Settings(user="ana", store_busy_seconds=0.0)
PATIENT = Settings(user="ana", store_busy_seconds=60.0)
WAKING_SECONDS_MAX = 10
TERMINATION_MILLISECONDS_MAX = 10_000


@pytest.fixture
def engine() -> str:
    """All of this is about one engine."""
    return "postgres"


@pytest.fixture
def lost(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING, logger="hansard")
    return caplog


@pytest.fixture(scope="module")
def own() -> Iterator[Any]:
    """A server that a test may stop. What it acknowledged it has written to its disk."""
    with postgres.private_folder() as folder:
        server = postgres.start(folder)
        yield server
        server.stop()


def terminate(url: str) -> None:
    """Ends every connection to the database, as a restart of the server does."""
    with postgres.admin() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, %s) FROM pg_stat_activity WHERE datname = %s",
            (TERMINATION_MILLISECONDS_MAX, postgres.name_of(url)),
        )


def lets_in(server: Any) -> bool:
    try:
        postgres.admin(server).close()
    except psycopg.OperationalError:
        return False
    return True


def told(log: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in log.records if record.name == "hansard"]


def assert_lost_and_found(log: pytest.LogCaptureFixture) -> None:
    gone, back = told(log)
    assert "does not answer; trying again." in gone
    assert "answers again after" in back


def test_the_next_call_after_a_restart_succeeds_by_itself_and_nothing_is_told(
    hansard: Hansard, project: Project, target: str, lost: pytest.LogCaptureFixture
) -> None:
    with ExitStack() as held:
        for _ in range(5):
            held.enter_context(hansard.store.read(project.id))
    terminate(target)
    assert project.remember("x", agent="tank").content == "x"
    assert len(project.list_memories().items) == 1
    assert told(lost) == []


def test_a_read_that_is_interrupted_says_so_and_the_next_one_succeeds(
    hansard: Hansard, project: Project, target: str, lost: pytest.LogCaptureFixture
) -> None:
    def read() -> None:
        with hansard.store.read(project.id) as tx:
            terminate(target)
            tx.projects.all()

    with pytest.raises(StoreUnreachable, match="does not answer"):
        read()
    assert [one.key for one in hansard.projects()] == ["shop"]
    assert_lost_and_found(lost)


def test_a_write_that_is_interrupted_leaves_nothing(hansard: Hansard, project: Project, target: str) -> None:
    def write() -> None:
        with hansard.store.write(project.id) as tx:
            tx.actors.register("somebody", Role.AGENT)
            terminate(target)

    before = everything(target)
    with pytest.raises(StoreUnreachable, match="may be missing"):
        write()
    assert everything(target) == before
    assert project.remember("x", agent="tank").content == "x"
    assert project.verify().ok


@pytest.mark.parametrize(
    "moment",
    [
        "TRIGGER sabotage BEFORE INSERT ON decisions",
        "TRIGGER sabotage AFTER INSERT ON events",
        "CONSTRAINT TRIGGER sabotage AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED",
    ],
    ids=["in the middle", "at the end", "at the commit"],
)
def test_a_promotion_whose_server_is_lost_leaves_nothing(target: str, project: Project, moment: str) -> None:
    entry = project.propose(agent="tank", slug="a", type="learning", content="c", tags="x")
    before = everything(target)
    with raw(target) as connection:
        connection.execute(
            "CREATE FUNCTION die() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN"
            " PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;"
            f" CREATE {moment} FOR EACH ROW EXECUTE FUNCTION die()"
        )
    with pytest.raises(StoreUnreachable, match="What was not confirmed may be missing"):
        project.merge(entry.id, by="ana")
    assert everything(target) == before
    mend(target)
    assert project.merge(entry.id, by="ana").number == 1
    assert project.verify().ok


def test_a_server_that_stops_and_starts_is_waited_for_and_found_again(lost: pytest.LogCaptureFixture, own: Any) -> None:
    url = postgres.address("postgres", own)
    with (
        Hansard.open(url, settings=PATIENT) as patient,
        Hansard.open(url, settings=IMPATIENT) as impatient,
    ):
        project = patient.project("shop", create=True)
        own.stop()
        with pytest.raises(StoreUnreachable, match="cannot be reached"):
            impatient.project("shop")
        assert len(told(lost)) == 1
        waiting = threading.Thread(target=project.remember, args=("while it was away",), kwargs={"agent": "tank"})
        waiting.start()
        own.start()
        waiting.join()
        assert [one.content for one in project.list_memories().items] == ["while it was away"]
        assert impatient.project("shop").remember("and after", agent="tank").content == "and after"
        assert project.verify().ok
    assert [("answers again" in one) for one in told(lost)].count(True) == 2


@invariant("INV-22")
def test_a_server_that_crashes_keeps_what_it_acknowledged(own: Any) -> None:
    url = postgres.address("postgres", own)
    with Hansard.open(url, settings=ME) as hansard:
        project = hansard.project("crash", create=True)
        made = [project.remember(f"memory {number}", agent="tank").id for number in range(20)]
        with postgres.admin(own) as connection, postgres.admin(own) as witness:
            # One process that dies takes all connections with it, and the server recovers from its log.
            os.kill(connection.info.backend_pid, signal.SIGKILL)
            with suppress(psycopg.OperationalError):
                while True:
                    witness.execute("SELECT 1")
        # It lets nobody in before all that were connected are gone.
        while not lets_in(own):
            pass
        made.append(project.remember("and after", agent="tank").id)
        assert sorted(one.id for one in project.list_memories().items) == sorted(made)
        assert project.verify().ok


def test_whoever_waits_for_a_server_is_woken_when_the_process_is_about_to_end(
    own: Any, lost: pytest.LogCaptureFixture
) -> None:
    url = postgres.address("postgres", own)
    with Hansard.open(url, settings=PATIENT) as hansard, ThreadPoolExecutor(1) as pool:
        project = hansard.project("ends", create=True)
        own.stop()
        try:
            waiting = pool.submit(project.list_memories)
            while "trying again" not in lost.text:
                assert not waiting.done()
            hansard.store.stop_waiting()
            with pytest.raises(StoreUnreachable):
                waiting.result(WAKING_SECONDS_MAX)
        finally:
            own.start()


def test_hansard_serve_ends_soon_though_its_server_is_away(
    own: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANSARD_STORE_BUSY_SECONDS", str(PATIENT.store_busy_seconds))
    url = postgres.address("postgres", own)
    with Hansard.open(url, settings=ME) as hansard:
        hansard.project("served", create=True, root=str(tmp_path))
    process = started("hansard", "--db", url, "serve", "--port", "0", "--json")
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        own.stop()
        try:
            # The server's own work is waiting when the signal comes.
            assert process.stderr is not None
            while "trying again" not in process.stderr.readline():
                pass
            process.send_signal(signal.SIGTERM)
            _, log = process.communicate(timeout=WAKING_SECONDS_MAX)
        finally:
            own.start()
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0, log
