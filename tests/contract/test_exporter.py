"""The exporter from within: it keeps its lease while it works, gives way when it lost it, and is patient."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard import Hansard
from hansard.domain.errors import LeaseLost, StoreUnreachable
from hansard.domain.jobs import Job, JobKind
from hansard.project import Project
from hansard.services import dispatch, keep_up
from hansard.settings import Settings
from support.marks import invariant
from support.mirrors import locked, pass_by, until

SETTINGS = Settings(user="ana", embedding_provider="none")
BURST_SECONDS = 4.0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def opened(target: str) -> Iterator[Hansard]:
    with Hansard.open(target, settings=SETTINGS) as hansard:
        yield hansard


@pytest.fixture
def shop(opened: Hansard, root: Path) -> Project:
    project = opened.project("shop", create=True, root=root)
    propose(project, "first")
    return project


def propose(project: Project, slug: str) -> None:
    project.propose(agent="tank", slug=slug, type="scope", content="Yes.")


class Work(threading.Thread):
    """An exporter in a thread of this process, and what became of it."""

    def __init__(self, project: Project, root: Path) -> None:
        super().__init__(daemon=True)
        self._project, self._root = project, root
        self.problem: object = "unfinished"

    def run(self) -> None:
        try:
            self.problem = keep_up.keep_up(self._project.seat(), str(self._root))
        except LeaseLost as lost:
            self.problem = lost


def job(hansard: Hansard, project: Project) -> Job | None:
    with hansard.store.read(project.id) as tx:
        return next(iter(hansard.store.jobs(tx).all()), None)


def held(hansard: Hansard, project: Project) -> Job:
    """The job, once somebody is at it."""
    until(lambda: (known := job(hansard, project)) and known.holder, "somebody is at work")
    found = job(hansard, project)
    assert found is not None
    return found


def test_an_exporter_with_nothing_to_do_takes_no_lease(opened: Hansard, shop: Project, root: Path) -> None:
    shop.export()
    before = job(opened, shop)
    assert keep_up.keep_up(shop.seat(), str(root)) is None
    assert job(opened, shop) == before


def test_a_lease_is_renewed_while_an_export_takes_its_time(
    opened: Hansard, shop: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keep_up, "LEASE_SECONDS", 0.6)
    work = Work(shop, root)
    with locked(root):
        work.start()
        first = held(opened, shop)
        for _ in range(3):
            seen = held(opened, shop).lease_until
            until(lambda seen=seen: held(opened, shop).lease_until > seen, "it is renewed")  # type: ignore[misc]
        assert held(opened, shop).token == first.token
    work.join()
    assert work.problem is None


@invariant("INV-21")
def test_an_exporter_that_lost_its_lease_notes_nothing(opened: Hansard, shop: Project, root: Path) -> None:
    work = Work(shop, root)
    with locked(root):
        work.start()
        lost = held(opened, shop)
        with opened.store.write(shop.id) as tx:
            jobs = opened.store.jobs(tx)
            taken = jobs.take(JobKind.EXPORT, lost.subject, "another", lease_us=10**9, instead_of=lost.holder)
        assert taken is not None
    work.join()
    assert isinstance(work.problem, LeaseLost)
    now = job(opened, shop)
    assert now is not None
    assert (now.holder, now.done_position, now.attempts) == ("another", 0, 0)


def test_a_burst_that_does_not_end_is_exported_less_and_less_often(
    opened: Hansard, shop: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keep_up, "PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(keep_up, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(keep_up, "LINGER_SECONDS", 0.1)
    work = Work(shop, root)
    work.start()
    end, number = time.monotonic() + BURST_SECONDS, 0
    while time.monotonic() < end:
        number += 1
        shop.propose(agent="tank", slug="topic", type="scope", content=f"Version {number}.")
        pass_by(0.005)  # Else the exporter's thread never gets its turn to write.
    work.join()
    assert work.problem is None
    done = job(opened, shop)
    assert done is not None
    assert 2 <= done.attempts <= 10, "it would be fifteen or more"
    assert keep_up.drifted(shop.seat(), str(root)) == ()


def test_a_store_that_does_not_answer_keeps_no_write_waiting(
    target: str, shop: Project, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answer = threading.Event(), threading.Event()

    def silent(*_: object) -> list[str]:
        asked.set()
        answer.wait()
        raise StoreUnreachable("The server is away.")

    monkeypatch.setenv("HANSARD_MIRROR_AUTO", "on")
    monkeypatch.setattr(dispatch, "due", silent)
    with Hansard.open(target, settings=SETTINGS) as hansard:
        project = hansard.project("shop")
        propose(project, "second")
        assert asked.wait(30)
        propose(project, "third")
        answer.set()
