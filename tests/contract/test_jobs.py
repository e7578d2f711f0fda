"""Jobs: one holder at a time, a lease that is lost writes nothing, and no lease travels to another store."""

import threading
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from hansard import Hansard
from hansard.domain.errors import LeaseLost
from hansard.domain.jobs import ERROR_CHARACTERS_MAX, Job, JobKind, Lease
from hansard.domain.vocabulary import Role
from hansard.project import Project
from hansard.settings import Settings
from hansard.store.ports import Jobs
from support.clock import FakeClock
from support.engines import on_postgres
from support.marks import invariant
from support.processes import finished, started

SECOND = 1_000_000
PROCESSES = 4
THREADS = 8
ROUNDS = 25


class Desk:
    """One job of one project, each step in a transaction of its own."""

    def __init__(self, hansard: Hansard, project: Project, subject: str = "here") -> None:
        self._store, self._project, self._subject = hansard.store, project.id, subject

    def take(self, holder: str, *, seconds: float = 10, instead_of: str | None = None) -> Lease | None:
        with self._store.write(self._project) as tx:
            return self._store.jobs(tx).take(
                JobKind.EXPORT, self._subject, holder, lease_us=int(seconds * SECOND), instead_of=instead_of
            )

    def held(self, holder: str, *, seconds: float = 10) -> Lease:
        lease = self.take(holder, seconds=seconds)
        assert lease is not None
        return lease

    def do(self, work: Callable[[Jobs], None]) -> None:
        with self._store.write(self._project) as tx:
            work(self._store.jobs(tx))

    def done(self, lease: Lease, position: int) -> None:
        """Notes the work and lets go, in one transaction."""
        with self._store.write(self._project) as tx:
            self._store.jobs(tx).finish(lease, position, lease_us=SECOND)
            self._store.jobs(tx).release(lease)

    def job(self) -> Job:
        with self._store.read(self._project) as tx:
            found = self._store.jobs(tx).get(JobKind.EXPORT, self._subject)
        assert found is not None
        return found


@pytest.fixture
def desk(hansard: Hansard, project: Project) -> Desk:
    return Desk(hansard, project)


@invariant("INV-21")
def test_while_a_lease_is_in_force_nobody_else_gets_the_job(desk: Desk, clock: FakeClock) -> None:
    first = desk.held("one")
    assert desk.take("two") is None
    assert desk.take("one") is None, "not even the same holder: it may be two threads of one process"
    clock.advance(seconds=9)
    assert desk.take("two") is None
    clock.advance(seconds=2)
    second = desk.held("two")
    assert second.token > first.token
    assert (desk.job().holder, desk.job().token) == ("two", second.token)


def test_jobs_of_other_subjects_and_projects_are_other_jobs(desk: Desk, hansard: Hansard, project: Project) -> None:
    desk.held("one")
    assert Desk(hansard, project, "there").take("two") is not None
    assert Desk(hansard, hansard.project("bank", create=True)).take("two") is not None
    with hansard.store.read(project.id) as tx:
        assert [(one.subject, one.holder) for one in hansard.store.jobs(tx).all()] == [
            ("here", "one"),
            ("there", "two"),
        ]


def test_a_lease_that_is_renewed_stays_in_force(desk: Desk, clock: FakeClock) -> None:
    lease = desk.held("one")
    clock.advance(seconds=9)
    desk.do(lambda jobs: jobs.renew(lease, lease_us=10 * SECOND))
    clock.advance(seconds=9)
    assert desk.take("two") is None


def test_a_holder_that_is_known_to_be_gone_is_replaced_at_once(desk: Desk) -> None:
    lost = desk.held("one")
    assert desk.take("two", instead_of="three") is None
    assert desk.take("two", instead_of="one") is not None
    with pytest.raises(LeaseLost):
        desk.do(lambda jobs: jobs.release(lost))


def test_work_that_is_done_is_noted_and_the_lease_goes_on_until_it_is_let_go(desk: Desk) -> None:
    lease = desk.held("one")
    desk.do(lambda jobs: jobs.finish(lease, 7, lease_us=10 * SECOND))
    assert (desk.job().done_position, desk.job().attempts, desk.job().error) == (7, 1, None)
    assert desk.take("two") is None
    desk.do(lambda jobs: jobs.release(lease))
    assert (desk.job().holder, desk.job().lease_until) == (None, 0)
    assert desk.take("two") is not None


def test_a_failure_is_kept_until_the_work_succeeds_whoever_does_it(desk: Desk) -> None:
    lease = desk.held("one")
    desk.do(lambda jobs: jobs.finish(lease, 3, lease_us=SECOND))
    desk.do(lambda jobs: jobs.fail(lease, "no\nspace " + "x" * 5_000))
    failed = desk.job()
    assert (failed.done_position, failed.holder, failed.attempts) == (3, None, 2)
    assert failed.failed_at is not None
    assert (failed.error or "").startswith("no space x")
    assert len(failed.error or "") == ERROR_CHARACTERS_MAX
    again = desk.held("two")
    assert desk.job().error is not None, "to begin is not yet to succeed"
    desk.do(lambda jobs: jobs.finish(again, 4, lease_us=SECOND))
    assert (desk.job().error, desk.job().failed_at) == (None, None)
    desk.do(lambda jobs: jobs.blame(JobKind.EXPORT, "here", "read-only"))
    assert desk.job().error == "read-only"
    desk.do(lambda jobs: jobs.settle(JobKind.EXPORT, "here", 9))
    assert (desk.job().error, desk.job().done_position) == (None, 9)
    desk.do(lambda jobs: jobs.settle(JobKind.EXPORT, "here", 8))
    assert desk.job().done_position == 9, "what is done stays done"


