"""What lasts a while, whatever the clocks of the machines say: limits, leases, keys and the ends of tokens."""

import time

import pytest

from hansard import Hansard
from hansard.clock import SystemClock
from hansard.domain.actors import Actor
from hansard.domain.errors import KeyInFlight, TooManyWrites
from hansard.domain.idempotency import KeptAnswer
from hansard.domain.jobs import JobKind, Lease
from hansard.project import Project
from hansard.services import repeat
from hansard.services.grant import whose
from hansard.settings import Settings
from hansard.store.postgres import server_time
from support.clock import START, FakeClock
from support.engines import on_postgres
from support.marks import invariant

SECOND = 1_000_000
HOUR = 3_600 * SECOND
LIMITED = Settings(user="ana", guard_writes_per_minute=2)


class AheadClock(SystemClock):
    """The clock of a machine that is set wrong."""

    def __init__(self, seconds: int) -> None:
        self._ahead = seconds * SECOND

    def now(self) -> int:
        return super().now() + self._ahead


class SetClock(SystemClock):
    """The clock of a machine that somebody sets."""

    ahead = 0

    def now(self) -> int:
        return super().now() + self.ahead * SECOND


@pytest.fixture
def ahead(target: str, project: Project) -> None:
    """A machine whose clock is an hour ahead has written once."""
    with Hansard.open(target, settings=Settings(user="ana"), clock=FakeClock(START + HOUR)) as other:
        other.project(project.key).remember("From the future.", agent="zed")


def take(hansard: Hansard, project: Project, holder: str, seconds: int) -> Lease | None:
    with hansard.store.write(project.id) as tx:
        return hansard.store.jobs(tx).take(JobKind.EXPORT, "x", holder, lease_us=seconds * SECOND)


def claim(hansard: Hansard, project: Project, key: str = "k") -> repeat.Claim | KeptAnswer:
    return repeat.claim(hansard.store, project.id, caller="t", key=key, digest=b"1")


@pytest.mark.usefixtures("ahead")
def test_a_minute_passes_though_the_record_lies_ahead(target: str, project: Project, clock: FakeClock) -> None:
    with Hansard.open(target, settings=LIMITED, clock=clock) as hansard:
        tank = hansard.project(project.key, actor=Actor("tank", "agent"))
        for number in range(5):
            tank.remember(f"Note {number} about the weather.")
            clock.advance(seconds=60)
        tank.remember("One more note.")
        tank.remember("And another note.")
        with pytest.raises(TooManyWrites):
            tank.remember("A third in one minute.")


@pytest.mark.usefixtures("ahead")
def test_a_lease_and_a_key_are_free_again_though_the_record_lies_ahead(
    hansard: Hansard, project: Project, clock: FakeClock
) -> None:
    assert take(hansard, project, "gone", 30) is not None
    assert isinstance(claim(hansard, project), repeat.Claim)
    with pytest.raises(KeyInFlight):
        claim(hansard, project)
    clock.advance(seconds=121)
    assert take(hansard, project, "next", 30) is not None
    assert isinstance(claim(hansard, project), repeat.Claim)


@pytest.mark.usefixtures("ahead")
def test_a_token_ends_when_it_was_said_to_though_the_record_lies_ahead(
    hansard: Hansard, project: Project, clock: FakeClock
) -> None:
    grant, text = hansard.create_token(agent="tank", projects=[project.key], expires="1h")
    assert grant.created_at < START + HOUR
    assert whose(hansard.store, text) is not None
    clock.advance(seconds=3_601)
    assert whose(hansard.store, text) is None


@invariant("INV-21")
@on_postgres
def test_no_machine_takes_what_another_holds_because_its_clock_is_ahead(target: str) -> None:
    with (
        Hansard.open(target, settings=Settings(user="ana")) as right,
        Hansard.open(target, settings=Settings(user="ana"), clock=AheadClock(130)) as fast,
        Hansard.open(target, settings=Settings(user="ana"), clock=AheadClock(-2 * 86_400)) as slow,
    ):
        project = right.project("clocks", create=True)
        assert take(right, project, "right", 120) is not None
        assert isinstance(claim(right, project), repeat.Claim)
        for other in (fast, slow):
            assert take(other, project, "other", 120) is None
            with pytest.raises(KeyInFlight):
                claim(other, project)
        done = claim(slow, project, "done")
        assert isinstance(done, repeat.Claim)
        repeat.settle(slow.store, done, status=201, headers={}, body=b"x")
        claim(fast, project, "another")
        assert isinstance(claim(right, project, "done"), KeptAnswer)


@invariant("INV-21")
@on_postgres
@pytest.mark.parametrize("seconds", [90, 400, -400, 3_600])
def test_machines_with_different_clocks_share_a_limit(target: str, seconds: int) -> None:
    with (
        Hansard.open(target, settings=LIMITED) as right,
        Hansard.open(target, settings=LIMITED, clock=AheadClock(seconds)) as wrong,
    ):
        right.project("clocks", create=True).remember("From now.", agent="zed")
        wrong.project("clocks").remember("From another time.", agent="zed")
        agents = [one.project("clocks", actor=Actor("tank", "agent")) for one in (right, wrong)]
        passed = 0
        for number in range(8):
            try:
                agents[number % 2].remember(f"Note {number} about the weather.")
            except TooManyWrites:
                continue
            passed += 1
        # A minute may end in between, once.
        assert LIMITED.guard_writes_per_minute <= passed <= 2 * LIMITED.guard_writes_per_minute


@invariant("INV-21")
@on_postgres
@pytest.mark.parametrize("seconds", [3_600, -3_600, 2 * 86_400])
def test_no_machine_takes_what_another_holds_because_its_clock_is_set(target: str, seconds: int) -> None:
    clock = SetClock()
    with (
        Hansard.open(target, settings=Settings(user="ana")) as right,
        Hansard.open(target, settings=Settings(user="ana"), clock=clock) as other,
    ):
        project = right.project("clocks", create=True)
        with other.store.write(project.id) as tx:
            before = other.store.clock(tx)
        assert take(right, project, "right", 300) is not None
        done = claim(right, project)
        assert isinstance(done, repeat.Claim)
        repeat.settle(right.store, done, status=201, headers={}, body=b"x")

        clock.ahead = seconds

        assert take(other, project, "other", 300) is None
        assert isinstance(claim(other, project), KeptAnswer)
        with other.store.write(project.id) as tx:
            assert 0 <= other.store.clock(tx) - before < 300 * SECOND


@on_postgres
def test_the_servers_clock_is_asked_again_after_a_minute(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    passed, steady = [0.0], time.clock_gettime
    monkeypatch.setattr(time, "clock_gettime", lambda clock: steady(clock) + passed[0])
    with Hansard.open(target, settings=Settings(user="ana")) as hansard:
        project = hansard.project("clocks", create=True)

        def told() -> int:
            with hansard.store.write(project.id) as tx:
                return hansard.store.clock(tx) - time.time_ns() // 1_000

        assert abs(told()) < 30 * SECOND
        # A clock that goes wrong here is believed for a minute, and no longer.
        passed[0] = server_time.ASKED_SECONDS - 20
        assert told() > 30 * SECOND
        passed[0] = server_time.ASKED_SECONDS
        assert abs(told()) < 30 * SECOND
