"""Opening: an address of a server in the place of a path, a token that says who acts, and the same project calls."""

import subprocess
import sys
from pathlib import Path

import pytest

from client.conftest import Served
from hansard import Actor, Hansard
from hansard.client import Client
from hansard.domain.errors import (
    BackupExists,
    Denied,
    Impersonation,
    Invalid,
    Unauthenticated,
    UnknownProject,
    Unsupported,
)
from hansard.settings import Settings
from support.engines import on_sqlite


def used(target: str, token: str | None) -> str:
    """A program as people write it; only the address tells where the memories are."""
    with Hansard.open(target, token=token) as h:
        p = h.project("shop")
        p.remember("The API needs a Bearer prefix.", agent="tank", importance="high")
        block = p.compile(agent="tank")
        assert block is not None
        return block.text


@on_sqlite
def test_code_moves_from_a_file_to_a_server_by_changing_the_address(served: Served, tmp_path: Path) -> None:
    with Hansard.open(tmp_path / "own.db", settings=Settings(user="ana")) as h:
        h.project("shop", create=True)
    at_server = used(served.running.address, served.running.token("ana", "human", None))

    assert "Bearer prefix" in at_server
    assert at_server == used(str(tmp_path / "own.db"), None)


@on_sqlite
def test_the_example_of_the_readme_moves_to_a_server_by_changing_the_address(
    served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    example = readme.partition("## From Python")[2].partition("```python\n")[2].partition("```")[0]
    assert example.count('"team.db"') == 1
    place = f'"{served.running.address}", token="{served.running.token("ana", "human", None)}"'
    told = []
    for code in (example, example.replace('"team.db"', place)):
        exec(code, {})
        told.append(capsys.readouterr().out)

    assert "All data lives in PostgreSQL." in told[0]
    assert told[0] == told[1]


@on_sqlite
def test_the_token_may_come_from_the_environment(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANSARD_TOKEN", served.running.token("neo", "coordinator"))
    with Hansard.open(served.running.address) as opened:
        assert isinstance(opened, Client)
        assert opened.actor == Actor("neo", "coordinator")
        assert [one.key for one in opened.projects()] == ["shop"]


def test_a_token_is_for_servers_and_a_server_needs_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HANSARD_TOKEN", raising=False)
    with pytest.raises(Invalid, match="database takes none"):
        Hansard.open(tmp_path / "own.db", token="t")
    assert not (tmp_path / "own.db").exists()
    with pytest.raises(Unauthenticated, match="HANSARD_TOKEN"):
        Hansard.open("https://memory.example")
    with pytest.raises(Unsupported, match="settings"):
        Hansard.open("https://memory.example", token="t", settings=Settings())


@on_sqlite
def test_who_may_do_what_is_the_servers_to_say(served: Served) -> None:
    with Client.open(served.running.address, token="hsd_" + "0" * 43) as nobody, pytest.raises(Unauthenticated):
        nobody.projects()
    with Client.open(served.running.address, token=served.running.token()) as tank:
        with pytest.raises(UnknownProject):
            tank.project("bank")
        with pytest.raises(Denied):
            tank.project("bank", create=True)
        with pytest.raises(Denied):
            tank.doctor()


@on_sqlite
def test_an_actor_may_be_named_if_the_token_speaks_for_it(served: Served) -> None:
    with Client.open(served.running.address, token=served.running.token()) as client:
        assert client.project("shop", actor=Actor("Tank", "agent")).owner(None) == "tank"
        for other in (Actor("ana", "human"), Actor("tank", "human")):
            with pytest.raises(Impersonation):
                client.project("shop", actor=other)
        with pytest.raises(Invalid, match="which project"):
            client.project()


@on_sqlite
def test_a_missing_project_is_made_on_request_and_found_by_any_spelling(served: Served) -> None:
    with Client.open(served.running.address, token=served.running.token("ana", "human", None)) as ana:
        made = ana.project("The Bank", create=True, name="The bank")
        assert (made.key, made.record.name) == ("the-bank", "The bank")
        assert ana.project("the bank", create=True).id == made.id
        assert [one.key for one in ana.projects()] == ["shop", "the-bank"]
        assert {one.project for one in ana.doctor()} >= {"shop", "the-bank"}


@on_sqlite
def test_a_backup_is_downloaded_and_verified(served: Served, tmp_path: Path) -> None:
    served.remote.tank.remember("Kept.")
    with Client.open(served.running.address, token=served.running.token("ana", "human", None)) as ana:
        done = ana.backup(tmp_path / "copy.db")
        with pytest.raises(BackupExists):
            ana.backup(tmp_path / "copy.db")
    Hansard.restore(tmp_path / "copy.db", tmp_path / "restored.db", settings=Settings(user="ana"))
    with Hansard.open(tmp_path / "restored.db", settings=Settings(user="ana")) as restored:
        (kept,) = restored.project("shop").list_memories().items

    assert [one.project.key for one in done.projects] == ["shop"]
    assert kept.content == "Kept."


def test_the_client_loads_no_heavy_package() -> None:
    report = "import sys, hansard.client; print([one for one in sys.modules if one.split('.')[0] in %r])"
    heavy = ("numpy", "httpx", "fastapi", "pydantic", "apsw", "psycopg", "mcp", "re2")
    done = subprocess.run([sys.executable, "-c", report % (heavy,)], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
