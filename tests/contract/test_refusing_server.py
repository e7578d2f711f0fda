"""A server that answers, and says no: that is no outage, whatever its reason, and damage is told as damage."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import HansardError, StoreBusy, StoreCorrupt, StoreFull, StoreUnreachable, Unavailable
from hansard.domain.findings import Severity
from hansard.project import Project
from hansard.settings import Settings
from support.faltering import faltering
from support.raw import everything, raw

ME = Settings(user="ana")
IMPATIENT = Settings(user="ana", store_busy_seconds=0.0)
CRAMPED = "options=-c%20temp_file_limit%3D0%20-c%20work_mem%3D64"
REFUSED: dict[str, type[HansardError]] = {
    "0A000": Unavailable,
    "2F005": Unavailable,
    "40002": StoreBusy,
    "53000": StoreFull,
    "53400": StoreFull,
    "54001": Unavailable,
    "55000": Unavailable,
    "55006": StoreBusy,
    "57000": Unavailable,
    "58000": StoreCorrupt,
    "58030": StoreCorrupt,
    "58P01": StoreCorrupt,
    "58P02": StoreCorrupt,
    "72000": StoreBusy,
    "HV000": Unavailable,
    "XX000": StoreCorrupt,
    "XX001": StoreCorrupt,
    "XX002": StoreCorrupt,
    "ZZ999": Unavailable,
}
LOST = ("08000", "08006", "08P01", "57P01", "57P02", "57P03", "57P04", "57P05")


@pytest.fixture
def engine() -> str:
    """All of this is about one engine."""
    return "postgres"


@contextmanager
def lost_file(target: str, table: str) -> Iterator[str]:
    """Takes the file of a table away from the server, as a broken disk does; its name on the server."""
    with raw(target) as connection:
        connection.execute("CHECKPOINT")
        name = str(connection.execute(f"SELECT pg_relation_filepath('{table}')").get)
        folder = Path(str(connection.execute("SHOW data_directory").get))
    taken = folder / f"{name}.gone"
    (folder / name).rename(taken)
    try:
        yield name
    finally:
        taken.rename(folder / name)


def sabotage(target: str, code: str) -> None:
    with raw(target) as connection:
        connection.execute(
            "CREATE OR REPLACE FUNCTION fail() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN"
            f" RAISE EXCEPTION 'something' USING ERRCODE = '{code}'; END $$;"
            " CREATE OR REPLACE TRIGGER sabotage BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION fail()"
        )


@pytest.mark.parametrize("code", REFUSED)
def test_what_a_server_that_answers_refuses_is_no_outage(
    target: str, project: Project, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = everything(target)
    sabotage(target, code)
    with pytest.raises(REFUSED[code]) as caught:
        project.remember("x", agent="tank")
    assert type(caught.value) is REFUSED[code]
    assert "does not answer" not in caught.value.message
    assert "does not answer" not in caught.value.told_abroad
    assert caplog.text == ""
    assert everything(target) == before


@pytest.mark.parametrize("code", LOST)
def test_what_a_server_says_that_goes_away_is_an_outage(
    target: str, project: Project, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    sabotage(target, code)
    with pytest.raises(StoreUnreachable, match="does not answer"):
        project.remember("x", agent="tank")
    assert "does not answer; trying again." in caplog.text


def test_a_limit_of_the_server_is_told_as_that(target: str, project: Project, caplog: pytest.LogCaptureFixture) -> None:
    project.remember_many([{"content": f"{n} " + "seals bark " * 100, "agent": "tank"} for n in range(300)], force=True)
    with Hansard.open(f"{target}&{CRAMPED}", settings=ME) as hansard:
        cramped = hansard.project("shop")
        with pytest.raises(StoreFull, match="temp_file_limit") as caught:
            cramped.recall("seals", agent="tank")
        assert cramped.remember("what needs no room goes on", agent="tank")
    assert "Nothing was changed" in caught.value.told_abroad
    assert caplog.text == ""


def test_a_file_that_the_server_lost_is_damage_that_verify_and_doctor_name(
    target: str, project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    project.remember("seals bark", agent="tank")
    with lost_file(target, "memories") as name, Hansard.open(target, settings=IMPATIENT) as hansard:
        shop = hansard.project("shop")
        for call in (
            lambda: shop.recall("seals", agent="tank"),
            lambda: shop.remember("and more", agent="tank"),
            shop.list_memories,
            shop.verify,
        ):
            with pytest.raises(StoreCorrupt, match="restore a backup") as caught:
                call()
            assert name in caught.value.message
            assert name not in caught.value.told_abroad
        found = [one for one in hansard.doctor() if one.severity is Severity.PROBLEM]
        assert any(name in one.found for one in found)
        assert all("hansard restore" in one.advice for one in found if name in one.found)
    assert caplog.text == ""
    with Hansard.open(target, settings=ME) as hansard:
        assert hansard.project("shop").verify().ok


def test_a_block_is_made_of_what_can_still_be_read(target: str, project: Project) -> None:
    project.decide(type="scope", title="Seals only", content="No walruses.", by="ana")
    with lost_file(target, "memories"), Hansard.open(target, settings=ME) as hansard:
        block = hansard.project("shop").compile(agent="tank")
    assert block is not None
    assert "No walruses." in block.text
    assert any("damaged" in note for note in block.receipt.notes)


def test_a_refusal_that_ends_the_connection_is_an_outage(
    target: str, project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    with faltering(word=b"DELETE FROM elsewhere") as network:
        network.last_word = ("58000", "a pooler lost its server")
        with Hansard.open(network.address(target), settings=ME) as hansard:

            def ask() -> None:
                with hansard.store.read(project.id) as tx:
                    tx._connection.execute("DELETE FROM elsewhere")  # type: ignore[attr-defined]

            with pytest.raises(StoreUnreachable, match="a pooler lost its server"):
                ask()
            assert hansard.project("shop").list_memories().items == ()
    gone, back = caplog.messages
    assert gone.endswith("does not answer; trying again.")
    assert "answers again" in back
