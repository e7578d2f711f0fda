"""Compaction for tasks of several agents: none stops another's, removes its files, or spills without a limit."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hansard import Actor, Hansard
from hansard.domain.compaction.conversations import read
from hansard.domain.compaction.ladder import State
from hansard.domain.errors import Denied, TooManyWrites
from hansard.project import Project
from hansard.services.compact import Compacted, Wish, compact, purge, reset
from hansard.settings import Settings
from support.clock import FakeClock

SETTINGS = Settings(user="ana", compaction_max_consecutive_failures=1, guard_writes_per_minute=3)
SAID = f"User: Constraint: {'never forget this ' * 40}\nTool: " + "line\n" * 400


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


@pytest.fixture
def limited(project: Project, target: str, clock: FakeClock, root: Path) -> Iterator[Hansard]:
    """The store of the project with a small limit, and with a folder to spill to."""
    with Hansard.open(target, settings=SETTINGS, clock=clock) as opened:
        opened.project(project.key, create=True, root=root)
        yield opened


def bound(hansard: Hansard, name: str, role: str = "agent") -> Project:
    return hansard.project("shop", actor=Actor(name, role=role))


def attempted(project: Project, *, tokens: int = 5, level: int = 3, said: str = SAID) -> Compacted:
    return compact(read(said), Wish(tokens, level, "login"), SETTINGS, seat=project.seat())


def spilled(project: Project, number: int = 0) -> str:
    """Has a text spilled that no other number has, and says where it is. The target is met."""
    done = attempted(project, tokens=250, level=5, said=f"{SAID}Attempt {number}.")
    assert done.state is State.COMPLETE
    assert done.spilled is not None
    return done.spilled


def test_an_agent_does_not_remove_what_was_spilled_for_a_task(limited: Hansard, root: Path) -> None:
    file = root / spilled(bound(limited, "dozer"))

    for name in ("tank", "dozer"):
        with pytest.raises(Denied, match="spilled files may be another agent's"):
            purge(bound(limited, name).seat(), "login")
    assert file.is_file()


@pytest.mark.parametrize("role", ["human", "coordinator", "service"])
def test_people_coordinators_and_services_remove_what_was_spilled(limited: Hansard, root: Path, role: str) -> None:
    path = spilled(bound(limited, "dozer"))

    assert purge(bound(limited, "neo", role).seat(), "login") == [path]
    assert not (root / path).exists()


def test_the_failures_of_one_agent_do_not_stop_the_task_of_another(limited: Hansard) -> None:
    tank, dozer, neo = bound(limited, "tank"), bound(limited, "dozer"), bound(limited, "neo", "coordinator")
    states = [attempted(tank).state for _ in range(3)]

    assert states == [State.FAILED, State.WAITING_APPROVAL, State.WAITING_APPROVAL]
    assert [attempted(one).failures for one in (dozer, neo, limited.project("shop"))] == [1, 1, 1]
    assert attempted(dozer, tokens=10_000).state is State.COMPLETE
    assert attempted(bound(limited, "Tank"), tokens=10_000).state is State.WAITING_APPROVAL


def test_a_reset_lets_everybody_try_again(limited: Hansard) -> None:
    tank, dozer = bound(limited, "tank"), bound(limited, "dozer")
    for one in (tank, tank, dozer, dozer):
        attempted(one)

    assert reset(limited.project("shop").seat(), "login") == 4
    assert [attempted(one, tokens=10_000).state for one in (tank, dozer)] == [State.COMPLETE] * 2


def test_a_spilled_file_is_a_write_of_its_agent(limited: Hansard, root: Path, clock: FakeClock) -> None:
    tank = bound(limited, "tank")
    tank.remember("one")
    kept = {spilled(tank, number) for number in range(2)}

    with pytest.raises(TooManyWrites, match=r"guard\.writes_per_minute"):
        spilled(tank, 2)
    assert {str(path.relative_to(root)) for path in root.rglob("*.md")} == kept
    # What spills nothing goes on, and so do others; being refused was no failure of the task.
    assert attempted(tank, tokens=10_000).failures == 0
    assert attempted(tank).failures == 1
    spilled(bound(limited, "dozer"), 3)
    clock.advance(seconds=60)
    spilled(tank, 2)


def test_people_and_services_spill_without_a_limit(limited: Hansard) -> None:
    for actor in (bound(limited, "ana", "human"), bound(limited, "importer", "service")):
        for number in range(5):
            spilled(actor, number)
