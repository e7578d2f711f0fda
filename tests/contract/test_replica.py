"""A replica: what only reads works there as on the server it follows, and what writes is told where to go."""

import logging
import queue
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from hansard import Hansard
from hansard.domain.actors import Actor
from hansard.domain.errors import StoreUnwritable, UnknownStore
from hansard.interfaces.mcp.refusals import refusal_of
from hansard.project import Project
from hansard.services import grant
from hansard.settings import Settings
from support import postgres
from support.raw import raw
from support.rest import Server
from support.servers import catch_up, standby

ME = Settings(user="ana")
IDLE_SECONDS = 5.0
TOKEN = "The token expires after an hour."


class Pair(NamedTuple):
    """A server and its replica."""

    primary: Any
    replica: Any

    @property
    def address(self) -> str:
        return postgres.address("postgres", self.replica)

    def catch_up(self) -> None:
        catch_up(self.primary, self.replica)


@pytest.fixture
def engine() -> str:
    """All of this is about one engine."""
    return "postgres"


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with postgres.private_folder() as folder:
        primary = postgres.start(folder)
        with standby(primary) as replica:
            yield Pair(primary, replica)
        primary.stop()


@pytest.fixture
def shop(pair: Pair) -> Iterator[Project]:
    """A project on the primary, which the replica has too."""
    with Hansard.open(postgres.address("postgres", pair.primary), settings=ME) as hansard:
        project = hansard.project("shop", create=True)
        project.remember(TOKEN, agent="tank", force=True)
        project.decide(type="scope", title="One place", content="All data lives in one place.")
        hansard.shelf.flush(project.id)
        pair.catch_up()
        yield project


def test_an_empty_replica_is_no_store_and_nothing_is_made_in_it(pair: Pair) -> None:
    with postgres.admin(pair.primary) as connection:
        connection.execute("CREATE DATABASE nothing")
    pair.catch_up()
    url = postgres.address("nothing", pair.replica)
    with pytest.raises(UnknownStore, match="Run `hansard init` first"):
        Hansard.open(url, settings=ME, must_exist=True)
    with pytest.raises(StoreUnwritable, match="it is a replica, or set to read only"):
        Hansard.open(url, settings=ME)


def test_what_only_reads_answers_as_the_primary_does(
    shop: Project, pair: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, logger="hansard")
    with Hansard.open(pair.address, settings=ME, must_exist=True) as hansard:
        project = hansard.project("shop")
        here, there = project.compile(agent="tank"), shop.compile(agent="tank")
        assert here is not None
        assert there is not None
        assert (here.text, here.receipt.lines) == (there.text, there.receipt.lines)
        assert project.recall("token", agent="tank")[0].memory.content == TOKEN
        assert project.list_memories() == shop.list_memories()
        assert project.list_decisions() == shop.list_decisions()
        assert project.list_events() == shop.list_events()
        assert project.verify().ok
    # What was surfaced cannot be logged here; that is said and keeps nobody from the answer.
    assert "replica" in caplog.text


def test_what_writes_says_that_this_is_a_replica_and_changes_nothing(shop: Project, pair: Pair) -> None:
    with Hansard.open(pair.address, settings=ME) as hansard:
        project = hansard.project("shop")
        memory = project.list_memories().items[0]
        for write in (
            lambda: project.remember("Nowhere to go.", agent="tank"),
            lambda: project.use_memory(memory.id, agent="tank"),
            lambda: project.propose(agent="tank", slug="a", type="scope", content="c"),
            lambda: hansard.project("bank", create=True),
        ):
            with pytest.raises(StoreUnwritable, match=r"it is a replica, or set to read only.*write to the primary"):
                write()
    assert [one.content for one in shop.list_memories(text="Nowhere").items] == []


def test_over_rest_and_mcp_a_replica_says_that_it_is_one_and_not_where_it_is(shop: Project, pair: Pair) -> None:
    _, token = grant.grant(shop.seat().store, Actor("ana", "human"), agent="tank", role="agent", projects=["shop"])
    pair.catch_up()
    said = (
        "The database takes no writes: it is a replica, or set to read only. Nothing was changed; write to the primary."
    )
    with Hansard.open(pair.address, settings=ME) as hansard:
        client = Server(hansard).stranger(token)
        refused = client.post("/memories", {"content": "Nowhere to go."})
        assert (refused.status, refused.json["code"], refused.json["detail"]) == (503, "store.unwritable", said)
        # There is no use in trying again.
        assert "retry-after" not in refused.headers
        assert client.get("/memories").status == 200
        with pytest.raises(StoreUnwritable) as raised:
            hansard.project("shop").remember("Nowhere to go.", agent="tank")
    told = refusal_of(raised.value, abroad=True)
    assert (told.code, told.message) == ("store.unwritable", said)
    assert told.hint.startswith("Do not try again.")


def test_an_older_replica_is_migrated_by_the_owner_on_the_primary(shop: Project, pair: Pair) -> None:
    assert shop.key == "shop"
    with raw(postgres.address("postgres", pair.primary)) as connection:
        connection.execute("UPDATE schema_version SET version = version - 1")
        pair.catch_up()
        try:
            with pytest.raises(StoreUnwritable, match=r"nothing can be migrated on a replica.* on the primary"):
                Hansard.open(pair.address, settings=ME)
        finally:
            connection.execute("UPDATE schema_version SET version = version + 1")
    pair.catch_up()
    Hansard.open(pair.address, settings=ME).close()


def test_an_erasure_that_is_left_to_do_keeps_no_reader_of_a_replica_out(shop: Project, pair: Pair) -> None:
    with raw(postgres.address("postgres", pair.primary)) as connection:
        connection.execute("UPDATE heads SET erasing = 1")
    pair.catch_up()
    with Hansard.open(pair.address, settings=ME) as hansard:
        assert hansard.project("shop").list_memories().items


def test_a_follower_of_a_replica_is_told_what_arrives_there(shop: Project, pair: Pair) -> None:
    told: queue.Queue[int] = queue.Queue()
    with Hansard.open(pair.address, settings=ME) as hansard:
        seen = hansard.project("shop").list_events(limit=1).items[0].seq

        def follow() -> None:
            for one in hansard.project("shop").follow(since=seen, idle_seconds=IDLE_SECONDS):
                told.put(one.seq)

        follower = threading.Thread(target=follow)
        follower.start()
        shop.remember("It is on its way.", agent="tank")
        assert told.get(timeout=60) == seen + 1
        follower.join()
