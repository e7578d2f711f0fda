"""Fixtures of every suite: an isolated home, a fake clock, an open Hansard, a project."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.project import Project
from hansard.settings import Settings
from support.clock import FakeClock
from support.provider import Provider, serving

ENGINES = ("sqlite", "postgres")


def pytest_configure() -> None:
    """Has Ctrl-C heard here and by every process that a test starts: a job in the background begins deaf to it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test: nothing of the person running them is read or written."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    for name in ("HANSARD_DB", "HANSARD_PROJECT", "HANSARD_AGENT", "HANSARD_ROLE", "HANSARD_USER"):
        monkeypatch.delenv(name, raising=False)
    # What tests the exporter switches it on; nothing else is to start processes.
    monkeypatch.setenv("HANSARD_MIRROR_AUTO", "off")
    return folder


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine runs the same suite; `support.engines` marks what is about one of them."""
    return str(request.param)


@pytest.fixture
def target(engine: str, tmp_path: Path) -> Iterator[str]:
    """Where the store of a contract test lives."""
    if engine == "sqlite":
        yield str(tmp_path / "hansard.db")
        return
    from support import postgres

    url = postgres.fresh_database()
    yield url
    postgres.give_back(url)


@pytest.fixture
def hansard(target: str, clock: FakeClock) -> Iterator[Hansard]:
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as opened:
        yield opened


@pytest.fixture
def project(hansard: Hansard) -> Project:
    return hansard.project("shop", create=True)


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A scripted provider of vectors on loopback."""
    with serving() as made:
        yield made
