"""References that an address has no room for: refused by the client itself, as the embedded call refuses them."""

import pytest

from client.conftest import Served
from client.scripts import ODD, REFERRING
from hansard.client import Client, RemoteProject, references
from hansard.client.connection import Wire
from hansard.client.seated import Caller
from hansard.domain.errors import BadSlug, HansardError, Invalid, StaleVersion, UnknownProject, Unsupported
from hansard.domain.projects import Project as ProjectRecord
from support.engines import on_sqlite
from support.twins import failing

FITTING = frozenset({"?", "#", "%2f"})
LOOKED_FOR = frozenset({"get_session", "end_session"})
"""A session may have any id, so that it is looked for in the list."""


@pytest.mark.parametrize("reference", sorted(set(ODD) - FITTING))
def test_what_no_record_can_be_named_is_refused_without_a_request(reference: str) -> None:
    # Nobody is at this address: whoever asked would raise ServerUnreachable.
    wire = Wire("http://127.0.0.1:1", "t")
    wire.close()
    project = RemoteProject(wire, ProjectRecord("p", "shop", "Shop", 0), Caller(wire))
    for name in REFERRING.keys() - LOOKED_FOR:
        told = failing(lambda: getattr(project, name)(reference, **REFERRING[name]))  # noqa: B023
        assert "closed" not in told.message, name


@pytest.mark.parametrize("reference", ["a", "a b", "?", "%2f", "...", "é", "a\nb"])
def test_an_address_has_room_for_all_other_text(reference: str) -> None:
    assert references.fits(reference)


@on_sqlite
def test_a_session_that_an_address_has_no_room_for_is_changed_without_its_id(served: Served) -> None:
    ana = served.remote.ana
    ana.start_session(focus="Auth", id="sprint/12")
    with pytest.raises(Unsupported, match="Leave id out"):
        ana.update_session("Begun.", id="sprint/12")

    assert ana.update_session("Begun.").summary == "Begun."
    assert ana.end_session().id == "sprint/12"


@on_sqlite
def test_a_project_is_found_by_the_spelling_of_its_key(served: Served) -> None:
    with Client.open(served.running.address, token=served.running.token("ana", "human", None)) as client:
        made = client.project("a/b", create=True)
        assert made.key == "a-b"
        assert client.project("a/b").id == made.id
        wrong: tuple[tuple[str, type[HansardError]], ...] = (
            ("/", BadSlug), ("..", BadSlug), ("", Invalid), ("\ud800", Invalid), ("a/c", UnknownProject),
        )  # fmt: skip
        for key, kind in wrong:
            assert type(failing(lambda: client.project(key))) is kind  # noqa: B023


@on_sqlite
@pytest.mark.parametrize("version", ["1\r\nIf-None-Match: *", "é", "1", -1, 10**30])
def test_what_is_no_version_brings_no_header_of_its_own(served: Served, version: int) -> None:
    made = served.remote.tank.remember("Once.")
    for tank in (served.own.tank, served.remote.tank):
        with pytest.raises(StaleVersion):
            tank.edit_memory(made.id, content="Twice.", expected_version=version)
    assert served.own.tank.get_memory(made.id).content == "Once."