@invariant("INV-21")
@pytest.mark.parametrize("step", ["renew", "finish", "fail", "release"])
def test_a_lost_lease_writes_nothing(desk: Desk, clock: FakeClock, step: str) -> None:
    lost = desk.held("one")
    clock.advance(seconds=11)
    desk.held("two")
    before = desk.job()
    steps: dict[str, Callable[[Jobs], None]] = {
        "renew": lambda jobs: jobs.renew(lost, lease_us=SECOND),
        "finish": lambda jobs: jobs.finish(lost, 99, lease_us=SECOND),
        "fail": lambda jobs: jobs.fail(lost, "too late"),
        "release": lambda jobs: jobs.release(lost),
    }
    with pytest.raises(LeaseLost) as refused:
        desk.do(steps[step])
    assert refused.value.code == "job.lease_lost"
    assert desk.job() == before


@invariant("INV-21")
def test_what_was_written_beside_a_lost_lease_is_undone_with_it(
    desk: Desk, hansard: Hansard, project: Project, clock: FakeClock
) -> None:
    lost = desk.held("one")
    clock.advance(seconds=11)
    desk.held("two")

    def work() -> None:
        with hansard.store.write(project.id) as tx:
            tx.actors.register("somebody", Role.AGENT)
            hansard.store.jobs(tx).finish(lost, 1, lease_us=0)

    with pytest.raises(LeaseLost):
        work()
    assert "somebody" not in {one.name for one in project.list_agents()}


@invariant("INV-21")
def test_of_many_threads_one_at_a_time_does_the_job(desk: Desk) -> None:
    inside, most, done = 0, 0, 0
    guard = threading.Lock()

    def work(name: str) -> None:
        nonlocal inside, most, done
        rounds = 0
        while rounds < ROUNDS:
            lease = desk.take(name, seconds=60)
            if lease is None:
                continue
            with guard:
                inside += 1
                most = max(most, inside)
            position = desk.job().done_position + 1
            with guard:
                inside -= 1
                done += 1
            desk.done(lease, position)
            rounds += 1

    threads = [threading.Thread(target=work, args=(f"thread-{number}",)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, done) == (1, THREADS * ROUNDS)
    assert (desk.job().done_position, desk.job().attempts, desk.job().token) == (done, done, done)


@invariant("INV-21")
def test_of_many_processes_one_at_a_time_does_the_job(desk: Desk, target: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    racing = [started("support.leaseholder", target, str(log), str(ROUNDS)) for _ in range(PROCESSES)]
    for process in racing:
        finished(process)
    lines = log.read_text().splitlines()
    assert len(lines) == 2 * PROCESSES * ROUNDS
    for begun, ended in zip(lines[::2], lines[1::2], strict=True):
        assert begun.replace("begin", "end") == ended, "somebody else was at it meanwhile"
    assert (desk.job().done_position, desk.job().token) == (PROCESSES * ROUNDS, PROCESSES * ROUNDS)


@on_postgres
def test_a_job_that_somebody_is_just_taking_is_passed_over_without_a_wait(desk: Desk, target: str) -> None:
    lease = desk.held("one")
    desk.do(lambda jobs: jobs.release(lease))
    with psycopg.connect(target) as other:
        other.execute("SELECT 1 FROM hansard.jobs FOR UPDATE")
        assert desk.take("two") is None
    assert desk.take("two") is not None


def test_a_lease_stays_behind_when_a_project_is_copied_backed_up_or_restored(
    desk: Desk, hansard: Hansard, project: Project, tmp_path: Path
) -> None:
    lease = desk.held("one", seconds=10**6)
    desk.do(lambda jobs: jobs.finish(lease, 5, lease_us=10**12))
    with Hansard.open(tmp_path / "copy.db", settings=Settings(user="ana")) as other:
        copied = list(hansard.copy_to(other))
        assert [type(one).__name__ for one in copied] == ["Proven"]
        _assert_free(other)
    hansard.backup(tmp_path / "saved.db")
    Hansard.restore(tmp_path / "saved.db", tmp_path / "restored.db", settings=Settings(user="ana"))
    with Hansard.open(tmp_path / "restored.db", settings=Settings(user="ana")) as other:
        _assert_free(other)
    assert desk.job().holder == "one", "the original is as it was"


def _assert_free(other: Hansard) -> None:
    job = Desk(other, other.project("shop")).job()
    assert (job.done_position, job.token, job.attempts) == (5, 1, 1)
    assert (job.holder, job.lease_until) == (None, 0)
