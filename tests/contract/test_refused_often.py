"""Whoever is refused may ask as often as it likes, and does not fill the history by it, in however many processes."""

from collections.abc import Callable
from typing import Any

import pytest

from hansard import Actor, Hansard
from hansard.domain.errors import HansardError, UnknownMemory
from hansard.project import Project
from hansard.services import turn_away
from hansard.services.turn_away import REFUSALS_PER_MINUTE
from hansard.settings import Settings
from support.clock import FakeClock


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call is like one of a new process: it remembers nothing of those before."""

    class Nothing(dict[Any, Any]):
        def __setitem__(self, key: object, value: object) -> None:
            pass

    monkeypatch.setattr(turn_away, "_silent", Nothing())


def refused(project: Project, *kinds: str) -> int:
    """How many refusals there are, of these kinds or of all."""
    found = project.list_events(limit=1_000).items
    return sum(one.action == "policy.refused" and (not kinds or one.details.get("act") in kinds) for one in found)


def ask(project: Project, times: int, call: Callable[[Project], object] = lambda one: one.scan()) -> None:
    for _ in range(times):
        with pytest.raises(HansardError):
            call(project)


@pytest.mark.usefixtures("forgetful")
def test_several_processes_share_what_is_noted_of_refusals(
    hansard: Hansard, project: Project, target: str, clock: FakeClock
) -> None:
    project.remember("x", agent="mallory")
    here = hansard.project(project.key, actor=Actor("mallory"))
    with Hansard.open(target, settings=Settings(user="ana"), clock=clock) as second:
        there = second.project(project.key, actor=Actor("mallory"))
        for _ in range(REFUSALS_PER_MINUTE):
            ask(here, 1)
            ask(there, 1)
    assert refused(project) == REFUSALS_PER_MINUTE
    said = [one.details.get("further") for one in project.list_events(limit=1_000).items]
    assert [one for one in said if one] == ["not noted in this minute"]
    clock.advance(seconds=60)
    ask(here, 1)
    assert refused(project) == REFUSALS_PER_MINUTE + 1
    assert project.verify().ok


@pytest.mark.usefixtures("forgetful")
def test_a_new_name_for_each_call_is_no_way_round(hansard: Hansard, project: Project) -> None:
    for number in range(REFUSALS_PER_MINUTE * 2):
        ask(hansard.project(project.key, actor=Actor(f"mallory{number}")), 1)
    assert refused(project) == REFUSALS_PER_MINUTE
    # Whoever works here is counted for itself.
    project.remember("x", agent="tank")
    ask(hansard.project(project.key, actor=Actor("tank")), 1)
    assert project.list_events(limit=1).items[0].actor == "tank"


@pytest.mark.usefixtures("forgetful")
def test_a_smaller_limit_of_writes_counts_for_refusals(project: Project, target: str, clock: FakeClock) -> None:
    secret = project.remember("private", agent="neo")
    project.remember("x", agent="mallory")
    limits = Settings(user="ana")._replace(guard_writes_per_minute=3)
    with Hansard.open(target, settings=limits, clock=clock) as opened:
        bound = opened.project(project.key, actor=Actor("mallory"))
        ask(bound, 10)
        with pytest.raises(UnknownMemory):
            bound.get_memory(secret.id)
        assert refused(project, "scan") == 3
        assert refused(project) == 4, "many of one kind hide none of another"
        # They are no writes: whoever was refused can still work.
        for number in range(2):
            bound.remember(f"note {number}")


def test_whoever_is_refused_too_often_is_not_counted_any_more(
    hansard: Hansard, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = hansard.project(project.key, actor=Actor("mallory"))
    monkeypatch.setattr("time.monotonic", lambda: 900.0)
    ask(bound, REFUSALS_PER_MINUTE + 10)
    with hansard.store.read(project.id) as tx:
        counted = list(hansard.store.tables(tx).rows("write_counts", ("writes",)))
    assert [writes for (writes,) in counted] == [REFUSALS_PER_MINUTE + 1], "a write for each call would take the lock"
    assert refused(project) == REFUSALS_PER_MINUTE
