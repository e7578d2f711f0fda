"""A server that takes questions and does not answer, and a writer that stands still: nobody waits for ever."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from hansard import Hansard
from hansard.domain.errors import StoreBusy, StoreUnreachable
from hansard.domain.vocabulary import Role
from hansard.project import Project
from hansard.settings import Settings
from hansard.store.postgres import connection
from hansard.store.postgres.line import LASTING, Line, hosts_of, lasting
from support.raw import everything
from support.silence import network

BUSY_SECONDS = 2.0
LONG_BUSY_SECONDS = 6.0
SECONDS_MAX = 12.0
"""An idle connection, a new one, and a machine that has other things to do."""
CALLS: dict[str, Callable[[Project], object]] = {
    "remember": lambda project: project.remember("Walruses dive.", agent="tank"),
    "recall": lambda project: project.recall("otters", agent="tank"),
    "list": lambda project: project.list_decisions(),
    "follow": lambda project: list(project.follow(idle_seconds=0.5)),
}


@pytest.fixture
def engine() -> str:
    """All of this is about one engine."""
    return "postgres"


@pytest.mark.parametrize("call", CALLS)
def test_a_call_to_a_silent_server_ends_soon_and_the_next_one_works_again(
    project: Project, target: str, call: str
) -> None:
    project.remember("Otters swim.", agent="tank")
    settings = Settings(user="ana", store_busy_seconds=BUSY_SECONDS)
    with network() as net, Hansard.open(net.address(target), settings=settings) as far:
        remote = far.project("shop")
        CALLS["recall"](remote)
        net.carries.clear()
        begun = time.monotonic()
        with pytest.raises(StoreUnreachable):
            CALLS[call](remote)
        assert time.monotonic() - begun < SECONDS_MAX
        net.carries.set()
        CALLS[call](remote)


@pytest.mark.parametrize("hosts", [1, 2])
def test_an_idle_connection_and_a_new_one_that_are_silent_share_one_time(
    project: Project, target: str, hosts: int
) -> None:
    project.remember("Otters swim.", agent="tank")
    settings = Settings(user="ana", store_busy_seconds=LONG_BUSY_SECONDS)
    with network() as net, Hansard.open(net.address(target, hosts), settings=settings) as far:
        remote = far.project("shop")
        remote.list_memories()
        net.carries.clear()
        begun = time.monotonic()
        with pytest.raises(StoreUnreachable):
            remote.list_memories()
        assert time.monotonic() - begun < LONG_BUSY_SECONDS + 1.0


def test_an_idle_connection_that_the_network_dropped_is_replaced_within_the_same_call(
    project: Project, target: str
) -> None:
    project.remember("Otters swim.", agent="tank")
    settings = Settings(user="ana", store_busy_seconds=12.0)
    with network() as net, Hansard.open(net.address(target), settings=settings) as far:
        remote = far.project("shop")
        assert remote.list_memories(agent="tank").items
        net.carries.clear()
        # Within the patience for a new connection, and after that for an idle one.
        timer = threading.Timer(5.0, net.carries.set)
        timer.start()
        assert remote.list_memories(agent="tank").items
        timer.join()


def test_an_answer_in_time_is_no_silence(target: str) -> None:
    with Line.connect(target, autocommit=True) as line, line.within(20.0):
        assert line.execute("SELECT 1 FROM pg_sleep(0.3)").fetchone() == (1,)


def test_silence_is_told_as_a_lost_connection(target: str) -> None:
    with Line.connect(target, autocommit=True) as line:
        with pytest.raises(psycopg.OperationalError, match="silent"), line.within(0.2):
            line.execute("SELECT pg_sleep(20)")
        line.close()


def test_what_keeps_a_line_alive_is_set_unless_the_address_says_otherwise() -> None:
    plain = conninfo_to_dict(lasting("postgresql://ana:s%20x@db.example/team?sslmode=require"))
    assert {name: int(str(plain[name])) for name in LASTING} == LASTING
    assert (plain["password"], plain["sslmode"]) == ("s x", "require")
    own = conninfo_to_dict(lasting("postgresql://db.example/team?tcp_user_timeout=0&keepalives_idle=99"))
    assert (own["tcp_user_timeout"], own["keepalives_idle"], own["keepalives_count"]) == ("0", "99", "3")


def test_hosts_are_counted_wherever_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hosts_of("postgresql:///team") == 1
    assert hosts_of("postgresql://db1.example:5432,db2.example:5433/team") == 2
    assert hosts_of("host=db1.example,db2.example hostaddr=192.0.2.1,192.0.2.2,192.0.2.3") == 3
    monkeypatch.setenv("PGHOST", "db1.example,db2.example")
    assert hosts_of("postgresql:///team") == 2


def stand_still(hansard: Hansard, project: Project, other: Hansard) -> None:
    """Begins to write, does nothing until the server has sent the writer away, and goes on then."""
    with hansard.store.write(project.id) as tx:
        tx.actors.register("mule", Role.AGENT)
        other.project("shop").remember("Otters swim.", agent="tank")
        tx.actors.register("late", Role.AGENT)


def test_a_writer_that_stands_still_frees_its_project_and_leaves_nothing(
    hansard: Hansard, project: Project, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "WRITER_IDLE_SECONDS_MAX", 0.5)
    patient = Settings(user="ana", store_busy_seconds=20.0)
    with Hansard.open(target, settings=patient) as other, pytest.raises((StoreBusy, StoreUnreachable)):
        stand_still(hansard, project, other)
    assert {"mule", "late"}.isdisjoint(row[1] for row in everything(target)["actors"])
    assert [one.content for one in project.list_memories(agent="tank").items] == ["Otters swim."]
    project.remember("Walruses dive.", agent="tank")
    assert project.verify().ok


def test_what_the_driver_says_of_a_line_that_it_gives_up_reaches_no_terminal() -> None:
    program = (
        "import logging, hansard.store.postgres.line\n"
        "logging.getLogger('psycopg').warning('error ignored terminating (host=db user=admin)')"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert ran.stderr == ""
