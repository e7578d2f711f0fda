"""A project on a server and its client, beside an embedded project that is told the same things."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from hansard import Actor, Hansard
from hansard.client import Client
from hansard.settings import Settings
from support.clock import FakeClock
from support.serving import Running, running
from support.twins import Trio

CALLERS = {"ana": "human", "tank": "agent", "neo": "coordinator"}


class Served(NamedTuple):
    """The same project twice: as its server's own process has it, and over REST."""

    running: Running
    own: Trio
    remote: Trio
    folder: Path


@pytest.fixture
def served(hansard: Hansard, tmp_path: Path) -> Iterator[Served]:
    folder = tmp_path / "served"
    folder.mkdir()
    hansard.project("shop", create=True, root=folder, actor=Actor("ana", "human"))
    with ExitStack() as stack:
        one = stack.enter_context(running(hansard))
        clients = [stack.enter_context(client_of(one, name, role)) for name, role in CALLERS.items()]
        yield Served(one, own(hansard), Trio(*(client.project("shop") for client in clients)), folder)


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Trio]:
    folder = tmp_path / "twin"
    folder.mkdir()
    with Hansard.open(tmp_path / "twin.db", settings=Settings(user="ana"), clock=FakeClock()) as opened:
        opened.project("shop", create=True, root=folder, actor=Actor("ana", "human"))
        for name, role in CALLERS.items():
            opened.create_token(agent=name, role=role, projects=projects_of(role))
        yield own(opened)


def own(hansard: Hansard) -> Trio:
    return Trio(*(hansard.project("shop", actor=Actor(name, role)) for name, role in CALLERS.items()))


def client_of(one: Running, agent: str, role: str) -> Client:
    return Client.open(one.address, token=one.token(agent, role, projects_of(role)))


def projects_of(role: str) -> tuple[str, ...] | None:
    return None if role == "human" else ("shop",)
